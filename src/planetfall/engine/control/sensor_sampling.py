"""Sampling the sensors between steps, and calling the landing detector.

A sensor with the rate f samples at the instants k/f; while it `waits` for calls of the controller that are rarer than
its own rate, at those alone, each as the last of its instants until then. With a fixed step a sample is taken at the
first step boundary at or after its instant and carries the time of that boundary. The adaptive method reaches every
instant by a step of its own from the last accepted state, as it does frames, so that sensors leave the trajectory
alone. Samples are taken in order of time over all sensors.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.in_place import number
from planetfall.engine.state.batch import EVENT_LANDED, structs
from planetfall.engine.state.recorder import recorder
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.flight.readings import Sensing
from planetfall.flight.sensors.model import Motion, SensorSetup, channels, suite_params
from planetfall.flight.sensors.noise import normal

TIME_SLACK = wp.constant(wp.float64(1.0 + 1e-12))
"""By how much of itself an instant may be late and still be met: neither n * step nor k / rate is exact."""


@lru_cache
def motion_of(assembly: Assembly) -> Any:
    """`@wp.func (y, slope, params, body index) -> Motion`."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body

    @wp.func
    def motion(y: wp.ref[vector], slope: wp.ref[vector], p: wp.ref[params], body: int) -> Motion:
        o = body * BODY_SIZE
        out = Motion()
        out.body = body_state(y, body)
        out.acceleration = wp.vec3d(number(slope[o + 3]), number(slope[o + 4]), number(slope[o + 5]))
        out.turning = wp.vec3d(number(slope[o + 10]), number(slope[o + 11]), number(slope[o + 12]))
        out.spin = p.frame.omega
        out.center = p.frame.center
        return out

    return motion


@lru_cache
def keeper(n_channels: int, is_recorded: bool) -> Any:
    """`@wp.func (setup, clean values, tick, t, sensing, run)`: adds bias and noise, and keeps the reading."""
    values = channels(n_channels)

    @wp.func
    def keep(setup: SensorSetup, clean: values, tick: int, t: wp.float64, sensing: wp.ref[Sensing], run: int):
        sensing.readings.time[setup.index, run] = t
        i = int(0)
        while i < wp.static(n_channels):
            errors = setup.errors[i]
            reading = clean[i] + errors[0]
            if errors[1] > wp.float64(0.0):
                counter = wp.vec4ui(wp.uint32(tick), setup.stream, sensing.run_index[run], wp.uint32(i))
                reading += errors[1] * normal(sensing.key, counter)
            sensing.readings.value[setup.channel + i, run] = reading
            if wp.static(is_recorded):
                sensing.sample_value[setup.row + tick * wp.static(n_channels) + i, run] = reading
            i += 1
        if wp.static(is_recorded):
            sensing.sample_time[setup.sample + tick, run] = t

    return keep


@lru_cache
def sampler(assembly: Assembly, i_sensor: int = 0) -> Any:
    """`@wp.func (sensors, t, y, slope, params, sensing, run) -> when one of them is due again` [s].

    Samples those that are due, this sensor and those after it, chained as the bodies are in `engine.motion.equations`.
    """
    params, vector = assembly.params, assembly.layout.vector
    if i_sensor == len(assembly.sensors):
        return None
    model, suite = assembly.sensors[i_sensor], suite_params(assembly.sensors[i_sensor:])
    read, keep = model.read(assembly.terrain, assembly.gravity), keeper(model.n_channels, assembly.is_recorded)
    motion, rest = motion_of(assembly), sampler(assembly, i_sensor + 1)
    is_last = rest is None

    @wp.func
    def sample(
        sensors: wp.ref[suite], t: wp.float64, y: wp.ref[vector], slope: wp.ref[vector], p: wp.ref[params],
        sensing: wp.ref[Sensing], run: int,
    ) -> wp.float64:  # fmt: skip
        setup = sensors.head.setup
        tick = sensing.tick[setup.index, run]
        if wp.float64(tick) / setup.rate <= t * TIME_SLACK:
            if sensing.waits[run] == 1:
                tick = wp.max(tick, wp.int32(t * setup.rate * TIME_SLACK))
            now = motion(y, slope, p, setup.body)
            now.force = sensing.force
            now.run = run
            now.time = t
            now.memory = sensing.carried
            now.slot = setup.memory
            clean = read(sensors.head.sensor, p.terrain, p.gravity, now)
            keep(setup, clean, tick, t, sensing, run)
            tick += 1
            sensing.tick[setup.index, run] = tick
        due = wp.float64(tick) / setup.rate
        if wp.static(not is_last):
            due = wp.min(due, rest(sensors.tail, t, y, slope, p, sensing, run))
        return due

    return sample


@lru_cache
def sense(assembly: Assembly) -> Any:
    """`@wp.func (t, y, slope, params, sensing, record, run)`: takes the samples that are due at a state."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    sample, declares = sampler(assembly), assembly.detector.declares
    note_event, record_type = recorder(assembly).event, structs(assembly)[1]

    # not inlined: it is called at few of the steps, and code that fits the instruction cache runs faster
    @wp.func(inline=False)
    def take_due(
        t: wp.float64, y: wp.ref[vector], slope: wp.ref[vector], p: wp.ref[params], sensing: wp.ref[Sensing],
        record: wp.ref[record_type], run: int,
    ):  # fmt: skip
        sensing.due[run] = sample(p.sensors, t, y, slope, p, sensing, run)
        if declares(p.detector, sensing.readings, sensing.memory, t, run) == 1:
            note_event(record, run, t, EVENT_LANDED, -1, t, body_state(y, 0).position)

    @wp.func
    def take(
        t: wp.float64, y: wp.ref[vector], slope: wp.ref[vector], p: wp.ref[params], sensing: wp.ref[Sensing],
        record: wp.ref[record_type], run: int,
    ):  # fmt: skip
        if sensing.due[run] <= t * TIME_SLACK:
            take_due(t, y, slope, p, sensing, record, run)

    return take

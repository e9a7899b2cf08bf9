"""A kernel with the arrays it works on: how they are made, and what is read out of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import warp as wp

from planetfall.engine.build import Model, states_of
from planetfall.engine.kernel import block_of, kernel_of, shared_params
from planetfall.engine.launch.per_run_parameters import PerRunParameters
from planetfall.engine.launch.python_controller import HostController, flight_log, make_commands
from planetfall.engine.launch.sensor_log import detected, make_sensing
from planetfall.engine.solver.energy_rise import BOUND, RISE, rows_at_first
from planetfall.engine.solver.pace import LOOSER
from planetfall.engine.state.batch import EVENT_NAMES, EnergyRow, GapSample, SamplesAbout, structs
from planetfall.engine.state.result import BatchResult, Frames, RunEvent
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.errors import InputError
from planetfall.flight.controller import Controller
from planetfall.outcome import Outcome

MAX_EVENTS = 4096
"""Events that fit between two read-outs of one recorded run."""
MAX_RECORD_BYTES = 4 * 2**30


@dataclass
class BatchOnDevice:
    """A kernel with the arrays it works on, the threads to a block, and the host controller of runs that Python flies.

    Between launches, `params` may be replaced by others of the same kind. `terrain_memory` and `run_params` hold arrays
    whose addresses they have: those of the terrain and of per-run parameters.
    """

    model: Model
    kernel: Any
    params: Any
    batch: Any
    record: Any
    n_runs: int
    block: int
    host_controller: HostController | None = None
    terrain_memory: Any = None
    run_params: PerRunParameters | None = None

    def live_runs(self) -> np.ndarray:
        """Places of the runs that have not ended, as the kernel takes them."""
        return np.flatnonzero(self.batch.status.numpy() == Outcome.running).astype(np.int32)

    def share_done(self, runs: np.ndarray) -> float:
        """How much of its duration the slowest of some runs [place] has behind it [-]; 1 without any."""
        return float((self.batch.time.numpy()[runs] / self._durations[runs]).min(initial=1.0))

    @cached_property
    def _durations(self) -> np.ndarray:
        if self.run_params is None:
            return np.full(self.n_runs, self.model.scenario.scenario.duration)
        return self.run_params.fields()["step"]["duration"].copy()


def make_machine(
    model: Model,
    initial_states: np.ndarray,
    run_indices: np.ndarray | None,
    run_params: PerRunParameters | None = None,
    controller: Controller | Sequence[Controller] | None = None,
) -> BatchOnDevice:
    """Arrays for a batch that starts in states [run, 13 * bodies or more], all of it on the model's device."""
    states = states_of(model, np.atleast_2d(np.asarray(initial_states, dtype=float)))
    n_runs, n_points, device = len(states), model.assembly.n_points, model.device
    if not np.all(np.isfinite(states)):
        raise InputError(
            "initial", f"run {int(np.argwhere(~np.isfinite(states))[0, 0])} has a state that is not finite"
        )
    batch_type, record_type = structs(model.assembly)
    batch, record = batch_type(), record_type()
    vector = model.assembly.layout.vector

    def per_run(value: float = 0.0, dtype: Any = wp.float64) -> Any:
        return wp.full(n_runs, value, dtype=dtype, device=device)

    def per_point(value: float = 0.0, dtype: Any = wp.float64) -> Any:
        return wp.full((max(n_points, 1), n_runs), value, dtype=dtype, device=device)

    def point_by_point(value: float = 0.0, dtype: Any = wp.float64) -> Any:
        """The same, but what a run has lies together: for a thread that goes through the points of its run."""
        return wp.full((n_runs, max(n_points, 1)), value, dtype=dtype, device=device).transpose((1, 0))

    per_body = (model.assembly.n_bodies, n_runs)
    batch.state = wp.array(states, dtype=vector, device=device)
    batch.time, batch.steps, batch.status = per_run(), per_run(0, wp.int32), per_run(0, wp.int32)
    m = batch.monitors
    m.memory.modes, m.touches = per_point(0, wp.int32), per_point(0, wp.int32)
    if model.assembly.plan.lists_points:
        per_place = point_by_point if model.assembly.is_mode_locked else per_point
        m.memory.listed, m.memory.n_listed = per_place(0, wp.int32), wp.zeros(per_body, dtype=wp.int32, device=device)
        m.memory.clearance = wp.zeros(per_body, dtype=wp.float64, device=device)
    if model.assembly.plan.leaves_out_bodies:
        m.memory.n_listed = wp.zeros(per_body, dtype=wp.int32, device=device)
        m.memory.clearance = wp.zeros(per_body, dtype=wp.float64, device=device)
    if model.assembly.plan.view is not None:
        n_rows = model.assembly.plan.view.n_rows * model.assembly.n_bodies
        m.memory.views = wp.full((n_rows, n_runs), wp.vec4d(*4 * [np.nan]), dtype=wp.vec4d, device=device)
    if model.assembly.law.keeps_dent:
        m.memory.dent = per_point()
    if model.assembly.law.is_anchored:
        m.memory.anchor, m.memory.normal = (per_point(wp.vec3d(), wp.vec3d) for _ in range(2))
        m.memory.facet = per_point(-1, wp.int32)
    m.first_touch, m.peak = per_point(np.nan), per_point()
    m.touch_position, m.touch_velocity = (per_point(wp.vec3d(*3 * [np.nan]), wp.vec3d) for _ in range(2))
    m.penetration = wp.zeros(per_body, dtype=wp.float64, device=device)
    m.rest_since, m.rest, m.overturn = per_run(np.nan), per_run(np.nan), per_run(np.nan)
    if model.assembly.may_crash:
        m.memory.crash = wp.full(per_body, np.nan, dtype=wp.float64, device=device)
    m.energy = wp.array(rows_at_first(model.assembly, n_runs), dtype=EnergyRow, device=device)
    batch.sensing = make_sensing(model, n_runs, run_indices)
    batch.commands = make_commands(model, n_runs)
    if model.assembly.sensors and model.assembly.flight.is_flown:
        batch.sensing.readings.throttle, batch.sensing.readings.armed = batch.commands.throttle, batch.commands.armed
    if model.assembly.keeps_forces:
        m.force = per_point()
        batch.sensing.force = m.force
    if model.assembly.has_end_altitude:
        batch.try_step = per_run()
    if model.assembly.is_mode_locked:
        batch.try_step = wp.array(_first_steps(model, run_params, n_runs), dtype=wp.float64, device=device)
        batch.window_start, batch.pace_start, batch.pace_before = per_run(), per_run(), per_run()
        batch.pace_reach = per_run(float(LOOSER))
        batch.n_far_off, batch.looseness, batch.loosest = per_run(0, wp.int32), per_run(1.0), per_run(1.0)
        everyone = np.tile(np.arange(max(n_points, 1), dtype=np.int32), (n_runs, 1))

        def all_points() -> Any:
            return wp.array(everyone, device=device).transpose((1, 0))

        batch.listed, batch.n_listed = all_points(), per_run(n_points, wp.int32)
        batch.candidates, batch.n_candidates = all_points(), per_run(n_points, wp.int32)
        gap_samples = wp.zeros((n_runs, 2 * max(n_points, 1)), dtype=GapSample, device=device)
        batch.reach, batch.gap_samples, batch.start = per_run(), gap_samples.transpose((1, 0)), per_run(0, wp.int32)
        batch.trial, batch.taken = (
            per_run(1, wp.int32),
            per_run(1, wp.int32),
        )  # that of a gap sample is 0: of none of them
        m.sampled = per_point()
        m.path, m.queried, m.n_queried = per_run(), all_points(), per_run(n_points, wp.int32)
        m.travel, m.until, m.has_coasted = per_run(), point_by_point(), per_run(0, wp.int32)
    if model.assembly.is_recorded:
        _fill_record(model, record, n_runs)
    make_memory = model.assembly.terrain.make_memory
    terrain_memory = None if make_memory is None else make_memory(model.params.terrain, n_points, n_runs, device)
    params = shared_params(model) if run_params is None else run_params.on_device(model.params.terrain, device)
    host_controller = _host_controller(model, batch, controller, n_runs)
    block = block_of(model, n_runs)
    kernel = kernel_of(model.assembly, run_params is not None, block)
    return BatchOnDevice(
        model, kernel, params, batch, record, n_runs, block, host_controller, terrain_memory, run_params
    )


def _host_controller(
    model: Model, batch: Any, controller: Controller | Sequence[Controller] | None, n_runs: int
) -> HostController | None:
    flight = model.assembly.flight
    if controller is not None and (not flight.is_flown or flight.steer is not None):
        problem = "the scenario has no [flight]" if not flight.is_flown else "the scenario has a compiled one"
        raise InputError("controller", problem, advice="set flight.controller = 'own' and flight.rate")
    return HostController(model, batch, controller, n_runs) if flight.is_flown and flight.steer is None else None


def _first_steps(model: Model, run_params: PerRunParameters | None, n_runs: int) -> np.ndarray:
    """First guesses for the error control [s]; too long a one is cut down, too short a one grows five-fold a step."""
    if run_params is None:
        step = model.params.step
        return np.full(n_runs, min(1e-3 * step.length / step.speed, step.step))
    steps = run_params.fields()["step"]
    return np.minimum(1e-3 * steps["length"] / steps["speed"], steps["step"])


def _fill_record(model: Model, record: Any, n_runs: int) -> None:
    n_points, device = model.assembly.n_points, model.device
    interval = model.scenario.record.interval
    n_intervals = model.scenario.scenario.duration / interval * (1 + 1e-12) + 2
    point_bytes = 52 if model.assembly.law.is_anchored else 12 if model.assembly.law.keeps_dent else 4
    slot_bytes = (1 + n_points) * n_runs * (8 * model.assembly.layout.size + point_bytes * n_points + 16)
    need = n_intervals * slot_bytes
    shortest = 1.1 * model.scenario.scenario.duration * slot_bytes / MAX_RECORD_BYTES
    if need > MAX_RECORD_BYTES:
        raise InputError(
            "record.interval",
            f"{interval} s over {model.scenario.scenario.duration} s needs {need / 2**30:.1f} GiB of record",
            f"at most {MAX_RECORD_BYTES / 2**30:.0f} GiB",
            f"use an interval of at least {shortest:.2g} s",
        )
    n_slots = int(n_intervals) * (1 + n_points)
    record.interval = interval
    record.tick = wp.zeros(n_runs, dtype=wp.int32, device=device)
    record.time = wp.full((n_slots, n_runs), np.nan, dtype=wp.float64, device=device)
    record.state = wp.zeros((n_slots, n_runs), dtype=model.assembly.layout.vector, device=device)
    record.modes = wp.zeros((n_slots, max(n_points, 1), n_runs), dtype=wp.int32, device=device)
    if model.assembly.law.keeps_dent:
        record.dent = wp.zeros((n_slots, max(n_points, 1), n_runs), dtype=wp.float64, device=device)
    if model.assembly.law.is_anchored:
        shape = (n_slots, max(n_points, 1), n_runs)
        record.anchor, record.normal = (wp.zeros(shape, dtype=wp.vec3d, device=device) for _ in range(2))
    if not model.assembly.locates_peaks:
        none_yet = SamplesAbout(-1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        record.about_force, record.about_depth = (
            wp.full((max(n_points, 1), n_runs), none_yet, dtype=SamplesAbout, device=device) for _ in range(2)
        )
    record.peak = wp.zeros((n_slots, n_runs), dtype=wp.float64, device=device)
    event_shape = (MAX_EVENTS + 4 * n_points + 16, n_runs)
    record.event_count = wp.zeros(n_runs, dtype=wp.int32, device=device)
    record.event_time, record.event_value = (wp.zeros(event_shape, dtype=wp.float64, device=device) for _ in range(2))
    record.event_position = wp.zeros(event_shape, dtype=wp.vec3d, device=device)
    record.is_slow = wp.full(n_runs, 1, dtype=wp.int32, device=device)
    record.event_kind, record.event_point = (wp.zeros(event_shape, dtype=wp.int32, device=device) for _ in range(2))


def read_events(machine: BatchOnDevice) -> list[RunEvent]:
    """Takes the events of run 0 off the device."""
    record = machine.record
    n = int(record.event_count.numpy()[0])
    if n == 0:
        return []
    columns = (record.event_time, record.event_kind, record.event_point, record.event_value, record.event_position)
    rows = zip(*(column.numpy()[:n, 0] for column in columns), strict=True)
    record.event_count.zero_()
    return [
        RunEvent(float(time), EVENT_NAMES[kind], int(point), float(value), (float(at[0]), float(at[1]), float(at[2])))
        for time, kind, point, value, at in rows
    ]


def frames_since(machine: BatchOnDevice, since: float = -np.inf) -> Frames:
    """The used slots of run 0 and its present state, in order of time and each instant once.

    Of those before a time [s] only the first is among them.
    """
    record, batch, n_points = machine.record, machine.batch, machine.model.assembly.n_points
    n_slots = int(record.tick.numpy()[0]) * (1 + n_points)
    slot_times = record.time[:n_slots].numpy()[:, 0] if n_slots else np.empty(0)
    later = np.flatnonzero(slot_times >= since)
    begin = int(later[0]) if len(later) else n_slots
    n_first = int(begin > 0)  # 1: the first frame lies before those that are wanted
    time = np.concatenate([slot_times[:n_first], slot_times[later], batch.time.numpy()[:1]])

    def per_slot(slots: Any) -> np.ndarray:
        """The first and those from `begin` on: of a long record on a GPU, little is read."""
        parts = [slots[:n_first].numpy()] if n_first else []
        parts += [slots[begin:n_slots].numpy()[later - begin]] if len(later) else []
        return np.concatenate(parts) if parts else slots[:1].numpy()[:0]

    def per_point(slots: Any, last: Any) -> np.ndarray:
        return np.concatenate([per_slot(slots)[:, :n_points, 0], last.numpy()[None, :n_points, 0]])

    state = np.vstack([per_slot(record.state)[:, 0], batch.state.numpy()[:1]])
    memory = batch.monitors.memory
    modes = per_point(record.modes, memory.modes)
    # of two frames at one instant the later is kept: the final state, or a peak, is the one judged by the latest modes
    order = np.lexsort((np.arange(len(time)), time))
    order = order[np.isfinite(time[order])]
    keep = order[np.append(np.diff(time[order]) > 0, True)]
    if machine.model.assembly.law.keeps_dent:
        return Frames(time[keep], state[keep], modes[keep], dent=per_point(record.dent, memory.dent)[keep])
    if not machine.model.assembly.law.is_anchored:
        return Frames(time[keep], state[keep], modes[keep])
    anchor, normal = per_point(record.anchor, memory.anchor), per_point(record.normal, memory.normal)
    return Frames(time[keep], state[keep], modes[keep], anchor[keep], normal[keep])


def _beyond_samples(machine: BatchOnDevice) -> dict[str, np.ndarray]:
    """By how much peaks of force and depth [run, point] are likely to be more than samples, where that is kept."""
    record, n_points = machine.record, machine.model.assembly.n_points
    if not machine.model.assembly.is_recorded or machine.model.assembly.locates_peaks:
        return {}
    force, depth = (about.numpy()[:n_points, :, 5].T for about in (record.about_force, record.about_depth))
    return {"beyond_peak": np.maximum(force, 0.0), "beyond_depth": np.maximum(depth, 0.0)}


def _crashes(machine: BatchOnDevice) -> np.ndarray:
    """When each body of each run crashed [s], NaN if it did not."""
    if not machine.model.assembly.may_crash:
        return np.full((machine.n_runs, machine.model.assembly.n_bodies), np.nan)
    return machine.batch.monitors.memory.crash.numpy().T


def end_of(machine: BatchOnDevice) -> BatchResult:
    """How every run stands."""
    batch, n_points = machine.batch, machine.model.assembly.n_points
    m, lay = batch.monitors, machine.model.assembly.layout
    energy = m.energy.numpy()
    return BatchResult(
        time=batch.time.numpy(),
        state=batch.state.numpy()[:, : BODY_SIZE * machine.model.assembly.n_bodies],
        status=batch.status.numpy(),
        steps=batch.steps.numpy(),
        first_touch=m.first_touch.numpy()[:n_points].T,
        touch_position=m.touch_position.numpy()[:n_points].swapaxes(0, 1),
        touch_velocity=m.touch_velocity.numpy()[:n_points].swapaxes(0, 1),
        peak=m.peak.numpy()[:n_points].T,
        touches=m.touches.numpy()[:n_points].T,
        penetration=m.penetration.numpy().T,
        crash=_crashes(machine),
        rest=m.rest.numpy(),
        overturn=m.overturn.numpy(),
        energy_rise=energy[:, RISE],
        energy_rise_bound=energy[:, BOUND],
        detected=detected(machine.model, batch.sensing, machine.n_runs),
        **flight_log(machine.model, batch, machine.host_controller, machine.n_runs),
        mechanisms=batch.state.numpy()[:, lay.mechanism_offset(0) : lay.work_offset],
        **_beyond_samples(machine),
        looseness=batch.loosest.numpy() if machine.model.assembly.is_mode_locked else np.ones(machine.n_runs),
    )

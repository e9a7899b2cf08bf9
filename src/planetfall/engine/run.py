"""The loop that drives the kernel: chunks, threads, progress, read-out."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from planetfall.engine.batch import EVENT_NAMES, structs
from planetfall.engine.build import Model, states_of
from planetfall.engine.kernel import kernel_of
from planetfall.engine.layout_sizes import BODY_SIZE
from planetfall.engine.observe import observe
from planetfall.engine.own_params import OwnParams
from planetfall.engine.pilot import Pilot, flight_log, make_commands
from planetfall.engine.result import BatchResult, Event, Frames, RecordedRun
from planetfall.engine.samples import detected, make_sensing, samples_of
from planetfall.errors import InputError
from planetfall.flight.controller import Controller
from planetfall.outcome import Outcome

Progress = Callable[[float], None]
"""Called after every chunk with the simulated time of the slowest live run over the duration, 0 to 1."""

CHUNK_STEPS = 200_000
"""Run-steps per launch and thread on a CPU: about 0.1 s, so that a run can be shown and interrupted."""
CHUNK_STEPS_CUDA = 400_000_000
MAX_EVENTS = 4096
"""Events that fit between two read-outs of one recorded run."""
MAX_RECORD_BYTES = 4 * 2**30


@dataclass(frozen=True)
class Machine:
    """A kernel with the arrays it works on, and the pilot of runs that are flown by a controller in Python."""

    model: Model
    kernel: Any
    params: Any
    batch: Any
    record: Any
    n_runs: int
    pilot: Pilot | None = None


def run_batch(
    model: Model,
    initial_states: np.ndarray,
    *,
    own: OwnParams | None = None,
    run_indices: np.ndarray | None = None,
    threads: int | None = None,
    chunk_steps: int | None = None,
    progress: Progress | None = None,
    controller: Controller | None = None,
) -> BatchResult:
    """Runs many trajectories to their ends.

    Args:
        model: Built with `is_recorded=False`, or history is kept only to be thrown away.
        initial_states: [run, 13 * bodies] as in `engine.layout`; flywheels and tethers may follow.
        own: Parameters of each run, where they are not all the model's.
        run_indices: [run] which run of a campaign each is: with the seed, this decides its noise; 0, 1, ... by default.
        threads: CPU threads; all cores by default. Has no effect on the result.
        chunk_steps: Steps per launch and run. Has no effect on the result.
        progress: Called after every chunk.
        controller: Python object that flies, copied for every run; the scenario's own by default.
    """
    machine = _machine(model, initial_states, run_indices, own, controller)
    forget = machine.record.event_count.zero_ if model.assembly.is_recorded else lambda: None
    _advance(machine, threads or os.cpu_count() or 1, chunk_steps, progress, forget)
    return _end(machine)


def run_recorded(
    model: Model,
    *,
    run_index: int = 0,
    chunk_steps: int | None = None,
    progress: Progress | None = None,
    controller: Controller | None = None,
) -> RecordedRun:
    """Runs the scenario's own trajectory and keeps its history, with the noise of one run of a campaign."""
    machine = _machine(model, model.initial_state[None, :], np.array([run_index]), controller=controller)
    events: list[Event] = []
    _advance(machine, 1, chunk_steps, progress, lambda: events.extend(_read_events(machine)))
    frames = _frames(machine)
    samples = samples_of(model, machine.batch.sensing)
    events.sort(key=lambda event: event.time)
    return RecordedRun(_end(machine), frames, observe(model, frames), events, samples)


def _machine(
    model: Model,
    initial_states: np.ndarray,
    run_indices: np.ndarray | None,
    own: OwnParams | None = None,
    controller: Controller | None = None,
) -> Machine:
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

    batch.state = wp.array(states, dtype=vector, device=device)
    batch.time, batch.steps, batch.status = per_run(), per_run(0, wp.int32), per_run(0, wp.int32)
    m = batch.monitors
    m.memory.modes, m.touches = per_point(0, wp.int32), per_point(0, wp.int32)
    if model.assembly.law.is_remembering:
        m.memory.anchor, m.memory.normal = (per_point(wp.vec3d(), wp.vec3d) for _ in range(2))
        m.memory.facet = per_point(-1, wp.int32)
    m.first_touch, m.peak = per_point(np.nan), per_point()
    m.penetration, m.rest_since, m.rest, m.overturn = per_run(), per_run(np.nan), per_run(np.nan), per_run(np.nan)
    batch.sensing = make_sensing(model, n_runs, run_indices)
    batch.commands = make_commands(model, n_runs)
    if model.assembly.sensors and model.assembly.flight.is_flown:
        batch.sensing.readings.throttle, batch.sensing.readings.armed = batch.commands.throttle, batch.commands.armed
    if model.assembly.has_switches:
        m.force = per_point()
        batch.sensing.force = m.force
    if model.assembly.is_frozen:
        batch.try_step = wp.array(_first_steps(model, own, n_runs), dtype=wp.float64, device=device)
        batch.gap, batch.gap_rate, m.clearance, m.shift = per_point(), per_point(), per_point(), per_run()
    if model.assembly.is_recorded:
        _fill_record(model, record, n_runs)
    if model.assembly.terrain.make_room is not None:
        model.assembly.terrain.make_room(model.params.terrain, n_points, n_runs, device)
    params = model.params if own is None else own.on_device(model.params.terrain, device)
    pilot = _pilot(model, batch, controller, n_runs)
    return Machine(model, kernel_of(model.assembly, own is not None), params, batch, record, n_runs, pilot)


def _pilot(model: Model, batch: Any, controller: Controller | None, n_runs: int) -> Pilot | None:
    flight = model.assembly.flight
    if controller is not None and (not flight.is_flown or flight.steer is not None):
        problem = "the scenario has no [flight]" if not flight.is_flown else "the scenario has a compiled one"
        raise InputError("controller", problem, advice="set flight.controller = 'own' and flight.rate")
    return Pilot(model, batch, controller, n_runs) if flight.is_flown and flight.steer is None else None


def _first_steps(model: Model, own: OwnParams | None, n_runs: int) -> np.ndarray:
    """First guesses for the error control [s]; too long a one is cut down, too short a one grows five-fold a step."""
    if own is None:
        step = model.params.step
        return np.full(n_runs, min(1e-3 * step.length / step.speed, step.step))
    steps = own.fields()["step"]
    return np.minimum(1e-3 * steps["length"] / steps["speed"], steps["step"])


def _fill_record(model: Model, record: Any, n_runs: int) -> None:
    n_points, device = model.assembly.n_points, model.device
    interval = model.scenario.record.interval
    n_intervals = model.scenario.scenario.duration / interval * (1 + 1e-12) + 2
    point_bytes = 52 if model.assembly.law.is_remembering else 4
    slot_bytes = (1 + n_points) * n_runs * (8 * model.assembly.layout.size + point_bytes * n_points + 16)
    need = n_intervals * slot_bytes
    shortest = 1.1 * model.scenario.scenario.duration * slot_bytes / MAX_RECORD_BYTES
    if need > MAX_RECORD_BYTES:
        raise InputError(
            "record.interval",
            f"{interval} s over {model.scenario.scenario.duration} s needs {need / 2**30:.1f} GiB of record",
            f"allowed: {MAX_RECORD_BYTES / 2**30:.0f} GiB",
            f"use an interval of at least {shortest:.2g} s",
        )
    n_slots = int(n_intervals) * (1 + n_points)
    record.interval = interval
    record.tick = wp.zeros(n_runs, dtype=wp.int32, device=device)
    record.time = wp.full((n_slots, n_runs), np.nan, dtype=wp.float64, device=device)
    record.state = wp.zeros((n_slots, n_runs), dtype=model.assembly.layout.vector, device=device)
    record.modes = wp.zeros((n_slots, max(n_points, 1), n_runs), dtype=wp.int32, device=device)
    if model.assembly.law.is_remembering:
        shape = (n_slots, max(n_points, 1), n_runs)
        record.anchor, record.normal = (wp.zeros(shape, dtype=wp.vec3d, device=device) for _ in range(2))
    record.peak = wp.zeros((n_slots, n_runs), dtype=wp.float64, device=device)
    room = (MAX_EVENTS + 4 * n_points + 16, n_runs)
    record.event_count = wp.zeros(n_runs, dtype=wp.int32, device=device)
    record.event_time, record.event_value = (wp.zeros(room, dtype=wp.float64, device=device) for _ in range(2))
    record.event_position = wp.zeros(room, dtype=wp.vec3d, device=device)
    record.is_slow = wp.full(n_runs, 1, dtype=wp.int32, device=device)
    record.event_kind, record.event_point = (wp.zeros(room, dtype=wp.int32, device=device) for _ in range(2))


def _advance(
    machine: Machine, threads: int, chunk_steps: int | None, progress: Progress | None, read_out: Callable[[], None]
) -> None:
    """Launches chunk after chunk until no run is live."""
    device, duration = machine.model.device, machine.model.scenario.scenario.duration
    on_cpu = device == "cpu"
    slices = min(threads, machine.n_runs) if on_cpu else 1
    live = np.arange(machine.n_runs, dtype=np.int32)
    # compiled here, once: threads would each compile for themselves
    wp.load_module(machine.kernel.module, device=device)
    with ThreadPoolExecutor(slices) as pool:
        while len(live):
            steps = chunk_steps or max(1, (CHUNK_STEPS * slices if on_cpu else CHUNK_STEPS_CUDA) // len(live))

            def launch(part: np.ndarray, steps: int = steps) -> None:
                index = wp.array(part, dtype=wp.int32, device=device)
                inputs = [machine.batch, machine.params, machine.record, index, steps, MAX_EVENTS]
                wp.launch(machine.kernel, len(part), inputs=inputs, device=device)

            if slices == 1:
                launch(live)
            else:
                list(pool.map(launch, np.array_split(live, slices)))
            if machine.pilot is not None:
                machine.pilot.answer()
            read_out()
            status = machine.batch.status.numpy()
            live = live[status[live] == Outcome.running]
            if progress is not None:
                progress(float(machine.batch.time.numpy()[live].min() / duration) if len(live) else 1.0)


def _read_events(machine: Machine) -> list[Event]:
    """Takes the events of run 0 off the device."""
    record = machine.record
    n = int(record.event_count.numpy()[0])
    if n == 0:
        return []
    columns = (record.event_time, record.event_kind, record.event_point, record.event_value, record.event_position)
    rows = zip(*(column.numpy()[:n, 0] for column in columns), strict=True)
    record.event_count.zero_()
    return [
        Event(float(time), EVENT_NAMES[kind], int(point), float(value), (float(at[0]), float(at[1]), float(at[2])))
        for time, kind, point, value, at in rows
    ]


def _frames(machine: Machine) -> Frames:
    """The used slots of run 0 and its final state, in order of time and each instant once."""
    record, batch, n_points = machine.record, machine.batch, machine.model.assembly.n_points
    time = np.append(record.time.numpy()[:, 0], batch.time.numpy()[0])
    state = np.vstack([record.state.numpy()[:, 0], batch.state.numpy()[:1]])
    memory = batch.monitors.memory

    def per_point(slots: Any, last: Any) -> np.ndarray:
        return np.concatenate([slots.numpy()[:, :n_points, 0], last.numpy()[None, :n_points, 0]])

    modes = per_point(record.modes, memory.modes)
    # of two frames at one instant the later is kept: the final state, or a peak, is the one judged by the latest modes
    order = np.lexsort((np.arange(len(time)), time))
    order = order[np.isfinite(time[order])]
    keep = order[np.append(np.diff(time[order]) > 0, True)]
    if not machine.model.assembly.law.is_remembering:
        return Frames(time[keep], state[keep], modes[keep])
    anchor, normal = per_point(record.anchor, memory.anchor), per_point(record.normal, memory.normal)
    return Frames(time[keep], state[keep], modes[keep], anchor[keep], normal[keep])


def _end(machine: Machine) -> BatchResult:
    batch, n_points = machine.batch, machine.model.assembly.n_points
    m = batch.monitors
    return BatchResult(
        time=batch.time.numpy(),
        state=batch.state.numpy()[:, : BODY_SIZE * machine.model.assembly.n_bodies],
        status=batch.status.numpy(),
        steps=batch.steps.numpy(),
        first_touch=m.first_touch.numpy()[:n_points].T,
        peak=m.peak.numpy()[:n_points].T,
        touches=m.touches.numpy()[:n_points].T,
        penetration=m.penetration.numpy(),
        rest=m.rest.numpy(),
        overturn=m.overturn.numpy(),
        detected=detected(machine.model, batch.sensing, machine.n_runs),
        flight=flight_log(machine.model, batch, machine.pilot),
    )

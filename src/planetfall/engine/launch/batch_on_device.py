"""A kernel with the arrays it works on: how they are made, and what is read out of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.struct_arrays import allocate
from planetfall.engine.build import Model, states_of
from planetfall.engine.kernel import block_of, kernel_of, shared_params
from planetfall.engine.launch.per_run_parameters import PerRunParameters
from planetfall.engine.launch.python_controller import HostController, flight_log, make_commands
from planetfall.engine.launch.sensor_log import detected, make_sensing
from planetfall.engine.solver.energy_rise import BOUND, RISE, rows_at_first
from planetfall.engine.solver.tolerance_relaxation import LOOSER
from planetfall.engine.state.batch import EVENT_NAMES, EnergyRow, SamplesAbout, structs
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
    per_body, per_point = (model.assembly.n_bodies, n_runs), (max(n_points, 1), n_runs)
    batch.state = wp.array(states, dtype=model.assembly.layout.vector, device=device)
    allocate(batch, n_runs, device, time=0, steps=0, status=0)
    m = batch.monitors
    allocate(m.memory, per_point, device, modes=0)
    if model.assembly.plan.lists_points:
        allocate(m.memory, per_point, device, columns_together=model.assembly.is_mode_locked, listed=0)
    if model.assembly.plan.lists_points or model.assembly.plan.leaves_out_bodies:
        allocate(m.memory, per_body, device, n_listed=0, clearance=0)
    if model.assembly.plan.view is not None:
        n_rows = model.assembly.plan.view.n_rows * model.assembly.n_bodies
        allocate(m.memory, (n_rows, n_runs), device, views=np.nan)
    if model.assembly.law.keeps_dent:
        allocate(m.memory, per_point, device, dent=0)
    if model.assembly.law.is_anchored:
        allocate(m.memory, per_point, device, anchor=0, normal=0, facet=-1)
    if model.assembly.may_crash:
        allocate(m.memory, per_body, device, crash=np.nan)
    allocate(m, n_runs, device, rest_since=np.nan, rest=np.nan, overturn=np.nan)
    allocate(m, per_point, device, first_touch=np.nan, peak=0, touches=0, touch_position=np.nan, touch_velocity=np.nan)
    allocate(m, per_body, device, penetration=0)
    m.energy = wp.array(rows_at_first(model.assembly, n_runs), dtype=EnergyRow, device=device)
    batch.sensing = make_sensing(model, n_runs, run_indices)
    batch.commands = make_commands(model, n_runs)
    if model.assembly.sensors and model.assembly.flight.is_flown:
        batch.sensing.readings.throttle, batch.sensing.readings.armed = batch.commands.throttle, batch.commands.armed
    if model.assembly.keeps_forces:
        allocate(m, per_point, device, force=0)
        batch.sensing.force = m.force
    if model.assembly.has_end_altitude:
        allocate(batch, n_runs, device, try_step=0)
    if model.assembly.is_mode_locked:
        batch.try_step = wp.array(_first_steps(model, run_params, n_runs), dtype=wp.float64, device=device)
        allocate(batch, n_runs, device, window_start=0, pace_start=0, pace_before=0, pace_reach=float(LOOSER))
        allocate(batch, n_runs, device, n_far_off=0, looseness=1, loosest=1, reach=0, start=0, trial=1, taken=1)
        allocate(batch, n_runs, device, n_listed=n_points, n_candidates=n_points)
        # here and below: a thread goes through the points of its run, which lie together
        allocate(batch, (2 * max(n_points, 1), n_runs), device, columns_together=True, gap_samples=0)
        allocate(m, n_runs, device, path=0, n_queried=n_points, travel=0, has_coasted=0)
        allocate(m, per_point, device, columns_together=True, until=0)
        everyone = np.tile(np.arange(max(n_points, 1), dtype=np.int32), (n_runs, 1))

        allocate(m, per_point, device, sampled=0)
        batch.listed, batch.candidates, m.queried = (wp.array(everyone, device=device).transpose() for _ in range(3))
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
    n_slots = int(n_intervals) * (1 + n_points) + len(model.assembly.peaks)
    record.interval = interval
    of_points, of_events = (n_slots, max(n_points, 1), n_runs), (MAX_EVENTS + 4 * n_points + 16, n_runs)
    allocate(record, n_runs, device, tick=0, event_count=0, is_slow=1)
    allocate(record, (n_slots, n_runs), device, time=np.nan, state=0, peak=0)
    allocate(record, of_points, device, modes=0)
    if model.assembly.law.keeps_dent:
        allocate(record, of_points, device, dent=0)
    if model.assembly.law.is_anchored:
        allocate(record, of_points, device, anchor=0, normal=0)
    allocate(record, of_events, device, event_time=0, event_kind=0, event_point=0, event_value=0, event_position=0)
    if not model.assembly.locates_peaks:
        none_yet = SamplesAbout(-1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        record.about_force, record.about_depth = (
            wp.full((max(n_points, 1), n_runs), none_yet, dtype=SamplesAbout, device=device) for _ in range(2)
        )


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
    n_slots, n_extremes = int(record.tick.numpy()[0]) * (1 + n_points), len(machine.model.assembly.peaks)
    slot_times = record.time[:n_slots].numpy()[:, 0] if n_slots else np.empty(0)
    later = np.flatnonzero(slot_times >= since)
    begin = int(later[0]) if len(later) else n_slots
    n_first = int(begin > 0)  # 1: the first frame lies before those that are wanted
    of_extremes = slice(record.time.shape[0] - n_extremes, record.time.shape[0])
    extreme_times = record.time[of_extremes].numpy()[:, 0] if n_extremes else np.empty(0)
    wanted = np.flatnonzero(extreme_times >= since)
    time = np.concatenate([slot_times[:n_first], slot_times[later], extreme_times[wanted], batch.time.numpy()[:1]])

    def per_slot(slots: Any) -> np.ndarray:
        """The first and those from `begin` on: of a long record on a GPU, little is read."""
        parts = [slots[:n_first].numpy()] if n_first else []
        parts += [slots[begin:n_slots].numpy()[later - begin]] if len(later) else []
        parts += [slots[of_extremes].numpy()[wanted]] if len(wanted) else []
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
        return dict.fromkeys(("beyond_peak", "beyond_depth"), np.empty((machine.n_runs, 0)))
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

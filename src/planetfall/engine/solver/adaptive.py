"""The adaptive kernel: error control, event location, coasting in free flight.

Only accepted steps are counted, and the step size is kept between chunks, so that results do not depend on how a run is
cut into chunks.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.contact.far_bodies import path_used_up
from planetfall.engine.control.commands import controller_call, is_due, next_call, obey
from planetfall.engine.control.sensor_sampling import TIME_SLACK, sense
from planetfall.engine.mechanisms.chain import all_mechanisms
from planetfall.engine.motion.evaluation import monitored_rates
from planetfall.engine.solver.coast import coasts
from planetfall.engine.solver.contact_peaks import peaks_inside
from planetfall.engine.solver.dopri5 import dopri5, trial_struct
from planetfall.engine.solver.energy_rise import energy_monitor
from planetfall.engine.solver.events.mechanism_events import (
    after_step_of_bodies,
    events_in_effect,
    has_events,
)
from planetfall.engine.solver.stall import STEP_REFUSED, progress_judge
from planetfall.engine.solver.termination import CONTROLLER_ERROR, DIVERGED, RUNNING, termination
from planetfall.engine.solver.tolerance_relaxation import pace_judge
from planetfall.engine.solver.trial_step import MAX_ATTEMPTS, Aim, first_aim, tried_step
from planetfall.engine.state.batch import EVENT_CONTROLLER_ERROR, EVENT_STEP_REFUSED, evaluation_struct, structs
from planetfall.engine.state.recorder import recorder
from planetfall.engine.structure.assembly import Assembly
from planetfall.flight.commands import FAULT_NONE


@lru_cache
def state_after(assembly: Assembly) -> Any:
    """`@wp.func (t, h, t_branch, y, k1, params, batch, run) -> state a part h of the present step later`."""
    params, vector, is_coasting = assembly.params, assembly.layout.vector, assembly.plan.coasts
    batch_type, trial_step = structs(assembly)[0], dopri5(assembly)
    coast: Any = coasts(assembly).coast if is_coasting else None

    @wp.func
    def after(
        t: wp.float64, h: wp.float64, branch: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], p: wp.ref[params],
        batch: wp.ref[batch_type], run: int,
    ) -> vector:  # fmt: skip
        if wp.static(is_coasting):
            if batch.monitors.path[run] > wp.float64(0.0):
                return coast(t, h, branch, y, k1, p, batch.monitors.memory, run).y
        return trial_step(t, h, branch, y, k1, p, batch.monitors.memory, run).y

    return after


@lru_cache
def between_steps(assembly: Assembly, is_asked: bool = False) -> Any:
    """`@wp.func (t, t_break, h, y0, k0, y1, k1, params, batch, record, run, loaded) -> whether there is any peak`.

    Peaks (see `peaks_inside`, also of `is_asked`) and frames inside a step. Without a `loaded` point a single body has
    none to look for, nor have several that are all left out of contact. A frame on a tick of the record is a step of
    its own from the step's start, so that it has the method's accuracy and leaves the trajectory alone; where the step
    starts on the tick, it is the state there.
    """
    params, vector, is_recorded = assembly.params, assembly.layout.vector, assembly.is_recorded
    n_slots, is_alone = 1 + assembly.n_points, assembly.n_bodies == 1
    leaves_out = assembly.plan.leaves_out_bodies and not assembly.keeps_forces
    batch_type, record_type = structs(assembly)
    note_peaks, state_at = peaks_inside(assembly, is_asked), state_after(assembly)
    note_frame, normalise = recorder(assembly).frame, assembly.layout.normalise

    @wp.func(inline=assembly.plan.inlining_of_parts)
    def note(
        t: wp.float64, t_break: wp.float64, h: wp.float64, y0: wp.ref[vector], k0: wp.ref[vector],
        y1: wp.ref[vector], k1: wp.ref[vector], p: wp.ref[params], batch: wp.ref[batch_type],
        record: wp.ref[record_type], run: int, loaded: int,
    ) -> bool:  # fmt: skip
        branch = (t + t_break) * wp.float64(0.5)
        has_peaks = loaded > 0 or wp.static(not is_alone)
        if wp.static(leaves_out):
            has_peaks = batch.n_candidates[run] > 0
        if has_peaks:
            has_peaks = note_peaks(t, branch, h, y0, k0, y1, k1, p, batch.monitors, record, run)
        if wp.static(is_recorded):
            tick = record.tick[run]
            instant = wp.float64(tick) * record.interval
            while instant < t + h:
                side = y0
                if instant > t:
                    side = state_at(t, instant - t, branch, y0, k0, p, batch, run)
                else:
                    normalise(side)
                note_frame(record, batch.monitors, tick * wp.static(n_slots), run, instant, side)
                tick += 1
                instant = wp.float64(tick) * record.interval
            record.tick[run] = tick
        return has_peaks

    return note


@lru_cache
def samples_along(assembly: Assembly) -> Any:
    """`@wp.func (t, t_break, y, k1, h, params, batch, record, run)`: samples from t to before t + h, or at t if h = 0.

    Like a frame, a sample inside the step is a step of its own from its start.
    """
    params, vector = assembly.params, assembly.layout.vector
    batch_type, record_type = structs(assembly)
    trial_step, take_samples = dopri5(assembly), sense(assembly)

    @wp.func(inline=False)  # called from two places
    def sample(
        t: wp.float64, t_break: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], h: wp.float64, p: wp.ref[params],
        batch: wp.ref[batch_type], record: wp.ref[record_type], run: int,
    ):  # fmt: skip
        if batch.sensing.waits[run] == 1 and h > wp.float64(0.0):
            return
        branch = (t + t_break) * wp.float64(0.5)
        due = batch.sensing.due[run]
        while due <= t * TIME_SLACK or due < t + h:
            instant = wp.max(due, t)
            y_then = y
            slope_then = k1
            if instant > t * TIME_SLACK:
                side = trial_step(t, instant - t, branch, y, k1, p, batch.monitors.memory, run)
                y_then = side.y
                slope_then = side.slope
            take_samples(instant, y_then, slope_then, p, batch.sensing, record, run)
            due = batch.sensing.due[run]

    return sample


@lru_cache
def controller_at(assembly: Assembly) -> Any:
    """`@wp.func (t, t_break, y, slope, status, params, batch, record, run) -> (status, called)` after an evaluation.

    At an instant at which the controller is called, the sensors that are due are sampled first. `called` is 0 where it
    was not, 1 where its commands wait to be taken up, 2 where the host is to give them. A fault ends the run.
    """
    params, vector, (batch_type, record_type) = assembly.params, assembly.layout.vector, structs(assembly)
    has_sensors, call, sample_along = bool(assembly.sensors), controller_call(assembly), samples_along(assembly)
    note_event, body_state = recorder(assembly).event, assembly.layout.body

    @wp.func
    def ask(
        t: wp.float64, t_break: wp.float64, y: wp.ref[vector], slope: wp.ref[vector], status: wp.int32,
        p: wp.ref[params], batch: wp.ref[batch_type], record: wp.ref[record_type], run: int,
    ) -> wp.vec2i:  # fmt: skip
        if status != RUNNING:
            return wp.vec2i(status, 0)
        if batch.commands.fault[run] != FAULT_NONE:
            note_event(record, run, t, EVENT_CONTROLLER_ERROR, -1, t, body_state(y, 0).position)
            return wp.vec2i(CONTROLLER_ERROR, 0)
        if not is_due(t, p.control_period, batch.commands.tick[run]):
            return wp.vec2i(status, 0)
        if wp.static(has_sensors):
            sample_along(t, t_break, y, slope, wp.float64(0.0), p, batch, record, run)
        return wp.vec2i(status, 1 + call(t, p, batch.sensing, batch.commands, run))

    return ask


@lru_cache
def adaptive_advance(assembly: Assembly) -> Any:
    """`@wp.func (batch, params, record, run, max_steps, max_events)`: evaluates a run's state and steps on."""
    params, is_recorded = assembly.params, assembly.is_recorded
    batch_type, record_type = structs(assembly)
    evaluate_now, status_now = monitored_rates(assembly), termination(assembly)
    judge_progress, judge_pace = progress_judge(assembly), pace_judge(assembly)
    note_energy = energy_monitor(assembly)
    begin, attempt, first_break = first_aim(assembly), tried_step(assembly), all_mechanisms(assembly, "next_break")
    evaluation_type, trial_type = evaluation_struct(assembly.layout.vector), trial_struct(assembly.layout.vector)
    note_between, note_event = between_steps(assembly), recorder(assembly).event
    has_sensors, sample_along = bool(assembly.sensors), samples_along(assembly)
    is_coasting = assembly.plan.coasts
    changes, change_after_step = assembly.changes_after_steps, after_step_of_bodies(assembly)
    free_path: Any = coasts(assembly).path if is_coasting else None
    is_flown, take_commands, call_after, ask_controller = (
        assembly.flight.is_flown, obey(assembly), next_call(assembly), controller_at(assembly)
    )  # fmt: skip
    is_watched, put_into_effect = has_events(assembly), events_in_effect(assembly)
    may_crash, books, booking = assembly.may_crash, assembly.books, assembly.booked_index
    leaves_out, use_path = assembly.plan.leaves_out_bodies, path_used_up(assembly)

    @wp.func
    def advance(
        batch: wp.ref[batch_type],
        p: wp.ref[params],
        record: wp.ref[record_type],
        run: int,
        max_steps: int,
        max_events: int,
    ):
        y = batch.state[run]
        t = batch.time[run]
        n = batch.steps[run]
        status = RUNNING
        last = n + max_steps
        t_break = wp.float64(t)
        evaluation = evaluation_type()
        trial = trial_type()
        aim = Aim()
        while n < last and status == RUNNING:
            is_anew = int(0)
            if aim.attempts == 0:
                t_break = wp.min(first_break(p.mechanisms, t), p.step.duration)
                if wp.static(is_flown):
                    if batch.commands.pending[run] == 1:
                        take_commands(t, y, p, batch.commands, run)
                    t_break = wp.min(t_break, call_after(t, p, batch.commands, run))
                if wp.static(changes):
                    change_after_step(y, p, t)
                if wp.static(is_watched):
                    put_into_effect(t, (t + t_break) * wp.float64(0.5), y, p)
                if wp.static(is_coasting):
                    batch.monitors.path[run] = free_path(p, y, batch.try_step[run], batch.monitors.memory, run)
                evaluation = evaluate_now(t, (t + t_break) * wp.float64(0.5), y, p, batch.monitors, record, run)
                if wp.static(books):
                    y[booking] += evaluation.booked
                status = status_now(t, y, p, batch.monitors, record, run, evaluation)
                status = judge_progress(t, n, y, status, p, batch, record, run)
                if status != DIVERGED:
                    note_energy(t, y, p, batch.monitors.energy, run, evaluation, batch.looseness[run])
                judge_pace(t, n, y, status, p, batch, record, run)
                aim = begin(t, y, evaluation.slope, t_break, p, batch, run)
                if wp.static(is_recorded):
                    if record.event_count[run] > max_events:
                        last = n + 1
                if wp.static(is_flown):
                    asked = ask_controller(t, t_break, y, evaluation.slope, status, p, batch, record, run)
                    status = asked[0]
                    is_anew = asked[1]  # with the commands
                    if asked[1] == 2:
                        last = n
                if wp.static(may_crash):
                    is_anew = wp.max(is_anew, evaluation.is_broken)  # without the forces on what was stopped
            if status == RUNNING and is_anew == 0:
                aim.attempts += 1
                if attempt(t, y, evaluation.slope, t_break, aim, trial, p, batch, run) == 1:
                    note_between(
                        t, t_break, aim.h, y, evaluation.slope, trial.y, trial.slope, p, batch, record, run,
                        evaluation.loaded,
                    )  # fmt: skip
                    if wp.static(has_sensors):
                        sample_along(t, t_break, y, evaluation.slope, aim.h, p, batch, record, run)
                    if wp.static(leaves_out):
                        use_path(y, trial.y, aim.h, batch.monitors.memory, run)
                    y = trial.y
                    n += 1
                    if aim.h == t_break - t:
                        t = t_break
                    else:
                        t = t + aim.h
                    aim.attempts = 0
                elif aim.attempts == wp.static(MAX_ATTEMPTS):
                    status = STEP_REFUSED
                    position = wp.vec3d(y[0], y[1], y[2])
                    note_event(record, run, t, EVENT_STEP_REFUSED, -1, batch.try_step[run], position)
            if wp.static(has_sensors):
                if status != RUNNING and status != DIVERGED and batch.sensing.waits[run] == 0:
                    sample_along(t, t_break, y, evaluation.slope, wp.float64(0.0), p, batch, record, run)
        batch.state[run] = y
        batch.time[run] = t
        batch.steps[run] = n
        batch.status[run] = status

    return advance

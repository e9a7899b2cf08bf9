"""The adaptive kernel: error control, event location, coasting in free flight.

Only accepted steps are counted, and the step size is kept between chunks, so that results do not depend on how a run is
cut into chunks.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import warp as wp

from planetfall.engine.contact.far_bodies import path_used_up
from planetfall.engine.control.commands import controller_call, is_due, next_call, obey
from planetfall.engine.control.sensor_sampling import TIME_SLACK, sense
from planetfall.engine.motion.equations import monitored_rates
from planetfall.engine.solver.coast import coasts
from planetfall.engine.solver.dopri5 import dopri5, error_norm, hermite, step_factor, trial_struct
from planetfall.engine.solver.energy_rise import energy_monitor
from planetfall.engine.solver.events.broad_phase_adaptive import coast_taker, step_taker
from planetfall.engine.solver.events.contact_events import mode_change_finder
from planetfall.engine.solver.events.mechanism_events import (
    after_step_of_bodies,
    events_in_effect,
    first_event,
    has_events,
    next_break,
)
from planetfall.engine.solver.events.point_scan import MIDDLE, NO_EVENT, nothing_found, place_blur
from planetfall.engine.solver.pace import FAR_OFF, pace_judge
from planetfall.engine.solver.peaks import peaks_inside
from planetfall.engine.solver.progress import STEP_REFUSED, progress_judge
from planetfall.engine.solver.termination import CONTROLLER_ERROR, DIVERGED, RUNNING, termination
from planetfall.engine.state.batch import EVENT_CONTROLLER_ERROR, EVENT_STEP_REFUSED, evaluation_struct, structs
from planetfall.engine.state.recorder import recorder
from planetfall.engine.structure.assembly import Assembly
from planetfall.flight.commands import FAULT_NONE

MAX_ATTEMPTS = 100
"""Trials of one step before the run is given up; a touchdown takes about ten."""
MANY_ATTEMPTS = wp.constant(20)
"""Trials after which a step is halved instead of being aimed at an event: it then ends before it (assumed)."""


@lru_cache
def event_tolerance(assembly: Assembly) -> Any:
    """`@wp.func (y, slope, wanted step, params) -> how closely an event is bracketed [s]`.

    At least the time in which the first body moves by some roundings of its position: in less, far from the origin, a
    slow vehicle would not move at all, and stand before the same edge of the ground for ever. At most a tenth of the
    step that the errors allow.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body

    @wp.func
    def tolerance_of(y: wp.ref[vector], slope: wp.ref[vector], wanted: wp.float64, p: wp.ref[params]) -> wp.float64:
        state = body_state(y, 0)
        blur = place_blur(state)
        pace = wp.length(state.velocity) + wp.length(state.omega_B) * p.step.length
        push = wp.length(wp.vec3d(slope[3], slope[4], slope[5]))
        turn = wp.length(wp.vec3d(slope[10], slope[11], slope[12]))
        gained = wp.sqrt(wp.float64(2.0) * blur * (push + turn * p.step.length))
        if blur > (pace + gained) * p.step.location:
            allowed = wp.max(wp.float64(0.1) * wanted, p.step.location)
            return allowed if blur > (pace + gained) * allowed else blur / (pace + gained)
        return p.step.location

    return tolerance_of


@wp.struct
class Aim:
    """The step that is being attempted.

    `h` [s]: to be tried next; `wanted` [s]: by the error control; `location` [s]: how closely events are bracketed;
    `factor`: by how much the last trial's error would change the step; `attempts`: number of trials so far, 0 between
    steps.
    """

    h: wp.float64
    wanted: wp.float64
    location: wp.float64
    factor: wp.float64
    attempts: wp.int32


@lru_cache
def first_aim(assembly: Assembly) -> Any:
    """`@wp.func (t, y, k1, t_break, params, batch, run) -> Aim` with which a step begins."""
    params, vector, batch_type = assembly.params, assembly.layout.vector, structs(assembly)[0]
    tolerance_of, is_coasting = event_tolerance(assembly), assembly.plan.coasts
    coast_time: Any = coasts(assembly).coast_time if is_coasting else None
    has_steps = assembly.flight.has_steps

    @wp.func
    def aim(
        t: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], t_break: wp.float64, p: wp.ref[params],
        batch: wp.ref[batch_type], run: int,
    ) -> Aim:  # fmt: skip
        out = Aim()
        out.wanted = batch.try_step[run]
        out.h = out.wanted
        out.location = tolerance_of(y, k1, out.wanted, p)
        if wp.static(is_coasting):
            if batch.monitors.path[run] > wp.float64(0.0):
                out.h = coast_time(p, y, k1, batch.monitors.path[run])
        if wp.static(has_steps):
            out.h = wp.min(out.h, batch.commands.step[run])
        out.h = wp.min(out.h, t_break - t)
        return out

    return aim


@lru_cache
def tried_coast(assembly: Assembly) -> Any:
    """`@wp.func (t, y, k1, t_break, aim, trial, params, batch, run) -> 1 if a coast of aim.h stays in free path`."""
    if not assembly.plan.coasts:
        return None
    params, vector, coast = assembly.params, assembly.layout.vector, coasts(assembly).coast
    batch_type, trial_type, take = structs(assembly)[0], trial_struct(vector), coast_taker(assembly)

    @wp.func
    def attempt(
        t: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], t_break: wp.float64, aim: wp.ref[Aim],
        trial: wp.ref[trial_type], p: wp.ref[params], batch: wp.ref[batch_type], run: int,
    ) -> wp.int32:  # fmt: skip
        m = batch.monitors
        tried = coast(t, aim.h, (t + t_break) * wp.float64(0.5), y, k1, p, m.memory, run)
        if tried.is_done == 1 and tried.error <= wp.float64(1.0) and tried.path < m.path[run]:
            take(batch, run)
            trial.y = tried.y
            return 1
        aim.h = aim.h * wp.min(step_factor(tried.error), wp.float64(0.7))
        return 0

    return attempt


class Attempt(NamedTuple):
    """One attempt at a step in three parts, around the search for mode changes.

    `try_out(t, y, k1, t_break, aim, trial, params, common, batch, run) -> 1 if a step of aim.h meets the tolerance`, or
    a shorter one is aimed at, `common` being parameters that are the same but for `step.speed`; `is_close(theta, aim)
    -> 1 if it ends where the first mode change is`, at theta, or one that does is aimed at; `accept(aim, params, batch,
    run)`: it is taken.
    """

    try_out: Any
    is_close: Any
    accept: Any


@lru_cache
def attempting(assembly: Assembly) -> Attempt:
    """The functions of an assembly."""
    params, vector = assembly.params, assembly.layout.vector
    batch_type, trial_type = structs(assembly)[0], trial_struct(vector)
    trial_step, norm, take = dopri5(assembly), error_norm(assembly), step_taker(assembly)

    @wp.func
    def try_out(
        t: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], t_break: wp.float64, aim: wp.ref[Aim],
        trial: wp.ref[trial_type], p: wp.ref[params], common: wp.ref[params], batch: wp.ref[batch_type], run: int,
    ) -> wp.int32:  # fmt: skip
        h = wp.float64(aim.h)
        trial = trial_step(t, h, (t + t_break) * wp.float64(0.5), y, k1, common, batch.monitors.memory, run)
        error = norm(p, h, y, trial.error) / batch.looseness[run]
        aim.factor = step_factor(error)
        if error > wp.float64(1.0):
            if error > FAR_OFF:
                batch.n_far_off[run] = batch.n_far_off[run] + 1
            aim.h = h * wp.min(aim.factor, wp.float64(0.9))
            aim.wanted = aim.h
            return 0
        return 1

    @wp.func
    def is_close(theta: wp.float64, aim: wp.ref[Aim]) -> wp.int32:
        if theta == NO_EVENT or (wp.float64(1.0) - theta) * aim.h <= aim.location:
            return 1
        if aim.attempts > MANY_ATTEMPTS:  # a force that jumps inside the step: its length moves the event along with it
            aim.h = wp.float64(0.5) * aim.h
        else:  # just past the event, so that the next trial brackets it closely
            aim.h = theta * aim.h + wp.float64(0.5) * aim.location
        return 0

    @wp.func
    def accept(aim: wp.ref[Aim], p: wp.ref[params], batch: wp.ref[batch_type], run: int):
        if aim.h >= aim.wanted:
            aim.wanted = wp.min(aim.h * aim.factor, p.step.step)
        batch.try_step[run] = aim.wanted
        take(p, batch, run)

    return Attempt(try_out, is_close, accept)


@lru_cache
def tried_step(assembly: Assembly) -> Any:
    """`@wp.func (t, y, k1, t_break, aim, trial, params, batch, run) -> 1 if a step of aim.h meets tolerance, events`.

    One attempt: where a GPU takes a thread for each run, those whose step is taken go on to their next one, and do not
    wait for a run that tries ten times to land on a touchdown.
    """
    params, vector = assembly.params, assembly.layout.vector
    batch_type, trial_type = structs(assembly)[0], trial_struct(vector)
    find, (try_out, is_close, accept) = mode_change_finder(assembly), attempting(assembly)
    is_watched, find_event = has_events(assembly), first_event(assembly)
    list_broad_phase, scan_apart, first = find.list_broad_phase, find.scan, find.first
    has_broad_phase = list_broad_phase is not None
    is_coasting, try_coast = assembly.plan.coasts, tried_coast(assembly)

    @wp.func
    def attempt(
        t: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], t_break: wp.float64, aim: wp.ref[Aim],
        trial: wp.ref[trial_type], p: wp.ref[params], batch: wp.ref[batch_type], run: int,
    ) -> wp.int32:  # fmt: skip
        if wp.static(is_coasting):
            if batch.monitors.path[run] > wp.float64(0.0):
                return try_coast(t, y, k1, t_break, aim, trial, p, batch, run)
        if try_out(t, y, k1, t_break, aim, trial, p, p, batch, run) == 0:
            return 0
        scan = nothing_found()
        if wp.static(has_broad_phase):
            list_broad_phase(aim.h, y, k1, trial, p, batch, run)
            scan = scan_apart(aim.h, y, k1, trial, p, batch, run)
        theta = first(scan, aim.h, aim.location, y, k1, trial, p, batch, run)
        if wp.static(is_watched):
            branch = (t + t_break) * wp.float64(0.5)
            theta = wp.min(theta, find_event(t, aim.h, branch, aim.location, y, k1, trial, p))
        if is_close(theta, aim) == 0:
            return 0
        accept(aim, p, batch, run)
        return 1

    return attempt


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
def between_steps(assembly: Assembly) -> Any:
    """`@wp.func (t, t_break, y, k1, h, trial, params, batch, record, run, loaded)`: peaks and frames inside a step.

    Without a `loaded` point a single body has no peaks to look for; nor have several that are all left out of contact.
    A frame on a tick of the record is a step of its own from the step's start, so that it has the method's accuracy and
    leaves the trajectory alone; where the step starts on the tick, it is the state there.
    """
    params, vector, is_recorded = assembly.params, assembly.layout.vector, assembly.is_recorded
    n_slots, is_alone = 1 + assembly.n_points, assembly.n_bodies == 1
    leaves_out = assembly.plan.leaves_out_bodies and not assembly.keeps_forces
    batch_type, record_type = structs(assembly)
    at, note_peaks, trial_type = hermite(vector, is_inlined=True), peaks_inside(assembly), trial_struct(vector)
    note_frame, normalise = recorder(assembly).frame, assembly.layout.normalise
    state_at = state_after(assembly)

    @wp.func(inline=assembly.plan.inlining_of_parts)
    def note(
        t: wp.float64, t_break: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], h: wp.float64,
        trial: wp.ref[trial_type], p: wp.ref[params], batch: wp.ref[batch_type], record: wp.ref[record_type], run: int,
        loaded: int,
    ):  # fmt: skip
        branch = (t + t_break) * wp.float64(0.5)
        has_peaks = loaded > 0 or wp.static(not is_alone)
        if wp.static(leaves_out):
            has_peaks = batch.n_candidates[run] > 0
        if has_peaks:
            sample = at(MIDDLE, h, y, k1, trial.y, trial.slope)
            normalise(sample)
            note_peaks(t + MIDDLE * h, sample, p, batch.monitors, record, run)
        if wp.static(is_recorded):
            tick = record.tick[run]
            instant = wp.float64(tick) * record.interval
            while instant < t + h:
                side = y
                if instant > t:
                    side = state_at(t, instant - t, branch, y, k1, p, batch, run)
                else:
                    normalise(side)
                note_frame(record, batch.monitors, tick * wp.static(n_slots), run, instant, side)
                tick += 1
                instant = wp.float64(tick) * record.interval
            record.tick[run] = tick

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
    begin, attempt, first_break = first_aim(assembly), tried_step(assembly), next_break(assembly)
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
                t_break = wp.min(first_break(p, t), p.step.duration)
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
                        t, t_break, y, evaluation.slope, aim.h, trial, p, batch, record, run, evaluation.loaded
                    )
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

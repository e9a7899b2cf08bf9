"""One attempt at an adaptive step: a trial of some length is taken, or a shorter one is aimed at.

Its error decides, and the first event in it, just past which the next trial ends.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import warp as wp

from planetfall.engine.solver.coast import coasts
from planetfall.engine.solver.dopri5 import dopri5, error_norm, step_factor, trial_struct
from planetfall.engine.solver.events.broad_phase_adaptive import coast_taker, step_taker
from planetfall.engine.solver.events.contact_events import mode_change_finder
from planetfall.engine.solver.events.mechanism_events import (
    first_event,
    has_events,
)
from planetfall.engine.solver.events.point_scan import NO_EVENT, nothing_found, place_blur
from planetfall.engine.solver.tolerance_relaxation import FAR_OFF
from planetfall.engine.state.batch import structs
from planetfall.engine.structure.assembly import Assembly

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

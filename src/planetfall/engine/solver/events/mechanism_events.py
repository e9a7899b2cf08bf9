"""The events of mechanisms: which there are, where along a trial step they are, and putting them into effect.

What mechanisms do between steps, body by body, is such an event where an adaptive step has to end for it. Instants that
are known beforehand are *breaks*.

The number of an event (see `LocatedEvent`) is sampled on the step's cubic Hermite interpolant: at its start, in its
middle, at its end, and where the parabola through the three is lowest, so that a line that goes taut for a moment is
not stepped over. Where it falls to zero between two samples, the instant is bracketed on the interpolant, by false
position with the Illinois rule (DowellJarratt1971). As with contact modes, that is a first guess: the caller takes the
step anew to just past it, and the interpolant is exact at the end of a step.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.body.environment import environment_of
from planetfall.engine.mechanisms.chain import FAR, all_mechanisms, events_of_mechanisms, owners_of
from planetfall.engine.solver.dopri5 import hermite, trial_struct
from planetfall.engine.solver.end_altitude import descent_event
from planetfall.engine.solver.events.point_scan import MIDDLE, NO_EVENT
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.mechanism import LocatedEvent

HALVING = 4
"""Every so many probes one is in the middle of what is left: at worst it takes so many times as many as by halving."""
N_PROBES = 50 * HALVING
BRACKET = wp.constant(wp.float64(0.125))
"""How closely an event is bracketed on the interpolant, of how closely it has to be (assumed)."""


@lru_cache
def after_step_of_bodies(assembly: Assembly, i_body: int = 0) -> Any:
    """`@wp.func (y, params, t)`: what the mechanisms of this body and those after it do between steps."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    environment_at, change = environment_of(assembly, i_body), all_mechanisms(assembly, "after_step", i_body)
    is_last, is_changed = i_body + 1 == assembly.n_bodies, bool(owners_of(assembly, "after_step", i_body))
    rest: Any = None if is_last else after_step_of_bodies(assembly, i_body + 1)

    @wp.func(inline=assembly.plan.inlining_of_parts if i_body == 0 else None)
    def after_step(y: wp.ref[vector], p: wp.ref[params], t: wp.float64):
        if wp.static(is_changed):
            state = body_state(y, wp.static(i_body))
            environment = environment_at(p, y, state)
            change(y, p.mechanisms, wp.static(i_body), t, state, environment)
        if wp.static(not is_last):
            rest(y, p, t)

    return after_step


@lru_cache
def margin_of_bodies(assembly: Assembly, i_body: int = 0) -> Any:
    """`@wp.func (body, t, t_branch, y, params) -> margin` of the mechanisms of a body, from this one on.

    A body's surroundings cost as much as the forces on it in a stage, so that they are not looked at where nothing is
    ahead: for nearly all of a flight whose parts are released by commands.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    environment_at, own = environment_of(assembly, i_body), all_mechanisms(assembly, "margin", i_body)
    owners, is_ahead = owners_of(assembly, "margin", i_body), all_mechanisms(assembly, "awaits", i_body)
    is_last, is_awaited = i_body + 1 == assembly.n_bodies, bool(owners)
    tells = owners == owners_of(assembly, "awaits", i_body)
    rest: Any = None if is_last else margin_of_bodies(assembly, i_body + 1)

    @wp.func(inline=assembly.plan.inlining_of_parts if i_body == 0 else None)
    def margin(b: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]) -> wp.float64:
        if b == wp.static(i_body):
            if wp.static(tells):
                if is_ahead(p.mechanisms, y, wp.static(i_body)) <= 0:
                    return wp.float64(FAR)
            if wp.static(is_awaited):
                state = body_state(y, wp.static(i_body))
                environment = environment_at(p, y, state)
                return own(p.mechanisms, y, wp.static(i_body), t, t_branch, state, environment)
            return wp.float64(FAR)
        if wp.static(not is_last):
            return rest(b, t, t_branch, y, p)
        return wp.float64(FAR)

    return margin


@lru_cache
def located_events(assembly: Assembly) -> tuple[LocatedEvent, ...]:
    """The events of an assembly's mechanisms, in the order in which they are put into effect at an instant."""
    own = events_of_mechanisms(assembly)
    margins = (margin_event(assembly),) if any(m.margin is not None for m in assembly.mechanisms) else ()
    descent = (descent_event(assembly),) if assembly.has_end_altitude else ()
    return (*own, *margins, *descent)


@lru_cache
def margin_event(assembly: Assembly) -> LocatedEvent:
    """What mechanisms do between steps, as an event of each body: its margin is used up."""
    params, vector, change = assembly.params, assembly.layout.vector, after_step_of_bodies(assembly)

    @wp.func
    def act(i: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]):
        change(y, p, t)

    return LocatedEvent("what mechanisms do between steps", assembly.n_bodies, margin_of_bodies(assembly), act)


def has_events(assembly: Assembly) -> bool:
    """Whether any mechanism of an assembly has events."""
    return bool(located_events(assembly))


@wp.func
def lowest_of_three(first: wp.float64, middle: wp.float64, last: wp.float64) -> wp.float64:
    """Fraction of a step at which the parabola through its numbers at 0, 1/2 and 1 is lowest; 0 or 1 at an end."""
    bend = wp.float64(2.0) * (first - wp.float64(2.0) * middle + last)
    slope = wp.float64(4.0) * middle - wp.float64(3.0) * first - last
    if bend <= wp.float64(0.0) or slope >= wp.float64(0.0):
        return wp.where(last < first, wp.float64(1.0), wp.float64(0.0))
    return wp.min(-slope / (wp.float64(2.0) * bend), wp.float64(1.0))


@lru_cache
def event_bracket(assembly: Assembly, event: LocatedEvent) -> Any:
    """`@wp.func (i, low, high, values there, close, t, h, t_branch, y, k1, trial, params) -> theta`, just past it."""
    params, vector = assembly.params, assembly.layout.vector
    trial_type, at, value = trial_struct(vector), hermite(vector), event.value

    @wp.func(inline=False)
    def bracket(
        i: int, low: wp.float64, high: wp.float64, above: wp.float64, below: wp.float64, close: wp.float64,
        t: wp.float64, h: wp.float64, t_branch: wp.float64, y: wp.ref[vector], k1: wp.ref[vector],
        trial: wp.ref[trial_type], p: wp.ref[params],
    ) -> wp.float64:  # fmt: skip
        a = wp.float64(low)
        b = wp.float64(high)
        value_a = wp.float64(above)
        value_b = wp.float64(below)
        half = wp.float64(0.5)
        least = half * close / h
        moved = int(0)
        probe = int(0)
        while probe < wp.static(N_PROBES) and (b - a) * h > close:
            theta = (a + b) * half
            if value_a > value_b and probe % wp.static(HALVING) != wp.static(HALVING - 1):
                theta = wp.clamp(b - value_b * (b - a) / (value_b - value_a), a + least, b - least)
            sample = at(theta, h, y, k1, trial.y, trial.slope)
            found = value(i, t + theta * h, t_branch, sample, p)
            if found > wp.float64(0.0):
                a = theta
                value_a = found
                if moved == -1:
                    value_b = value_b * half
                moved = -1
            else:
                b = theta
                value_b = found
                if moved == 1:
                    value_a = value_a * half
                moved = 1
            probe += 1
        return b

    return bracket


@lru_cache
def first_event(assembly: Assembly) -> Any:
    """`@wp.func (t, h, t_branch, tolerance, y, k1, trial, params) -> theta` in (0, 1], or NO_EVENT.

    Just past the first event, by `tolerance` [s] at most.
    """
    params, vector, first_of_all = assembly.params, assembly.layout.vector, _first_of_kinds(assembly)
    trial_type, at = trial_struct(vector), hermite(vector)

    @wp.func
    def first(
        t: wp.float64, h: wp.float64, t_branch: wp.float64, tolerance: wp.float64, y: wp.ref[vector],
        k1: wp.ref[vector], trial: wp.ref[trial_type], p: wp.ref[params],
    ) -> wp.float64:  # fmt: skip
        middle = at(MIDDLE, h, y, k1, trial.y, trial.slope)
        return first_of_all(t, h, t_branch, tolerance, y, k1, trial, middle, p)

    return first


@lru_cache
def _first_of_kinds(assembly: Assembly, i_event: int = 0) -> Any:
    """`first_event` of this kind and those after it, from the state in the `middle` of the step as well.

    Kinds are chained, each function calling the next, as the bodies are in `motion.equations`.
    """
    params, vector, kinds = assembly.params, assembly.layout.vector, located_events(assembly)
    trial_type, at = trial_struct(vector), hermite(vector)

    if i_event == len(kinds):
        return None
    value, bracket = kinds[i_event].value, event_bracket(assembly, kinds[i_event])
    n_events, rest = kinds[i_event].count, _first_of_kinds(assembly, i_event + 1)
    is_last = rest is None

    @wp.func(inline=False)
    def first(
        t: wp.float64, h: wp.float64, t_branch: wp.float64, tolerance: wp.float64, y: wp.ref[vector],
        k1: wp.ref[vector], trial: wp.ref[trial_type], middle: wp.ref[vector], p: wp.ref[params],
    ) -> wp.float64:  # fmt: skip
        zero = wp.float64(0.0)
        close = BRACKET * tolerance
        theta = wp.float64(NO_EVENT)
        if wp.static(not is_last):
            theta = rest(t, h, t_branch, tolerance, y, k1, trial, middle, p)
        i = int(0)
        while i < wp.static(n_events):
            start = value(i, t, t_branch, y, p)
            half = value(i, t + MIDDLE * h, t_branch, middle, p)
            end = value(i, t + h, t_branch, trial.y, p)
            found = wp.float64(NO_EVENT)
            dip = lowest_of_three(start, half, end)
            low = zero
            above = start
            if half > zero and dip > MIDDLE:
                low = wp.float64(MIDDLE)
                above = half
            if start <= zero:
                found = NO_EVENT
            elif half <= zero:
                found = bracket(i, zero, MIDDLE, start, half, close, t, h, t_branch, y, k1, trial, p)
            else:
                if dip > zero and dip < wp.float64(1.0):
                    sample = at(dip, h, y, k1, trial.y, trial.slope)
                    least = value(i, t + dip * h, t_branch, sample, p)
                    if least <= zero:
                        found = bracket(i, low, dip, above, least, close, t, h, t_branch, y, k1, trial, p)
                if found == NO_EVENT and end <= zero:
                    found = bracket(i, MIDDLE, wp.float64(1.0), half, end, close, t, h, t_branch, y, k1, trial, p)
            theta = wp.min(theta, found)
            i += 1
        return theta

    return first


@lru_cache
def events_in_effect(assembly: Assembly, i_event: int = 0) -> Any:
    """`@wp.func (t, t_branch, y, params)`: at a step's start, puts into effect what has happened, kind after kind."""
    params, vector, kinds = assembly.params, assembly.layout.vector, located_events(assembly)

    if i_event == len(kinds):
        return None
    value, act, n_events = kinds[i_event].value, kinds[i_event].act, kinds[i_event].count
    rest = events_in_effect(assembly, i_event + 1)
    is_last = rest is None

    @wp.func
    def effect(t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]):
        i = int(0)
        while i < wp.static(n_events):
            if value(i, t, t_branch, y, p) <= wp.float64(0.0):
                act(i, t, t_branch, y, p)
            i += 1
        if wp.static(not is_last):
            rest(t, t_branch, y, p)

    return effect

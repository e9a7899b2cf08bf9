"""Finding where along a trial step a contact point leaves the branch of the law that the step has frozen.

The step is looked at on its cubic Hermite interpolant, at two instants and at every predicted low point of a gap in
between, so that a graze is not stepped over. The instant found is a first guess: the caller retakes the step to it,
and as the interpolant is exact at the end of a step, repeating this converges quickly.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.contact.model import MODE_APART
from planetfall.engine.assembly import Assembly
from planetfall.engine.batch import structs
from planetfall.engine.dopri5 import hermite, trial_struct
from planetfall.engine.near_points import near_lister
from planetfall.engine.sight import seen_from_body
from planetfall.vehicle.body import BodyState

N_SAMPLES = 2
SAMPLE_WIDTH = wp.constant(wp.float64(1.0 / N_SAMPLES))
N_HALVINGS = 50
ROUNDINGS = wp.constant(wp.float64(16 * 2.0**-52))
"""How closely a place is known, relative to its distance from the origin: nearer than this nothing is located."""
NO_SWITCH = wp.constant(wp.float64(2.0))
NO_PLACE = wp.constant(-1)


@wp.func
def kept_mode_gap(gap: wp.float64, mode: wp.int32, state: BodyState) -> wp.float64:
    """The gap [m] by which to judge whether a point leaves its mode: in doubt, by rounding, it does not.

    Or a point that hardly moves off the ground would be found on either side of it in turn, a step for each.
    """
    blur = ROUNDINGS * wp.length(state.position)
    return wp.where(mode == MODE_APART, gap + blur, gap - blur)


@lru_cache
def modes_differ(assembly: Assembly, i_body: int = 0) -> Any:
    """`@wp.func (y, begin, end, with_apart, params, modes, near, run) -> place in the list of a point off its mode`.

    The first one, NO_PLACE where there is none, of the points listed in `near` from `begin` to before `end`; those that
    are apart count if asked for.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body

    if i_body == assembly.n_bodies:

        @wp.func
        def none(
            y: wp.ref[vector], begin: int, end: int, with_apart: int, p: wp.ref[params],
            modes: wp.array2d(dtype=wp.int32), near: wp.array2d(dtype=wp.int32), run: int,
        ) -> wp.int32:  # fmt: skip
            return NO_PLACE

        return none
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    law_mode, rest = assembly.law_mode, modes_differ(assembly, i_body + 1)
    look_down, ground_of = seen_from_body(assembly)

    @wp.func(inline=False)
    def differ(
        y: wp.ref[vector], begin: int, end: int, with_apart: int, p: wp.ref[params],
        modes: wp.array2d(dtype=wp.int32), near: wp.array2d(dtype=wp.int32), run: int,
    ) -> wp.int32:  # fmt: skip
        state = body_state(y, wp.static(i_body))
        below = look_down(p, state)
        velocity_B = wp.transpose(state.R_SB) * state.velocity
        place = wp.max(begin, wp.static(first))
        stop = wp.min(end, wp.static(last))
        while place < stop:
            j = near[place, run]
            mode = modes[j, run]
            if mode != MODE_APART or with_apart == 1:
                velocity = velocity_B + wp.cross(state.omega_B, p.points_B[j])
                ground = ground_of(p, state, below, j, run)
                ground.gap = kept_mode_gap(ground.gap, mode, state)
                if law_mode(p.law, wp.static(i_body), ground, velocity) != mode:
                    return place
            place += 1
        return rest(y, begin, end, with_apart, p, modes, near, run)

    return differ


@wp.func
def lowest_between(g0: wp.float64, d0: wp.float64, g1: wp.float64, d1: wp.float64) -> wp.float64:
    """Fraction of an interval at which the cubic through (g0, slope d0) and (g1, slope d1), d0 < 0 < d1, is lowest."""
    a = wp.float64(6.0) * (g0 - g1) + wp.float64(3.0) * (d0 + d1)
    b = wp.float64(6.0) * (g1 - g0) - wp.float64(4.0) * d0 - wp.float64(2.0) * d1
    root = wp.sqrt(wp.max(b * b - wp.float64(4.0) * a * d0, wp.float64(0.0)))
    return wp.clamp(-wp.float64(2.0) * d0 / (b + root), wp.float64(0.0), wp.float64(1.0))


@wp.struct
class Low:
    """Points that are apart, over a span.

    `fraction` of it at which a gap is lowest, or NO_SWITCH; `entered`: place of one that is in the ground, or NO_PLACE.
    """

    fraction: wp.float64
    entered: wp.int32


@lru_cache
def lowest_gap(assembly: Assembly, i_body: int = 0) -> Any:
    """`@wp.func (y, span, params, batch, run, is_first) -> Low`.

    The span ends at y. Only points that are apart count, of this body and those after it. Leaves gap and gap rate at y
    in the batch's scratch for the next call.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    batch_type, _ = structs(assembly)

    if i_body == assembly.n_bodies:

        @wp.func
        def none(
            y: wp.ref[vector], span: wp.float64, p: wp.ref[params], batch: batch_type, run: int,
            is_first: int,
        ) -> Low:  # fmt: skip
            out = Low()
            out.fraction = NO_SWITCH
            out.entered = NO_PLACE
            return out

        return none
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    rest, law_mode = lowest_gap(assembly, i_body + 1), assembly.law_mode
    look_down, ground_of = seen_from_body(assembly)

    @wp.func
    def low(
        y: wp.ref[vector], span: wp.float64, p: wp.ref[params], batch: batch_type, run: int,
        is_first: int,
    ) -> Low:  # fmt: skip
        out = rest(y, span, p, batch, run, is_first)
        state = body_state(y, wp.static(i_body))
        below = look_down(p, state)
        velocity_B = wp.transpose(state.R_SB) * state.velocity
        place = int(wp.static(first))
        stop = wp.min(batch.n_near[run], wp.static(last))
        while place < stop:
            j = batch.near[place, run]
            if batch.monitors.memory.modes[j, run] == MODE_APART:
                point_B = p.points_B[j]
                ground = ground_of(p, state, below, j, run)
                ground.gap = kept_mode_gap(ground.gap, MODE_APART, state)
                velocity = velocity_B + wp.cross(state.omega_B, point_B)
                rate = wp.dot(velocity, ground.normal)
                if law_mode(p.law, wp.static(i_body), ground, velocity) != MODE_APART:
                    out.entered = place
                before = batch.gap[j, run]
                rate_before = batch.gap_rate[j, run]
                if is_first == 0 and rate_before < wp.float64(0.0) and rate > wp.float64(0.0):
                    s = lowest_between(before, rate_before * span, ground.gap, rate * span)
                    out.fraction = wp.min(out.fraction, s)
                batch.gap[j, run] = ground.gap
                batch.gap_rate[j, run] = rate
            place += 1
        return out

    return low


@lru_cache
def first_switch(assembly: Assembly) -> Any:
    """`@wp.func (h, closeness, y, k1, trial, params, batch, run) -> theta`.

    In (0, 1], just past the first switch, by `closeness` [s] at most; or NO_SWITCH.
    """
    params, vector = assembly.params, assembly.layout.vector
    batch_type, _ = structs(assembly)
    trial_type = trial_struct(vector)
    at, differ, low, list_near = hermite(vector), modes_differ(assembly), lowest_gap(assembly), near_lister(assembly)

    @wp.func(inline=False)
    def narrow(
        low_end: wp.float64, high_end: wp.float64, close: wp.float64, h: wp.float64, first_found: wp.int32,
        y: wp.ref[vector], k1: wp.ref[vector], trial: wp.ref[trial_type], p: wp.ref[params],
        modes: wp.array2d(dtype=wp.int32), near: wp.array2d(dtype=wp.int32), n_near: int, run: int,
    ) -> wp.float64:  # fmt: skip
        """By halving for one point that is off its mode at the high end, then for any that is so before it."""
        place = wp.int32(first_found)
        b = wp.float64(high_end)
        while place != NO_PLACE:
            a = wp.float64(low_end)
            i = int(0)
            while i < wp.static(N_HALVINGS) and (b - a) * h > close:
                middle = (a + b) * wp.float64(0.5)
                sample = at(middle, h, y, k1, trial.y, trial.slope)
                if differ(sample, place, place + 1, 1, p, modes, near, run) == place:
                    b = middle
                else:
                    a = middle
                i += 1
            place = NO_PLACE
            if a > low_end:
                before = at(a, h, y, k1, trial.y, trial.slope)
                place = differ(before, 0, n_near, 1, p, modes, near, run)
                if place != NO_PLACE:
                    b = a
        return b

    @wp.func
    def find(
        h: wp.float64, closeness: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], trial: wp.ref[trial_type],
        p: wp.ref[params], batch: batch_type, run: int,
    ) -> wp.float64:  # fmt: skip
        modes = batch.monitors.memory.modes
        near = batch.near
        close = wp.float64(0.125) * closeness
        list_near(h, y, k1, trial, p, batch, run)
        n_near = batch.n_near[run]
        low(y, SAMPLE_WIDTH * h, p, batch, run, 1)
        i = int(0)
        while i < wp.static(N_SAMPLES):  # a loop that stays one: copies of all this take long to compile
            start = wp.float64(i) * SAMPLE_WIDTH
            end = start + SAMPLE_WIDTH
            sample = at(end, h, y, k1, trial.y, trial.slope)
            if i == wp.static(N_SAMPLES - 1):
                sample = trial.y
            seen = low(sample, SAMPLE_WIDTH * h, p, batch, run, 0)
            if seen.fraction < wp.float64(1.0):
                dip = start + seen.fraction * SAMPLE_WIDTH
                lowest = at(dip, h, y, k1, trial.y, trial.slope)
                grazing = differ(lowest, 0, n_near, 1, p, modes, near, run)
                if grazing != NO_PLACE:
                    return narrow(start, dip, close, h, grazing, y, k1, trial, p, modes, near, n_near, run)
            off = wp.int32(seen.entered)
            if off == NO_PLACE:  # the points that are apart have been asked already
                off = differ(sample, 0, n_near, 0, p, modes, near, run)
            if off != NO_PLACE:
                return narrow(start, end, close, h, off, y, k1, trial, p, modes, near, n_near, run)
            i += 1
        return NO_SWITCH

    return find

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

MIDDLE = wp.constant(wp.float64(0.5))
AT_END, AT_START, AT_MIDDLE = wp.constant(0), wp.constant(1), wp.constant(2)
"""Where a step is looked at, in this order: most points that the end finds far away are done with then."""
HALVING = 4
"""Every so many probes one is in the middle of what is left: at worst it takes so many times as many as by halving."""
N_PROBES = 50 * HALVING
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


@wp.struct
class Found:
    """`place` in the list of a point that is off its mode, or NO_PLACE; `gap` [m] of the point that was asked last."""

    place: wp.int32
    gap: wp.float64


@lru_cache
def modes_differ(assembly: Assembly, i_body: int = 0) -> Any:
    """`@wp.func (y, begin, end, with_apart, params, modes, near, run) -> Found`.

    The first point off its mode of those listed in `near` from `begin` to before `end`; those that are apart count if
    asked for.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    law_mode, is_last = assembly.law_mode, i_body + 1 == assembly.n_bodies
    rest: Any = None if is_last else modes_differ(assembly, i_body + 1)
    look_down, ground_of = seen_from_body(assembly)

    @wp.func(inline=False)
    def differ(
        y: wp.ref[vector], begin: int, end: int, with_apart: int, p: wp.ref[params],
        modes: wp.array2d(dtype=wp.int32), near: wp.array2d(dtype=wp.int32), run: int,
    ) -> Found:  # fmt: skip
        out = Found()
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
                out.gap = ground.gap
                if law_mode(p.law, wp.static(i_body), ground, velocity) != mode:
                    out.place = place
                    return out
            place += 1
        out.place = NO_PLACE
        if wp.static(not is_last):
            if end > wp.static(last):
                return rest(y, begin, end, with_apart, p, modes, near, run)
        return out

    return differ


@wp.func
def lowest_between(g0: wp.float64, d0: wp.float64, g1: wp.float64, d1: wp.float64) -> wp.float64:
    """Fraction of an interval at which the cubic through (g0, slope d0) and (g1, slope d1), d0 < 0 < d1, is lowest."""
    a = wp.float64(6.0) * (g0 - g1) + wp.float64(3.0) * (d0 + d1)
    b = wp.float64(6.0) * (g1 - g0) - wp.float64(4.0) * d0 - wp.float64(2.0) * d1
    root = wp.sqrt(wp.max(b * b - wp.float64(4.0) * a * d0, wp.float64(0.0)))
    return wp.clamp(-wp.float64(2.0) * d0 / (b + root), wp.float64(0.0), wp.float64(1.0))


@wp.struct
class Scan:
    """Points that are apart, over the halves of a step.

    `dip_1` and `dip_2`: fraction of the half at which a gap is lowest, or NO_SWITCH; `entered_1` and `entered_2`: place
    of one that is in the ground at the end of the half, or NO_PLACE; `n`: number of points left in the list.
    """

    dip_1: wp.float64
    dip_2: wp.float64
    entered_1: wp.int32
    entered_2: wp.int32
    n: wp.int32


@lru_cache
def apart_scanner(assembly: Assembly, i_body: int = 0) -> Any:
    """`@wp.func (scan, where, y, h, params, batch, run)`: looks at the points that are apart where the step is at y.

    Of this body and those after it: first AT_END, which also drops those from the list that cannot have touched, then
    AT_START, unless that is known, then AT_MIDDLE.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    batch_type, culls = structs(assembly)[0], assembly.culls
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    law_mode, is_last = assembly.law_mode, i_body + 1 == assembly.n_bodies
    rest: Any = None if is_last else apart_scanner(assembly, i_body + 1)
    look_down, ground_of = seen_from_body(assembly)

    @wp.func
    def note(
        scan: wp.ref[Scan], where: int, place: int, j: int, gap: wp.float64, rate: wp.float64, kept: wp.float64,
        is_off: int, h: wp.float64, batch: batch_type, run: int,
    ):  # fmt: skip
        if where == AT_END:
            batch.end_gap[j, run] = gap
            batch.end_rate[j, run] = rate
            if wp.static(culls):
                before = batch.monitors.until[j, run] - batch.monitors.worn[run]
                if gap + wp.max(before, wp.float64(0.0)) > batch.reach[run]:
                    return
                batch.near[scan.n, run] = j
            if is_off == 1:
                scan.entered_2 = scan.n
            scan.n += 1
        elif where == AT_START:
            batch.gap[j, run] = gap
            batch.gap_rate[j, run] = rate
            batch.seen[j, run] = batch.monitors.worn[run]
        else:
            if is_off == 1:
                scan.entered_1 = place
            half = MIDDLE * h
            before = batch.gap_rate[j, run] * half
            after = batch.end_rate[j, run] * half
            here = rate * half
            blur = kept - gap
            zero = wp.float64(0.0)
            if before < zero and here > zero:
                scan.dip_1 = wp.min(scan.dip_1, lowest_between(batch.gap[j, run] + blur, before, kept, here))
            if here < zero and after > zero:
                scan.dip_2 = wp.min(scan.dip_2, lowest_between(kept, here, batch.end_gap[j, run] + blur, after))

    @wp.func
    def look(
        scan: wp.ref[Scan], where: int, y: wp.ref[vector], h: wp.float64, p: wp.ref[params], batch: batch_type,
        run: int,
    ):  # fmt: skip
        state = body_state(y, wp.static(i_body))
        below = look_down(p, state)
        velocity_B = wp.transpose(state.R_SB) * state.velocity
        place = int(wp.static(first))
        stop = wp.min(batch.n_near[run], wp.static(last))
        while place < stop:
            j = batch.near[place, run]
            is_asked = batch.monitors.memory.modes[j, run] == MODE_APART
            if wp.static(culls):
                if where == AT_START:
                    is_asked = is_asked and batch.seen[j, run] != batch.monitors.worn[run]
            if is_asked:
                ground = ground_of(p, state, below, j, run)
                velocity = velocity_B + wp.cross(state.omega_B, p.points_B[j])
                gap = ground.gap
                ground.gap = kept_mode_gap(gap, MODE_APART, state)
                is_off = wp.where(law_mode(p.law, wp.static(i_body), ground, velocity) == MODE_APART, 0, 1)
                note(scan, where, place, j, gap, wp.dot(velocity, ground.normal), ground.gap, is_off, h, batch, run)
            elif where == AT_END:
                if wp.static(culls):
                    batch.near[scan.n, run] = j
                scan.n += 1
            place += 1
        if wp.static(not is_last):
            rest(scan, where, y, h, p, batch, run)

    return look


@lru_cache
def narrowing(assembly: Assembly) -> Any:
    """`@wp.func (from, to, close, h, place, y, k1, trial, params, modes, near, n_near, run) -> theta`.

    Just past the first switch between two fractions of a step, the point at `place` being off its mode at the second:
    first where that one switches, then any that does so before. Where the gap changes its sign the next probe is where
    a line says that it is zero (with the Illinois rule, DowellJarratt1971), elsewhere in the middle.
    """
    params, vector = assembly.params, assembly.layout.vector
    trial_type = trial_struct(vector)
    at, differ = hermite(vector), modes_differ(assembly)

    @wp.func(inline=False)
    def narrow(
        low_end: wp.float64, high_end: wp.float64, close: wp.float64, h: wp.float64, first_found: wp.int32,
        y: wp.ref[vector], k1: wp.ref[vector], trial: wp.ref[trial_type], p: wp.ref[params],
        modes: wp.array2d(dtype=wp.int32), near: wp.array2d(dtype=wp.int32), n_near: int, run: int,
    ) -> wp.float64:  # fmt: skip
        place = wp.int32(first_found)
        b = wp.float64(high_end)
        half = wp.float64(0.5)
        least = half * close / h
        while place != NO_PLACE:
            a = wp.float64(low_end)
            gap_a = wp.float64(0.0)
            gap_b = wp.float64(0.0)
            moved = int(0)
            i = int(-2)  # two probes for the gaps at the ends
            while i < 0 or (i < wp.static(N_PROBES) and (b - a) * h > close):
                probe = (a + b) * half
                if i == -2:
                    probe = a
                elif i == -1:
                    probe = b
                elif gap_a * gap_b < wp.float64(0.0) and i % wp.static(HALVING) != wp.static(HALVING - 1):
                    probe = wp.clamp(b - gap_b * (b - a) / (gap_b - gap_a), a + least, b - least)
                sample = at(probe, h, y, k1, trial.y, trial.slope)
                found = differ(sample, place, place + 1, 1, p, modes, near, run)
                if i == -2:
                    gap_a = found.gap
                elif i == -1:
                    gap_b = found.gap
                elif found.place == place:
                    b = probe
                    gap_b = found.gap
                    if moved == 1:
                        gap_a = gap_a * half
                    moved = 1
                else:
                    a = probe
                    gap_a = found.gap
                    if moved == -1:
                        gap_b = gap_b * half
                    moved = -1
                i += 1
            place = NO_PLACE
            if a > low_end:
                before = at(a, h, y, k1, trial.y, trial.slope)
                place = differ(before, 0, n_near, 1, p, modes, near, run).place
                if place != NO_PLACE:
                    b = a
        return b

    return narrow


@lru_cache
def first_switch(assembly: Assembly) -> Any:
    """`@wp.func (h, closeness, y, k1, trial, params, batch, run) -> theta`.

    In (0, 1], just past the first switch, by `closeness` [s] at most; or NO_SWITCH.
    """
    params, vector = assembly.params, assembly.layout.vector
    batch_type, trial_type = structs(assembly)[0], trial_struct(vector)
    at, differ, narrow = hermite(vector), modes_differ(assembly), narrowing(assembly)
    list_near, look = near_lister(assembly), apart_scanner(assembly)

    @wp.func
    def scanned(
        h: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], trial: wp.ref[trial_type], p: wp.ref[params],
        batch: batch_type, run: int,
    ) -> Scan:  # fmt: skip
        scan = Scan()
        scan.dip_1 = NO_SWITCH
        scan.dip_2 = NO_SWITCH
        scan.entered_1 = NO_PLACE
        scan.entered_2 = NO_PLACE
        where = int(AT_END)
        while where <= AT_MIDDLE and batch.n_near[run] > 0:  # a loop that stays one: copies take long to compile
            sample = trial.y
            if where == AT_START:
                sample = y
            elif where == AT_MIDDLE:
                sample = at(MIDDLE, h, y, k1, trial.y, trial.slope)
            look(scan, where, sample, h, p, batch, run)
            if where == AT_END:
                batch.n_near[run] = scan.n
            where += 1
        return scan

    @wp.func
    def find(
        h: wp.float64, closeness: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], trial: wp.ref[trial_type],
        p: wp.ref[params], batch: batch_type, run: int,
    ) -> wp.float64:  # fmt: skip
        modes = batch.monitors.memory.modes
        near = batch.near
        close = wp.float64(0.125) * closeness
        list_near(h, y, k1, trial, p, batch, run)
        scan = scanned(h, y, k1, trial, p, batch, run)
        n_near = batch.n_near[run]
        i = int(0)
        while i < 2 and n_near > 0:
            start = wp.float64(i) * MIDDLE
            dip = wp.where(i == 0, scan.dip_1, scan.dip_2)
            off = wp.where(i == 0, scan.entered_1, scan.entered_2)
            if dip < wp.float64(1.0):
                dip = start + dip * MIDDLE
                lowest = at(dip, h, y, k1, trial.y, trial.slope)
                grazing = differ(lowest, 0, n_near, 1, p, modes, near, run).place
                if grazing != NO_PLACE:
                    return narrow(start, dip, close, h, grazing, y, k1, trial, p, modes, near, n_near, run)
            if off == NO_PLACE:  # the points that are apart have been asked already
                sample = trial.y
                if i == 0:
                    sample = at(MIDDLE, h, y, k1, trial.y, trial.slope)
                off = differ(sample, 0, n_near, 0, p, modes, near, run).place
            if off != NO_PLACE:
                return narrow(start, start + MIDDLE, close, h, off, y, k1, trial, p, modes, near, n_near, run)
            i += 1
        return NO_SWITCH

    return find

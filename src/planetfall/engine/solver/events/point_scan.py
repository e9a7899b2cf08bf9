"""Querying where contact points stand along a trial step, and what follows for those that are apart.

A point is queried at the trial's end, at its start, unless that is known, and in its middle. The answer depends on the
point alone, so that a GPU may query all points of all runs at once (see `gpu.batched_queries`).
"""

from functools import lru_cache
from typing import Any, NamedTuple

import warp as wp

from planetfall.compute.in_place import integer, place_of, strided_integer
from planetfall.contact.model import MODE_APART
from planetfall.engine.contact.far_bodies import far_in_step
from planetfall.engine.contact.terrain_query import ground_in_body_axes
from planetfall.engine.motion.crash import has_no_contact
from planetfall.engine.state.batch import GapSample, structs
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import BodyState
from planetfall.world.terrain.model import Ground

MIDDLE = wp.constant(wp.float64(0.5))
AT_END, AT_START, AT_MIDDLE, AT_CHECK, AT_EVALUATION = (wp.constant(i) for i in range(5))
"""Where a step is sampled, in this order: most points that the end finds far away are done with then; AT_CHECK is
anywhere inside, where nothing but the mode counts, AT_EVALUATION where it begins, for the evaluation there."""
ROUNDINGS = wp.constant(wp.float64(16 * 2.0**-52))
"""How closely a place is known, relative to its distance from the origin: nearer than this nothing is located."""
NO_EVENT = wp.constant(wp.float64(2.0))
NO_PLACE = wp.constant(-1)
NOBODY = wp.constant(2**31 - 1)
"""More than any place."""


@wp.func
def place_blur(state: BodyState) -> wp.float64:
    """How closely the gaps [m] of a body's points are known."""
    return ROUNDINGS * wp.length(state.position)


@wp.struct
class QueryAnswer:
    """A point at some instant.

    Its `gap` [m], its `rate` [m/s], the gap by which it is found to touch or to part, `blurred_gap` [m], and `is_off`:
    1 if its mode there is not the one that is locked during the step.
    """

    gap: wp.float64
    blurred_gap: wp.float64
    rate: wp.float64
    is_off: wp.int32


@lru_cache
def mode_judge(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, ground, velocity, mode, blur) -> 1 if a point has left its mode`, 0 in doubt, by rounding.

    It has left it if it would at its gap, and as much as a `blur` [m] higher and lower: so every boundary of a law is
    moved the way that keeps the mode, whichever side of it the mode is on. An evaluation, which goes by the gap alone,
    then finds another mode too. Otherwise a point that hardly moves would be found on either side of a boundary in
    turn, or beyond it by the search and before it by each evaluation, with a step for each.
    """
    params, law_mode = assembly.params, assembly.law_mode

    @wp.func
    def has_left(p: wp.ref[params], ground: Ground, velocity: wp.vec3d, mode: wp.int32, blur: wp.float64) -> wp.int32:
        # first where most stay: lower if they touch, higher if they are apart, which is where all that is left stays
        judged = ground
        judged.gap = wp.where(mode == MODE_APART, ground.gap + blur, ground.gap - blur)
        if law_mode(p.law, wp.static(i_body), judged, velocity) == mode:
            return 0
        if mode != MODE_APART:
            judged.gap = ground.gap + blur
            if law_mode(p.law, wp.static(i_body), judged, velocity) == mode:
                return 0
            if law_mode(p.law, wp.static(i_body), ground, velocity) == mode:
                return 0
        return 1

    return has_left


@lru_cache
def point_judge(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, state, ground, velocity_B, point, mode) -> QueryAnswer`: what the ground says of a point."""
    params, has_left = assembly.params, mode_judge(assembly, i_body)

    @wp.func(inline=True)
    def judge(
        p: wp.ref[params], state: BodyState, ground: Ground, velocity_B: wp.vec3d, j: int, mode: wp.int32
    ) -> QueryAnswer:
        velocity = velocity_B + wp.cross(state.omega_B, place_of(p.points_B, j))
        blur = place_blur(state)
        out = QueryAnswer()
        out.gap = ground.gap
        out.rate = wp.dot(velocity, ground.normal)
        out.blurred_gap = wp.where(mode == MODE_APART, ground.gap + blur, ground.gap - blur)
        out.is_off = has_left(p, ground, velocity, mode, blur)
        return out

    return judge


@lru_cache
def point_query(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, state, below, velocity_B, point, mode, run) -> QueryAnswer`, `below` by `ground_below`."""
    params, judge, ground_of = assembly.params, point_judge(assembly, i_body), ground_in_body_axes(assembly)[1]

    @wp.func(inline=True)
    def query(
        p: wp.ref[params], state: BodyState, below: Ground, velocity_B: wp.vec3d, j: int, mode: wp.int32, run: int
    ) -> QueryAnswer:
        return judge(p, state, ground_of(p, state, below, j, run), velocity_B, j, mode)

    return query


@lru_cache
def lone_query(assembly: Assembly, i_body: int = 0) -> Any:
    """`@wp.func (ground, params, y, point, mode, run) -> QueryAnswer` of a point of this body or of one after it.

    The ground under it is filled in.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    last, is_last = assembly.point_starts[i_body + 1], i_body + 1 == assembly.n_bodies
    rest: Any = None if is_last else lone_query(assembly, i_body + 1)
    (ground_below, ground_of), judge = ground_in_body_axes(assembly), point_judge(assembly, i_body)

    @wp.func
    def query_alone(
        ground: wp.ref[Ground], p: wp.ref[params], y: wp.ref[vector], j: int, mode: wp.int32, run: int
    ) -> QueryAnswer:
        if wp.static(not is_last):
            if j >= wp.static(last):
                return rest(ground, p, y, j, mode, run)
        state = body_state(y, wp.static(i_body))
        ground = ground_of(p, state, ground_below(p, state), j, run)
        return judge(p, state, ground, wp.transpose(state.R_SB) * state.velocity, j, mode)

    return query_alone


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

    `dip_1` and `dip_2`: fraction of the half at which a gap is lowest, or NO_EVENT; `entered_1` and `entered_2`: place
    of one that is in the ground at the end of the half, or NO_PLACE; `n`: number of points left in the list; `bodies`:
    number of bodies whose points are looked at.
    """

    dip_1: wp.float64
    dip_2: wp.float64
    entered_1: wp.int32
    entered_2: wp.int32
    n: wp.int32
    bodies: wp.int32


@wp.func
def nothing_found() -> Scan:
    """Before any point is queried."""
    out = Scan()
    out.dip_1 = NO_EVENT
    out.dip_2 = NO_EVENT
    out.entered_1 = NO_PLACE
    out.entered_2 = NO_PLACE
    return out


class PointMonitors(NamedTuple):
    """What is made of the answers of points that are apart.

    `at_end(point, answer, batch, run) -> 1 if it may have touched`, and has to be queried again; `keep(scan, point,
    is_off, batch, run)`: lists one that has, or that touches and with 0, in the order in which all are listed;
    `is_unseen(point, batch, run) -> 1` if a point has to be queried at the start, and `at_start(point, answer, batch,
    run)`; `at_middle(scan, place, point, answer, h, batch, run)`, for those left in the list.
    """

    at_end: Any
    keep: Any
    is_unseen: Any
    at_start: Any
    at_middle: Any


@lru_cache
def point_monitors(assembly: Assembly) -> PointMonitors:
    """The functions of an assembly."""
    batch_type, culls, n_points = structs(assembly)[0], assembly.plan.culls, max(assembly.n_points, 1)

    @wp.func
    def at_end(j: int, answer: QueryAnswer, batch: wp.ref[batch_type], run: int) -> wp.int32:
        sample = GapSample()
        sample.gap = answer.gap
        sample.rate = answer.rate
        sample.trial = batch.trial[run]
        batch.gap_samples[wp.static(n_points) - batch.start[run] + j, run] = sample
        if wp.static(culls):
            before = batch.monitors.until[j, run] - batch.monitors.travel[run]
            return wp.where(answer.gap + wp.max(before, wp.float64(0.0)) > batch.reach[run], 0, 1)
        return 1

    @wp.func
    def keep(scan: wp.ref[Scan], j: int, is_off: int, batch: wp.ref[batch_type], run: int):
        if wp.static(culls):
            batch.candidates[scan.n, run] = j
        if is_off == 1:
            scan.entered_2 = scan.n
        scan.n += 1

    @wp.func
    def is_unseen(j: int, batch: wp.ref[batch_type], run: int) -> wp.int32:
        if wp.static(culls):
            return wp.where(batch.gap_samples[batch.start[run] + j, run].trial == batch.taken[run], 0, 1)
        return 1

    @wp.func
    def at_start(j: int, answer: QueryAnswer, batch: wp.ref[batch_type], run: int):
        sample = GapSample()
        sample.gap = answer.gap
        sample.rate = answer.rate
        sample.trial = batch.taken[run]
        batch.gap_samples[batch.start[run] + j, run] = sample

    @wp.func
    def at_middle(
        scan: wp.ref[Scan], place: int, j: int, answer: QueryAnswer, h: wp.float64, batch: wp.ref[batch_type], run: int
    ):
        if answer.is_off == 1:
            scan.entered_1 = place
        start = batch.gap_samples[batch.start[run] + j, run]
        end = batch.gap_samples[wp.static(n_points) - batch.start[run] + j, run]
        half = MIDDLE * h
        before = start.rate * half
        after = end.rate * half
        here = answer.rate * half
        blur = answer.blurred_gap - answer.gap
        zero = wp.float64(0.0)
        if before < zero and here > zero:
            scan.dip_1 = wp.min(scan.dip_1, lowest_between(start.gap + blur, before, answer.blurred_gap, here))
        if here < zero and after > zero:
            scan.dip_2 = wp.min(scan.dip_2, lowest_between(answer.blurred_gap, here, end.gap + blur, after))

    return PointMonitors(at_end, keep, is_unseen, at_start, at_middle)


@lru_cache
def listed_point(assembly: Assembly) -> Any:
    """`@wp.func (batch, place, where, run) -> point` in the list of those that are queried there.

    AT_END that is the broad-phase list, AT_EVALUATION that of the evaluation, elsewhere in a step the candidates.
    """
    batch_type = structs(assembly)[0]

    @wp.func
    def point(batch: wp.ref[batch_type], place: int, where: int, run: int) -> wp.int32:
        if where == AT_END:
            return strided_integer(batch.listed, place, run)
        if where == AT_EVALUATION:
            return strided_integer(batch.monitors.queried, place, run)
        return strided_integer(batch.candidates, place, run)

    return point


@lru_cache
def listed_mode(assembly: Assembly) -> Any:
    """`@wp.func (batch, place, point, run) -> mode` of a point in the list of those that are queried.

    Where far points are left out, those that touch come first. That all points after them are apart is known without
    reading each of their modes.
    """
    batch_type, culls = structs(assembly)[0], assembly.plan.culls

    @wp.func
    def mode(batch: wp.ref[batch_type], place: int, j: int, run: int) -> wp.int32:
        if wp.static(culls):
            if place >= integer(batch.monitors.memory.n_listed, 0, run):
                return MODE_APART
        return integer(batch.monitors.memory.modes, j, run)

    return mode


@lru_cache
def apart_scanner(assembly: Assembly, i_body: int = 0) -> Any:
    """`@wp.func (scan, where, y, h, params, batch, run)`: queries the points that are apart where the step is at y.

    Of this body and those after it: first AT_END, then AT_START, unless that is known, then AT_MIDDLE.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    batch_type, is_last = structs(assembly)[0], i_body + 1 == assembly.n_bodies
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    rest: Any = None if is_last else apart_scanner(assembly, i_body + 1)
    point_of, mode_of, has_none = listed_point(assembly), listed_mode(assembly), has_no_contact(assembly, i_body)
    leaves_out, is_far = assembly.plan.leaves_out_bodies, far_in_step(i_body)
    ground_below, query, (at_end, keep, is_unseen, at_start, at_middle) = (
        ground_in_body_axes(assembly)[0], point_query(assembly, i_body), point_monitors(assembly)
    )  # fmt: skip

    @wp.func(inline=assembly.plan.inlining_of_parts)
    def scan_points(
        scan: wp.ref[Scan], where: int, y: wp.ref[vector], h: wp.float64, p: wp.ref[params], batch: wp.ref[batch_type],
        run: int,
    ):  # fmt: skip
        state = body_state(y, wp.static(i_body))
        below = ground_below(p, state)
        velocity_B = wp.transpose(state.R_SB) * state.velocity
        place = int(wp.static(first))
        stop = wp.min(wp.where(where == AT_END, batch.n_listed[run], batch.n_candidates[run]), wp.static(last))
        is_out = has_none(p, y, batch.monitors.memory, run)
        if wp.static(leaves_out):  # judged once for the step, for all samples alike
            if where == AT_END:
                batch.monitors.memory.n_listed[wp.static(i_body), run] = 1
                if is_far(state, h, batch.monitors.memory, run):
                    batch.monitors.memory.n_listed[wp.static(i_body), run] = 0
            is_out = is_out or batch.monitors.memory.n_listed[wp.static(i_body), run] == 0
        if is_out:
            if where == AT_END:
                scan.n += wp.static(last - first)  # with several bodies, a point's place is its number
            stop = place
        elif where == AT_END:
            scan.bodies += 1
        while place < stop:
            j = point_of(batch, place, where, run)
            is_apart = mode_of(batch, place, j, run) == MODE_APART
            is_queried = is_apart
            if where == AT_START:
                is_queried = is_apart and is_unseen(j, batch, run) == 1
            if is_queried:
                answer = query(p, state, below, velocity_B, j, MODE_APART, run)
                if where == AT_END:
                    if at_end(j, answer, batch, run) == 1:
                        keep(scan, j, answer.is_off, batch, run)
                elif where == AT_START:
                    at_start(j, answer, batch, run)
                elif where == AT_MIDDLE:
                    at_middle(scan, place, j, answer, h, batch, run)
            elif where == AT_END:
                keep(scan, j, 0, batch, run)
            place += 1
        if wp.static(not is_last):
            rest(scan, where, y, h, p, batch, run)

    return scan_points

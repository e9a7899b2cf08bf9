"""Broad phase of a fixed step: which contact points can touch the ground at all, so that the others need no query.

A terrain that bounds how fast its gap can change with position gives the criterion: a point that moves by less than its
gap, over the steepness, stays apart. For the adaptive method see `solver.events.broad_phase_adaptive`.

An evaluation between steps lists the points that the coming step could bring down to the ground, and the clearance of
the others: how far they can go without touching. The stages query the listed points alone (`listed_count`), unless the
body has moved by more than the clearance. Over ground without edges the evaluations after it do so too, until the
clearance is used up. The points passed over would have been found apart, so that no bit changes.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.fused import fma
from planetfall.contact.model import ContactMemory
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.vehicle.body import BodyState

MARGIN = wp.constant(wp.float64(2.0))
"""Times the path length of a step at the present speed, within which it is expected to stay."""
BLUR = wp.constant(wp.float64(1.0e-13))
"""Rounding of a gap, over the distance of a point from the origin: several hundred last places."""
RENEWAL = wp.constant(wp.float64(8.0))
"""Steps like the last one that a list of points is made for, or after which a point may leave it (assumed)."""
EVERYWHERE = wp.constant(wp.float64(1.0e30))
TOUCHING = wp.constant(wp.float64(1.0e300))
"""Value of `until` for a point that touches: it is in another list."""


@wp.func
def sum_of(v: wp.vec3d) -> wp.float64:
    """The sum of the components' magnitudes: no less than the length, and no root in it."""
    return wp.abs(v[0]) + wp.abs(v[1]) + wp.abs(v[2])


@wp.func
def one_and_square(q: wp.vec4d) -> wp.float64:
    """One plus the square of a quaternion's length, which is no less than twice the length."""
    return fma(q[0], q[0], fma(q[1], q[1], fma(q[2], q[2], fma(q[3], q[3], wp.float64(1.0)))))


@lru_cache
def stage_travel(assembly: Assembly) -> Any:
    """`@wp.func (params, y, k, h) -> how far any contact point is at most from where it is in y [m]`, at y + h k.

    A point at p in body axes is at x + q p q*: with x + dx and q + dq it is moved by no more than
    |dx| + |p| |dq| (2 |q| + |dq|). 2 |q| is no more than 1 + |q|^2, and lengths no more than sums of magnitudes.
    """
    params, vector, n_bodies = assembly.params, assembly.layout.vector, assembly.n_bodies

    @wp.func
    def far(p: wp.ref[params], y: wp.ref[vector], k: wp.ref[vector], h: wp.float64) -> wp.float64:
        farthest = wp.float64(0.0)
        for b in range(wp.static(n_bodies)):
            o = b * BODY_SIZE
            shift = sum_of(wp.vec3d(k[o], k[o + 1], k[o + 2])) * h
            q = wp.vec4d(y[o + 6], y[o + 7], y[o + 8], y[o + 9])
            turn = (sum_of(wp.vec3d(k[o + 6], k[o + 7], k[o + 8])) + wp.abs(k[o + 9])) * h
            turned_by = turn * (one_and_square(q) + turn)
            farthest = wp.max(farthest, shift + p.extents[b] * turned_by)
        return farthest

    return far


@lru_cache
def use_up(assembly: Assembly) -> Any:
    """`@wp.func (params, y, y_next, memory, run)`: takes a step's path off the clearance of unlisted points."""
    params, vector, n_bodies = assembly.params, assembly.layout.vector, assembly.n_bodies

    @wp.func
    def use(p: wp.ref[params], y: wp.ref[vector], y_next: wp.ref[vector], memory: wp.ref[ContactMemory], run: int):
        for b in range(wp.static(n_bodies)):
            o = b * BODY_SIZE
            shift = sum_of(wp.vec3d(y_next[o] - y[o], y_next[o + 1] - y[o + 1], y_next[o + 2] - y[o + 2]))
            q = wp.vec4d(y[o + 6], y[o + 7], y[o + 8], y[o + 9])
            change = wp.vec4d(y_next[o + 6], y_next[o + 7], y_next[o + 8], y_next[o + 9]) - q
            turn = sum_of(wp.vec3d(change[0], change[1], change[2])) + wp.abs(change[3])
            turned_by = turn * (one_and_square(q) + turn)
            memory.clearance[b, run] = memory.clearance[b, run] - shift - p.extents[b] * turned_by

    return use


@lru_cache
def closing_rate(assembly: Assembly) -> Any:
    """`@wp.func (params) -> vec2d`: how much gaps can shrink per metre of path, and up to what path length [m]."""
    params, closing, steepness = assembly.params, assembly.terrain.closing, assembly.terrain.steepness
    is_boundless = closing is not None

    @wp.func
    def close(p: wp.ref[params]) -> wp.vec2d:
        if wp.static(is_boundless):
            return wp.vec2d(closing(p.terrain), EVERYWHERE)
        else:
            return steepness(p.terrain)

    return close


@lru_cache
def expected_path(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, state) -> path length [m]` that no point is expected to exceed in the coming step."""
    params = assembly.params

    @wp.func
    def path(p: wp.ref[params], state: BodyState) -> wp.float64:
        pace = sum_of(state.velocity) + p.extents[wp.static(i_body)] * sum_of(state.omega_B)
        return MARGIN * p.step.step * pace

    return path


@lru_cache
def listing_gap(assembly: Assembly) -> Any:
    """`@wp.func (params, state, path [m]) -> gap [m]` beyond which no point reaches the ground along that path."""
    params, close = assembly.params, closing_rate(assembly)

    @wp.func
    def within(p: wp.ref[params], state: BodyState, path: wp.float64) -> wp.float64:
        return path * close(p)[0] + BLUR * sum_of(state.position)

    return within


@lru_cache
def clearance_left(assembly: Assembly) -> Any:
    """`@wp.func (params, state, gap) -> how far a point with this gap can go and stay apart [m]`, rounding included."""
    params, close = assembly.params, closing_rate(assembly)

    @wp.func
    def clearance(p: wp.ref[params], state: BodyState, gap: wp.float64) -> wp.float64:
        rate = close(p)
        return wp.min((gap - BLUR * sum_of(state.position)) / rate[0], rate[1])

    return clearance


@lru_cache
def listed_count(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (memory, run) -> number of listed points`, or -1 where every point of the body must be queried."""
    passes_over, culls = assembly.plan.passes_over, assembly.plan.culls

    @wp.func
    def count(memory: wp.ref[ContactMemory], run: int) -> wp.int32:
        if wp.static(culls):
            return memory.n_listed[wp.static(i_body), run]
        if wp.static(passes_over):
            if memory.stage_travel < memory.clearance[wp.static(i_body), run]:
                return memory.n_listed[wp.static(i_body), run]
        return -1

    return count


@lru_cache
def counted_gap(assembly: Assembly) -> Any:
    """`@wp.func (params, gap) -> what of a gap counts [m]`: no more than the terrain's steepness holds for."""
    if not assembly.plan.culls:
        return None
    params, steepness = assembly.params, assembly.terrain.steepness

    @wp.func
    def counted(p: wp.ref[params], gap: wp.float64) -> wp.float64:
        steep = steepness(p.terrain)
        return wp.min(gap, steep[0] * steep[1])

    return counted

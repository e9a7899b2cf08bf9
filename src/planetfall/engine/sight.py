"""The ground as a body sees it: gaps of its contact points, and normals in its own axes."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.assembly import Assembly
from planetfall.vehicle.body import BodyState
from planetfall.world.terrain.model import Ground


@lru_cache
def seen_from_body(assembly: Assembly) -> tuple[Any, Any]:
    """Two functions that take the terrain's answers into body axes.

    `look_down(params, state) -> Ground`, once per body, and `ground_of(params, state, below, point, run) -> Ground`,
    once per point. Over a plane the first is the only query, and a point's gap is that of the centre of mass plus a dot
    product; over any other terrain the first does nothing and every point asks for itself.
    """
    params, gap, is_flat = assembly.params, assembly.terrain.gap, assembly.terrain.is_flat

    @wp.func
    def look_down(p: params, state: BodyState) -> Ground:
        below = Ground()
        if wp.static(is_flat):
            below = gap(p.terrain, state.position, -1, -1)
            below.normal = wp.transpose(state.R_SB) * below.normal
        return below

    # inlined: arguments are copied at a call, and the parameters are kilobytes
    @wp.func(inline=True)
    def ground_of(p: params, state: BodyState, below: Ground, point: int, run: int) -> Ground:
        point_B = p.points_B[point]
        if wp.static(is_flat):
            out = below
            out.gap = below.gap + wp.dot(below.normal, point_B)
            return out
        found = gap(p.terrain, state.position + state.R_SB * point_B, point, run)
        found.normal = wp.transpose(state.R_SB) * found.normal
        return found

    return look_down, ground_of

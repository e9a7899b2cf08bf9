"""Where an anchored law finds the ground for a point: by its gap, or along its line of sight (Cordova2014).

A line of sight that starts below the ground, or points away from it, finds none. The paper gives such a point several
lines of sight; once none of them finds the ground that it is in, the point would fall on through the floor.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.contact.model import CONTACT_NONE, AnchorGround
from planetfall.engine.contact.terrain_query import point_ground
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import BodyState
from planetfall.world.terrain.model import RAY_HIT, Ground

SAME_PLACE = wp.constant(wp.float64(1.0e-9))
"""Distance [m] below which two contact points are one place with two lines of sight."""
N_SEARCHES = 8
"""Steps towards the nearest ground of a distance field, at most."""
NEAREST = wp.constant(wp.float64(1.0e-3))
"""Of a point's depth: how far the nearest ground that was found may be aside of the plane that touches it (assumed)."""


@lru_cache
def anchored_ground_finder(assembly: Assembly) -> Any:
    """`@wp.func (params, state, position, ground, point) -> AnchorGround`, by the gap or along the line of sight.

    The plane that a point feels has a unit normal; on a distance field it touches the ground that is nearest to the
    point, which is found by putting the point onto the tangent plane there, again and again. A plane at any other place
    would rise or sink in proportion to the way that the point slides, and would have to be renewed at every step.
    """
    params, ray, is_sighted = assembly.params, assembly.terrain.ray, assembly.law.is_sighted
    is_unit, gap = assembly.terrain.has_unit_normals, assembly.terrain.gap

    @wp.func
    def find(p: wp.ref[params], state: BodyState, position: wp.vec3d, ground: Ground, j: int) -> AnchorGround:
        out = AnchorGround()
        if wp.static(is_sighted):
            sight = state.R_SB * p.law.sights_B[j]
            reach = p.law.reaches[j]
            if ground.gap < reach:
                origin = position - sight * reach
                hit = ray(p.terrain, origin, sight, reach)
                if hit.status == RAY_HIT and hit.range < reach:
                    out.is_touching = 1
                    out.place = origin + sight * hit.range
                    out.normal = hit.normal
                    if wp.static(not is_unit):
                        out.normal = wp.normalize(hit.normal)
                    out.facet = hit.facet
        else:
            if ground.gap < wp.float64(0.0):
                out.is_touching = 1
                out.place = position - ground.normal * ground.gap
                out.normal = ground.normal
                if wp.static(not is_unit):
                    out.place = position - ground.normal * (ground.gap / wp.length_sq(ground.normal))
                    aside = -ground.gap
                    i = int(0)
                    while i < wp.static(N_SEARCHES) and aside > NEAREST * wp.length(position - out.place):
                        under = gap(p.terrain, out.place, -1, -1)
                        foot = out.place - under.normal * (under.gap / wp.length_sq(under.normal))
                        out.normal = wp.normalize(under.normal)
                        out.place = position - out.normal * wp.dot(position - foot, out.normal)
                        aside = wp.length(out.place - foot)
                        i += 1
                out.facet = ground.facet
        return out

    return find


@lru_cache
def loss_finder(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, state, modes, point, run) -> 1 if a point in the ground is lost to its lines of sight`.

    For a point that is below the ground and whose own line of sight does not find it.
    """
    params, gap, find = assembly.params, assembly.terrain.gap, anchored_ground_finder(assembly)
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    ground_at = point_ground(assembly)

    @wp.func
    def place_B(p: wp.ref[params], j: int) -> wp.vec3d:
        """The contact point itself, without its cushion."""
        return p.points_B[j] - p.law.sights_B[j] * (p.law.reaches[j] - p.law.ray_offset)

    @wp.func
    def is_found(p: wp.ref[params], state: BodyState, modes: wp.array2d(dtype=wp.int32), j: int, run: int) -> wp.int32:
        if modes[j, run] != CONTACT_NONE:  # a step old at most: if it has lost the ground since, its own turn comes
            return 1
        position = state.position + state.R_SB * p.points_B[j]
        return find(p, state, position, ground_at(p, state, position, j, run), j).is_touching

    @wp.func
    def is_lost(p: wp.ref[params], state: BodyState, modes: wp.array2d(dtype=wp.int32), j: int, run: int) -> wp.int32:
        k = int(wp.static(first))
        while k < wp.static(last):
            if k != j and wp.length(place_B(p, k) - place_B(p, j)) < SAME_PLACE:
                if is_found(p, state, modes, k, run) == 1:
                    return 0
            k += 1
        origin = state.position + state.R_SB * (p.points_B[j] - p.law.sights_B[j] * p.law.reaches[j])
        if gap(p.terrain, origin, -1, -1).gap < wp.float64(0.0):
            return 1
        return 0

    return is_lost

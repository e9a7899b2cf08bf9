"""How far a contact point may move with one face, edge or vertex certainly staying the nearest.

Proven by convexity and the triangle inequality for every facet of the point's list, and by the list's own reach for the
others.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.world.terrain.facets.triangle import (
    FEATURE_FACE,
    ROUNDOFF,
    Facet,
    inside_by,
    nearest_on_triangle,
    rank_of,
    smaller,
    stays_by,
)


@lru_cache
def ball_radius(params: Any, facet_at: Any, free_radius: Any) -> Any:
    """`@wp.func (ground, p [m], best, point, run) -> radius [m]`, 0 or less for none.

    How far a point may move with the same feature of slot `best` of its list certainly nearest. The arguments are those
    of a `FacetSource`.
    """

    @wp.func
    def past_face(height: wp.float64, n: wp.vec3d, offset: wp.vec3d, grain: wp.float64) -> wp.float64:
        """How far until another facet may be as near as one of normal n, `height` [m] over the latter's face.

        The other, at a distance d along the unit vector u, is convex and so stays behind the plane across u at its
        nearest point: after a move m it is at least d + u m away, and the first |height + n m|.
        """
        distance = wp.length(offset)
        toward = offset / distance
        slack = grain + (distance + height) * ROUNDOFF
        ahead = (distance - height - slack) / (wp.length(toward - n) + ROUNDOFF)
        behind = (distance + height - slack) / (wp.length(toward + n) + ROUNDOFF)
        return smaller(ahead, behind)

    @wp.func
    def past_edge(p: wp.vec3d, own: wp.vec3d, feature: wp.int32, other: Facet, grain: wp.float64) -> wp.float64:
        """The same for a nearest point on an edge or a vertex, `own` [m] from it to p.

        Facets that share it are near while it stays their nearest point; others come nearer by the way at most, while
        it goes farther by as much.
        """
        near = nearest_on_triangle(p, other.a, other.b, other.c, other.normal)
        if wp.length(near.offset - own) <= wp.float64(2.0) * grain:
            if rank_of(near.feature) != rank_of(feature):
                return wp.float64(0.0)
            return stays_by(p, other, near.feature)
        distance = wp.length(own)
        slack = wp.float64(2.0) * (grain + distance * ROUNDOFF)
        return (wp.length(near.offset) - distance - slack) * wp.float64(0.5)

    @wp.func
    def radius_of(ground: wp.ref[params], p: wp.vec3d, best: int, j: int, run: int) -> wp.float64:
        own = facet_at(ground, ground.kept.places[best, j, run])
        near = nearest_on_triangle(p, own.a, own.b, own.c, own.normal)
        distance = wp.length(near.offset)
        n = own.normal
        if wp.dot(p - own.a, own.normal) < wp.float64(0.0):
            n = -n
        held = ground.kept.list_ball[j, run]
        moved = wp.length(p - wp.vec3d(held[0], held[1], held[2]))
        radius = (held[4] - moved - distance) * wp.float64(0.5)
        if near.feature == FEATURE_FACE:
            radius = smaller(radius, inside_by(p, own.a, own.b, own.c, own.normal))
        else:
            radius = smaller(radius, distance)
        radius = smaller(radius, free_radius(ground, p))
        k = int(0)
        while k < ground.kept.count[j, run] and radius > wp.float64(0.0):
            other = facet_at(ground, ground.kept.places[k, j, run])
            if near.feature != FEATURE_FACE:
                radius = smaller(radius, past_edge(p, near.offset, near.feature, other, ground.grain))
            elif k != best:
                offset = nearest_on_triangle(p, other.a, other.b, other.c, other.normal).offset
                radius = smaller(radius, past_face(distance, n, offset, ground.grain))
            k += 1
        return radius * wp.float64(0.999) - wp.float64(4.0) * ground.grain - ground.blur

    return radius_of

"""The nearest point of a map to a point in its ground that is deeper than one side of its column's facet is away.

Where no other side and no node is as near, only that facet and the one across the side can have the nearest point. If
the foot of the point is on either of them, the nearer plane has the nearest point, else the side has it: no search. It
is the common case of shallow contact, and on a GPU, where 32 threads go the way of any of them, what decides the cost.

With the answer comes how far the point may go and have it by the same face or side: how far its feet are from the side,
half of what another facet is farther away, and half of what is left until the ball about it meets a third one.
"""

import warp as wp

from planetfall.world.terrain.dem.dem import DemFound, DemParams, dem_facet
from planetfall.world.terrain.facets.nearest_facet import measured
from planetfall.world.terrain.facets.triangle import ROUNDOFF, larger, smaller
from planetfall.world.terrain.model import GROUND_OK, Ground


@wp.func
def node_at(dem: wp.ref[DemParams], i: int, j: int) -> wp.vec3d:
    """A node [m], surface frame; the same bits for all facets that share it."""
    above = wp.vec3d(wp.float64(i) * dem.spacing_x, wp.float64(j) * dem.spacing_y, wp.float64(0.0))
    node = dem.origin + above
    node[2] = dem.origin[2] + dem.heights[j, i]
    return node


@wp.struct
class FacetSide:
    """The side of its column's facet that a point is nearest to, seen from above.

    `away` [m]: how far, and `next_away` [m] the next one; `inward`: unit vector from the side into the facet. Beyond it
    is the other facet of the kind of cell (`i`, `j`), whose third node is (`node_i`, `node_j`).
    """

    away: wp.float64
    next_away: wp.float64
    inward: wp.vec2d
    i: wp.int32
    j: wp.int32
    node_i: wp.int32
    node_j: wp.int32


@wp.func
def nearest_side(dem: wp.ref[DemParams], found: DemFound) -> FacetSide:
    """The nearest of the cell's diagonal, the side along east, and the side along north."""
    one = wp.float64(1.0)
    zero = wp.float64(0.0)
    lower = found.is_upper == 0
    sign = wp.where(lower, one, -one)
    along_east = wp.where(lower, found.b, one - found.b) * dem.spacing_y
    along_north = wp.where(lower, one - found.a, found.a) * dem.spacing_x
    out = FacetSide()
    out.away = wp.abs(found.a - found.b) * dem.diagonal
    out.next_away = smaller(along_east, along_north)
    out.inward = wp.vec2d(sign * dem.across[0], sign * dem.across[1])
    out.i = found.i
    out.j = found.j
    out.node_i = wp.where(lower, found.i, found.i + 1)
    out.node_j = wp.where(lower, found.j + 1, found.j)
    if along_east < out.away and along_east <= along_north:
        out.next_away = smaller(out.away, along_north)
        out.away = along_east
        out.inward = wp.vec2d(zero, sign)
        out.j = wp.where(lower, found.j - 1, found.j + 1)
        out.node_j = wp.where(lower, found.j - 1, found.j + 2)
    elif along_north < out.away:
        out.next_away = smaller(out.away, along_east)
        out.away = along_north
        out.inward = wp.vec2d(-sign, zero)
        out.i = wp.where(lower, found.i + 1, found.i - 1)
        out.node_i = wp.where(lower, found.i + 2, found.i - 1)
        out.node_j = wp.where(lower, found.j + 1, found.j)
    return out


@wp.func
def node_square(dem: wp.ref[DemParams], found: DemFound) -> wp.float64:
    """Squared distance [m^2] of a point from the nearest node of its facet, seen from above."""
    west = found.a * dem.spacing_x
    south = found.b * dem.spacing_y
    east = dem.spacing_x - west
    north = dem.spacing_y - south
    third = wp.where(found.is_upper == 0, east * east + south * south, west * west + north * north)
    return smaller(smaller(west * west + south * south, east * east + north * north), third)


@wp.struct
class Answer:
    """The `ground` of a point; a gap of zero: others may be nearer.

    And what can be kept of it: the `corner` [m] and the `way` of the face or side that has the nearest point, as
    `KeptFacets` has them, and how far [m] the point may go with them, 0 or less for not at all.
    """

    ground: Ground
    corner: wp.vec3d
    way: wp.vec4d
    radius: wp.float64


@wp.func
def lone_reach(dem: wp.ref[DemParams], found: DemFound, side: FacetSide) -> wp.float64:
    """Radius [m] of a ball that reaches across one side of a point's facet and meets it and its neighbour alone.

    Sides that meet in a node make an angle whose sine is at least `diagonal` over the longer spacing: a ball that is
    smaller than that times the distance of every node crosses no side but those of the point's own facet.
    """
    return smaller(side.next_away, wp.sqrt(node_square(dem, found) * dem.across[2])) - dem.blur


@wp.func
def by_face(ground: Ground, corner: wp.vec3d, radius: wp.float64) -> Answer:
    """The nearest point is on a face, and stays there while the asking one goes no farther than the radius."""
    out = Answer()
    out.ground = ground
    out.corner = corner
    out.way = wp.vec4d(ground.normal[0], ground.normal[1], ground.normal[2], wp.float64(0.0))
    out.radius = radius
    return out


@wp.func
def nearest_of_two(dem: wp.ref[DemParams], p: wp.vec3d, found: DemFound) -> Answer:
    """The ground of a point in it by its facet and the one across the nearest side."""
    half = wp.float64(0.5)
    depth = -found.ground.gap
    side = nearest_side(dem, found)
    if depth + dem.blur < side.away:
        return by_face(found.ground, found.corner, (side.away - depth) * half)
    reach = lone_reach(dem, found, side)
    if depth >= reach:
        return Answer()
    if side.i < 0 or side.j < 0 or side.i > dem.heights.shape[1] - 2 or side.j > dem.heights.shape[0] - 2:
        return Answer()
    normal = found.ground.normal
    foot = side.away + depth * (side.inward[0] * normal[0] + side.inward[1] * normal[1])
    node = node_at(dem, side.node_i, side.node_j)
    if foot > dem.blur and wp.dot(node - found.corner, normal) >= wp.float64(0.0):
        # the neighbour is beyond the plane at which the ball about the point ends
        return by_face(found.ground, found.corner, smaller(foot, (reach - depth) * half))
    return nearest_across(dem, p, found, side, foot, reach)


@wp.func
def nearest_across(
    dem: wp.ref[DemParams], p: wp.vec3d, found: DemFound, side: FacetSide, foot: wp.float64, reach: wp.float64
) -> Answer:
    """The same, where the neighbour has to be looked at; `foot` [m]: how far inside its own facet the point's foot is.

    The nearest point is on the nearer of the two facets that have the point's foot; if neither has, on the side.
    """
    zero = wp.float64(0.0)
    half = wp.float64(0.5)
    ground = Ground()
    plane = dem_facet(dem, side.i, side.j, zero, zero, 1 - found.is_upper)
    up = wp.float64(1.0) / wp.sqrt(wp.float64(1.0) + plane.slope_x * plane.slope_x + plane.slope_y * plane.slope_y)
    ground.normal = wp.vec3d(-plane.slope_x * up, -plane.slope_y * up, up)
    ground.facet = plane.index
    ground.status = GROUND_OK
    corner = node_at(dem, side.i, side.j)
    ground.gap = wp.dot(p - corner, ground.normal)
    inside = ground.gap * (side.inward[0] * ground.normal[0] + side.inward[1] * ground.normal[1]) - side.away
    # written so that a height that is not a number, and a foot on the side but for rounding, leave it to the search
    if not (ground.gap < zero and wp.abs(foot) > dem.blur and wp.abs(inside) > dem.blur):
        return Answer()
    own = -found.ground.gap
    other = -ground.gap
    if foot < zero and inside < zero:
        out = by_side(dem, p, found, side, wp.min(found.ground.facet, plane.index))
        distance = -out.ground.gap
        if distance >= reach:
            return Answer()
        out.radius = smaller(smaller(-foot, -inside), smaller(distance, (reach - distance) * half))
        return out
    # the face that answers does so while the other has no foot of the point, or a plane that is farther away
    apart = wp.abs(own - other) - smaller(own, other) * ROUNDOFF - dem.grain - dem.blur
    if foot > zero and inside > zero and apart <= zero:
        return Answer()  # as near, but for rounding
    apart = apart * half
    if foot > zero and (inside < zero or own < other):
        stays = smaller(foot, larger(-inside, wp.where(own < other, apart, zero)))
        return by_face(found.ground, found.corner, smaller(stays, (reach - own) * half))
    if other >= reach:
        return Answer()
    stays = smaller(inside, larger(-foot, wp.where(other < own, apart, zero)))
    return by_face(ground, corner, smaller(stays, (reach - other) * half))


@wp.func
def by_side(dem: wp.ref[DemParams], p: wp.vec3d, found: DemFound, side: FacetSide, facet: wp.int32) -> Answer:
    """The ground of a point whose nearest point is on a side.

    Corners are in the order of the facet with the lower index: from east to west, south to north, north-east to
    south-west.
    """
    i = found.i
    j = found.j
    from_i = i + 1
    from_j = j + 1
    to_i = i
    to_j = j
    if side.j != j:
        from_j = wp.max(side.j, j)
        to_j = from_j
    elif side.i != i:
        from_i = wp.max(side.i, i)
        to_i = from_i
        from_j = j
        to_j = j + 1
    out = Answer()
    out.corner = node_at(dem, from_i, from_j)
    along = wp.normalize(node_at(dem, to_i, to_j) - out.corner)
    out.way = wp.vec4d(along[0], along[1], along[2], wp.float64(-1.0))
    out.ground = measured(p, out.corner, out.way)
    out.ground.facet = facet
    return out

"""The nearest point of a map to a point in its ground that is deeper than one side of its column's facet is away.

Where no other side and no node is as near, only that facet and the one across the side can have the nearest point. If
the foot of the point is on either of them, the nearer plane has the nearest point, else the side has it: no search and
no memory. It is the common case of shallow contact, and on a GPU, where 32 threads go the way of any of them, what
decides the cost.
"""

import warp as wp

from planetfall.world.terrain.dem.dem import DemFound, DemParams, dem_facet
from planetfall.world.terrain.facets.nearest_facet import measured
from planetfall.world.terrain.facets.triangle import ROUNDOFF, smaller
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


@wp.func
def is_alone(dem: wp.ref[DemParams], found: DemFound, side: FacetSide, reach: wp.float64) -> wp.bool:
    """Whether a ball that reaches across one side of a point's facet meets that facet and its neighbour alone.

    Sides that meet in a node make an angle whose sine is at least `diagonal` over the longer spacing: a ball that is
    smaller than that times the distance of every node crosses no side but those of the point's own facet.
    """
    return reach < side.next_away and reach * reach < node_square(dem, found) * dem.across[2]


@wp.func
def nearest_of_two(dem: wp.ref[DemParams], p: wp.vec3d, found: DemFound) -> Ground:
    """The ground of a point by its facet and the one across the nearest side; a gap of zero: others may matter."""
    none = Ground()
    depth = -found.ground.gap
    side = nearest_side(dem, found)
    if depth + dem.blur < side.away:
        return found.ground
    if not is_alone(dem, found, side, depth + dem.blur):
        return none
    if side.i < 0 or side.j < 0 or side.i > dem.heights.shape[1] - 2 or side.j > dem.heights.shape[0] - 2:
        return none
    normal = found.ground.normal
    foot = side.away + depth * (side.inward[0] * normal[0] + side.inward[1] * normal[1])
    node = node_at(dem, side.node_i, side.node_j)
    if foot > dem.blur and wp.dot(node - found.corner, normal) >= wp.float64(0.0):
        return found.ground  # the neighbour is beyond the plane at which the ball about the point ends
    return nearest_across(dem, p, found, side, foot)


@wp.func
def nearest_across(dem: wp.ref[DemParams], p: wp.vec3d, found: DemFound, side: FacetSide, foot: wp.float64) -> Ground:
    """The same, where the neighbour has to be looked at; `foot` [m]: how far inside its own facet the point's foot is.

    The nearest point is on the nearer of the two facets that have the point's foot; if neither has, on the side.
    """
    zero = wp.float64(0.0)
    ground = Ground()
    plane = dem_facet(dem, side.i, side.j, zero, zero, 1 - found.is_upper)
    up = wp.float64(1.0) / wp.sqrt(wp.float64(1.0) + plane.slope_x * plane.slope_x + plane.slope_y * plane.slope_y)
    ground.normal = wp.vec3d(-plane.slope_x * up, -plane.slope_y * up, up)
    gap = wp.dot(p - node_at(dem, side.i, side.j), ground.normal)
    inside = gap * (side.inward[0] * ground.normal[0] + side.inward[1] * ground.normal[1]) - side.away
    # written so that a height that is not a number, and a foot on the side but for rounding, leave it to the search
    if not (gap < zero and wp.abs(foot) > dem.blur and wp.abs(inside) > dem.blur):
        return ground
    if foot < zero and inside < zero:
        return by_side(dem, p, found, side, wp.min(found.ground.facet, plane.index))
    own = -found.ground.gap
    limit = smaller(own, -gap) * (wp.float64(1.0) + ROUNDOFF) + dem.grain
    is_first = own <= limit and found.ground.facet < plane.index
    if foot > zero and (inside < zero or is_first or -gap > limit):
        return found.ground
    if -gap <= limit or is_alone(dem, found, side, dem.blur - gap):
        ground.gap = gap
        ground.facet = plane.index
        ground.status = GROUND_OK
    return ground


@wp.func
def by_side(dem: wp.ref[DemParams], p: wp.vec3d, found: DemFound, side: FacetSide, facet: wp.int32) -> Ground:
    """The ground of a point whose nearest point is on a side; a gap of zero: others may be nearer.

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
    corner = node_at(dem, from_i, from_j)
    along = wp.normalize(node_at(dem, to_i, to_j) - corner)
    out = measured(p, corner, wp.vec4d(along[0], along[1], along[2], wp.float64(-1.0)))
    out.facet = facet
    if not is_alone(dem, found, side, dem.blur - out.gap):
        out.gap = wp.float64(0.0)
    return out

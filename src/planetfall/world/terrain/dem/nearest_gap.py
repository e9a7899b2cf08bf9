"""The gap to an elevation map as one potential: in the ground, minus the distance to the nearest point of its facets.

The side is that of the column: a point is in the ground if it is below the facet whose column holds it. Outside the
ground the gap is that of the column (`dem`). In it, the two are the same while the depth is less than the facet's sides
are away, seen from above: a ball about the point that reaches no other column meets no other facet. Where it does, the
nearest point is searched for among the cells about it, ring by ring, and kept (`nearest_facet`); on a GPU only where
the facet across one side does not decide (`across`), and what that says is kept as well. The nearest point may lie on
any facet of the map; there is none beyond its edge or in a hole.
"""

from typing import Any

import warp as wp

from planetfall.world.terrain.dem.across import nearest_of_two, node_at
from planetfall.world.terrain.dem.dem import (
    MAP,
    DemFound,
    DemParams,
    dem_facet,
    dem_find,
    dem_ray,
    empty_memory,
    keep_column,
    room_of,
)
from planetfall.world.terrain.facets.nearest_facet import (
    FIND_ALL,
    FacetSource,
    Search,
    empty_kept,
    measured,
    nearest_facet,
    weighed,
)
from planetfall.world.terrain.facets.triangle import Facet, Nearest, larger, smaller
from planetfall.world.terrain.model import GROUND_OK, Ground, TerrainModel

ROOM = wp.constant(wp.float64(1.0 + 1.0e-9))
"""Times a squared distance, within which cells are looked at, so that rounding leaves no facet out."""


@wp.func
def dem_triangle(dem: wp.ref[DemParams], index: int) -> Facet:
    """A facet by its index."""
    cell = index // 2
    n_cells = dem.heights.shape[1] - 1
    j = cell // n_cells
    i = cell - j * n_cells
    zero = wp.float64(0.0)
    plane = dem_facet(dem, i, j, zero, zero, index - 2 * cell)
    up = wp.float64(1.0) / wp.sqrt(wp.float64(1.0) + plane.slope_x * plane.slope_x + plane.slope_y * plane.slope_y)
    out = Facet()
    out.normal = wp.vec3d(-plane.slope_x * up, -plane.slope_y * up, up)
    out.a = node_at(dem, i, j)
    out.b = node_at(dem, i + 1, j + 1)
    out.c = out.b
    if index - 2 * cell == 1:
        out.c = node_at(dem, i, j + 1)
    else:
        out.b = node_at(dem, i + 1, j)
    return out


@wp.func
def dem_index(dem: wp.ref[DemParams], place: int) -> wp.int32:
    """Facets are found by their index."""
    return place


@wp.func
def is_known(dem: wp.ref[DemParams], i: int, j: int, is_upper: int) -> int:
    """Whether a facet of cell (i, j) has no node of unknown height: 1 or 0."""
    total = dem.heights[j, i] + dem.heights[j + 1, i + 1]
    if is_upper == 1:
        total += dem.heights[j + 1, i]
    else:
        total += dem.heights[j, i + 1]
    if total == total:
        return 1
    return 0


@wp.func
def outside_by(x: wp.float64, low: wp.float64, high: wp.float64) -> wp.float64:
    """How far a coordinate is outside an interval."""
    return larger(larger(low - x, x - high), wp.float64(0.0))


@wp.func
def cell_square(dem: wp.ref[DemParams], i: int, j: int, p: wp.vec3d) -> wp.float64:
    """Squared distance [m^2] of a point from the box about a cell, or less; of unknown heights none count."""
    sw = dem.heights[j, i]
    se = dem.heights[j, i + 1]
    nw = dem.heights[j + 1, i]
    ne = dem.heights[j + 1, i + 1]
    low = smaller(smaller(sw, se), smaller(nw, ne))
    high = larger(larger(sw, se), larger(nw, ne))
    from_origin = p - dem.origin
    x = outside_by(from_origin[0], wp.float64(i) * dem.spacing_x, wp.float64(i + 1) * dem.spacing_x)
    y = outside_by(from_origin[1], wp.float64(j) * dem.spacing_y, wp.float64(j + 1) * dem.spacing_y)
    z = outside_by(from_origin[2], low, high)
    if sw + se + nw + ne != sw + se + nw + ne:
        z = wp.float64(0.0)
    x = larger(x - dem.blur, wp.float64(0.0))
    y = larger(y - dem.blur, wp.float64(0.0))
    z = larger(z - dem.blur, wp.float64(0.0))
    return x * x + y * y + z * z


@wp.func
def search_cell(
    dem: wp.ref[DemParams], start: Search, i: int, j: int, p: wp.vec3d, what: int, places: wp.array3d(dtype=wp.int32),
    point: int, run: int,
) -> Search:  # fmt: skip
    """A search with the facets of one more cell looked at."""
    found = start
    if i < 0 or j < 0 or i > dem.heights.shape[1] - 2 or j > dem.heights.shape[0] - 2:
        return found
    if cell_square(dem, i, j, p) > found.limit * ROOM:
        return found
    is_upper = int(0)
    while is_upper < 2:
        if is_known(dem, i, j, is_upper) == 1:
            index = 2 * (j * (dem.heights.shape[1] - 1) + i) + is_upper
            before = found.count
            found = weighed(found, dem_triangle(dem, index), index, index, p, what)
            if what == FIND_ALL and found.count > before and before < places.shape[0]:
                places[before, point, run] = index
        is_upper += 1
    return found


@wp.func
def ring_distance(dem: wp.ref[DemParams], u: wp.float64, v: wp.float64, i: int, j: int, ring: int) -> wp.float64:
    """How far [m] a point at u, v cells, in cell (i, j), is at least from the cells `ring` away, seen from above."""
    rings = wp.float64(ring)
    a = u - wp.float64(i)
    b = v - wp.float64(j)
    one = wp.float64(1.0)
    across_x = smaller(a + rings - one, rings - a) * dem.spacing_x
    across_y = smaller(b + rings - one, rings - b) * dem.spacing_y
    return larger(smaller(across_x, across_y) - dem.blur, wp.float64(0.0))


@wp.func(inline=False)
def dem_search(
    dem: wp.ref[DemParams], start: Search, p: wp.vec3d, what: int, places: wp.array3d(dtype=wp.int32), point: int,
    run: int,
) -> Search:  # fmt: skip
    """Looks at every facet within `start.limit` of a point over the map, ring by ring of cells about it."""
    found = start
    n_x = dem.heights.shape[1]
    n_y = dem.heights.shape[0]
    u = (p[0] - dem.origin[0]) / dem.spacing_x
    v = (p[1] - dem.origin[1]) / dem.spacing_y
    i = wp.clamp(wp.int32(u), 0, n_x - 2)
    j = wp.clamp(wp.int32(v), 0, n_y - 2)
    found = search_cell(dem, found, i, j, p, what, places, point, run)
    ring = int(1)
    away = ring_distance(dem, u, v, i, j, ring)
    while ring < wp.max(n_x, n_y) and away * away <= found.limit * ROOM:
        row = wp.max(j - ring, 0)
        while row <= wp.min(j + ring, n_y - 2):
            stride = 2 * ring
            if row == j - ring or row == j + ring:
                stride = 1
            column = i - ring
            while column <= i + ring:
                found = search_cell(dem, found, column, row, p, what, places, point, run)
                column += stride
            row += 1
        if what == FIND_ALL and found.count > places.shape[0]:
            return found  # more than there is room for, which is all that matters
        ring += 1
        away = ring_distance(dem, u, v, i, j, ring)
    return found


@wp.func
def dem_side(dem: wp.ref[DemParams], place: int, near: Nearest, p: wp.vec3d) -> wp.float64:
    """Facets are asked for in the ground alone."""
    return wp.float64(-1.0)


@wp.func
def dem_status(dem: wp.ref[DemParams], place: int, feature: wp.int32) -> wp.int32:
    """The column says where there is no ground."""
    return GROUND_OK


@wp.func
def dem_free(dem: wp.ref[DemParams], p: wp.vec3d) -> wp.float64:
    """How far [m] a point may go and be over known ground still.

    Where all cells about its own are known, to their end; else to the sides of its facet.
    """
    u = (p[0] - dem.origin[0]) / dem.spacing_x
    v = (p[1] - dem.origin[1]) / dem.spacing_y
    i = wp.int32(u)
    j = wp.int32(v)
    if i < 1 or j < 1 or i > dem.heights.shape[1] - 3 or j > dem.heights.shape[0] - 3:
        return room_of(dem, p, dem_find(dem, p))
    total = wp.float64(0.0)
    row = j - 1
    while row < j + 3:
        column = i - 1
        while column < i + 3:
            total += dem.heights[row, column]
            column += 1
        row += 1
    if total != total:
        return room_of(dem, p, dem_find(dem, p))
    return ring_distance(dem, u, v, i, j, 2)


DEM_FACETS = nearest_facet(FacetSource(DemParams, dem_triangle, dem_index, dem_search, dem_side, dem_status, dem_free))
_alone, _least_square = DEM_FACETS.alone, DEM_FACETS.least_square
_make_list, _listed = DEM_FACETS.make_list, DEM_FACETS.listed


@wp.func
def is_column(dem: wp.ref[DemParams], p: wp.vec3d, found: DemFound) -> wp.bool:
    """Whether the gap is that of the column: outside, by rounding too, and where its facet is certainly the nearest."""
    if found.ground.status != GROUND_OK or found.ground.gap > -dem.blur * found.ground.normal[2]:
        return True
    return -found.ground.gap < room_of(dem, p, found)


@wp.func(inline=False)
def nearest_below(dem: wp.ref[DemParams], p: wp.vec3d, j: int, run: int) -> Ground:
    """Gap of a point in the ground by its list or by all cells; renews what the point keeps."""
    if run < 0:
        return _alone(dem, p)
    held = dem.kept.list_ball[j, run]
    if not (wp.length_sq(p - wp.vec3d(held[0], held[1], held[2])) <= held[3]):
        _make_list(dem, p, wp.sqrt(_least_square(dem, p)), j, run)
    if dem.kept.count[j, run] < 0:
        dem.kept.ball[j, run] = wp.vec4d(p[0], p[1], p[2], wp.float64(-1.0))
        return _alone(dem, p)
    return _listed(dem, p, j, run)


@wp.func
def kept_below(dem: wp.ref[DemParams], position: wp.vec3d, j: int, run: int) -> Ground:
    """The ground by the nearest feature that a point in the ground has kept; a gap of zero or more: none is."""
    ground = Ground()
    ball = dem.kept.ball[j, run]
    if wp.length_sq(position - wp.vec3d(ball[0], ball[1], ball[2])) < ball[3]:
        ground = measured(position, dem.kept.corner[j, run], dem.kept.way[j, run])
        ground.facet = dem.kept.facet[j, run]
    return ground


@wp.func(inline=False)
def nearest_look_up(dem: wp.ref[DemParams], position: wp.vec3d, point: int, run: int) -> Ground:
    """Gap of a point; renews what it keeps."""
    found = dem_find(dem, position)
    if run >= 0 and found.ground.status == GROUND_OK:
        keep_column(dem, position, found, point, run)
    if is_column(dem, position, found):
        return found.ground
    return nearest_below(dem, position, point, run)


# inlined: what most queries need is a few lines
@wp.func(inline=True)
def dem_gap(dem: wp.ref[DemParams], position: wp.vec3d, point: int, run: int) -> Ground:
    """Gap to a map; run = -1 asks without memory."""
    if run >= 0:
        circle = dem.memory.circle[point, run]
        east = position[0] - circle[0]
        north = position[1] - circle[1]
        moved = east * east + north * north
        if moved < circle[2]:
            ground = Ground()
            ground.normal = dem.memory.normal[point, run]
            ground.gap = wp.dot(position - dem.memory.corner[point, run], ground.normal)
            ground.facet = dem.memory.facet[point, run]
            ground.status = GROUND_OK
            room = circle[3] + ground.gap
            if ground.gap >= wp.float64(0.0) or (room > wp.float64(0.0) and moved < room * room):
                return ground
        kept = kept_below(dem, position, point, run)
        if kept.gap < -dem.blur:
            return kept
    return nearest_look_up(dem, position, point, run)


@wp.func(inline=False)
def renewed_below(dem: wp.ref[DemParams], position: wp.vec3d, found: DemFound, point: int, run: int) -> Ground:
    """The gap of a point in the ground; renews what it keeps."""
    either = nearest_of_two(dem, position, found)
    if either.ground.gap >= wp.float64(0.0):
        return nearest_below(dem, position, point, run)
    if run >= 0:
        radius = larger(either.radius * wp.float64(0.999) - wp.float64(4.0) * dem.grain - dem.blur, wp.float64(0.0))
        dem.kept.ball[point, run] = wp.vec4d(position[0], position[1], position[2], radius * radius)
        dem.kept.corner[point, run] = either.corner
        dem.kept.way[point, run] = either.way
        dem.kept.facet[point, run] = either.ground.facet
    return either.ground


@wp.func
def dem_gap_anew(dem: wp.ref[DemParams], position: wp.vec3d, point: int, run: int) -> Ground:
    """The same, to the bit, with memory of what is nearest alone, and a search only where two facets do not decide."""
    found = dem_find(dem, position)
    if found.ground.status != GROUND_OK or found.ground.gap > -dem.blur * found.ground.normal[2]:
        return found.ground
    if run >= 0:
        kept = kept_below(dem, position, point, run)
        if kept.gap < -dem.blur:
            return kept
    return renewed_below(dem, position, found, point, run)


def room_of_all(params: DemParams, n_points: int, n_runs: int, device: str) -> Any:
    """Gives each contact point of each run something to keep its column and its nearest facets in."""
    kept = empty_kept(n_points, n_runs, device)  # `params.kept` is a copy that the next machine of a model overwrites
    params.kept = kept
    return kept, empty_memory(params, n_points, n_runs, device)


def room_of_nearest(params: DemParams, n_points: int, n_runs: int, device: str) -> Any:
    """Gives each contact point of each run something to keep its nearest facets in."""
    kept = empty_kept(n_points, n_runs, device)
    params.kept = kept
    return kept


TERRAIN_DEM = TerrainModel("dem", DemParams, dem_gap, dem_ray, make_memory=room_of_all, **MAP)
_gpu: Any = {"make_memory": room_of_nearest, "is_called": True, "is_register_bound": True, **MAP}
TERRAIN_DEM_GPU = TerrainModel("dem", DemParams, dem_gap_anew, dem_ray, **_gpu)
"""The same answers for a GPU, which has the heights sooner than what each point would keep of its column."""

"""A digital elevation map: a regular grid of heights, two exact facets per cell, no smoothing.

Nodes lie at `origin + (i spacing_x, j spacing_y, height[j, i])`. Each cell is cut along the diagonal from its
south-west to its north-east node. A facet with a node of unknown height (NaN) is a hole.

Here the ground of a point is the facet whose vertical column holds it, and the gap is measured along that facet's
normal (Raiszadeh2012 Eq. 2). It jumps where a point in the ground passes from one column to the next; `nearest_gap` has
the gap that does not, and falls back on this one outside the ground. Rays meet the facets, whichever gap is used.

Each contact point keeps the plane of the facet it is over and a circle inside that facet, seen from above: while it is
over the circle, its gap is a dot product.
"""

from typing import Any

import warp as wp

from planetfall.world.terrain.facets.nearest_facet import KeptFacets
from planetfall.world.terrain.facets.triangle import larger
from planetfall.world.terrain.model import (
    GROUND_HOLE,
    GROUND_OFF_MAP,
    GROUND_OK,
    RAY_HIT,
    RAY_MISS,
    Ground,
    RayHit,
    TerrainModel,
)

FAR = wp.constant(wp.float64(1.0e300))
"""Gap and range where there is no ground: nothing can touch it."""


@wp.struct
class DemMemory:
    """What each contact point keeps of the facet it is over; `[point, run]`.

    `circle`: centre east and north [m], squared radius [m^2], negative for none, and radius [m]; the facet's south-west
    `corner` [m] and outward `normal`, surface frame; its index `facet`.
    """

    circle: wp.array2d(dtype=wp.vec4d)
    corner: wp.array2d(dtype=wp.vec3d)
    normal: wp.array2d(dtype=wp.vec3d)
    facet: wp.array2d(dtype=wp.int32)


@wp.struct
class DemParams:
    """A grid of heights.

    `origin` [m]: node (0, 0) at height zero, surface frame; `spacing_x`, `spacing_y` [m], positive; `diagonal` [m]: how
    far a cell's other nodes are from its diagonal; `across`: unit vector across that, to the south-east, and the
    squared sine of the least angle between sides; `heights` [row, column] [m], row to the north, column to the east,
    NaN unknown; `lowest`, `highest` [m] of the known ones; no facet is steeper than `steepest` [m/m]; `list_radius`,
    `grain`, `blur` [m] as a `FacetSource` has them; `memory` of columns and `kept` of nearest facets.
    """

    origin: wp.vec3d
    spacing_x: wp.float64
    spacing_y: wp.float64
    diagonal: wp.float64
    across: wp.vec3d
    heights: wp.array2d(dtype=wp.float64)
    lowest: wp.float64
    highest: wp.float64
    steepest: wp.float64
    list_radius: wp.float64
    grain: wp.float64
    blur: wp.float64
    memory: DemMemory
    kept: KeptFacets


@wp.struct
class DemFacet:
    """The plane of a facet over its cell: height `z` [m] above a point, slopes [-] to the east and north, its index."""

    z: wp.float64
    slope_x: wp.float64
    slope_y: wp.float64
    index: wp.int32


@wp.func
def dem_facet(dem: wp.ref[DemParams], i: int, j: int, a: wp.float64, b: wp.float64, is_upper: int) -> DemFacet:
    """One of the two facets of cell (i, j), evaluated a and b cells east and north of its south-west node."""
    out = DemFacet()
    sw = dem.heights[j, i]
    ne = dem.heights[j + 1, i + 1]
    east = ne
    north = ne
    if is_upper == 1:
        nw = dem.heights[j + 1, i]
        east = ne - nw
        north = nw - sw
    else:
        se = dem.heights[j, i + 1]
        east = se - sw
        north = ne - se
    out.z = dem.origin[2] + sw + east * a + north * b
    out.slope_x = east / dem.spacing_x
    out.slope_y = north / dem.spacing_y
    out.index = 2 * (j * (dem.heights.shape[1] - 1) + i) + is_upper
    return out


@wp.struct
class DemFound:
    """The `ground` of a point and the south-west `corner` [m] of its facet.

    And where that is: column `i` and row `j` of its cell, `is_upper`, and how many cells `a` and `b` the point is east
    and north of the corner.
    """

    ground: Ground
    corner: wp.vec3d
    i: wp.int32
    j: wp.int32
    is_upper: wp.int32
    a: wp.float64
    b: wp.float64


@wp.func
def dem_find(dem: wp.ref[DemParams], position: wp.vec3d) -> DemFound:
    """The facet under (or over) a point."""
    found = DemFound()
    found.ground.gap = FAR
    found.ground.normal = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0))
    found.ground.facet = wp.int32(-1)
    found.ground.status = GROUND_OFF_MAP
    east = position[0] - dem.origin[0]
    north = position[1] - dem.origin[1]
    u = east / dem.spacing_x
    v = north / dem.spacing_y
    n_x = dem.heights.shape[1]
    n_y = dem.heights.shape[0]
    zero = wp.float64(0.0)
    # written so that a position that is not a number is off the map
    if not (u >= zero and v >= zero and u <= wp.float64(n_x - 1) and v <= wp.float64(n_y - 1)):
        return found
    i = wp.min(wp.int32(u), n_x - 2)
    j = wp.min(wp.int32(v), n_y - 2)
    a = u - wp.float64(i)
    b = v - wp.float64(j)
    is_upper = int(0)
    if b > a:
        is_upper = int(1)
    facet = dem_facet(dem, i, j, zero, zero, is_upper)
    if facet.z + facet.slope_x + facet.slope_y != facet.z + facet.slope_x + facet.slope_y:  # a node is not a number
        found.ground.status = GROUND_HOLE
        return found
    up = wp.float64(1.0) / wp.sqrt(wp.float64(1.0) + facet.slope_x * facet.slope_x + facet.slope_y * facet.slope_y)
    found.corner = dem.origin + wp.vec3d(wp.float64(i) * dem.spacing_x, wp.float64(j) * dem.spacing_y, zero)
    found.corner[2] = facet.z
    found.ground.status = GROUND_OK
    found.ground.normal = wp.vec3d(-facet.slope_x * up, -facet.slope_y * up, up)
    found.ground.gap = wp.dot(position - found.corner, found.ground.normal)
    found.ground.facet = facet.index
    found.i = i
    found.j = j
    found.is_upper = is_upper
    found.a = a
    found.b = b
    return found


@wp.func
def room_of(dem: wp.ref[DemParams], position: wp.vec3d, found: DemFound) -> wp.float64:
    """How far [m] a point over a facet is from the facet's sides at least, seen from above."""
    along_x = found.a
    along_y = wp.float64(1.0) - found.b
    if found.is_upper == 0:
        along_x = wp.float64(1.0) - found.a
        along_y = found.b
    across = wp.min(along_x * dem.spacing_x, along_y * dem.spacing_y)
    nearest = wp.min(across, wp.abs(found.a - found.b) * dem.diagonal)
    rounding = wp.float64(1.0e-14) * (position[0] - dem.origin[0] + (position[1] - dem.origin[1]))
    return nearest * wp.float64(0.999) - rounding


@wp.func
def keep_column(dem: wp.ref[DemParams], position: wp.vec3d, found: DemFound, point: int, run: int):
    """Keeps the facet that a point is over."""
    room = room_of(dem, position, found)
    squared = larger(room, wp.float64(0.0)) * room
    dem.memory.circle[point, run] = wp.vec4d(position[0], position[1], squared, room)
    dem.memory.corner[point, run] = found.corner
    dem.memory.normal[point, run] = found.ground.normal
    dem.memory.facet[point, run] = found.ground.facet


@wp.func(inline=False)
def column_look_up(dem: wp.ref[DemParams], position: wp.vec3d, point: int, run: int) -> Ground:
    """Gap to the facet under (or over) a point; renews what the point keeps."""
    found = dem_find(dem, position)
    if run >= 0 and found.ground.status == GROUND_OK:
        keep_column(dem, position, found, point, run)
    return found.ground


# inlined: what most queries need is a few lines
@wp.func(inline=True)
def column_gap(dem: wp.ref[DemParams], position: wp.vec3d, point: int, run: int) -> Ground:
    """Gap to the facet under (or over) a point; run = -1 asks without memory."""
    if run >= 0:
        circle = dem.memory.circle[point, run]
        east = position[0] - circle[0]
        north = position[1] - circle[1]
        if east * east + north * north < circle[2]:
            ground = Ground()
            ground.normal = dem.memory.normal[point, run]
            ground.gap = wp.dot(position - dem.memory.corner[point, run], ground.normal)
            ground.facet = dem.memory.facet[point, run]
            ground.status = GROUND_OK
            return ground
    return column_look_up(dem, position, point, run)


@wp.func
def column_gap_anew(dem: wp.ref[DemParams], position: wp.vec3d, point: int, run: int) -> Ground:
    """The same, to the bit, without memory."""
    return dem_find(dem, position).ground


def empty_memory(params: DemParams, n_points: int, n_runs: int, device: str) -> Any:
    """Gives each contact point of each run something to keep its facet in; there is none before its first query."""
    memory, shape = DemMemory(), (max(n_points, 1), n_runs)
    memory.circle = wp.full(shape, wp.vec4d(0.0, 0.0, -1.0, -1.0), dtype=wp.vec4d, device=device)
    memory.corner, memory.normal = (wp.zeros(shape, dtype=wp.vec3d, device=device) for _ in range(2))
    memory.facet = wp.zeros(shape, dtype=wp.int32, device=device)
    params.memory = memory
    return memory


@wp.struct
class Span:
    """Part of a ray: from `start` to `end` [m], empty when end < start."""

    start: wp.float64
    end: wp.float64


@wp.func
def clip_to_slab(span: Span, origin: wp.float64, direction: wp.float64, low: wp.float64, high: wp.float64) -> Span:
    """The part of a ray that lies between two planes across one axis."""
    out = span
    if direction == wp.float64(0.0):
        if origin < low or origin > high:
            out.end = wp.float64(-1.0)
    else:
        first = (low - origin) / direction
        second = (high - origin) / direction
        out.start = wp.max(span.start, wp.min(first, second))
        out.end = wp.min(span.end, wp.max(first, second))
    return out


@wp.func
def crossing_time(origin: wp.float64, direction: wp.float64, line: wp.float64) -> wp.float64:
    """Where a ray's coordinate reaches a value; FAR if it never does."""
    if direction == wp.float64(0.0):
        return FAR
    return (line - origin) / direction


@wp.func
def facet_crossing(
    dem: wp.ref[DemParams], u: wp.vec3d, du: wp.vec3d, i: int, j: int, start: wp.float64, end: wp.float64
) -> RayHit:
    """Front-face crossing of the one facet of cell (i, j) that a ray is over between start and end.

    `u` and `du` are the ray in cells east and north and metres up.
    """
    hit = RayHit()
    hit.range = end
    hit.status = RAY_MISS
    middle = (start + end) * wp.float64(0.5)
    is_upper = int(0)
    if u[1] + du[1] * middle - wp.float64(j) > u[0] + du[0] * middle - wp.float64(i):
        is_upper = int(1)
    at_start = dem_facet(
        dem, i, j, u[0] + du[0] * start - wp.float64(i), u[1] + du[1] * start - wp.float64(j), is_upper
    )
    at_end = dem_facet(dem, i, j, u[0] + du[0] * end - wp.float64(i), u[1] + du[1] * end - wp.float64(j), is_upper)
    above_start = u[2] + du[2] * start - at_start.z
    above_end = u[2] + du[2] * end - at_end.z
    # the ends are shared with the neighbouring pieces, so nothing slips through between them; NaN compares false
    if above_start >= wp.float64(0.0) and above_end <= wp.float64(0.0) and above_start > above_end:
        hit.range = start + (end - start) * above_start / (above_start - above_end)
        up = wp.float64(1.0) / wp.sqrt(
            wp.float64(1.0) + at_start.slope_x * at_start.slope_x + at_start.slope_y * at_start.slope_y
        )
        hit.normal = wp.vec3d(-at_start.slope_x * up, -at_start.slope_y * up, up)
        hit.facet = at_start.index
        hit.status = RAY_HIT
    return hit


@wp.func
def dem_ray(dem: wp.ref[DemParams], origin: wp.vec3d, direction: wp.vec3d, range_max: wp.float64) -> RayHit:
    """First front-face hit of a ray: the cells it passes over, one after the other, each cut by its diagonal."""
    zero = wp.float64(0.0)
    n_x = dem.heights.shape[1]
    n_y = dem.heights.shape[0]
    u = wp.vec3d((origin[0] - dem.origin[0]) / dem.spacing_x, (origin[1] - dem.origin[1]) / dem.spacing_y, origin[2])
    du = wp.vec3d(direction[0] / dem.spacing_x, direction[1] / dem.spacing_y, direction[2])
    span = Span()
    span.start = zero
    span.end = range_max
    span = clip_to_slab(span, u[0], du[0], zero, wp.float64(n_x - 1))
    span = clip_to_slab(span, u[1], du[1], zero, wp.float64(n_y - 1))
    margin = wp.float64(1.0e-6) * (wp.float64(1.0) + wp.abs(dem.highest) + wp.abs(dem.lowest))
    span = clip_to_slab(span, u[2], du[2], dem.origin[2] + dem.lowest - margin, dem.origin[2] + dem.highest + margin)
    hit = RayHit()
    hit.range = range_max
    hit.facet = wp.int32(-1)
    hit.status = RAY_MISS
    here = span.start
    i = wp.clamp(wp.int32(wp.floor(u[0] + du[0] * here)), 0, n_x - 2)
    j = wp.clamp(wp.int32(wp.floor(u[1] + du[1] * here)), 0, n_y - 2)
    cells = int(0)
    while here <= span.end and cells <= n_x + n_y and i >= 0 and j >= 0 and i <= n_x - 2 and j <= n_y - 2:
        cells += 1
        step_x = wp.where(du[0] > zero, 1, -1)
        step_y = wp.where(du[1] > zero, 1, -1)
        leave_x = crossing_time(u[0], du[0], wp.float64(i + wp.max(step_x, 0)))
        leave_y = crossing_time(u[1], du[1], wp.float64(j + wp.max(step_y, 0)))
        leave = wp.max(wp.min(wp.min(leave_x, leave_y), span.end), here)
        diagonal = crossing_time(u[1] - u[0], du[1] - du[0], wp.float64(j - i))
        cut = wp.clamp(diagonal, here, leave)
        found = facet_crossing(dem, u, du, i, j, here, cut)
        if found.status == RAY_MISS:
            found = facet_crossing(dem, u, du, i, j, cut, leave)
        if found.status == RAY_HIT:
            return found
        if leave >= span.end:
            return hit
        if leave_x <= leave_y:
            i += step_x
        else:
            j += step_y
        here = leave
    return hit


@wp.func
def dem_closing(dem: wp.ref[DemParams]) -> wp.float64:
    """A point comes down by what it moves, and the ground under it up by as much times its slope.

    The gap along a facet's normal is never more than the height over it, so that it may stand for that height.
    """
    return wp.float64(1.0) + dem.steepest


MAP: Any = {"closing": dem_closing, "column": column_gap_anew}
"""What is the same of maps, however gaps are measured."""
TERRAIN_DEM_COLUMN = TerrainModel("dem", DemParams, column_gap, dem_ray, make_memory=empty_memory, **MAP)
TERRAIN_DEM_COLUMN_GPU = TerrainModel("dem", DemParams, column_gap_anew, dem_ray, is_called=True, **MAP)
"""The same answers for a GPU, which has the heights sooner than what each point of each run would keep."""

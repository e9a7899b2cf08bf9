"""A signed distance field as ground: trilinear values on a grid, and the raw gradient of the same interpolant.

Inside this module the sign is the paper's (VanWal2017, Eq. 3): d > 0 inside the body. At the contract it is ours: the
gap is -d, and the normal is -grad d, which leaves the ground and is not normalised: with it the spring k d grad d is
the exact gradient of k d^2/2, so that it conserves energy.

Two levels. Coarse nodes, `BRICK` cells apart, cover the whole box. Every coarse cell that can be near the surface has a
brick of its own with fine nodes; bricks hold the nodes of their faces too, so that a query reads one brick only. The
cost of a query depends neither on the resolution nor on the shape. Where a cell has no brick the surface is at least a
band away, and values are those of the coarse nodes. Outside the box the gap is the distance to
the body's own bounding box, a lower bound of that to its surface.

Noise may be added to the distance (`noise`): d + n, with its exact gradient. Farther from the ground than the noise can
reach, the gap is a lower bound without it, unless gaps far away are wanted exactly.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.world.terrain.dem import FAR, Span, clip_to_slab
from planetfall.world.terrain.model import (
    GROUND_OFF_MAP,
    GROUND_OK,
    RAY_HIT,
    RAY_MISS,
    Ground,
    RayHit,
    TerrainModel,
)
from planetfall.world.terrain.noise import NoiseParams, noise_height

BRICK = 8
"""Cells of a brick along each axis; it has one node more."""
IN_BRICK = wp.constant(0)
IN_COARSE = wp.constant(1)
OUTSIDE = wp.constant(2)
NOWHERE = wp.constant(3)
HALF_DIAGONAL = wp.constant(wp.float64(0.8660254037844387))
"""sqrt(3)/2: how far, in cells, trilinear interpolation of exact distances can be off."""
RAY_STEP = wp.constant(wp.float64(1.0e-3))
"""Shortest stride of a ray, in cells: what a ray cuts off thinner than this, it may miss."""


@wp.struct
class SdfParams:
    """A signed distance field.

    `origin` [m]: its first node, surface frame; `spacing` [m] of fine nodes; `coarse` [i, j, k] [m]: d at coarse nodes;
    `brick_at` [i, j, k]: brick of a coarse cell, or -1; `bricks` [brick, i, j, k] [m]: d at fine nodes; `low`, `high`
    [m]: corners of a box that holds the body, noise included; `slope` [-]: bound of the interpolant's gradient;
    `is_exact_far`: 1 where noise is wanted far from the ground too; `noise`.
    """

    origin: wp.vec3d
    spacing: wp.float64
    coarse: wp.array3d(dtype=wp.float32)
    brick_at: wp.array3d(dtype=wp.int32)
    bricks: wp.array4d(dtype=wp.float32)
    low: wp.vec3d
    high: wp.vec3d
    slope: wp.float64
    is_exact_far: wp.int32
    noise: NoiseParams


@wp.struct
class Depth:
    """Distance `value` [m], d > 0 inside, its gradient `slope`, and where it comes from (IN_BRICK and so on)."""

    value: wp.float64
    slope: wp.vec3d
    place: wp.int32


@wp.struct
class Corners:
    """Values at the corners of a cell, and where in the cell a point lies, 0 to 1 along each axis."""

    low: wp.vec4d  # k = 0: (0, 0), (1, 0), (0, 1), (1, 1) in i, j
    high: wp.vec4d  # k = 1
    at: wp.vec3d


@wp.func
def trilinear(cell: Corners, inverse: wp.float64) -> Depth:
    """The trilinear interpolant and its own gradient; `inverse` is one over the spacing [1/m]."""
    a = cell.at[0]
    b = cell.at[1]
    along_z = cell.high - cell.low
    face = cell.low + along_z * cell.at[2]  # the four edges along z at the point's height
    x0 = face[1] - face[0]
    x1 = face[3] - face[2]
    y0 = face[0] + x0 * a
    y1 = face[2] + x1 * a
    z0 = along_z[0] + (along_z[1] - along_z[0]) * a
    z1 = along_z[2] + (along_z[3] - along_z[2]) * a
    out = Depth()
    out.value = y0 + (y1 - y0) * b
    out.slope = wp.vec3d(x0 + (x1 - x0) * b, y1 - y0, z0 + (z1 - z0) * b) * inverse
    return out


@wp.func
def coarse_corners(sdf: SdfParams, i: int, j: int, k: int, at: wp.vec3d) -> Corners:
    """Corners of a coarse cell."""
    cell = Corners()
    cell.at = at
    d = sdf.coarse
    cell.low = wp.vec4d(
        wp.float64(d[i, j, k]), wp.float64(d[i + 1, j, k]), wp.float64(d[i, j + 1, k]), wp.float64(d[i + 1, j + 1, k])
    )
    cell.high = wp.vec4d(
        wp.float64(d[i, j, k + 1]),
        wp.float64(d[i + 1, j, k + 1]),
        wp.float64(d[i, j + 1, k + 1]),
        wp.float64(d[i + 1, j + 1, k + 1]),
    )
    return cell


@wp.func
def brick_corners(sdf: SdfParams, brick: int, i: int, j: int, k: int, at: wp.vec3d) -> Corners:
    """Corners of a cell of a brick."""
    cell = Corners()
    cell.at = at
    d = sdf.bricks
    cell.low = wp.vec4d(
        wp.float64(d[brick, i, j, k]),
        wp.float64(d[brick, i + 1, j, k]),
        wp.float64(d[brick, i, j + 1, k]),
        wp.float64(d[brick, i + 1, j + 1, k]),
    )
    cell.high = wp.vec4d(
        wp.float64(d[brick, i, j, k + 1]),
        wp.float64(d[brick, i + 1, j, k + 1]),
        wp.float64(d[brick, i, j + 1, k + 1]),
        wp.float64(d[brick, i + 1, j + 1, k + 1]),
    )
    return cell


@wp.func
def depth_in_box(sdf: SdfParams, u: wp.vec3d) -> Depth:
    """Distance at a point of the box, given in fine cells from its first node."""
    cells = wp.float64(wp.static(BRICK))
    inverse = wp.float64(1.0) / sdf.spacing
    v = u / cells
    i = wp.min(wp.int32(v[0]), sdf.brick_at.shape[0] - 1)
    j = wp.min(wp.int32(v[1]), sdf.brick_at.shape[1] - 1)
    k = wp.min(wp.int32(v[2]), sdf.brick_at.shape[2] - 1)
    corner = wp.vec3d(wp.float64(i), wp.float64(j), wp.float64(k))
    brick = sdf.brick_at[i, j, k]
    if brick < 0:
        out = trilinear(coarse_corners(sdf, i, j, k, v - corner), inverse / cells)
        out.place = IN_COARSE
        return out
    w = u - corner * cells
    top = wp.static(BRICK - 1)
    i = wp.clamp(wp.int32(w[0]), 0, top)
    j = wp.clamp(wp.int32(w[1]), 0, top)
    k = wp.clamp(wp.int32(w[2]), 0, top)
    at = w - wp.vec3d(wp.float64(i), wp.float64(j), wp.float64(k))
    out = trilinear(brick_corners(sdf, brick, i, j, k, at), inverse)
    out.place = IN_BRICK
    return out


@wp.func
def box_size(sdf: SdfParams) -> wp.vec3d:
    """Edges of the box, in fine cells."""
    n = sdf.brick_at.shape
    return wp.vec3d(wp.float64(n[0]), wp.float64(n[1]), wp.float64(n[2])) * wp.float64(wp.static(BRICK))


@wp.func
def sdf_depth(sdf: SdfParams, position: wp.vec3d) -> Depth:
    """Distance at any point, without noise; a lower bound outside the box."""
    u = (position - sdf.origin) / sdf.spacing
    size = box_size(sdf)
    zero = wp.float64(0.0)
    inside = wp.vec3d(
        wp.clamp(u[0], zero, size[0]), wp.clamp(u[1], zero, size[1]), wp.clamp(u[2], zero, size[2])
    )  # fmt: skip
    out = depth_in_box(sdf, inside)
    beyond = (u - inside) * sdf.spacing
    s = wp.length(beyond)
    if s == zero:
        return out
    if not (s > zero):  # not a number
        out.place = NOWHERE
        return out
    out.place = OUTSIDE
    nearest = wp.max(wp.min(position, sdf.high), sdf.low)
    away = position - nearest
    bound = wp.length(away)
    if bound >= -out.value - s:
        out.value = -bound
        out.slope = away / -bound
    else:
        out.value = out.value + s
    return out


@wp.func
def without_noise(sdf: SdfParams, position: wp.vec3d, is_exact: int) -> Depth:
    """The field alone."""
    return sdf_depth(sdf, position)


@wp.func
def with_noise(sdf: SdfParams, position: wp.vec3d, is_exact: int) -> Depth:
    """The field with its noise where it can matter; beyond, a lower bound of the gap, unless asked to be exact."""
    out = sdf_depth(sdf, position)
    bound = wp.float64(sdf.noise.bound)
    if out.place >= OUTSIDE:
        return out  # the body's box counts the noise already
    if out.value < -bound and is_exact == 0:
        out.value += bound
        return out
    height = noise_height(sdf.noise, position)
    out.value += height.value
    out.slope += height.slope
    return out


@wp.func
def room_in_cell(sdf: SdfParams, u: wp.vec3d, du: wp.vec3d) -> wp.float64:
    """Distance along a ray [fine cells over |du|] to where it leaves its coarse cell, and a little beyond."""
    cells = wp.float64(wp.static(BRICK))
    least = FAR
    axis = int(0)
    while axis < 3:
        low = wp.floor(u[axis] / cells) * cells
        if du[axis] > wp.float64(0.0):
            least = wp.min(least, (low + cells - u[axis]) / du[axis])
        if du[axis] < wp.float64(0.0):
            least = wp.min(least, (low - u[axis]) / du[axis])
        axis += 1
    return least


@wp.func
def sound_stride(sdf: SdfParams, depth: Depth, noise: wp.float64, tilt: wp.float64, room: wp.float64) -> wp.float64:
    """Stride [m] along a ray that cannot jump over the surface, from a point of the given depth.

    Within a coarse cell the interpolant is continuous and no steeper than `slope` and the noise's `tilt`: |d|/slope. A
    node's value is a true distance, so that the surface is also no nearer than |d| less what interpolation here and
    there, and the noise, can be off.
    """
    here = HALF_DIAGONAL * sdf.spacing
    if depth.place == IN_COARSE:
        here = here * wp.float64(wp.static(BRICK))
    far = wp.abs(depth.value) - here - HALF_DIAGONAL * sdf.spacing - wp.float64(2.0) * noise
    near = wp.min(wp.abs(depth.value) / (sdf.slope + tilt), room)
    return wp.max(wp.max(near, far), RAY_STEP * sdf.spacing)


@lru_cache
def sdf_functions(has_noise: bool) -> tuple[Any, Any]:
    """The two queries of the contract, with or without noise in them."""
    depth = with_noise if has_noise else without_noise

    @wp.func
    def gap(sdf: SdfParams, position: wp.vec3d, point: int, run: int) -> Ground:
        found = depth(sdf, position, sdf.is_exact_far)
        ground = Ground()
        ground.gap = -found.value
        ground.normal = -found.slope
        ground.facet = wp.int32(-1)
        ground.status = GROUND_OK
        if found.place == NOWHERE:
            ground.gap = FAR
            ground.normal = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0))
            ground.status = GROUND_OFF_MAP
        return ground

    @wp.func
    def crossing(
        sdf: SdfParams, origin: wp.vec3d, direction: wp.vec3d, start: wp.float64, end: wp.float64
    ) -> wp.float64:
        """Where between start (outside) and end (inside) a ray meets the surface, by bisection."""
        low = start
        high = end
        i = int(0)
        while i < 50:
            middle = (low + high) * wp.float64(0.5)
            if depth(sdf, origin + direction * middle, 1).value > wp.float64(0.0):
                high = middle
            else:
                low = middle
            i += 1
        return high

    @wp.func
    def ray(sdf: SdfParams, origin: wp.vec3d, direction: wp.vec3d, range_max: wp.float64) -> RayHit:
        hit = RayHit()
        hit.range = range_max
        hit.facet = wp.int32(-1)
        hit.status = RAY_MISS
        zero = wp.float64(0.0)
        noise = zero
        tilt = zero
        if wp.static(has_noise):
            noise = wp.float64(sdf.noise.bound)
            tilt = wp.float64(sdf.noise.slope)
        du = direction / sdf.spacing
        start = (origin - sdf.origin) / sdf.spacing
        size = box_size(sdf)
        span = Span()
        span.start = zero
        span.end = range_max
        for axis in range(3):
            span = clip_to_slab(span, start[axis], du[axis], zero, size[axis])
        t = span.start
        before = t
        was_outside = int(0)
        while t <= span.end:
            place = origin + direction * t
            found = depth(sdf, place, 1)
            if found.value > zero:
                if was_outside == 1:
                    hit.range = crossing(sdf, origin, direction, before, t)
                    hit.normal = -depth(sdf, origin + direction * hit.range, 1).slope
                    hit.status = RAY_HIT
                    return hit
            else:
                if found.value == zero and wp.dot(found.slope, direction) > zero:  # starts on it, going in
                    hit.range = t
                    hit.normal = -found.slope
                    hit.status = RAY_HIT
                    return hit
                was_outside = int(1)
            if t == span.end:
                return hit
            before = t
            room = room_in_cell(sdf, start + du * t, du)
            t = wp.min(t + sound_stride(sdf, found, noise, tilt, room), span.end)
        return hit

    return gap, ray


@lru_cache
def sdf_steepness(has_noise: bool) -> Any:
    """How steep the field is, with its noise, for ways shorter than a cell.

    Bricks meet without a step, and a way that short that leaves them stays farther than a cell from the surface.
    """

    @wp.func
    def steepness(sdf: SdfParams) -> wp.vec2d:
        slope = wp.max(sdf.slope, wp.float64(1.0))
        if wp.static(has_noise):
            slope += wp.float64(sdf.noise.slope)
        return wp.vec2d(slope, sdf.spacing / slope)

    return steepness


def _look_ahead(params: SdfParams, is_wanted: bool) -> None:
    """Asks for noise far from the ground too, or for lower bounds."""
    params.is_exact_far = int(is_wanted)


TERRAIN_SDF = TerrainModel(
    "sdf", SdfParams, *sdf_functions(False), look_ahead=_look_ahead, steepness=sdf_steepness(False)
)
TERRAIN_SDF_NOISE = TerrainModel(
    "sdf-noise", SdfParams, *sdf_functions(True), look_ahead=_look_ahead, steepness=sdf_steepness(True)
)

"""A signed distance field as ground: trilinear values on a grid, and the raw gradient of the same interpolant.

Inside this module the sign is the paper's (VanWal2017, Eq. 3): d > 0 inside the body. At the contract it is ours: the
gap is -d, and the normal is -grad d, which leaves the ground and is not normalised: with it the spring k d grad d is
the exact gradient of k d^2/2, so that it conserves energy.

The field lies in cells of two sizes (`sdf_cell`); the cost of a query depends neither on the resolution nor on the
shape. Outside the box the gap is the distance to the body's own bounding box, a lower bound of that to its surface.

Noise may be added to the distance (`noise`): d + n, with its exact gradient. Farther from the ground than the noise can
reach, the gap is a lower bound without it, unless gaps far away are wanted exactly.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.fused import minus, minus_vector
from planetfall.world.terrain.dem.dem import FAR, Span, clip_to_slab
from planetfall.world.terrain.model import (
    GROUND_OFF_MAP,
    GROUND_OK,
    RAY_HIT,
    RAY_MISS,
    Ground,
    RayHit,
    TerrainModel,
    TerrainView,
)
from planetfall.world.terrain.noise.noise import noise_height
from planetfall.world.terrain.sdf.cell import (
    BRICK,
    CELL_ROWS,
    VIEW_ROWS,
    SdfCell,
    SdfGrid,
    SdfParams,
    SdfView,
    box_size,
    cell_at,
    depth_in_cell,
    edges_per_spacing,
    in_box,
    is_within,
    keep_cell,
    kept_cell,
    place_in_cell,
    recalled_view,
    renewed_view,
)

IN_BRICK = wp.constant(0)
IN_COARSE = wp.constant(1)
OUTSIDE = wp.constant(2)
NOWHERE = wp.constant(3)
HALF_DIAGONAL = wp.constant(wp.float64(0.8660254037844387))
"""sqrt(3)/2: how far, in cells, trilinear interpolation of exact distances can be off."""
RAY_STEP = wp.constant(wp.float64(1.0e-3))
"""Shortest stride of a ray, in cells: what a ray cuts off thinner than this, it may miss."""


@wp.struct
class Sounding:
    """Distance `value` [m], d > 0 inside, its gradient `slope`, and where it comes from (IN_BRICK and so on)."""

    value: wp.float64
    slope: wp.vec3d
    place: wp.int32


@wp.func
def sounded_afar(sdf: SdfGrid, cell: SdfCell, position: wp.vec3d) -> Sounding:
    """Distance at any point, given the cell around it or nearest to it; a lower bound outside the box."""
    inside = in_box(sdf, position)
    depth = depth_in_cell(cell, inside * edges_per_spacing(sdf.inverse, cell) - cell.corner)
    out = Sounding()
    out.value = depth.value
    out.slope = depth.slope
    out.place = wp.where(cell.scale == sdf.inverse, IN_BRICK, IN_COARSE)
    beyond = (position - sdf.origin) * sdf.inverse - inside
    if beyond == wp.vec3d():
        return out
    s = wp.length(beyond) * sdf.spacing
    if not (s > wp.float64(0.0)):  # not a number
        out.value = -FAR
        out.slope = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(-1.0))
        out.place = NOWHERE
        return out
    out.place = OUTSIDE
    away = position - wp.max(wp.min(position, sdf.high), sdf.low)
    bound = wp.length(away)
    if bound >= -out.value - s:
        out.value = -bound
        out.slope = away * (wp.float64(-1.0) / bound)
    else:
        out.value = out.value + s
    return out


@wp.func(inline=False)
def sound_anywhere(grids: wp.array(dtype=SdfGrid), position: wp.vec3d) -> Sounding:
    """Distance at any point, without noise. One copy of it: code that is inlined everywhere outgrows a GPU's cache."""
    return sounded_afar(grids[0], cell_at(grids[0], in_box(grids[0], position)), position)


@wp.func(inline=False)
def sound_and_keep(
    grids: wp.array(dtype=SdfGrid), position: wp.vec3d, kept: wp.array2d(dtype=wp.vec4d), row: int, run: int
) -> Sounding:
    """The same, and the cell around the point is kept for the next one there."""
    cell = cell_at(grids[0], in_box(grids[0], position))
    keep_cell(kept, row, run, cell)
    return sounded_afar(grids[0], cell, position)


@wp.func
def sound(sdf: wp.ref[SdfParams], position: wp.vec3d) -> Sounding:
    """Distance at any point, without noise; a lower bound outside the box."""
    return sound_anywhere(sdf.grids, position)


@wp.func
def sound_in_view(sdf: wp.ref[SdfParams], view: SdfView, position: wp.vec3d, run: int) -> Sounding:
    """The same near a body, from the cells that it keeps; of any cell it says that it is in a brick."""
    at = place_in_cell(sdf.grid.origin, view.cell, position)
    depth = depth_in_cell(view.cell, at)
    out = Sounding()
    out.value = depth.value
    out.slope = depth.slope
    out.place = IN_BRICK
    if not is_within(at):
        row = view.row + CELL_ROWS
        beside = kept_cell(view.kept, row, run)
        at = place_in_cell(sdf.grid.origin, beside, position)
        if is_within(at):
            there = depth_in_cell(beside, at)
            out.value = there.value
            out.slope = there.slope
        else:  # number by number: a struct that comes from two places stays in memory, and each point waits for it
            found = sound_and_keep(sdf.grids, position, view.kept, row, run)
            out.value = found.value
            out.slope = found.slope
            out.place = found.place
    return out


@wp.func
def without_noise(sdf: wp.ref[SdfParams], found: Sounding, position: wp.vec3d, is_exact: int) -> Sounding:
    """The field alone."""
    return found


@wp.func
def with_noise(sdf: wp.ref[SdfParams], found: Sounding, position: wp.vec3d, is_exact: int) -> Sounding:
    """The field with its noise where it can matter; beyond, a lower bound of the gap, unless asked to be exact."""
    out = found
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
def ground_at(found: Sounding) -> Ground:
    """A sounding with our signs."""
    ground = Ground()
    ground.gap = minus(found.value)
    ground.normal = minus_vector(found.slope)
    ground.facet = wp.int32(-1)
    ground.status = wp.where(found.place == NOWHERE, GROUND_OFF_MAP, GROUND_OK)
    return ground


@wp.func
def room_in_cell(sdf: wp.ref[SdfParams], u: wp.vec3d, du: wp.vec3d) -> wp.float64:
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
def sound_stride(
    sdf: wp.ref[SdfParams], depth: Sounding, noise: wp.float64, tilt: wp.float64, room: wp.float64
) -> wp.float64:
    """Stride [m] along a ray that cannot jump over the surface, from a point of the given depth.

    Within a coarse cell the interpolant is continuous and no steeper than `slope` and the noise's `tilt`: |d|/slope. A
    node's value is a true distance, so that the surface is also no nearer than |d| less what interpolation here and
    there, and the noise, can be off.
    """
    here = HALF_DIAGONAL * sdf.grid.spacing
    if depth.place == IN_COARSE:
        here = here * wp.float64(wp.static(BRICK))
    far = wp.abs(depth.value) - here - HALF_DIAGONAL * sdf.grid.spacing - wp.float64(2.0) * noise
    near = wp.min(wp.abs(depth.value) / (sdf.slope + tilt), room)
    return wp.max(wp.max(near, far), RAY_STEP * sdf.grid.spacing)


@lru_cache
def sdf_functions(has_noise: bool) -> tuple[Any, Any, Any]:
    """The queries of the contract, with or without noise in them: `gap`, `ray`, and the gap from cells at hand."""
    sounded = with_noise if has_noise else without_noise

    @wp.func
    def depth(sdf: wp.ref[SdfParams], position: wp.vec3d, is_exact: int) -> Sounding:
        return sounded(sdf, sound(sdf, position), position, is_exact)

    @wp.func
    def gap_from(sdf: wp.ref[SdfParams], view: SdfView, position: wp.vec3d, run: int) -> Ground:
        return ground_at(sounded(sdf, sound_in_view(sdf, view, position, run), position, sdf.is_exact_far))

    @wp.func
    def gap(sdf: wp.ref[SdfParams], position: wp.vec3d, point: int, run: int) -> Ground:
        return ground_at(depth(sdf, position, sdf.is_exact_far))

    @wp.func
    def crossing(
        sdf: wp.ref[SdfParams], origin: wp.vec3d, direction: wp.vec3d, start: wp.float64, end: wp.float64
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
    def ray(sdf: wp.ref[SdfParams], origin: wp.vec3d, direction: wp.vec3d, range_max: wp.float64) -> RayHit:
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
        du = direction * sdf.grid.inverse
        start = (origin - sdf.grid.origin) * sdf.grid.inverse
        size = box_size(sdf.grid)
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

    return gap, ray, gap_from


@lru_cache
def sdf_steepness(has_noise: bool) -> Any:
    """How steep the field is, with its noise, for ways shorter than a cell.

    Bricks meet without a step, and a way that short that leaves them stays farther than a cell from the surface.
    """

    @wp.func
    def steepness(sdf: wp.ref[SdfParams]) -> wp.vec2d:
        slope = wp.max(sdf.slope, wp.float64(1.0))
        if wp.static(has_noise):
            slope += wp.float64(sdf.noise.slope)
        return wp.vec2d(slope, sdf.grid.spacing / slope)

    return steepness


def _look_ahead(params: SdfParams, is_wanted: bool) -> None:
    """Asks for noise far from the ground too, or for lower bounds."""
    params.is_exact_far = int(is_wanted)


def _model(name: str, has_noise: bool) -> TerrainModel:
    gap, ray, gap_from = sdf_functions(has_noise)
    view = TerrainView(SdfView, VIEW_ROWS, recalled_view, renewed_view, gap_from)
    return TerrainModel(
        name, SdfParams, gap, ray, look_ahead=_look_ahead, steepness=sdf_steepness(has_noise), view=view,
        is_endless=True, has_unit_normals=False,
    )  # fmt: skip


TERRAIN_SDF = _model("sdf", False)
TERRAIN_SDF_NOISE = _model("sdf-noise", True)

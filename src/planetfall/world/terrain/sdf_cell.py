"""Cells of a signed distance field: finding the one around a point, and the trilinear interpolant in it.

Two levels. Coarse nodes, `BRICK` cells apart, cover the whole box. Every coarse cell that can be near the surface has a
brick of its own with fine nodes; bricks hold the nodes of their faces too, so that a cell lies in one brick. Where a
coarse cell has no brick the surface is at least a band away, and values are those of the coarse nodes.

A cell is taken out of memory once and answers for every point in it: the points of a small vehicle nearly always share
one. Each run keeps one more cell beside it, for those of its points that are across a border. The answer at a point
has the same bits whether the cell was at hand or had to be found.
"""

import warp as wp

from planetfall.world.fused import fma
from planetfall.world.terrain.noise import NoiseParams

BRICK = 8
"""Cells of a brick along each axis; it has one node more. A power of two: coordinates of both sizes are exact."""


@wp.struct
class SdfGrid:
    """A signed distance field, d > 0 inside.

    `origin` [m]: its first node, surface frame; `spacing` [m] of fine nodes and `inverse` [1/m], one over it; `values`
    [m]: d at the coarse nodes [i, j, k], and after them at the fine nodes [brick, i, j, k]; `brick_at` [i, j, k]: brick
    of a coarse cell, or -1; `low`, `high` [m]: corners of a box that holds the body, noise included; `beside`
    [run, number]: the cell that each run keeps beside.
    """

    origin: wp.vec3d
    spacing: wp.float64
    inverse: wp.float64
    values: wp.array(dtype=wp.float32)
    brick_at: wp.array3d(dtype=wp.int32)
    low: wp.vec3d
    high: wp.vec3d
    beside: wp.array2d(dtype=wp.float64)


@wp.struct
class SdfParams:
    """A signed distance field as the kernels take it.

    `grid`, and the same once more as an array of one, `grids`, for functions that are called: arguments are copied, and
    an array is shorter. `slope` [-]: bound of the interpolant's gradient; `is_exact_far`: 1 where noise is wanted far
    from the ground too; `noise`.
    """

    grid: SdfGrid
    grids: wp.array(dtype=SdfGrid)
    slope: wp.float64
    is_exact_far: wp.int32
    noise: NoiseParams


@wp.struct
class SdfCell:
    """The interpolant of one cell: d = c . (1, x, y, xy, z, xz, yz, xyz) at x, y, z, each from 0 to 1 across it.

    `corner`: its first node, in its own edges from the field's first node; `scale` [1/m]: one over its edge; `low` and
    `high` [m]: the first and the last four of c.
    """

    corner: wp.vec3d
    scale: wp.float64
    low: wp.vec4d
    high: wp.vec4d


@wp.struct
class Depth:
    """Distance `value` [m], d > 0 inside, and its gradient `slope`."""

    value: wp.float64
    slope: wp.vec3d


@wp.func
def depth_in_cell(cell: SdfCell, at: wp.vec3d) -> Depth:
    """The interpolant and its own gradient at a place of the cell."""
    x = at[0]
    y = at[1]
    z = at[2]
    c_y = fma(cell.high[2], z, cell.low[2])
    c_xy = fma(cell.high[3], z, cell.low[3])
    by_x = fma(c_xy, y, fma(cell.high[1], z, cell.low[1]))
    by_z = fma(fma(cell.high[3], y, cell.high[1]), x, fma(cell.high[2], y, cell.high[0]))
    out = Depth()
    out.value = fma(by_x, x, fma(c_y, y, fma(cell.high[0], z, cell.low[0])))
    out.slope = wp.vec3d(by_x, fma(c_xy, x, c_y), by_z) * cell.scale
    return out


@wp.func
def place_in_cell(origin: wp.vec3d, cell: SdfCell, position: wp.vec3d) -> wp.vec3d:
    """Where a point lies in a cell of the field from `origin` on, 0 to 1 along each axis of the cell."""
    return (position - origin) * cell.scale - cell.corner


@wp.func
def edges_per_spacing(inverse: wp.float64, cell: SdfCell) -> wp.float64:
    """The spacing of fine nodes, one over `inverse`, in edges of a cell."""
    return wp.where(cell.scale == inverse, wp.float64(1.0), wp.float64(wp.static(1.0 / BRICK)))


@wp.func
def no_cell() -> SdfCell:
    """A cell that no point is in, for a question without one at hand."""
    out = SdfCell()
    out.corner = wp.vec3d(wp.float64(1.0), wp.float64(1.0), wp.float64(1.0))
    return out


NUMBERS = wp.types.vector(length=12, dtype=wp.float64)
"""A cell as a vector."""


@wp.func
def packed_cell(cell: SdfCell) -> NUMBERS:
    """Corner, scale and coefficients of a cell."""
    out = NUMBERS()
    for i in range(3):
        out[i] = cell.corner[i]
    out[3] = cell.scale
    for i in range(4):
        out[4 + i] = cell.low[i]
        out[8 + i] = cell.high[i]
    return out


@wp.func
def unpacked_cell(numbers: NUMBERS) -> SdfCell:
    """The cell again."""
    out = SdfCell()
    out.corner = wp.vec3d(numbers[0], numbers[1], numbers[2])
    out.scale = numbers[3]
    out.low = wp.vec4d(numbers[4], numbers[5], numbers[6], numbers[7])
    out.high = wp.vec4d(numbers[8], numbers[9], numbers[10], numbers[11])
    return out


@wp.func
def kept_cell(cells: wp.array2d(dtype=wp.float64), run: int) -> SdfCell:
    """The cell that a run keeps."""
    numbers = NUMBERS()
    for i in range(12):
        numbers[i] = cells[run, i]
    return unpacked_cell(numbers)


@wp.func
def keep_cell(cells: wp.array2d(dtype=wp.float64), run: int, cell: SdfCell):
    """Keeps a cell for a run."""
    numbers = packed_cell(cell)
    for i in range(12):
        cells[run, i] = numbers[i]


@wp.func
def is_within(at: wp.vec3d) -> bool:
    """Whether a place is in its cell; its upper faces are the next one's."""
    zero = wp.float64(0.0)
    one = wp.float64(1.0)
    is_above = at[0] >= zero and at[1] >= zero and at[2] >= zero
    return is_above and at[0] < one and at[1] < one and at[2] < one


@wp.func_native(
    """
    const float* at = values.data + first;
    return wp::vec_t<4, double>(at[0], at[along_x], at[along_y], at[along_x + along_y]);
    """
)
def face_from(values: wp.array(dtype=wp.float32), first: int, along_x: int, along_y: int) -> wp.vec4d:  # pyright: ignore
    """The corners of a cell's face: one address, and no question about the signs of indices."""
    ...


@wp.func
def cell_at(sdf: SdfGrid, inside: wp.vec3d) -> SdfCell:
    """The cell around a point of the box, given in fine cells from its first node."""
    cells = wp.float64(wp.static(BRICK))
    share = wp.float64(wp.static(1.0 / BRICK))
    n_x = sdf.brick_at.shape[0]
    n_y = sdf.brick_at.shape[1]
    n_z = sdf.brick_at.shape[2]
    i = wp.min(wp.int32(inside[0] * share), n_x - 1)
    j = wp.min(wp.int32(inside[1] * share), n_y - 1)
    k = wp.min(wp.int32(inside[2] * share), n_z - 1)
    brick = sdf.brick_at[i, j, k]
    out = SdfCell()
    out.scale = sdf.inverse * share
    out.corner = wp.vec3d(wp.float64(i), wp.float64(j), wp.float64(k))
    along_x = (n_y + 1) * (n_z + 1)
    along_y = n_z + 1
    first = i * along_x + j * along_y + k
    if brick >= 0:
        top = wp.static(BRICK - 1)
        base = out.corner * cells
        i = wp.min(wp.int32(inside[0] - base[0]), top)
        j = wp.min(wp.int32(inside[1] - base[1]), top)
        k = wp.min(wp.int32(inside[2] - base[2]), top)
        out.scale = sdf.inverse
        out.corner = base + wp.vec3d(wp.float64(i), wp.float64(j), wp.float64(k))
        first = (n_x + 1) * along_x + brick * wp.static((BRICK + 1) ** 3)
        along_x = wp.static((BRICK + 1) ** 2)
        along_y = wp.static(BRICK + 1)
        first += i * along_x + j * along_y + k
    out.low = rises(face_from(sdf.values, first, along_x, along_y))
    out.high = rises(face_from(sdf.values, first + 1, along_x, along_y)) - out.low
    return out


@wp.func
def rises(face: wp.vec4d) -> wp.vec4d:
    """Of the values at a face's corners (0, 0), (1, 0), (0, 1), (1, 1): coefficients of 1, x, y and xy."""
    x = face[1] - face[0]
    return wp.vec4d(face[0], x, face[2] - face[0], (face[3] - face[2]) - x)


@wp.func
def box_size(sdf: SdfGrid) -> wp.vec3d:
    """Edges of the box, in fine cells."""
    n = sdf.brick_at.shape
    return wp.vec3d(wp.float64(n[0]), wp.float64(n[1]), wp.float64(n[2])) * wp.float64(wp.static(BRICK))


@wp.func
def in_box(sdf: SdfGrid, position: wp.vec3d) -> wp.vec3d:
    """The point of the box that is nearest to a position, in fine cells from its first node."""
    u = (position - sdf.origin) * sdf.inverse
    size = box_size(sdf)
    zero = wp.float64(0.0)
    return wp.vec3d(wp.clamp(u[0], zero, size[0]), wp.clamp(u[1], zero, size[1]), wp.clamp(u[2], zero, size[2]))


@wp.func(inline=False)
def searched(grids: wp.array(dtype=SdfGrid), position: wp.vec3d) -> SdfCell:
    """The cell around a position, or nearest to one outside the box. One copy of it: it is seldom called."""
    return cell_at(grids[0], in_box(grids[0], position))


@wp.func
def cell_around(sdf: wp.ref[SdfParams], position: wp.vec3d) -> SdfCell:
    """The cell around a position, or nearest to one outside the box."""
    return searched(sdf.grids, position)


@wp.func
def cell_holds(sdf: wp.ref[SdfParams], cell: SdfCell, position: wp.vec3d) -> bool:
    """Whether a position is in a cell."""
    return is_within(place_in_cell(sdf.grid.origin, cell, position))

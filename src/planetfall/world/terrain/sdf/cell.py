"""Cells of a signed distance field: finding the one around a point, and the trilinear interpolant in it.

Two levels. Coarse nodes, `BRICK` cells apart, cover the whole box. Every coarse cell that can be near the surface has a
brick of its own with fine nodes; bricks hold the nodes of their faces too, so that a cell lies in one brick. Where a
coarse cell has no brick the surface is at least a band away, and values are those of the coarse nodes.

The points of a small vehicle nearly always share a cell. Each body keeps the interpolant of the one that it is in, and
one more beside it, for those of its points that are across a border. The answer at a point has the same bits whether
its cell was at hand or had to be found.
"""

import warp as wp

from planetfall.compute.fused import fma
from planetfall.world.terrain.noise.noise import NoiseParams

BRICK = 8
"""Cells of a brick along each axis; it has one node more. A power of two: coordinates of both sizes are exact."""


@wp.struct
class SdfGrid:
    """A signed distance field, d > 0 inside.

    `origin` [m]: its first node, surface frame; `spacing` [m] of fine nodes and `inverse` [1/m], one over it; `values`
    [m]: d at the coarse nodes [i, j, k], and after them at the fine nodes [brick, i, j, k]; `brick_at` [i, j, k]: brick
    of a coarse cell, or -1; `low`, `high` [m]: corners of a box that holds the body, noise included.
    """

    origin: wp.vec3d
    spacing: wp.float64
    inverse: wp.float64
    values: wp.array(dtype=wp.float32)
    brick_at: wp.array3d(dtype=wp.int32)
    low: wp.vec3d
    high: wp.vec3d


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


CELL_ROWS = wp.constant(3)
"""Rows that a cell is kept in: corner and scale, `low`, `high`."""
VIEW_ROWS = 6
"""Rows of a body: the cell that it is in, and the one beside."""


@wp.struct
class SdfView:
    """The `cell` that a body is in, and where it keeps that and the one beside: `kept` [row, run] from `row` on."""

    cell: SdfCell
    kept: wp.array2d(dtype=wp.vec4d)
    row: wp.int32


@wp.func
def kept_cell(kept: wp.array2d(dtype=wp.vec4d), row: int, run: int) -> SdfCell:
    """The cell that a run keeps from a row on."""
    place = kept_row(kept, row, run)
    out = SdfCell()
    out.corner = wp.vec3d(place[0], place[1], place[2])
    out.scale = place[3]
    out.low = kept_row(kept, row + 1, run)
    out.high = kept_row(kept, row + 2, run)
    return out


@wp.func
def recalled_view(kept: wp.array2d(dtype=wp.vec4d), row: int, run: int) -> SdfView:
    """What a body saw at its last look."""
    out = SdfView()
    out.cell = kept_cell(kept, row, run)
    out.kept = kept
    out.row = row
    return out


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    const double2* at = (const double2*)(kept.data + ((size_t)(unsigned)row * (unsigned)kept.shape[1] + (unsigned)run));
    const double2 a = at[0], b = at[1];
    return wp::vec_t<4, double>(a.x, a.y, b.x, b.y);
#else
    return kept.data[(size_t)row * kept.shape[1] + run];
#endif
    """
)
def kept_row(kept: wp.array2d(dtype=wp.vec4d), row: int, run: int) -> wp.vec4d:  # pyright: ignore
    """Four numbers at once, by two loads instead of four."""
    ...


@wp.func
def keep_cell(kept: wp.array2d(dtype=wp.vec4d), row: int, run: int, cell: SdfCell):
    """Keeps a cell for a run, from a row on."""
    kept[row, run] = wp.vec4d(cell.corner[0], cell.corner[1], cell.corner[2], cell.scale)
    kept[row + 1, run] = cell.low
    kept[row + 2, run] = cell.high


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    const unsigned int x = __double2hiint(at[0]), y = __double2hiint(at[1]), z = __double2hiint(at[2]);
    return max(max(x, y), z) < 0x3ff00000u;
#else
    const unsigned int x = __builtin_bit_cast(unsigned long long, at[0]) >> 32;
    const unsigned int y = __builtin_bit_cast(unsigned long long, at[1]) >> 32;
    const unsigned int z = __builtin_bit_cast(unsigned long long, at[2]) >> 32;
    return (x < 0x3ff00000u) & (y < 0x3ff00000u) & (z < 0x3ff00000u);
#endif
    """
)
def is_within(at: wp.vec3d) -> bool:  # pyright: ignore[reportReturnType]
    """Whether a place is in its cell; its upper faces are the next one's.

    That is, whether each number is from 0 to 1, without 1 and -0: as integers, the sign being the first bit, the upper
    halves of such numbers are less than that of 1.
    """
    ...


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
def search_cell(
    grids: wp.array(dtype=SdfGrid), position: wp.vec3d, kept: wp.array2d(dtype=wp.vec4d), row: int, run: int
):
    """Keeps the cell around a position, or nearest to one outside the box. One copy of it: it is seldom called."""
    keep_cell(kept, row, run, cell_at(grids[0], in_box(grids[0], position)))


@wp.func
def renewed_view(sdf: wp.ref[SdfParams], view: SdfView, position: wp.vec3d, run: int) -> SdfView:
    """What a body sees, which is another cell where it has gone on."""
    if is_within(place_in_cell(sdf.grid.origin, view.cell, position)):
        return view
    search_cell(sdf.grids, position, view.kept, view.row, run)
    return recalled_view(view.kept, view.row, run)

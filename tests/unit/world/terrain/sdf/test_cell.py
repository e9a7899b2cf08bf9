"""Cells of a distance field: which points are in one, and that bodies get back what they keep."""

import numpy as np
import warp as wp

from planetfall.world.terrain.sdf.cell import SdfCell, is_within, keep_cell, recalled_view


@wp.kernel(enable_backward=False)
def _ask(places: wp.array(dtype=wp.vec3d), is_inside_out: wp.array(dtype=wp.bool)):
    i = wp.tid()
    is_inside_out[i] = is_within(places[i])


def test_a_cell_has_its_lower_faces_and_not_its_upper_ones() -> None:
    """By the upper halves of the numbers, as by their comparison; what is no number is in no cell."""
    tiny, under = np.nextafter(0.0, 1.0), np.nextafter(1.0, 0.0)
    inside = [0.0, tiny, 1e-300, 0.5, under]
    outside = [-tiny, -1e-300, -0.5, 1.0, np.nextafter(1.0, 2.0), 1e300, np.inf, -np.inf, np.nan, -np.nan]
    places = [[x, y, z] for x in inside + outside for y in inside + outside for z in (0.0, under, 1.0, -tiny, np.nan)]
    found = wp.zeros(len(places), dtype=wp.bool, device="cpu")
    wp.launch(_ask, len(places), inputs=[wp.array(places, dtype=wp.vec3d, device="cpu"), found], device="cpu")
    array = np.array(places)
    np.testing.assert_array_equal(found.numpy(), np.all((array >= 0.0) & (array < 1.0), axis=1))


@wp.kernel(enable_backward=False)
def _keep(cell: SdfCell, kept: wp.array2d(dtype=wp.vec4d), rows_out: wp.array2d(dtype=wp.vec4d)):
    run = wp.tid()
    mine = cell
    mine.scale = cell.scale + wp.float64(run)
    keep_cell(kept, 3, run, mine)
    found = recalled_view(kept, 3, run).cell
    rows_out[0, run] = wp.vec4d(found.corner[0], found.corner[1], found.corner[2], found.scale)
    rows_out[1, run] = found.low
    rows_out[2, run] = found.high


def test_each_run_gets_back_the_cell_that_it_keeps() -> None:
    """From the rows of its own, the others left alone."""
    cell = SdfCell()
    cell.corner, cell.scale = wp.vec3d(1.0, 2.0, 3.0), 4.0
    cell.low, cell.high = wp.vec4d(5.0, 6.0, 7.0, 8.0), wp.vec4d(9.0, 10.0, 11.0, 12.0)
    kept = wp.full((6, 3), wp.vec4d(*4 * [np.nan]), dtype=wp.vec4d, device="cpu")
    rows = wp.zeros((3, 3), dtype=wp.vec4d, device="cpu")
    wp.launch(_keep, 3, inputs=[cell, kept, rows], device="cpu")
    expected = np.arange(1.0, 13.0).reshape(3, 1, 4) + np.zeros((3, 3, 4))
    expected[0, :, 3] += np.arange(3.0)
    np.testing.assert_array_equal(rows.numpy(), expected)
    assert np.all(np.isnan(kept.numpy()[:3]))
    np.testing.assert_array_equal(kept.numpy()[3:], expected)

"""Pictures of terrains as numbers: the right place, the right way round, the right slope."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from planetfall.analysis.terrain.terrain_facts import mesh_facts
from planetfall.analysis.terrain.terrain_view import ABOUT, ABOVE, mesh_views, raster_view
from support.made_ground import cut_in_strips, grid_mesh, made_mesh, made_raster, tilted_grid

NORMAL = np.array([0.2, -0.1, 1.0]) / np.linalg.norm([0.2, -0.1, 1.0])


@pytest.mark.parametrize("eye", [ABOVE, *ABOUT], ids=lambda eye: eye.name)
def test_pictures_are_not_mirrored(eye) -> None:
    assert np.cross(eye.right, eye.up) == pytest.approx(eye.towards)


def middles(view) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates of the middles of the elements along the picture's axes."""
    left, right, bottom, top = view.extent
    n_rows, n_columns = view.level.shape
    return np.meshgrid(
        left + (right - left) * (np.arange(n_columns) + 0.5) / n_columns,
        bottom + (top - bottom) * (np.arange(n_rows) + 0.5) / n_rows,
    )


@pytest.mark.parametrize("size", [100, 20, 7])
@pytest.mark.parametrize("n_rows", [1, 5, 41])
def test_a_map_of_a_plane(size: int, n_rows: int) -> None:
    """40 cells in elements of 1, 2 or 6 cells; the last element of 6 holds 4 and stands for their mean."""
    along, heights = tilted_grid(NORMAL, 41, 0.5)
    raster = made_raster(heights, (0.5, 0.5), (along[0], along[0]))
    view = raster_view(cut_in_strips(raster, n_rows), heights.shape, size)
    n_cells = {100: 1, 20: 2, 7: 6}[size]
    assert view.n_cells == n_cells
    assert view.level.shape == (-(-40 // n_cells),) * 2
    assert view.normals == pytest.approx(np.broadcast_to(NORMAL, view.normals.shape), abs=1e-12)
    assert view.slopes == pytest.approx(np.full_like(view.slopes, np.arccos(NORMAL[2])), abs=1e-7)
    x, y = middles(view)
    inner = slice(0, 40 // n_cells)
    # two facets to a cell, whose centroids lie even about its middle
    expected = -(NORMAL[0] * x + NORMAL[1] * y) / NORMAL[2]
    assert view.level[inner, inner] == pytest.approx(expected[inner, inner], abs=1e-12)


def test_a_map_keeps_its_holes_and_its_sides() -> None:
    """A peak in the north-west, no data in the south-east."""
    heights = np.zeros((21, 31))
    heights[17, 4] = 5.0
    heights[:6, 25:] = np.nan
    view = raster_view([made_raster(heights)], heights.shape)
    row, column = np.unravel_index(np.nanargmax(view.level), view.level.shape)
    assert row in (16, 17)
    assert column in (3, 4)
    assert np.isnan(view.level[:5, 25:]).all()
    assert np.isnan(view.slopes[:5, 25:]).all()
    # a row and a column more: cells with a node in the hole; of the corner cell only one facet is missing
    assert np.count_nonzero(np.isnan(view.level)) == 6 * 6
    assert view.extent == (0.0, 30.0, 0.0, 20.0)


def test_an_element_is_a_hole_where_half_of_it_is_missing() -> None:
    heights = np.zeros((9, 9))
    heights[:, :2] = np.nan  # two of four cells of the first column of elements
    heights[8, 8] = np.nan  # one facet pair of sixteen in the last
    view = raster_view([made_raster(heights)], heights.shape, size=2)
    assert np.isnan(view.level[:, 0]).all()
    assert not np.isnan(view.level[:, 1]).any()


def test_a_sheet_from_above_is_the_ground_under_the_rays() -> None:
    along, heights = tilted_grid(NORMAL, 15, 0.5)
    mesh = made_mesh(*grid_mesh(along, heights))
    (view,) = mesh_views(mesh, mesh_facts(mesh), size=40)
    x, y = middles(view)
    assert view.eye == ABOVE
    assert view.extent == (-3.5, 3.5, -3.5, 3.5)
    assert view.level.shape == (40, 40)
    assert view.level == pytest.approx(-(NORMAL[0] * x + NORMAL[1] * y) / NORMAL[2], abs=1e-9)
    assert view.normals == pytest.approx(np.broadcast_to(NORMAL, view.normals.shape), abs=1e-12)
    assert view.slopes == pytest.approx(np.full((40, 40), np.arccos(NORMAL[2])), abs=1e-12)


def test_of_two_layers_the_higher_is_seen() -> None:
    vertices, facets = grid_mesh(np.linspace(-1.0, 1.0, 5), np.zeros((5, 5)))
    higher = vertices + np.array([0.0, 0.0, 0.3])
    mesh = made_mesh(np.vstack([vertices, higher]), np.vstack([facets, facets + len(vertices)]))
    (view,) = mesh_views(mesh, mesh_facts(mesh), size=8)
    assert view.level == pytest.approx(np.full((8, 8), 0.3), abs=1e-9)


def test_a_sheet_that_faces_down_is_not_seen() -> None:
    vertices, facets = grid_mesh(np.linspace(-1.0, 1.0, 5), np.zeros((5, 5)))
    mesh = made_mesh(vertices, facets[:, ::-1])
    (view,) = mesh_views(mesh, mesh_facts(mesh), size=8)
    assert np.isnan(view.level).all()
    assert np.isnan(view.slopes).all()


def test_a_wall_has_no_ground_but_a_place() -> None:
    """Seen from above it is a line, which a picture shows as a row of elements without ground."""
    vertices = np.array([[0.0, 2.0, 0.0], [4.0, 2.0, 0.0], [4.0, 2.0, 3.0], [0.0, 2.0, 3.0]])
    mesh = made_mesh(vertices, np.array([[0, 1, 2], [0, 2, 3]]))
    facts = mesh_facts(mesh)
    assert facts.slopes is None
    (view,) = mesh_views(mesh, facts, size=8)
    assert view.level.shape == (1, 8)
    assert view.extent == pytest.approx((0.0, 4.0, 1.75, 2.25))
    assert np.isnan(view.level).all()


def test_a_body_is_seen_from_three_sides_the_right_way_round() -> None:
    """A long box with knobs at +x, +y and +z: each is seen where a right-handed frame has it."""
    box, knob = trimesh.creation.box((6.0, 4.0, 3.0)), trimesh.creation.icosphere(2, radius=0.5)
    knobs = [np.array(knob.vertices) + half * axis for half, axis in zip((3.0, 2.0, 1.5), np.eye(3), strict=True)]
    n, m = len(box.vertices), len(knob.vertices)
    facets = [np.array(box.faces), *(np.array(knob.faces) + n + i * m for i in range(3))]
    mesh = made_mesh(np.vstack([np.array(box.vertices), *knobs]), np.vstack(facets))
    views = mesh_views(mesh, mesh_facts(mesh, "body"), size=60)
    assert [view.eye.name for view in views] == ["from +x", "from +y", "from +z"]
    assert views[0].extent == pytest.approx((-2.0, 2.5, -1.5, 2.0))  # y to the right, z up
    assert views[1].extent == pytest.approx((-3.5, 3.0, -1.5, 2.0))  # -x to the right, z up
    assert views[2].extent == pytest.approx((-3.0, 3.5, -2.0, 2.5))  # x to the right, y up
    for view in views:
        seen = view.normals[~np.isnan(view.level)]
        assert (seen[:, 2] > 0.0).all()
        assert np.linalg.norm(seen, axis=1) == pytest.approx(np.ones(len(seen)))


def test_a_sphere_is_a_disc_of_its_radius() -> None:
    made = trimesh.creation.icosphere(5, radius=2.0)
    mesh = made_mesh(np.array(made.vertices) + np.array([10.0, 20.0, 30.0]), np.array(made.faces))
    facts = mesh_facts(mesh)
    reported = []
    for view in mesh_views(mesh, facts, size=100, progress=reported.append):
        is_seen = ~np.isnan(view.level)
        # the disc's share of its square, to the elements along its rim: 4 of 100 rows and columns at the most
        assert is_seen.mean() == pytest.approx(np.pi / 4.0, abs=0.04)
        assert facts.slopes is not None
        sagitta = 2.0 - np.sqrt(4.0 - facts.edges[2] ** 2)
        assert view.level[is_seen] == pytest.approx(np.full(is_seen.sum(), 2.0), abs=sagitta)
        assert view.slopes[is_seen].max() <= facts.slopes.largest
    assert reported[-1] == 1.0
    assert reported == sorted(reported)

"""The elevation map's queries against every facet of the same grid."""

import numpy as np

from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.model import GROUND_HOLE, GROUND_OFF_MAP, GROUND_OK
from planetfall.world.terrain.surface import Surface
from support.made_ground import brute_ranges, grid_mesh

N, SPACING = 24, 0.7
ALONG = (np.arange(N) - N // 2) * SPACING
HEIGHTS = np.random.default_rng(0).normal(size=(N, N))


def rough(gap: str = "nearest") -> Surface:
    return dem_surface(HEIGHTS, np.array([ALONG[0], ALONG[0], 0.0]), (SPACING, SPACING), "cpu", gap=gap)


def test_rays_meet_the_nearest_facet_of_all() -> None:
    """Rounding of coordinates of some ten metres."""
    rng = np.random.default_rng(1)
    origins = rng.uniform([-11.0, -11.0, -4.0], [11.0, 11.0, 6.0], (3000, 3))
    directions = rng.normal(size=(3000, 3))
    directions[:100, :2] = 0.0  # straight up and down
    directions[100:200, 0] = 0.0
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    found, facets = rough().cast(origins, directions, 1e3)
    expected = brute_ranges(*grid_mesh(ALONG, HEIGHTS), origins, directions)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert np.all((facets >= 0) == np.isfinite(found))
    assert 500 < np.isfinite(found).sum() < 2900


def test_gap_by_columns_is_measured_along_the_normal_of_the_facet_in_the_column() -> None:
    rng = np.random.default_rng(2)
    points = rng.uniform([-8.0, -8.0, -3.0], [7.0, 7.0, 3.0], (500, 3))
    gaps, normals, statuses = rough("column").ask(points)
    down = np.tile([0.0, 0.0, -1.0], (500, 1))
    high = points + np.array([0.0, 0.0, 50.0])
    ground = high[:, 2] - rough().cast(high, down, 1e3)[0]
    np.testing.assert_allclose(gaps, (points[:, 2] - ground) * normals[:, 2], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-14)
    assert set(statuses) == {int(GROUND_OK)}


def test_edges_of_the_map_belong_to_it_and_nothing_beyond_does() -> None:
    west, north = ALONG[0], ALONG[-1]
    inside = np.array([[west, 0.0, 9.0], [0.0, north, 9.0], [west, north, 9.0]])
    beyond = np.array([[west - 1e-9, 0.0, 0.0], [0.0, north + 1e-9, 0.0], [np.nan, 0.0, 0.0]])
    assert set(rough().ask(inside)[2]) == {int(GROUND_OK)}
    gaps, _, statuses = rough().ask(beyond)
    assert set(statuses) == {int(GROUND_OFF_MAP)}
    assert np.all(gaps > 1e299)


def test_a_facet_with_an_unknown_node_is_a_hole_and_its_neighbours_are_not() -> None:
    heights = np.zeros((3, 3))
    heights[0, 1] = np.nan  # a corner of the lower facet of cell (0, 0), not of its upper one
    surface = dem_surface(heights, np.zeros(3), (1.0, 1.0), "cpu")
    statuses = surface.ask(np.array([[0.7, 0.2, 1.0], [0.2, 0.7, 1.0], [0.5, 1.5, 1.0]]))[2]
    assert list(statuses) == [int(GROUND_HOLE), int(GROUND_OK), int(GROUND_OK)]

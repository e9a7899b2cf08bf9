"""Many questions at once: the answers do not depend on how many there are, on their order or on the threads."""

from dataclasses import replace

import numpy as np
import pytest

from oracles.mesh_brute_force import all_pairs, wrong_ranges
from planetfall.world.terrain.mesh.build import mesh_surface
from planetfall.world.terrain.mesh.mesh import TERRAIN_MESH_GPU
from planetfall.world.terrain.sweep import MIN_SORTED, neighbour_order
from support.mesh_queries import burr, points_about, rays_about

MESH = burr()
SURFACE = mesh_surface(MESH.vertices, MESH.facets, "cpu", reach=0.1)


def test_rays_of_a_large_batch_are_those_of_small_ones() -> None:
    origins, directions = [], []
    for some, direction in rays_about(MESH, 90_000, 30, seed=31):
        origins.append(some)
        directions.append(np.tile(direction, (len(some), 1)))
    origins, directions = np.vstack(origins), np.vstack(directions)
    assert len(origins) > 4 * MIN_SORTED
    together = SURFACE.cast(origins, directions, 10.0)
    for start in (0, 7, 40_000, len(origins) - 900):
        few = slice(start, start + 900)
        for whole, part in zip(together, SURFACE.cast(origins[few], directions[few], 10.0), strict=True):
            np.testing.assert_array_equal(whole[few], part)
    shuffled = np.random.default_rng(32).permutation(len(origins))
    for whole, other in zip(together, SURFACE.cast(origins[shuffled], directions[shuffled], 10.0), strict=True):
        np.testing.assert_array_equal(whole[shuffled], other)


def test_leaves_looked_at_abreast_and_in_turn_give_the_same_bits() -> None:
    for origins, direction in rays_about(MESH, 20_000, 10, seed=36):
        directions = np.tile(direction, (len(origins), 1))
        in_turn = replace(SURFACE, model=TERRAIN_MESH_GPU).cast(origins, directions, 10.0)
        for one_way, other in zip(SURFACE.cast(origins, directions, 10.0), in_turn, strict=True):
            np.testing.assert_array_equal(one_way, other)


@pytest.mark.parametrize("away", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("lean", [0.0, 1e-35, -1e-31, 1e-20, 1e-9, 0.3])
def test_rays_from_far_and_nearly_along_an_axis_lose_no_facet(away: float, lean: float) -> None:
    """The boxes are met in float32, from where the ray enters the mesh's own."""
    rng = np.random.default_rng(37)
    for axis in range(3):
        direction = np.roll([-1.0, lean, -0.5 * lean], axis) / np.sqrt(1.0 + 1.25 * lean**2)
        origins = rng.uniform(-0.3, 0.3, (500, 3)) - (2.0 + away) * direction
        directions = np.tile(direction, (500, 1))
        ranges, facets = SURFACE.cast(origins, directions, 10.0 + away)
        assert np.all(facets >= 0)
        pairs = all_pairs(len(origins), len(MESH.facets))
        assert len(wrong_ranges(MESH, origins, directions, ranges, facets, pairs)) == 0


def test_gaps_of_a_large_batch_are_those_of_small_ones() -> None:
    points = points_about(MESH, 60_000, 200, seed=33)
    together = SURFACE.ask(points)
    for few in (slice(0, 900), slice(30_000, 30_001), slice(len(points) - 500, len(points))):
        for whole, part in zip(together, SURFACE.ask(points[few]), strict=True):
            np.testing.assert_array_equal(whole[few], part)


def test_a_question_that_is_no_number_leaves_the_others_alone() -> None:
    points = points_about(MESH, 60_000, 0, seed=34)
    spoiled = points.copy()
    spoiled[12_345] = np.nan
    fine = np.arange(len(points)) != 12_345
    for clean, other in zip(SURFACE.ask(points), SURFACE.ask(spoiled), strict=True):
        np.testing.assert_array_equal(clean[fine], other[fine])


def test_nothing_asked_nothing_answered() -> None:
    ranges, facets = SURFACE.cast(np.empty((0, 3)), np.empty((0, 3)), 1.0)
    assert ranges.shape == facets.shape == (0,)
    assert SURFACE.ask(np.empty((0, 3)))[1].shape == (0, 3)


@pytest.mark.parametrize("extent", [[1.0, 2.0, 3.0], [0.0, 0.0, 5.0], [0.0, 0.0, 0.0], [1e-300, 1.0, 1e300]])
def test_neighbours_follow_each_other_in_the_order_that_they_came(extent: list[float]) -> None:
    rng = np.random.default_rng(35)
    points = rng.uniform(size=(3 * MIN_SORTED, 3)) * extent
    order = neighbour_order(points, rng.normal(size=points.shape))
    assert order is not None
    np.testing.assert_array_equal(np.sort(order), np.arange(len(points)))
    steps = np.linalg.norm(np.diff(points[neighbour_order(points)] / np.maximum(extent, 1e-290), axis=0), axis=1)
    before = np.linalg.norm(np.diff(points / np.maximum(extent, 1e-290), axis=0), axis=1)
    assert steps.mean() <= before.mean()
    assert neighbour_order(points[: MIN_SORTED - 1]) is None

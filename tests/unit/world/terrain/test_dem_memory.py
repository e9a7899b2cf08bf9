"""What a contact point keeps of a map changes nothing: walks of all step sizes against questions that stand alone."""

from dataclasses import replace

import numpy as np
import pytest

from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.dem.nearest_gap import TERRAIN_DEM_GPU
from planetfall.world.terrain.model import GROUND_HOLE, GROUND_OFF_MAP, GROUND_OK
from support.walked import asked, grounds_along, wander

N = 20_000


@pytest.mark.parametrize("spacing", [(0.7, 0.7), (0.3, 1.1)])
@pytest.mark.parametrize("far", [0.0, 3.4e6])
def test_every_answer_on_a_walk_is_that_of_a_question_alone_to_the_last_bit(
    spacing: tuple[float, float], far: float
) -> None:
    """Over holes, over the edges of the map and along its lines; also with the origin at a planet's radius."""
    rng = np.random.default_rng(21)
    heights = rng.normal(size=(24, 19))
    heights[rng.uniform(size=heights.shape) < 0.02] = np.nan
    origin = np.array([-5.0 + far, 2.0 - far, 0.5])
    surface = dem_surface(heights, origin, spacing, "cpu")
    nodes = origin + rng.integers(0, [19, 24, 1], (100, 3)) * [*spacing, 1.0]
    lengths = 10.0 ** rng.uniform(-5.0, 0.0, 100)
    walks = [wander(node, N // 100, length, rng) for node, length in zip(nodes, lengths, strict=True)]
    path = np.vstack([*walks, nodes])
    kept, alone = grounds_along(surface, path, 2, 3), asked(surface, path)
    on_card = replace(surface, model=TERRAIN_DEM_GPU)
    for ways in zip(kept, alone, asked(on_card, path), grounds_along(on_card, path, 2, 3), strict=True):
        for other in ways[1:]:
            np.testing.assert_array_equal(ways[0], other)
    assert {int(GROUND_OK), int(GROUND_HOLE), int(GROUND_OFF_MAP)} == set(kept.statuses.tolist())
    assert (kept.statuses == int(GROUND_OK)).mean() > 0.5
    assert len(np.unique(kept.facets)) > 200


@pytest.mark.parametrize("spacing", [(0.7, 0.7), (0.3, 1.1)])
@pytest.mark.parametrize("depth", [1e-3, 1e-2, 1e-1])
def test_where_two_facets_decide_the_answer_is_that_of_the_search_to_the_last_bit(
    spacing: tuple[float, float], depth: float
) -> None:
    """Points just in the ground, half of them within that depth of a line of the grid: faces and edges, with holes.

    Each is gone about in small steps, too: what it keeps of the two facets holds as far as it says.
    """
    rng = np.random.default_rng(22)
    heights = 0.2 * rng.normal(size=(24, 19))
    heights[rng.uniform(size=heights.shape) < 0.02] = np.nan
    surface = dem_surface(heights, np.array([-5.0, 2.0, 0.5]), spacing, "cpu")
    cells = rng.uniform(0.0, [18.0, 23.0], (N, 2))
    cells[: N // 4, 0] = np.round(cells[: N // 4, 0])
    cells[N // 4 : N // 2, 1] = cells[N // 4 : N // 2, 0] % 1.0 + np.floor(cells[N // 4 : N // 2, 1])
    points = np.column_stack([cells * spacing + [-5.0, 2.0] + depth * rng.normal(size=(N, 2)), np.full(N, 2.0)])
    over = asked(surface.columns, points)
    known = over.statuses == int(GROUND_OK)
    points = points[known]
    points[:, 2] -= (over.gaps / over.normals[:, 2])[known] + depth * rng.uniform(size=known.sum())
    on_card, moves = (
        replace(surface, model=TERRAIN_DEM_GPU),
        depth * 10.0 ** rng.uniform(-3.0, 0.0, (len(points), 4, 1)),
    )
    about = points[:, None] + moves * rng.normal(size=(len(points), 4, 3))
    path = np.concatenate([points[:, None], about], axis=1).reshape(-1, 3)
    for one_way, other in zip(asked(surface, path), grounds_along(on_card, path), strict=True):
        np.testing.assert_array_equal(one_way, other)
    searched, anew = asked(surface, points), asked(on_card, points)
    for one_way, other in zip(searched, anew, strict=True):
        np.testing.assert_array_equal(one_way, other)
    by_column = asked(surface.columns, points)
    assert (searched.gaps != by_column.gaps).sum() > 500
    assert (searched.facets != by_column.facets).sum() > 100


def test_a_position_that_is_no_number_is_off_the_map_and_does_not_spoil_what_is_kept() -> None:
    surface = dem_surface(np.zeros((5, 5)), np.zeros(3), (1.0, 1.0), "cpu")
    path = np.array([[1.3, 1.2, 0.1], [np.nan, 1.2, 0.1], [1.3, 1.2, 0.1], [1.3, np.inf, 0.1], [1.31, 1.2, -0.1]])
    found = grounds_along(surface, path)
    np.testing.assert_array_equal(found.gaps[[0, 2, 4]], [0.1, 0.1, -0.1])
    assert list(found.statuses) == [int(GROUND_OK), int(GROUND_OFF_MAP)] * 2 + [int(GROUND_OK)]

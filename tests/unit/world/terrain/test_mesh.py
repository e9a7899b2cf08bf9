"""The mesh's queries against every facet: convex, concave, an open sheet, shapes in planetary coordinates."""

import numpy as np
import pytest
import trimesh

from planetfall.errors import InputError
from planetfall.world.terrain.mesh.build import TREES_KEPT, kept_tree, mesh_surface
from planetfall.world.terrain.model import GROUND_HOLE, GROUND_OFF_MAP, GROUND_OK
from support.made_ground import brute_gaps, brute_ranges, grid_mesh


def ball() -> tuple[np.ndarray, np.ndarray]:
    made = trimesh.creation.icosphere(3)
    return np.array(made.vertices), np.array(made.faces)


def notched() -> tuple[np.ndarray, np.ndarray]:
    """A concave body: a box with a smaller box pressed into its top."""
    along = np.linspace(-1.0, 1.0, 9)
    heights = np.where(np.abs(along)[:, None] + np.abs(along)[None, :] < 0.8, -0.6, 0.0)
    return grid_mesh(along, heights)


SHAPES = {"ball": ball, "sheet with a pit": notched}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("offset", [0.0, 3.4e6])
def test_gap_is_that_of_the_nearest_facet_of_all(name: str, offset: float) -> None:
    """Also at a planet's radius, where float32 knows positions to a quarter of a metre; float64 to 5e-10 m."""
    vertices, facets = SHAPES[name]()
    rng = np.random.default_rng(3)
    on_facets = vertices[facets[rng.integers(len(facets), size=200)]].mean(axis=1)
    points = np.vstack(
        [on_facets + 0.02 * rng.normal(size=(200, 3)), 1.5 * rng.uniform(-1.0, 1.0, (200, 3)), vertices[:50]]
    )
    shift = np.array([0.0, 0.0, offset])
    gaps, _, statuses = mesh_surface(vertices + shift, facets, "cpu", reach=0.1).ask(points + shift)
    is_ground = statuses == int(GROUND_OK)
    expected = brute_gaps(vertices, facets, points)
    np.testing.assert_allclose(gaps[is_ground], expected[is_ground], atol=1e-14 + 1e-15 * offset)
    assert is_ground.sum() > 250


@pytest.mark.parametrize("name", SHAPES)
def test_rays_meet_the_nearest_front_face_of_all(name: str) -> None:
    vertices, facets = SHAPES[name]()
    rng = np.random.default_rng(4)
    origins = 2.5 * rng.uniform(-1.0, 1.0, (400, 3))
    directions = vertices[facets[rng.integers(len(facets), size=400)]].mean(axis=1) - origins
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    found, _ = mesh_surface(vertices, facets, "cpu", reach=0.1).cast(origins, directions, 1e3)
    expected = brute_ranges(vertices, facets, origins, directions)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_allclose(found, expected, atol=1e-13)


def test_beside_the_sheet_is_off_the_map_and_over_its_hole_is_a_hole() -> None:
    along = np.arange(8.0)
    vertices, facets = grid_mesh(along, np.zeros((8, 8)))
    middle = vertices[facets].mean(axis=1)
    kept = facets[~np.all(np.abs(middle[:, :2] - 3.5) < 0.5, axis=1)]
    surface = mesh_surface(vertices, kept, "cpu", reach=1.0)
    points = np.array([[3.5, 3.5, 0.1], [-0.5, 3.0, 0.1], [1.2, 1.3, 0.1], [8.0, 8.0, 2.0]])
    assert list(surface.ask(points)[2]) == [int(GROUND_HOLE), int(GROUND_OFF_MAP), int(GROUND_OK), int(GROUND_OFF_MAP)]


def test_facets_without_area_are_refused() -> None:
    with pytest.raises(InputError, match="no area"):
        mesh_surface(np.zeros((3, 3)), np.array([[0, 1, 2]]), "cpu", reach=1.0)


def test_a_tree_is_made_once_for_the_same_mesh_and_anew_for_another() -> None:
    """By content: a copy gets the same one, a vertex moved by one bit does not; only the latest few are kept."""
    vertices, facets = ball()
    tree = kept_tree(vertices, facets, "cpu")
    assert kept_tree(vertices.copy(), facets.copy(), "cpu") is tree
    moved = vertices.copy()
    moved[0, 0] = np.nextafter(moved[0, 0], 2.0)
    assert kept_tree(moved, facets, "cpu") is not tree
    for i in range(TREES_KEPT):
        kept_tree(vertices + i + 1.0, facets, "cpu")
    assert kept_tree(vertices, facets, "cpu") is not tree

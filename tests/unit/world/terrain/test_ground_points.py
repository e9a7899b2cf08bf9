"""The ground that belongs to a place, from touch to far away: against feet over every facet, and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from planetfall.world.shape.made_shapes import COARSE, made_shape
from planetfall.world.terrain.combined_build import combined_surface
from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.ground_points import ground_points
from planetfall.world.terrain.mesh.build import mesh_surface
from planetfall.world.terrain.noise.build import Noise
from planetfall.world.terrain.plane import TERRAIN_DISC, TERRAIN_PLANE, PlaneParams
from planetfall.world.terrain.sdf.analytic import AnalyticShape, sdf_from_shape
from planetfall.world.terrain.sdf.build import ground_margin, sdf_from_mesh
from planetfall.world.terrain.surface import Surface
from support.bodies import ball
from support.made_ground import tilted_grid

SPACING = 60.0


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANETFALL_CACHE", str(tmp_path_factory.getbasetemp() / "ground-cache"))


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def every_facet(vertices: np.ndarray, facets: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Nearest points [n, 3] [m] over all facets, one place at a time."""
    corners = vertices[facets]
    found = []
    for place in places:
        near = trimesh.triangles.closest_point(corners, np.broadcast_to(place, (len(corners), 3)))
        found.append(near[np.argmin(np.sum((near - place) ** 2, axis=1))])
    return np.array(found)


def comet_places(n: int, low: float, high: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The made comet, coarse, and places over it at heights [m] spread evenly over their logarithm."""
    comet, rng = made_shape("bilobed-comet", COARSE), np.random.default_rng(4)
    corners = comet.vertices[comet.facets[rng.integers(len(comet.facets), size=n)]]
    normals = unit(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    inner = np.einsum("ni,nij->nj", rng.dirichlet([1.0, 1.0, 1.0], n), corners)
    return comet.vertices, comet.facets, inner + normals * np.geomspace(low, high, n)[:, None]


def test_far_from_a_field_the_ground_is_the_nearest_point_of_its_shape() -> None:
    """From two margins up to four radii over both lobes, the neck and edges; the ground itself lies within the margin.

    The line is exact: rounding of positions over the least height, with room to spare.
    """
    margin = ground_margin(None, SPACING)
    vertices, facets, places = comet_places(300, 2.01 * margin, 8000.0)
    feet = every_facet(vertices, facets, places)
    heights = np.linalg.norm(places - feet, axis=1)
    is_far = heights > 2.0 * margin  # over the neck another lobe may be nearer
    assert is_far.sum() > 250
    found = ground_points(sdf_from_mesh(vertices, facets, "cpu", spacing=SPACING), places)
    np.testing.assert_allclose(found.normals_S[is_far], unit(places - feet)[is_far], atol=1e-12)
    assert np.linalg.norm(found.points_S - feet, axis=1).max() < margin
    np.testing.assert_allclose(np.linalg.norm(np.cross(found.points_S - places, places - feet), axis=1), 0.0, atol=1e-4)


def test_near_a_field_the_ground_is_that_of_contact() -> None:
    """Below the margin: a zero of the field, straight under the place, with the field's own normal there."""
    vertices, facets, places = comet_places(200, 0.1, 0.99 * ground_margin(None, SPACING))
    surface = sdf_from_mesh(vertices, facets, "cpu", spacing=SPACING)
    found = ground_points(surface, places)
    gaps, gradients, _ = surface.ask(found.points_S)
    assert np.abs(gaps).max() < 1e-9
    np.testing.assert_allclose(found.normals_S, unit(gradients), atol=1e-15)
    assert np.all(found.reliefs == 0.0)


def test_nothing_changes_along_the_line_but_where_roughness_fades() -> None:
    """Over one foot on noisy ground: two normals, near and far, and between one and two margins the way between them.

    The normal turns by no more than a fifth of the way in a tenth of it: the blend of two unit vectors an angle a apart
    turns at most 2 tan(a/2)/a as fast as on the mean, 1.3 times for a right angle.
    """
    noise = Noise(0.4, 10.0, octaves=3)
    surface = sdf_from_shape(AnalyticShape("sphere", (100.0, 100.0, 100.0)), "cpu", spacing=4.0, noise=noise)
    assert surface.outline is not None
    margin, way = surface.outline.margin, unit(np.array([0.5, -0.7, 0.3]))
    heights = margin * np.array([0.5, 0.7, 0.99, *np.linspace(1.0, 2.0, 11), 2.01, 3.0, 50.0])
    found = ground_points(surface, way * (100.0 + heights)[:, None])
    np.testing.assert_allclose(found.points_S, np.broadcast_to(found.points_S[0], found.points_S.shape), atol=1e-9)
    near, far = found.normals_S[:4], found.normals_S[-4:]
    np.testing.assert_allclose(near, near[:1].repeat(4, axis=0), atol=1e-9)
    np.testing.assert_allclose(far, [way] * 4, atol=1e-9)
    turned = np.arccos(np.clip(np.sum(found.normals_S[3:-3] * way, axis=1), -1.0, 1.0))
    assert 0.02 < turned[0] < 0.5 * np.pi
    assert np.all(np.diff(turned) < 0.0)
    assert np.abs(np.diff(turned)).max() < 0.2 * turned[0]


def test_boulders_of_a_field_are_ground_too() -> None:
    """A boulder of 20 m half sunk in a ball of 100 m: from far above its top, and beside it the ball's own ground."""
    rock, facets = ball(20.0, 2)
    boulder = rock + np.array([0.0, 0.0, 100.0]), facets
    surface = sdf_from_mesh(*ball(100.0, 4), "cpu", spacing=4.0, boulders=boulder)
    found = ground_points(surface, np.array([[0.0, 0.0, 300.0], [300.0, 0.0, 0.0]]))
    np.testing.assert_allclose(found.normals_S, [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], atol=1e-12)
    np.testing.assert_allclose(found.points_S, [[0.0, 0.0, 120.0], [100.0, 0.0, 0.0]], atol=ground_margin(None, 4.0))


@pytest.mark.parametrize("half", [(100.0, 100.0, 100.0), (150.0, 100.0, 70.0)])
def test_formula_bodies_from_touch_to_far_away(half: tuple[float, float, float]) -> None:
    """Places over points of known normal, whose least radius of curvature is R = c^2/a.

    Far, the line is as good as central differences of step s, (s/R)^2/6 < 2e-9; near, the normal as the field's own,
    19.5 h/R degrees root mean square, and three times that at most.
    """
    name, spacing = ("sphere" if len(set(half)) == 1 else "ellipsoid"), 2.0
    surface = sdf_from_shape(AnalyticShape(name, half), "cpu", spacing=spacing)
    directions = unit(np.random.default_rng(1).normal(size=(400, 3)))
    feet, normals = directions * half, unit(directions / half)
    margin = ground_margin(None, spacing)
    for height in (0.05, 0.9 * margin, 2.1 * margin, 20.0, 100.0, 1e4):
        found = ground_points(surface, feet + height * normals)
        error = np.linalg.norm(found.normals_S - normals, axis=1)
        far, radius = height > margin, min(half) ** 2 / max(half)
        assert error.max() < (2e-9 if far else np.radians(3.0 * 19.5 * spacing / radius))
        assert np.linalg.norm(found.points_S - feet, axis=1).max() < (spacing**2 / radius if far else margin)


def test_a_mesh_answers_by_the_line_to_its_nearest_point() -> None:
    vertices, facets, places = comet_places(200, 1e-3, 2e4)
    found = ground_points(mesh_surface(vertices, facets, "cpu", reach=0.1), places)
    feet = every_facet(vertices, facets, places)
    np.testing.assert_allclose(found.points_S, feet, atol=1e-9)
    # rounding of kilometres over the height
    error = np.linalg.norm(found.normals_S - unit(places - feet), axis=1)
    assert np.all(error < 1e-11 / np.linalg.norm(places - feet, axis=1) + 1e-14)


def test_a_plane_by_its_normal_and_a_map_straight_below() -> None:
    """One incline as a plane and as a map: the plane's nearest point lies up the slope from the one straight below."""
    normal, place = unit(np.array([-0.6, 0.0, 0.8])), np.array([[3.0, 2.0, 40.0]])
    params = PlaneParams()
    params.point, params.normal, params.radius = (0.0, 0.0, 0.0), normal, np.inf
    along, heights = tilted_grid(normal, 21, 5.0)
    nearest = ground_points(Surface(TERRAIN_PLANE, params, "cpu"), place)
    below = ground_points(dem_surface(heights, np.array([along[0], along[0], 0.0]), (5.0, 5.0), "cpu"), place)
    np.testing.assert_allclose(nearest.points_S, place - (place @ normal)[:, None] * normal, atol=1e-12)
    np.testing.assert_allclose(below.points_S, [[3.0, 2.0, 0.75 * 3.0]], atol=1e-12)
    for found in (nearest, below):
        np.testing.assert_allclose(found.normals_S, [normal], atol=1e-12)


def test_of_two_terrains_the_nearer_and_where_there_is_none() -> None:
    """A rock of 2 m on a level map of 40 m: over it, beside it, off the map; and a place that is not a number."""
    level = dem_surface(np.zeros((9, 9)), np.array([-20.0, -20.0, 0.0]), (5.0, 5.0), "cpu")
    vertices, facets = ball(2.0, 4)
    both = combined_surface(level, mesh_surface(vertices, facets, "cpu", reach=0.1))
    found = ground_points(both, np.array([[0.0, 0.0, 12.0], [10.0, 0.0, 1.0], [30.0, 0.0, 1.0], [np.nan, 0.0, 0.0]]))
    np.testing.assert_allclose(found.points_S[:2], [[0.0, 0.0, 2.0], [10.0, 0.0, 0.0]], atol=1e-12)
    np.testing.assert_array_equal(found.is_ground, [True, True, False, False])


def test_without_ground_there_is_none() -> None:
    """Off a disc; beside the border of a sheet; places that are not numbers, over every kind."""
    params = PlaneParams()
    params.point, params.normal, params.radius = (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 5.0
    disc, body = Surface(TERRAIN_DISC, params, "cpu"), AnalyticShape("sphere", (100.0, 100.0, 100.0))
    sheet = mesh_surface(np.array([[0.0, 0, 0], [9.0, 0, 0], [0.0, 9, 0]]), np.array([[0, 1, 2]]), "cpu", reach=0.1)
    for surface in (disc, sheet):
        assert ground_points(surface, np.array([[1.0, 1.0, 3.0], [30.0, 1.0, 3.0]])).is_ground.tolist() == [True, False]
    closed = sdf_from_mesh(*ball(100.0, 2), "cpu", spacing=10.0)
    for surface in (disc, sheet, sdf_from_shape(body, "cpu", spacing=10.0), closed):
        assert not ground_points(surface, np.full((1, 3), np.nan)).is_ground.any()

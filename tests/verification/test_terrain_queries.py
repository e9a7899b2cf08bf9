"""A mesh's answers against brute force over every facet, against solid angles, and against Embree."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from oracles.mesh_brute_force import (
    Triangles,
    all_pairs,
    near_pairs,
    ray_pairs,
    triangle_distances,
    winding_numbers,
    wrong_gaps,
    wrong_ranges,
)
from planetfall.world.terrain.mesh.build import mesh_surface
from planetfall.world.terrain.model import GROUND_OK
from support.embree_rays import N as EMBREE_RAYS
from support.embree_rays import count_rays
from support.mesh_queries import LARGE, SMALL, mesh_of, points_about, rays_about, surface_of
from support.shared_data import DATA

N = 100_000
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"no shared data at {DATA} (set PLANETFALL_SHARED_DATA)")
EVERY = [*SMALL, *(pytest.param(name, marks=(needs_data, pytest.mark.slow)) for name in LARGE)]


@pytest.mark.parametrize("name", EVERY)
def test_gap_and_normal_are_those_of_a_nearest_facet(name: str) -> None:
    mesh = mesh_of(name)
    points = points_about(mesh, N, N // 50 if name in SMALL else 100, seed=1)
    gaps, normals, statuses = surface_of(name).ask(points)
    is_ground = statuses == int(GROUND_OK)
    wrong = wrong_gaps(mesh, points, gaps, normals, is_ground, near_pairs(mesh, points))
    assert len(wrong) == 0, points[wrong[:3]]
    # of an open mesh some points lie beside it, most of them far from it or on its rim; a closed one is everywhere
    assert is_ground.all() if not mesh.is_border.any() else 0.9 < is_ground.mean() < 1.0
    assert (gaps[is_ground] < 0).sum() > N // 20


@pytest.mark.parametrize("name", EVERY)
def test_rays_meet_the_first_front_face(name: str) -> None:
    mesh, n_hits = mesh_of(name), 0
    for origins, direction in rays_about(mesh, N, 20 if name in SMALL else 8, seed=2):
        directions = np.tile(direction, (len(origins), 1))
        ranges, facets = surface_of(name).cast(origins, directions, 10.0 * mesh.size)
        pairs = ray_pairs(mesh, origins, direction, ranges)
        wrong = wrong_ranges(mesh, origins, directions, ranges, facets, pairs)
        assert len(wrong) == 0, (origins[wrong[:3]], direction)
        n_hits += int(np.isfinite(ranges).sum())
    assert 0.3 * N < n_hits < N


@pytest.mark.parametrize("offset", [3.4e6, 6.4e6])
def test_rays_at_a_planets_radius(offset: float) -> None:
    """Positions are known to 1e-9 m there, so ranges are right to some of that; most rays meet the facet they met."""
    mesh, shift = mesh_of("concave"), np.array([0.6, 0.0, 0.8]) * offset
    surface = mesh_surface(mesh.vertices + shift, mesh.facets, "cpu", reach=0.1)
    for origins, direction in rays_about(mesh, 4000, 4, seed=3):
        directions = np.tile(direction, (len(origins), 1))
        ranges, facets = surface.cast(origins + shift, directions, 20.0)
        expected, _ = surface_of("concave").cast(origins, directions, 20.0)
        is_same = facets == surface_of("concave").cast(origins, directions, 20.0)[1]
        assert is_same.mean() > 0.85  # a quarter aims at edges and vertices, where rounding decides
        steep = np.abs(mesh.normals[facets] @ direction) > 0.1
        np.testing.assert_allclose(ranges[is_same & steep], expected[is_same & steep], atol=20 * 2e-16 * offset)


def test_no_ray_slips_between_facets_that_float32_confuses() -> None:
    """Two small facets of a mesh 1 km across: float32 knows their common edge to 3e-5 m only."""
    corner, far = 500.0, -500.0
    vertices = np.array(
        [[corner, corner, 0.0], [corner + 0.1, corner, 0.0], [corner + 0.1, corner + 0.1, 0.0],
         [corner, corner + 0.1, 0.0], [far, far, 0.0], [far + 1.0, far, 0.0], [far, far + 1.0, 0.0]]
    )  # fmt: skip
    surface = mesh_surface(vertices, np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6]]), "cpu", reach=0.1)
    along, beside = np.random.default_rng(4).uniform([0.01, -3e-5], [0.09, 3e-5], (2000, 2)).T
    origins = np.column_stack([corner + along + beside, corner + along - beside, np.full(2000, 7.0)])
    ranges, facets = surface.cast(origins, np.tile([0.0, 0.0, -1.0], (2000, 1)), 100.0)
    np.testing.assert_allclose(ranges, 7.0, atol=1e-14)
    np.testing.assert_array_equal(facets[np.abs(beside) > 1e-12], np.where(beside > 0, 0, 1)[np.abs(beside) > 1e-12])


@pytest.mark.parametrize("name", ["convex", "concave"])
def test_a_negative_gap_is_inside_by_the_winding_number(name: str) -> None:
    """Points off edges and vertices among them, where a facet's own side alone does not say what is inside."""
    mesh = mesh_of(name)
    points = points_about(mesh, 4000, 0, seed=5)
    gaps = surface_of(name).ask(points)[0]
    clear = np.abs(gaps) > 1e-9  # on the surface there is neither
    winding = winding_numbers(mesh, points[clear])
    np.testing.assert_allclose(winding, np.round(winding), atol=1e-6)
    np.testing.assert_array_equal(gaps[clear] < 0, np.round(winding) == 1)
    assert 500 < (gaps[clear] < 0).sum() < 3500


@pytest.mark.parametrize("name", ["convex", "concave", pytest.param("Curiosity site", marks=needs_data)])
def test_first_hits_from_outside_are_those_of_embree(name: str) -> None:
    """All but one in a thousand meet the mesh in both; of them all but one in a thousand at the same range.

    The rest pass an edge, on the other side of it in float32.
    """
    pytest.importorskip("embreex", reason="Embree is not installed")
    found = count_rays(name)
    assert found.cast == 4 * (EMBREE_RAYS // 5 * 3 // 4)
    assert found.met > 0.999 * found.cast
    assert found.apart < 0.001 * found.met


def test_the_preselection_leaves_nothing_out() -> None:
    """Nearest distance and first hit over all pairs and over the chosen ones; the chosen are a small part."""
    mesh = mesh_of("concave")
    points = points_about(mesh, 600, 60, seed=7)
    every, chosen = list(all_pairs(len(points), len(mesh.facets))), list(near_pairs(mesh, points))
    assert sum(len(pair[0]) for pair in chosen) < 0.5 * sum(len(pair[0]) for pair in every)
    nearest = [np.full(len(points), np.inf) for _ in range(2)]
    for least, pairs in zip(nearest, (every, chosen), strict=True):
        for query, facet in pairs:
            np.minimum.at(least, query, triangle_distances(mesh, points[query], facet)[0])
    np.testing.assert_array_equal(nearest[0], nearest[1])
    by_trimesh = np.linalg.norm(points[:100, None] - _closest(mesh, points[:100]), axis=2).min(axis=1)
    np.testing.assert_allclose(nearest[0][:100], by_trimesh, atol=1e-14)
    for origins, direction in rays_about(mesh, 600, 3, seed=8):
        directions = np.tile(direction, (len(origins), 1))
        ranges, facets = surface_of("concave").cast(origins, directions, 20.0)
        for pairs in (all_pairs(len(origins), len(mesh.facets)), ray_pairs(mesh, origins, direction, ranges)):
            assert len(wrong_ranges(mesh, origins, directions, ranges, facets, pairs)) == 0


def _closest(mesh: Triangles, points: np.ndarray) -> np.ndarray:
    """Nearest points [point, facet, 3] by trimesh."""
    return np.array([trimesh.triangles.closest_point(mesh.corners, np.tile(p, (len(mesh.facets), 1))) for p in points])


def test_the_oracle_sees_a_wrong_answer() -> None:
    mesh, surface = mesh_of("concave"), surface_of("concave")
    points = points_about(mesh, 700, 0, seed=9)
    gaps, normals, statuses = surface.ask(points)
    is_ground = statuses == int(GROUND_OK)

    def wrong(gaps: np.ndarray, normals: np.ndarray, is_ground: np.ndarray) -> int:
        return len(wrong_gaps(mesh, points, gaps, normals, is_ground, near_pairs(mesh, points)))

    off = np.abs(gaps) > 1e-9
    assert wrong(gaps, normals, is_ground) == 0
    assert wrong(gaps + 1e-12, normals, is_ground) == len(points)
    assert wrong(-gaps, normals, is_ground) == off.sum()
    assert wrong(gaps, np.roll(normals, 1, axis=0), is_ground) > 0.9 * len(points)
    assert wrong(gaps, normals, ~is_ground) == len(points)
    origins, direction = next(iter(rays_about(mesh, 500, 1, seed=10)))
    directions = np.tile(direction, (500, 1))
    ranges, facets = surface.cast(origins, directions, 20.0)
    for spoiled, hit in ((ranges + 1e-11, facets), (np.full(500, np.nan), np.full(500, -1)), (ranges, facets + 1)):
        found = wrong_ranges(mesh, origins, directions, spoiled, hit, ray_pairs(mesh, origins, direction, spoiled))
        assert len(found) > 0.8 * np.isfinite(ranges).sum()

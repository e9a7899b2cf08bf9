"""In the ground a gap is minus a distance: the spring's energy is one potential, on maps, meshes and unions.

Then a landing's energy account closes on rough ground as well, whichever way the ground is given.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

import planetfall
from oracles.mesh_brute_force import Triangles, all_pairs, triangle_distances, triangle_offsets
from planetfall.engine.build import build
from planetfall.engine.run import run_recorded
from planetfall.engine.state.result import RecordedRun
from planetfall.world.terrain.combined_build import combined_surface
from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.mesh.build import mesh_surface
from planetfall.world.terrain.model import GROUND_OK
from planetfall.world.terrain.surface import Surface
from support.made_ground import grid_mesh
from support.mesh_queries import ball

N, SPACING = 24, 0.1
ALONG = (np.arange(N) - N // 2) * SPACING
STEEP, ROUGH = 0.3, 0.05
"""Standard deviations of the nodes' heights [m]: facets of up to 87 and 66 degrees."""


def heights(size: float, seed: int = 0) -> np.ndarray:
    return size * np.random.default_rng(seed).normal(size=(N, N))


def map_of(z: np.ndarray, gap: str = "nearest") -> Surface:
    return dem_surface(z, np.array([ALONG[0], ALONG[0], 0.0]), (SPACING, SPACING), "cpu", gap=gap)


def mesh_of(z: np.ndarray) -> Surface:
    return mesh_surface(*grid_mesh(ALONG, z), "cpu", reach=0.1)


def rock(radius: float, middle: list[float]) -> Surface:
    return mesh_surface(radius * ball().vertices + middle, ball().facets, "cpu", reach=0.1)


GROUNDS = {
    "map": lambda z: map_of(z),
    "mesh": lambda z: mesh_of(z),
    "map with rocks": lambda z: combined_surface(map_of(z), rock(0.3, [0.0, 0.0, 0.0]), rock(0.2, [0.35, 0.1, 0.05])),
}


def places(n: int, seed: int, low: float = -0.6, high: float = 0.0) -> np.ndarray:
    """Points [m] about the ground's height, away from the edge of the map."""
    return np.random.default_rng(seed).uniform([-0.6, -0.6, low], [0.6, 0.6, high], (n, 3))


@pytest.mark.parametrize("size", [STEEP, ROUGH])
def test_in_a_map_the_gap_is_the_distance_to_the_nearest_of_all_facets(size: float) -> None:
    """Depths of up to eight cells. Rounding of coordinates of about one metre."""
    z = heights(size)
    mesh, points = Triangles(*grid_mesh(ALONG, z)), places(1500, 1, -0.8)
    gaps, normals, statuses = map_of(z).ask(points)
    inside = map_of(z, "column").ask(points)[0] < 0.0  # the side is the column's
    np.testing.assert_array_equal(gaps < 0.0, inside)
    assert set(statuses) == {int(GROUND_OK)} and 500 < inside.sum() < 1500
    points, gaps, normals = points[inside], gaps[inside], normals[inside]
    facets = map_of(z).facets_at(points)
    nearest = np.full(len(points), np.inf)
    for query, facet in all_pairs(len(points), len(mesh.facets)):
        np.minimum.at(nearest, query, triangle_distances(mesh, points[query], facet)[0])
    np.testing.assert_allclose(-gaps, nearest, atol=1e-14)
    np.testing.assert_allclose(gaps[:, None] * normals, triangle_offsets(mesh, points, facets), atol=1e-13)


def test_the_gap_is_that_of_the_column_where_its_sides_are_farther_than_the_depth() -> None:
    """Raiszadeh2012 Eq. 2, to the last bit; and outside the ground everywhere."""
    z = heights(ROUGH)
    points = places(20_000, 2, -0.1, 0.1)
    gaps, normals, _ = map_of(z).ask(points)
    in_column, along, _ = map_of(z, "column").ask(points)
    a, b = ((points[:, k] - ALONG[0]) / SPACING % 1.0 for k in range(2))
    across = np.minimum(np.where(b > a, a, 1.0 - a), np.where(b > a, 1.0 - b, b))
    room = SPACING * np.minimum(across, np.abs(a - b) / np.sqrt(2.0))
    is_same = -in_column < 0.99 * room
    np.testing.assert_array_equal(gaps[is_same], in_column[is_same])
    np.testing.assert_array_equal(normals[is_same], along[is_same])
    assert (is_same & (gaps < 0)).sum() > 500
    differs = gaps != in_column
    assert differs.sum() > 4000
    assert np.all(gaps[differs] < 0.0)


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("size", [STEEP, ROUGH])
def test_the_potential_has_no_step(ground: str, size: float) -> None:
    """A distance changes by no more than the way: neither across the walls of columns, nor along them, nor anywhere.

    Pairs of points in the ground that are 1e-9 m to 0.1 m apart, half of them to both sides of a wall of the grid.
    """
    surface, rng = GROUNDS[ground](heights(size)), np.random.default_rng(3)
    one = places(20_000, 4)
    one[:5000, 0] = np.round(one[:5000, 0] / SPACING) * SPACING
    one[5000:10_000, 1] = (
        one[5000:10_000, 0] + np.round((one[5000:10_000, 1] - one[5000:10_000, 0]) / SPACING) * SPACING
    )
    way = rng.normal(size=one.shape)
    way *= (10.0 ** rng.uniform(-9.0, -1.0, len(one)) / np.linalg.norm(way, axis=1))[:, None]
    first, second = (surface.ask(one + sign * 0.5 * way)[0] for sign in (-1.0, 1.0))
    both = (first < 0.0) & (second < 0.0)
    assert both.sum() > 8000
    change = np.abs(second - first)[both]
    assert np.all(change <= np.linalg.norm(way[both], axis=1) * (1.0 + 1e-12) + 1e-14)


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("size", [STEEP, ROUGH])
def test_the_force_is_the_slope_of_the_potential(ground: str, size: float) -> None:
    """-grad (gap^2/2) = -gap normal, by central differences over 2e-6 m.

    On one face, edge or vertex they are exact but for rounding, 1e-16 m^2 over 1e-6 m: half the squared distance is a
    polynomial of second degree there. Less than one point in two thousand is so near to where another one becomes the
    nearest, and the force turns.
    """
    surface, h = GROUNDS[ground](heights(size)), 1e-6
    points = places(20_000, 5)
    gaps, normals, _ = surface.ask(points)
    points, gaps, normals = (column[gaps < -1e-3] for column in (points, gaps, normals))
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-14)
    slopes = np.empty_like(points)
    for axis in range(3):
        ahead, behind = (0.5 * surface.ask(points + sign * h * np.eye(3)[axis])[0] ** 2 for sign in (1.0, -1.0))
        slopes[:, axis] = (ahead - behind) / (2.0 * h)
    off = np.linalg.norm(slopes - gaps[:, None] * normals, axis=1)
    assert len(points) > 8000
    assert np.mean(off > 1e-9) < 5e-4
    assert np.all(off <= np.abs(gaps) + 1e-9)  # where it turns, it lies between


@pytest.mark.parametrize("seed", range(2))
def test_a_mesh_knows_its_side_at_steep_vertices(seed: int) -> None:
    """Close to vertices of ground of up to 87 degrees; the column of the same ground as a map is the judge.

    The facet that faces a point most squarely, a common rule, takes the wrong side of 1,525 of 400,000 such points.
    """
    z, rng = heights(STEEP, seed), np.random.default_rng(seed)
    inner = grid_mesh(ALONG, z)[0].reshape(N, N, 3)[4:-4, 4:-4].reshape(-1, 3)
    points = inner[rng.integers(len(inner), size=10_000)] + 0.02 * rng.normal(size=(10_000, 3))
    gaps, _, statuses = mesh_of(z).ask(points)
    expected = map_of(z).ask(points)[0]
    clear = np.abs(gaps) > 1e-12
    assert clear.sum() > 9990 and set(statuses) == {int(GROUND_OK)}
    np.testing.assert_array_equal(gaps[clear] < 0, expected[clear] < 0)
    np.testing.assert_allclose(gaps[gaps < 0], expected[gaps < 0], atol=1e-13)


def test_where_bodies_share_edges_and_vertices_the_side_is_still_told() -> None:
    """Two boxes that touch along an edge, with common vertices, where four facets meet at an edge."""
    corners = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    facets = np.array([[q[0], q[i], q[i + 1]] for q in quads for i in (1, 2)])
    both = np.vstack([corners, corners - [1.0, 1.0, 0.0]])
    merged, which = np.unique(both, axis=0, return_inverse=True)
    surface = mesh_surface(merged, which.ravel()[np.vstack([facets, facets + 8])], "cpu", reach=0.1)
    assert len(merged) == 14
    points = np.random.default_rng(6).uniform([-1.2, -1.2, -0.3], [1.2, 1.2, 1.3], (4000, 3))
    gaps = surface.ask(points)[0]
    first, second = (np.all((points > low) & (points < high), axis=1) for low, high in (
        ([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]), ([-1.0, -1.0, 0.0], [0.0, 0.0, 1.0])))  # fmt: skip
    np.testing.assert_array_equal(gaps < 0.0, first | second)


# --- landings


STEPS = (1e-3, 5e-4)


@lru_cache
def landed(ground: str, step: float) -> RecordedRun:
    """A box set down on rough ground, in which it sinks as deep as a cell is wide."""
    scenario = planetfall.load("box-bench").with_values(
        {
            "scenario.duration": 4.0, "initial.height": 0.3, "initial.velocity": [0.3, 0.2, -0.2],
            "initial.angular_velocity": [1.0, 2.0, 0.5], "contact.rest_penetration": 0.02, "record.interval": 0.01,
            "outcome.stop_at_rest": False, "integrator.step": step,
        }
    )  # fmt: skip
    z = heights(ROUGH, 1)
    made = {"map": map_of(z), "mesh": mesh_of(z), "column": map_of(z, "column")}
    return run_recorded(build(scenario, surface=made[ground]))


def account(run: RecordedRun) -> tuple[float, float]:
    """By how much the energy account is open, and by how much the energy rises, at most [J]."""
    energy, work = run.observed.energy.sum(axis=1), run.frames.state[:, 13:].sum(axis=1)
    return np.abs(energy - energy[0] - work).max(), float((energy - np.minimum.accumulate(energy)).max())


@pytest.mark.parametrize("ground", ["map", "mesh"])
def test_a_landing_on_rough_ground_closes_its_energy_account(ground: str) -> None:
    """To the error of integration, which is second order where the force has kinks; and energy never rises.

    A touch at v between two steps h is off by K h^2 v^2/8, here 4e-7 J at 1 m/s. A hundred touches, changes of side and
    of friction make less than 4e-5 J of 0.126 J.
    """
    (coarse, _), (fine, rise) = (account(landed(ground, step)) for step in STEPS)
    start = landed(ground, STEPS[0]).observed.energy[0].sum()
    assert coarse < 4e-5
    assert fine < coarse / 2.5
    assert rise < 1e-12 * start
    assert landed(ground, STEPS[0]).observed.gap.min() < -0.5 * SPACING


def test_by_columns_the_account_stays_open_at_any_step() -> None:
    """What the jumps at the walls of columns make and take: the reason why it is not the default."""
    coarse, fine = (account(landed("column", step))[0] for step in STEPS)
    start = landed("column", STEPS[0]).observed.energy[0].sum()
    assert coarse > 1e-2 * start
    assert fine > 0.9 * coarse


def test_a_map_and_the_mesh_of_its_facets_give_the_same_landing() -> None:
    """Rounding of a metre, through all touches of a tumbling landing."""
    one, other = landed("map", STEPS[0]), landed("mesh", STEPS[0])
    assert one.end.touches.sum() > 5
    np.testing.assert_array_equal(one.end.touches, other.end.touches)
    same = np.intersect1d(one.frames.time, other.frames.time, return_indices=True)[1:]
    assert len(same[0]) > 400
    np.testing.assert_allclose(one.frames.state[same[0]], other.frames.state[same[1]], atol=1e-9)

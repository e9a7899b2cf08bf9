"""The plane's two queries against vector algebra in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import planetfall
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.model import GROUND_OFF_MAP, GROUND_OK, RAY_HIT, RAY_MISS
from support.warp_probes import gaps, plane, rays

POINT = np.array([3.0, -2.0, 0.5])
NORMAL = np.array([2.0, -3.0, 6.0]) / 7.0
ROUNDING = 1e-14  # a few operations on numbers of the size of one


def scattered(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-2.0, 2.0, (n, 3))


def test_gap_is_the_signed_distance() -> None:
    positions = scattered(200, 0)
    found = gaps(plane(POINT, NORMAL), positions)
    np.testing.assert_allclose(found["gap"], (positions - POINT) @ NORMAL, atol=ROUNDING)
    np.testing.assert_array_equal(found["normal"], np.tile(NORMAL, (200, 1)))
    assert set(found["status"]) == {int(GROUND_OK)}
    assert found["gap"].min() < 0 < found["gap"].max()


def test_gap_of_its_own_point_is_zero() -> None:
    assert gaps(plane(POINT, NORMAL), POINT)["gap"] == 0.0


def test_map_ends_at_its_radius_however_high_the_point() -> None:
    along = np.cross(NORMAL, [0.0, 0.0, 1.0])
    along /= np.linalg.norm(along)
    inside = POINT + 1.999 * along + np.outer([-1.0, 0.0, 50.0], NORMAL)
    outside = POINT + 2.001 * along + np.outer([-1.0, 0.0, 50.0], NORMAL)
    bounded = plane(POINT, NORMAL, radius=2.0)
    assert set(gaps(bounded, inside)["status"]) == {int(GROUND_OK)}
    assert set(gaps(bounded, outside)["status"]) == {int(GROUND_OFF_MAP)}
    np.testing.assert_allclose(gaps(bounded, outside)["gap"], [-1.0, 0.0, 50.0], atol=50 * ROUNDING)


def test_ray_meets_the_plane_where_algebra_says() -> None:
    origins = scattered(300, 1) + POINT + 4.0 * NORMAL
    directions = scattered(300, 2)
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    closing = -directions @ NORMAL
    found = rays(plane(POINT, NORMAL), origins, directions)
    hits = closing > 0
    assert 0 < hits.sum() < 300
    np.testing.assert_array_equal(found["status"], np.where(hits, int(RAY_HIT), int(RAY_MISS)))
    expected = ((origins - POINT) @ NORMAL)[hits] / closing[hits]
    np.testing.assert_allclose(found["range"][hits], expected, rtol=1e-13)
    np.testing.assert_array_equal(found["facet"], np.where(hits, 0, -1))


@pytest.mark.parametrize(
    ("height", "direction", "reach", "is_hit"),
    [
        pytest.param(1.0, -1.0, np.inf, True, id="from above"),
        pytest.param(-1.0, 1.0, np.inf, False, id="back face, from below"),
        pytest.param(1.0, 1.0, np.inf, False, id="away from it"),
        pytest.param(-1.0, -1.0, np.inf, False, id="already below it"),
        pytest.param(0.0, -1.0, np.inf, True, id="starts on it"),
        pytest.param(1.0, -1.0, 1.0, True, id="just within reach"),
        pytest.param(1.0, -1.0, 0.999, False, id="out of reach"),
    ],
)
def test_ray_hits_front_faces_within_reach(height: float, direction: float, reach: float, is_hit: bool) -> None:
    found = rays(plane([0, 0, 0], [0, 0, 1]), [[0.3, 0.2, height]], [[0.0, 0.0, direction]], reach)
    assert found["status"][0] == (int(RAY_HIT) if is_hit else int(RAY_MISS))
    assert found["range"][0] == (height if is_hit else reach)


def test_ray_along_the_plane_misses() -> None:
    found = rays(plane([0, 0, 0], [0, 0, 1]), [[0, 0, 0.0], [0, 0, 1.0]], [[1.0, 0, 0], [1.0, 0, 0]])
    assert set(found["status"]) == {int(RAY_MISS)}


def test_ray_past_the_edge_of_the_map_misses() -> None:
    disc = plane([0, 0, 0], [0, 0, 1], radius=1.0)
    found = rays(disc, [[0.999, 0, 5.0], [1.001, 0, 5.0]], [[0, 0, -1.0], [0, 0, -1.0]])
    assert list(found["status"]) == [int(RAY_HIT), int(RAY_MISS)]


@pytest.mark.parametrize(
    ("aspect_deg", "downhill"), [(0.0, [0, 1, 0]), (90.0, [1, 0, 0]), (180.0, [0, -1, 0]), (270.0, [-1, 0, 0])]
)
def test_aspect_is_the_azimuth_of_descent(aspect_deg: float, downhill: list[float]) -> None:
    """Moving downhill over level distance s, the gap of a point on the plane grows by s sin(slope)."""
    terrain = {"terrain": {"model": "plane", "slope_deg": 30.0, "aspect_deg": aspect_deg}}
    scenario = planetfall.load("sink-flat").with_values(terrain)
    gap, normal, _ = make_surface(scenario, "cpu").ground_at(np.asarray(downhill, float))
    assert gap == pytest.approx(0.5, abs=ROUNDING)
    assert normal @ downhill == pytest.approx(0.5, abs=ROUNDING)
    assert normal[2] == pytest.approx(np.cos(np.radians(30.0)), abs=ROUNDING)

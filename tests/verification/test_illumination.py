"""Sunlight over a whole turn: against rays through every triangle of the mesh, one by one."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from scipy.spatial.transform import Rotation

from planetfall.analysis.run.illumination import illumination, illumination_at_end, sun_in_surface_frame
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.sdf.analytic import AnalyticShape, sdf_from_shape
from planetfall.world.terrain.sdf.build import ground_margin, sdf_from_mesh
from support.bodies import Mesh, ball

SPIN = 1.4e-4
PERIOD = 2.0 * np.pi / SPIN


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANETFALL_CACHE", str(tmp_path_factory.getbasetemp() / "sun-cache"))


def test_sun_turns_against_the_target() -> None:
    """Against quaternions: v_S = R_SI v_I with the frame turned by +angle, about a skew axis; a turn brings it back."""
    axis = np.array([0.36, 0.48, 0.8])
    sun = np.array([0.6, -0.8, 0.0])
    times = np.linspace(0.0, PERIOD, 25)
    found = sun_in_surface_frame(sun, SPIN * axis, times)
    half = 0.5 * SPIN * times
    R_IS = rotation_matrix(np.column_stack([np.sin(half)[:, None] * axis, np.cos(half)]))
    np.testing.assert_allclose(found, np.einsum("nji,j->ni", R_IS, sun), atol=1e-14)
    np.testing.assert_allclose(found[-1], sun, atol=1e-14)


def test_day_on_a_ball_is_half_a_turn() -> None:
    """Sun in the equator: incidence at longitude 0 falls and rises with the hour angle; day is the near half."""
    surface = sdf_from_shape(AnalyticShape("sphere", (100.0, 100.0, 100.0)), "cpu", spacing=4.0)
    times = np.linspace(0.0, PERIOD, 73)
    place = np.tile([100.0, 0.0, 0.0], (73, 1))
    found = illumination(surface, place, times, np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, SPIN]))
    expected = np.arccos(np.cos(SPIN * times))
    rms = np.radians(19.5 * 4.0 / 100.0)  # error of the field's gradient, 19.5 h/R degrees
    np.testing.assert_allclose(found.incidence, expected, atol=3.0 * rms)
    clear = np.abs(expected - 0.5 * np.pi) > 0.05
    np.testing.assert_array_equal(found.is_lit[clear], (expected < 0.5 * np.pi)[clear])


def is_blocked(origins: np.ndarray, rays: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Whether each ray meets any triangle beyond its start, by Cramer's rule over all pairs."""
    edge, other = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    found = []
    for origin, ray in zip(origins, rays, strict=True):
        across = np.cross(ray, other)
        with np.errstate(divide="ignore", invalid="ignore"):
            inverse = 1.0 / np.einsum("fi,fi->f", edge, across)
            start = origin - triangles[:, 0]
            u = np.einsum("fi,fi->f", start, across) * inverse
            turned = np.cross(start, edge)
            v = turned @ ray * inverse
            t = np.einsum("fi,fi->f", other, turned) * inverse
        found.append(bool(np.any((u >= 0) & (v >= 0) & (u + v <= 1) & (t > 1e-9))))
    return np.array(found)


def planes(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Outward unit normals [facet, 3] of a convex mesh, and how far along them its facets lie from the origin [m]."""
    corners = mesh[0][mesh[1]]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return normals, np.einsum("fi,fi->f", normals, corners[:, 0])


def over(places: np.ndarray, mesh: Mesh) -> np.ndarray:
    """Largest height of places over the planes of a convex mesh [m]: inside it is less than 0, the exact depth; outside
    it is no more than the distance.
    """
    normals, offsets = planes(mesh)
    return (places @ normals.T - offsets).max(axis=1)


def clearance(origins: np.ndarray, rays: np.ndarray, mesh: Mesh) -> np.ndarray:
    """How far each ray stays outside a convex mesh [m], at least; negative: how deep it passes through it.

    `over` is convex along a ray, so its least value is found by golden sections, to 0.2 mm.
    """
    low, high, golden = np.zeros(len(origins)), np.full(len(origins), 400.0), 0.5 * (np.sqrt(5.0) - 1.0)
    for _ in range(30):
        first, second = high - golden * (high - low), low + golden * (high - low)
        falls = over(origins + first[:, None] * rays, mesh) > over(origins + second[:, None] * rays, mesh)
        low, high = np.where(falls, first, low), np.where(falls, high, second)
    return over(origins + (0.5 * (low + high))[:, None] * rays, mesh)


def lobes() -> tuple[Mesh, Mesh]:
    """Balls of 100 m and 70 m, 20 m apart: each stands in the other's light twice a turn."""
    (one, facets), (other, _) = ball(100.0, 3), ball(70.0, 3)
    return (one - np.array([90.0, 0.0, 0.0]), facets), (other + np.array([100.0, 0.0, 0.0]), facets)


def test_light_on_two_lobes_over_a_turn() -> None:
    """At and over the middles of 40 facets, 24 hours of the day: day, night and the shadow of one lobe on the other.

    The field is linear about the middle of a facet, since a cell's diagonal is shorter than the way to its edges: the
    normal there is the facet's own, to the rounding of float32. The field's surface lies within half a diagonal of the
    mesh. So only a ray that passes the other lobe's limb more closely may go either way; from a height, by twice that
    more, by which the ray then starts above the ground. There are no other exceptions.
    """
    one, other = lobes()
    vertices, facets = np.vstack([one[0], other[0]]), np.vstack([one[1], other[1] + len(one[0])])
    spacing, triangles = 1.5, vertices[facets]
    margin, surface = ground_margin(None, spacing), sdf_from_mesh(vertices, facets, "cpu", spacing=spacing)
    chosen = np.arange(0, len(facets), len(facets) // 40)
    when = np.tile(np.linspace(0.0, PERIOD, 24, endpoint=False), len(chosen))
    middles = np.repeat(triangles[chosen].mean(axis=1), 24, axis=0)
    outward = np.repeat(np.vstack([planes(one)[0], planes(other)[0]])[chosen], 24, axis=0)
    is_one = np.repeat(chosen < len(one[1]), 24)
    sun, omega = np.array([0.96, 0.0, 0.28]), np.array([0.0, 0.0, SPIN])
    sun_S = sun_in_surface_frame(sun, omega, when)
    above = np.einsum("ni,ni->n", outward, sun_S)
    shadow = is_blocked(middles + 1e-3 * outward, sun_S, triangles)
    passing = np.where(is_one, *(clearance(middles, sun_S, mesh) for mesh in (other, one)))
    for height in (0.0, 0.2, 5.0, 40.0):
        places = middles + height * outward
        found = illumination(surface, places, when, sun, omega)
        # a place that is nearer to the other lobe has its ground there
        is_own = np.where(is_one, *(over(places, mesh) for mesh in (other, one))) > height
        np.testing.assert_allclose(np.cos(found.incidence)[is_own], above[is_own], atol=1e-4)
        is_clear = is_own & (np.abs(above) > 1e-4) & (np.abs(passing) > margin * (1.0 if height < margin else 3.0))
        np.testing.assert_array_equal(found.is_day[is_clear], (above > 0.0)[is_clear])
        np.testing.assert_array_equal(found.is_lit[is_clear], ((above > 0.0) & ~shadow)[is_clear])
        assert is_clear.mean() > 0.8
        assert np.sum(is_clear & shadow & (above > 0.1)) > 10  # there are shadows that are not night


@pytest.mark.parametrize("half", [(100.0, 100.0, 100.0), (150.0, 100.0, 70.0)])
def test_incidence_from_touch_to_far_away_over_a_turn(half: tuple[float, float, float]) -> None:
    """Ball and ellipsoid: the angle of the sun from a known normal, from 5 cm to 5 km up, through a whole turn.

    On the ground to the field's own error, 19.5 h/R degrees root mean square with R = c^2/a; in flight to 1e-6 rad,
    day or night without exception.
    """
    name = "sphere" if len(set(half)) == 1 else "ellipsoid"
    surface = sdf_from_shape(AnalyticShape(name, half), "cpu", spacing=2.0)
    rng = np.random.default_rng(3)
    directions = rng.normal(size=(600, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    normals = directions / half
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    times, spin = np.linspace(0.0, PERIOD, 600), SPIN * np.array([0.36, 0.48, 0.8])
    sun = np.array([0.6, -0.8, 0.0])
    cosine = np.einsum("ni,ni->n", Rotation.from_rotvec(-times[:, None] * spin).apply(sun), normals)
    on_ground = 3.0 * np.radians(19.5 * 2.0 * max(half) / min(half) ** 2)
    for height in (0.05, 0.5, 5.0, 50.0, 200.0, 5000.0):
        found = illumination(surface, directions * half + height * normals, times, sun, spin)
        allowed = on_ground if height < 2.0 * ground_margin(None, 2.0) else 1e-6
        assert np.abs(found.incidence - np.arccos(cosine)).max() < allowed
        is_clear = np.abs(cosine) > allowed
        np.testing.assert_array_equal(found.is_day[is_clear], (cosine > 0.0)[is_clear])
        np.testing.assert_array_equal(found.is_lit, found.is_day)  # nothing convex shades itself


def test_a_run_off_the_map_has_no_incidence() -> None:
    """A vehicle thrown off a map: no number where there is no ground, neither day nor light, and a summary to save."""
    surface = dem_surface(np.zeros((3, 3)), np.array([-5.0, -5.0, 0.0]), (5.0, 5.0), "cpu")
    places = np.array([[0.0, 0.0, 1.0], [20.0, 0.0, 1.0]])
    found = illumination(surface, places, np.zeros(2), np.array([0.0, 0.6, 0.8]), np.zeros(3))
    assert found.incidence[0] == pytest.approx(np.arccos(0.8))
    assert np.isnan(found.incidence[1])
    assert (found.is_day.tolist(), found.is_lit.tolist()) == ([True, False], [True, False])
    last = {
        "solar_incidence": xr.Variable("time", found.incidence),
        "ground_is_lit": xr.Variable("time", found.is_lit.astype(np.int8)),
    }
    assert illumination_at_end(last) == {"solar_incidence_deg": None, "is_day": False, "is_lit": False}

"""Sunlight over a whole turn: against rays through every triangle of the mesh, one by one."""

from __future__ import annotations

import numpy as np
import pytest

from planetfall.analysis.illumination import illumination, sun_in_surface_frame
from planetfall.scenario.attitude import rotation_matrix
from planetfall.world.terrain.analytic_sdf import AnalyticShape, sdf_from_shape
from planetfall.world.terrain.sdf_build import sdf_from_mesh
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


def two_balls() -> Mesh:
    """Balls of 100 m and 70 m, 20 m apart: each stands in the other's light twice a turn."""
    (one, facets), (other, _) = ball(100.0, 3), ball(70.0, 3)
    shifted = np.vstack([one - np.array([90.0, 0.0, 0.0]), other + np.array([100.0, 0.0, 0.0])])
    return shifted, np.vstack([facets, facets + len(one)])


def test_light_on_two_lobes_over_a_turn() -> None:
    """At the middles of 40 facets and 24 hours of the day, day, night and the shadow of one lobe on the other.

    Rays that graze within two cells, or a sun within 5 degrees of the horizon, may go either way: the field's normal
    and surface are those of its cells. They are a few in a hundred.
    """
    vertices, facets = two_balls()
    surface = sdf_from_mesh(vertices, facets, "cpu", spacing=4.0)
    triangles = vertices[facets]
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    chosen = np.arange(0, len(facets), len(facets) // 40)
    times = np.linspace(0.0, PERIOD, 24, endpoint=False)
    places = np.repeat(triangles[chosen].mean(axis=1), 24, axis=0)
    outward = np.repeat(normals[chosen], 24, axis=0)
    when = np.tile(times, len(chosen))
    sun, omega = np.array([0.96, 0.0, 0.28]), np.array([0.0, 0.0, SPIN])
    found = illumination(surface, places, when, sun, omega)
    height = np.einsum("ni,ni->n", outward, found.sun_S)
    shadow = is_blocked(places + 1e-3 * outward, found.sun_S, triangles)
    lit = (height > 0.0) & ~shadow
    clear = np.abs(height) > np.sin(np.radians(5.0))
    assert np.mean(found.is_lit[clear] != lit[clear]) < 0.03
    assert np.sum(shadow & (height > 0.1)) > 10  # there are shadows that are not night
    assert np.mean(found.is_day[clear] != (height > 0.0)[clear]) < 0.01

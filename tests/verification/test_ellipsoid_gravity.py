"""The exact field of a homogeneous ellipsoid against SciPy's elliptic integrals, a sphere and a mesh of that body."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import elliprd, elliprf

from planetfall.scenario.files.load import scenario_from_dict
from planetfall.world.gravity.field import gravity_field
from planetfall.world.gravity.on_device import GravityField
from planetfall.world.gravity.polyhedron.build import polyhedron_field

GM = 4.9
EPSILON = np.finfo(float).eps


def field_of(axes: tuple[float, float, float]) -> GravityField:
    body = {"name": "own", "gm": GM, "semi_axes": list(axes), "frame": "P"}
    return gravity_field(
        scenario_from_dict(
            {
                "scenario": {"name": "field", "duration": 1.0}, "target": body, "gravity": {"model": "ellipsoid"},
                "terrain": {"model": "sdf"}, "vehicle": {"name": "cube"}, "integrator": {"method": "adaptive"},
                "contact": {"law": "distributed", "stiffness": 250.0, "damping": 14.0, "friction": 0.5},
            }
        )
    )  # fmt: skip


def asked(axes: tuple[float, float, float], places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    field = field_of(axes)
    return field.at(places)


def independent(axes: np.ndarray, place: np.ndarray) -> tuple[float, np.ndarray]:
    """Potential and acceleration by SciPy: the confocal root by bisection, R_F and R_D by its own code."""
    squares = axes**2

    def outside(k: float) -> float:
        return float(np.sum(place**2 / (squares + k))) - 1.0

    k = brentq(outside, 0.0, float(place @ place), xtol=1e-300, rtol=4 * EPSILON) if outside(0.0) > 0.0 else 0.0
    a, b, c = squares + k
    rd = np.array([elliprd(b, c, a), elliprd(c, a, b), elliprd(a, b, c)])
    return -GM * (1.5 * float(elliprf(a, b, c)) - 0.5 * float(place**2 @ rd)), -GM * place * rd


@pytest.mark.parametrize(
    "axes",
    [(252.78, 246.2, 228.69), (17000.0, 5500.0, 5500.0), (267.5, 147.0, 104.5), (1.0, 1.0, 1.0), (100.0, 3.0, 1.0)],
)
def test_is_what_the_elliptic_integrals_say(axes: tuple[float, float, float]) -> None:
    """At places from deep inside to a hundred radii. Both are sums of a dozen roundings, and the root k passes its
    relative error on with the ratio of the axes squared at most."""
    rng = np.random.default_rng(2)
    half = np.array(axes)
    directions = rng.normal(size=(60, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    places = directions * half * np.geomspace(0.05, 100.0, 60)[:, None]
    potential, acceleration = asked(axes, places)
    for place, u, g in zip(places, potential, acceleration, strict=True):
        expected_u, expected_g = independent(half, place)
        assert u == pytest.approx(expected_u, rel=100 * EPSILON)
        np.testing.assert_allclose(g, expected_g, rtol=200 * EPSILON, atol=200 * EPSILON * np.abs(expected_g).max())


def test_a_sphere_is_a_point_outside_and_linear_inside() -> None:
    places = np.array([[3.0, -4.0, 12.0], [0.1, 0.2, -0.3]])
    potential, acceleration = asked((2.0, 2.0, 2.0), places)
    np.testing.assert_allclose(acceleration[0], -GM * places[0] / 13.0**3, rtol=8 * EPSILON)
    np.testing.assert_allclose(acceleration[1], -GM * places[1] / 8.0, rtol=8 * EPSILON)
    assert potential[0] == pytest.approx(-GM / 13.0, rel=8 * EPSILON)
    assert potential[1] == pytest.approx(-GM * (3.0 * 4.0 - places[1] @ places[1]) / 16.0, rel=8 * EPSILON)


def test_a_mesh_of_the_same_body_comes_to_the_same() -> None:
    """A polyhedron of 5,120 facets scaled to the ellipsoid's volume: facets cut off the body with the square of their
    size, 0.4 % of the radius, and three quarters of that error goes with four times as many facets."""
    from trimesh.creation import icosphere

    axes = np.array([267.5, 147.0, 104.5])
    places = np.array([[300.0, 0.0, 0.0], [0.0, 0.0, 120.0], [150.0, 120.0, 90.0]])
    _, exact = asked(tuple(axes), places)
    errors = []
    for subdivisions in (3, 4):
        ball = icosphere(subdivisions, 1.0)
        vertices = ball.vertices * axes * (4.0 / 3.0 * np.pi / ball.volume) ** (1.0 / 3.0)
        found = polyhedron_field(vertices, np.asarray(ball.faces), "cpu", gm=GM).acceleration(places)
        errors.append(np.linalg.norm(found - exact, axis=1) / np.linalg.norm(exact, axis=1))
    assert errors[1].max() < 2e-4
    assert np.all(errors[0] / errors[1] > 3.0)


def test_acceleration_is_the_gradient_through_the_surface() -> None:
    """Central differences across the surface, where the second derivative jumps: first order there, h^2 elsewhere."""
    axes = (267.5, 147.0, 104.5)
    rng = np.random.default_rng(4)
    directions = rng.normal(size=(20, 3))
    surface = directions / np.linalg.norm(directions / np.array(axes), axis=1)[:, None]
    places = np.concatenate([surface * 0.9, surface * 1.1])
    _, acceleration = asked(axes, places)
    step = 0.02
    for i, unit in enumerate(np.eye(3)):
        ahead, behind = (asked(axes, places + sign * step * unit)[0] for sign in (1.0, -1.0))
        slope = -(ahead - behind) / (2.0 * step)
        # h^2/6 of the third derivative, GM/r^4 by order, and the rounding of U over h
        tolerance = step**2 * GM * 24.0 / 90.0**4 + 4 * EPSILON * GM / 90.0 / step
        np.testing.assert_allclose(slope, acceleration[:, i], rtol=0, atol=tolerance)

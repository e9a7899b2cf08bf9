"""Starts in the ground: what is refused, what is told of, and that the speed which is told is the speed that comes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import elliprd

import planetfall
from planetfall import InputError
from planetfall.analysis.run.validity import validity_notes
from planetfall.contact.laws import coefficients_of
from planetfall.engine.build import build
from planetfall.engine.checks.initial_penetration import depths_in_ground
from planetfall.scenario import library_names, load
from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.mesh.build import mesh_surface
from support.bodies import ball, cube

GRAVITY = 5.8e-3


def lying_cube(sinks: float, **values: Any) -> planetfall.Scenario:
    """The cube on a face, at a depth in units of that at which it rests."""
    scenario = load("cube-phobos")
    bottom = float(scenario.vehicle.tips[:, 2].min())
    sink = scenario.vehicle.mass * GRAVITY / (4 * coefficients_of(scenario, GRAVITY).stiffness)
    start = {"position": [0.0, 0.0, -bottom - sinks * sink]}
    return scenario.with_values({"initial": start, "scenario.duration": 40.0, **values})


@pytest.mark.parametrize("sinks", [-1.0, 0.0, 1.0, 1.999])
def test_starts_at_rest_depth_are_not_told_of(sinks: float) -> None:
    """Up to twice the depth of rest, where a vehicle let go on the surface comes to by itself, weight holds it."""
    assert build(lying_cube(sinks)).depths == ()


def test_more_than_weight_explains_is_told_of() -> None:
    assert len(build(lying_cube(2.001)).depths) == 1


def test_the_speed_told_is_the_speed_that_comes() -> None:
    """Damping acts inward only, so that n k d^2 / 2 - m g d is kinetic when the face leaves the ground.

    In flight v^2 + 2 g z is kept; tolerance: that of the integrator, 1e-9 per step, over some hundred steps.
    """
    told: list[str] = []
    scenario = lying_cube(40.0)
    trajectory = planetfall.run(scenario, note=told.append)
    (found,) = trajectory.summary["started_in_ground"]
    stiffness, mass = coefficients_of(scenario, GRAVITY).stiffness, scenario.vehicle.mass
    depth = 40.0 * mass * GRAVITY / (4 * stiffness)
    expected = np.sqrt(4 * stiffness * depth**2 / mass - 2 * GRAVITY * depth)
    assert found == pytest.approx({"points": 4, "depth_m": depth, "speed_m_s": expected}, rel=1e-9)
    flown = trajectory.data.isel(time=2, body=0)
    rise = float(flown.position.values[2] - trajectory.data.position.values[0, 0, 2]) - depth
    assert rise > 0.0
    assert np.sqrt(flown.velocity.values[2] ** 2 + 2 * GRAVITY * rise) == pytest.approx(expected, rel=1e-6)
    assert told == [build(scenario).depths[0].sentence]
    assert "4 points start in the ground" in told[0]
    assert any(
        "started in the ground" in note for note in validity_notes(scenario, trajectory.data, trajectory.summary)
    )


def test_rounding_is_no_depth() -> None:
    """Without weight any depth is more than it explains, but not the last bits of a start on the surface."""
    scenario = lying_cube(0.0, gravity={"model": "none"})
    x, y, z = scenario.initial.position
    assert build(scenario.with_values({"initial.position": [x, y, z - 1e-15]})).depths == ()
    assert len(build(scenario.with_values({"initial.position": [x, y, z - 1e-6]})).depths) == 1


def test_shipped_scenarios_say_nothing() -> None:
    assert [name for name in library_names() if build(load(name)).depths] == []


def on_mesh(vertices: np.ndarray, facets: np.ndarray, position: list[float]) -> planetfall.Scenario:
    terrain = {"model": "mesh", "vertices": vertices.tolist(), "facets": facets.tolist()}
    method = {"method": "rk4", "step": 1e-3, "accept_step": True}
    return load("cube-phobos").with_values(
        {"terrain": terrain, "initial": {"position": position}, "integrator": method}
    )


def test_a_centre_of_mass_inside_a_closed_mesh_is_refused() -> None:
    vertices, facets = ball(20.0, 2)
    with pytest.raises(InputError, match=r"initial\.position: \[0\.0, 0\.0, 15\.0\] m is 4\.\d+ m inside the ground"):
        build(on_mesh(vertices, facets, [0.0, 0.0, 15.0]))
    with pytest.raises(InputError, match="inside the ground"):
        build(on_mesh(vertices, facets, [0.0, 0.0, 0.0]))
    assert build(on_mesh(vertices, facets, [0.0, 0.0, 21.0])).depths == ()


SHEET = (
    np.array([[-5.0, -5.0, 0.0], [5.0, -5.0, 0.0], [5.0, 5.0, 0.0], [-5.0, 5.0, 0.0]]),
    np.array([[0, 1, 2], [0, 2, 3]]),
)


def test_below_an_open_mesh_is_behind_its_nearest_facet() -> None:
    """Beside the border there is no ground, as for the contact law."""
    with pytest.raises(InputError, match="3 m inside the ground"):
        build(on_mesh(*SHEET, [1.0, 2.0, -3.0]))
    build(on_mesh(*SHEET, [1.0, 2.0, 3.0]))
    build(on_mesh(*SHEET, [8.0, 0.0, -1.0]))


def test_below_a_plane_is_refused_where_something_can_touch() -> None:
    below = {"initial": {"position": [0.0, 0.0, -0.3]}}
    with pytest.raises(InputError, match=r"initial\.position.*0\.3 m inside the ground.*give initial\.height"):
        build(load("cube-phobos").with_values(below))
    build(load("free-top").with_values({"initial.position": [0.0, 0.0, -0.3]}))


@pytest.mark.parametrize("kind", ["mesh", "dem"])
def test_depths_are_those_of_the_shape(kind: str) -> None:
    """In a cube of 4 m, the distance to the nearest face; under a level map, that to the map."""
    places = np.random.default_rng(3).uniform(-3.0, 3.0, (2000, 3))
    if kind == "mesh":
        surface = mesh_surface(*cube(4.0), "cpu", reach=0.1)
        expected = np.maximum(2.0 - np.abs(places).max(axis=1), 0.0)
    else:
        surface = dem_surface(np.full((9, 9), 0.5), np.array([-2.0, -2.0, 0.0]), (0.5, 0.5), "cpu")
        is_over = np.abs(places[:, :2]).max(axis=1) < 2.0
        expected = np.where(is_over, np.maximum(0.5 - places[:, 2], 0.0), 0.0)
    np.testing.assert_allclose(depths_in_ground(surface, places), expected, atol=1e-12)


def over_ellipsoid(position: list[float]) -> planetfall.Scenario:
    """A cube above a homogeneous ellipsoid of 100 x 40 x 40 m, in its own gravity."""
    return load("cube-phobos").with_values(
        {
            "target": {"name": "none", "gm": 0.05, "frame": "P", "semi_axes": [100.0, 40.0, 40.0]},
            "gravity": {"model": "ellipsoid"},
            "terrain": {"model": "sdf", "shape": "ellipsoid", "half_sizes": [100.0, 40.0, 40.0], "resolution": 4.0},
            "initial": {"position": position, "height": 2.0},
        }
    )


def test_a_height_over_a_place_inside_a_body_is_told_of_where_it_leads_aside() -> None:
    """Inside, gravity is (A x, B y, C z) with A < B: straight up from near the long axis is towards the side.

    A / B from the elliptic integrals R_D; where that line leaves the ellipsoid is a root of a quadratic. The angle is
    told in whole degrees.
    """
    squares = np.array([100.0, 40.0, 40.0]) ** 2
    a, b, c = squares
    factors = np.array([elliprd(b, c, a), elliprd(c, a, b), elliprd(a, b, c)])
    position = np.array([20.0, 10.0, 0.0])
    up = factors * position / np.linalg.norm(factors * position)
    terms = [np.sum(up**2 / squares), 2.0 * np.sum(up * position / squares), np.sum(position**2 / squares) - 1.0]
    place = position + (max(np.roots(terms)) + 2.0) * up
    angle = np.degrees(np.arctan2(place[1], place[0]) - np.arctan2(position[1], position[0]))
    assert angle > 15.0
    model = build(over_ellipsoid(position.tolist()))
    (note,) = (note for note in model.notes if "aside" in note)
    assert f"{angle:.0f} degrees aside" in note and "outside the body" in note
    for outside in (place + 5.0 * up, position * [4.9, 0.0, 0.0]):  # the second is inside, on an axis of symmetry
        assert not [note for note in build(over_ellipsoid(outside.tolist())).notes if "aside" in note]

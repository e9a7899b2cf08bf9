"""The exact field of a polyhedron against closed forms, the sphere's limit, and the laws of a potential."""

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.world.gravity.harmonics.build import harmonics_field, shape_harmonics
from planetfall.world.gravity.model import GRAVITATIONAL_CONSTANT as G
from planetfall.world.gravity.polyhedron.build import ask_polyhedron, polyhedron_field
from planetfall.world.shape.mass_properties import shape_properties
from support.bodies import ball, cube, duck, joined
from support.peer_gravity import assert_peer_agrees

DENSITY = 1000.0
CUBE = polyhedron_field(*cube(2.0), "cpu", density=DENSITY)
DUCK = polyhedron_field(*duck(), "cpu", density=DENSITY)


def outside_and_inside(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-4.0, 4.0, (n, 3))


def test_centre_and_corner_of_a_cube() -> None:
    """U(centre) = -G rho a^2 (3 ln((sqrt 3 + 1)/(sqrt 3 - 1)) - pi/2), a = 2 m; the corner has half of it.

    The corner of a cube of side a is the centre of one of side 2a cut into eight: U scales with a^2, so a half.
    """
    a = 2.0
    centre = -G * DENSITY * a**2 * (3.0 * np.log((np.sqrt(3) + 1) / (np.sqrt(3) - 1)) - np.pi / 2)
    assert centre == pytest.approx(-6.354140e-7, rel=1e-7)
    found = ask_polyhedron(CUBE, np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))
    np.testing.assert_allclose(found.potential, [centre, centre / 2], rtol=1e-14)
    np.testing.assert_allclose(found.acceleration[0], 0.0, atol=1e-20)


def brute_cube(points: np.ndarray, n: int) -> np.ndarray:
    """-grad U of the cube as Gauss points of mass, n^3 of them."""
    x, w = np.polynomial.legendre.leggauss(n)
    places = np.stack(np.meshgrid(x, x, x, indexing="ij"), -1).reshape(-1, 3)
    masses = DENSITY * np.einsum("i,j,k->ijk", w, w, w).ravel()
    away = places[None, :, :] - points[:, None, :]
    return G * np.einsum("m,pmi->pi", masses, away / np.linalg.norm(away, axis=2)[:, :, None] ** 3)


def test_a_cube_made_of_mass_points_attracts_alike() -> None:
    """Gauss's rule of n points converges like (z + sqrt(z^2 - 1))^-2n at z half-sides: 1e-23 at 2 with 20."""
    points = outside_and_inside(120, 0)
    points = points[np.abs(points).max(axis=1) > 2.0]
    np.testing.assert_allclose(CUBE.acceleration(points), brute_cube(points, 20), rtol=0, atol=1e-12 * 3e-7)


@pytest.mark.parametrize("field", [CUBE, DUCK], ids=["cube", "duck"])
def test_divergence_is_minus_four_pi_g_rho_inside_and_nothing_outside(field) -> None:
    points = np.vstack([outside_and_inside(250, 1), outside_and_inside(250, 1) / 4.0])
    found = ask_polyhedron(field, points)
    full = -4.0 * np.pi * G * DENSITY
    np.testing.assert_allclose(found.divergence, np.where(found.is_inside, full, 0.0), atol=1e-12 * abs(full))
    np.testing.assert_allclose(np.trace(found.gradient, axis1=1, axis2=2), found.divergence, atol=1e-11 * abs(full))
    assert 20 < found.is_inside.sum() < 480


def test_the_cube_knows_what_is_inside_it() -> None:
    points = 0.4 * outside_and_inside(500, 2)
    np.testing.assert_array_equal(ask_polyhedron(CUBE, points).is_inside, np.abs(points).max(axis=1) < 1.0)


@pytest.mark.parametrize("field", [CUBE, DUCK], ids=["cube", "duck"])
def test_acceleration_and_gradient_are_differences_of_the_potential(field) -> None:
    """Fourth-order differences over 1e-3 m of lengths of 1 m: truncation 1e-12, rounding of U 1e-13 of g."""
    points, h = outside_and_inside(40, 3), 1e-3
    found = ask_polyhedron(field, points)
    stencil = ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))
    for axis, unit in enumerate(np.eye(3)):
        near = [(w, ask_polyhedron(field, points + k * h * unit)) for k, w in stencil]
        slope = sum(w * a.potential for w, a in near) / (12 * h)
        tilt = sum(w * a.acceleration for w, a in near) / (12 * h)
        scale = np.abs(found.acceleration).max()
        np.testing.assert_allclose(found.acceleration[:, axis], -slope, atol=3e-11 * scale)
        np.testing.assert_allclose(found.gradient[:, :, axis], tilt, atol=3e-11 * scale)


def test_one_pass_and_the_kernel_functions_agree() -> None:
    points = outside_and_inside(100, 4)
    together = ask_polyhedron(DUCK, points)
    potential, acceleration = DUCK.at(points)
    np.testing.assert_allclose(potential, together.potential, rtol=1e-13)
    np.testing.assert_allclose(acceleration, together.acceleration, atol=1e-13 * np.abs(acceleration).max())


def test_finite_and_continuous_on_facets_edges_and_vertices() -> None:
    """Toward an edge g falls like d ln d: a step of 1e-9 m off it changes g by less than 1e-7 of it."""
    vertices, facets = duck()
    corners = vertices[facets[:60]]
    places = np.vstack([corners.mean(axis=1), corners[:, :2].mean(axis=1), corners[:, 0]])
    on, near = DUCK.at(places), DUCK.at(places + 1e-9 * np.array([0.6, 0.0, 0.8]))
    assert np.isfinite(on[0]).all()
    assert np.isfinite(on[1]).all()
    np.testing.assert_allclose(on[0], near[0], rtol=1e-8)
    np.testing.assert_allclose(on[1], near[1], atol=1e-7 * np.abs(on[1]).max())


def test_half_of_the_divergence_on_a_facet_and_no_number_for_the_gradient_on_an_edge() -> None:
    found = ask_polyhedron(CUBE, np.array([[1.0, 0.2, 0.3], [1.0, 1.0, 0.25]]))
    assert found.divergence[0] == pytest.approx(-2.0 * np.pi * G * DENSITY, rel=1e-14)
    assert np.isfinite(found.gradient[0]).all()
    assert not np.isfinite(found.gradient[1]).all()


def test_a_ball_tends_to_a_sphere_with_the_square_of_its_facets() -> None:
    """Vertices on the sphere: the field of a mass point is reached like 1/facets, 4 times nearer each time."""
    points = outside_and_inside(40, 5)
    points *= 2.0 / np.linalg.norm(points, axis=1)[:, None]
    errors = []
    for subdivisions in (1, 2, 3, 4):
        found = polyhedron_field(*ball(1.0, subdivisions), "cpu", density=DENSITY).acceleration(points)
        exact = -G * DENSITY * 4.0 / 3.0 * np.pi * points / 8.0
        errors.append(np.linalg.norm(found - exact, axis=1).max() / (G * DENSITY * np.pi / 3.0))
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    np.testing.assert_allclose(ratios[1:], 4.0, rtol=0.05)
    assert errors[-1] < 2.5e-3  # the volume that 5120 flat facets cut off


def test_inside_a_ball_gravity_grows_linearly() -> None:
    """g = -4/3 pi G rho r, to the ball's departure from a sphere: 1.2e-3 of it with 5120 facets."""
    points = 0.5 * outside_and_inside(40, 6) / 4.0
    found = polyhedron_field(*ball(1.0, 4), "cpu", density=DENSITY).acceleration(points)
    np.testing.assert_allclose(found, -4.0 / 3.0 * np.pi * G * DENSITY * points, atol=2e-3 * 2.8e-7 * 0.5)


def test_gm_and_density_are_two_ways_to_say_one_mass() -> None:
    volume = shape_properties(*duck()).volume
    other = polyhedron_field(*duck(), "cpu", gm=G * DENSITY * volume)
    points = outside_and_inside(10, 7)
    np.testing.assert_allclose(other.acceleration(points), DUCK.acceleration(points), rtol=1e-13)
    assert other.facts["density_kg_m3"] == pytest.approx(DENSITY, rel=1e-13)


@pytest.mark.parametrize("body", [cube(2.0), duck()], ids=["cube", "duck"])
def test_peer_package_agrees(body: tuple[np.ndarray, np.ndarray]) -> None:
    assert_peer_agrees(*body, 200)


def test_far_away_it_is_its_harmonics() -> None:
    """Degree 20 at three radii: 3^-21 = 1e-10 of terms of 1e-2 and less."""
    vertices, facets = duck()
    gm = DUCK.facts["gm_m3_s2"]
    series = harmonics_field(shape_harmonics(vertices, facets, gm, 20), "cpu")
    points = outside_and_inside(50, 8)
    points *= 3.0 * np.linalg.norm(vertices, axis=1).max() / np.linalg.norm(points, axis=1)[:, None]
    exact = DUCK.acceleration(points)
    np.testing.assert_allclose(series.acceleration(points), exact, atol=1e-11 * np.abs(exact).max())


@pytest.mark.parametrize("seed", range(3))
def test_bodies_that_touch_along_an_edge_add_up(seed: int) -> None:
    """Their common edge has four facets, in whatever order the file has them."""
    one, other = cube(), (cube()[0] + np.array([2.0, 2.0, 0.0]), cube()[1])
    vertices, facets = joined(one, other)
    places, merged = np.unique(vertices, axis=0, return_inverse=True)
    facets = np.random.default_rng(seed).permutation(merged.reshape(-1)[facets])
    points = np.array([[5.0, 0.0, 0.0], [0.3, 0.2, 0.1], [1.0, 1.0, 0.5]])
    both, alone = (
        [polyhedron_field(*mesh, "cpu", density=2000.0).acceleration(points) for mesh in meshes]
        for meshes in ([(places, facets)], [one, other])
    )
    np.testing.assert_allclose(both[0], alone[0] + alone[1], atol=1e-13 * np.abs(alone[0]).max())


def test_moving_the_body_moves_the_field() -> None:
    shift = np.array([10.0, -20.0, 30.0])
    moved = polyhedron_field(*duck(), "cpu", density=DENSITY, center_S=shift)
    points = outside_and_inside(10, 9)
    np.testing.assert_allclose(moved.acceleration(points + shift), DUCK.acceleration(points), atol=1e-19)


def test_a_position_that_is_not_a_number_has_no_gravity() -> None:
    potential, acceleration = DUCK.at(np.array([[np.nan, 0.0, 0.0]]))
    assert np.isnan(potential).all()
    assert np.isnan(acceleration).all()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "missing"),
        ({"gm": 1.0, "density": 1.0}, "both"),
        ({"gm": 666.2}, "scale = 1000"),
        ({"density": 1.0}, "50 to 25000"),
    ],
    ids=["neither", "both", "a shape in km", "air"],
)
def test_what_no_body_has_is_refused(given: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        polyhedron_field(*cube(5.0), "cpu", **given)


def test_an_open_shape_is_refused() -> None:
    vertices, facets = cube()
    with pytest.raises(InputError, match="closed"):
        polyhedron_field(vertices, facets[1:], "cpu", density=DENSITY)

"""Spherical harmonics against an independent summation, the oblate field, and the laws of a potential."""

import numpy as np
import pytest
import warp as wp
from scipy.special import assoc_legendre_p_all

from planetfall.world.gravity.harmonics.build import harmonics_field, shape_harmonics, site_axes
from planetfall.world.gravity.harmonics.data import HarmonicsData, normalisation
from planetfall.world.gravity.j2 import GRAVITY_J2
from support.bodies import ball, duck, ellipsoid

GM, RADIUS = 4.46e5, 16000.0


def made(degree: int, seed: int = 0) -> HarmonicsData:
    """Coefficients that fall like a rough body's: 10 % at degree 1, by Kaula's n^-2."""
    rng = np.random.default_rng(seed)
    n = np.arange(degree + 1)[:, None]
    size = np.tril(np.ones((degree + 1, degree + 1))) * 0.1 / np.maximum(n, 1) ** 2
    cosine, sine = (rng.normal(size=size.shape) * size for _ in range(2))
    cosine[0, 0], sine[:, 0] = 1.0, 0.0
    return HarmonicsData(GM, RADIUS, cosine, sine, "made")


def places(n: int, radius: float, seed: int = 1) -> np.ndarray:
    points = np.random.default_rng(seed).normal(size=(n, 3))
    points[:3] = np.eye(3)  # equator and pole
    points[3] = [0.0, 0.0, -1.0]
    return radius * points / np.linalg.norm(points, axis=1)[:, None]


def summed(data: HarmonicsData, points: np.ndarray) -> np.ndarray:
    """U by SciPy's unnormalised Legendre functions, latitude and longitude."""
    r = np.linalg.norm(points, axis=1)
    longitude = np.arctan2(points[:, 1], points[:, 0])
    degree = data.degree
    legendre = assoc_legendre_p_all(degree, degree, points[:, 2] / r)[0][:, : degree + 1]
    n, m = np.arange(degree + 1), np.arange(degree + 1)
    sign = (-1.0) ** m  # SciPy has the Condon-Shortley phase, geodesy has not
    terms = legendre * (normalisation(degree) * sign)[:, :, None] * (data.radius / r) ** n[:, None, None]
    waves = data.cosine[:, :, None] * np.cos(m[:, None] * longitude) + data.sine[:, :, None] * np.sin(
        m[:, None] * longitude
    )
    return -data.gm / r * np.einsum("nmp,nmp->p", terms, waves)


@pytest.mark.parametrize("degree", [2, 5, 20, 60])
def test_potential_is_the_sum_of_legendre_functions(degree: int) -> None:
    """Rounding of SciPy's functions of degree 60, whose normalisation spans 170 orders of magnitude."""
    data, points = made(degree), places(60, 1.1 * RADIUS)
    np.testing.assert_allclose(harmonics_field(data, "cpu").potential(points), summed(data, points), rtol=2e-13)


@pytest.mark.parametrize("degree", [0, 1, 2, 7, 40])
def test_acceleration_is_the_gradient_of_the_potential(degree: int) -> None:
    """Fourth-order differences over h: (h n/r)^4/30 truncation and 1.5 eps r/h rounding, with h/r = 3e-4."""
    data, points = made(degree), places(40, 1.2 * RADIUS)
    field, h = harmonics_field(data, "cpu"), 3e-4 * 1.2 * RADIUS
    stencil = ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))
    slope = [sum(w * field.potential(points + k * h * unit) for k, w in stencil) / (12 * h) for unit in np.eye(3)]
    found = field.acceleration(points)
    np.testing.assert_allclose(found, -np.array(slope).T, atol=1e-11 * np.abs(found).max())


def test_the_series_is_harmonic() -> None:
    """Laplace: differences of the acceleration add up to nothing, to (h n/r)^4/30 of n^2 g/r."""
    data, points = made(12), places(40, 1.2 * RADIUS)
    field, h = harmonics_field(data, "cpu"), 3e-4 * 1.2 * RADIUS
    stencil = ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))
    tilts = [
        sum(w * field.acceleration(points + k * h * unit)[:, i] for k, w in stencil) / (12 * h)
        for i, unit in enumerate(np.eye(3))
    ]
    scale = np.abs(tilts).max()
    np.testing.assert_allclose(np.sum(tilts, axis=0), 0.0, atol=1e-10 * scale)


def test_degree_two_zonal_is_the_oblate_field() -> None:
    """C20 = -J2/sqrt 5: the closed form of `j2`."""
    j2 = 1.96045e-3
    cosine = np.zeros((3, 1))
    cosine[0, 0], cosine[2, 0] = 1.0, -j2 / np.sqrt(5.0)
    points = places(30, 1.05 * RADIUS)
    found = harmonics_field(HarmonicsData(GM, RADIUS, cosine, 0.0 * cosine, "j2"), "cpu").acceleration(points)
    params = GRAVITY_J2.params()
    params.gm, params.j2, params.radius, params.axis = GM, j2, RADIUS, wp.vec3d(0.0, 0.0, 1.0)
    expected = [np.array(GRAVITY_J2.acceleration(params, wp.vec3d(*point))) for point in points]
    np.testing.assert_allclose(found, expected, atol=1e-15 * GM / RADIUS**2 * 10)


def test_a_high_degree_stays_finite_at_the_poles() -> None:
    field = harmonics_field(made(360), "cpu")
    tilted = np.array([[0.0, 0.0, RADIUS], [1e-9, 0.0, RADIUS], [1.0, 1.0, -RADIUS], [RADIUS, 0.0, 1e-9]])
    potential, acceleration = field.at(tilted)
    assert np.isfinite(acceleration).all()
    np.testing.assert_allclose(potential[0], potential[1], rtol=1e-9)
    np.testing.assert_allclose(acceleration[0], acceleration[1], atol=1e-9 * np.abs(acceleration).max())


def test_harmonics_of_a_sphere_and_an_ellipsoid() -> None:
    """Ellipsoid: C20 = (2 c^2 - a^2 - b^2)/(10 sqrt 5 R^2), C22 = (a^2 - b^2)/(20 R^2) sqrt(12/5).

    The made ellipsoid has flat facets: moments are off by as much as its volume, 0.3 % at 5120 facets, of both scales.
    """
    found = shape_harmonics(*ball(2.0, 3), 1.0, 6)
    np.testing.assert_allclose(found.cosine[1:], 0.0, atol=1e-3)
    a, b, c = 3.0, 2.0, 1.0
    found = shape_harmonics(*ellipsoid((a, b, c), 4), 1.0, 4)
    assert found.cosine[2, 0] == pytest.approx((2 * c**2 - a**2 - b**2) / (10 * np.sqrt(5.0) * a**2), rel=6e-3)
    assert found.cosine[2, 2] == pytest.approx((a**2 - b**2) / (20 * a**2) * np.sqrt(12.0 / 5.0), rel=6e-3)
    np.testing.assert_allclose(found.sine, 0.0, atol=1e-15)
    np.testing.assert_allclose(found.cosine[[1, 3]], 0.0, atol=1e-15)


def test_degree_one_is_the_centre_of_mass() -> None:
    """C11 = x/(sqrt 3 R), S11 = y/(sqrt 3 R), C10 = z/(sqrt 3 R)."""
    from planetfall.world.shape.mass_properties import shape_properties

    vertices, facets = duck()
    vertices = vertices + np.array([0.3, -0.2, 0.1])
    found, center = shape_harmonics(vertices, facets, 1.0, 2), shape_properties(vertices, facets).center_of_mass
    ones = np.array([found.cosine[1, 1], found.sine[1, 1], found.cosine[1, 0]])
    np.testing.assert_allclose(ones * np.sqrt(3.0) * found.radius, center, rtol=1e-12)


def test_axes_of_a_site() -> None:
    """At 30 N, 60 E up is (cos 30 cos 60, cos 30 sin 60, sin 30) of the body, and east is (-sin 60, cos 60, 0)."""
    latitude, longitude = np.radians(30.0), np.radians(60.0)
    axis = np.array([0.0, np.cos(latitude), np.sin(latitude)])
    R_PS = site_axes(axis, np.array([0.0, 0.0, 5.0]), longitude)
    np.testing.assert_allclose(R_PS @ R_PS.T, np.eye(3), atol=1e-15)
    up = [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
    np.testing.assert_allclose(R_PS @ [0.0, 0.0, 1.0], up, atol=1e-15)
    np.testing.assert_allclose(R_PS @ [1.0, 0.0, 0.0], [-np.sin(longitude), np.cos(longitude), 0.0], atol=1e-15)


def test_a_turned_frame_sees_the_same_field() -> None:
    data, points = made(8), places(20, 1.3 * RADIUS)
    R_PS = site_axes(np.array([0.0, 0.6, 0.8]), np.array([0.0, 0.0, 1.0]), 1.0)
    center = np.array([0.0, 0.0, -RADIUS])
    local = harmonics_field(data, "cpu", center_S=center, R_PS=R_PS)
    expected = harmonics_field(data, "cpu").acceleration(points) @ R_PS
    np.testing.assert_allclose(local.acceleration(points @ R_PS + center), expected, atol=1e-15)

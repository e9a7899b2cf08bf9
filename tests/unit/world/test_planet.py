"""Heights and level axes over ellipsoids, in a kernel and on the host, against a search for the nearest point."""

import numpy as np
import pytest

from oracles.geodesy import nearest_on_ellipse
from planetfall.scenario.tables.world.geodesy import Ellipsoid, level_axes
from planetfall.scenario.tables.world.target import Site, Target
from planetfall.world.planet import planet_params
from support.planet_probes import levels_at

MARS = Ellipsoid(3396190.0, 1 / 169.8944472)
EARTH = Ellipsoid(6378137.0, 1 / 298.257223563)
FLAT = Ellipsoid(1.0e6, 0.3)
LATITUDES = np.radians([-90.0, -89.9999, -45.0, -4.6, 0.0, 1e-7, 22.3, 60.0, 89.9999999, 90.0])
GALE = Site(latitude_deg=-4.5965, latitude_kind="planetocentric", longitude_deg=137.4019, height=-4500.0)


def target(shape: Ellipsoid, site: Site) -> Target:
    return Target(gm=4.282837e13, radius=shape.radius, flattening=shape.flattening, spin_rate=7.088218e-5, site=site)


@pytest.mark.parametrize("shape", [MARS, EARTH, FLAT])
def test_round_trip(shape: Ellipsoid) -> None:
    """Geodetic to planet-fixed and back: angles to rounding, heights to some ulps of the distance, 1e-9 m at 4e6 m."""
    latitude, height = np.meshgrid(LATITUDES, [-8e3, 0.0, 125e3, 1e6, 1e7])
    longitude = np.linspace(-3.1, 3.1, latitude.size).reshape(latitude.shape)
    found = shape.geodetic(shape.position(latitude, longitude, height))
    np.testing.assert_allclose(found[0], latitude, atol=5e-15, rtol=0)
    np.testing.assert_allclose(found[2], height, atol=8 * np.spacing(shape.radius + 1e7), rtol=0)
    inside = np.abs(np.abs(latitude) - np.pi / 2) > 1e-6  # at a pole longitude has no meaning
    np.testing.assert_allclose(found[1][inside], longitude[inside], atol=1e-14, rtol=0)


@pytest.mark.parametrize("shape", [MARS, EARTH, FLAT])
def test_kernel_finds_the_nearest_point(shape: Ellipsoid) -> None:
    """Altitude is the distance from the ellipsoid, up its normal: 4 ulps of the distance for each of the two sides."""
    place = target(shape, GALE)
    random = np.random.default_rng(1)
    directions = random.normal(size=(60, 3))
    directions[:3] = [[0, 0, 1], [0, 0, -1], [1, 0, 0]]
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    positions_P = directions * shape.radius * random.uniform(0.999, 3.0, size=(60, 1))
    R_SP = place.R_SP
    assert R_SP is not None
    found = levels_at(planet_params(place).on_device("cpu"), positions_P @ R_SP.T + place.center_S)
    ulp = np.spacing(4 * shape.radius)
    for position, level in zip(positions_P, found, strict=True):
        p, z = float(np.hypot(*position[:2])), float(position[2])
        distance, out, along = nearest_on_ellipse(p, z, shape.radius, shape.polar_radius)
        assert level["altitude"] == pytest.approx(distance, abs=8 * ulp)
        outward = np.array([*position[:2], 0.0]) / p if p > 0 else np.zeros(3)
        np.testing.assert_allclose(R_SP.T @ level["up"], outward * out + [0, 0, along], atol=1e-9)
        axes = np.array([level["east"], level["north"], level["up"]])
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-14)
        assert np.linalg.det(axes) == pytest.approx(1.0, abs=1e-14)
        assert (R_SP.T @ level["east"])[2] == pytest.approx(0.0, abs=1e-14)


def test_kernel_agrees_with_the_host() -> None:
    place = target(MARS, GALE)
    assert place.R_SP is not None
    latitude, longitude, height = np.radians(-3.9), np.radians(126.7), 125e3
    position_S = place.R_SP @ MARS.position(latitude, longitude, height) + place.center_S
    level = levels_at(planet_params(place).on_device("cpu"), position_S)[0]
    assert level["altitude"] == pytest.approx(height, abs=4 * np.spacing(4e6))
    axes = level_axes(latitude, longitude) @ place.R_SP.T
    np.testing.assert_allclose([level["east"], level["north"], level["up"]], axes, atol=1e-14)


def test_flat_world() -> None:
    """Without a radius altitude is z, and the axes are those of L."""
    level = levels_at(planet_params(Target()).on_device("cpu"), np.array([3e5, -2e5, 1234.5]))[0]
    assert level["altitude"] == 1234.5
    np.testing.assert_array_equal([level["east"], level["north"], level["up"]], np.eye(3))


def test_site_of_gale() -> None:
    """The centre lies south of the site's plumb line. The digits are those of the geodetic latitude of the place on
    the ellipsoid; the place 4.5 km below it, at the same planetocentric latitude, lies 4.2 m farther north.
    """
    on_surface = np.degrees(MARS.geodetic_latitude(np.radians(GALE.latitude_deg)))
    site = Site(latitude_deg=float(on_surface), longitude_deg=GALE.longitude_deg, height=GALE.height)
    np.testing.assert_allclose(target(MARS, site).center_S, [0.0, -3221.66, -3391558.96], atol=0.005)
    np.testing.assert_allclose(target(MARS, GALE).center_S, [0.0, -3221.71, -3391558.95], atol=0.006)
    place = target(MARS, GALE)
    assert place.R_SP is not None
    np.testing.assert_allclose(place.axis_S, [0.0, np.cos(place.site_latitude), np.sin(place.site_latitude)])
    r_P = -place.R_SP.T @ place.center_S
    assert np.degrees(np.arcsin(r_P[2] / np.linalg.norm(r_P))) == pytest.approx(GALE.latitude_deg, abs=1e-12)


def test_latitude_kinds() -> None:
    """tan phi_c = (1 - f)^2 tan phi on the ellipsoid; at Gale they differ by 0.054 deg."""
    latitude = np.radians(-4.65085)
    centric = MARS.planetocentric(latitude)
    assert np.tan(centric) == pytest.approx((1 - MARS.flattening) ** 2 * np.tan(latitude), rel=1e-14)
    assert np.degrees(centric - latitude) == pytest.approx(0.054, abs=5e-4)
    for height in (-4500.0, 0.0, 125e3):
        back = MARS.geodetic_latitude(MARS.planetocentric(latitude, height), height)
        assert back == pytest.approx(latitude, abs=1e-15)
    assert MARS.radius_at(centric) == pytest.approx(np.linalg.norm(MARS.position(latitude, 0.0, 0.0)), rel=1e-15)

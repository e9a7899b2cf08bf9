"""Starts over a planet: places and velocities in every convention, against trigonometry written apart."""

from typing import Any

import numpy as np
import pytest

import planetfall
from oracles.entry_state import inertial_of_relative, position
from planetfall import InputError, Scenario
from planetfall.scenario.tables.run.attitude import quaternion_from_matrix, rotation_matrix
from planetfall.scenario.tables.run.conventions import FlightState, flight_state
from planetfall.scenario.tables.run.start import start_state
from planetfall.scenario.tables.world.geodesy import level_axes

GALE = {"latitude_deg": -4.5965, "latitude_kind": "planetocentric", "longitude_deg": 137.4019, "height": -4500.0}
MSL = {
    "radius": 3522200.0, "latitude_deg": -3.92, "latitude_kind": "planetocentric", "longitude_deg": 126.72,
    "speed": 5845.0, "flight_path_deg": -16.1, "azimuth_deg": 93.6,
}  # fmt: skip


def scene(initial: dict[str, Any], **target: Any) -> Scenario:
    values = {"target": {"name": "mars", "site": GALE, **target}, "gravity": {"model": "j2"}, "initial": initial}
    return planetfall.load("free-top").with_values(values)


def state_of(scenario: Scenario) -> np.ndarray:
    return start_state(scenario.initial, scenario.target)


def conventions(scenario: Scenario) -> FlightState:
    state = state_of(scenario)
    found = flight_state(state[:3], state[3:6], scenario.target)
    assert found is not None
    return found


def test_entry_of_msl() -> None:
    """Published inertial 6084 m/s, -15.45 deg, 93.4 deg; the start lies at (-651, 37, 70) km of the site's frame."""
    scenario = scene(MSL)
    found = conventions(scenario)
    assert found.speed_inertial_m_s == pytest.approx(6084.0, abs=0.5)
    assert found.flight_path_inertial_deg == pytest.approx(-15.45, abs=0.005)
    assert found.azimuth_inertial_deg == pytest.approx(93.4, abs=0.05)
    np.testing.assert_allclose(state_of(scenario)[:3] / 1e3, [-651.0, 37.0, 70.0], atol=0.5)
    assert found.height_over_ellipsoid_m == pytest.approx(126.1e3, abs=50.0)
    spin = scenario.target.spin_rate
    latitude, path, azimuth = np.radians([-3.92, -16.1, 93.6]).tolist()
    speed, path, azimuth = inertial_of_relative(3522200.0, latitude, 5845.0, path, azimuth, spin)
    assert found.speed_inertial_m_s == pytest.approx(speed, rel=1e-13)
    assert np.radians(found.flight_path_inertial_deg) == pytest.approx(path, abs=1e-13)
    assert np.radians(found.azimuth_inertial_deg) == pytest.approx(azimuth, abs=1e-13)


def test_what_is_given_comes_back() -> None:
    found = conventions(scene(MSL))
    for key, value in (("radius_m", 3522200.0), ("latitude_planetocentric_deg", -3.92), ("longitude_deg", 126.72)):
        assert getattr(found, key) == pytest.approx(value, rel=1e-13)
    for key, value in (("speed", 5845.0), ("flight_path", -16.1), ("azimuth", 93.6)):
        unit = "m_s" if key == "speed" else "deg"
        assert getattr(found, f"{key}_relative_{unit}") == pytest.approx(value, rel=1e-12)


def test_inertial_and_relative_starts_are_the_same() -> None:
    """The inertial numbers of a relative start, given as inertial, give its state: to rounding of the site's frame."""
    relative = scene(MSL)
    found = conventions(relative)
    given = {
        **MSL, "relative_to": "inertial", "speed": found.speed_inertial_m_s,
        "flight_path_deg": found.flight_path_inertial_deg, "azimuth_deg": found.azimuth_inertial_deg,
    }  # fmt: skip
    np.testing.assert_allclose(state_of(scene(given))[:6], state_of(relative)[:6], atol=1e-9)


def test_at_rest_in_inertial_space() -> None:
    """Speed 0 relative to inertial axes: the planet runs away below, westward at spin r cos(latitude)."""
    scenario = scene({**MSL, "relative_to": "inertial", "speed": 0.0})
    found, spin = conventions(scenario), scenario.target.spin_rate
    assert found.speed_inertial_m_s == pytest.approx(0.0, abs=1e-10)
    assert found.speed_relative_m_s == pytest.approx(spin * 3522200.0 * np.cos(np.radians(3.92)), rel=1e-12)
    assert found.azimuth_relative_deg == pytest.approx(270.0)


@pytest.mark.parametrize("kind", ["geodetic", "planetocentric"])
@pytest.mark.parametrize("over", ["ellipsoid", "sphere", "radius"])
@pytest.mark.parametrize("latitude", [-90.0, -41.0, 0.0, 22.3, 90.0])
def test_places(kind: str, over: str, latitude: float) -> None:
    """Latitude of either kind with a height of either kind, or a distance, comes back as given."""
    base = {"latitude_deg": latitude, "latitude_kind": kind, "longitude_deg": -48.0}
    height = {"radius": 3.52e6} if over == "radius" else {"altitude": 125e3, "altitude_over": over}
    scenario = scene({**base, **height})
    found = conventions(scenario)
    back = {"ellipsoid": "height_over_ellipsoid_m", "sphere": "height_over_sphere_m", "radius": "radius_m"}[over]
    assert getattr(found, back) == pytest.approx(3.52e6 if over == "radius" else 125e3, abs=4e-9)
    assert getattr(found, f"latitude_{kind}_deg") == pytest.approx(latitude, abs=1e-12)
    R_SP = scenario.target.R_SP
    assert R_SP is not None
    place = R_SP.T @ (state_of(scenario)[:3] - scenario.target.center_S)
    centric = np.radians(found.latitude_planetocentric_deg)
    np.testing.assert_allclose(place, position(found.radius_m, centric, np.radians(-48.0)), atol=1e-8)


def test_horizons_differ_by_the_latitudes_difference() -> None:
    """Heading north, the geodetic flight path differs by phi - phi_c: 0.33 deg at 45 deg on Mars."""
    start = {**MSL, "latitude_deg": 45.0, "azimuth_deg": 0.0}
    found = conventions(scene(start))
    apart = found.latitude_geodetic_deg - found.latitude_planetocentric_deg
    assert found.flight_path_geodetic_deg == pytest.approx(-16.1 + apart, abs=1e-10)
    assert apart == pytest.approx(0.325, abs=0.005)
    geodetic = conventions(scene({**start, "horizon": "geodetic"}))
    assert geodetic.flight_path_geodetic_deg == pytest.approx(-16.1, abs=1e-10)


def test_attitude_is_relative_to_the_axes_of_the_start() -> None:
    """Yaw 90, pitch 0, roll 0 of local north-east-down points the body's x axis east there, z down there."""
    scenario = scene({**MSL, "euler_ned_deg": [90.0, 0.0, 0.0]})
    state, target = state_of(scenario), scenario.target
    assert target.R_SP is not None
    found = conventions(scenario)
    level = level_axes(*np.radians([found.latitude_geodetic_deg, found.longitude_deg])) @ target.R_SP.T
    R_SB = rotation_matrix(state[6:10])
    np.testing.assert_allclose(R_SB[:, 0], level[0], atol=1e-14)
    np.testing.assert_allclose(R_SB[:, 2], -level[2], atol=1e-14)
    np.testing.assert_allclose(rotation_matrix(state_of(scene(MSL))[6:10]), level.T, atol=1e-14)


def test_rate_relative_to_inertial_space() -> None:
    """A body at rest in inertial space turns against the planet: -Omega, in body components."""
    scenario = scene({**MSL, "angular_velocity_relative_to": "inertial"})
    state = state_of(scenario)
    rate_S = rotation_matrix(state[6:10]) @ state[10:13]
    np.testing.assert_allclose(rate_S, -scenario.target.omega, atol=1e-19)


def test_quaternions_of_matrices() -> None:
    random = np.random.default_rng(3)
    turns = np.vstack([random.normal(size=(50, 4)), np.eye(4), -np.eye(4)])
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    for q in turns:
        found = quaternion_from_matrix(rotation_matrix(q))
        assert abs(found @ q) == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"latitude_deg": 95.0}, r"initial\.latitude_deg.*(90.*95|95.*90)"),
        ({"longitude_deg": None}, r"initial\.longitude_deg: missing; a start by latitude needs it"),
        ({"altitude": 125e3}, r"initial\.altitude: initial\.radius is given, too; give one"),
        ({"radius": None}, r"initial\.altitude: missing; give it, or initial\.radius"),
        ({"azimuth_deg": None}, r"initial\.azimuth_deg: missing; initial\.speed needs a direction"),
        ({"latitude_deg": None}, r"initial\.latitude_deg: missing; initial\.radius belongs to a start by latitude"),
        ({"velocity": [1.0, 0.0, 0.0]}, r"initial\.velocity: initial\.latitude_deg and the keys with it say"),
        ({"radius": 125e3}, r"initial\.radius: 125000 m from the centre is inside the planet.*give it as altitude"),
    ],
)
def test_refused(change: dict[str, Any], message: str) -> None:
    given = {key: value for key, value in {**MSL, **change}.items() if value is not None}
    with pytest.raises(InputError, match=message):
        scene(given)


def test_a_place_needs_a_planet_and_a_site() -> None:
    with pytest.raises(InputError, match=r"target\.site: initial\.latitude_deg needs to know where the surface frame"):
        planetfall.load("free-top").with_values({"target": {"name": "mars"}, "initial": MSL})
    with pytest.raises(InputError, match=r"target\.radius: initial\.latitude_deg needs a planet"):
        planetfall.load("free-top").with_values({"initial": MSL})
    with pytest.raises(InputError, match=r"target\.spin_axis: it follows from target\.site"):
        scene(MSL, spin_axis=[0.0, 0.0, 1.0])

"""Maps on a planet: far from them nothing is off the map, beyond their edges the planet goes on; round ground."""

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall import InputError, Scenario
from planetfall.scenario.tables.world.geodesy import level_axes
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.model import GROUND_FAR, GROUND_OFF_MAP, GROUND_OK
from planetfall.world.terrain.surface import Surface

GALE = {"latitude_deg": -4.5965, "latitude_kind": "planetocentric", "longitude_deg": 137.4019, "height": -4500.0}
FAR, OFF_MAP, OK = int(GROUND_FAR), int(GROUND_OFF_MAP), int(GROUND_OK)
RADIUS = 2000.0
TILT = 5.0
"""Slope [deg] of the disc, downhill to the east: its edges are 174 m over and under the site."""


def scene(terrain: dict[str, Any], **values: Any) -> Scenario:
    target = {"name": "mars", "site": GALE}
    return planetfall.load("msl-drop").with_values(
        {"target": target, "gravity": {"model": "j2"}, "terrain": terrain, **values}
    )


@pytest.fixture(scope="module")
def disc() -> tuple[Scenario, Surface]:
    scenario = scene({"model": "plane", "slope_deg": TILT, "radius": RADIUS})
    return scenario, make_surface(scenario, "cpu")


def place(scenario: Scenario, east: float, north: float, height: float) -> np.ndarray:
    """A point `east` and `north` [m] of the site along the ground, `height` [m] over the site's altitude."""
    target = scenario.target
    latitude, longitude = target.site_latitude, np.radians(GALE["longitude_deg"])
    R_SP, shape = target.R_SP, target.ellipsoid
    assert R_SP is not None
    turn = np.hypot(east, north) / shape.radius
    level = level_axes(latitude, float(longitude))
    way = (east * level[0] + north * level[1]) / np.hypot(east, north)
    direction = np.cos(turn) * level[2] + np.sin(turn) * way
    lat, lon = np.arcsin(direction[2]), np.arctan2(direction[1], direction[0])
    return R_SP @ shape.position(lat, lon, GALE["height"] + height) + target.center_S


def test_on_the_map_it_is_the_map(disc: tuple[Scenario, Surface]) -> None:
    """Gap, normal and status bit for bit, also high over it and some way in the ground."""
    surface = disc[1]
    points = np.array([[0.0, 0.0, 0.5], [1500.0, -900.0, -140.0], [-1000.0, 100.0, 3000.0], [10.0, 0.0, -3.0]])
    for found, expected in zip(surface.ask(points), surface.alone.ask(points), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert np.all(surface.ask(points)[2] == OK)


def test_far_from_the_map_nothing_is_off_the_map(disc: tuple[Scenario, Surface]) -> None:
    """Hundreds of kilometres away the plane of the map is over the vehicle, and it flies on; so on the far side."""
    scenario, surface = disc
    points = np.array(
        [
            place(scenario, -630e3, 40e3, 130e3),
            place(scenario, -1200e3, 0.0, 125e3),
            place(scenario, 60e3, 60e3, 400.0),
            [0.0, 0.0, 1e6],
            scenario.target.center_S * 2.1,
        ]
    )
    assert points[1, 2] < 0  # under the map's plane, 125 km over the ground
    gaps, _, statuses = surface.ask(points)
    assert statuses.tolist() == [FAR] * 5
    corner = np.array([RADIUS, RADIUS, 0.0])
    assert np.all(gaps > 0)
    assert np.all(gaps <= np.linalg.norm(points, axis=1) + np.linalg.norm(corner))  # a bound, not more than it is
    assert np.all(surface.alone.ask(points[[0, 1, 2]])[2] == OFF_MAP)  # as it was without the planet


def test_what_comes_down_beside_the_map_is_off_it(disc: tuple[Scenario, Surface]) -> None:
    """The edge's own altitude decides: uphill, in the west, the ground is 174 m over the site, downhill 174 m below."""
    scenario, surface = disc
    rise = RADIUS * np.sin(np.radians(TILT))
    for east, ground in ((-50e3, rise), (50e3, -rise), (-2100.0, rise), (2100.0, -rise)):
        points = np.array([place(scenario, east, 1.0, ground + 1.0), place(scenario, east, 1.0, ground - 1.0)])
        assert surface.ask(points)[2].tolist() == [FAR, OFF_MAP], east


def test_beside_a_round_map_in_its_square(disc: tuple[Scenario, Surface]) -> None:
    """In a corner of the box there is no map: over its highest ground a point flies on, below it is off the map."""
    high = RADIUS * np.sin(np.radians(TILT))
    points = np.array([[1900.0, 1900.0, high + 50.0], [1900.0, 1900.0, high - 50.0]])
    gaps, _, statuses = disc[1].ask(points)
    assert statuses.tolist() == [FAR, OFF_MAP]
    assert gaps[0] == pytest.approx(50.0)


def test_rays_meet_the_map_alone(disc: tuple[Scenario, Surface]) -> None:
    surface = disc[1]
    down = np.array([[0.0, 0.0, -1.0]])
    assert surface.cast(np.array([[100.0, 0.0, 5000.0]]), down, 1e5)[0][0] == pytest.approx(
        5000.0 + 100 * np.tan(np.radians(TILT))
    )
    assert np.isnan(surface.cast(np.array([[30e3, 0.0, 5000.0]]), down, 1e5)[0][0])


def test_a_gap_shrinks_no_faster_than_a_point_moves(disc: tuple[Scenario, Surface]) -> None:
    """What the search for touchdowns relies on, across the box within which the map is queried: 1 m per metre."""
    surface = disc[1]
    random = np.random.default_rng(5)
    start = random.uniform(-9e3, 9e3, size=(400, 3))
    start[:, 2] = np.abs(start[:, 2])
    first, _, status = surface.ask(start)
    apart = (status != OFF_MAP) & (first > 0)
    ways = random.normal(size=(400, 3))
    ways *= (0.999 * np.maximum(first, 0.0) / np.linalg.norm(ways, axis=1))[:, None]
    gaps, _, after = surface.ask(start + ways)
    assert np.all((gaps > 0)[apart & (after != OFF_MAP)])
    assert np.count_nonzero(apart) > 100


def test_round_ground() -> None:
    """Height over the ellipsoid at any place, its normal, and rays from far off."""
    scenario = scene({"model": "ellipsoid", "height": -4500.0})
    surface = make_surface(scenario, "cpu")
    points = np.array([place(scenario, -630e3, 40e3, 130e3), place(scenario, 5.0, 0.0, -0.25), [0.0, 0.0, 3.0]])
    gaps, normals, statuses = surface.ask(points)
    np.testing.assert_allclose(gaps, [130e3, -0.25, 3.0], atol=3e-9)
    assert statuses.tolist() == [OK] * 3
    np.testing.assert_allclose(normals[2], [0.0, 0.0, 1.0], atol=1e-15)
    ranges, _ = surface.cast(points[:1], -normals[:1], 1e6)
    assert ranges[0] == pytest.approx(130e3, abs=1e-7)
    aside = np.array([[0.6, 0.0, -0.8]])
    ranges, _ = surface.cast(points[:1], aside, 1e6)
    assert abs(surface.ask(points[:1] + ranges[0] * aside)[0][0]) < 1e-7
    assert np.isnan(surface.cast(points[:1], -aside, 1e6)[0][0])


def test_ground_that_cannot_be() -> None:
    start = {"latitude_deg": -4.0, "longitude_deg": 136.0, "altitude": 10e3}
    with pytest.raises(InputError, match=r"terrain\.radius: missing; a plane without end leaves the planet"):
        scene({"model": "plane"}, initial=start)
    with pytest.raises(InputError, match=r"target\.radius: terrain\.model = 'ellipsoid' needs it"):
        planetfall.load("msl-drop").with_values({"terrain": {"model": "ellipsoid"}, "target": {"name": "none"}})
    spread = {"target.site.latitude_deg": {"distribution": "normal", "sigma": 0.1}}
    with pytest.raises(InputError, match="all runs share the planet that their ground lies on"):
        scene({"model": "plane", "radius": 2e3}, dispersions=spread)

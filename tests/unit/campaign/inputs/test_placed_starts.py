"""Runs of a campaign that start over a planet: the states of all at once are those that each has alone, bit for bit."""

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall import Scenario
from planetfall.campaign.inputs.draws import Draws
from planetfall.campaign.inputs.variants import Variants, scenario_of
from planetfall.engine.initial_state import initial_state
from planetfall.world.terrain.ground import make_surface

SITE = {"latitude_deg": -4.5965, "latitude_kind": "planetocentric", "longitude_deg": 137.4019, "height": -4500.0}
ENTRY = {
    "radius": 3522200.0, "latitude_deg": -3.92, "latitude_kind": "planetocentric", "longitude_deg": 126.72,
    "speed": 5845.0, "flight_path_deg": -16.1, "azimuth_deg": 93.6, "euler_ned_deg": [10.0, 20.0, 30.0],
    "angular_velocity_relative_to": "inertial",
}  # fmt: skip
OVER_MAP = {"altitude": 1500.0, "altitude_over": "ground", "latitude_deg": -4.65, "longitude_deg": 137.4}
NORMAL = {"distribution": "normal", "sigma": 0.01}


def scene(initial: dict[str, Any], spread: dict[str, Any], **values: Any) -> Scenario:
    target = {"name": "mars", "site": SITE}
    ground = {"terrain": {"model": "plane", "slope_deg": 4.0, "radius": 20e3}}
    base = {"target": target, "gravity": {"model": "j2"}, **ground, "initial": initial, "dispersions": spread}
    return planetfall.load("free-top").with_values({**base, **values})


@pytest.mark.parametrize(
    ("initial", "keys"),
    [
        (ENTRY, ("radius", "latitude_deg", "speed", "flight_path_deg", "azimuth_deg", "euler_ned_deg.1")),
        ({**ENTRY, "relative_to": "inertial"}, ("speed", "longitude_deg", "angular_velocity.2")),
        (OVER_MAP, ("altitude", "latitude_deg", "longitude_deg")),
    ],
    ids=["relative", "inertial", "over the ground"],
)
def test_all_at_once_are_those_made_one_by_one(initial: dict[str, Any], keys: tuple[str, ...]) -> None:
    scenario = scene(initial, {f"initial.{key}": NORMAL for key in keys})
    surface, draws = make_surface(scenario, "cpu"), Draws(scenario, 5, 3)
    variants = Variants.of(draws, 0, 5)
    states = variants.states(surface)
    assert not variants.problems
    for i in range(5):
        alone = scenario.with_values({**variants.row(i), "dispersions": {}})
        np.testing.assert_array_equal(states[i, :13], initial_state(alone, surface))
        repeated = scenario_of(draws, i, surface)
        assert not repeated.initial.is_placed
        np.testing.assert_array_equal(states[i, :13], initial_state(repeated, surface))


def test_a_placed_start_that_nothing_disperses_is_that_of_the_scenario() -> None:
    """Of a campaign in which only the vehicle's mass differs."""
    scenario = scene(ENTRY, {"vehicle.mass": NORMAL})
    surface = make_surface(scenario, "cpu")
    states = Variants.of(Draws(scenario, 3, 1), 0, 3).states(surface)
    np.testing.assert_array_equal(states[:, :13], np.tile(initial_state(scenario, surface), (3, 1)))


def test_starts_over_the_ground_are_so_high_over_it() -> None:
    scenario = scene(OVER_MAP, {"initial.altitude": {"distribution": "normal", "sigma": 100.0}})
    surface = make_surface(scenario, "cpu")
    variants = Variants.of(Draws(scenario, 4, 1), 0, 4)
    for state, row in zip(variants.states(surface), map(variants.row, range(4)), strict=True):
        start = scenario.with_values({"initial.altitude": row["initial.altitude"], "dispersions": {}})
        found = planetfall.start_conventions(start)
        assert found.height_over_ground_m == pytest.approx(row["initial.altitude"], abs=1e-8)
        np.testing.assert_array_equal(initial_state(start, surface), state[:13])


def test_a_run_that_cannot_start_is_told() -> None:
    """A latitude far from the map, drawn, for a start over the ground: that run is not simulated, and says why."""
    options = {"distribution": "categorical", "options": [-3.92, 89.0]}
    scenario = scene(OVER_MAP, {"initial.latitude_deg": options})
    surface = make_surface(scenario, "cpu")
    variants = Variants.of(Draws(scenario, 8, 1), 0, 8)
    variants.states(surface)
    assert variants.problems
    assert all("off the map" in problem for problem in variants.problems.values())

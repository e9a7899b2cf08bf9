"""Scenarios of a campaign's runs: tables remade quickly are those made whole, and start where a replay starts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

import planetfall
from planetfall.campaign.inputs.draws import Draws
from planetfall.campaign.inputs.remade_tables import _whole_maker, table_maker
from planetfall.campaign.inputs.variants import Variants, scenario_of
from planetfall.engine.initial_state import initial_state
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.world.terrain.ground import make_surface

KEYS: list[tuple[str, list[tuple[str, Any]]]] = [
    ("msl-skycrane", [("companions.0.vehicle.engines.2.bias", 0.05), ("companions.0.initial.velocity.0", 0.3)]),
    ("msl-skycrane", [("companions.0.vehicle.engines.0.thrust_min", 9e9)]),
    ("msl-skycrane", [("companions.0.vehicle.propellant.mass", 1e6), ("companions.0.vehicle.mass", 1.0)]),
    ("msl-skycrane", [("sensors.1.bias", 0.02), ("sensors.4.beam", [0.6, 0.0, -0.8])]),
    ("msl-skycrane", [("sensors.4.beam", [0.6, 0.0, -0.9])]),
    ("msl-skycrane", [("tethers.0.brake_drag", -1.0)]),
    ("msl-drop", [("contact.sliding_angle_deg", 40.0)]),
    ("msl-drop", [("vehicle.points.1.position.2", -1.01), ("vehicle.inertia.0.0", 700.0)]),
    ("msl-drop", [("vehicle.inertia.0.1", 5.0)]),
    ("minerva-67p", [("initial.release.separation", [0.0, 0.0, -0.2]), ("initial.angular_velocity.1", 0.2)]),
    ("hedgehog-hop", [("vehicle.flywheels.0.inertia", 1.0)]),
]


@pytest.mark.parametrize(("name", "changes"), KEYS)
def test_a_table_made_quickly_is_the_one_made_whole(name: str, changes: list[tuple[str, Any]]) -> None:
    """Equal, with the same fields counted as given; what is wrong is said in the same words."""
    scenario, keys, values = planetfall.load(name), *([list(part) for part in zip(*changes, strict=True)])
    table = getattr(scenario, keys[0].partition(".")[0])
    quick, whole = (outcome_of(make(table, keys), values) for make in (table_maker, _whole_maker))
    assert quick == whole
    assert isinstance(quick, str) or quick != table


def outcome_of(make: Any, values: list[Any]) -> Any:
    try:
        return make(values)
    except ValidationError as error:
        return str(error.errors(include_url=False, include_input=False, include_context=False))


def test_tables_that_no_key_reaches_are_kept() -> None:
    scenario = planetfall.load("msl-skycrane")
    made = table_maker(scenario.companions, ["companions.0.vehicle.engines.2.bias"])([0.1])
    before, after = scenario.companions[0].vehicle.engines, made[0].vehicle.engines
    assert [new is old for old, new in zip(before, after, strict=True)] == [i != 2 for i in range(len(before))]
    assert after[2].bias == 0.1
    assert made[0].initial is scenario.companions[0].initial


def test_an_inertia_that_follows_from_the_shape_follows_the_mass() -> None:
    """Of a uniform box it is proportional to the mass; in a replay of the run it is the same."""
    brick = {"name": "brick", "mass": 1.0, "shape": {"kind": "box", "size": [0.2, 0.1, 0.1]}}
    masses = {"vehicle.mass": {"distribution": "uniform", "low": 0.5, "high": 2.0}}
    draws = Draws(planetfall.load("cube-67p").with_values({"vehicle": brick, "dispersions": masses}), 4, 1)
    variants, surface = Variants.of(draws, 0, 4), make_surface(draws.scenario, "cpu")
    for i, run in enumerate(variants.scenarios(variants.states(surface))):
        assert run.vehicle == scenario_of(draws, i, surface).vehicle
        expected = run.vehicle.mass * np.array(draws.scenario.vehicle.inertia)
        np.testing.assert_allclose(run.vehicle.inertia, expected, rtol=4e-16)


def test_a_height_along_the_normal_is_one_in_a_campaign() -> None:
    """With gravity dispersed by next to nothing, runs start where the scenario itself does, not straight above."""
    nearly = {"gravity.acceleration": {"distribution": "normal", "sigma": 1e-12}}
    scenario = planetfall.load("slope-slide").with_values({"dispersions": nearly})
    surface = make_surface(scenario, "cpu")
    states = Variants.of(Draws(scenario, 3, 1), 0, 3).states(surface)
    np.testing.assert_allclose(states, np.tile(initial_state(scenario, surface), (3, 1)), atol=1e-15)


def test_lowest_points_of_a_campaign_are_where_each_run_has_its_own() -> None:
    """With attitude and slope dispersed; in a replay the run starts from the same state, to the bit."""
    spread: dict[str, Any] = {
        "initial.euler_ned_deg.1": {"distribution": "normal", "sigma": 20.0},
        "terrain.slope_deg": {"distribution": "uniform", "low": 0.0, "high": 25.0},
    }
    start = {"height": 0.3, "height_of": "lowest point", "euler_ned_deg": [0.0, 0.0, 0.0]}
    draws = Draws(planetfall.load("sink-flat").with_values({"initial": start, "dispersions": spread}), 6, 2)
    variants, surface = Variants.of(draws, 0, 6), make_surface(draws.scenario, "cpu")
    states = variants.states(surface)
    for i, (run, state) in enumerate(zip(variants.scenarios(states), states, strict=True)):
        assert list(scenario_of(draws, i, surface).initial.position) == state[:3].tolist()
        ground, slope = make_surface(run, "cpu"), np.radians(run.terrain.slope_deg)  # type: ignore[union-attr]
        R_SB = rotation_matrix(state[6:10])
        corners = state[:3] + np.array([point.position for point in run.vehicle.points]) @ R_SB.T
        gaps, _, _ = ground.ask(corners)
        assert np.min(gaps) == pytest.approx(0.3 * np.cos(slope), abs=1e-12)  # the gap is across the slope


@pytest.mark.parametrize("carrier", ["station", "hover", "orbit"])
def test_releases_all_at_once_are_those_made_one_by_one(carrier: str) -> None:
    """In all bits, with spin dispersed too; a run that drew what is no number says what its table would say."""
    spread = {"distribution": "multivariate-normal", "sigma": [0.1, 0.2, 0.3]}
    release: dict[str, Any] = {"carrier": carrier, "position": [-1100.0, 150.0, 1500.0], "separation": [0.1, 0.0, -0.2]}
    dispersions: dict[str, Any] = {
        "initial.release.position": spread,
        "initial.release.separation.1": {"distribution": "normal", "sigma": 0.1},
        "target.spin_rate": {"distribution": "normal", "sigma": 1e-5},
    }
    if carrier == "orbit":
        release["velocity"] = [0.3, 0.1, 0.0]
        dispersions["initial.release.velocity"] = spread
    nominal = planetfall.load("minerva-67p")
    start = {"release": release, "attitude": list(nominal.initial.quaternion)}
    draws = Draws(
        nominal.with_values({"gravity": {"model": "point"}, "initial": start, "dispersions": dispersions}), 8, 3
    )
    variants = Variants.of(draws, 0, 8)
    variants.values["initial.release.position"][5, 1] = np.inf
    with np.errstate(invalid="ignore"):
        position, velocity = variants._released()
    assert list(variants.problems) == [5]
    assert variants.problems[5] == "release.position.1: is inf; it must be a finite number"
    for i in set(range(8)) - {5}:
        made = table_maker(draws.scenario.initial, list(dispersions)[:2])  # the velocity of the carrier is put in below
        one = made([variants.row(i)[key] for key in list(dispersions)[:2]]).release
        if carrier == "orbit":
            one = one.model_copy(update={"velocity": tuple(variants.row(i)["initial.release.velocity"])})
        tables: Any = variants._tables[i]
        target = tables["target"]
        np.testing.assert_array_equal(position[i], one.position)
        np.testing.assert_array_equal(velocity[i], one.start_velocity(target.omega, target.center_S))

"""Dispersions that hang on the case that a run is, or on another key."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import planetfall
from planetfall import InputError
from planetfall.campaign.inputs.draws import Draws
from planetfall.campaign.inputs.sampling import METHODS
from planetfall.campaign.inputs.variants import scenario_of
from planetfall.world.terrain.ground import make_surface

CASES = {"ordinary": 3.0, "steep": 1.0}
SLOPE = "terrain.slope_deg"


def with_cases(**tables: Any) -> planetfall.Scenario:
    """Slopes about 10 degrees, but in one run of four from 20 to 30."""
    steep = {"distribution": "uniform", "low": 20.0, "high": 30.0}
    slope = {"distribution": "cases", "when": {"steep": steep}, "otherwise": 10.0}
    keys = {SLOPE: slope, **{key.replace("__", "."): table for key, table in tables.items()}}
    return planetfall.load("msl-drop").with_values({"cases": CASES, "dispersions": keys})


@pytest.mark.parametrize("method", METHODS[:3])
def test_each_case_has_its_own_distribution(method: str) -> None:
    """4,000 runs: the share of the case within 5 standard errors, its values uniform by Kolmogorov-Smirnov."""
    draws = Draws(with_cases(), 4000, 1, method)
    cases, slopes = draws.cases(0, 4000), draws.values(0, 4000)[SLOPE]
    assert cases is not None
    assert abs(np.mean(cases == "steep") - 0.25) < 5 * np.sqrt(0.25 * 0.75 / 4000)
    np.testing.assert_array_equal(slopes[cases == "ordinary"], 10.0)
    assert stats.kstest(slopes[cases == "steep"], stats.uniform(20.0, 10.0).cdf).pvalue > 1e-3


def test_without_otherwise_the_scenarios_own_value_holds() -> None:
    table = {"distribution": "cases", "when": {"steep": 30.0}}
    scenario = planetfall.load("msl-drop").with_values({"cases": CASES, "dispersions": {SLOPE: table}})
    draws = Draws(scenario, 100, 1)
    assert set(draws.values(0, 100)[SLOPE]) == {22.0, 30.0}


def test_an_equal_key_has_the_value_of_the_other_in_every_run() -> None:
    draws = Draws(with_cases(terrain__aspect_deg={"distribution": "equal", "to": SLOPE}), 200, 1)
    values = draws.values(50, 150)
    np.testing.assert_array_equal(values["terrain.aspect_deg"], values[SLOPE])
    assert list(values) == list(draws.keys)


def test_the_scenario_of_a_run_is_that_of_its_case_alone() -> None:
    scenario = with_cases()
    draws = Draws(scenario, 20, 1)
    cases = draws.cases(0, 20)
    assert cases is not None
    run = int(np.flatnonzero(cases == "steep")[0])
    made = scenario_of(draws, run, make_surface(scenario, "cpu"))
    assert 20.0 <= made.terrain.slope_deg <= 30.0  # type: ignore[union-attr]  a plane
    assert not made.cases and not made.dispersions


NORMAL: dict[str, Any] = {"distribution": "normal"}
BAD = [
    ({"when": {"stepe": 3.0}}, r"terrain.slope_deg: when.stepe: no such case; there are ordinary, steep"),
    ({"when": {}}, r"when: at least one case"),
    ({"when": {"steep": 95.0}}, r"95 deg is not allowed; it has to be less than 90 deg"),
    ({"when": {"steep": {**NORMAL, "sigma": 30.0}}}, r"leaves the legal range at percentile"),
    (
        {"when": {"steep": {"distribution": "normal", "sigma": 1.0, "correlated": {SLOPE: 0.5}}}},
        r"cannot be correlated",
    ),
]


@pytest.mark.parametrize(("table", "said"), BAD)
def test_bad_cases_are_refused(table: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        with_cases().with_values({f"dispersions.{SLOPE}": {"distribution": "cases", **table}})


@pytest.mark.parametrize(
    ("to", "said"),
    [
        ("terrain.point.0", r"terrain.aspect_deg: to: terrain.point.0 is not dispersed"),
        ("terrain.aspect_deg", r"to: terrain.aspect_deg is not dispersed by numbers of its own"),
    ],
)
def test_equal_to_nothing_is_refused(to: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        with_cases(terrain__aspect_deg={"distribution": "equal", "to": to})


def test_an_equal_key_has_limits_of_its_own() -> None:
    with pytest.raises(InputError, match=r"vehicle.mass: 0 kg is not allowed; it has to be greater than 0 kg"):
        with_cases(vehicle__mass={"distribution": "equal", "to": "initial.velocity.0"},
                   **{"initial.velocity.0": {"distribution": "uniform", "low": -1.0, "high": 1.0}})  # fmt: skip


@pytest.mark.parametrize(("cases", "said"), [({"a": -1.0}, r"cases.a: a weight"), ({"a": 0.0}, r"cases: some weight")])
def test_weights_say_something(cases: dict[str, float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        planetfall.load("msl-drop").with_values({"cases": cases})


def test_sobol_indices_need_independent_inputs() -> None:
    with pytest.raises(InputError, match=r"saltelli"):
        Draws(with_cases(), 4, 1, "saltelli").check()

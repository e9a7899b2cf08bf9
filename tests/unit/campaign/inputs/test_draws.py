"""What runs draw: from every kind of distribution, alone or together, the same for a run whoever asks."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import planetfall
from planetfall import InputError
from planetfall.campaign.inputs.draws import Draws
from planetfall.campaign.inputs.sampling import METHODS
from planetfall.campaign.inputs.variants import Variants
from planetfall.scenario.files.built_in import library_names
from planetfall.scenario.files.load import load
from support.dispersed import dropped_block, sliding_point
from support.few import few


def drawn_by(scenario: planetfall.Scenario, n: int = 300, seed: int = 1, method: str = "random") -> Draws:
    return Draws(scenario, n, seed, method)


@pytest.mark.parametrize("method", METHODS)
@few(10)
@given(first=st.integers(0, 269), count=st.sampled_from([1, 2, 7, 30]))
def test_a_run_draws_the_same_in_any_company(method: str, first: int, count: int) -> None:
    draws = drawn_by(dropped_block(), 300, method=method)
    whole, part = draws.values(0, 300), draws.values(first, first + count)
    assert set(whole) == set(draws.keys)
    for key, values in part.items():
        np.testing.assert_array_equal(values, whole[key][first : first + count], err_msg=key)


def test_the_order_of_tables_does_not_matter() -> None:
    scenario = dropped_block()
    turned = scenario.model_copy(update={"dispersions": dict(reversed(scenario.dispersions.items()))})
    for key, values in drawn_by(scenario).values(0, 50).items():
        np.testing.assert_array_equal(drawn_by(turned).values(0, 50)[key], values)


def test_moments_and_correlations_are_those_asked_for() -> None:
    """50,000 runs: means within 5 standard errors, spreads within 5 of sigma/sqrt(2n), the rank correlation of a
    Gaussian copula within 5/sqrt(n) of 6/pi asin(r/2)."""
    n = 50_000
    values = drawn_by(dropped_block(), n).values(0, n)
    mass = np.log(values["vehicle.mass"])
    assert abs(mass.mean() - np.log(100.0)) < 5 * 0.05 / np.sqrt(n)
    assert abs(mass.std() - 0.05) < 5 * 0.05 / np.sqrt(2 * n)
    assert np.all(np.abs(values["initial.velocity"].std(axis=0) - [0.3, 0.2, 0.1]) < 5 * 0.3 / np.sqrt(2 * n))
    pair = values["contact.breakaway_angle_deg"], values["contact.sliding_angle_deg"]
    assert abs(stats.spearmanr(*pair)[0] - 6 / np.pi * np.arcsin(0.3)) < 5 / np.sqrt(n)
    assert values["terrain.slope_deg"].min() >= 6.0
    assert values["terrain.slope_deg"].max() <= 18.0


def test_columns_of_one_file_keep_their_rows_together(tmp_path: Path) -> None:
    path = tmp_path / "soil.csv"
    rows = [(30.0 + 0.1 * i, 25.0 + 0.1 * i) for i in range(20)]
    path.write_text("theta1,theta2\n" + "".join(f"{a},{b}\n" for a, b in rows), encoding="utf-8")
    tables = {
        f"contact.{key}": {"distribution": "table", "file": str(path), "column": column, "pick": "random"}
        for key, column in (("breakaway_angle_deg", "theta1"), ("sliding_angle_deg", "theta2"))
    }
    values = drawn_by(sliding_point(dispersions=tables), 500).values(0, 500)
    pairs = set(zip(values["contact.breakaway_angle_deg"], values["contact.sliding_angle_deg"], strict=True))
    assert pairs == set(rows)
    in_order = {key: {**table, "pick": "row"} for key, table in tables.items()}
    values = drawn_by(sliding_point(dispersions=in_order), 20).values(3, 20)
    assert list(values["contact.breakaway_angle_deg"]) == [a for a, _ in rows[3:]]
    with pytest.raises(InputError, match=r"has 20 rows for 21 runs; use -n 20, or pick = 'random'"):
        drawn_by(sliding_point(dispersions=in_order), 21).check()


def test_grids_go_through_every_combination() -> None:
    tables = {
        "terrain.slope_deg": {"distribution": "grid", "steps": [0.0, 5.0]},
        "vehicle.mass": {"distribution": "grid", "steps": [8.0, 9.0, 10.0]},
        "initial.velocity.0": {"distribution": "normal", "sigma": 0.1},
    }
    draws = drawn_by(sliding_point(dispersions=tables), 12)
    draws.check()
    values = draws.values(0, 12)
    assert draws.n_cells == 6
    assert list(values["terrain.slope_deg"]) == [0.0, 0.0, 0.0, 5.0, 5.0, 5.0] * 2
    assert list(values["vehicle.mass"]) == [8.0, 9.0, 10.0] * 4
    assert len(set(values["initial.velocity.0"])) == 12


def test_nothing_to_vary_is_refused() -> None:
    with pytest.raises(InputError, match=r"has none, so that all runs would be the same.*--set 'dispersions\."):
        drawn_by(planetfall.load("msl-drop")).check()


def test_saltelli_needs_independent_inputs() -> None:
    with pytest.raises(InputError, match=r"needs independent random inputs"):
        drawn_by(dropped_block(), 9 * 20, method="saltelli").check()


def test_inputs_that_do_not_go_together_are_named() -> None:
    """Sliding friction above breakaway friction: a problem of single runs, told run by run."""
    wide = {
        "contact.breakaway_angle_deg": {"distribution": "uniform", "low": 26.0, "high": 30.0},
        "contact.sliding_angle_deg": {"distribution": "uniform", "low": 26.0, "high": 30.0},
    }
    variants = Variants.of(drawn_by(sliding_point(dispersions=wide), 400), 0, 400)
    values = variants.values
    expected = np.flatnonzero(values["contact.sliding_angle_deg"] > values["contact.breakaway_angle_deg"])
    assert list(variants.problems) == expected.tolist()
    assert len(expected) > 150
    assert all("sliding_angle_deg: theta2" in said for said in variants.problems.values())


@pytest.mark.parametrize("name", library_names())
def test_the_advice_for_a_scenario_without_dispersions_is_accepted(name: str) -> None:
    scenario = load(name)
    if scenario.dispersions:
        return
    with pytest.raises(InputError) as told:
        Draws(scenario, 8, 1).check()
    key, _, value = str(told.value).partition("--set '")[2].removesuffix("'").partition("=")
    Draws(scenario.with_values({key: tomllib.loads(f"x={value}")["x"]}), 8, 1).check()

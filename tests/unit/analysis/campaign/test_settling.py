"""Quartiles of settling by value of a key, and the one key in which campaigns differ."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import planetfall
from planetfall import InputError, Scenario
from planetfall.analysis.campaign.settling import BY_CAMPAIGN, differing_keys, settling_by, sweep_between, sweeps_of
from planetfall.record.ensemble import Ensemble
from planetfall.report.campaign.settling_figure import draw_settling


def rows(rest: list[float], **inputs: list[float]) -> xr.Dataset:
    """A campaign's table."""
    n = len(rest)
    columns = {"rest_s": rest, "distance_m": np.arange(n) + 4.0, "n_contacts": np.full(n, 7)}
    drawn = {f"in.{key.replace('__', '.')}": values for key, values in inputs.items()}
    return xr.Dataset({name: ("run", values) for name, values in {**columns, **drawn}.items()})


def campaign(rest: list[float], **values: object) -> Ensemble:
    changes = {key.replace("__", "."): value for key, value in values.items()}
    return Ensemble(planetfall.load("settle-sweep").with_values(changes), rows(rest))


def test_quartiles_are_those_of_each_step() -> None:
    data = rows([1.0, 10.0, 2.0, np.nan, 3.0], contact__friction=[1.0, 2.0, 1.0, 2.0, 1.0])
    one, two = settling_by(data, "contact.friction")
    assert one.rest_s == (1.5, 2.0, 2.5) and one.distance_m == (5.0, 6.0, 7.0) and one.touches == (7.0, 7.0, 7.0)
    assert (two.n, two.n_at_rest, two.rest_s[1]) == (2, 1, 10.0)
    with pytest.raises(InputError, match=r"contact\.restitution.*contact\.friction"):
        settling_by(data, "contact.restitution")


def test_every_key_that_is_stepped_through_is_a_sweep(tmp_path: Path) -> None:
    """A grid, or a few values at random; what is drawn from a continuum is none, nor is a single value."""
    values = {
        "dispersions.vehicle.mass": {"distribution": "categorical", "options": [1.0, 2.0]},
        "dispersions.gravity.acceleration": {"distribution": "grid", "steps": [2e-4]},
        "dispersions.contact.friction": {"distribution": "uniform", "low": 0.4, "high": 0.6},
    }
    data = rows(
        [1.0, 2.0, 3.0, 4.0], contact__restitution=[0.2, 0.4, 0.2, 0.4], vehicle__mass=[1.0, 2.0, 2.0, 2.0],
        gravity__acceleration=[2e-4] * 4, contact__friction=[0.4, 0.5, 0.45, 0.55],
    )  # fmt: skip
    found = sweeps_of(Ensemble(planetfall.load("settle-sweep").with_values(values), data))
    assert [(sweep.key, sweep.unit) for sweep in found] == [("contact.restitution", ""), ("vehicle.mass", "kg")]
    assert [(step.value, step.n) for step in found[1].steps] == [(1.0, 1), (2.0, 3)]
    assert draw_settling(found, tmp_path).stat().st_size > 10_000


def test_campaigns_that_differ_in_one_key_are_a_sweep_over_it(tmp_path: Path) -> None:
    """In the order of its values, whatever that of the campaigns; names, seeds and records are no difference."""
    axis = (0.0, 0.0, 1.0)
    far = campaign(
        [3.0, 4.0], target__spin_rate=2e-4, target__spin_axis=axis, scenario__seed=3, record__interval=1.0
    )  # fmt: skip
    found = sweep_between({"b": far, "a": campaign([1.0, np.nan], target__spin_axis=axis, scenario__name="other")})
    assert (found.key, found.unit) == ("target.spin_rate", "rad/s")
    assert [(step.value, step.n, step.n_at_rest, step.rest_s[1]) for step in found.steps] == [
        (0.0, 2, 1, 1.0), (2e-4, 2, 2, 3.5),
    ]  # fmt: skip
    assert draw_settling([found], tmp_path, "between").name == "between.png"


def test_vehicles_are_told_apart_by_their_names() -> None:
    """All that a name stands for differs too, and does not count."""
    found = sweep_between({"x": campaign([1.0], vehicle__name="mascot"), "y": campaign([2.0], vehicle__name="cube")})
    assert found.key == "vehicle.name"
    assert [step.value for step in found.steps] == ["mascot", "cube"]


@pytest.mark.parametrize(
    "values",
    [
        {"contact__friction": 0.4, "gravity__acceleration": 1e-4},
        {},
        {"initial__velocity": [0.0, 0.0, -0.1]},
        {"outcome__stop_at_rest": False},
    ],
    ids=["two keys", "none", "a vector", "no number"],
)
def test_other_campaigns_are_told_apart_by_their_own_names(values: dict[str, object]) -> None:
    found = sweep_between({"one": campaign([1.0]), "two": campaign([2.0], **values)})
    assert found.key == BY_CAMPAIGN
    assert [step.value for step in found.steps] == ["one", "two"]


def test_keys_that_only_one_scenario_has_differ() -> None:
    def given(**values: object) -> Scenario:
        return campaign([1.0], **values).scenario

    ball = {"terrain__shape": "sphere", "terrain__half_sizes": [5.0, 5.0, 5.0]}
    assert differing_keys([given(), given(contact__friction_static=0.7)]) == ["contact.friction_static"]
    assert differing_keys([given(), given(terrain__model="sdf", **ball)]) == ["terrain.model"]

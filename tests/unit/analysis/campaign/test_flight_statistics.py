"""Statistics of campaigns of flights, of tables made by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import planetfall
from planetfall.analysis.campaign.flight_statistics import (
    HOLDS,
    ellipse_text,
    failures,
    published_ellipse,
    summarise_flights,
    timeline,
)
from planetfall.campaign.replay import replay
from planetfall.scenario.scenario import Scenario

N = 20_000


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return planetfall.load("msl-edl-dispersed")


def rows(n: int, **columns: np.ndarray | float | str) -> xr.Dataset:
    """A table of n runs that landed on the site, but for what is given."""
    usual = {
        "x_m": 0.0, "y_m": 0.0, "z_m": 0.0, "outcome": "settled", "first_touch_s": 393.0, "out.miss_m": 0.0,
        "out.last_phase": 14.0,
    }  # fmt: skip
    values = {name: np.broadcast_to(np.asarray(value), n) for name, value in {**usual, **columns}.items()}
    return xr.Dataset({name: ("run", value) for name, value in values.items()}, {"run": np.arange(n)})


def test_the_ellipse_of_normal_places_has_their_axes_and_share(scenario: Scenario) -> None:
    """Standard deviations of 5 and 1 km: semi-axes of 3.035 of them; errors of 1/sqrt(2 n) and of a binomial share."""
    draw = np.random.default_rng(1).normal(size=(N, 2)) * [5e3, 1e3]
    east, north = draw.T
    found = summarise_flights(rows(N, x_m=east, y_m=north, **{"out.miss_m": np.hypot(east, north)}), scenario)
    sigmas = np.sqrt(-2.0 * np.log(0.01))
    four = 4.0 / np.sqrt(2.0 * N)  # four standard errors of a standard deviation
    assert found["ellipse"]["length_m"] == pytest.approx(2.0 * sigmas * 5e3, rel=four)
    assert found["ellipse"]["width_m"] == pytest.approx(2.0 * sigmas * 1e3, rel=four)
    assert found["ellipse"]["azimuth_deg"] == pytest.approx(90.0, abs=0.5)
    assert found["ellipse"]["holds"] == pytest.approx(HOLDS, abs=4.0 * np.sqrt(0.01 * 0.99 / N))
    assert found["flown_miss"]["share_of_runs_nearer"]["value"] == np.mean(np.hypot(east, north) <= 2385.0)
    assert found["miss_m"]["0.5"]["value"] == pytest.approx(np.median(np.hypot(east, north)), rel=1e-3)


def test_few_places_say_how_little_they_know(scenario: Scenario) -> None:
    """24 runs on a line of 57 km: it is called one, and not an ellipse 0.8 m wide; its miss has no 99 %."""
    east = np.linspace(-10e3, 10e3, 24)
    found = summarise_flights(rows(24, x_m=east, y_m=1e-6 * east, **{"out.miss_m": np.abs(east)}), scenario)
    size, known = ellipse_text(found["ellipse"])
    assert size.startswith("a line of ")
    assert known.startswith("from 24 runs")
    assert found["miss_m"]["0.99"]["high"] is None
    north = east[::-1] * np.tile([1.0, -1.0], 12)
    size, known = ellipse_text(summarise_flights(rows(24, x_m=east, y_m=north), scenario)["ellipse"])
    assert " x " in size
    assert "known to about 31%" in known  # half of sqrt(23/chi2(0.025)) - sqrt(23/chi2(0.975)) = (1.403 - 0.777)/2
    assert "fewer than 368 runs cannot tell" in known


def test_the_published_ellipse_lies_along_its_azimuth(scenario: Scenario) -> None:
    """Clockwise from north: at 90 degrees its ends are east and west."""
    ellipse = published_ellipse(scenario.with_values({"comparison.ellipse_azimuth_deg": 90.0}))
    assert ellipse is not None
    outline = ellipse.outline(1.0)
    np.testing.assert_allclose([outline[:, 0].max(), outline[:, 1].max()], [10e3, 3.5e3], rtol=1e-3)
    places = np.array([[9.9e3, 0.0], [0.0, 3.6e3], [0.0, -3.4e3], [-10.1e3, 0.0]])
    assert ellipse.share_inside(places, 1.0) == 0.5
    turned = published_ellipse(scenario.with_values({"comparison.ellipse_azimuth_deg": 30.0}))
    assert turned is not None
    far = turned.outline(1.0)[np.argmax(np.linalg.norm(turned.outline(1.0), axis=1))]
    assert np.degrees(np.arctan2(far[0], far[1])) % 180.0 == pytest.approx(30.0, abs=1e-6)


def test_failures_are_told_by_phase_and_cause(scenario: Scenario) -> None:
    """Two crashes on the parachute, one time-out while waiting for touchdown, one limit broken by a run that landed."""
    outcome = np.array(["settled", "crashed", "crashed", "timed_out", "settled", "settled"])
    last = np.array([14.0, 2.0, 2.0, 10.0, 14.0, 14.0])
    kept = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])  # that of a run that was lost anyway does not count again
    found = failures(rows(6, outcome=outcome, **{"out.last_phase": last, "out.kept.deceleration": kept}), scenario)
    told = [(item["phase"], item["cause"], item["count"], item["runs"]) for item in found]
    assert told[0] == ("parachute", "crashed", 2, [1, 2])
    assert set(map(str, told[1:])) == {
        str(("ready for touchdown", "timed_out", 1, [3])), str(("", "limit deceleration", 1, [4])),
    }  # fmt: skip
    assert all(item["low"] < item["value"] < item["high"] for item in found)


def test_what_met_its_carrier_again_is_told_of_runs_that_landed(scenario: Scenario) -> None:
    """A backshell that falls on the stage: bodies do not push each other, so that the outcome does not tell."""
    met = {"out.separations.msl-descent-stage-fuelled_recontact_s": np.array([337.5, np.nan, np.nan, 340.0])}
    found = failures(rows(4, outcome=np.array(["settled", "settled", "settled", "crashed"]), **met), scenario)
    told = {item["cause"]: (item["count"], item["runs"]) for item in found}
    assert told == {"msl-descent-stage-fuelled met what had carried it": (1, [0]), "crashed": (1, [3])}


def test_the_timeline_counts_who_came_to_a_phase(scenario: Scenario) -> None:
    began, height = np.array([10.0, 12.0, np.nan]), np.array([5e3, 7e3, np.nan])
    columns = {
        "out.phases.parachute.begins_s": began, "out.phases.parachute.altitude_m": height,
        "out.phases.heat shield off.begins_s": began + np.array([20.0, 22.0, 0.0]),
    }  # fmt: skip
    first, second = timeline(rows(3, **columns), scenario)
    assert (first["phase"], first["n"], second["phase"]) == ("parachute", 2, "heat shield off")
    assert (first["begins_s"][1], first["lasts_s"][1], first["altitude_m"][1]) == (11.0, 21.0, 6e3)
    assert first["velocity_m_s"] is None


def test_an_entry_without_phases_has_its_misses_and_broken_limits() -> None:
    """No controller, no timeline; before, the whole summary of such a flight failed."""
    scenario = planetfall.load("mars-entry-lifting")
    broken = np.array([0.0, 1.0, 1.0, np.nan])
    table = rows(4, outcome="descended", **{"out.miss_m": 7e3, "out.kept.deceleration": broken})
    found = summarise_flights(table.drop_vars("out.last_phase"), scenario)
    assert found["timeline"] == []
    assert [(item["cause"], item["count"], item["runs"]) for item in found["failures"]] == [
        ("limit deceleration", 1, [0])
    ]
    assert found["miss_m"]["0.5"]["value"] == 7e3


def test_vehicles_in_the_air_when_time_ran_out_have_no_miss_and_no_ellipse(tmp_path: Path) -> None:
    """Entries cut off at 100 s, 20 km up and 118 km from the site: that is no landing, in a row and in its replay."""
    spread = {"initial.flight_path_deg": {"distribution": "normal", "mean": -15.5, "sigma": 0.2}}
    scenario = planetfall.load("mars-entry-lifting").with_values({"scenario.duration": 100.0, "dispersions": spread})
    ensemble = planetfall.montecarlo(scenario, 4, seed=1, out=tmp_path / "campaign")
    assert set(ensemble.data.outcome.values) == {"timed_out"}
    assert np.isnan(ensemble.data["out.miss_m"].values).all()
    assert not {"ellipse", "miss_m"} & ensemble.summary["flight"].keys()
    assert replay(tmp_path / "campaign", 0).summary["miss_m"] is None

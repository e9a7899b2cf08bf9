"""Limits are judged in every run: alone, in a campaign, and in the replay of one of its runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.campaign.replay import replay
from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario
from support.entries import flight

LIMITS = {
    "deceleration": {"of": "peak_g", "max": 10.0},
    "pressure": {"of": "dynamic_pressure", "max": 1e9},
    "low_mach": {"of": "mach", "min": 1.0},
    "end_box": {"of": "mach", "at": "descended", "min": 1.1, "max": 2.2},
    "skipped": {"of": "velocity", "at": "skip_out", "max": 1.0},
    "soon": {"of": "end_s", "max": 10.0},
}
AIR = {
    "model": "exponential", "density": 0.0149, "scale_height": 10e3, "temperature": 200.0, "gas_constant": 191.4,
    "heat_ratio": 1.3,
}  # fmt: skip


def entry(limits: dict[str, Any], **more: Any) -> Scenario:
    return flight(
        target={
            "name": "sphere", "gm": 4.282837e13, "radius": 3.39e6, "spin_rate": 7e-5,
            "site": {"latitude_deg": 0.0, "longitude_deg": 0.0},
        },
        gravity={"model": "point"},
        atmosphere=AIR,
        vehicle={
            "mass": 3000.0,
            "aerodynamics": {
                "model": "drag", "diameter": 4.5, "drag_coefficient": 1.5, "attitude": "trim", "lift_to_drag": 0.2,
                "bank_deg": 40.0,
            },
        },
        initial={
            "altitude": 120e3, "latitude_deg": 0.0, "longitude_deg": 0.0, "speed": 5800.0, "flight_path_deg": -15.0,
            "azimuth_deg": 80.0,
        },
        integrator={"method": "rk4", "step": 0.1},
        outcome={"stop_altitude": 10e3, "skip_altitude": 130e3},
        limits=limits,
        **more,
    )  # fmt: skip


def test_a_run_is_judged() -> None:
    run = planetfall.run(entry(LIMITS))
    found, data = run.summary["limits"], run.data
    assert {name: limit["kept"] for name, limit in found.items()} == {
        "deceleration": found["deceleration"]["largest"] <= 10.0,
        "pressure": True,
        "low_mach": True,
        "end_box": 1.1 <= data.mach.values[-1, 0] <= 2.2,
        "skipped": None,  # it never did
        "soon": False,
    }
    assert found["end_box"]["largest"] == pytest.approx(data.mach.values[-1, 0], rel=1e-12)
    assert found["low_mach"]["least"] == pytest.approx(data.mach.values[:, 0].min(), rel=1e-9)
    assert found["pressure"]["largest"] == run.summary["peak_dynamic_pressure_Pa"]


def test_readings_and_accounts_of_work_are_judged() -> None:
    """Whatever is recorded: a reading over the run and at its end, where the last one holds, and a work."""
    limits = {
        "range": {"of": "altimeter", "min": 0.0, "max": 1.0},
        "felt": {"of": "imu_specific_force", "at": "end", "max": 1.0},
        "crushed": {"of": "work_damper", "at": "touch", "min": -1e4},
    }
    run = planetfall.run(planetfall.load("sensed-landing").with_values({"limits": limits}))
    found, data = run.summary["limits"], run.data
    assert found["range"]["largest"] == float(data.altimeter.max()) > 1.0
    assert found["felt"]["largest"] == pytest.approx(float(np.linalg.norm(data.imu_specific_force.values[-1])))
    assert found["crushed"]["least"] <= 0.0
    assert {name: limit["kept"] for name, limit in found.items()} == {"range": False, "felt": False, "crushed": True}


def test_a_number_of_all_points_is_the_same_in_a_run_and_in_a_campaign(tmp_path: Path) -> None:
    """First touch, touchdowns and peak are those of all points together, as rows have them, not of each point.

    The drop's wheels touch at 0.585 and 0.972 s, five times each, with up to 15.9 and 19.7 kN.
    """
    limits = {
        "soon": {"of": "first_touch_s", "max": 0.8},
        "late": {"of": "first_touch_s", "min": 0.7},
        "few": {"of": "touchdowns", "max": 6.0},
        "hard": {"of": "peak_normal_force_N", "min": 16e3},
    }
    varied = {"terrain.slope_deg": {"distribution": "uniform", "low": 21.9, "high": 22.1}}
    scenario = planetfall.load("msl-drop").with_values({"limits": limits, "dispersions": varied})
    planetfall.montecarlo(scenario, 2, seed=1, out=tmp_path / "campaign")
    rows = planetfall.open(tmp_path / "campaign").data
    again = replay(tmp_path / "campaign", 1).summary["limits"]
    expected = {"soon": True, "late": False, "few": False, "hard": True}
    assert {name: limit["kept"] for name, limit in again.items()} == expected
    assert {name: bool(rows[f"out.kept.{name}"].values[1]) for name in limits} == expected
    values = {name: (limit["least"], limit["largest"]) for name, limit in again.items()}
    assert values["soon"] == (rows.first_touch_s.values[1],) * 2
    assert values["few"] == (rows.n_contacts.values[1],) * 2
    assert values["hard"] == (rows.peak_force_N.values[1],) * 2


@pytest.mark.parametrize("method", [{"method": "rk4", "step": 0.1}, {"method": "adaptive", "tolerance": 1e-8}])
def test_an_entry_that_climbs_out_of_its_table_has_escaped(method: dict[str, Any]) -> None:
    """The air of a table that ends at 121 km: up to there the flight is that through the same air without an end."""
    heights = np.linspace(0.0, 121e3, 122)
    table = {
        "model": "table", "heights": heights, "density": AIR["density"] * np.exp(-heights / 10e3),
        "temperature": np.full(122, 200.0), "gas_constant": 191.4, "heat_ratio": 1.3, "interpolation": "log-linear",
    }  # fmt: skip
    shallow = entry({}).with_values({"initial.flight_path_deg": -8.0, "integrator": method})
    run = planetfall.run(shallow.with_values({"atmosphere": {k: np.asarray(v).tolist() for k, v in table.items()}}))
    assert run.summary["outcome"] == "escaped"
    assert "skipped out of the air: it came down to " in run.summary["outcome_sentence"]
    assert "climbed over the end of its air, 121 km, at " in run.summary["outcome_sentence"]
    assert np.all(np.isfinite(run.data.position.values))
    assert run.data.altitude.values[-1, 0] > 121e3
    endless = planetfall.run(shallow)
    at = int(np.flatnonzero(run.data.altitude.values[:, 0] < 121e3)[-1])  # the last frame inside the table
    assert at > 10 and run.data.time.values[at] == endless.data.time.values[at]
    # ln rho is linear, so that both airs are the same but for rounding; 1e-8 of some 1e6 m is the adaptive tolerance
    np.testing.assert_allclose(run.data.position.values[at], endless.data.position.values[at], rtol=1e-9, atol=1e-2)
    assert "climbed over outcome.skip_altitude, 130 km, at " in endless.summary["outcome_sentence"]


def test_a_skip_out_is_told_where_the_time_ran_out() -> None:
    rules = {"outcome.skip_altitude": 1e7, "initial.flight_path_deg": -8.0, "scenario.duration": 300.0}
    run = planetfall.run(entry({}).with_values(rules))
    assert run.summary["outcome"] == "timed_out"
    assert "The time ran out with the vehicle out of the air again: it came down to " in run.summary["outcome_sentence"]


def test_an_entry_that_skips_out_has_escaped() -> None:
    """At a flight-path angle of 8 degrees it leaves the air again: an outcome, with the speed that a limit asks for."""
    shallow = entry(LIMITS).with_values({"initial.flight_path_deg": -8.0})
    run = planetfall.run(shallow)
    assert run.summary["outcome"] == "escaped"
    assert run.events[-1].kind == "skip_out"
    assert run.data.altitude.values[-1, 0] > 130e3
    speed = float(np.linalg.norm(run.data.velocity.values[-1, 0]))
    assert run.summary["limits"]["skipped"] == pytest.approx(
        {"of": "velocity", "at": "skip_out", "min": None, "max": 1.0, "least": speed, "largest": speed, "kept": False}
    )
    assert run.summary["limits"]["end_box"]["kept"] is None
    assert run.summary["miss_m"] is None  # it left: how far it was from the site by then is no miss


def test_a_landing_is_judged_by_its_record() -> None:
    """Histories that no mechanism keeps: over all frames and points, and at the first instant of an event."""
    limits = {
        "force": {"of": "contact_normal_force", "max": 1.0},
        "impact": {"of": "velocity", "at": "touch", "max": 1e3},
        "deep": {"of": "max_penetration_m", "max": 1e3},
        "never": {"of": "velocity", "at": "overturn", "max": 1e3},
    }
    run = planetfall.run(planetfall.load("sink-flat").with_values({"limits": limits}))
    found, data = run.summary["limits"], run.data
    assert {name: limit["kept"] for name, limit in found.items()} == {
        "force": False, "impact": True, "deep": True, "never": None
    }  # fmt: skip
    assert found["force"]["largest"] == data.contact_normal_force.values.max()
    touch = min(event.time for event in run.events if event.kind == "touch")
    speed = np.interp(touch, data.time.values, np.linalg.norm(data.velocity.values[:, 0], axis=1))
    assert found["impact"]["largest"] == pytest.approx(speed)
    assert found["deep"]["largest"] == run.summary["max_penetration_m"]


def test_what_is_kept_for_limits_is_told_apart_by_kernels() -> None:
    """As many numbers are kept in both, and the same kernel would mix them up."""
    for of in ("altitude", "velocity"):
        run = planetfall.run(entry({"one": {"of": of, "max": 1e9}}))
        history = run.data.altitude.values if of == "altitude" else np.linalg.norm(run.data.velocity.values, axis=-1)
        assert run.summary["limits"]["one"]["largest"] == pytest.approx(history.max(), rel=1e-3)


def test_a_campaign_counts_and_its_rows_are_those_of_runs_alone(tmp_path: Path) -> None:
    dispersions = {
        "initial.flight_path_deg": {"distribution": "normal", "mean": -15.0, "sigma": 0.5},
        "vehicle.aerodynamics.bank_deg": {"distribution": "uniform", "low": -60.0, "high": 60.0},
        "vehicle.aerodynamics.axial_factor": {"distribution": "normal", "mean": 1.0, "sigma": 0.02},
        "atmosphere.perturbation.density_shift": {"distribution": "normal", "mean": 0.0, "sigma": 0.05},
    }
    ensemble = planetfall.montecarlo(entry(LIMITS, dispersions=dispersions), 6, seed=3, out=tmp_path / "campaign")
    data = ensemble.data
    assert set(data.outcome.values) == {"descended"}
    kept = data["out.kept.deceleration"].values
    np.testing.assert_array_equal(kept, data["out.peak_g"].values <= 10.0)
    assert 0 < kept.sum() < 6
    assert np.isnan(data["out.kept.skipped"].values).all()
    assert not ensemble.summary.get("problems")
    told = ensemble.summary["limits"]["deceleration"]
    assert (told["n"], told["broken"]) == (6, 6 - kept.sum())
    assert told["low"] < told["value"] < told["high"]
    again = replay(tmp_path / "campaign", 4)  # refuses a run that differs from its row
    for name in ("peak_g", "peak_dynamic_pressure_Pa"):
        assert again.summary[name] == data[f"out.{name}"].values[4]
    assert again.summary["limits"]["deceleration"]["kept"] == bool(kept[4])


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ({"of": "peek_g", "max": 1.0}, "limits.one.of: nothing is called 'peek_g'"),
        ({"of": "mach", "at": "landfall", "max": 1.0}, "limits.one.at: nothing is called 'landfall'"),
        ({"of": "peak_g", "at": "descended", "max": 1.0}, "one number of the whole run"),
        ({"of": "peak_g"}, "a limit has a min, a max, or both"),
        ({"of": "peak_g", "min": 2.0, "max": 1.0}, "1 is less than min, 2"),
    ],
)
def test_a_limit_that_cannot_be_is_refused(limit: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as refused:
        planetfall.run(entry({"one": limit}))
    assert said in str(refused.value)


def test_a_campaign_judges_what_only_records_can_tell(tmp_path: Path) -> None:
    """Histories of no row, over the run and at an event on the way: as in each run alone, counted with intervals."""
    scenario = planetfall.load("sink-flat").with_values(
        {
            "limits": {
                "impact": {"of": "velocity", "at": "touch", "max": 0.5},
                "force": {"of": "contact_normal_force", "max": 3e3},
                "turned": {"of": "velocity", "at": "overturn", "max": 1.0},
                "deep": {"of": "max_penetration_m", "max": 0.02},
            },
            "dispersions": {"initial.velocity.2": {"distribution": "uniform", "low": -1.0, "high": 0.0}},
        }
    )
    ensemble = planetfall.montecarlo(scenario, 6, seed=5, out=tmp_path / "campaign", note=(notes := []).append)
    assert notes == ["limits.impact, limits.force, limits.turned: rows do not tell, so each run is simulated twice, "
                     "the second time with its record"]  # fmt: skip
    data = ensemble.data
    runs = [replay(tmp_path / "campaign", i) for i in range(6)]  # refuses a run that differs from its row
    for name in ("impact", "force", "deep"):
        alone = [run.summary["limits"][name]["kept"] for run in runs]
        np.testing.assert_array_equal(data[f"out.kept.{name}"].values, np.array(alone, dtype=float))
    speeds = [abs(np.interp(run.events[0].time, run.data.time, run.data.velocity[:, 0, 2])) for run in runs]
    np.testing.assert_array_equal(data["out.kept.impact"].values, np.array(speeds) <= 0.5)
    assert 0 < data["out.kept.impact"].values.sum() < 6
    assert np.isnan(data["out.kept.turned"].values).all()
    told = ensemble.summary["limits"]["impact"]
    assert (told["n"], told["broken"]) == (6, 6 - data["out.kept.impact"].values.sum())
    assert told["low"] < told["value"] < told["high"]
    assert ensemble.summary["limits"]["turned"]["n"] == 0

"""`msl-edl-dispersed`: whole landings as a campaign; few runs, all with one kernel."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import planetfall
from planetfall.campaign.inputs.variants import Variants
from planetfall.campaign.plan import make_plan
from planetfall.campaign.replay import replay
from planetfall.campaign.workers.shard_run import PreparedShard, simulate, work_of, workshop
from planetfall.engine.launch.per_run_parameters import per_run_parameters
from planetfall.errors import InputError
from planetfall.record.ensemble import open_ensemble
from planetfall.record.files.shards import Shard
from planetfall.report.page.ensemble_page import CAPTIONS, write_page
from planetfall.scenario.dispersions.keys import place_of
from planetfall.scenario.dispersions.linked import DispersionEqual

GRAVITY = 9.80665
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs in one shard."""
    place = tmp_path_factory.mktemp("landings") / "campaign"
    planetfall.montecarlo(planetfall.load("msl-edl-dispersed"), 3, seed=5, out=place)
    return place


def test_every_dispersion_moves_the_landing() -> None:
    """Each alone, by two standard deviations or a quarter of its range, against a run with none of them.

    By more than a metre: the adaptive method's tolerance of 1e-8 leaves the place where a run ends uncertain by
    centimetres. Where the density has no wave, its length and phase do nothing; the wave is 1 in all runs.
    """
    scenario = planetfall.load("msl-edl-dispersed")
    shop = workshop(work_of(make_plan(scenario, 64, 0, "random", None, "cpu", ""), "cpu"))
    own = {key: item for key, item in scenario.dispersions.items() if not isinstance(item, DispersionEqual)}
    nominal = {key: place_of(scenario, key).nominal for key in scenario.dispersions}
    nominal["atmosphere.perturbation.wave"] = 1.0
    values = {key: np.array([nominal[key]] * (1 + len(own)), dtype=float) for key in shop.draws.keys}
    for i, (key, item) in enumerate(own.items(), start=1):
        numbers = item.model_dump()
        is_normal = "sigma" in numbers
        shift = 2.0 * np.array(numbers["sigma"]) if is_normal else 0.25 * (numbers["high"] - numbers["low"])
        followers = [k for k, other in scenario.dispersions.items() if getattr(other, "to", None) == key]
        for moved in (key, *followers):
            values[moved][i] += shift
    variants = Variants(shop.draws, 0, values)
    states = variants.states(shop.model.surface)
    scenarios = variants.scenarios(states)
    drawn = PreparedShard(
        Shard(0, 1 + len(own)), variants, states, per_run_parameters(shop.model, shop.draws.keys, scenarios, states)
    )
    table = simulate(shop, drawn).to_pydict()
    places = np.column_stack([table["x_m"], table["y_m"]])
    moved = dict(zip(own, np.hypot(*(places[1:] - places[0]).T), strict=True))
    assert set(table["outcome"]) == {"settled"}
    assert {key: distance for key, distance in moved.items() if not distance > 1.0} == {}


def test_a_replay_is_the_row_and_what_is_carried_has_its_mass(folder: Path) -> None:
    """Columns are the numbers of the summary, bit for bit; the air decelerates the mass of all that is attached."""
    data = planetfall.open(folder).data.isel(run=1)
    run = replay(folder, 1)  # refuses a run that differs from its row
    told = run.summary
    for name in ("touchdown_s", "touchdown_vertical_m_s", "touchdown_horizontal_m_s", "miss_m", "propellant_left_kg"):
        assert told[name] == data[f"out.{name}"].item()
    shed = next(phase for phase in told["phases"] if phase["name"] == "heat shield off")
    for number in ("begins_s", "altitude_m", "velocity_m_s", "mach", "dynamic_pressure_Pa"):
        assert shed[number] == data[f"out.phases.heat shield off.{number}"].item()
    limits = told["limits"]
    assert {name: bool(data[f"out.kept.{name}"].item()) for name in limits} == {
        name: limit["kept"] for name, limit in limits.items()
    }
    assert limits["heat_shield_mach"]["largest"] == shed["mach"]
    drawn = data["in.companions.1.vehicle.mass"].item()
    assert run.data.mass.values[0, 2] == drawn != 604.0
    early = int(np.searchsorted(run.data.time.values, 80.0))
    force = np.linalg.norm(run.data.aero_force.values[early, 2])
    felt = force / (GRAVITY * run.data.g_load.values[early, 2])
    assert felt == pytest.approx(899.18 + 1219.0 + 385.0 + 150.0 + drawn, rel=1e-9)


def test_the_numbers_of_a_phase_are_those_of_the_record(folder: Path) -> None:
    """The record interpolates over half a second; while attached, stage and backshell are metres apart."""
    run = replay(folder, 1)
    data, time = run.data, run.data.time.values
    fired = next(phase for phase in run.summary["phases"] if phase["name"] == "parachute")
    assert fired["mach"] == pytest.approx(run.summary["parachute"]["deploy_mach"], rel=1e-4)
    assert fired["dynamic_pressure_Pa"] == pytest.approx(
        run.summary["parachute"]["deploy_dynamic_pressure_Pa"], rel=1e-3
    )
    assert fired["altitude_m"] == pytest.approx(run.summary["parachute"]["deploy_altitude_m"], abs=3.0)
    shed = next(phase for phase in run.summary["phases"] if phase["name"] == "heat shield off")
    assert shed["mach"] == pytest.approx(np.interp(shed["begins_s"], time, data.mach.values[:, 2]), rel=0.02)
    last = np.searchsorted(time, run.summary["touchdown_s"]) - 1
    assert run.summary["touchdown_vertical_m_s"] == pytest.approx(
        np.linalg.norm(data.velocity.values[last, 0]), abs=0.02
    )


def test_the_summary_tells_of_the_flights(folder: Path) -> None:
    flight, told = planetfall.open(folder).summary["flight"], planetfall.open(folder).summary["limits"]
    assert [phase["phase"] for phase in flight["timeline"]][:3] == ["entry", "balance masses off", "parachute"]
    assert flight["failures"] == []
    assert {"ellipse", "published_ellipse", "flown_miss", "miss_m"} <= flight.keys()
    assert told["heat_shield_altitude"]["n"] == 3


def test_the_page_tells_and_draws_them(folder: Path, tmp_path: Path) -> None:
    """A lost run and a broken limit, entered by hand, are told with their phase; every figure has its caption."""
    ensemble = open_ensemble(folder)
    data = ensemble.data.copy(deep=True)
    data.outcome.values[1], data["out.last_phase"].values[1] = "crashed", 3.0
    data["out.kept.propellant"].values[2] = 0.0
    page = write_page(replace(ensemble, data=data), tmp_path / "page.html").read_text(encoding="utf-8")
    told = page[page.index("Failures by phase and cause") : page.index("<h2>Accuracy")]
    assert "heat shield off" in told and "crashed" in told and "limit propellant" in told
    for figure in ("landing_ellipse", "miss", "parachute", "timeline", "touchdown"):
        assert CAPTIONS[figure] in page
    assert "published ellipse about the site" in page


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ({"of": "mach", "at": "parachut", "max": 1.0}, "nothing is called 'parachut'"),
        ({"of": "miss", "max": 1.0}, "nothing is called 'miss'"),
    ],
)
def test_a_limit_on_what_there_is_not_is_refused(limit: dict[str, object], said: str) -> None:
    scenario = planetfall.load("msl-edl-dispersed").with_values({"limits": {"one": limit}})
    with pytest.raises(InputError) as refused:
        planetfall.montecarlo(scenario, 2)
    assert said in str(refused.value)

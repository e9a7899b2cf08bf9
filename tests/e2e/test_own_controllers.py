"""Controllers of one's own: one flight, campaigns by a kind and by copies of an object, and what cannot be flown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import planetfall

EXAMPLES = Path(__file__).parents[2] / "examples" / "plugins"


@pytest.fixture(scope="module")
def hover() -> planetfall.Scenario:
    return planetfall.load(EXAMPLES / "hover.toml").with_values({"scenario.duration": 4.0})


def test_a_controller_of_ones_own_holds_its_height(hover: planetfall.Scenario) -> None:
    """h'' = -gain (h - 12) - damping h': critically damped, so that after 8 s 2 m are (1 + 8) exp(-8) of that, 6 mm.

    What it does not know, the propellant that is gone, is worth 8 s of 2.7 N over 500 kg: some centimetres upwards.
    """
    run = planetfall.run(hover.with_values({"scenario.duration": 8.0}))
    assert run.data.position.values[-1, 0, 2] == pytest.approx(12.0, abs=0.05)
    assert run.summary["controller_fault"] is None
    assert "hover" in run.summary["phases"][0].values()


def test_a_campaign_makes_a_controller_for_every_run(hover: planetfall.Scenario, tmp_path: Path) -> None:
    """Of its own keys, too; rows are single runs, and replays, bit for bit."""
    from planetfall.campaign.replay import replay

    spread = {"flight.height": {"distribution": "uniform", "low": 9.0, "high": 14.0}}
    dispersed = hover.with_values({"dispersions": spread})
    rows = planetfall.montecarlo(dispersed, 3, seed=4, out=tmp_path / "c", shard_size=2).data
    heights = rows["in.flight.height"].values
    singles = [planetfall.run(dispersed.with_values({"flight.height": float(h), "dispersions": {}})) for h in heights]
    assert [run.data.position.values[-1, 0, 2] for run in singles] == rows.z_m.values.tolist()
    assert np.ptp(rows.z_m.values) > 0.1
    assert replay(tmp_path / "c", 2).summary["replay"]["equals_its_row"] is True


class Steady:
    """Any object with a method `command` flies; this one has a throttle, and counts its calls."""

    def __init__(self, throttle: float) -> None:
        self.throttle, self.n_calls = throttle, 0

    def command(self, seen: Any) -> Any:
        from planetfall.flight.controller import Command

        self.n_calls += 1
        if self.throttle < 0 and seen.time > 0.5:
            raise RuntimeError("out of ideas")
        return Command(throttles=[abs(self.throttle)])


def own(hover: planetfall.Scenario) -> planetfall.Scenario:
    spread = {"vehicle.mass": {"distribution": "uniform", "low": 450.0, "high": 550.0}}
    return hover.with_values(
        {"flight": {"controller": "own", "rate": 64.0}, "scenario.duration": 1.0, "dispersions": spread}
    )


def test_a_campaign_is_flown_by_copies_of_an_object(hover: planetfall.Scenario, tmp_path: Path) -> None:
    """Each run has the object as it was given; replays and further shards want it again, with the same values."""
    from planetfall.campaign.replay import replay

    scenario, pilot = own(hover), Steady(0.5)
    rows = planetfall.montecarlo(scenario, 3, seed=1, controller=pilot, out=tmp_path / "c", shard_size=2).data
    assert pilot.n_calls == 0
    for i, mass in enumerate(rows["in.vehicle.mass"].values):
        single = scenario.with_values({"vehicle.mass": float(mass), "dispersions": {}})
        assert planetfall.run(single, controller=Steady(0.5)).data.position.values[-1, 0, 2] == rows.z_m.values[i]
    assert replay(tmp_path / "c", 1, controller=pilot).summary["replay"]["equals_its_row"] is True
    with pytest.raises(planetfall.InputError, match=r"is flown by an object of .*Steady, and none was given"):
        replay(tmp_path / "c", 1)
    with pytest.raises(planetfall.InputError, match=r"this .*Steady has other values"):
        planetfall.resume(tmp_path / "c", controller=Steady(0.6))
    assert planetfall.resume(tmp_path / "c", controller=pilot).data.z_m.values.tolist() == rows.z_m.values.tolist()


def test_a_controller_that_raises_ends_its_run_alone(hover: planetfall.Scenario) -> None:
    rows = planetfall.montecarlo(own(hover), 2, controller=Steady(-0.5)).data
    assert rows.outcome.values.tolist() == ["controller_error"] * 2
    assert np.isfinite(rows.z_m.values).all()


@pytest.mark.parametrize(
    ("controller", "sentence"),
    [
        (type("Local", (Steady,), {})(0.5), r"controller: .*Local cannot be sent to workers \(PicklingError"),
        ("hover", r"controller: builtins\.str has no method command\(seen\)"),
        (None, r"flight.controller: 'own' needs a controller; give one: planetfall.montecarlo"),
    ],
)
def test_a_controller_that_cannot_fly_a_campaign(hover: planetfall.Scenario, controller: Any, sentence: str) -> None:
    with pytest.raises(planetfall.InputError, match=sentence):
        planetfall.montecarlo(own(hover), 2, controller=controller)


def test_a_controller_whose_module_a_worker_lacks(hover: planetfall.Scenario) -> None:
    from planetfall.flight.own_controller import PackedController, packed

    content = packed(Steady(0.5)).content.replace(b"test_own_controllers", b"none_own_controllers")
    with pytest.raises(planetfall.InputError, match=r"cannot be loaded here \(ModuleNotFoundError.*on all workers"):
        PackedController("none_own_controllers.Steady", content).unpacked()

"""Flights as sequences of phases, on `moon-descent` and changed forms of it, which share its kernel.

Guidance laws by themselves are in `tests/unit/flight/guidance`, the sky crane in `tests/validation/msl`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.scenario import Scenario

TICK = 1.0 / 16.0
LAG = 0.3
MASS, FULL = 8500.0, 27000.0


def moon(**values: Any) -> Scenario:
    """The scenario with some keys changed, recorded at every tick."""
    keys = {key.replace("__", "."): value for key, value in values.items()}
    return planetfall.load("moon-descent").with_values({"record.interval": TICK, **keys})


@pytest.fixture(scope="module")
def landing() -> Trajectory:
    return planetfall.run(moon(scenario__duration=200.0))


def begins(run: Trajectory) -> dict[str, float]:
    return {phase["name"]: phase["begins_s"] for phase in run.summary["phases"]}


def commanded(run: Trajectory) -> np.ndarray:
    """Commanded force along the thrust axis [frame] [N]; a command is in the state from the step after its tick on."""
    engines = run.scenario.vehicle.engines
    along = np.array([engine.thrust_max * engine.direction[2] for engine in engines])
    return run.data.throttle.values @ along


def test_the_descent_meets_its_gates_and_lands_softly(landing: Trajectory) -> None:
    """Low gate and the place over the site within what lag and radar leave of a polynomial; touchdown below 2.5 m/s.

    The descent engine lags by 0.3 s, in which the approach, at 1.3 m/s^2, misses its speed by 0.4 m/s; the vertical is
    as good as the radar's noise of 0.05 m/s and 0.1 m.
    """
    causes = [(phase["name"], phase["cause"]) for phase in landing.summary["phases"]]
    assert causes == [
        ("approach", "start"), ("landing", "low gate"), ("final descent", "over the site"),
        ("engine off", "probe contact"),
    ]  # fmt: skip
    assert landing.summary["outcome"] == "settled" and landing.summary["waiting_for"] is None
    gate = landing.data.sel(time=100.0, method="nearest")
    assert gate.velocity.values[0] == pytest.approx([16.8, 0.0, -4.9], abs=0.5)
    assert gate.position.values[0] == pytest.approx([-500.0, 0.0, 157.5], abs=2.0)  # the altimeter is 1.5 m lower
    touch = min(time for time in landing.summary["first_touch_s"] if time is not None)
    at = landing.data.sel(time=slice(0.0, touch)).velocity.values[-1, 0]
    assert -2.5 < at[2] < -1.0 and np.hypot(*at[:2]) < 0.2


def test_each_phase_of_flight_closes_its_accounts(landing: Trajectory) -> None:
    """Energy to 1e-12 of the phase's turnover, over a Moon that turns; mass exactly what the thrusts burn.

    RK4 follows lags of 0.05 s in steps of 1/1024 s to (h/lag)^5/120 = 2e-11 of a thrust at each command.
    """
    data, time = landing.data, landing.data.time.values
    balance = data.energy_total.values - data.work_external.values - data.work_damper.values - data.work_friction.values
    starts = list(begins(landing).values())
    for first, last in pairwise(starts):
        inside = (time >= first) & (time <= last)
        turnover = np.ptp(data.work_external.values[inside])
        assert np.ptp(balance[inside]) < 1e-12 * turnover
    isp = np.array([engine.isp for engine in landing.scenario.vehicle.engines])
    burnt = np.trapezoid((data.thrust.values / (isp * 9.80665)).sum(axis=1), time)
    left = landing.summary["propellant_left_kg"]
    assert data.mass.values[-1, 0] == MASS - (1500.0 - left)
    assert 1500.0 - left == pytest.approx(burnt, rel=1e-4)  # the trapezoids of a record every 1/16 s
    assert landing.summary["propellant_gone_s"] is None


def test_a_probe_cuts_the_engine_off_after_its_delay_and_thrust_tails_off(landing: Trajectory) -> None:
    off = begins(landing)["engine off"]
    felt = landing.data.time_probe.values[np.isfinite(landing.data.probe.values)][0]
    assert off == np.ceil(felt / TICK) * TICK + 1.0
    time = landing.data.time.values
    tail = landing.data.thrust.values[:, 0][(time > off) & (time <= off + 1.0)]
    when = time[(time > off) & (time <= off + 1.0)]
    assert tail[8] / tail[0] == pytest.approx(np.exp(-(when[8] - when[0]) / LAG), rel=1e-9)
    assert np.all(landing.data.throttle.values[time > off] == 0.0)


def test_a_hand_over_does_not_jump(landing: Trajectory) -> None:
    """Thrust commanded on both sides of low gate, with the blend of 4 s and without.

    With it the first command of the new phase is the last force of the old one along an axis that has turned by a
    thousandth: within 1 %. Without it the thrust jumps by the difference of the two polynomials.
    """
    straight = planetfall.run(moon(scenario__duration=101.0, flight__phases__1__blend_time=0.0))
    jumps = []
    for run in (landing, straight):
        thrust, time = commanded(run), run.data.time.values
        after = thrust[np.searchsorted(time, 100.0 + TICK)]
        jumps.append(abs(after - thrust[np.searchsorted(time, 100.0)]))
    assert jumps[0] < 0.01 * FULL * 0.7
    assert jumps[1] > 10.0 * jumps[0]


def test_triggers_branch_hold_and_wait() -> None:
    """Height held for 2 s, then 1 s of delay, to a phase by name; the first that fires counts."""
    ends = [
        {"height_below": 2200.0, "hold": 2.0, "delay": 1.0, "to": "engine off", "cause": "low for long"},
        {"after": 30.0, "to": "engine off"},
        {"after": 90.0},
    ]
    run = planetfall.run(moon(scenario__duration=8.0, flight__phases__0__ends=ends))
    last = run.summary["phases"][-1]
    assert (last["name"], last["cause"]) == ("engine off", "low for long")
    height = run.data.altimeter.values * np.cos(np.radians(32.5))
    low = run.data.time_altimeter.values[height <= 2200.0][0]
    assert last["begins_s"] == pytest.approx(low + 3.0, abs=0.5)  # noise and the tilt of the beam move the crossing
    assert run.summary["waiting_for"] is None


def test_a_run_says_what_it_waited_for_in_vain() -> None:
    ends = [{"height_below": 10.0, "speed_below": 3.0}, {"landed": False, "propellant_below": 1.0, "to": "engine off"}]
    run = planetfall.run(moon(scenario__duration=2.0, flight__phases__0__ends=ends))
    said = run.summary["waiting_for"]
    assert "in the phase 'approach'" in said and "height_below = 10.0 and speed_below = 3.0" in said
    assert "propellant_below = 1.0" in said and "scenario.duration" in said
    assert run.summary["outcome"] == "timed_out"


def test_propellant_that_is_gone_is_told() -> None:
    run = planetfall.run(
        moon(
            scenario__duration=6.0, vehicle__propellant__mass=10.0,
            flight__phases__0__ends=[{"after": 100.0}], flight__phases__1__ends=[{"after": 100.0}],
            flight__phases__2__ends=[{"after": 100.0}],
        )
    )  # fmt: skip
    assert run.summary["propellant_left_kg"] == 0.0
    assert 1.0 < run.summary["propellant_gone_s"] < 2.0  # 22 kN at Isp 311 s burn 7.3 kg/s
    assert run.data.thrust.values[-1].max() == 0.0


def test_a_campaign_has_the_bits_of_single_runs() -> None:
    """Numbers of phases differ from run to run, in one kernel; without noise, of which each run has its own."""
    quiet = moon(scenario__duration=1.0, sensors__1__noise=0.0, sensors__2__noise=0.0)
    scenario = quiet.with_values(
        {"dispersions": {"flight.phases.0.guidance.target.0": {"distribution": "uniform", "low": -900, "high": -300}}}
    )
    data = planetfall.montecarlo(scenario, 3, 5).data
    for run in range(3):
        key = "flight.phases.0.guidance.target.0"
        alone = planetfall.run(quiet.with_values({key: float(data[f"in.{key}"][run])}))
        assert alone.data.position.values[-1, 0].tolist() == [float(data[f"{axis}_m"][run]) for axis in "xyz"]


BAD = {
    "flight.phases.1.ends.0.to": ("engine of", "no phase is called 'engine of'; there are approach, landing"),
    "flight.phases.2.ends": ([], "no trigger leads to 'engine off'"),
    "flight.phases.0.ends": ([{"to": "landing"}], "the trigger has no condition"),
    "flight.phases.3.ends": ([{"after": 1.0}], "no phase follows 'engine off'"),
    "flight.phases.0.guidance.law": ("polynomal", "polynomial"),
    "flight.phases.2.name": ("landing", "'landing' is taken"),
    "flight.altimeter": ("altimetre", "no altimeter is called 'altimetre'"),
}


@pytest.mark.parametrize("key", BAD)
def test_what_leads_nowhere_is_refused(key: str) -> None:
    value, words = BAD[key]
    values = {key: value}
    if key == "flight.phases.2.ends":  # the other two lead there on empty tanks
        values |= {f"flight.phases.{i}.ends": [{"after": 1.0}] for i in range(2)}
    with pytest.raises(planetfall.InputError, match=words):
        moon().with_values(values)


BAD_NAMES = {
    "flight.phases.0.engines": (["desent"], "no engine is called 'desent'.*did you mean descent"),
    "flight.engines": (["descent"], "cannot give a force along the body's z axis and every moment"),
    "flight.phases.0.cut": (["rope"], "no tether is called 'rope'; there are none"),
    "flight.phases.2.ends.0.acquired": ("prob", "no altimeter or velocimeter is called 'prob'.*did you mean probe"),
    "flight.phases.2.ends.0.landed": (True, "nothing declares a landing; add a"),
}


@pytest.mark.parametrize("key", BAD_NAMES)
def test_names_that_are_not_there_are_refused(key: str) -> None:
    value, words = BAD_NAMES[key]
    with pytest.raises(planetfall.InputError, match=words):
        planetfall.run(moon().with_values({key: value}))

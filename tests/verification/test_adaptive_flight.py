"""Controllers, sensors, engines and tanks with the adaptive method: ticks are ends of steps, flame-out is located."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.engine.build import build
from planetfall.engine.run import run_batch
from planetfall.flight.controller import Command, Seen
from planetfall.vehicle.engines import STANDARD_GRAVITY
from support.flown import ENGINE, Scripted, engine, flown, steady

TOLERANCE = 1e-9
ADAPTIVE = {"method": "adaptive", "tolerance": TOLERANCE}
IMU = {"kind": "imu", "name": "imu", "rate": 100.0, "accelerometer_noise": 1e-3}
MASS, THRUST, LAG = 1000.0, ENGINE["thrust_max"], ENGINE["lag"]
EXHAUST = ENGINE["isp"] * STANDARD_GRAVITY  # speed [m/s]


def ship(engines: list[dict[str, Any]] | None = None, **tables: Any) -> planetfall.Scenario:
    """The vehicle of `flown` with an IMU that is not in step with the controller."""
    return flown(engines or [engine()], **{"sensors": [IMU], "integrator": ADAPTIVE, **tables})


def test_it_is_called_at_its_ticks_with_what_was_read_until_then() -> None:
    """At k/64 s to the bit, with the last sample of k/100 s at or before."""
    seen: list[Seen] = []

    def rule(now: Seen) -> Command:
        seen.append(now)
        return Command(throttles=[0.5], phase="late" if now.time > 0.5 else "go", cause="time")

    run = planetfall.run(ship(), controller=Scripted(rule))
    assert [now.time for now in seen] == [k / 64.0 for k in range(64)]
    taken = run.data["imu_specific_force"].values[:, 2]
    times = run.data["time_imu"].values
    assert np.abs(times - np.arange(len(times)) / 100.0).max() < 1e-15
    for now in seen:
        last = np.flatnonzero(times <= now.time * (1 + 1e-12))[-1]
        assert now.sensors["imu"][2] == taken[last]
    assert [change["begins_s"] for change in run.summary["phases"]] == [0.0, 33 / 64.0]


def test_commands_act_at_the_tick() -> None:
    """Thrust follows what is held with the engine's lag; what is burnt is its integral, in closed form tick by tick."""
    shares = np.random.default_rng(3).uniform(0.1, 1.0, 64)
    run = planetfall.run(ship(), controller=Scripted(lambda seen: Command(throttles=[shares[round(seen.time * 64)]])))
    thrust, impulse, decay = 0.0, 0.0, np.exp(-1.0 / 64.0 / LAG)
    for share in shares:
        goal = share * THRUST
        impulse += goal / 64.0 + (thrust - goal) * LAG * (1.0 - decay)
        thrust = goal + (thrust - goal) * decay
    burnt = impulse / EXHAUST
    end = run.data.isel(time=-1)
    assert MASS - end.mass.values[0] == pytest.approx(burnt, rel=1e-8)
    assert end.velocity.values[0, 2] == pytest.approx(-EXHAUST * np.log(1.0 - burnt / MASS), rel=1e-8)
    assert run.summary["energy_closure_J"] < 1e-7 * MASS


def test_a_tank_runs_empty_at_its_instant() -> None:
    """At full thrust from the start, 0.6 kg are gone after 0.6/flow s; then nothing is left of the thrust.

    The speed is Tsiolkovsky's, and stays; with a fixed step it is late by up to a step.
    """
    tank = 0.6
    scenario = flown([engine(thrust=THRUST)], propellant={"mass": tank}, sensors=[IMU], integrator=ADAPTIVE)
    run = planetfall.run(scenario, controller=steady(1.0))
    instant = tank * EXHAUST / THRUST
    assert 0.3 < instant < 0.5
    data, t = run.data, run.data.time.values
    speed = data.velocity.values[:, 0, 2]
    after = t > instant + 1e-9
    assert speed[after] == pytest.approx(-EXHAUST * np.log(1.0 - tank / MASS), rel=1e-8)
    assert np.ptp(speed[after]) == 0.0
    assert np.all(MASS - data.mass.values[after, 0] == pytest.approx(tank, rel=1e-9))


def test_an_engine_fails_at_its_instant() -> None:
    """Not at the nearest tick or step: thrust decays from there on with its lag."""
    fails = 0.40123
    run = planetfall.run(ship([engine(thrust=THRUST, fail_time=fails)]), controller=steady(1.0))
    impulse = THRUST * (fails + LAG * (1.0 - np.exp(-(1.0 - fails) / LAG)))
    assert MASS - run.data.mass.values[-1, 0] == pytest.approx(impulse / EXHAUST, rel=1e-8)


def test_neither_chunks_nor_neighbours_show() -> None:
    """A Python controller that answers to noisy readings, called for a whole batch on the host."""

    def rule(seen: Seen) -> Command:
        return Command(throttles=[float(np.clip(0.5 + seen.sensors["imu"][2], 0.0, 1.0))])

    model = build(ship(scenario={"name": "test", "duration": 0.2}), is_recorded=False)
    starts = np.repeat(model.initial_state[None], 3, axis=0)
    batch = run_batch(model, starts, controller=Scripted(rule), threads=2)
    again = run_batch(model, starts, controller=Scripted(rule), chunk_steps=1)
    assert np.array_equal(batch.state, again.state) and np.array_equal(batch.steps, again.steps)
    assert len(np.unique(batch.state[:, 5])) == 3  # each has a noise of its own
    for i in range(3):
        alone = run_batch(model, starts[:1], run_indices=np.array([i]), controller=Scripted(rule))
        assert np.array_equal(batch.state[i], alone.state[0])


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda seen: Command(throttles=[np.nan if seen.time > 0.3 else 0.5]), "commanded at 0.3125 s, nan"),
        (lambda seen: None if seen.time > 0.3 else Command(throttles=[0.5]), "returned NoneType at 0.3125 s"),
    ],
)
def test_a_bad_command_ends_the_run_at_its_tick(rule: Any, words: str) -> None:
    run = planetfall.run(ship(), controller=Scripted(rule))
    assert run.summary["outcome"] == "controller_error" and words in run.summary["controller_fault"]
    assert run.summary["end_s"] == 0.3125


def test_both_methods_fly_alike_as_the_step_goes_to_zero() -> None:
    """RK4's commands act one step late: half the step, half the difference, to a tenth of it."""

    def rule(seen: Seen) -> Command:
        return Command(throttles=[0.5 + 0.4 * np.sin(20.0 * seen.time)])

    def end(integrator: dict[str, Any]) -> float:
        return float(planetfall.run(ship(integrator=integrator), controller=Scripted(rule)).data.position[-1, 0, 2])

    exact = end(ADAPTIVE)
    late = [end({"method": "rk4", "step": 1.0 / n}) - exact for n in (1024, 2048)]
    assert late[1] / late[0] == pytest.approx(0.5, rel=0.1)
    assert abs(late[0]) < THRUST / MASS / 1024.0


@pytest.fixture(scope="module")
def sky_crane() -> planetfall.Trajectory:
    scenario = planetfall.load("msl-skycrane")
    return planetfall.run(scenario.with_values({"integrator": {"method": "adaptive", "tolerance": 1e-8}}))


@pytest.mark.slow
def test_the_sky_crane_whole_is_that_of_rk4_within_its_own_error(sky_crane: planetfall.Trajectory) -> None:
    """Descent, separation, bridles, touchdown, detection, cut, flyaway, crash of the stage.

    RK4 at half the step differs from RK4 by its own error; the adaptive run lies within twice that of the finer one,
    and phases change at the same ticks.
    """
    scenario = planetfall.load("msl-skycrane")
    coarse = planetfall.run(scenario)
    fine = planetfall.run(scenario.with_values({"integrator.step": 1.0 / 8192.0}))
    ticks = [[(c["name"], c["begins_s"]) for c in run.summary["phases"]] for run in (sky_crane, fine)]
    assert ticks[0] == ticks[1] and len(ticks[0]) == 9
    for name in ("position", "velocity"):
        ends = [run.data[name].values[-1] for run in (sky_crane, coarse, fine)]
        error = np.linalg.norm(ends[1] - ends[2], axis=1)
        assert np.all(np.linalg.norm(ends[0] - ends[2], axis=1) <= 2.0 * error)
    peaks = [np.array(run.summary["peak_normal_force_N"][:4]) for run in (sky_crane, fine)]
    assert peaks[0] == pytest.approx(peaks[1], rel=2e-3)
    assert sky_crane.summary["energy_closure_J"] < 0.01  # of 2e6 J that the stage has when it hits
    assert sky_crane.summary["steps"] < 10_000


@pytest.mark.slow
def test_sky_cranes_of_a_batch_have_the_bits_that_they_have_alone(sky_crane: planetfall.Trajectory) -> None:
    model = build(sky_crane.scenario, is_recorded=False)
    starts = np.repeat(model.initial_state[None], 3, axis=0)
    batch = run_batch(model, starts)
    alone = run_batch(model, starts[:1], run_indices=np.array([2]), chunk_steps=500)
    assert np.array_equal(batch.state[2], alone.state[0])
    end = sky_crane.data.isel(time=-1)
    assert np.array_equal(batch.state[0].reshape(2, 13)[:, :3], end.position.values)

"""Controllers in the loop: when they are asked, what they see, how their commands act, and how a bad one ends a run."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

import planetfall
from planetfall.engine.build import build
from planetfall.engine.run import run_batch
from planetfall.flight.controller import Command, Seen
from support.flown import Scripted, engine, flown, steady
from support.tethered import body, line, tethered

STEP = 1.0 / 1024.0


def test_asked_at_its_rate_with_what_was_read_then() -> None:
    """Calls at k/64 s; the readings are those of the same instant; the throttle shown is the one commanded last."""
    seen: list[Seen] = []

    def rule(now: Seen) -> Command:
        seen.append(now)
        return Command(throttles=[0.5], phase="coast" if now.time > 0.5 else "go", cause="time")

    scenario = flown([engine()], sensors=[{"kind": "imu", "name": "imu", "rate": 64.0}])
    run = planetfall.run(scenario, controller=Scripted(rule))
    assert [now.time for now in seen] == [k / 64.0 for k in range(64)]
    assert seen[0].throttles[0] == 0.0 and seen[1].throttles[0] == 0.5
    force = run.data["imu_specific_force"].values[:, 2]
    assert [now.sensors["imu"][2] for now in seen] == force[:64].tolist()
    assert not seen[-1].landed and seen[-1].engine_works.tolist() == [True]
    assert [(c["begins_s"], c["name"], c["cause"]) for c in run.summary["phases"]] == [
        (0.0, "go", "time"), (33 / 64.0, "coast", "time"),
    ]  # fmt: skip


@pytest.mark.parametrize("chunk_steps", [1, 7, None])
def test_chunks_do_not_show(chunk_steps: int | None) -> None:
    scenario = flown([engine()], scenario={"name": "test", "duration": 0.2})
    model = build(scenario, is_recorded=False)
    ends = [
        run_batch(model, model.initial_state[None], chunk_steps=n, controller=steady(0.7)).state[0]
        for n in (chunk_steps, 16)
    ]
    assert np.array_equal(*ends)


def test_every_run_of_a_batch_has_a_controller_of_its_own() -> None:
    class Counting:
        def __init__(self) -> None:
            self.calls = 0

        def command(self, seen: Seen) -> Command:
            self.calls += 1
            return Command(throttles=[0.001 * self.calls])

    model = build(flown([engine()], scenario={"name": "test", "duration": 0.2}), is_recorded=False)
    states = np.repeat(model.initial_state[None], 3, axis=0)
    end = run_batch(model, states, controller=Counting(), threads=2)
    alone = run_batch(model, states[:1], controller=Counting())
    assert np.array_equal(end.state, np.repeat(alone.state, 3, axis=0))


class NamedError(Exception):
    pass


def raising(seen: Seen) -> Command:
    if seen.time > 0.3:
        raise NamedError("no fix")
    return Command(throttles=[0.5])


BAD = {
    "raises": (raising, "raised NamedError at 0.3125 s: no fix"),
    "nan": (lambda seen: Command(throttles=[np.nan]), "main commanded at 0 s, nan, is not finite"),
    "too large": (lambda seen: Command(throttles=[1.2]), "1.2, is out of range; allowed: 0, or 0.1 to 1"),
    "too small": (lambda seen: Command(throttles=[0.05]), "0.05, is out of range"),
    "negative": (lambda seen: Command(throttles=[-0.5]), "-0.5, is out of range"),
    "too many": (lambda seen: Command(throttles=[0.5, 0.5]), "gave 2 throttles at 0 s for 1 engines"),
    "words": (lambda seen: Command(throttles=cast("Any", ["half"])), "are not numbers"),
    "nothing": (lambda seen: None, "returned NoneType at 0 s, not a Command"),
    "no such tether": (lambda seen: Command(throttles=[0.5], cut=("rope",)), "named the tether 'rope'"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_command_ends_the_run_and_is_named(kind: str) -> None:
    rule, words = BAD[kind]
    run = planetfall.run(flown([engine(thrust_min=300.0)]), controller=Scripted(rule))
    assert run.summary["outcome"] == "controller_error"
    assert words in run.summary["controller_fault"]
    assert run.events[-1].kind == "controller_error"
    assert run.summary["end_s"] == pytest.approx((0.3125 if kind == "raises" else 0.0) + STEP)


def test_a_bad_run_of_a_batch_leaves_the_others_alone() -> None:
    class Moody:
        """Fails in the run that starts higher, which the altimeter shows."""

        def command(self, seen: Seen) -> Command:
            return Command(throttles=[np.nan if seen.sensors["low"][0] > 15.0 else 0.5])

    sensor = {"kind": "altimeter", "name": "low", "rate": 64.0, "range_max": 100.0}
    scenario = flown([engine()], sensors=[sensor], terrain={"model": "plane"}, scenario={"name": "t", "duration": 0.2})
    model = build(scenario, is_recorded=False)
    states = np.repeat(model.initial_state[None], 2, axis=0)
    states[:, 2] = [20.0, 10.0]
    end = run_batch(model, states, controller=Moody())
    assert [planetfall.Outcome(code).name for code in end.status] == ["controller_error", "timed_out"]
    assert end.faults[1] is None and "is not finite" in end.faults[0]


def test_a_step_that_does_not_divide_the_tick_is_refused_with_one_that_does() -> None:
    with pytest.raises(planetfall.InputError, match=r"0.001 s does not divide .* integrator.step = 0.0009765625"):
        build(flown([engine()], integrator={"method": "rk4", "step": 0.001}))


def test_a_controller_needs_a_flight_and_a_flight_a_controller() -> None:
    with pytest.raises(planetfall.InputError, match="needs a controller"):
        planetfall.run(flown([engine()]))
    with pytest.raises(planetfall.InputError, match=r"no \[flight\]"):
        planetfall.run(planetfall.load("msl-drop"), controller=steady(0.5))


def hover(rate: float) -> Any:
    """Falls at 1 m/s and brakes to rest by its radar; the end state."""

    def rule(seen: Seen) -> Command:
        error = seen.sensors["radar"][0]
        return Command(throttles=[float(np.clip(0.5 - 1.5 * error, 0.0, 1.0))])

    radar = {
        "kind": "velocimeter", "name": "radar", "rate": rate, "beams": [[0.0, 0.0, -1.0]], "range_max": 1e3,
        "signal": "doppler",
    }  # fmt: skip
    scenario = flown(
        [engine(thrust=1500.0)], sensors=[radar], terrain={"model": "plane"},
        initial={"position": [0.0, 0.0, 50.0], "velocity": [0.0, 0.0, -1.0]},
        gravity={"model": "uniform", "acceleration": 1.5}, flight={"controller": "own", "rate": rate},
    )  # fmt: skip
    return planetfall.run(scenario, controller=Scripted(rule)).data.position.values[-1, 0, 2]


def test_changing_the_rate_changes_results_smoothly() -> None:
    """A held command is late by half a tick in the mean, so that results go linearly to their limit with the tick."""
    z = [hover(rate) for rate in (32.0, 64.0, 128.0, 256.0)]
    steps = np.abs(np.diff(z))
    assert steps[0] < 0.05
    assert steps[1:] / steps[:-1] == pytest.approx([0.5, 0.5], abs=0.12)


def test_a_held_reel_waits_for_its_release_and_a_line_for_its_cut() -> None:
    """Released at 1/16 s, cut at 3/16 s, both while taut, each from the end of the next step; the energy closes."""

    def rule(seen: Seen) -> Command:
        out = ("line",) if seen.time >= 0.0625 else ()
        return Command(throttles=[], release=out, cut=("line",) if seen.time >= 0.1875 else ())

    brake = {"brake_drag": 50.0, "full_length": 5.0, "taper_length": 1.0, "held": True}
    pair = tethered(
        (body("low", 2.0), {"velocity": [-1.0, 0.0, 0.0]}),
        (body("high", 3.0), {"position": [1.1, 0.0, 0.0]}),
        [line(length=1.0, stiffness=100.0, damping=5.0, **brake)],
        scenario={"name": "test", "duration": 0.5},
        flight={"controller": "own", "rate": 64.0},
        integrator={"method": "rk4", "step": STEP},
        record={"interval": STEP},
    )
    run = planetfall.run(pair, controller=Scripted(rule))
    data, time = run.data, run.data.time.values
    rest, tension = data.tether_rest_length.values[:, 0], data.tether_tension.values[:, 0]
    assert np.all(rest[time <= 0.0625 + STEP] == 1.0)
    assert rest[-1] > 1.005
    assert tension[time < 0.1875 + STEP][-1] > 1.0
    assert np.all(tension[time >= 0.1875 + STEP] == 0.0)
    assert data.tether_cut.values[:, 0].tolist() == (time >= 0.1875 + STEP).tolist()
    assert run.summary["energy_closure_J"] < 1e-6 * run.summary["energy_start_J"]

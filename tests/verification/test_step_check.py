"""A run that is checked: the difference is that of the method's order, and all but the step is the same."""

from __future__ import annotations

import numpy as np
import pytest

import planetfall
from planetfall import simulate
from planetfall.analysis.accuracy.finer import finer_run
from planetfall.engine.launch.run_in_progress import Repeated
from planetfall.flight.controller import Command, Seen
from support.block_scene import block
from support.flown import engine, flown
from support.sensed_block import ALTIMETER, IMU, sensed_block
from support.watchers import ChangesAt, Looks

GRAVITY, SINK, RATIO, DEPTH = 3.7132, 0.01, 0.1, 1e-3


def sinking_speed(time: float) -> float:
    """Of a block that is let go at a depth in the ground: z'' = -g - (g/h_eq) z - 2 d sqrt(g/h_eq) z'."""
    omega = np.sqrt(GRAVITY / SINK)
    turning = omega * np.sqrt(1.0 - RATIO**2)
    return (SINK - DEPTH) * omega**2 / turning * np.exp(-RATIO * omega * time) * np.sin(turning * time)


def test_the_difference_is_that_of_the_order() -> None:
    """In contact throughout RK4 has order 4: the error is 16/15 of the difference to half the step, less terms of h^5.

    The spring turns by h omega = 0.077 a step, so those terms are some 8 % of it.
    """
    step, time = 4e-3, 0.1
    scenario = planetfall.load("sink-flat").with_values(
        {
            "initial.height": 0.2 - DEPTH, "scenario.duration": time, "contact.damping_ratio": RATIO,
            "integrator": {"method": "rk4", "step": step},
        }
    )  # fmt: skip
    summary = planetfall.run(scenario, check=True).summary
    error = summary["final_speed_m_s"] - sinking_speed(time)
    pair = summary["check"]["differences"]["final_speed_m_s"]
    assert abs(error) > 1e-9
    assert error / (pair["value"] - pair["finer"]) == pytest.approx(16.0 / 15.0, rel=0.08)
    assert summary["check"]["step_s"] == {"value": step, "finer": step / 2}


@pytest.mark.parametrize("method", ["rk4", "adaptive"])
def test_a_check_is_two_runs(method: str) -> None:
    """The run is that without a check, bit by bit; the finer one that of the finer scenario."""
    scenario = block(method)
    checked, plain = planetfall.run(scenario, check=True), planetfall.run(scenario)
    finer = planetfall.run(scenario.with_values(finer_run(scenario).values))
    check = checked.summary.pop("check")
    assert checked.summary == plain.summary
    assert checked.data.identical(plain.data)
    assert check["outcome"] == {"value": plain.summary["outcome"], "finer": finer.summary["outcome"]}
    for key, pair in check["differences"].items():
        assert (pair["value"], pair["finer"]) == (plain.summary[key], finer.summary[key])


def test_sensors_keep_their_instants_and_their_noise() -> None:
    """Before touchdown a fall is exact in RK4: two runs read the same, noise and all, to rounding of metres."""
    noisy = {**ALTIMETER, "noise": 0.1}
    scenario = sensed_block("rk4", [noisy, IMU], scenario__duration=0.25)
    run, finer = planetfall.run(scenario), planetfall.run(scenario.with_values(finer_run(scenario).values))
    assert len(run.data.time_altimeter) == 26
    np.testing.assert_allclose(finer.data.time_altimeter, run.data.time_altimeter, rtol=0, atol=1e-12)
    np.testing.assert_allclose(finer.data.altimeter, run.data.altimeter, rtol=0, atol=1e-12)
    assert np.std(np.diff(run.data.altimeter, 2, axis=0)) > 0.05


def test_a_controller_is_asked_at_the_same_instants_and_forgets_the_first_flight() -> None:
    calls: list[list[float]] = []

    class Counts:
        """Throttles up with every call that it remembers."""

        def __init__(self) -> None:
            self.times: list[float] = []

        def command(self, seen: Seen) -> Command:
            if not self.times:
                calls.append(self.times)
            self.times.append(seen.time)
            return Command(throttles=[min(1.0, 0.1 + 0.01 * len(self.times))])

    run = planetfall.run(flown([engine()]), controller=Counts(), check=True)
    assert calls[0] == calls[1] == [k / 64.0 for k in range(64)]
    assert run.summary["check"]["not_converged"] == {}


def test_changes_are_made_again_at_the_same_instants() -> None:
    scenario = block("rk4")
    changed = planetfall.run(scenario, watcher=ChangesAt(0.6, {"contact.damping_ratio": 0.3}))
    changes = simulate.run(scenario, watcher=Repeated(_changes(changed)), check=True).summary
    found = changes.pop("check")
    assert changes == changed.summary
    assert found["not_converged"] == {}
    assert found["events"]["changed contact.damping_ratio"]["time_difference_s"] == 0.0


def _changes(run: planetfall.Trajectory) -> list[planetfall.engine.state.result.ParameterChange]:
    from planetfall.engine.state.result import ParameterChange

    return [
        ParameterChange(c["time_s"], c["step"], c["key"], c["from"], c["to"], c["energy_J"])
        for c in run.summary["changes"]
    ]


def test_what_somebody_watches_is_not_repeated() -> None:
    with pytest.raises(planetfall.InputError, match="somebody watches"):
        planetfall.run(block("rk4"), watcher=Looks(), check=True)


def test_a_check_that_fails_does_not_cost_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second of two runs meets an error that nobody foresaw."""
    made, run_recorded = [], simulate.run_recorded

    def fails_twice(*args: object, **options: object) -> object:
        made.append(args)
        if len(made) == 2:
            raise MemoryError("no room")
        return run_recorded(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(simulate, "run_recorded", fails_twice)
    run = planetfall.run(block("rk4"), check=True)
    assert len(made) == 2
    assert run.summary["rest_s"] == planetfall.run(block("rk4")).summary["rest_s"]
    assert "no room" in run.summary["check"]["failed"]


PRINTED = (
    "end_s", "rest_s", "final_speed_m_s", "slide_distance_m", "slide_after_last_bounce_m", "max_penetration_m",
    "first_touch_s", "peak_normal_force_N", "final_normal_force_N",
)  # fmt: skip


@pytest.mark.parametrize("name", ["msl-drop", "morpheus-drop-legs", "msl-gale-drop", "sensed-landing", "slope-slide"])
def test_what_built_in_scenarios_print_is_true(name: str) -> None:
    """Three digits: no number moves by more than a unit of the third at half the step, and no count at all.

    Apexes after bounces, which nothing prints, are what `morpheus-drop-legs` was worst in: 0.3 to 2.8 % at 0.5 ms.
    """
    scenario = planetfall.load(name)
    run = planetfall.run(scenario, check=True)
    check = run.summary["check"]
    assert check["not_converged"] == {}
    for key in [key for key in PRINTED if run.summary[key] is not None]:
        pair = check["differences"][key]
        value = np.atleast_1d(np.array(pair["value"], dtype=float))
        apart = np.atleast_1d(np.array(pair["difference"], dtype=float))
        known = np.abs(value) > 1e-5 * check["scales"][next(u for u in ("m_s", "N", "m", "s") if key.endswith(f"_{u}"))]
        unit = 10.0 ** (np.floor(np.log10(np.abs(value[known]))) - 2)
        assert np.all(apart[known] <= unit), key
    assert check["position"]["largest_m"] < 2.5e-3 * check["scales"]["m"]

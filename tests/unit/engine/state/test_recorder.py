"""What a recorded run keeps: frames on the record's instants, the ends, events in order, and how a run may end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

import planetfall
from planetfall.engine import run as engine_run
from planetfall.engine.build import build
from planetfall.engine.run import MAX_EVENTS, run_batch, run_recorded
from planetfall.outcome import Outcome
from support.block_scene import METHODS, block, block_model

BOTH = pytest.mark.parametrize("method", list(METHODS))
UNSTABLE = {"integrator.step": 0.5, "integrator.accept_step": True}


def recorded(method: str, **values: Any) -> Any:
    return run_recorded(build(block(method, **values)))


@BOTH
@pytest.mark.parametrize("interval", [0.01, 0.02, 0.1, 0.3])
def test_frames_fall_on_the_record(method: str, interval: float) -> None:
    """Every multiple of the interval has a frame, the first and the last instant too."""
    times = recorded(method, record__interval=interval).frames.time
    wanted = np.append(np.arange(int(1.0 / interval + 1e-9) + 1) * interval, 1.0)
    distance = np.abs(times[:, None] - wanted[None, :]).min(axis=0)
    assert distance.max() < 1e-9
    assert np.all(np.diff(times) > 0)


@BOTH
@pytest.mark.parametrize("duration", [0.7, 0.7005, 1e-5])
def test_runs_end_on_their_duration(method: str, duration: float) -> None:
    """Also where it is no multiple of the step, or shorter than one."""
    run = recorded(method, scenario__duration=duration)
    assert run.end.time[0] == duration
    assert run.frames.time[-1] == duration
    np.testing.assert_array_equal(run.frames.state[-1, :13], run.end.state[0])


@BOTH
def test_a_record_longer_than_the_run_keeps_the_ends_and_the_peaks(method: str) -> None:
    run = recorded(method, record__interval=1e6)
    assert len(run.frames.time) <= 2 + 4
    assert run.frames.time[0] == 0.0
    assert run.frames.time[-1] == 1.0
    np.testing.assert_array_equal(run.observed.normal_force.max(axis=0), run.end.peak[0])


@BOTH
def test_events_are_in_order_and_tell_the_story(method: str) -> None:
    run = recorded(method, scenario__duration=4.0)
    times = [event.time for event in run.events]
    assert times == sorted(times)
    assert [event.kind for event in run.events][-1] == "time_out"
    for point in range(4):
        kinds = [event.kind for event in run.events if event.point == point]
        assert kinds[0] == "touch"
        assert set(kinds[0::2]) == {"touch"}
        assert set(kinds[1::2]) <= {"lift_off"}
        assert kinds.count("touch") == run.end.touches[0, point]
        first = next(event.time for event in run.events if event.point == point)
        assert first == run.end.first_touch[0, point]
    rest = [event.time for event in run.events if event.kind == "rest"]
    assert rest[-1] == run.end.rest[0]
    assert Outcome(int(run.end.status[0])) is Outcome.settled


@BOTH
def test_stop_at_rest(method: str) -> None:
    run = recorded(method, scenario__duration=100.0, outcome__stop_at_rest=True, outcome__rest_hold=0.5)
    assert Outcome(int(run.end.status[0])) is Outcome.settled
    assert run.end.rest[0] + 0.5 <= run.end.time[0] < 10.0


@BOTH
def test_starting_in_the_ground_is_a_touch_at_time_zero(method: str) -> None:
    run = recorded(method, terrain__slope_deg=0.0, initial__height=0.15)
    np.testing.assert_array_equal(run.end.first_touch, 0.0)
    assert run.observed.gap[0].max() < 0


@BOTH
def test_leaving_the_map_ends_the_run(method: str) -> None:
    run = recorded(method, terrain__radius=1.0, initial__velocity=[4.0, 0.0, 1.0])
    assert Outcome(int(run.end.status[0])) is Outcome.off_map
    assert run.events[-1].kind == "off_map"
    assert run.end.time[0] < 1.0


@BOTH
def test_overturned(method: str) -> None:
    upside_down = [1.0, 0.0, 0.0, 0.0]
    values = {"terrain__slope_deg": 0.0, "initial__attitude": upside_down, "initial__height": 0.15}
    run = recorded(method, scenario__duration=0.5, **values)
    assert Outcome(int(run.end.status[0])) is Outcome.overturned
    # upside down from the start, it has overturned when it touches the ground, seen at the end of that step
    assert "overturn" in [event.kind for event in run.events]
    touch = float(np.nanmin(run.end.first_touch[0]))
    assert touch <= run.end.overturn[0] <= touch + 2e-3


def test_diverging_is_an_outcome() -> None:
    model = build(planetfall.load("msl-drop").with_values({**UNSTABLE, "contact.clamp": False}))
    run = run_recorded(model)
    assert Outcome(int(run.end.status[0])) is Outcome.diverged
    assert run.events[-1].kind == "diverged"


def test_too_large_a_record_is_refused_with_the_interval_to_use() -> None:
    model = build(block("adaptive", scenario__duration=1e6, record__interval=1e-6))
    with pytest.raises(planetfall.InputError, match=r"record\.interval.*GiB.*at least"):
        run_recorded(model)


def test_states_that_are_not_finite_are_refused() -> None:
    model = block_model("rk4")
    states = np.tile(model.initial_state, (3, 1))
    states[1, 4] = np.nan
    with pytest.raises(planetfall.InputError, match="run 1 has a state that is not finite"):
        run_batch(model, states)


@BOTH
def test_a_batch_that_is_recorded_does_not_fill_up_with_events(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events that nobody reads are forgotten after every launch, which ends when there is no room for more."""
    monkeypatch.setattr("planetfall.engine.run.MAX_EVENTS", 4)
    kept, fleeting = block_model(method, is_recorded=True), block_model(method)
    counts: list[int] = []
    machines = []
    made = engine_run.make_machine
    monkeypatch.setattr(engine_run, "make_machine", lambda *given: machines.append(made(*given)) or machines[-1])
    found = run_batch(
        kept, np.tile(kept.initial_state, (3, 1)),
        progress=lambda part: counts.append(int(machines[0].record.event_count.numpy().max())),
    )  # fmt: skip
    np.testing.assert_array_equal(found.state, run_batch(fleeting, np.tile(fleeting.initial_state, (3, 1))).state)
    assert len(counts) > 1
    assert max(counts) == 0


def test_progress_rises_to_one() -> None:
    seen: list[float] = []
    run_recorded(block_model("rk4", is_recorded=True), chunk_steps=100, progress=seen.append)
    assert len(seen) > 3
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_touch_time_lies_within_the_step_that_found_it() -> None:
    """Feet that graze: on a circle of radius 0.54 m at 3 rad/s, half a micrometre deep, without gravity.

    A fixed step finds them in the ground at any phase, also where they hardly move along the normal any more; the
    touch lies within the step before, whatever that velocity says. The adaptive method locates it.
    """
    values = {
        "gravity.model": "none", "contact.reference_gravity": 3.7, "scenario.duration": 1.2,
        "terrain.slope_deg": 0.0, "initial": {"position": [0.0, 0.0, 1.0]},
    }  # fmt: skip
    step = 1e-3
    fixed = build(block("rk4").with_values({**values, "integrator.step": step}), is_recorded=False)
    located = build(block("adaptive").with_values(values), is_recorded=False)
    states = np.tile(fixed.initial_state, (2000, 1))
    states[:, 2] = np.hypot(0.5, 0.2) - 5e-7
    states[:, 11] = np.linspace(3.0, 3.02, 2000)
    early = run_batch(located, states).first_touch - run_batch(fixed, states).first_touch
    assert np.isfinite(early).any()
    assert np.nanmax(early) < step


def test_a_point_off_the_map_ends_the_run() -> None:
    """The map is left when a foot leaves it, not when the centre of mass does: at once, on a disc of half a metre."""
    run = recorded("rk4", terrain__slope_deg=0.0, terrain__radius=0.5)
    assert Outcome(int(run.end.status[0])) is Outcome.off_map
    assert run.end.time[0] == 0.0


@BOTH
def test_events_are_where_the_vehicle_was(method: str) -> None:
    """Position and time of an event belong together.

    Between steps both are carried back along the velocity, for at most a step: half of 3.7 m/s^2 (20 m/s^2 in contact)
    times the square of 10 ms, the longest step before the first touch, or of 2 ms, is below half a millimetre.
    """
    run = recorded(method, scenario__duration=4.0, record__interval=2e-3, terrain__slope_deg=15.0)
    path = CubicHermiteSpline(run.frames.time, run.frames.state[:, :3], run.frames.state[:, 3:6])
    assert {"touch", "lift_off", "fast", "slow", "rest", "time_out"} == {event.kind for event in run.events}
    for event in run.events:
        assert np.linalg.norm(path(event.time) - event.position) < 5e-4, event


@BOTH
@pytest.mark.parametrize("chunk", [None, 10**9])
def test_no_event_is_lost_however_many_there_are(method: str, chunk: int | None) -> None:
    """A block that bounces for ten minutes without loss: more events than fit between two read-outs."""
    step = {"integrator__step": 5e-3} if method == "rk4" else {}
    still = {"terrain__slope_deg": 0.0, "initial__height": 0.25, "contact__damping_ratio": 0.0}
    scenario = block(
        method, scenario__duration=600.0, record__interval=10.0, contact__rest_penetration=0.05, **still, **step
    )
    run = run_recorded(build(scenario), chunk_steps=chunk)
    kinds = [event.kind for event in run.events]
    assert len(kinds) > 1.5 * MAX_EVENTS
    assert kinds.count("touch") == run.end.touches.sum()
    assert abs(kinds.count("touch") - kinds.count("lift_off")) <= 4

"""Advice for runs that timed out is true: it is followed, and the run settles."""

import re

import numpy as np
import pytest
import xarray as xr

import planetfall
from planetfall.analysis.run.residual_motion import residual_motion
from planetfall.engine.state.result import RunEvent
from planetfall.outcome import Outcome

SCENARIO = planetfall.load("msl-drop")


def motion(rate: np.ndarray, loaded: np.ndarray, time: np.ndarray) -> xr.Dataset:
    """A body with one point whose angular rate [rad/s] is given; its gap stays."""
    turning = np.zeros((len(time), 1, 3))
    turning[:, 0, 2] = rate
    return xr.Dataset(
        {
            "position": (("time", "body", "axis"), np.zeros_like(turning)),
            "angular_velocity": (("time", "body", "axis"), turning),
            "contact_normal_force": (("time", "point"), loaded[:, None] * 100.0),
            "contact_gap": (("time", "point"), np.where(loaded, -0.01, 1.0)[:, None]),
            "point_body": ("point", [0]),
        },
        coords={"time": time},
    )


def advice(data: xr.Dataset, events: list[RunEvent] | None = None) -> str:
    return residual_motion(SCENARIO, data, events or [], Outcome.timed_out)["outcome_sentence"]


LOADED = np.ones(2001, dtype=bool)
TIME = np.linspace(0.0, 20.0, 2001)
"""Four times as long as the rover rocks, 2 pi sqrt(1.8 m / 3.7 m/s^2) = 4.4 s."""


def test_a_motion_that_falls_is_continued_to_its_limit() -> None:
    """exp(-t/4) from 1 rad/s is below 1e-3 rad/s after 27.6 s; two holds of 0.5 s come on top."""
    found = advice(motion(np.exp(-TIME / 4.0), LOADED, TIME))
    duration = float(re.search(r"if that goes on, scenario.duration = (\S+) s may be enough", found)[1])  # type: ignore[index]
    reached = 4.0 * np.log(1e3)
    assert reached <= duration <= (reached + 4.4 / 2.0 + 1.0) * 1.1


def test_flight_needs_time() -> None:
    assert "never touched the ground" in advice(motion(np.ones(2001), ~LOADED, TIME))
    assert "in flight at the end" in advice(motion(np.ones(2001), TIME < 10.0, TIME))


def test_creep_is_told_with_what_counts_as_rest() -> None:
    found = advice(motion(np.full(2001, 2e-3), LOADED, TIME))
    assert "it creeps" in found and "outcome.rest_rate = 0.003 if" in found
    assert "without slowing down" in found
    assert "duration" not in found


def test_everything_that_keeps_a_creeping_run_from_rest_is_told_at_once() -> None:
    data = motion(np.full(2001, 2e-3), LOADED, TIME)
    data["contact_gap"] = data.contact_gap - 4e-3 * xr.DataArray(TIME, dims="time")
    found = advice(data)
    assert "rest_rate was 0.002 rad/s" in found and "rest_speed was 0.004 m/s" in found
    assert "use outcome.rest_rate = 0.003 and outcome.rest_speed = 0.006" in found


def test_rocking_that_does_not_decay_in_the_window_is_not_creep() -> None:
    """The rate passes through zero, though its peaks are no lower than before, and no point lifts off."""
    found = advice(motion(5e-3 * np.abs(np.sin(2.0 * np.pi * TIME / 5.0)), LOADED, TIME))
    assert "creeps" not in found and "rest_rate =" not in found
    assert "still moving" in found and "scenario.duration = 40 s" in found


@pytest.mark.parametrize("kind", ["touch", "lift_off"])
def test_nothing_creeps_on_a_point_that_touches_or_lifts_off(kind: str) -> None:
    """As steady as creep, but for one event in the last window of 4.4 s; an earlier one says nothing."""
    data = motion(np.full(2001, 2e-3), LOADED, TIME)
    assert "it creeps" in advice(data, [RunEvent(10.0, kind, 0, 0.0, (0.0, 0.0, 0.0))])
    found = advice(data, [RunEvent(18.0, kind, 0, 0.0, (0.0, 0.0, 0.0))])
    assert "creeps" not in found and "touched or lifted off once" in found


def test_nothing_creeps_that_was_in_the_air_in_between() -> None:
    """Of a point whose events were not kept, as in a record that is too short for them."""
    found = advice(motion(np.full(2001, 2e-3), (TIME < 17.0) | (TIME > 18.0), TIME))
    assert "creeps" not in found and "rest_rate =" not in found


def test_an_edge_that_a_creeping_point_crosses_is_not_what_counts_as_rest() -> None:
    """A tenth of a second at four times the rate; the limit that is advised is that of the creep."""
    rate = np.where((TIME > 17.0) & (TIME < 17.1), 8e-3, 2e-3)
    assert "outcome.rest_rate = 0.003 if" in advice(motion(rate, LOADED, TIME))


def test_a_record_that_is_too_coarse_is_told_to_be_finer() -> None:
    coarse = np.linspace(0.0, 20.0, 6)
    found = advice(motion(np.full(6, 2e-3), np.ones(6, dtype=bool), coarse))
    assert "too few recorded frames" in found and "record.interval = 0.088" in found


def test_other_outcomes_keep_their_sentences() -> None:
    assert residual_motion(SCENARIO, xr.Dataset(), [], Outcome.settled) == {}


def test_the_advice_for_creep_on_a_map_lets_the_run_settle() -> None:
    creeping = planetfall.load("msl-gale-drop").with_values({"outcome.rest_rate": 1e-6})
    said = planetfall.run(creeping).summary
    assert said["outcome"] == "timed_out"
    advised = dict(re.findall(r"(outcome\.\w+) = (\S+)", said["outcome_sentence"]))
    values = {key: float(value) for key, value in advised.items()}
    assert planetfall.run(creeping.with_values(values)).summary["outcome"] == "settled"


def test_a_run_that_is_cut_short_in_flight_is_told_so() -> None:
    said = planetfall.run(SCENARIO.with_values({"scenario.duration": 0.3})).summary
    assert "never touched the ground" in said["outcome_sentence"]


def test_a_run_that_touched_too_late_is_told_how_long_that_was() -> None:
    """Less than two windows of 4.4 s, in which the rover rocks once."""
    said = advice(motion(np.ones(2001), TIME >= 12.0, TIME))
    assert "its first touch was 8 s before the end, and two rocking periods of 4.39 s" in said
    assert "are needed to tell what keeps it from rest: give it scenario.duration = " in said


def test_a_run_that_is_cut_short_while_it_bounces_is_not_told_that_it_creeps() -> None:
    """Each advice is followed until the vehicle is at rest, which a longer run does bring."""
    duration, said, summary = 1.2, "", {}
    for _ in range(4):
        summary = planetfall.run(SCENARIO.with_values({"scenario.duration": duration})).summary
        if summary["outcome"] == "settled":
            break
        said = summary["outcome_sentence"]
        assert "creeps" not in said
        longer = float(re.search(r"scenario.duration = (\S+) s", said)[1])
        assert longer > duration
        duration = longer
    assert summary["outcome"] == "settled"
    assert said


@pytest.mark.parametrize("duration", [1189.0, 1359.0, 1528.0])  # [s], of 1700 s until it is at rest
def test_a_cube_that_still_hops_is_not_told_that_it_creeps(duration: float) -> None:
    """The peaks of its hops may be no lower than before, which was taken for creep, with a limit of 0.22 rad/s."""
    cube = planetfall.load("cube-itokawa").with_values({"scenario.duration": duration, "integrator.tolerance": 1e-7})
    summary = planetfall.run(cube).summary
    assert summary["outcome"] == "timed_out"
    assert "creeps" not in summary["outcome_sentence"]
    assert "rest_rate =" not in summary["outcome_sentence"] and "rest_speed =" not in summary["outcome_sentence"]


def test_what_floats_free_is_not_told_to_wait() -> None:
    said = planetfall.run(planetfall.load("free-top").with_values({"scenario.duration": 0.1})).summary
    assert said["outcome"] == "timed_out"
    assert "longer" not in said["outcome_sentence"]

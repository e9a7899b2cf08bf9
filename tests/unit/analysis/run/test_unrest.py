"""Advice for runs that timed out is true: it is followed, and the run settles."""

import re

import numpy as np
import xarray as xr

import planetfall
from planetfall.analysis.run.unrest import unrest
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


def advice(data: xr.Dataset) -> str:
    return unrest(SCENARIO, data, Outcome.timed_out)["outcome_sentence"]


def test_a_motion_that_falls_is_continued_to_its_limit() -> None:
    """exp(-t/2) from 1 rad/s is below 1e-3 rad/s after 13.8 s; two holds of at least a tenth of the run come on top."""
    time = np.linspace(0.0, 8.0, 801)
    found = advice(motion(np.exp(-time / 2.0), np.ones(801, dtype=bool), time))
    duration = float(re.search(r"scenario.duration = (\S+) s is enough", found)[1])  # type: ignore[index]
    reached = 2.0 * np.log(1e3)
    assert reached + 2.0 * 0.8 <= duration <= (reached + 2.0 * 0.8) * 1.1


def test_flight_needs_time() -> None:
    time = np.linspace(0.0, 8.0, 801)
    assert "never touched the ground" in advice(motion(np.ones(801), np.zeros(801, dtype=bool), time))
    assert "still in flight at the end" in advice(motion(np.ones(801), time < 4.0, time))


def test_creep_is_not_cured_by_time() -> None:
    time = np.linspace(0.0, 8.0, 801)
    found = advice(motion(np.full(801, 2e-3), np.ones(801, dtype=bool), time))
    assert "it creeps" in found and "outcome.rest_rate = 0.003" in found
    assert "duration" not in found


def test_everything_that_keeps_a_creeping_run_from_rest_is_told_at_once() -> None:
    time = np.linspace(0.0, 8.0, 801)
    data = motion(np.full(801, 2e-3), np.ones(801, dtype=bool), time)
    data["contact_gap"] = data.contact_gap - 4e-3 * xr.DataArray(time, dims="time")
    found = advice(data)
    assert "rest_rate was 0.002 rad/s" in found and "rest_speed was 0.004 m/s" in found
    assert "use outcome.rest_rate = 0.003 and outcome.rest_speed = 0.006" in found


def test_other_outcomes_keep_their_sentences() -> None:
    assert unrest(SCENARIO, xr.Dataset(), Outcome.settled) == {}


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


def test_what_floats_free_is_not_told_to_wait() -> None:
    said = planetfall.run(planetfall.load("free-top").with_values({"scenario.duration": 0.1})).summary
    assert said["outcome"] == "timed_out"
    assert "longer" not in said["outcome_sentence"]

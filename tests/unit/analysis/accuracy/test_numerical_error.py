"""Two summaries side by side, and what is said of them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import xarray as xr

import planetfall
from planetfall.analysis.accuracy.checked import Checked
from planetfall.analysis.accuracy.finer import finer_changes, finer_drive, finer_run
from planetfall.analysis.accuracy.numerical_error import check_of, compared
from planetfall.engine.state.result import ParameterChange, RunEvent
from planetfall.record.trajectory import Trajectory
from support.block_scene import block

BASE: dict[str, Any] = {
    "scenario": "two feet", "outcome": "settled", "end_s": 2.0, "points": ["left", "right"], "rest_s": 1.5,
    "first_touch_s": [0.5, None], "peak_normal_force_N": [100.0, 0.0], "touchdowns": [1, 0], "final_speed_m_s": 1e-9,
    "slide_distance_m": 0.25, "energy_closure_J": 1e-3, "stiffness_N_m": 1234.5678, "steps": 100,
    "phases": [{"time": 0.0, "phase": "fall", "cause": "start"}],
}  # fmt: skip
FINER = {
    **BASE, "rest_s": 1.52, "first_touch_s": [0.5001, None], "peak_normal_force_N": [101.0, 0.0], "steps": 200,
    "final_speed_m_s": 3e-9, "slide_distance_m": 0.31, "energy_closure_J": 1e-4,
}  # fmt: skip


def trajectory(summary: dict[str, Any], shift: float = 0.0, touches: int = 1) -> Trajectory:
    """A body that falls for two seconds."""
    time = np.array([0.0, 1.0, 2.0])
    position = np.zeros((3, 1, 3))
    position[:, 0, 2] = 4.0 - time**2 + shift * time
    data = xr.Dataset(
        {
            "position": (("time", "body", "axis"), position),
            "velocity": (("time", "body", "axis"), np.gradient(position, time, axis=0)),
            "contact_normal_force": (("time", "point"), np.array([[0.0, 0.0], [100.0, 0.0], [50.0, 0.0]])),
            "energy_kinetic": ("time", np.array([0.0, 5.0, 0.0])),
        },
        coords={"time": time},
    )
    events = [RunEvent(0.5 + k + shift, "touch", 0, -1.0, (0.0, 0.0, 0.0)) for k in range(touches)]
    return Trajectory(block(), data, events, summary)


def check(finer: dict[str, Any], touches: int = 1) -> dict[str, Any]:
    run, other = trajectory(BASE), trajectory(finer, shift=1e-3, touches=touches)
    found = check_of(run, other, finer_run(run.scenario))
    assert found == json.loads(json.dumps(found, allow_nan=False))
    return found


def test_each_number_stands_beside_its_finer_one() -> None:
    found = dict(compared(BASE, FINER))
    assert found["rest_s"] == {"value": 1.5, "finer": 1.52, "difference": pytest.approx(0.02)}
    assert found["first_touch_s"]["difference"] == [pytest.approx(1e-4), 0.0]
    assert found["phases.0.time"] == {"value": 0.0, "finer": 0.0, "difference": 0.0}
    assert not {"steps", "points", "scenario", "outcome", "phases.0.cause"} & set(found)


def test_what_is_printed_of_them() -> None:
    checked = Checked({**BASE, "check": check(FINER)})
    assert checked.is_checked and checked.other_outcome is None
    assert checked.text("rest_s", 1.5) == "1.50 ± 0.02"
    assert checked.text("first_touch_s", 0.5, 0) == "0.5000 ± 0.0001"
    assert checked.text("first_touch_s", None, 1) == "-"
    assert checked.text("peak_normal_force_N", 100.0, 0) == "100 ± 1"
    assert checked.text("touchdowns", 1, 0) == "1"
    assert checked.text("final_speed_m_s", 1e-9) == "0 ± 3e-09"
    assert checked.text("slide_distance_m", 0.25) == "0.25 ? (finer: 0.31)"
    assert checked.text("energy_closure_J", 1e-3) == "0.00100 (finer: 0.000100)"
    assert checked.text("stiffness_N_m", 1234.5678) == "1234.57"
    assert checked.text("end_s", 2.0) == "2"
    assert checked.event_text("touch", 0.5, "time_difference_s") == "0.50"


def test_what_has_no_true_digit_is_named_and_explained() -> None:
    found = check(FINER)
    assert found["not_converged"] == {"slide_distance_m": True}
    assert any("Not converged: slide_distance_m." in words and "distribution" in words for words in found["sentences"])
    assert any("never more than 0.002 m" in words for words in found["sentences"])
    assert found["position"] == pytest.approx({"largest_m": 2e-3, "at_s": 2.0, "last_m": 2e-3, "last_s": 2.0})


def test_another_outcome_comes_first() -> None:
    found = check({**FINER, "outcome": "overturned"})
    assert found["outcome"] == {"value": "settled", "finer": "overturned"}
    assert "settled here, but overturned at half the step (0.001 s)" in found["sentences"][0]
    assert Checked({**BASE, "check": found}).other_outcome == "overturned"


def test_counts_and_events_that_differ_are_said() -> None:
    finer = {**FINER, "touchdowns": [2, 1], "first_touch_s": [0.5, 1.7], "rest_s": None}
    found = check(finer, touches=2)
    checked = Checked({**BASE, "check": found})
    assert found["not_converged"]["touchdowns"] == ["left", "right"]
    assert found["not_converged"]["first_touch_s"] == ["right"]
    assert found["not_converged"]["rest_s"] is True
    assert found["events"]["touch"]["value"] == 1 and found["events"]["touch"]["finer"] == 2
    assert any("touch 1 and 2 times" in words for words in found["sentences"])
    assert checked.text("touchdowns", 1, 0) == "1 (finer: 2)"
    assert checked.text("first_touch_s", None, 1) == "- ? (finer: 1.70)"
    assert checked.text("rest_s", 1.5) == "1.50 ? (finer: none)"


def test_phases_that_differ_are_counted() -> None:
    more = [*BASE["phases"], {"time": 1.0, "phase": "land", "cause": "contact"}]
    found = check({**FINER, "phases": more})
    assert found["differences"]["phases.count"] == {"value": 1, "finer": 2, "difference": 1}
    assert found["not_converged"]["phases.count"] is True
    other = check({**FINER, "phases": [{"time": 0.0, "phase": "fall", "cause": "wind"}]})
    assert other["differences"]["phases.0.cause"] == {"value": "start", "finer": "wind", "difference": None}


def test_unchecked_numbers_have_three_digits() -> None:
    checked = Checked(BASE, duration=1234.5)
    assert checked.text("rest_s", 1.51234) == "1.51"
    assert checked.text("end_s", 1234.5) == "1234.5"
    assert checked.text("end_s", 1200.123) == "1200"
    assert checked.text("stiffness_N_m", 1234.5678) == "1234.57"
    assert checked.event_text("touch", 0.5012345, "time_difference_s") == "0.501"


def test_how_a_run_is_repeated() -> None:
    fixed = finer_run(block("rk4"))
    assert fixed.values == {"integrator.step": 1e-3} and fixed.where == "half the step (0.001 s)"
    adaptive = finer_run(block("adaptive"))
    assert adaptive.values == {"integrator.tolerance": pytest.approx(1e-9), "integrator.max_step": 50.0}
    assert finer_drive(planetfall.load_drive("lsr1-flat").with_values({"path.step": 0.1})).values == {"path.step": 0.05}


def test_what_cannot_be_repeated_finer_is_refused() -> None:
    with pytest.raises(planetfall.InputError, match=r"integrator.tolerance: 5e-14 cannot be checked"):
        finer_run(block("adaptive", integrator__tolerance=5e-14))
    change = ParameterChange(0.5, 250, "contact.damping_ratio", 0.1, 0.2, 0.0)
    assert finer_changes(block("rk4"), [change])[0].step == 500
    with pytest.raises(planetfall.InputError, match="changes during a run"):
        finer_changes(block("adaptive"), [change])


def test_vehicles_of_their_own_are_compared_by_key() -> None:
    """Nested tables have dotted keys; the bound of integration errors is an error itself, and not judged."""
    bodies = [{"name": "stage", "role": "companion", "peak_normal_force_N": 50.0, "crash_s": None}]
    run = {**BASE, "bodies": bodies, "energy_rise_bound_J": 2.0}
    other = {**FINER, "bodies": [{**bodies[0], "peak_normal_force_N": 50.4}], "energy_rise_bound_J": 0.1}
    found = check_of(trajectory(run), trajectory(other), finer_run(block()))
    checked = Checked({**run, "check": found})
    assert checked.text("bodies.0.peak_normal_force_N", 50.0) == "50.0 ± 0.4"
    assert checked.text("bodies.0.crash_s", None) == "-"
    assert set(found["not_converged"]) == {"slide_distance_m"}
    crashed = {**other, "bodies": [{**other["bodies"][0], "crash_s": 1.5}]}
    late = check_of(trajectory(run), trajectory(crashed), finer_run(block()))
    assert late["not_converged"]["bodies.0.crash_s"] is True
    assert Checked({**run, "check": late}).text("bodies.0.crash_s", None) == "- ? (finer: 1.50)"


def test_loosening_of_the_tolerance_is_no_result() -> None:
    """It is told in a sentence of its own, and neither as a number nor as events that alarm."""
    run, other = trajectory({**BASE, "loosest_tolerance": 1e-5}), trajectory({**BASE, "loosest_tolerance": 1e-6})
    run.events.append(RunEvent(1.0, "loosened", -1, 1e-5, (0.0, 0.0, 0.0)))
    other.events.extend(RunEvent(t, "loosened", -1, 1e-6, (0.0, 0.0, 0.0)) for t in (1.0, 1.5))
    found = check_of(run, other, finer_run(run.scenario))
    assert not found["not_converged"]
    assert "loosest_tolerance" not in found["differences"]
    told = [sentence for sentence in found["sentences"] if "loosened" in sentence]
    assert len(told) == 1
    assert told[0].startswith("The tolerance was loosened to 1e-05 in parts here and loosened to 1e-06 in parts at ")
    assert "another number of times" not in " ".join(found["sentences"])
    assert found["events"]["loosened"]["finer"] == 2

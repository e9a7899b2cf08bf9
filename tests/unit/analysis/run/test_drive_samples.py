"""What the poses of a drive leave unknown, on ground whose edges lie between them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.analysis.accuracy.checked import Checked
from planetfall.analysis.run.drive_samples import EXTREMES
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.drive import DriveScenario

STEP = 0.05
FINE = 0.004


def driven(changes: dict[str, Any], step: float = STEP, check: bool = False) -> Trajectory[DriveScenario]:
    boulders = planetfall.load_drive("lsr1-boulders").with_values({"path.step": step, **changes})
    return planetfall.drive(boulders, check=check)


def test_extremes_are_known_to_what_the_poses_beside_them_differ_by() -> None:
    run = driven({}, check=True)
    beyond, summary = run.summary["beyond_samples"], run.summary
    torque = np.abs(run.data.wheel_torque.values)
    for wheel in range(6):
        i = int(torque[:, wheel].argmax())
        beside = max(abs(torque[i, wheel] - torque[k, wheel]) for k in (i - 1, i + 1) if 0 <= k < len(torque))
        assert beyond["peak_torque_N_m"][wheel] == pytest.approx(beside, rel=1e-12)
    stability = run.data.margin_stability.values
    i = int(stability.argmin())
    assert beyond["least_margin_stability"] == pytest.approx(np.abs(stability[[i - 1, i + 1]] - stability[i]).max())
    assert min(beyond[f"peak_{name}_at_m"] for name in ("slip_ratio", "friction_used")) >= STEP - 1e-12
    assert not {"driven_m", "end_s", "motor_work_J"} & set(beyond)
    assert Checked(summary).text("end_s", summary["end_s"]) == f"{summary['end_s']:.6g}"
    differences = summary["check"]["differences"]
    for key in EXTREMES:
        apart, least = np.array(differences[key]["difference"]), np.array(beyond[key])
        assert np.all(apart >= least)


def test_extremes_at_a_fine_step_are_within_the_error_of_a_coarse_one() -> None:
    """Not a proof: on ground of boulders with poses half a wheel apart, and such an error is what is asked for."""
    summary, fine = driven({}, check=True).summary, driven({}, FINE).summary
    for key in EXTREMES:
        value, true = np.array(summary[key]), np.array(fine[key])
        apart = np.array(summary["check"]["differences"][key]["difference"])
        assert np.all(np.abs(value - true) <= apart + 1e-9 * np.abs(true)), key


def test_a_stop_is_known_to_a_step_at_best() -> None:
    """With it time and work up to there, and extremes that the drive has only if it gets that far."""
    run = driven({"drive.goal": "equal"}, check=True)
    summary = run.summary
    beyond, way = summary["beyond_samples"], summary["driven_m"]
    assert summary["outcome"] == "slipping"
    assert beyond["driven_m"] >= STEP - 1e-12
    assert beyond["end_s"] == pytest.approx(beyond["driven_m"] / 0.03, rel=1e-9)
    before = run.data.sel(time=summary["end_s"] - beyond["end_s"], method="nearest")
    work = float(before.work_motor_positive.sum())
    assert beyond["positive_work_J"] == pytest.approx(abs(summary["positive_work_J"] - work), rel=1e-9)
    assert "±" in Checked(summary).text("driven_m", way)
    fine = driven({"drive.goal": "equal"}, FINE).summary["driven_m"]
    assert abs(fine - way) <= summary["check"]["differences"]["driven_m"]["difference"]


def test_a_drive_that_is_shown_beyond_its_stop_has_all_of_its_work() -> None:
    beyond = driven({"drive.goal": "equal", "drive.stop": False}).summary["beyond_samples"]
    assert beyond["driven_m"] >= STEP - 1e-12
    assert not {"end_s", "motor_work_J"} & set(beyond)


def test_where_nothing_changes_nothing_is_missed() -> None:
    flat = planetfall.drive(planetfall.load_drive("lsr1-flat").with_values({"path.step": 0.1}), check=True)
    assert flat.summary["beyond_samples"]["peak_normal_force_N"] == [0.0] * 6
    assert flat.summary["check"]["differences"]["end_s"]["difference"] == 0.0


def test_a_drive_that_cannot_begin_stops_at_its_start_exactly(tmp_path: Path) -> None:
    run = driven({"soil.friction": 0.001}, check=True)
    assert run.summary["driven_m"] == 0.0
    assert run.summary["beyond_samples"]["driven_m"] == 0.0
    assert planetfall.open(run.save(tmp_path / "start")).summary["outcome"] == run.summary["outcome"]

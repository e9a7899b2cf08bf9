"""Peaks of force and depth inside steps: located ones converge with the tolerance, what samples miss the check knows.

A box falls askew on a slope, so that its corners press, slide and lift off in turn. Positions inside an adaptive step
have errors of sixth order in it, and speeds, on which a damper hangs, of fifth, as the method itself has: a peak is as
true as the motion. The motion at a tolerance of 1e-12 is the truth here.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import planetfall

BOX: dict[str, Any] = {
    "scenario": {"name": "peaks", "duration": 0.6},
    "gravity": {"model": "uniform", "acceleration": 1.62},
    "terrain": {"model": "plane", "slope_deg": 8.0},
    "vehicle": {"name": "box", "mass": 60.0, "shape": {"kind": "box", "size": [0.8, 0.6, 0.5]}},
    "contact": {
        "law": "hunt-crossley", "stiffness": 8e4, "dissipation": 0.4, "breakaway_angle_deg": 30.0,
        "sliding_angle_deg": 25.0, "breakaway_speed": 0.02, "sliding_speed": 0.04,
    },
    "initial": {
        "height": 0.05, "height_of": "lowest point", "velocity": [0.4, 0.0, -1.5],
        "attitude": [0.06, 0.03, 0.0, 0.9977474630391],
    },
    "record": {"interval": 0.01},
}  # fmt: skip


@lru_cache
def figures(method: str, precision: float) -> tuple[np.ndarray, float, dict[str, Any]]:
    """Peaks [N] of the corners that touched, depth [m], and the check of a fixed step."""
    how = {"method": method, "tolerance" if method == "adaptive" else "step": precision}
    run = planetfall.run(planetfall.Scenario.from_dict(BOX | {"integrator": how}), check=method == "rk4")
    peaks = np.array(run.summary["peak_normal_force_N"])
    return peaks, run.summary["max_penetration_m"], run.summary.get("check", {}).get("differences", {})


@pytest.mark.parametrize("tolerance", [1e-7, 1e-8, 1e-9, 1e-10, 1e-11])
def test_located_peaks_are_as_true_as_the_motion(tolerance: float) -> None:
    """To a hundred tolerances, of some hundred steps, or to what like samples may miss (`contact_peaks.ALIKE`)."""
    (peaks, depth, _), (true, deepest, _) = figures("adaptive", tolerance), figures("adaptive", 1e-12)
    allowed = max(100 * tolerance, 1e-7)
    assert (true > 0.0).sum() >= 4
    np.testing.assert_allclose(peaks, true, rtol=allowed, atol=allowed * true.max())
    assert depth == pytest.approx(deepest, rel=allowed)


@pytest.mark.parametrize("step", [4e-4, 3e-4, 2e-4])
def test_the_check_of_a_fixed_step_knows_what_samples_miss(step: float) -> None:
    """Peaks of samples differ from the truth by no more than twice the error that is shown (docs/accuracy.md)."""
    (peaks, depth, apart), (true, deepest, _) = figures("rk4", step), figures("adaptive", 1e-12)
    shown = np.array(apart["peak_normal_force_N"]["difference"])
    assert np.all(np.abs(peaks - true) <= 2.0 * shown + 1e-9)
    assert abs(depth - deepest) <= 2.0 * apart["max_penetration_m"]["difference"]
    missed = planetfall.run(
        planetfall.Scenario.from_dict(BOX | {"integrator": {"method": "rk4", "step": step}})
    ).summary["beyond_samples"]["peak_normal_force_N"]
    assert max(missed) > 0.0

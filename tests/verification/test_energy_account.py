"""The energy account closes to the integrator's error: a block that bounces, slides, is pushed and fires a thruster.

Kinetic, gravitational and elastic energy, less the work of damper, friction and external forces, must stay what it was.
The work is integrated along with the motion, by the same method; energies are evaluated on the recorded states.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import planetfall
from planetfall.record.trajectory import Trajectory
from support.fitted import order
from support.pushed_block import MASS, force

TOLERANCES = 10.0 ** -np.arange(6.0, 11.0)
STEPS = 5e-4 / 2.0 ** np.arange(5)  # [s]
HEIGHTS = [0.60, 0.63, 0.66, 0.71]  # [m]
PUSH = force("push", ((0.2, 0.9), (50.0, 200.0)), (0.6, 0.8, 0.0), (0.1, 0.2, 0.1))
THRUSTER = force("thruster", ((0.5, 0.8, 1.2), (100.0, 20.0, 300.0)), (0.0, 0.0, 1.0), (0.3, 0.0, 0.0))
STIFFNESS = MASS * 3.7132 / 0.01
DAMPING = 0.2 * math.sqrt(MASS * STIFFNESS)
INERTIA = MASS * 29.0 / 300.0  # about the block's level axes [kg m^2]
FOOT_MASS = 1.0 / (1.0 / MASS + 2.0 * 0.5**2 / INERTIA)  # what a foot feels of the block, straight up [kg]


def thrown(height: float, integrator: dict[str, Any]) -> Trajectory:
    """The block, turning, thrown at a slope of 15 degrees, under a push and a thruster that act while it bounces."""
    return planetfall.run(
        planetfall.load("sink-flat").with_values(
            {
                "scenario.duration": 1.5,
                "terrain.slope_deg": 15.0,
                "contact.damping_ratio": 0.1,
                "contact.mass_share": "whole",
                "initial": {
                    "position": [0.0, 0.0, height],
                    "velocity": [0.4, 0.3, -0.5],
                    "attitude": Rotation.from_rotvec([0.2, 0.1, 0.4]).as_quat().tolist(),
                    "angular_velocity": [0.3, -0.5, 0.2],
                },
                "forces": [PUSH, THRUSTER],
                "integrator": integrator,
            }
        )
    )


@lru_cache
def adaptive(tolerance: float) -> Trajectory:
    """One height is enough: the adaptive method has no luck with its steps."""
    return thrown(HEIGHTS[0], {"method": "adaptive", "tolerance": tolerance})


def imbalance(run: Trajectory) -> np.ndarray:
    """What the account is off at every frame [J]."""
    data = run.data
    held = data.energy_total.values - data.work_damper.values - data.work_friction.values - data.work_external.values
    return np.abs(held - held[0])


def turned_over(run: Trajectory) -> float:
    """Energy that went through the account [J]."""
    return sum(abs(float(run.data[f"work_{kind}"].values[-1])) for kind in ("damper", "friction", "external"))


def on_ticks(run: Trajectory) -> np.ndarray:
    """Which frames are on the interval of the record; the others are peaks in between."""
    ticks = run.data.time.values / run.scenario.record.interval
    return np.abs(ticks - np.round(ticks)) < 1e-6


def test_case_has_it_all() -> None:
    """Bounces, slides, and every kind of work, each more than a tenth of the whole."""
    run = adaptive(1e-9)
    assert sum(run.summary["touchdowns"]) > 4
    assert run.summary["outcome"] == "sliding"
    for kind in ("damper", "friction", "external"):
        assert abs(run.data[f"work_{kind}"].values[-1]) > 0.1 * turned_over(run)
    assert run.data.energy_elastic.values.max() > 0.0


@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_adaptive_account_closes(tolerance: float) -> None:
    """Relative to what was turned over, no more than the tolerance a step, at every frame of the interval."""
    run = adaptive(float(tolerance))
    assert imbalance(run)[on_ticks(run)].max() < run.summary["steps"] * tolerance * turned_over(run)


def test_adaptive_account_closes_with_the_order_of_the_method() -> None:
    """Proportional to the tolerance (band as derived in `test_order_through_contact`) though it has no say in steps."""
    errors = [imbalance(run)[on_ticks(run)].max() for run in map(adaptive, TOLERANCES)]
    assert order(TOLERANCES, errors) == pytest.approx(1.0, abs=0.22)


def test_adaptive_account_at_peaks_closes_with_the_order_of_the_interpolant() -> None:
    """Peaks between steps are read off a cubic, off by h^4 = tolerance^(4/5); where steps end on one, by tolerance."""
    errors = [imbalance(run).max() for run in map(adaptive, TOLERANCES)]
    assert 0.8 - 0.15 < order(TOLERANCES, errors) < 1.0 + 0.15


@pytest.mark.parametrize("height", HEIGHTS)
def test_rk4_account_closes(height: float) -> None:
    """At each touchdown by the energy of the impulse that a step may misplace, (C v h)^2/2m at the foot.

    Smooth arcs add (w h)^4 of what is turned over, w the rocking on the feet.
    """
    step = float(STEPS[0])
    run = thrown(height, {"method": "rk4", "step": step, "accept_step": True})
    squared_speeds = sum(event.value**2 for event in run.events if event.kind == "touch")
    frequency = math.sqrt(4.0 * STIFFNESS * 0.5**2 / INERTIA)
    at_touchdowns = (DAMPING * step) ** 2 / (2.0 * FOOT_MASS) * squared_speeds
    assert imbalance(run).max() < at_touchdowns + (frequency * step) ** 4 * turned_over(run)


def test_rk4_account_closes_with_the_square_of_the_step() -> None:
    """The same bound as an order: 2, where smooth arcs alone would give 4.

    Some 15 touchdowns, a few of them hard, make the sum scatter by a factor 2, 0.7 in the natural logarithm; 0.32 in a
    slope over five halvings; 0.16 over four heights; three sigma.
    """
    errors = [
        [imbalance(thrown(height, {"method": "rk4", "step": float(step), "accept_step": True})).max() for step in STEPS]
        for height in HEIGHTS
    ]
    assert order(STEPS, errors) == pytest.approx(2.0, abs=0.48)


@pytest.mark.parametrize("method", [{"method": "adaptive", "tolerance": 1e-9}, {"method": "rk4", "step": 1e-4}])
def test_dissipation_only_takes(method: dict[str, Any]) -> None:
    """Damper and friction powers are never positive, and both methods sum them with positive weights, or nearly so.

    Dormand-Prince has one negative weight: a rise within a step is bounded by its error.
    """
    run = thrown(HEIGHTS[0], method)
    allowed = 0.0 if method["method"] == "rk4" else 1e-9 * turned_over(run)
    at = on_ticks(run)
    for kind in ("damper", "friction"):
        assert np.diff(run.data[f"work_{kind}"].values[at]).max() <= allowed

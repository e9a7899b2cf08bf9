"""Orders on smooth motion: an asymmetric body that tumbles along a Kepler orbit, seen from a turning frame.

Every term of the equations of motion but contact and extra forces takes part. Reference: Kepler's and Jacobi's closed
forms (`support.free_body`).
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import planetfall
from support.fitted import order
from support.free_body import FreeBody, errors

SPIN = 6e-4 * np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0)  # [rad/s]
RATES = np.array([4e-4, 9e-4, -5e-4])  # [rad/s]
POSITION = np.array([900.0, -300.0, 400.0])  # [m]


def orbiter(quickness: float) -> FreeBody:
    """About an asteroid of 30 m^3/s^2, an ellipse of 22 hours from 1 km to 2.4 km; tumbling at RATES times a number."""
    return FreeBody(
        gm=30.0,
        spin=SPIN,
        position=POSITION,
        velocity=np.array([0.09, 0.17, -0.06]) - np.cross(SPIN, POSITION),
        attitude=Rotation.from_rotvec([0.3, -0.5, 0.7]),
        rates=quickness * RATES,
    )


def test_rk4_is_of_fourth_order() -> None:
    """4.0 within 0.1, the requirement: at the first step, w h = 0.1, the next term is 5 % of the leading one."""
    body, steps = orbiter(1.0), 100.0 / 2.0 ** np.arange(5)
    runs = [planetfall.run(body.scenario(2e4, integrator={"method": "rk4", "step": float(h)})) for h in steps]
    found = np.array([errors(body, run) for run in runs])
    for name, column in zip(("position", "velocity", "attitude", "rates"), found.T, strict=True):
        assert order(steps, column) == pytest.approx(4.0, abs=0.1), name


def adaptive(body: FreeBody, duration: float, tolerances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Errors [tolerance, kind] and numbers of steps."""
    runs = [planetfall.run(body.scenario(duration, integrator__tolerance=float(tol))) for tol in tolerances]
    return np.array([errors(body, run) for run in runs]), np.array([run.summary["steps"] for run in runs])


def test_adaptive_error_is_proportional_to_tolerance() -> None:
    """A quick tumble sets the steps: slope 1, and no more error than the tolerance a step.

    0.1: over four decades the error over the tolerance may change by a factor 2.5, as the next order fades.
    """
    tolerances = 10.0 ** -np.arange(8.0, 13.0)
    found, steps = adaptive(orbiter(30.0), 2e3, tolerances)
    assert np.all(found <= (steps * tolerances)[:, None])
    assert order(tolerances, found.max(axis=1)) == pytest.approx(1.0, abs=0.1)


def test_adaptive_error_in_a_long_glide_falls_faster_than_the_tolerance() -> None:
    """The path sets the steps: slope 5/4.

    Lengths are measured against the vehicle's size plus the distance flown in the step. Where strides are far longer
    than the vehicle, h^5 = tolerance times h, hence h = tolerance^(1/4), and the error is h^5. Size over stride is 2 %
    here; 0.05 allows for that and for the next order.
    """
    tolerances = 10.0 ** -np.arange(7.0, 12.0)
    found, steps = adaptive(orbiter(0.01), 6e4, tolerances)
    assert np.all(found[:, :2] <= (steps * tolerances)[:, None])
    for column in found[:, :2].T:
        assert order(tolerances, column) == pytest.approx(1.25, abs=0.05)

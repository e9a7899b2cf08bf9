"""A free asymmetric top against Jacobi's elliptic functions, and what it must conserve over a hundred turns.

Both branches of the closed form (turning about the axis of the largest and of the smallest moment) and the built-in
`free-top`, which flips about its middle axis. Adaptive, tolerance 1e-13.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import planetfall
from oracles.closed_forms import torque_free_rates
from planetfall.record.trajectory import Trajectory
from support.free_body import INERTIA, turned

TURNS = 100.0
STARTS = {"largest": (0.3, 0.2, 1.0), "smallest": (1.0, 0.3, 0.2), "middle": (0.01, 1.0, 0.01)}  # [rad/s]


@lru_cache
def spun(axis: str) -> Trajectory:
    """A hundred turns at the initial rate, from a skew attitude."""
    omega = np.array(STARTS[axis])
    return planetfall.run(
        planetfall.load("free-top").with_values(
            {
                "scenario.duration": float(TURNS * 2.0 * np.pi / np.linalg.norm(omega)),
                "vehicle.inertia": INERTIA.tolist(),
                "initial.attitude": Rotation.from_rotvec([0.4, -0.8, 0.3]).as_quat().tolist(),
                "initial.angular_velocity": omega.tolist(),
                "integrator.tolerance": 1e-13,
                "record.interval": 1.0,
            }
        )
    )


def momentum(run: Trajectory) -> np.ndarray:
    """Angular momentum in the surface frame, which does not turn here [kg m^2/s], shape (n_frames, 3)."""
    body = run.data.angular_velocity.values[:, 0] * INERTIA
    return Rotation.from_quat(run.data.quaternion.values[:, 0]).apply(body)


@pytest.mark.parametrize("axis", STARTS)
def test_rates_are_elliptic_functions(axis: str) -> None:
    """At every frame, within the tolerance a step; the start about the middle axis is 2e-5 from the separatrix."""
    run = spun(axis)
    expected = torque_free_rates(INERTIA, STARTS[axis], run.data.time.values)
    allowed = run.summary["steps"] * 1e-13
    np.testing.assert_allclose(run.data.angular_velocity.values[:, 0], expected, atol=allowed)


@pytest.mark.parametrize("axis", STARTS)
def test_momentum_and_energy_are_conserved(axis: str) -> None:
    """To 1e-10 of themselves over the hundred turns, the requirement."""
    run = spun(axis)
    vectors, energy = momentum(run), run.data.energy_total.values
    drift = np.linalg.norm(vectors - vectors[0], axis=1) / np.linalg.norm(vectors[0])
    assert len(drift) > 500
    assert drift.max() < 1e-10
    np.testing.assert_allclose(energy, energy[0], rtol=1e-10)
    assert energy[0] == pytest.approx(0.5 * INERTIA @ np.square(STARTS[axis]), rel=1e-15)


@pytest.mark.parametrize("axis", STARTS)
def test_attitude_follows_the_rates(axis: str) -> None:
    """After ten turns, against the kinematics integrated on their own from the closed-form rates."""
    run = spun(axis)
    data = run.data.isel(body=0).sel(time=60.0)
    start = Rotation.from_quat(run.data.quaternion.values[0, 0])
    expected = turned(start, np.array(STARTS[axis]), float(data.time))
    left = (Rotation.from_quat(data.quaternion.values) * expected.inv()).magnitude()
    assert left < run.summary["steps"] * 1e-13

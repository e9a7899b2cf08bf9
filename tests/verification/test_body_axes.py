"""The same body described in other body axes moves the same: a full inertia matrix against principal axes.

Axes turned by Q: points and rates become Q times what they were, the inertia Q I Q^T, the attitude R Q^T. Free tumbling
in a turning frame is compared with the principal-axes kernel in an inertial one; then the rover's drop, out of its
plane, through several impacts.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import planetfall
from support.oblate_orbit import BODY_AXES, PRINCIPAL, SPIN_RATE, OblateOrbit

RATES = np.array([2e-3, 1e-3, 3e-3])  # of the orbiter, in principal axes, against the stars [rad/s]


def test_tumbling_with_a_full_inertia_matrix() -> None:
    """An hour of orbit, about two turns, about a tilted, oblate planet; tolerance a step for either run."""
    duration = 3600.0
    orbit = OblateOrbit(1.96045e-3, tilt=Rotation.from_rotvec([0.5, -0.9, 0.2]))
    start = Rotation.from_rotvec([0.2, -0.4, 0.9])
    spin = SPIN_RATE * orbit.axis
    full = planetfall.run(
        orbit.scenario(
            duration,
            initial__attitude=(start * BODY_AXES.inv()).as_quat().tolist(),
            initial__angular_velocity=BODY_AXES.apply(RATES - start.inv().apply(spin)).tolist(),
        )
    )
    principal = planetfall.run(
        planetfall.load("free-top").with_values(
            {
                "scenario.duration": duration,
                "vehicle.inertia": PRINCIPAL.tolist(),
                "initial.attitude": start.as_quat().tolist(),
                "initial.angular_velocity": RATES.tolist(),
                "integrator.tolerance": 1e-13,
                "integrator.max_step": 1e9,
                "record.interval": duration,
            }
        )
    )
    seen, true = (run.data.isel(time=-1, body=0) for run in (full, principal))
    to_stars = Rotation.from_rotvec(spin * duration)
    attitude = to_stars * Rotation.from_quat(seen.quaternion.values) * BODY_AXES
    expected = Rotation.from_quat(true.quaternion.values)
    allowed = (full.summary["steps"] + principal.summary["steps"]) * 1e-13
    assert (attitude * expected.inv()).magnitude() < allowed
    rates = BODY_AXES.inv().apply(seen.angular_velocity.values) + expected.inv().apply(spin)
    np.testing.assert_allclose(rates, true.angular_velocity.values, atol=allowed * float(np.linalg.norm(RATES)))


def test_rover_dropped_in_other_axes() -> None:
    """Off its plane of symmetry, 1.5 s with at least three wheels touching.

    Both runs are within the tolerance a step, 1e-11, of the one motion. Peaks are those of the instants looked at, four
    a step; rounding moves the steps, and between looks a peak of frequency w hides up to (w h/8)^2/2 of itself.
    """
    base = planetfall.load("msl-drop").with_values(
        {
            "scenario.duration": 1.5,
            "initial.velocity": [0.1, 0.3, 0.0],
            "initial.angular_velocity": [0.2, 0.1, -0.3],
            "integrator.method": "adaptive",
            "integrator.tolerance": 1e-11,
        }
    )
    Q = Rotation.from_rotvec([0.7, -0.4, 1.1])
    inertia = Q.as_matrix() @ np.asarray(base.vehicle.inertia) @ Q.as_matrix().T
    turned = base.with_values(
        {
            "vehicle.inertia": (0.5 * (inertia + inertia.T)).tolist(),
            "vehicle.up": Q.apply(base.vehicle.up).tolist(),
            "vehicle.points": [
                {"name": point.name, "position": Q.apply(point.position).tolist()} for point in base.vehicle.points
            ],
            "initial": {
                "height": 2.0,
                "velocity": list(base.initial.velocity),
                "attitude": (Rotation.from_quat(base.initial.quaternion) * Q.inv()).as_quat().tolist(),
                "angular_velocity": Q.apply(base.initial.angular_velocity).tolist(),
            },
        }
    )
    one, other = planetfall.run(base), planetfall.run(turned)
    assert sum(count > 0 for count in one.summary["touchdowns"]) >= 3
    assert [(e.kind, e.point) for e in one.events] == [(e.kind, e.point) for e in other.events]
    allowed = one.summary["steps"] * 1e-11
    np.testing.assert_allclose([e.time for e in other.events], [e.time for e in one.events], atol=allowed)
    last, last_other = (run.data.isel(time=-1, body=0) for run in (one, other))
    for name in ("position", "velocity"):
        np.testing.assert_allclose(last_other[name].values, last[name].values, atol=allowed)
    np.testing.assert_allclose(
        Q.inv().apply(last_other.angular_velocity.values), last.angular_velocity.values, atol=allowed
    )
    attitude = Rotation.from_quat(last_other.quaternion.values) * Q
    assert (attitude * Rotation.from_quat(last.quaternion.values).inv()).magnitude() < allowed
    hidden = (60.0 * 0.01 / 8.0) ** 2 / 2.0  # the rover rocks at up to 60 rad/s, in steps below 0.01 s
    np.testing.assert_allclose(other.summary["peak_normal_force_N"], one.summary["peak_normal_force_N"], rtol=hidden)

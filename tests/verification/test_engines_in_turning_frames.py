"""A vehicle with engine, tanks and a rotor in a frame that turns, against its motion in inertial space."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import planetfall
from oracles.rocket import Rocket
from planetfall.record.trajectory import Trajectory
from support.flown import engine, flown, steady

GM, SPIN = 4e4, 0.08 * np.array([0.36, -0.48, 0.8])
PLACE, VELOCITY, RATE = np.array([150.0, 80.0, -60.0]), np.array([1.0, -2.0, 0.5]), np.array([0.4, -0.3, 0.5])
ATTITUDE = Rotation.from_rotvec([0.3, -0.5, 0.9])
TANKS = np.array([[0.6, 0.1, 0.2], [-0.3, 0.4, 0.5]])
ENGINE_AT, DIRECTION, THRUST = np.array([0.3, -0.2, -0.5]), np.array([0.0, 0.6, 0.8]), 2000.0
AXIS, ROTOR, SPEED, TORQUE, DURATION = np.array([0.6, 0.0, 0.8]), 4.0, 30.0, 5.0, 4.0
EXHAUST = 210.0 * 9.80665  # [m/s]


def ship(spin: np.ndarray, vehicle: dict[str, Any] | None = None, **tables: Any) -> planetfall.Scenario:
    """Near a small heavy ball, its engine at two thirds from the start on, its rotor driven."""
    rate = float(np.linalg.norm(spin))
    wheel = {
        "name": "wheel", "axis": AXIS.tolist(), "inertia": ROTOR, "speed": SPEED, "times": [0.0, DURATION],
        "torques": [TORQUE, TORQUE],
    }  # fmt: skip
    target: dict[str, Any] = {"name": "ball", "gm": GM, "frame": "P"}
    if rate:
        target |= {"spin_rate": rate, "spin_axis": (spin / rate).tolist()}
    return flown(
        [engine(position=ENGINE_AT.tolist(), direction=DIRECTION.tolist(), thrust=THRUST)],
        {"mass": 200.0, "positions": TANKS.tolist()},
        {"flywheels": [wheel], **(vehicle or {})},
        **{
            "target": target,
            "gravity": {"model": "point"},
            "terrain": {"model": "plane", "point": [0.0, 0.0, -1e5]},
            "initial": {
                "position": PLACE.tolist(), "velocity": VELOCITY.tolist(),
                "attitude": ATTITUDE.as_quat().tolist(), "angular_velocity": RATE.tolist(),
            },
            "scenario": {"name": "test", "duration": DURATION},
            **tables,
        },
    )  # fmt: skip


@lru_cache
def run(spin: tuple[float, ...], step: float = 1.0 / 1024.0) -> Trajectory:
    scenario = ship(np.array(spin), integrator={"method": "rk4", "step": step})
    return planetfall.run(scenario, controller=steady(2.0 / 3.0))


def expected(spin: np.ndarray) -> np.ndarray:
    """The state at the end in the turning frame, from one that does not turn and is the same at time zero."""
    rocket = Rocket(
        1000.0, np.diag([600.0, 700.0, 900.0]), TANKS, ENGINE_AT, THRUST * DIRECTION, THRUST / EXHAUST, AXIS, ROTOR,
        TORQUE, GM,
    )  # fmt: skip
    R = ATTITUDE.as_matrix()
    start = np.concatenate([
        PLACE, VELOCITY + np.cross(spin, PLACE), ATTITUDE.as_quat(), RATE + R.T @ spin, [SPEED, 0.0],
    ])  # fmt: skip
    end = rocket.flown(start, DURATION)
    turned = Rotation.from_rotvec(-spin * DURATION)
    position, attitude = turned.apply(end[:3]), turned * Rotation.from_quat(end[6:10])
    velocity = turned.apply(end[3:6]) - np.cross(spin, position)
    omega = end[10:13] - attitude.inv().apply(spin)
    return np.concatenate([position, velocity, attitude.as_matrix().ravel(), omega, end[13:]])


@pytest.mark.parametrize("spin", [SPIN, np.zeros(3)], ids=["turning", "at rest"])
def test_against_the_motion_in_inertial_space(spin: np.ndarray) -> None:
    """RK4's error, (omega h)^4 of 4096 steps at about 1 rad/s, and its rounding are below the 1e-10 of the oracle."""
    data, end = run(tuple(spin)).data, expected(spin)
    assert data.position.values[-1, 0] == pytest.approx(end[:3], rel=1e-11)
    assert data.velocity.values[-1, 0] == pytest.approx(end[3:6], abs=1e-10)
    attitude = Rotation.from_quat(data.quaternion.values[-1, 0]).as_matrix()
    assert attitude.ravel() == pytest.approx(end[6:15], abs=1e-10)
    assert data.angular_velocity.values[-1, 0] == pytest.approx(end[15:18], abs=1e-10)
    assert data.flywheel_speed.values[-1, 0] == pytest.approx(end[18], abs=1e-9)
    assert 200.0 - data.propellant.values[-1, 0] == pytest.approx(end[19], rel=1e-12)


def test_the_jacobi_integral_changes_by_what_is_booked() -> None:
    """Thrust, motor and exhaust explain it to the error of the integration, which falls by 16 with half the step."""
    closures = [run(tuple(SPIN), step).summary["energy_closure_J"] for step in (1.0 / 64.0, 1.0 / 128.0, 1.0 / 1024.0)]
    turned_over = float(np.ptp(run(tuple(SPIN)).data.work_external.values))
    assert turned_over > 1e4
    assert closures[2] < 1e-10 * turned_over
    assert 12.0 < closures[0] / closures[1] < 22.0


def test_mass_is_what_was_there_less_what_was_burnt() -> None:
    data = run(tuple(SPIN)).data
    np.testing.assert_allclose(data.mass.values[:, 0] - data.propellant.values[:, 0], 800.0, rtol=1e-15)


def test_with_an_arm_the_motion_does_not_depend_on_the_frame() -> None:
    """Engine, tanks, rotor and a driven arm in one body, seen from a frame that turns and from one that does not."""
    arm = {
        "mass": 60.0, "pivot": [0.2, 0.1, 0.3], "axis": [0.0, 0.0, 1.0], "direction": [1.0, 0.0, 0.0], "length": 0.5,
        "inertia": 2.0, "times": [0.0, DURATION], "torques": [8.0, -6.0], "angle_deg": 20.0, "speed": 1.0,
    }  # fmt: skip
    turning = ship(SPIN, {"arm": arm})
    inertial = ship(np.zeros(3), {"arm": arm}, initial={
        "position": PLACE.tolist(), "velocity": (VELOCITY + np.cross(SPIN, PLACE)).tolist(),
        "attitude": ATTITUDE.as_quat().tolist(), "angular_velocity": (RATE + ATTITUDE.inv().apply(SPIN)).tolist(),
    })  # fmt: skip
    first, second = (planetfall.run(scenario, controller=steady(2.0 / 3.0)) for scenario in (turning, inertial))
    back = Rotation.from_rotvec(-SPIN * DURATION)
    found, seen = first.data, second.data
    np.testing.assert_allclose(found.position.values[-1, 0], back.apply(seen.position.values[-1, 0]), rtol=1e-10)
    for name in ("arm_angle", "arm_speed", "flywheel_speed"):
        np.testing.assert_allclose(found[name].values[-1], seen[name].values[-1], rtol=1e-10, err_msg=name)
    assert found.center_of_mass.values[-1, 0] == pytest.approx(seen.center_of_mass.values[-1, 0], abs=1e-12)
    for run_ in (first, second):
        assert run_.summary["energy_closure_J"] < 1e-9 * float(np.ptp(run_.data.work_external.values))

"""Pushes and thrusters against closed forms: polynomials in time, a body spun up, and the work of a constant force.

A block without gravity, far from the ground. Tables jump at their ends and have a kink inside; fixed steps fall on
those instants here (`test_order_through_force_tables` has those that do not).
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import planetfall
from planetfall.record.trajectory import Trajectory
from support.pushed_block import INERTIA_Z, MASS, SPIN_UP, block_in_space, force, spun_up, thrown

METHODS = [
    pytest.param({"integrator__method": "rk4", "integrator__step": 0.01}, id="rk4"),
    pytest.param({"integrator__method": "adaptive", "integrator__tolerance": 1e-10}, id="adaptive"),
]
SKEW = np.array([2.0, -3.0, 6.0]) / 7.0
START, END = 0.5, 2.0  # of the push [s]


def final(run: Trajectory, name: str) -> np.ndarray:
    """A body's variable at the last frame."""
    return run.data[name].values[-1, 0]


@pytest.mark.parametrize("method", METHODS)
def test_constant_push(method: dict) -> None:
    """x is quadratic in time: both methods are exact but for rounding, 300 steps of 1e-16 at most."""
    push = force("push", ((START, END), (50.0, 50.0)), SKEW)
    run = planetfall.run(block_in_space(push, None, scenario__duration=3.0, **method))
    speed = 50.0 / MASS * (END - START)
    way = 0.5 * speed * (END - START) + speed * (3.0 - END)
    np.testing.assert_allclose(final(run, "velocity"), speed * SKEW, rtol=1e-13)
    np.testing.assert_allclose(final(run, "position"), way * SKEW, rtol=1e-13)
    np.testing.assert_allclose(final(run, "angular_velocity"), 0.0, atol=0.0)
    assert run.data.work_external.values[-1] == pytest.approx(0.5 * MASS * speed**2, rel=1e-13)


@pytest.mark.parametrize("method", METHODS)
def test_ramped_push(method: dict) -> None:
    """From 20 to 80 N: x is cubic in time, the work quartic, and both methods are exact on those."""
    push = force("push", ((START, END), (20.0, 80.0)), SKEW)
    run = planetfall.run(block_in_space(push, None, scenario__duration=END, **method))
    span, slope = END - START, 60.0 / (END - START)
    speed = (20.0 * span + slope * span**2 / 2.0) / MASS
    way = (20.0 * span**2 / 2.0 + slope * span**3 / 6.0) / MASS
    np.testing.assert_allclose(final(run, "velocity"), speed * SKEW, rtol=1e-13)
    np.testing.assert_allclose(final(run, "position"), way * SKEW, rtol=1e-13)
    assert run.data.work_external.values[-1] == pytest.approx(0.5 * MASS * speed**2, rel=1e-13)


@pytest.mark.parametrize("method", METHODS)
def test_push_is_zero_outside_its_table(method: dict) -> None:
    """Before the first and after the last instant nothing changes the velocity, to the last bit."""
    push = force("push", ((START, END), (50.0, 50.0)), SKEW)
    run = planetfall.run(block_in_space(push, None, scenario__duration=3.0, **method))
    time, velocity = run.data.time.values, run.data.velocity.values[:, 0]
    assert np.all(velocity[time <= START] == 0.0)
    after = velocity[time >= END + 1e-9]
    assert len(after) > 10
    assert np.all(after == after[-1])


def turning_error(run: Trajectory, angle: float, rate: float) -> float:
    """What a method may leave of a body that has turned by an angle [rad], at up to a rate [rad/s], relative to one.

    RK4: the first term that it leaves out of exp(i w h), (w h)^5/120 a step, summed over the steps. Adaptive: the
    tolerance a step; lengths and speeds are measured by the block's size, which is below one.
    """
    method = run.scenario.integrator
    if method.method == "rk4":
        return angle * (rate * method.step) ** 4 / 120.0
    return run.summary["steps"] * method.tolerance


@pytest.mark.parametrize("method", METHODS)
def test_thruster_off_the_axis_spins_the_body_up(method: dict) -> None:
    """Rate and angle are quadratic and cubic in time, the path is a quadrature of the turned thrust."""
    run = planetfall.run(block_in_space(None, SPIN_UP, scenario__duration=4.0, **method))
    _, angle, rate = spun_up(4.0)
    position, velocity = thrown(4.0)
    allowed = turning_error(run, angle, rate)
    np.testing.assert_allclose(final(run, "angular_velocity"), [0.0, 0.0, rate], atol=allowed)
    turned = Rotation.from_quat(final(run, "quaternion")) * Rotation.from_rotvec([0.0, 0.0, angle]).inv()
    assert turned.magnitude() < allowed
    np.testing.assert_allclose(final(run, "position"), position, atol=allowed)
    np.testing.assert_allclose(final(run, "velocity"), velocity, atol=allowed)
    energy = 0.5 * MASS * velocity @ velocity + 0.5 * INERTIA_Z * rate**2
    assert run.data.work_external.values[-1] == pytest.approx(energy, abs=2.0 * energy * allowed)


@pytest.mark.parametrize("method", METHODS)
def test_work_of_a_constant_push_is_force_times_way_of_its_point(method: dict) -> None:
    """Off the axis the block swings under the push like a pendulum, through all angles; the work has a closed form."""
    point = np.array([0.5, -0.3, 0.2])
    push = force("push", ((0.0, 3.0), (80.0, 80.0)), SKEW, point)
    run = planetfall.run(block_in_space(push, None, scenario__duration=3.0, record__interval=0.1, **method))
    at_point = run.data.position.values[:, 0] + Rotation.from_quat(run.data.quaternion.values[:, 0]).apply(point)
    expected = 80.0 * (at_point - at_point[0]) @ SKEW
    assert np.ptp(expected) > 100.0
    rate = float(np.linalg.norm(run.data.angular_velocity.values, axis=2).max())
    allowed = turning_error(run, 3.0 * rate, rate) * expected.max()
    np.testing.assert_allclose(run.data.work_external.values, expected, atol=allowed)
    np.testing.assert_allclose(run.data.energy_kinetic.values, expected, atol=allowed)

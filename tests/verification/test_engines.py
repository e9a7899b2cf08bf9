"""Engines and propellant against closed forms and an independent integration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import planetfall
from planetfall.scenario.tables.run.attitude import rotation_matrix
from support.flown import engine, flown, masses_left, steady

STEP = 1.0 / 1024.0
SPEED = 210.0 * 9.80665  # exhaust speed [m/s]


def skew(v: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def test_thrust_lags_propellant_is_its_integral_and_speed_the_rocket_equation() -> None:
    """From the first command on, one step after the first call: T = T_c (1 - exp(-t/tau)), burnt = integral/(Isp g0).

    RK4 on T' = (T_c - T)/tau errs by (h/tau)^4/120 of T_c in all, 1.2e-9; both ends of it by the same share.
    """
    data = planetfall.run(flown([engine()]), controller=steady(0.8)).data
    t = np.maximum(data.time.values - STEP, 0.0)
    thrust = 2400.0 * -np.expm1(-t / 0.05)
    burnt = 2400.0 / SPEED * (t + 0.05 * np.expm1(-t / 0.05))
    assert data.thrust.values[:, 0] == pytest.approx(thrust, abs=2400.0 * 1.3e-9)
    assert 200.0 - data.propellant.values[:, 0] == pytest.approx(burnt, abs=2400.0 / SPEED * 0.05 * 1.3e-9 * 20)
    assert data.mass.values[:, 0] == pytest.approx(1000.0 - burnt, rel=1e-12)
    speed = SPEED * np.log(1000.0 / data.mass.values[:, 0])
    assert data.velocity.values[:, 0, 2] == pytest.approx(speed, abs=1e-10)
    assert data.throttle.values[-1, 0] == 0.8


def test_propellant_is_the_sum_of_thrust_over_isp_for_any_command() -> None:
    """Simpson over frames at every step; the throttle steps at 64 Hz, on frames, so that each piece is smooth."""
    from planetfall.flight.controller import Command
    from support.flown import Scripted

    rng = np.random.default_rng(5)
    wild = Scripted(lambda seen: Command(throttles=[float(rng.uniform(0.1, 1.0))]))
    data = planetfall.run(flown([engine()], record={"interval": STEP}), controller=wild).data
    thrust = data.thrust.values[:, 0]
    trapezoid = np.sum(0.5 * (thrust[1:] + thrust[:-1])) * STEP
    curvature = 3000.0 / 0.05**2 * STEP**2 / 12.0  # bound of the rule's error per second, |T''| <= T_max/tau^2
    assert 200.0 - data.propellant.values[-1, 0] == pytest.approx(trapezoid / SPEED, abs=curvature / SPEED)


def test_mass_centre_and_inertia_follow_the_tanks() -> None:
    """Against points taken away one by one: the record's mass and centre of mass, and the motion below."""
    tanks = np.array([[0.6, 0.1, 0.2], [-0.3, 0.4, 0.2]])
    scenario = flown([engine()], {"mass": 200.0, "positions": tanks.tolist()})
    data = planetfall.run(scenario, controller=steady(1.0)).data
    burnt = 200.0 - data.propellant.values[-1, 0]
    mass, c, _ = masses_left(1000.0, np.diag([600.0, 700.0, 900.0]), burnt, tanks)
    assert data.mass.values[-1, 0] == pytest.approx(mass, rel=1e-14)
    assert data.center_of_mass.values[-1, 0] == pytest.approx(c, rel=1e-12)


def test_motion_with_a_moving_centre_of_mass_is_that_of_six_equations_about_the_reference_point() -> None:
    """An independent form: [m, -m c~; m c~, I_O] (a_O, omega') = F and torque about O, solved as one 6 x 6 system."""
    tanks = np.array([[0.6, 0.1, 0.2], [-0.3, 0.4, 0.5]])
    position, direction = np.array([0.3, -0.2, -0.5]), np.array([0.0, 0.6, 0.8])
    inertia, omega = np.diag([600.0, 700.0, 900.0]), np.array([0.4, -0.3, 0.5])
    scenario = flown(
        [engine(position=position.tolist(), direction=direction.tolist(), thrust=2000.0)],
        {"mass": 200.0, "positions": tanks.tolist()},
        initial={"angular_velocity": omega.tolist(), "velocity": [1.0, 2.0, 3.0]},
        gravity={"model": "uniform", "acceleration": 3.7},
        scenario={"name": "test", "duration": 4.0},
    )
    data = planetfall.run(scenario, controller=steady(2.0 / 3.0)).data

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        R, w, burnt = rotation_matrix(y[6:10]), y[10:13], y[13]
        mass, c, about_c = masses_left(1000.0, inertia, burnt, tanks)
        about_o = about_c + mass * (c @ c * np.eye(3) - np.outer(c, c))
        force = 2000.0 * direction + mass * (R.T @ [0.0, 0.0, -3.7])
        torque = np.cross(position, 2000.0 * direction) + np.cross(c, mass * (R.T @ [0.0, 0.0, -3.7]))
        left = np.block([[mass * np.eye(3), -mass * skew(c)], [mass * skew(c), about_o]])
        right = np.concatenate([force - mass * np.cross(w, np.cross(w, c)), torque - np.cross(w, about_o @ w)])
        found = np.linalg.solve(left, right)
        x, y_, z, s = y[6:10]
        turn = 0.5 * np.array([
            s * w[0] + y_ * w[2] - z * w[1], s * w[1] + z * w[0] - x * w[2], s * w[2] + x * w[1] - y_ * w[0],
            -x * w[0] - y_ * w[1] - z * w[2],
        ])  # fmt: skip
        return np.concatenate([y[3:6], R @ found[:3], turn, found[3:], [2000.0 / SPEED]])

    start = np.concatenate([np.zeros(3), [1.0, 2.0, 3.0], [0.0, 0.0, 0.0, 1.0], omega, [0.0]])
    end = solve_ivp(rate, (0.0, 4.0), start, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    # RK4 with rates of 1 rad/s: (w h)^4 over 4 s, far below; the oracle's own tolerance decides
    assert data.position.values[-1, 0] == pytest.approx(end[:3], abs=1e-9)
    assert data.angular_velocity.values[-1, 0] == pytest.approx(end[10:13], abs=1e-10)
    closure = planetfall.run(scenario, controller=steady(2.0 / 3.0)).summary["energy_closure_J"]
    assert closure < 1e-9 * float(data.energy_kinetic.values.max())


def test_a_failed_engine_dies_with_its_lag() -> None:
    data = planetfall.run(flown([engine(thrust=1500.0, fail_time=0.5)]), controller=steady(0.5)).data
    after = data.time.values > 0.5
    assert data.thrust.values[~after, 0] == pytest.approx(1500.0, rel=1e-12)
    expected = 1500.0 * np.exp(-(data.time.values[after] - 0.5) / 0.05)
    assert data.thrust.values[after, 0] == pytest.approx(expected, abs=1500.0 * 1.3e-9)


def test_a_biased_engine_gives_more_than_it_is_told() -> None:
    data = planetfall.run(flown([engine(bias=0.03, thrust=1545.0)]), controller=steady(0.5)).data
    assert data.thrust.values[-1, 0] == pytest.approx(1545.0, rel=1e-12)
    assert data.throttle.values[-1, 0] == 0.5


def test_empty_tanks_end_the_thrust() -> None:
    """Within one step: no more than that step's flow beyond what there was."""
    scenario = flown([engine(thrust=3000.0)], {"mass": 0.5}, scenario={"name": "test", "duration": 2.0})
    data = planetfall.run(scenario, controller=steady(1.0)).data
    assert data.thrust.values[-1, 0] == 0.0
    assert -3000.0 / SPEED * STEP <= data.propellant.values[-1, 0] <= 0.0

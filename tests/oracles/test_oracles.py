"""The oracles checked against each other and against plain integration: an oracle that is wrong proves nothing."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from oracles import closed_forms as cf

Array = cf.Array

TIGHT = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-15}  # truncation far below every tolerance used here


def integrated(rate: Callable[[float, Array], Array], y0: Array, t: float) -> Array:
    """State at t by plain integration at the tightest tolerance, in units where the state is of order one."""
    solution = solve_ivp(rate, (0.0, t), y0, **TIGHT)
    assert solution.success
    return solution.y[:, -1]


@pytest.mark.parametrize("damping_ratio", [0.0, 0.1, 0.2, 0.7, 1.0, 1.5])
@pytest.mark.parametrize("is_clamped", [True, False])
def test_restitution_is_that_of_the_integrated_contact(damping_ratio: float, is_clamped: bool) -> None:
    """Unit mass and stiffness, unit approach speed; the event is located to rounding."""
    if damping_ratio >= 1.0 and not is_clamped:
        assert cf.restitution_unclamped(damping_ratio) == 0.0  # an overdamped wheel that may be pulled never leaves
        return

    def leaving(_: float, y: Array) -> float:
        return y[0] + 2.0 * damping_ratio * y[1] if is_clamped and damping_ratio > 0.0 else y[0]

    leaving.terminal, leaving.direction = True, 1.0  # type: ignore[attr-defined]
    solution = solve_ivp(
        lambda _, y: np.array([y[1], -y[0] - 2.0 * damping_ratio * y[1]]),
        (0.0, 50.0),
        [0.0, -1.0],
        events=leaving,
        **TIGHT,
    )
    expected = (cf.restitution_clamped if is_clamped else cf.restitution_unclamped)(damping_ratio)
    assert solution.y[1, -1] == pytest.approx(expected, abs=1e-11)


def test_damped_spring_is_the_integrated_one() -> None:
    """Mass 2, stiffness 7, damping 0.9, gravity 1.3, all SI."""
    y = integrated(lambda _, y: np.array([y[1], (-7.0 * y[0] - 0.9 * y[1]) / 2.0 - 1.3]), np.array([0.2, -1.1]), 3.0)
    x, v = cf.damped_spring(3.0, 0.2, -1.1, mass=2.0, stiffness=7.0, damping=0.9, gravity=1.3)
    np.testing.assert_allclose([x, v], y, rtol=0.0, atol=1e-12)


def test_sliding_speeds_balance_the_friction_table() -> None:
    """Creep speed and unstable speed are where the table of `Raiszadeh2012` Figure 4 equals tan(slope)."""
    mu = math.tan(math.radians(32.0)), math.tan(math.radians(27.0))
    slope = math.radians(29.0)
    for speed in (cf.creep_speed(slope, 0.05, mu[0]), cf.bistable_speed(slope, 0.05, 0.10, *mu)):
        assert np.interp(speed, [0.0, 0.05, 0.10], [0.0, *mu]) == pytest.approx(math.tan(slope), rel=1e-14)
    assert cf.slide_acceleration(3.7132, math.radians(27.0), mu[1]) == pytest.approx(0.0, abs=1e-15)


def test_static_loads_are_the_papers() -> None:
    """`Raiszadeh2012`, by hand: 502.5 and 1045.4 N, printed to 0.1 N."""
    loads = cf.static_wheel_loads(899.18, 3.7132, math.radians(22.0), 1.165, 1.095, 0.8944)
    np.testing.assert_allclose(loads, [502.5, 1045.4], rtol=0.0, atol=0.05)
    assert sum(loads) == pytest.approx(0.5 * 899.18 * 3.7132 * math.cos(math.radians(22.0)), rel=1e-14)


def two_body(_: float, y: Array) -> Array:
    """Two-body motion with GM = 1, state (r, v)."""
    return np.array([*y[3:], *(-y[:3] / np.linalg.norm(y[:3]) ** 3)])


@pytest.mark.parametrize("speed", [0.3, 0.9, math.sqrt(2.0), 1.9])
@pytest.mark.parametrize("t", [-1.9, 0.7, 2.2])
def test_kepler_arc_is_the_integrated_orbit(speed: float, t: float) -> None:
    """Ellipses, the parabola and a hyperbola; the deep ellipse passes the centre once, at 0.05, hence not 1e-13."""
    r0, v0 = np.array([1.0, 0.0, 0.0]), speed * np.array([0.1, 0.8, math.sqrt(0.35)])
    y = integrated(two_body, np.array([*r0, *v0]), t)
    np.testing.assert_allclose(np.concatenate(cf.kepler_arc(r0, v0, 1.0, t)), y, rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("n_periods", [1, -3])
def test_kepler_arc_closes_after_whole_periods(n_periods: int) -> None:
    """A Mars orbit of 4000 x 9000 km; 1e-7 m is 3e-15 of its length, a few roundings."""
    gm, r0 = 4.282837e13, np.array([4.0e6, 0.0, 0.0])
    a = 6.5e6
    v0 = math.sqrt(gm * (2.0 / 4.0e6 - 1.0 / a)) * np.array([0.0, 0.6, 0.8])
    r, v = cf.kepler_arc(r0, v0, gm, n_periods * 2.0 * math.pi * math.sqrt(a**3 / gm))
    np.testing.assert_allclose(r, r0, rtol=0.0, atol=1e-7)
    np.testing.assert_allclose(v, v0, rtol=0.0, atol=1e-10)


def test_rotating_view_obeys_the_rotating_equations() -> None:
    """The view of a Kepler arc satisfies the motion with the Coriolis and centrifugal accelerations."""
    axis, rate = np.array([0.2, -0.5, 0.9]), 0.7
    omega = rate * axis / np.linalg.norm(axis)

    def rotating(t: float, y: Array) -> Array:
        r, v = y[:3], y[3:]
        return np.array([*v, *(two_body(t, y)[3:] - 2.0 * np.cross(omega, v) - np.cross(omega, np.cross(omega, r)))])

    r0, v0 = np.array([1.0, 0.2, -0.1]), np.array([-0.1, 0.8, 0.5])
    y = integrated(rotating, np.array([*r0, *(v0 - np.cross(omega, r0))]), 5.0)
    view = cf.rotating_view(*cf.kepler_arc(r0, v0, 1.0, 5.0), axis, rate, 5.0)
    np.testing.assert_allclose(np.concatenate(view), y, rtol=0.0, atol=1e-10)


def test_node_rate_is_that_of_the_integrated_orbit() -> None:
    """One revolution, node to node; the closed form is of first order, so it errs by a few J2."""
    j2, inclination, eccentricity = 1e-5, math.radians(50.0), 0.3

    def oblate(_: float, y: Array) -> Array:
        x, r2 = y[:3], float(y[:3] @ y[:3])
        pull = 1.0 + 1.5 * j2 / r2 * (np.array([1.0, 1.0, 3.0]) - 5.0 * x[2] ** 2 / r2)
        return np.array([*y[3:], *(-x * r2**-1.5 * pull)])

    def node(_: float, y: Array) -> float:
        return y[2]

    node.terminal, node.direction = True, 1.0  # type: ignore[attr-defined]
    perigee = 2.0 * (1.0 - eccentricity)
    speed = math.sqrt((1.0 + eccentricity) / perigee)
    y0 = np.array([perigee, 0.0, 0.0, 0.0, speed * math.cos(inclination), speed * math.sin(inclination)])
    period = 2.0 * math.pi * 2.0**1.5
    below = integrated(oblate, y0, 0.75 * period)
    end = solve_ivp(oblate, (0.0, period), below, events=node, **TIGHT).y[:, -1]
    expected = cf.j2_node_rate(1.0, j2, 1.0, 2.0, eccentricity, inclination) * period
    assert math.atan2(end[1], end[0]) == pytest.approx(expected, rel=10.0 * j2)


# Both branches, both signs, near the unstable axis, and steady about an axis [rad/s].
RATES = [(0.3, 0.1, -0.8), (-0.9, 0.2, 0.15), (0.2, 0.7, 0.1), (0.0, 0.5, -0.02), (0.0, 0.0, 1.0), (0.0, 1e-3, 1.0)]


@pytest.mark.parametrize("inertia", list(itertools.permutations((405.09, 571.41, 774.84))))
@pytest.mark.parametrize("omega0", RATES)
def test_torque_free_top_is_the_integrated_one(inertia: tuple[float, ...], omega0: tuple[float, ...]) -> None:
    """Every order of the axes, over 20 s; close to the unstable axis the phase itself loses three digits."""
    moments = np.array(inertia)
    y = integrated(lambda _, w: np.cross(moments * w, w) / moments, np.array(omega0), 20.0)
    rates = cf.torque_free_rates(moments, omega0, np.array([0.0, 20.0]))
    np.testing.assert_allclose(rates[0], omega0, rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(rates[1], y, rtol=0.0, atol=1e-10)


def test_torque_free_top_refuses_the_separatrix() -> None:
    """L^2 = 2 T I_b with moments 1, 2, 4: omega_a^2 = 8 omega_c^2 gives 1 (1-2) 8 + 4 (4-2) = 0."""
    with pytest.raises(ValueError, match="separatrix"):
        cf.torque_free_rates([1.0, 2.0, 4.0], [math.sqrt(8.0), 0.3, 1.0], 1.0)

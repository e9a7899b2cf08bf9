"""The planar drop checked against ballistics, energy, statics, one-dimensional contact and a plain integration."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from oracles import closed_forms as cf
from oracles.planar_drop import PlanarCase, PlanarResult, drop, energy_residual, mechanical_energy

SYMMETRIC = ((0.9, 1.1), (0.9, -1.1))  # body (x, z) of wheels that load equally on flat ground [m]


@pytest.fixture(scope="module")
def paper() -> PlanarResult:
    """The Table 1 drop."""
    return drop(PlanarCase())


def test_first_touch_is_ballistic(paper: PlanarResult) -> None:
    """Free fall onto the incline has no error but rounding."""
    slope = paper.case.slope
    gap = (2.0 - 0.8944) * math.cos(slope) - 1.165 * math.sin(slope)
    assert paper.first_touch[0] == pytest.approx(math.sqrt(2.0 * gap / (3.7132 * math.cos(slope))), abs=1e-14)


def test_energy_balances(paper: PlanarResult) -> None:
    """What is lost is what damper and friction took, to 1e-10 of the energy: rtol times the number of arcs."""
    energy = float(mechanical_energy(paper.case, paper.case.initial_state()))
    assert abs(energy_residual(paper)) < 1e-10 * energy


def test_energy_is_conserved_without_damper_and_friction() -> None:
    """No use is made of the lost power here; some 1000 steps at rtol 1e-11."""
    case = PlanarCase(damping_ratio=0.0, angle_stick=0.0, angle_slide=0.0, duration=4.0)
    result = drop(case)
    assert sum(len(times) for times in result.touch_times) >= 4
    energies = [float(mechanical_energy(case, result.state(t))) for t in np.linspace(0.0, 4.0, 200)]
    np.testing.assert_allclose(energies, energies[0], rtol=1e-9)


def test_tolerance_does_not_matter(paper: PlanarResult) -> None:
    """Halving rtol must not move the touches, nor a hundred times rtol the outcome by more than its own size."""
    finer, coarser = drop(paper.case, 5e-12), drop(paper.case, 1e-9)
    np.testing.assert_allclose(finer.first_touch, paper.first_touch, rtol=0.0, atol=1e-10)
    for name in ("peak_normal", "slide_distance", "slide_after_last_bounce", "stop_time", "final_normal"):
        np.testing.assert_allclose(getattr(finer, name), getattr(paper, name), rtol=1e-9)
        np.testing.assert_allclose(getattr(coarser, name), getattr(paper, name), rtol=2e-8)


def test_rest_is_static_creep(paper: PlanarResult) -> None:
    """Loads within 0.3 % of the hand calculation, which leaves out the tilt of the sinks, and exact with the tilt."""
    slope = paper.case.slope
    hand = cf.static_wheel_loads(899.18, 3.7132, slope, 1.165, 1.095, 0.8944)
    np.testing.assert_allclose(hand, [502.464, 1045.393], rtol=0.0, atol=5e-4)
    np.testing.assert_allclose(paper.final_normal, hand, rtol=3e-3)
    tilt = paper.final_state[2] + slope
    up, down = (
        (down * math.sin(tilt) - west * math.cos(tilt), down * math.cos(tilt) + west * math.sin(tilt))
        for down, west in paper.case.wheels
    )  # wheel from the centre of mass, (downhill, into the ground) [m]; moments balance about that centre
    lever_up, lever_down = (-arm[0] + math.tan(slope) * arm[1] for arm in (up, down))
    total = 0.5 * 899.18 * 3.7132 * math.cos(slope)
    tilted = total * -lever_down / (lever_up - lever_down), total * lever_up / (lever_up - lever_down)
    np.testing.assert_allclose(paper.final_normal, tilted, rtol=1e-8)
    creep = cf.creep_speed(slope, paper.case.speed_stick, paper.case.friction_table[0])
    np.testing.assert_allclose(paper.final_velocity, [creep, 0.0], rtol=0.0, atol=1e-9)


def test_events_alternate_and_end_where_they_say(paper: PlanarResult) -> None:
    """Touch, unload and lift-off follow each other, the wheel stays below ground at the end, the stop is a stop."""
    for touches, unloads, lifts in zip(paper.touch_times, paper.unload_times, paper.lift_off_times, strict=True):
        assert len(touches) == len(unloads) + 1 == len(lifts) + 1
        order = [t for trio in zip(touches, unloads, lifts, strict=False) for t in trio] + [touches[-1]]
        assert order == sorted(order)
    assert math.hypot(*paper.state(paper.stop_time)[3:5]) == pytest.approx(paper.case.speed_stick, rel=1e-12)
    later = np.linspace(paper.stop_time + 1e-6, paper.case.duration, 2000)
    assert max(math.hypot(*paper.state(t)[3:5]) for t in later) < paper.case.speed_stick
    assert paper.last_bounce_time in (*paper.touch_times[0], *paper.touch_times[1])


def test_peaks_are_maxima(paper: PlanarResult) -> None:
    """No sample of the whole run exceeds a peak, and the force there is the peak."""
    for i_wheel, (peak, time) in enumerate(zip(paper.peak_normal, paper.peak_time, strict=True)):
        assert paper.normal_forces(time)[i_wheel] == pytest.approx(peak, rel=1e-12)
        around = [paper.normal_forces(time + s)[i_wheel] for s in np.linspace(-0.02, 0.02, 4001)]
        assert max(around) <= peak * (1.0 + 1e-13)


@pytest.mark.parametrize("is_clamped", [True, False])
def test_flat_symmetric_drop_is_one_dimensional(is_clamped: bool) -> None:
    """Four equal wheels that touch at once are one spring-damper of 4 K and 4 C, which has a closed form."""
    case = PlanarCase(slope=0.0, wheels=SYMMETRIC, duration=1.0, is_clamped=is_clamped)
    result = drop(case)
    touch = math.sqrt(2.0 * (2.0 - 0.9) / case.gravity)
    np.testing.assert_allclose(result.first_touch, touch, rtol=0.0, atol=1e-12)
    times = np.linspace(0.0, 0.08, 200_001)
    x, v = cf.damped_spring(
        times, 0.0, -case.gravity * touch, case.mass, 4.0 * case.stiffness, 4.0 * case.damping, case.gravity
    )
    # The sampled maximum of the closed form is below the true one by (omega dt)^2 / 8, 3e-11.
    np.testing.assert_allclose(result.peak_normal, np.max(-case.stiffness * x - case.damping * v), rtol=1e-9)
    y = result.state(touch + 0.04)
    x, v = cf.damped_spring(
        0.04, 0.0, -case.gravity * touch, case.mass, 4.0 * case.stiffness, 4.0 * case.damping, case.gravity
    )
    np.testing.assert_allclose(y, [0.0, 0.9 + float(x), 0.0, 0.0, float(v), 0.0], rtol=0.0, atol=1e-10)


@pytest.mark.parametrize("is_clamped", [True, False])
def test_rebound_is_the_closed_form(is_clamped: bool) -> None:
    """Four wheels with the whole mass each: damping ratio d sqrt(4). Gravity adds about g/(omega v) = 3e-8."""
    case = PlanarCase(
        slope=0.0, wheels=SYMMETRIC, gravity=1e-6, sink_at_rest=1e-6 / 371.0, height=1.0, velocity_up=-1.0, duration=0.4
    )
    result = drop(replace(case, is_clamped=is_clamped))
    expected = (cf.restitution_clamped if is_clamped else cf.restitution_unclamped)(2.0 * case.damping_ratio)
    assert result.final_state[4] == pytest.approx(expected, abs=5e-7)


def test_steep_slide_accelerates_as_a_point() -> None:
    """On 33 degrees it runs away; once the bouncing has died out the acceleration is the closed form."""
    result = drop(PlanarCase(slope=math.radians(33.0), duration=9.0))
    sine, cosine = math.sin(result.case.slope), math.cos(result.case.slope)
    late, end = (y[3] * cosine - y[4] * sine for y in (result.state(8.0), result.final_state))
    expected = cf.slide_acceleration(3.7132, result.case.slope, result.case.friction_table[1])
    assert end - late == pytest.approx(expected, abs=1e-6)
    assert math.isnan(result.slide_distance)


@pytest.mark.parametrize("is_clamped", [True, False])
def test_plain_integration_in_other_coordinates_agrees(is_clamped: bool) -> None:
    """The law as one non-smooth function in incline axes, through both first contacts and no event located.

    The error control alone shrinks the steps at each kink; what it lets through there is some hundred times rtol.
    """
    case = PlanarCase(duration=1.2, pitch=0.05, velocity_east=-0.3, is_clamped=is_clamped)
    arms = np.array([complex(-west, -down) for down, west in case.wheels])  # downhill + i normal when aligned
    mu_table = [0.0, *case.friction_table, case.friction_table[1]]

    def rate(_: float, y: np.ndarray) -> list[float]:
        arm = arms * np.exp(1j * y[2])
        gap, speed = y[1] + arm.imag, y[3] + 1j * y[4] + 1j * y[5] * arm
        load = np.where(gap < 0.0, -case.stiffness * gap - case.damping * speed.imag, 0.0)
        load = np.maximum(load, 0.0) if is_clamped else load
        mu = np.interp(abs(speed.real), [0.0, case.speed_stick, case.speed_slide, 1e9], mu_table)
        force = 2.0 * (1j * load - np.sign(speed.real) * mu * abs(load))
        pull = case.gravity * complex(math.sin(case.slope), -math.cos(case.slope))
        acceleration = force.sum() / case.mass + pull
        return [y[3], y[4], y[5], acceleration.real, acceleration.imag, (arm.conj() * force).imag.sum() / case.inertia]

    turn = complex(math.cos(case.slope), math.sin(case.slope))  # (east, up) to (downhill, normal)
    start = case.initial_state()
    r0, v0 = (start[0] + 1j * start[1]) * turn, (start[3] + 1j * start[4]) * turn
    y0 = [r0.real, r0.imag, start[2] + case.slope, v0.real, v0.imag, start[5]]
    plain = solve_ivp(rate, (0.0, 1.2), y0, method="DOP853", max_step=2e-3, rtol=1e-10, atol=1e-12).y[:, -1]
    y = drop(case).final_state
    r, v = (y[0] + 1j * y[1]) * turn, (y[3] + 1j * y[4]) * turn
    np.testing.assert_allclose([r.real, r.imag, y[2] + case.slope, v.real, v.imag, y[5]], plain, rtol=0.0, atol=1e-8)

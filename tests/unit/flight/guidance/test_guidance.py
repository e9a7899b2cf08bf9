"""Guidance laws by themselves: the force that each gives for what is known of the motion, against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.flight.guidance.laws import GUIDANCE_LAWS, guide
from planetfall.flight.guidance.model import N_NUMBERS, GuidanceContext, GuidanceNumbers
from planetfall.flight.navigation.estimate import Estimate, KnownGravity, effective_gravity
from planetfall.flight.navigation.memory import N_MEMORY, SLOT_LAW
from planetfall.scenario.tables.flight.phases import FlightPhase

wp.set_module_options({"enable_backward": False, "fuse_fp": False})
LAWS = tuple(GUIDANCE_LAWS.values())
_guided = guide(LAWS)
UP = np.array([0.0, 0.0, 1.0])
MASS = 1200.0


@wp.kernel
def _force(
    law: int, numbers: wp.array(dtype=GuidanceNumbers), known: KnownGravity, position: wp.vec3d, velocity: wp.vec3d,
    passed: wp.float64, t: wp.float64, memory: wp.array2d(dtype=wp.float64), force_out: wp.array(dtype=wp.vec3d),
):  # fmt: skip
    now = Estimate()
    now.place = position
    now.velocity = velocity
    now.up = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0))
    now.gravity = effective_gravity(known, position, velocity)
    now.mass = wp.float64(1200.0)
    now.passed = passed
    force_out[0] = _guided(law, numbers[0], now, t, t, memory, 0).force
    force_out[1] = now.gravity


class Flown:
    """A law with its memory, in a known gravity; asked for the acceleration that its force gives."""

    def __init__(self, gravity: float = 1.62, spin: tuple[float, float, float] = (0.0, 0.0, 0.0), **table: Any) -> None:
        start_warp()
        guidance = FlightPhase.model_validate({"name": "tried", "guidance": table}).guidance
        own = GUIDANCE_LAWS[guidance.law].numbers(guidance, GuidanceContext(1000.0, UP))
        row = np.array([[*own, *[0.0] * (N_NUMBERS - len(own))]])
        self.numbers = wp.array(row, dtype=GuidanceNumbers, device="cpu")
        self.law = list(GUIDANCE_LAWS).index(guidance.law)
        self.memory = wp.full((N_MEMORY, 1), np.nan, dtype=wp.float64, device="cpu")
        self.memory.numpy()[16] = 0.0
        self.known = KnownGravity()
        self.known.uniform, self.known.spin = wp.vec3d(0.0, 0.0, -gravity), wp.vec3d(*spin)
        self.known.center = wp.vec3d(0.0, 0.0, -1000.0)
        self.out = wp.zeros(2, dtype=wp.vec3d, device="cpu")

    def acceleration(self, position: np.ndarray, velocity: np.ndarray, t: float, passed: float = 0.0) -> np.ndarray:
        """Of the vehicle under the force and gravity [m/s^2]; the force [N] itself is `force`."""
        inputs = [self.law, self.numbers, self.known, wp.vec3d(*position), wp.vec3d(*velocity), passed, t, self.memory]
        wp.launch(_force, 1, inputs=inputs, outputs=[self.out], device="cpu")
        force, gravity = self.out.numpy()
        self.force = force
        return force / MASS + gravity


START = np.array([-900.0, 250.0, 1500.0]), np.array([35.0, -6.0, -42.0])
TARGET = {"target": [120.0, -80.0, 20.0], "velocity": [0.5, 0.2, -1.5]}


@pytest.mark.parametrize("end", [None, [0.1, -0.2, 0.3]])
@pytest.mark.parametrize("spin", [(0.0, 0.0, 0.0), (0.0, 2e-3, 1e-3)])
def test_the_polynomial_meets_its_end_conditions(end: list[float] | None, spin: tuple[float, float, float]) -> None:
    """With a divert, solved anew at each of 40 calls, the polynomial followed exactly between them.

    To 1e-9 of what is travelled: each solution is exact but for rounding, 1e-16 of 1500 m over times no shorter than
    `keep_time`.
    """
    flown = Flown(law="polynomial", time_to_go=40.0, keep_time=2.0, acceleration=end, spin=spin, **TARGET)
    (r, v), dt, t = START, 1.0, 0.0
    for _ in range(40):
        a = flown.acceleration(r, v, t)
        c, j, k = flown.memory.numpy()[SLOT_LAW + 1 : SLOT_LAW + 10, 0].reshape(3, 3)
        left = 40.0 - t
        assert a == pytest.approx(c + j * left + 0.5 * k * left**2, abs=1e-10)
        rate, bend = -(j + k * left), k  # of the acceleration, in time that passes
        r = r + v * dt + a * dt**2 / 2 + rate * dt**3 / 6 + bend * dt**4 / 24
        v = v + a * dt + rate * dt**2 / 2 + bend * dt**3 / 6
        t += dt
    assert r == pytest.approx(TARGET["target"], abs=1e-9 * 1500)
    assert v == pytest.approx(TARGET["velocity"], abs=1e-9 * 42)
    if end is not None:
        assert flown.acceleration(r, v, t) == pytest.approx(end, abs=1e-9)


def test_the_polynomials_first_values_are_the_printed_ones() -> None:
    """Both formulas of the page, at 40 s to go; and the time to go where none is given, 2 dh/(|v| + |v_T|)."""
    (r, v), T = START, 40.0
    r_T, v_T, a_T = (np.array(x) for x in (*TARGET.values(), [0.1, -0.2, 0.3]))
    linear = Flown(law="polynomial", time_to_go=T, **TARGET).acceleration(r, v, 0.0)
    quadratic = Flown(law="polynomial", time_to_go=T, acceleration=list(a_T), **TARGET).acceleration(r, v, 0.0)
    assert linear == pytest.approx(6 * (r_T - r) / T**2 - (4 * v + 2 * v_T) / T, rel=1e-12)
    assert quadratic == pytest.approx(a_T - 6 * (v + v_T) / T + 12 * (r_T - r) / T**2, rel=1e-12)
    free = Flown(law="polynomial", **TARGET)
    free.acceleration(r, v, 3.0)
    assert free.memory.numpy()[SLOT_LAW, 0] == pytest.approx(3.0 + 2 * 1480.0 / 43.5, rel=1e-14)


def test_constant_deceleration_follows_its_closed_form() -> None:
    """From 20 m/s at 65 m to 0.75 m/s at 23 m: on the profile the acceleration is (v0^2 - v1^2)/2 dh throughout."""
    flown = Flown(law="constant-deceleration", speed=0.75, height=23.0)
    a = (20.0**2 - 0.75**2) / (2 * 42.0)
    for t in np.linspace(0.0, (20.0 - 0.75) / a - 1e-3, 7):
        v, h = 20.0 - a * t, 65.0 - 20.0 * t + 0.5 * a * t * t
        assert flown.acceleration(h * UP, -v * UP, float(t)) == pytest.approx(a * UP, abs=1e-11)
    off = flown.acceleration(40.0 * UP, -(np.sqrt(0.75**2 + 2 * a * 17.0) + 0.5) * UP, 3.0)
    assert off[2] == pytest.approx(a + 0.5, rel=1e-12)  # half a metre per second too fast, and a gain of 1/s
    assert flown.acceleration(22.0 * UP, -0.75 * UP, 9.0) == pytest.approx(0.0 * UP, abs=1e-12)


def test_a_gravity_turn_with_constant_ratio_follows_its_closed_form() -> None:
    """v(theta) of the page, by RK4 over 30 s of the turn; the error of 0.05 s steps is below 1e-9 (5e-11 measured)."""
    ratio, g = 1.6, 1.62
    flown = Flown(law="gravity-turn", thrust_to_weight=ratio, gravity=g)

    def rates(y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[3:], flown.acceleration(y[:3], y[3:], 0.0)])

    y, h = np.array([0.0, 0.0, 9000.0, 80.0, 0.0, -30.0]), 0.05
    angle = [np.arctan2(np.hypot(*y[3:5]), -y[5])]
    speed = [np.linalg.norm(y[3:])]
    for _ in range(600):
        k = [rates(y)]
        for share in (0.5, 0.5, 1.0):
            k.append(rates(y + share * h * k[-1]))
        y = y + h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3])
        angle.append(np.arctan2(np.hypot(*y[3:5]), -y[5]))
        speed.append(np.linalg.norm(y[3:]))
    theta, (first, v0) = np.array(angle), (angle[0], speed[0])
    closed = v0 * np.sin(first) / np.sin(theta) * (np.tan(theta / 2) / np.tan(first / 2)) ** ratio
    assert theta[-1] < 0.5 * first
    assert np.array(speed) == pytest.approx(closed, rel=1e-9)


def test_a_gravity_turn_ends_slow_at_its_height() -> None:
    """Straight down it is even deceleration, so that speed and height are met; slower than that it holds the speed."""
    flown, g = Flown(law="gravity-turn", speed=1.0, height=5.0), 1.62
    a = flown.acceleration(105.0 * UP, -11.0 * UP, 0.0)
    assert a[2] == pytest.approx((11.0**2 - 1.0) / 200.0, rel=1e-12)
    assert flown.force[2] == pytest.approx(MASS * (a[2] + g), rel=1e-12)
    assert flown.acceleration(5.0 * UP, -0.4 * UP, 0.0)[2] == pytest.approx(-0.6, rel=1e-12)


def test_hold_velocity_and_hold_position_are_the_laws_of_their_gains() -> None:
    """Small errors, so that the tilt is not limited; then a large one, limited to tan(10 deg) times gravity."""
    flown = Flown(law="hold-velocity", speed=0.75)
    assert flown.acceleration(9.0 * UP, np.array([0.1, 0.2, -0.5]), 0.0, passed=0.25) == pytest.approx(
        [-0.03, -0.06, 3.0 * -0.25 + 2.0 * -0.25 * 0.25], abs=1e-12
    )
    fast = flown.acceleration(9.0 * UP, np.array([30.0, 0.0, -0.75]), 0.0)
    assert fast[0] == pytest.approx(-np.tan(np.radians(10.0)) * 1.62, rel=1e-12)
    there = Flown(law="hold-position", target=[0.2, 0.0, 10.0])
    a = there.acceleration(np.array([0.0, 0.1, 9.0]), np.array([0.0, 0.02, 0.3]), 0.0)
    assert a == pytest.approx([0.05, -0.025 - 0.02, 0.25 - 0.3], abs=1e-12)
    here = Flown(law="hold-position")
    for t in (0.0, 1.0):
        assert here.acceleration(np.array([0.0, 0.1 * t, 9.0]), np.zeros(3), t)[1] == pytest.approx(
            -0.025 * t, abs=1e-12
        )


def test_gravity_in_a_turning_frame_has_all_its_parts() -> None:
    """g - 2 W x v - W x (W x r), against NumPy, with the force that holds a place against it."""
    spin, r, v = np.array([1e-3, -2e-3, 3e-3]), np.array([40.0, -30.0, 60.0]), np.array([2.0, 3.0, -1.0])
    flown = Flown(law="hold-velocity", speed=1.0, spin=tuple(spin), tilt_limit_deg=59.0, drift_gain=0.0)
    flown.acceleration(r, v, 0.0)
    arm = r + 1000.0 * UP
    expected = [0.0, 0.0, -1.62] - 2 * np.cross(spin, v) - np.cross(spin, np.cross(spin, arm))
    assert flown.out.numpy()[1] == pytest.approx(expected, rel=1e-14)
    assert flown.force == pytest.approx(-MASS * expected, rel=1e-12)  # no acceleration is wanted


def test_attitude_hold_turns_evenly() -> None:
    flown = Flown(law="attitude-hold", share=0.5, tilt_from_deg=0.0, tilt_deg=45.0, turn_time=2.0, azimuth_deg=90.0)
    for t, tilt in ((0.0, 0.0), (1.0, 22.5), (2.0, 45.0), (9.0, 45.0)):
        flown.acceleration(9.0 * UP, 0.0 * UP, t)
        angle = np.radians(tilt)
        assert flown.force == pytest.approx([500.0 * np.sin(angle), 0.0, 500.0 * np.cos(angle)], abs=1e-12)

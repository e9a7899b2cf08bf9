"""Sink at rest and restitution of a symmetric block on flat ground, against the closed forms of a spring-damper.

With its share of the mass at each foot the block as a whole has the stiffness M g/h_eq and damping ratio d, so that it
sinks by h_eq; with the whole mass at each of four feet, 4 M g/h_eq and d sqrt(4): it sinks by h_eq/4.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import planetfall
from oracles import closed_forms as cf
from planetfall.record.trajectory import Trajectory

MASS, GRAVITY, SINK = 100.0, 3.7132, 0.01
N_FEET = 4
TOLERANCE, STEP = 1e-11, 5e-4
METHODS = {
    "adaptive": {"method": "adaptive", "tolerance": TOLERANCE},
    "rk4": {"method": "rk4", "step": STEP},
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("share", ["per-point", "whole"])
def test_sink_at_rest(share: str, method: str) -> None:
    """Rest is a fixed point of either method, reached at 9.6 per second or faster: 5 s leave 1e-21; so rounding only.

    A gap of millimetres is a difference of heights of 0.2 m: some 1e-16 m. The adaptive method may move at its
    tolerance times 1.7 m/s, the speed of a fall of the block's size, which the damper, up to 1930 N s/m, turns into
    3e-8 N.
    """
    run = planetfall.run(
        planetfall.load("sink-flat").with_values({"contact.mass_share": share, "integrator": METHODS[method]})
    )
    expected = SINK if share == "per-point" else SINK / N_FEET
    np.testing.assert_allclose(run.data.contact_gap.values[-1], -expected, atol=1e-15)
    np.testing.assert_allclose(run.summary["final_normal_force_N"], MASS * GRAVITY / N_FEET, atol=3.3e-8)
    assert run.summary["outcome"] == "settled"


def test_sink_with_fewer_points_loaded() -> None:
    """`loaded_points` divides the mass by the points that carry load at rest, here given as two of the four."""
    run = planetfall.run(planetfall.load("sink-flat").with_values({"contact.loaded_points": 2}))
    np.testing.assert_allclose(run.data.contact_gap.values[-1], -SINK / 2.0, atol=1e-15)


def bounced(share: str, damping_ratio: float, clamp: bool, method: str) -> Trajectory:
    """The block thrown at the ground at 1 m/s without gravity, from 5 cm; long enough to leave again."""
    values: dict[str, Any] = {
        "scenario.duration": 0.6,
        "gravity.model": "none",
        "contact.reference_gravity": GRAVITY,
        "contact.mass_share": share,
        "contact.damping_ratio": damping_ratio,
        "contact.clamp": clamp,
        "initial": {"position": [0.0, 0.0, 0.25], "velocity": [0.0, 0.0, -1.0]},
        "integrator": METHODS[method],
    }
    return planetfall.run(planetfall.load("sink-flat").with_values(values))


def whole_body(share: str, damping_ratio: float) -> tuple[float, float]:
    """Damping ratio and frequency [rad/s] of the block on its four feet."""
    share_of_mass = 1.0 / N_FEET if share == "per-point" else 1.0
    total = N_FEET * share_of_mass
    return damping_ratio * math.sqrt(total), math.sqrt(total * GRAVITY / SINK)


CASES = [
    pytest.param(share, damping_ratio, clamp, id=f"{share}-{damping_ratio}-{'clamped' if clamp else 'unclamped'}")
    for share in ("per-point", "whole")
    for damping_ratio in (0.0, 0.1, 0.3, 0.7)
    for clamp in (True, False)
    if clamp or whole_body(share, damping_ratio)[0] < 1.0  # overdamped and pulled, it never leaves
]


@pytest.mark.parametrize(("share", "damping_ratio", "clamp"), CASES)
def test_restitution_adaptive(share: str, damping_ratio: float, clamp: bool) -> None:
    """Within the tolerance a step, on speeds of 1 m/s plus the approach speed by which speeds are measured."""
    run = bounced(share, damping_ratio, clamp, "adaptive")
    expected = (cf.restitution_clamped if clamp else cf.restitution_unclamped)(whole_body(share, damping_ratio)[0])
    np.testing.assert_allclose(
        run.data.velocity.values[-1, 0], [0.0, 0.0, expected], atol=2.0 * TOLERANCE * run.summary["steps"]
    )
    np.testing.assert_array_equal(run.summary["touchdowns"], 1)


@pytest.mark.parametrize(("share", "damping_ratio", "clamp"), CASES)
def test_restitution_rk4(share: str, damping_ratio: float, clamp: bool) -> None:
    """The damper's first push, 2 zeta w times the speed, is misplaced by up to a step; so is its last if it may pull.

    Either changes the speed by that part of itself, and the rebound in proportion. Without a damper the force has only
    a kink, which leaves (w h)^2/2.
    """
    run = bounced(share, damping_ratio, clamp, "rk4")
    zeta, frequency = whole_body(share, damping_ratio)
    expected = (cf.restitution_clamped if clamp else cf.restitution_unclamped)(zeta)
    allowed = expected * 2.0 * zeta * frequency * STEP * (1.0 if clamp else 2.0) + 0.5 * (frequency * STEP) ** 2
    np.testing.assert_allclose(run.data.velocity.values[-1, 0], [0.0, 0.0, expected], atol=allowed)


@pytest.mark.parametrize("share", ["per-point", "whole"])
def test_deepest_and_hardest_without_a_damper(share: str) -> None:
    """v/w deep and M v w hard in all; looked at four times a step, so within (w h/8)^2/2, w h about a tenth."""
    run = bounced(share, 0.0, True, "adaptive")
    _, frequency = whole_body(share, 0.0)
    assert run.summary["max_penetration_m"] == pytest.approx(1.0 / frequency, rel=1e-4)
    np.testing.assert_allclose(run.summary["peak_normal_force_N"], MASS * frequency / N_FEET, rtol=1e-4)


@pytest.mark.parametrize("share", ["per-point", "whole"])
def test_motion_in_contact_is_the_damped_spring(share: str) -> None:
    """Dropped at the surface with gravity: every frame until it is pressed upwards again, tolerance a step."""
    run = planetfall.run(
        planetfall.load("sink-flat").with_values(
            {
                "scenario.duration": 0.1,
                "contact.mass_share": share,
                "contact.damping_ratio": 0.2,
                "initial": {"position": [0.0, 0.0, 0.2], "velocity": [0.0, 0.0, -0.2]},
                "integrator": METHODS["adaptive"],
            }
        )
    )
    zeta, frequency = whole_body(share, 0.2)
    stiffness, damping = MASS * frequency**2, 2.0 * zeta * MASS * frequency
    height, speed = cf.damped_spring(run.data.time.values, 0.0, -0.2, MASS, stiffness, damping, GRAVITY)
    force = -stiffness * height - damping * speed
    assert np.all(force[1:] > 0.0)
    allowed = 2.0 * TOLERANCE * run.summary["steps"]
    np.testing.assert_allclose(run.data.position.values[:, 0, 2] - 0.2, height, atol=allowed)
    np.testing.assert_allclose(run.data.velocity.values[:, 0, 2], speed, atol=allowed)
    np.testing.assert_allclose(
        run.data.contact_normal_force.values.sum(axis=1)[1:], force[1:], atol=allowed * (stiffness + damping)
    )

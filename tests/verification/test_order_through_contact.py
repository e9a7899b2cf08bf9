"""The adaptive method keeps its order through touchdown, lift-off and the kinks of the friction table; RK4 does not.

Short drops and slides of the rover, friction on, against the planar oracle at rtol 1e-12. What each case passes through
is read off the oracle. Dormand-Prince 5(4) continued with the fifth-order solution: local errors are h^6 where the
estimate, h^5, is held at the tolerance, so that the error at the end is proportional to the tolerance. A touchdown
against a damper makes the acceleration jump, which a fixed step that straddles it gets wrong by h; a kink of the
friction table makes its derivative jump, which costs h^2.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest

import planetfall
from oracles.planar_drop import PlanarCase, PlanarResult, drop
from support.fitted import order
from support.planar_scene import planar_states, scenario_of

TOLERANCES = 10.0 ** -np.arange(6.0, 11.0)
STEPS = 1e-3 / 2.0 ** np.arange(7)  # [s]
SIZE = math.sqrt(
    0.8944**2 + 1.0625**2 + 1.165**2
)  # the rover's farthest wheel: what the package measures lengths by [m]
SPEED = math.sqrt(3.7132 * SIZE)  # and speeds [m/s]
SCALES = np.array([SIZE, SIZE, 1.0, SPEED, SPEED, SPEED / SIZE])


def aslant(slope_deg: float, height: float, tilt: float, east: float, up: float, duration: float) -> PlanarCase:
    """The rover over a slope, its wheels parallel to it but for `tilt` [rad], `height` [m] along the normal."""
    slope = math.radians(slope_deg)
    return PlanarCase(
        slope=slope, height=height / math.cos(slope), pitch=tilt - slope, velocity_east=east, velocity_up=up,
        duration=duration,
    )  # fmt: skip


def standing(slope_deg: float, speed: float, duration: float) -> PlanarCase:
    """The rover on the ground, sunk by about what carries it, moving downhill."""
    slope = math.radians(slope_deg)
    return aslant(slope_deg, 0.8944 - 0.0023, 0.0, speed * math.cos(slope), -speed * math.sin(slope), duration)


CONTACT = {"touch", "unload", "lift-off"}
DROPS: dict[str, tuple[PlanarCase, set[str]]] = {
    "one wheel, caught by friction": (PlanarCase(duration=0.65), {"touch", "V1", "V2"}),
    "one wheel, there and back": (PlanarCase(duration=0.75), {*CONTACT, "V1", "V2"}),
    "one wheel, then the other": (PlanarCase(duration=1.2), {*CONTACT, "V1", "V2"}),
    "both wheels, friction reversing": (PlanarCase(duration=0.6, height=1.45, pitch=-0.35), {*CONTACT, "V1", "V2"}),
    "flat ground": (aslant(0.0, 0.95, 0.02, 0.15, 0.0, 0.6), {*CONTACT, "V1", "V2"}),
    "pressed on again": (aslant(22.0, 0.92, 0.01, 0.3, -0.3, 0.5), {*CONTACT, "reload", "V2"}),
    "soft": (aslant(22.0, 0.95, 0.02, 0.0, 0.0, 0.8), {*CONTACT, "V1", "V2"}),
}
SLIDES: dict[str, tuple[PlanarCase, set[str]]] = {
    "braked": (standing(22.0, 0.16, 0.26), {"V1", "V2"}),  # to just below V1: a creep would forget its errors
    "breaking away": (standing(35.0, 0.0, 0.6), {"V1", "V2"}),
    "pushed uphill": (standing(10.0, -0.16, 0.2), {"V1", "V2"}),
}
CASES = DROPS | SLIDES
UNCLAMPED = PlanarCase(
    height=0.92 / math.cos(math.radians(22.0)), pitch=0.01 - math.radians(22.0), velocity_east=0.3, velocity_up=-0.3,
    duration=0.5, is_clamped=False,
)  # fmt: skip
CASES["the ground may pull"] = (UNCLAMPED, {*CONTACT, "reload", "V2"})


@lru_cache
def oracle(name: str) -> PlanarResult:
    """Three digits better than the tightest tolerance judged here."""
    return drop(CASES[name][0], rtol=1e-12)


def passages(result: PlanarResult) -> set[str]:
    """Kinds of switch that a run passes through, with the kinks of the friction table told apart."""
    found = {event.kind for event in result.trajectory.events} - {"faster downhill", "slower downhill"}
    for before, after in zip(result.trajectory.arcs[:-1], result.trajectory.arcs[1:], strict=True):
        for old, new in zip(before.regimes, after.regimes, strict=True):
            if old.is_forced and new.is_forced and old.band != new.band:
                found.add(f"V{max(abs(old.band), abs(new.band))}")
    return found


def error(name: str, **integrator: float | str | bool) -> tuple[float, int]:
    """Largest error of the final state, in vehicle sizes and speeds, and the number of steps."""
    run = planetfall.run(scenario_of(CASES[name][0], **integrator))
    return float(np.abs((planar_states(run)[-1] - oracle(name).final_state) / SCALES).max()), run.summary["steps"]


@lru_cache
def adaptive_errors(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Errors and numbers of steps over the tolerances."""
    runs = [
        error(name, integrator__method="adaptive", integrator__tolerance=float(tolerance)) for tolerance in TOLERANCES
    ]
    return np.array([e for e, _ in runs]), np.array([n for _, n in runs])


def rk4_errors(name: str) -> list[float]:
    """Errors over the steps; those beyond the stability limit are not among them, but the guard looks at worse."""
    return [error(name, integrator__step=float(step), integrator__accept_step=True)[0] for step in STEPS]


@pytest.mark.parametrize("name", CASES)
def test_case_passes_through_its_switches(name: str) -> None:
    """Otherwise the tests below would prove less than they say."""
    assert passages(oracle(name)) >= CASES[name][1]


@pytest.mark.parametrize("name", CASES)
def test_adaptive_error_stays_within_what_its_steps_are_allowed(name: str) -> None:
    """Each step may be off by the tolerance, in sizes and speeds, and in so short a motion errors hardly grow."""
    errors, steps = adaptive_errors(name)
    assert np.all(errors <= steps * TOLERANCES)


@pytest.mark.parametrize("name", CASES)
def test_adaptive_error_is_proportional_to_tolerance(name: str) -> None:
    """Slope 1. Arcs end at switches after few steps, the last one cut short, so that error over tolerance scatters.

    A scatter by a factor 2.5 either way is 0.23 in the decimal logarithm (uniform, one sigma), hence 0.07 in a slope
    fitted to five points a decade apart; three sigma are allowed.
    """
    assert order(TOLERANCES, adaptive_errors(name)[0]) == pytest.approx(1.0, abs=0.22)


def test_adaptive_error_is_proportional_to_tolerance_on_average() -> None:
    """Over all eleven cases the scatter shrinks to 0.07/sqrt(11), of which four sigma."""
    assert order(TOLERANCES, [adaptive_errors(name)[0] for name in CASES]) == pytest.approx(1.0, abs=0.09)


def test_rk4_is_of_first_order_through_touchdowns() -> None:
    """Slope 1 over the drops together.

    Where in its step a touchdown falls is as good as random: one minus a uniform fraction scatters by 1 in the natural
    logarithm, by 0.27 in a slope over seven halvings, by 0.10 over seven drops; three sigma. An order of 4 is 3 away.
    """
    errors = [rk4_errors(name) for name in DROPS]
    assert order(STEPS, errors) == pytest.approx(1.0, abs=0.31)


def test_rk4_is_of_second_order_through_friction_kinks() -> None:
    """Slope 2 over the slides together; scatter as above but twice as large (a fraction squared), 0.31 over three."""
    errors = [rk4_errors(name) for name in SLIDES]
    assert order(STEPS, errors) == pytest.approx(2.0, abs=0.93)

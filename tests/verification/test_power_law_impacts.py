"""Impacts on ground that stiffens with depth: Hertz in closed form, the restitution of Hunt and Crossley, the accounts.

A ball of mass m hits the ground at a speed v without gravity. For N = K d^n (1 + D d'), the first integral of
m d'' = -N is K d^(n+1)/(n+1) = m (F(v) - F(d')), F(u) = (D u - ln(1 + D u))/D^2, or u^2/2 for D = 0 (Johnson1985,
Section 11.4). With D = 0 and n = 3/2: depth (5 m v^2/(4 K))^(2/5), peak force K depth^(3/2), time of contact
2 sqrt(pi) Gamma(7/5)/Gamma(9/10) depth/v. The rebound speed u of Hunt and Crossley solves F(v) = F(-u).
"""

from __future__ import annotations

from functools import lru_cache
from math import gamma, log, pi, sqrt

import numpy as np
import pytest
from scipy.optimize import brentq

import planetfall
from planetfall.contact.laws import coefficients_of
from planetfall.record.trajectory import Trajectory
from support.fitted import order

MASS, SPEED, STIFFNESS = 2.0, 1.5, 4e6
DEPTH = (5 * MASS * SPEED**2 / (4 * STIFFNESS)) ** 0.4
CONTACT_TIME = 2 * sqrt(pi) * gamma(1.4) / gamma(0.9) * DEPTH / SPEED
FRICTION = {
    "breakaway_angle_deg": 30.0, "sliding_angle_deg": 20.0, "breakaway_speed": 0.05, "sliding_speed": 0.1,
}  # fmt: skip
HERTZ = {"law": "hertz", "stiffness": STIFFNESS, **FRICTION}
DISSIPATIONS = (0.05, 0.3, 2.0)


def hunt_crossley(dissipation: float, exponent: float = 1.5) -> dict:
    return {
        "law": "hunt-crossley", "stiffness": STIFFNESS, "exponent": exponent, "dissipation": dissipation, **FRICTION
    }  # fmt: skip


def ball(contact: dict, integrator: dict, sideways: float = 0.0) -> planetfall.Scenario:
    """A ball on its way down, a millimetre over the ground, without gravity."""
    return planetfall.load("hertz-drop").with_values(
        {
            "scenario.duration": 2e-3 + 1.5 * CONTACT_TIME, "gravity": {"model": "none"}, "vehicle.mass": MASS,
            "contact": contact, "initial": {"position": [0.0, 0.0, 0.032], "velocity": [sideways, 0.0, -SPEED]},
            "integrator": integrator, "record.interval": 1e-4,
        }
    )  # fmt: skip


@lru_cache
def hit(name: str, dissipation: float, method: str, precision: float) -> Trajectory:
    contact = HERTZ if name == "hertz" else hunt_crossley(dissipation)
    how = {"method": method, "tolerance" if method == "adaptive" else "step": precision}
    return planetfall.run(ball(contact, how))


def rebound(dissipation: float) -> float:
    """The speed after the impact [m/s], from its implicit closed form."""

    def integral(u: float) -> float:
        return (dissipation * u - log(1 + dissipation * u)) / dissipation**2

    return brentq(lambda u: integral(SPEED) - integral(-u), 1e-9, min(SPEED, (1 - 1e-12) / dissipation), xtol=1e-15)


def sampled(run: Trajectory) -> float:
    """How much lower the highest of the ends of steps may be than the peak: (w h)^2/8, w = pi/T, h two mean steps."""
    return (2 * pi / run.summary["steps"]) ** 2 / 8


@pytest.mark.parametrize(("method", "precision", "error"), [("adaptive", 1e-11, 1e-8), ("rk4", 2e-6, 1e-6)])
def test_an_elastic_impact_has_the_closed_forms_of_hertz(method: str, precision: float, error: float) -> None:
    """The adaptive method to some tolerances, RK4 to some h^(5/2); peaks as they are sampled."""
    run = hit("hertz", 0.0, method, precision)
    touch, lift = (next(e.time for e in run.events if e.kind == kind) for kind in ("touch", "lift_off"))
    assert run.summary["max_penetration_m"] == pytest.approx(DEPTH, rel=sampled(run))
    assert run.summary["peak_normal_force_N"][0] == pytest.approx(STIFFNESS * DEPTH**1.5, rel=1.5 * sampled(run))
    step = 0.0 if method == "adaptive" else precision  # RK4 notes events at ends of steps
    assert lift - touch == pytest.approx(CONTACT_TIME, rel=error, abs=step)
    assert run.data.velocity.values[-1, 0, 2] == pytest.approx(SPEED, rel=error)


@pytest.mark.parametrize("dissipation", DISSIPATIONS)
def test_restitution_of_hunt_and_crossley(dissipation: float) -> None:
    """To a thousand tolerances: an impact takes about a hundred steps, and the rebound hangs on all of them."""
    run = hit("hunt-crossley", dissipation, "adaptive", 1e-11)
    assert run.data.velocity.values[-1, 0, 2] == pytest.approx(rebound(dissipation), rel=1e-8)


def test_a_fixed_step_converges_as_the_force_allows() -> None:
    """The force begins and ends as t^(3/2), which a step that straddles it gets wrong by h^(5/2)."""
    steps = 6.4e-5 / 2.0 ** np.arange(5)
    rest = rebound(0.3)
    errors = [
        abs(hit("hunt-crossley", 0.3, "rk4", float(step)).data.velocity.values[-1, 0, 2] - rest) for step in steps
    ]
    assert order(steps, errors) > 2.0


@pytest.mark.parametrize("contact", [HERTZ, hunt_crossley(0.3), hunt_crossley(2.0, 1.0)])
@pytest.mark.parametrize("integrator", [{"method": "adaptive", "tolerance": 1e-10}, {"method": "rk4", "step": 2e-6}])
def test_the_account_of_an_oblique_impact_closes(contact: dict, integrator: dict) -> None:
    """Stored energy, dampers and friction explain all that is lost, to some tolerances, or to h^(5/2) with RK4."""
    run = planetfall.run(ball(contact, integrator, sideways=0.2))
    kinetic = 0.5 * MASS * (SPEED**2 + 0.2**2)
    assert run.summary["energy_closure_J"] < 1e-6 * kinetic
    lost = run.data.work_friction.values[-1] + run.data.work_damper.values[-1]
    assert lost < -0.001 * kinetic
    assert (run.data.work_damper.values[-1] == 0.0) == (contact["law"] == "hertz")


def test_a_law_without_dissipation_and_exponent_1_is_a_spring() -> None:
    """Half a period pi sqrt(m/K), depth v sqrt(m/K)."""
    run = planetfall.run(ball(hunt_crossley(0.0, 1.0), {"method": "adaptive", "tolerance": 1e-11}))
    touch, lift = (next(e.time for e in run.events if e.kind == kind) for kind in ("touch", "lift_off"))
    assert lift - touch == pytest.approx(pi * sqrt(MASS / STIFFNESS), rel=1e-8)


@pytest.mark.parametrize("dissipation", [0.0, *DISSIPATIONS])
def test_the_estimate_before_a_run_is_the_peak_of_the_run(dissipation: float) -> None:
    """As the run samples its peak, and as the estimate looks at 1000 speeds: 1e-6."""
    run = hit("hunt-crossley" if dissipation else "hertz", dissipation, "adaptive", 1e-11)
    found = coefficients_of(run.scenario, 0.0).peak_load(SPEED, MASS, 1)
    assert found == pytest.approx(run.summary["peak_normal_force_N"][0], rel=1.5 * sampled(run) + 1e-6)
    assert coefficients_of(run.scenario, 0.0).impact_depth(SPEED, MASS, 1, 0.0) == pytest.approx(DEPTH, rel=1e-9)


def test_the_longest_step_is_that_of_the_stiffest_ground() -> None:
    """The slope of the force at the depth of the impact is 3/2 K sqrt(d): RK4 is stable up to 2 sqrt(2 m/slope)."""
    with pytest.raises(planetfall.InputError, match=r"integrator.step.*too long for contact stiffness") as caught:
        planetfall.run(
            ball({**HERTZ, "breakaway_angle_deg": 0.0, "sliding_angle_deg": 0.0}, {"method": "rk4", "step": 1.0})
        )
    slope = 1.5 * STIFFNESS * sqrt(DEPTH)
    assert f"{2 * sqrt(2) / sqrt(slope / MASS):.3g}" in str(caught.value)


def test_the_stiffness_of_a_sphere() -> None:
    """4/3 E* sqrt(R), by hand: E* = 1/((1 - 0.09)/210e9 + (1 - 0.0625)/60e9)."""
    effective = 1 / (0.91 / 210e9 + 0.9375 / 60e9)
    found = coefficients_of(planetfall.load("hertz-drop"), 1.62)
    assert found.shown()["stiffness K [N/m^n] per point"] == pytest.approx(4 / 3 * effective * sqrt(0.031), rel=1e-14)
    with pytest.raises(planetfall.InputError, match=r"contact.stiffness: give it alone, or in its place all of radius"):
        planetfall.load("hertz-drop").with_values({"contact.stiffness": 1e9})

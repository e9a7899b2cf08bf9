"""Regolith that keeps its dent, in closed form: sinkage, rebound, times, and where the energy stays.

A ball of mass m hits the ground at a speed v without gravity. It is loaded for a quarter of a period of K, down to
d_max = v sqrt(m/K), and comes back on K_u: at d_p = d_max (1 - K/K_u), a quarter of a period of K_u later, it is free,
with the speed v sqrt(K/K_u). (1 - K/K_u) m v^2/2 stays in the dent.
"""

from __future__ import annotations

from functools import lru_cache
from math import pi, sqrt

import numpy as np
import pytest

import planetfall
from planetfall.record.trajectory import Trajectory
from support.fitted import order

MASS, SPEED, K, K_U = 2.0, 1.5, 4e4, 2.5e5
KEPT = 1.0 - K / K_U
DEEPEST = SPEED * sqrt(MASS / K)
LOADING, UNLOADING = pi / 2 * sqrt(MASS / K), pi / 2 * sqrt(MASS / K_U)
PLASTIC = {
    "law": "plastic", "stiffness": K, "unloading_stiffness": K_U, "breakaway_angle_deg": 30.0,
    "sliding_angle_deg": 20.0, "breakaway_speed": 0.05, "sliding_speed": 0.1,
}  # fmt: skip
ADAPTIVE, STEPS = {"method": "adaptive", "tolerance": 1e-11}, {"method": "rk4", "step": 4e-6}
METHODS = pytest.mark.parametrize("method", ["adaptive", "rk4"])


def ball(integrator: dict, **values: object) -> planetfall.Scenario:
    """A ball on its way down, a millimetre over the ground, without gravity."""
    given = {key.replace("__", "."): value for key, value in values.items()}
    return planetfall.load("hertz-drop").with_values(
        {
            "scenario.duration": 0.035, "gravity": {"model": "none"}, "vehicle.mass": MASS, "contact": PLASTIC,
            "initial": {"position": [0.0, 0.0, 0.032], "velocity": [0.0, 0.0, -SPEED]},
            "integrator": integrator, "record.interval": 1e-4, **given,
        }
    )  # fmt: skip


@lru_cache
def hit(method: str, precision: float = 0.0) -> Trajectory:
    how = dict(ADAPTIVE if method == "adaptive" else STEPS)
    if precision:
        how["tolerance" if method == "adaptive" else "step"] = precision
    return planetfall.run(ball(how))


@METHODS
def test_sinkage_and_rebound(method: str) -> None:
    """Error control to some tolerances; RK4 as well as it samples the turn, (w h)^2/2 of the depth: 2e-7."""
    run, error = hit(method), {"adaptive": 1e-8, "rk4": 1e-6}[method]
    touch, lift = (next(e.time for e in run.events if e.kind == kind) for kind in ("touch", "lift_off"))
    assert lift - touch == pytest.approx(LOADING + UNLOADING, rel=error, abs=0.0 if method == "adaptive" else 4e-6)
    assert run.data.velocity.values[-1, 0, 2] == pytest.approx(SPEED * sqrt(K / K_U), rel=error)
    assert run.data.contact_dent.values.max() == pytest.approx(DEEPEST, rel=error)
    assert run.summary["peak_normal_force_N"][0] == pytest.approx(K * DEEPEST, rel=error)
    lifted = np.flatnonzero((run.data.contact_normal_force.values[:, 0] == 0) & (run.data.contact_gap.values[:, 0] < 0))
    assert run.data.contact_gap.values[lifted[0], 0] > -KEPT * DEEPEST * (1 + error)


@METHODS
def test_what_the_dent_keeps_is_booked(method: str) -> None:
    run, error = hit(method), {"adaptive": 1e-8, "rk4": 1e-6}[method]
    assert run.data.work_plastic.values[-1] == pytest.approx(-KEPT * 0.5 * MASS * SPEED**2, rel=error)
    assert run.summary["energy_closure_J"] < error * MASS * SPEED**2
    assert np.all(np.diff(run.data.work_plastic.values) <= 1e-9)


def test_the_adaptive_method_keeps_its_order() -> None:
    """The error of the rebound is in proportion to the tolerance: the turn, where the dent stops, is located."""
    tolerances = 10.0 ** -np.arange(6.0, 11.0)
    exact = SPEED * sqrt(K / K_U)
    errors = [abs(hit("adaptive", float(tol)).data.velocity.values[-1, 0, 2] - exact) for tol in tolerances]
    assert order(tolerances, errors) > 0.7
    assert errors[-1] < 1e-8 * SPEED


def test_fixed_steps_are_second_order_at_the_turn() -> None:
    """The turn falls between two steps, and the deepest of their ends is (w h)^2/2 of the depth too high, at most."""
    exact = SPEED * sqrt(K / K_U)
    steps = 1.6e-4 / 2.0 ** np.arange(6)
    errors = np.array([abs(hit("rk4", float(step)).data.velocity.values[-1, 0, 2] - exact) for step in steps])
    assert np.all(errors / SPEED < (sqrt(K_U / MASS) * steps) ** 2)


@pytest.mark.parametrize("integrator", [ADAPTIVE, STEPS])
def test_a_point_that_stays_in_its_dent_reloads_elastically(integrator: dict) -> None:
    """Pressed by a weight it bounces in the dent: after the first turn nothing is kept but where it goes deeper."""
    scenario = ball(
        integrator, gravity={"model": "uniform", "acceleration": 60.0}, scenario__duration=0.12,
        initial={"position": [0.0, 0.0, 0.031], "velocity": [0.0, 0.0, -0.05]},
    )  # fmt: skip
    data = planetfall.run(scenario).data
    gap, dent = data.contact_gap.values[:, 0], data.contact_dent.values[:, 0]
    is_in = gap < 0
    assert is_in[5:].all()
    assert np.all(np.diff(dent) >= 0)
    sink = MASS * 60.0 / K
    assert dent[-1] == pytest.approx(sink + np.hypot(0.05 * sqrt(MASS / K), sink), rel=1e-5)  # as on a spring K
    work = data.work_plastic.values
    assert np.ptp(work[dent == dent[-1]]) < 1e-7 * abs(work[-1])
    turns = np.flatnonzero(np.diff(np.sign(data.velocity.values[:, 0, 2])) != 0)
    assert len(turns) >= 3


def test_a_point_that_left_the_ground_finds_it_whole() -> None:
    """The dent goes with the point out of the ground; the next impact makes another."""
    data = hit("adaptive").data
    assert data.contact_gap.values[-1, 0] > 0
    assert data.contact_dent.values[-1, 0] == 0.0


@pytest.mark.parametrize("integrator", [{**ADAPTIVE, "tolerance": 1e-9}, STEPS])
def test_the_account_of_an_oblique_landing_closes(integrator: dict) -> None:
    scenario = ball(
        integrator, initial={"position": [0.0, 0.0, 0.032], "velocity": [0.2, 0.0, -SPEED]},
        contact={**PLASTIC, "damping": 40.0},
    )  # fmt: skip
    run = planetfall.run(scenario)
    assert run.summary["energy_closure_J"] < 1e-5 * MASS * SPEED**2
    assert min(run.data[name].values[-1] for name in ("work_plastic", "work_friction", "work_damper")) < -1e-3


def test_a_batch_is_its_single_runs() -> None:
    scenario = ball(ADAPTIVE, dispersions={"contact.stiffness": {"distribution": "uniform", "low": 2e4, "high": 8e4}})
    rows = planetfall.montecarlo(scenario, 3, seed=2).data
    for i in range(3):
        stiffness = float(rows["in.contact.stiffness"].values[i])
        single = planetfall.run(ball(ADAPTIVE, contact={**PLASTIC, "stiffness": stiffness}))
        assert rows.z_m.values[i] == single.data.position.values[-1, 0, 2]


def test_a_ground_that_gives_more_than_it_took_is_refused() -> None:
    with pytest.raises(planetfall.InputError, match=r"contact.unloading_stiffness: .*is less than stiffness = 40000"):
        ball(ADAPTIVE, contact={**PLASTIC, "unloading_stiffness": 3e4})

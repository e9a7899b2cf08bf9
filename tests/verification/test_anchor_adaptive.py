"""The anchor law with error control: the limit that fixed steps converge to, with every change of branch located.

A point mass of 2 kg on level ground in a gravity of 1.6 m/s^2, and the Morpheus scenarios.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.contact.anchor import RULES
from planetfall.engine.build import build
from planetfall.engine.run import run_batch, run_recorded

MASS, GRAVITY, SINK, DAMPING_RATIO, MU_S, MU_K, LEASH = 2.0, 1.6, 0.01, 0.3, 0.8, 0.3, 2.0
WEIGHT = MASS * GRAVITY
STIFFNESS = WEIGHT / SINK
DAMPING = 2.0 * DAMPING_RATIO * np.sqrt(MASS * STIFFNESS)
ALL_RULES = pytest.mark.parametrize("rule", RULES)
THROWN = {"position": [0.0, 0.0, 0.02], "velocity": [0.8, 0.2, -0.6]}
"""It slides, takes off, lands sliding, is pushed back, sticks, and breaks loose again."""
PUSHES = ([0.0, 1.0, 1.1, 10.0], [0.0, 0.0, 1.5, -0.5])


def point_mass(rule: str, integrator: dict[str, Any], **tables: Any) -> planetfall.Scenario:
    """Standing at the depth of rest unless `tables` say otherwise."""
    return planetfall.Scenario.from_dict(
        {
            "scenario": {"name": "point-mass", "duration": 3.0},
            "gravity": {"model": "uniform", "acceleration": GRAVITY},
            "terrain": {"model": "plane"},
            "vehicle": {
                "name": "mass", "mass": MASS, "inertia": [1.0, 1.0, 1.0],
                "points": [{"name": "point", "position": [0.0, 0.0, 0.0]}],
            },
            "contact": {
                "law": "anchor", "rest_penetration": SINK, "damping_ratio": DAMPING_RATIO, "friction_static": MU_S,
                "friction_kinetic": MU_K, "anchor_rule": rule, "leash_ratio": LEASH, "slip_speed": 5e-3,
            },
            "initial": {"position": [0.0, 0.0, -SINK]},
            "integrator": integrator,
            "record": {"interval": 0.01},
            "outcome": {"stop_at_rest": False},
            **tables,
        }
    )  # fmt: skip


def push(times: list[float], magnitudes: list[float], direction: tuple[float, ...] = (1.0, 0.0, 0.0)) -> dict[str, Any]:
    return {"kind": "push", "direction": list(direction), "times": times, "magnitudes": magnitudes}


def adaptive(tolerance: float) -> dict[str, Any]:
    return {"method": "adaptive", "tolerance": tolerance}


@lru_cache
def thrown(rule: str, tolerance: float, step: float = 0.0) -> planetfall.Trajectory:
    """With error control, or with a fixed step if one is given."""
    integrator = {"method": "rk4", "step": step} if step else adaptive(tolerance)
    return planetfall.run(point_mass(rule, integrator, initial=THROWN, forces=[push(*PUSHES)]))


def test_a_point_breaks_loose_when_the_spring_asks_for_mu_s() -> None:
    """Pushed by a t from rest, x is the ramp's answer of mass, spring and damper; friction is k x + c x' until then.

    k x + c x' = a t - m x'', and x'' is found from the closed form of the damped oscillator. The instant is where the
    record's mode changes, a frame of which is 0.01 s long: so the event is looked for in the peaks of friction.
    """
    rate = 4.0
    run = planetfall.run(point_mass("leash", adaptive(1e-10), forces=[push([0.0, 10.0], [0.0, 10.0 * rate])]))
    omega = np.sqrt(STIFFNESS / MASS)
    decay, ringing = DAMPING_RATIO * omega, omega * np.sqrt(1.0 - DAMPING_RATIO**2)

    def friction(t: np.ndarray) -> np.ndarray:
        # x'' of x'' + 2 decay x' + omega^2 x = rate t/m from rest is (rate/m) times the impulse's integral
        return rate * t - rate * np.exp(-decay * t) * np.sin(ringing * t) / ringing

    fine = np.linspace(0.6, 0.7, 1_000_001)
    expected = fine[np.argmax(friction(fine) > MU_S * WEIGHT)]
    is_static = run.data.contact_mode.values[:, 0] == 1
    times, force = run.data.time.values, run.data.contact_friction_force.values[:, 0]
    np.testing.assert_allclose(force[is_static], friction(times[is_static]), atol=1e-6 * WEIGHT)
    assert times[is_static][-1] <= expected < times[~is_static][0]
    assert force[is_static].max() < MU_S * WEIGHT
    # from then on it is pushed by rate t - mu_k W: one integral, whose start is the instant that was located
    end, start = times[-1], expected
    speed = rate * (end**2 - start**2) / (2.0 * MASS) - MU_K * GRAVITY * (end - start)
    ring = np.cos(ringing * start) + decay / ringing * np.sin(ringing * start)
    at_break = rate * (1.0 - np.exp(-decay * start) * ring)
    assert run.data.velocity.values[-1, 0, 0] == pytest.approx(speed + at_break / STIFFNESS, abs=1e-6)


def test_a_taut_leash_is_drawn_along_a_tractrix() -> None:
    """Where a point slides on a straight line, its saved place turns in behind it: tan(angle/2) falls as exp(-way/L).

    Frictionless (mu_k = 0) the point keeps its speed and the load, hence L, stays that of rest.
    """
    speed = 0.3  # enough to break loose: that takes (mu_s m g)^2/(2 k), 0.01 J
    contact = {
        "law": "anchor", "rest_penetration": SINK, "damping_ratio": 0.0, "friction_static": MU_S,
        "friction_kinetic": 0.0, "anchor_rule": "leash", "leash_ratio": LEASH,
    }  # fmt: skip
    length = LEASH * MU_S * SINK
    # drawn to the east until the leash is taut, then pushed north at once, by a short impulse
    pulse = push([0.0, 0.5, 0.501, 0.502, 10.0], [0.0, 0.0, MASS * speed / 1e-3, 0.0, 0.0], (0.0, 1.0, 0.0))
    run = planetfall.run(
        point_mass(
            "leash", adaptive(1e-10), contact=contact, forces=[pulse],
            initial={"position": [0.0, 0.0, -SINK], "velocity": [speed, 0.0, 0.0]},
            scenario={"name": "tractrix", "duration": 1.5},
        )
    )  # fmt: skip
    data = run.data.sel(time=slice(0.51, None))
    behind = data.position.values[:, 0] - data.contact_anchor.values[:, 0]
    np.testing.assert_allclose(np.linalg.norm(behind[:, :2], axis=1), length, rtol=1e-7)
    velocity = data.velocity.values[0, 0, :2]
    way = np.linalg.norm(velocity) * (data.time.values - data.time.values[0])
    turned = np.arctan2(behind[:, 1], behind[:, 0]) - np.arctan2(velocity[1], velocity[0])
    np.testing.assert_allclose(np.tan(turned / 2.0), np.tan(turned[0] / 2.0) * np.exp(-way / length), atol=1e-6)


@ALL_RULES
def test_fixed_steps_converge_to_it(rule: str) -> None:
    """To first order, as a touch or a break is found up to a step late: five times shorter steps, 5 times less.

    From 1e-4 to 2e-5 s; between 3 and 8 times, as events fall anywhere in a step.
    """
    limit = thrown(rule, 1e-11).data.position.values[-1, 0]
    errors = [np.linalg.norm(thrown(rule, 0.0, step).data.position.values[-1, 0] - limit) for step in (1e-4, 2e-5)]
    assert 3.0 < errors[0] / errors[1] < 8.0
    assert errors[1] < 1e-5


@ALL_RULES
def test_its_error_falls_with_the_tolerance(rule: str) -> None:
    """A hundredth of the tolerance leaves less than a tenth of the error, in a tenth of 1 % of RK4's steps."""
    limit = thrown(rule, 1e-11).data.position.values[-1, 0]
    errors = [np.linalg.norm(thrown(rule, tolerance).data.position.values[-1, 0] - limit) for tolerance in (1e-6, 1e-8)]
    assert errors[1] < 0.1 * errors[0] + 1e-10
    assert thrown(rule, 1e-8).summary["steps"] < 300


@ALL_RULES
def test_its_account_closes(rule: str) -> None:
    """To the tolerance of its size in every step, which is what the works are integrated to; energy does not rise."""
    run = thrown(rule, 1e-8)
    size = max(abs(float(run.data[name].max())) for name in ("energy_total", "work_anchor", "work_friction"))
    assert run.summary["energy_closure_J"] < 1e-8 * run.summary["steps"] * max(size, 1.0) * 10.0
    assert run.summary["energy_rise_J"] <= run.summary["energy_rise_bound_J"]


@ALL_RULES
def test_same_bits_alone_in_a_batch_and_recorded(rule: str) -> None:
    scenario = point_mass(rule, adaptive(1e-8), initial=THROWN, forces=[push(*PUSHES)])
    model = build(scenario, is_recorded=False)
    starts = np.repeat(model.initial_state[None], 3, axis=0)
    starts[1, 3] += 0.1
    batch = run_batch(model, starts)
    alone = run_batch(model, starts[:1])
    np.testing.assert_array_equal(batch.state[[0, 2]], np.repeat(alone.state, 2, axis=0))
    assert not np.array_equal(batch.state[0], batch.state[1])
    recorded = run_recorded(build(scenario)).end
    assert int(recorded.steps[0]) == int(alone.steps[0])
    np.testing.assert_array_equal(recorded.state[0, :13], alone.state[0, :13])


def test_morpheus_slides_as_with_fixed_steps() -> None:
    """`morpheus-static-kinetic` by both: legs break loose in the same frames of the record, but for one step of RK4."""
    scenario = planetfall.load("morpheus-static-kinetic").with_values({"scenario.duration": 24.6})
    fixed = planetfall.run(scenario)
    located = planetfall.run(scenario.with_values({"integrator": adaptive(1e-9)}))
    before = slice(0.0, 24.3)
    np.testing.assert_allclose(
        located.data.position.sel(time=before).interp(time=[10.0, 20.0, 24.0]).values,
        fixed.data.position.sel(time=before).interp(time=[10.0, 20.0, 24.0]).values,
        atol=1e-8,
    )
    for leg in (1, 2):
        breaks = [
            float(run.data.time[np.argmax(run.data.contact_mode.values[:, leg] == 2)]) for run in (fixed, located)
        ]
        assert breaks[1] == pytest.approx(breaks[0], abs=0.01)
    assert located.summary["steps"] < 0.05 * fixed.summary["steps"]


def test_morpheus_tumbles_as_with_fixed_steps() -> None:
    """`morpheus-hazard` by both, through the first impact and until the tumble has made a difference too large.

    RK4 with 0.5 ms is 0.24 mm off after the first contact at 0.9 s (0.05 mm with 0.1 ms): first order in its step.
    """
    scenario = planetfall.load("morpheus-hazard").with_values({"scenario.duration": 1.5})
    limit = planetfall.run(scenario.with_values({"integrator": adaptive(1e-9)}))
    ends = []
    for step in (5e-4, 1e-4):
        run = planetfall.run(scenario.with_values({"integrator.step": step}))
        ends.append(float(np.linalg.norm(run.data.position.values[-1, 0] - limit.data.position.values[-1, 0])))
    assert ends[0] < 0.01
    assert ends[1] < 0.5 * ends[0]
    assert limit.summary["energy_rise_J"] <= limit.summary["energy_rise_bound_J"]

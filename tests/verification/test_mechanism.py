"""A mechanism from outside the package, by every hook of the record, against the closed form of its motion.

With m v' = m g - c v and tau = m/c: v = g tau + (v_0 - g tau) e^(-t/tau).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import warp as wp

import planetfall
from planetfall import InputError
from planetfall.engine.build import build
from planetfall.engine.mechanisms import registry
from planetfall.engine.run import run_batch
from planetfall.engine.structure.mechanism import StateSlot
from planetfall.engine.structure.work_accounts import WorkAccount
from planetfall.record.trajectory import Trajectory
from support.pushed_block import MASS, block_in_space, force
from support.toy_mechanism import COEFFICIENT, DragParams, drag, drag_of

METHODS = {
    "rk4": {"integrator__method": "rk4", "integrator__step": 0.01, "integrator__accept_step": True},
    "adaptive": {"integrator__method": "adaptive", "integrator__tolerance": 1e-10},
}
GRAVITY, START, DURATION = 1.5, np.array([3.0, 0.0, 1.0]), 2.0
TAU = MASS / COEFFICIENT


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "KINDS", (*registry.KINDS, drag_of))
    yield


def flight(method: str, **values: Any) -> planetfall.Scenario:
    """The block thrown with a drag, under a push that stands against it for a while."""
    push = force("push", ((0.5, 1.0), (0.0, 0.0)), (1.0, 0.0, 0.0))
    return block_in_space(
        push, None, scenario__duration=DURATION, gravity={"model": "uniform", "acceleration": GRAVITY},
        initial__velocity=START.tolist(), **METHODS[method], **values,
    )  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_against_the_closed_form(method: str) -> None:
    """RK4: (h/tau)^5/120 a step, of 200 steps, is below 1e-9; adaptive: its tolerance a step, of about a hundred."""
    run = planetfall.run(flight(method))
    data, t = run.data, run.data.time.values[:, None]
    fall = np.array([0.0, 0.0, -GRAVITY * TAU])
    expected = fall + (START - fall) * np.exp(-t / TAU)
    np.testing.assert_allclose(data.velocity.values[:, 0], expected, atol=1e-8)
    np.testing.assert_allclose(data.drag_force.values[:, 0], -COEFFICIENT * data.velocity.values[:, 0], rtol=1e-14)
    np.testing.assert_allclose(data.heat.values[:, 0], -data.work_drag.values, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(data.gravity_here.values[:, 0], [[0.0, 0.0, -GRAVITY]] * len(t), rtol=1e-14)
    assert data.fastest.values[-1, 0] >= np.max(np.linalg.norm(data.velocity.values[:, 0], axis=1)) - 1e-12
    assert np.all(np.diff(data.fastest.values[:, 0]) >= 0.0)
    check_account(run)
    assert data.heat.attrs["units"] == "J" and data.drag_force.dims == ("time", "body", "axis")
    assert data.drag_force.attrs["frame"] == "L"


def check_account(run: Trajectory) -> None:
    """Energy changes by what the drag takes, and by nothing else, to the integration's error of the motion above."""
    data = run.data
    assert data.work_drag.values[-1] < -10.0
    assert run.summary["energy_closure_J"] < 1e-6
    assert run.summary["energy_rise_J"] <= run.summary["energy_rise_bound_J"]
    np.testing.assert_array_equal(data.work_external.values, 0.0)


def test_the_end_of_a_run_that_is_not_recorded_is_the_same() -> None:
    scenario = flight("rk4")
    recorded = planetfall.run(scenario)
    model = build(scenario, is_recorded=False)
    end = run_batch(model, np.tile(model.initial_state, (3, 1)))
    for row in end.state:
        np.testing.assert_array_equal(row[3:6], recorded.data.velocity.values[-1, 0])
    data = recorded.data
    np.testing.assert_array_equal(end.mechanisms, [[data.heat.values[-1, 0], data.fastest.values[-1, 0]]] * 3)


INCOMPLETE = [
    ({"rates": None, "after_step": None, "error": None}, "'drag' has n_states and nothing changes them; give rates"),
    ({"initial": None}, "'drag' has n_states and no initial"),
    ({"account": None}, "'drag' has wrench and no account"),
    ({"observe": None}, "'drag' has variables and no observe"),
    ({"variables": ()}, "'drag' has observe and no variables"),
    ({"n_states": 0}, "'drag' has initial and no states"),
]


@pytest.mark.parametrize(("changes", "message"), INCOMPLETE)
def test_a_record_that_misses_a_hook_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        replace(drag(1), **changes)


def test_a_mechanism_that_does_nothing_is_refused() -> None:
    with pytest.raises(TypeError, match="does nothing"):
        replace(
            drag(1), n_states=0, initial=None, rates=None, wrench=None, account=None, after_step=None, error=None,
            variables=(), observe=None,
        )  # fmt: skip


def test_a_hook_with_another_signature_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(slot: StateSlot) -> Any:
        @wp.func
        def next_break(p: DragParams) -> wp.float64:
            return p.coefficient

        return next_break

    broken = replace(drag(1), next_break=wrong)
    monkeypatch.setattr(registry, "KINDS", (lambda scenario: broken,))
    with pytest.raises(TypeError, match=r"'drag': the function of next_break takes \(p\); it is called with \(params"):
        planetfall.run(flight("adaptive"))


def test_a_sensor_may_not_take_the_name_of_a_variable() -> None:
    sensor = {"kind": "altimeter", "name": "heat", "rate": 10.0, "range_max": 100.0}
    with pytest.raises(InputError, match=r"sensors.0.name: heat is taken by drag"):
        build(flight("rk4", sensors=[sensor]))


def test_accounts_are_named_after_work() -> None:
    with pytest.raises(ValueError, match="'drag': a name of an account is 'work_' and its cause"):
        WorkAccount("drag", "work of drag", puts_in=False)

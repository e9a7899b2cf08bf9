"""The anchor law in the engine: no drift, an account that closes, the same answer on every kind of ground and frame."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import planetfall
from planetfall.contact.anchor import RULES
from planetfall.engine.build import build
from planetfall.engine.run import run_batch, run_recorded
from planetfall.engine.state.result import BatchResult
from planetfall.record.trajectory import Trajectory
from support.block_scene import assert_same_bits
from support.few import few
from support.fitted import order
from support.morpheus import GRAVITY, LEGS, MASS, STIFFNESS, UPRIGHT, on_slope

ALL_RULES = pytest.mark.parametrize("rule", RULES)
STEPS = 1e-3 / 2.0 ** np.arange(4)  # [s]
ASKEW = {
    "attitude": (Rotation.from_rotvec([0.12, -0.08, 0.3]) * UPRIGHT).as_quat().tolist(),
    "velocity": [0.9, 0.4, -1.0],
    "angular_velocity": [0.3, -0.2, 0.25],
}
STATIC, KINETIC = 1, 2


def thrown(height: float = 2.2, **values: Any) -> planetfall.Scenario:
    """Tilted, drifting and turning over a slope of 10 degrees. `values`: further keys, `__` for the dot."""
    return planetfall.load("morpheus-incline").with_values(
        {
            "scenario.duration": 1.5,
            "initial": {"position": [0.0, 0.0, 0.0], "height": height, **ASKEW},
            **{key.replace("__", "."): value for key, value in values.items()},
        }
    )


# --- rest


@ALL_RULES
def test_at_rest_on_a_slope_it_does_not_drift(rule: str) -> None:
    """Less than 1e-9 m in 1000 s, required, on 20 degrees, between mu_k and mu_s: a spring holds, nothing creeps."""
    ends = []
    for duration in (40.0, 1040.0):  # swings decay by exp(-2.4 t) or faster: none is left after 40 s
        scenario = on_slope(
            20.0, contact__anchor_rule=rule, scenario__duration=duration, integrator__step=2e-3,
            integrator__accept_step=True,
        )  # fmt: skip
        model = build(scenario, is_recorded=False)
        ends.append(run_batch(model, model.initial_state[None]))
    assert [int(end.status[0]) for end in ends] == [1, 1]  # settled
    np.testing.assert_allclose(ends[1].state[0, :3], ends[0].state[0, :3], atol=1e-9, rtol=0)
    np.testing.assert_allclose(ends[1].state[0, 6:10], ends[0].state[0, 6:10], atol=1e-9, rtol=0)


def test_loads_at_rest_on_a_slope_are_those_of_statics() -> None:
    """Forces and moments balance to rounding; each leg holds its share of the weight along the slope."""
    run = planetfall.run(on_slope(20.0, scenario__duration=40.0, integrator__step=2e-3, record__interval=1.0))
    force = run.data.contact_force.values[-1, LEGS]
    arms = Rotation.from_quat(run.data.quaternion.values[-1, 0]).apply(run.scenario.vehicle.tips[LEGS])
    weight = MASS * GRAVITY
    np.testing.assert_allclose(force.sum(axis=0), [0.0, 0.0, weight], atol=1e-9 * weight)
    np.testing.assert_allclose(np.cross(arms, force).sum(axis=0), 0.0, atol=1e-9 * weight)
    assert set(run.data.contact_mode.values[-1, LEGS]) == {STATIC}


# --- energy


@lru_cache
def account(rule: str, step: float, height: float = 2.2) -> Trajectory:
    return planetfall.run(thrown(height, contact__anchor_rule=rule, integrator__step=step))


def test_the_throw_has_it_all() -> None:
    """Touchdowns, lift-offs, sliding and sticking; every kind of work is at least a hundredth of the whole."""
    run = account("leash", float(STEPS[1]))
    assert sum(run.summary["touchdowns"]) >= 8
    assert {0, STATIC, KINETIC} == set(run.data.contact_mode.values[:, LEGS].ravel())
    works = [abs(float(run.data[f"work_{kind}"].values[-1])) for kind in ("damper", "friction", "anchor")]
    assert min(works) > 0.01 * sum(works)


@pytest.mark.parametrize("rule", ["hold", "leash", "drag"])
def test_the_account_closes(rule: str) -> None:
    """Modes, facets and saved places change between steps, and are booked exactly; in a step there are only kinks.

    Where a point leaves, N ends in one: a slope of k v is missed or felt for up to a step, an impulse of k v h^2/8 at
    most (RK4's weights at a kink), and its work on v. Sliding begins and ends with weaker ones, as many again.
    """
    run = account(rule, float(STEPS[1]))
    speeds = [event.value for event in run.events if event.kind in ("lift_off", "touch")]
    bound = STIFFNESS * float(STEPS[1]) ** 2 / 8.0 * float(np.sum(np.square(speeds)))
    assert run.summary["energy_closure_J"] < bound
    assert bound < 1e-3 * run.summary["energy_start_J"]


def test_the_account_closes_with_the_square_of_the_step() -> None:
    """As many kinks, each with an error of h^2 that depends on where in its step it falls.

    That scatters a sum of some ten kinks by a factor 2, 0.7 in the natural logarithm; over three halvings and nine
    throws a slope has a third of 0.7/0.69/sqrt(5/2): three sigma of that, 0.65.
    """
    errors = [
        [account(rule, float(step), height).summary["energy_closure_J"] for step in STEPS]
        for rule in ("hold", "leash", "drag")
        for height in (2.2, 2.3, 2.4)
    ]
    assert order(STEPS, errors) == pytest.approx(2.0, abs=0.65)


def test_without_a_kink_it_closes_with_the_order_of_the_method() -> None:
    """Swinging in the ground on a slope, all legs stuck: 4; w h = 0.24 at the longest step adds up to a tenth."""
    steps = 4e-3 / 2.0 ** np.arange(3)
    errors = []
    for step in steps:
        run = planetfall.run(on_slope(5.0, scenario__duration=2.0, integrator__step=float(step), record__interval=0.1))
        assert set(run.data.contact_mode.values[:, LEGS].ravel()) == {STATIC}
        errors.append(run.summary["energy_closure_J"])
    assert order(steps, errors) == pytest.approx(4.0, abs=0.2)


@ALL_RULES
@pytest.mark.parametrize("slope_deg", [0.0, 10.0, 35.0])
def test_energy_never_rises_beyond_the_booked_work(rule: str, slope_deg: float) -> None:
    """Dampers and friction only take; what saved places make is booked. Rounding is left, and the account's error.

    Rule `velocity` at a step that its friction is stable for only when it slides: it is booked all the same.
    """
    run = planetfall.run(
        thrown(
            2.2 + 2.0 * np.tan(np.radians(slope_deg)), terrain__slope_deg=slope_deg, contact__anchor_rule=rule,
            scenario__duration=2.0, integrator__accept_step=True,
        )
    )  # fmt: skip
    assert sum(run.summary["touchdowns"]) >= 4
    assert run.summary["energy_rise_J"] < 1e-12 * run.summary["energy_start_J"] + run.summary["energy_closure_J"]
    for kind in ("damper", "friction"):
        assert np.diff(run.data[f"work_{kind}"].values).max() <= 0.0


# --- how it is computed


def spread(n: int, seed: int) -> np.ndarray:
    """n starts about the throw, shape (n, 13); some in the ground already."""
    rng = np.random.default_rng(seed)
    state = build(thrown(), is_recorded=False).initial_state
    states = np.tile(state, (n, 1))
    states[:, 2] += rng.uniform(-0.6, 0.2, n)
    states[:, 3:6] += rng.normal(scale=0.5, size=(n, 3))
    turned = states[:, 6:10] + rng.normal(scale=0.05, size=(n, 4))
    states[:, 6:10] = turned / np.linalg.norm(turned, axis=1)[:, None]
    return states


@lru_cache
def alone(rule: str, n: int = 12) -> BatchResult:
    """Every start as a batch of its own, in one chunk, put together."""
    model = build(thrown(contact__anchor_rule=rule, scenario__duration=0.6), is_recorded=False)
    ends = [run_batch(model, state[None], threads=1, chunk_steps=10**9) for state in spread(n, 3)]
    return BatchResult(**{name: np.concatenate([vars(end)[name] for end in ends]) for name in vars(ends[0])})


@few(8)
@given(data=st.data())
def test_batch_is_single(data: st.DataObject) -> None:
    """Memories belong to their runs: in any batch, order, chunk and number of threads the same bits."""
    rule = data.draw(st.sampled_from(["leash", "drag"]), label="rule")
    n = data.draw(st.integers(1, 12), label="batch size")
    which = np.array(data.draw(st.permutations(range(12)), label="order")[:n])
    chunk = data.draw(st.sampled_from([1, 7, 100, None]), label="chunk")
    threads = data.draw(st.sampled_from([1, 2, 4]), label="threads")
    model = build(thrown(contact__anchor_rule=rule, scenario__duration=0.6), is_recorded=False)
    assert_same_bits(run_batch(model, spread(12, 3)[which], threads=threads, chunk_steps=chunk), alone(rule), which)


@pytest.mark.parametrize("chunk", [1, 7, None])
def test_recording_only_looks(chunk: int | None) -> None:
    scenario = thrown(scenario__duration=0.6)
    model = build(scenario, is_recorded=False)
    assert_same_bits(
        run_recorded(build(scenario), chunk_steps=chunk).end, run_batch(model, model.initial_state[None], threads=1)
    )


def test_forces_in_the_record_are_those_that_moved_it() -> None:
    """Momentum: m dv/dt and I dw/dt + w x I w are the sum of weight and ground forces and of their moments.

    By central differences over steps of 0.1 ms, off by (w h)^2/6 of the largest force, w = 60 rad/s, and by k v h/4
    where N ends in a kink; where a mode changes within the two steps the force jumps, and nothing is compared.
    """
    step = 1e-4
    run = run_recorded(build(thrown(scenario__duration=0.6, integrator__step=step, record__interval=step)))
    state, force, mode = run.frames.state, run.observed.force, run.observed.mode
    steady = (mode[:-2] == mode[1:-1]).all(axis=1) & (mode[1:-1] == mode[2:]).all(axis=1)
    acceleration = (state[2:, 3:6] - state[:-2, 3:6]) / (2.0 * step)
    turning = (state[2:, 10:13] - state[:-2, 10:13]) / (2.0 * step)
    inertia, spin = np.array([1800.0, 1700.0, 1700.0]), state[1:-1, 10:13]
    attitude = Rotation.from_quat(state[1:-1, 6:10]).as_matrix()
    force_B = np.einsum("tji,tpj->tpi", attitude, force[1:-1])
    torque = np.cross(build(thrown()).scenario.vehicle.tips, force_B).sum(axis=1)
    largest = np.abs(force).max()
    assert largest > 1e4
    assert steady.mean() > 0.9
    fastest = max(event.value for event in run.events if event.kind == "lift_off")
    allowed = (60.0 * step) ** 2 / 6.0 * largest + STIFFNESS * fastest * step / 4.0
    assert allowed < 1e-3 * largest
    total = force[1:-1].sum(axis=1) + np.array([0.0, 0.0, -MASS * GRAVITY])
    np.testing.assert_allclose((MASS * acceleration - total)[steady], 0.0, atol=allowed)
    spun = inertia * turning + np.cross(spin, inertia * spin)
    np.testing.assert_allclose((spun - torque)[steady], 0.0, atol=3.0 * allowed)  # on arms of up to 3 m


EPSILON = float(np.finfo(float).eps)
parts = st.integers(-1000, 1000).map(lambda n: n / 1000.0)
vectors = st.tuples(parts, parts, parts).map(np.array)


def turned(turn: Rotation, move: np.ndarray, rule: str, nudge: float = 0.0) -> BatchResult:
    """The end of the throw after a turn about the origin and a move [m]; `nudge` changes the start by so much."""
    base = thrown(contact__anchor_rule=rule, scenario__duration=0.6)
    start = build(base, is_recorded=False).initial_state
    values = {
        "terrain": {"model": "plane", "normal": turn.apply(base.terrain.outward).tolist(), "point": move.tolist()},
        "gravity.direction": turn.apply([0.0, 0.0, -1.0]).tolist(),
        "initial": {
            "position": (turn.apply(start[:3]) + move).tolist(),
            "velocity": (turn.apply(start[3:6]) + nudge).tolist(),
            "attitude": (turn * Rotation.from_quat(start[6:10])).as_quat().tolist(),
            "angular_velocity": (start[10:13] + nudge).tolist(),
        },
    }
    model = build(base.with_values(values), is_recorded=False)
    return run_batch(model, model.initial_state[None], threads=1)


@pytest.mark.parametrize("rule", ["leash", "drag"])
@few(5)
@given(axis=vectors, angle=parts.map(lambda x: np.pi * x), move=vectors.map(lambda v: 20.0 * v))
def test_turned_and_moved(rule: str, axis: np.ndarray, angle: float, move: np.ndarray) -> None:
    """Rounding, n epsilon of the scene's size, grows no more than the motion's own sensitivity, measured by a nudge.

    Ten times that is allowed, since rounding comes in along the way and in all directions.
    """
    turn = Rotation.from_rotvec(angle * axis / max(float(np.linalg.norm(axis)), 1e-3))
    still, nothing = Rotation.identity(), np.zeros(3)
    original = turned(still, nothing, rule)
    nudged = turned(still, nothing, rule, nudge=1e-9)
    growth = max(1.0, float(np.abs(nudged.state - original.state).max()) / 1e-9)
    rounding = EPSILON * (3.0 + float(np.linalg.norm(move))) * float(original.steps[0])
    found = turned(turn, move, rule)
    np.testing.assert_array_equal(found.touches, original.touches)
    expected = turn.apply(original.state[0, :3]) + move
    np.testing.assert_allclose(found.state[0, :3], expected, atol=10.0 * growth * rounding, rtol=0)
    np.testing.assert_allclose(
        found.state[0, 3:6], turn.apply(original.state[0, 3:6]), atol=100.0 * growth * rounding, rtol=0
    )
    assert original.touches[0, LEGS].min() >= 1

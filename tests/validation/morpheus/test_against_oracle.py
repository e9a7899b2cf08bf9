"""The anchor law in the engine against the same law written again in NumPy (`oracles/anchored_body.py`).

Both take the same steps, and modes change between steps only, so that the step belongs to the law. What may differ is
rounding, and RK4's error in two kinds of attitude coordinates: of (w h)^4/120 a radian (1e-7, rocking at w = 60 rad/s)
the part that is not linear in a swing of 0.05 rad, 1e-11 rad for each of some ten radians. A landing is not chaotic,
but lets that grow a few times on arms of 3 m: a nanometre is allowed, and in velocities w times more.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import planetfall
from oracles.anchored_body import KINETIC, NONE, STATIC, History, simulate
from planetfall.engine.build import build
from planetfall.engine.run import run_recorded
from planetfall.engine.state.result import RecordedRun
from planetfall.engine.structure.work_accounts import ACCOUNTS, WORK_ANCHOR, WORK_DAMPER, WORK_FRICTION
from support.morpheus import DAMPING, LEGS, RAMP, STIFFNESS, UPRIGHT, oracle_body, push, standing

STEP = 1e-3  # [s]
CLOSE = 1e-9  # [m]


def compare(found: RecordedRun, expected: History) -> None:
    """Motion, modes, saved places, forces and both columns of the energy account, at every kept step."""
    rows = np.searchsorted(found.frames.time, np.array(expected.time) - 1e-9)
    state = found.frames.state[rows]
    np.testing.assert_allclose(found.frames.time[rows], expected.time, atol=1e-12)
    np.testing.assert_allclose(state[:, 0:3], expected.position, atol=CLOSE, rtol=0)
    np.testing.assert_allclose(state[:, 3:6], expected.velocity, atol=60 * CLOSE, rtol=0)
    turn = Rotation.from_matrix(np.array(expected.attitude)).inv() * Rotation.from_quat(state[:, 6:10])
    np.testing.assert_allclose(turn.magnitude(), 0.0, atol=CLOSE)
    np.testing.assert_array_equal(found.observed.mode[rows, LEGS], expected.mode)
    held = np.array(expected.mode) != NONE
    assert found.frames.anchor is not None
    np.testing.assert_allclose(found.frames.anchor[rows, LEGS][held], np.array(expected.place)[held], atol=CLOSE)
    stiff = STIFFNESS + 60.0 * DAMPING
    np.testing.assert_allclose(found.observed.force[rows, LEGS], expected.force, atol=stiff * CLOSE, rtol=0)
    works = state[:, 13:]
    scale = np.abs(works).max()
    work = dict(zip(ACCOUNTS, works.T, strict=True))
    np.testing.assert_allclose(work[WORK_DAMPER], expected.damped, atol=1e-9 * scale)
    np.testing.assert_allclose(work[WORK_FRICTION] + work[WORK_ANCHOR], expected.other, atol=1e-9 * scale)


@pytest.mark.parametrize("rule", ["leash", "drag", "velocity"])
def test_static_to_kinetic_until_after_the_first_break(rule: str) -> None:
    """The push of the paper's test, fifteen times faster, through the first break and into the swing that follows it.

    Rule `velocity` with a slip speed of 0.05 m/s: its friction is then soft enough for a step of 1 ms.
    """
    rate, n_steps = 15.0 * RAMP, 1800
    scenario = standing(
        forces=push([0.0, 2.0], [0.0, 2.0 * rate]), scenario__duration=n_steps * STEP, integrator__step=STEP,
        record__interval=STEP, contact__anchor_rule=rule, contact__slip_speed=0.05,
    )  # fmt: skip
    body = oracle_body(scenario, push=lambda t: np.array([0.0, rate * t, 0.0]), slip_speed=0.05)
    start = np.array([0.0, 0.0, 1.28]), np.zeros(3), UPRIGHT.as_matrix(), np.zeros(3)
    expected = simulate(body, *start, STEP, n_steps, keep_every=20)
    modes = np.array(expected.mode)
    assert {STATIC, KINETIC} == set(modes[:, 1])
    assert set(modes[:, 0]) == {STATIC}
    compare(run_recorded(build(scenario)), expected)


@pytest.mark.parametrize("rule", ["hold", "leash", "drag"])
def test_oblique_drop(rule: str) -> None:
    """Tilted, drifting and turning onto a slope of 10 degrees: legs touch one by one, slide, stick and leave again."""
    attitude = Rotation.from_rotvec([0.12, -0.08, 0.3]) * UPRIGHT
    spin_B, velocity, position = np.array([0.3, -0.2, 0.25]), np.array([0.9, 0.4, -1.2]), np.array([0.2, -0.1, 1.95])
    scenario = planetfall.load("morpheus-incline").with_values(
        {
            "initial": {
                "position": position.tolist(), "velocity": velocity.tolist(), "attitude": attitude.as_quat().tolist(),
                "angular_velocity": spin_B.tolist(),
            },
            "scenario.duration": 0.7, "integrator.step": STEP, "record.interval": STEP, "contact.anchor_rule": rule,
        }
    )  # fmt: skip
    expected = simulate(
        oracle_body(scenario), position, velocity, attitude.as_matrix(), attitude.apply(spin_B), STEP, 700, keep_every=5
    )
    modes = np.array(expected.mode)
    assert {NONE, STATIC, KINETIC} == set(modes.ravel())
    assert len({tuple(column) for column in modes.T}) == 4  # no two legs alike
    compare(run_recorded(build(scenario)), expected)

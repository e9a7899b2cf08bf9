"""A scene that is turned and moved, or seen in a mirror, gives the same motion turned, moved or mirrored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from planetfall.engine.build import build
from planetfall.engine.parameters import LOCATION_TOLERANCE
from planetfall.engine.run import run_batch
from planetfall.engine.state.result import BatchResult
from support.block_scene import METHODS, block
from support.few import few

BOTH = pytest.mark.parametrize("method", list(METHODS))
SLOPE = Rotation.from_rotvec([0.0, np.radians(12.0), 0.0])
START = {
    "position": np.array([0.1, -0.2, 0.75]), "velocity": np.array([0.3, -0.2, -0.1]),
    "angular_velocity": np.array([0.2, 0.4, -0.3]),
}  # fmt: skip
ATTITUDE = Rotation.from_rotvec([0.1, -0.15, 0.4])
EPSILON = float(np.finfo(float).eps)


def ran(method: str, turn: Rotation, move: np.ndarray, duration: float = 0.8, nudge: float = 0.0) -> BatchResult:
    """The end of the scene after a turn about the origin and a move [m]; `nudge` changes the start by so much."""
    values: dict[str, Any] = {
        "scenario.duration": duration,
        "terrain": {
            "model": "plane", "normal": turn.apply(SLOPE.apply([0.0, 0.0, 1.0])).tolist(), "point": move.tolist(),
        },
        "gravity.direction": turn.apply([0.0, 0.0, -1.0]).tolist(),
        "initial": {
            "position": (turn.apply(START["position"]) + move).tolist(),
            "velocity": (turn.apply(START["velocity"]) + nudge).tolist(),
            "attitude": (turn * ATTITUDE).as_quat().tolist(),
            "angular_velocity": (START["angular_velocity"] + nudge).tolist(),
        },
    }  # fmt: skip
    model = build(block(method).with_values(values), is_recorded=False)
    return run_batch(model, model.initial_state[None], threads=1)


def differences(found: BatchResult, expected: BatchResult, turn: Rotation, move: np.ndarray) -> np.ndarray:
    """Differences of position, velocity, attitude and rates, after the expected end is turned and moved."""
    a, b = found.state[0], expected.state[0]
    attitude = Rotation.from_quat(a[6:10]).inv() * turn * Rotation.from_quat(b[6:10])
    return np.array(
        [
            np.linalg.norm(a[:3] - turn.apply(b[:3]) - move),
            np.linalg.norm(a[3:6] - turn.apply(b[3:6])),
            attitude.magnitude(),
            np.linalg.norm(a[10:13] - b[10:13]),
        ]
    )


parts = st.integers(-1000, 1000).map(lambda n: n / 1000.0)
vectors = st.tuples(parts, parts, parts).map(np.array)


@BOTH
@few(10)
@given(axis=vectors, angle=parts.map(lambda x: np.pi * x), move=vectors.map(lambda v: 20.0 * v))
def test_turned_and_moved(method: str, axis: np.ndarray, angle: float, move: np.ndarray) -> None:
    """Rounding grows no more than the motion's own sensitivity lets it.

    Each of the n steps rounds numbers of the size of the scene: n epsilon (20 m + move) at most, were it all to add up.
    By how much a change at the start has grown at the end is measured by a nudge of 1e-7, and ten times that allowed,
    since rounding comes in along the way and in all directions. The adaptive method locates a touch to 1e-11 s, and one
    more rounding may take it to the other end of that: as the force jumps there, the speed changes by up to the largest
    acceleration times as much.
    """
    turn = Rotation.from_rotvec(angle * axis / max(float(np.linalg.norm(axis)), 1e-3))
    still, nothing = Rotation.identity(), np.zeros(3)
    original = ran(method, still, nothing)
    assert original.touches.min() >= 1
    growth = max(
        1.0, float(differences(ran(method, still, nothing, nudge=1e-7), original, still, nothing).max()) / 1e-7
    )
    rounding = EPSILON * (1.0 + float(np.linalg.norm(move))) * float(original.steps[0])
    jump = float(original.peak.max()) / block(method).vehicle.mass
    late = growth * jump * LOCATION_TOLERANCE if method == "adaptive" else 0.0
    found = ran(method, turn, move)
    np.testing.assert_array_less(differences(found, original, turn, move), 10.0 * growth * rounding + late)
    np.testing.assert_allclose(found.first_touch, original.first_touch, atol=10.0 * growth * rounding + 2e-11)
    assert found.status[0] == original.status[0]
    np.testing.assert_array_equal(found.touches, original.touches)


@BOTH
@pytest.mark.parametrize("axis", [0, 1, 2])
@few(4)
@given(seed=st.integers(0, 2**32 - 1))
def test_in_a_mirror(method: str, axis: int, seed: int) -> None:
    """Mirrored at a coordinate plane, every sum has the same terms with the same or the other sign: the same bits."""
    rng = np.random.default_rng(seed)
    flip = np.ones(3)
    flip[axis] = -1.0
    spin_flip = -flip  # an angular velocity is an axial vector, and so is the vector part of a quaternion
    normal = Rotation.from_rotvec(rng.normal(scale=0.1, size=3)).apply([0.0, 0.0, 1.0])
    q = Rotation.from_rotvec(rng.normal(scale=0.2, size=3)).as_quat()
    q /= np.linalg.norm(q)
    start = {name: value + rng.normal(scale=0.1, size=3) for name, value in START.items()}
    feet = np.array([[0.5, 0.4, -0.2], [0.45, -0.5, -0.2], [-0.5, -0.3, -0.25], [-0.4, 0.5, -0.15]])

    def end(m: np.ndarray, s: np.ndarray) -> BatchResult:
        scenario = block(method).with_values(
            {
                "terrain": {"model": "plane", "normal": (m * normal).tolist()},
                "gravity.direction": (m * np.array([0.0, 0.0, -1.0])).tolist(),
                "vehicle.points": [{"name": str(i), "position": (m * foot).tolist()} for i, foot in enumerate(feet)],
                "initial": {
                    "position": (m * start["position"]).tolist(), "velocity": (m * start["velocity"]).tolist(),
                    "attitude": [*(s * q[:3]), q[3]], "angular_velocity": (s * start["angular_velocity"]).tolist(),
                },
            }
        )  # fmt: skip
        model = build(scenario, is_recorded=False)
        return run_batch(model, model.initial_state[None], threads=1)

    real, mirrored = end(np.ones(3), np.ones(3)), end(flip, spin_flip)
    assert np.isfinite(real.first_touch).any()
    seen = np.concatenate([flip, flip, spin_flip, [1.0], spin_flip]) * mirrored.state[0]
    np.testing.assert_array_equal(seen, real.state[0])
    np.testing.assert_array_equal(mirrored.first_touch, real.first_touch)
    np.testing.assert_array_equal(mirrored.peak, real.peak)

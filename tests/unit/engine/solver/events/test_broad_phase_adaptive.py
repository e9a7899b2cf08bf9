"""The bound on how far contact points go in a step: never exceeded, and not much too wide."""

import numpy as np
import pytest
import warp as wp
from scipy.spatial.transform import Rotation

import planetfall
from planetfall.engine.build import Model, build
from planetfall.engine.solver.dopri5 import trial_struct
from planetfall.engine.solver.events.broad_phase_adaptive import STRAY, longest_path, with_listed_points

N = 200
POINT = np.array([0.03, -0.05, 0.07])


def asked(
    model: Model, h: np.ndarray, starts: np.ndarray, slopes: np.ndarray, ends: np.ndarray, last: np.ndarray
) -> np.ndarray:
    """The bound for each of several steps, by the engine's own function."""
    vector = model.assembly.layout.vector
    way, trial_type, params_type = longest_path(model.assembly), trial_struct(vector), model.assembly.params

    @wp.kernel(module="unique", enable_backward=False)
    def ask(
        h: wp.array(dtype=wp.float64), y: wp.array(dtype=vector), k: wp.array(dtype=vector), y1: wp.array(dtype=vector),
        k1: wp.array(dtype=vector), p: wp.array(dtype=params_type), out: wp.array(dtype=wp.float64),
    ):  # fmt: skip
        i = wp.tid()
        trial = trial_type()
        trial.y = y1[i]
        trial.slope = k1[i]
        out[i] = way(h[i], y[i], k[i], trial, p[0])

    out = wp.zeros(len(h), dtype=wp.float64, device="cpu")
    rows = [wp.array(values, dtype=vector, device="cpu") for values in (starts, slopes, ends, last)]
    params = wp.array([model.params], dtype=params_type, device="cpu")
    wp.launch(ask, len(h), inputs=[wp.array(h, device="cpu"), *rows, params, out], device="cpu")
    return out.numpy()


def steps(turn: float, wander: float) -> tuple[np.ndarray, ...]:
    """Random steps: lengths [s], start, slope there, end, slope there. The path bends by `wander` of its length."""
    rng = np.random.default_rng(7)
    h = 10.0 ** rng.uniform(-2.0, 1.0, N)
    velocity = rng.normal(size=(N, 3))
    spin = rng.normal(size=(N, 3))
    spin *= (turn / h / np.linalg.norm(spin, axis=1))[:, None]  # [rad/s], inertial axes
    begun = Rotation.random(N, random_state=8)
    ended = Rotation.from_rotvec(spin * h[:, None]) * begun
    y0, k0, y1, k1 = (np.zeros((N, 13)) for _ in range(4))
    for y, k, pose in ((y0, k0, begun), (y1, k1, ended)):
        y[:, 6:10] = pose.as_quat()
        k[:, :3] = velocity * (1.0 + wander * rng.normal(size=(N, 3)))
        k[:, 6:10] = 0.5 * product(np.column_stack([spin, np.zeros(N)]), y[:, 6:10])
    y1[:, :3] = velocity * h[:, None] * (1.0 + wander * rng.normal(size=(N, 3)))
    same = np.sign(np.sum(y0[:, 6:10] * y1[:, 6:10], axis=1))[:, None]  # the sign that a turning ends with
    y1[:, 6:10], k1[:, 6:10] = same * y1[:, 6:10], same * k1[:, 6:10]
    return h, y0, k0, y1, k1


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of quaternions [n, (x, y, z, w)]."""
    vector = a[:, 3:] * b[:, :3] + b[:, 3:] * a[:, :3] + np.cross(a[:, :3], b[:, :3])
    return np.column_stack([vector, a[:, 3] * b[:, 3] - np.sum(a[:, :3] * b[:, :3], axis=1)])


def gone(h: np.ndarray, y0: np.ndarray, k0: np.ndarray, y1: np.ndarray, k1: np.ndarray) -> np.ndarray:
    """Length [m] of the way of a point along the cubic, summed over 400 chords."""
    s = np.linspace(0.0, 1.0, 401)[:, None, None]
    wide = h[None, :, None]
    w = s * s * (3.0 - 2.0 * s)
    y = y0 * (1.0 - w) + y1 * w + k0 * wide * s * (s - 1.0) ** 2 + k1 * wide * s * s * (s - 1.0)
    places = np.array([state[:, :3] + Rotation.from_quat(state[:, 6:10]).apply(POINT) for state in y])
    return np.linalg.norm(np.diff(places, axis=0), axis=2).sum(axis=0)


def test_no_point_goes_farther_than_the_bound_says() -> None:
    """Steps that turn by up to two radians, straight or bent; hardly turning and straight, it is the way itself."""
    model = build(planetfall.load("minerva-67p"), is_recorded=False)
    extent, stray = float(model.params.extents[0]), float(STRAY)
    assert np.linalg.norm(POINT) < extent
    for turn in (1e-3, 0.5, 2.0):
        for wander in (0.0, 0.5):
            made = steps(turn, wander)
            bound = asked(model, *made)
            assert np.all(gone(*made) <= bound), (turn, wander)
            if (turn, wander) == (1e-3, 0.0):
                assert np.all(bound - 2.0 * extent * stray * turn < stray * gone(*made) * (1.0 + 1e-9))


@wp.kernel(enable_backward=False)
def list_them(
    until: wp.array2d(dtype=wp.float64), travel: wp.float64, listed_out: wp.array2d(dtype=wp.int32),
    n_out: wp.array(dtype=wp.int32),
):  # fmt: skip
    run = wp.tid()
    n_out[run] = with_listed_points(listed_out, 2, until, travel, run)


@pytest.mark.parametrize("n_points", [1, 32, 70])
@pytest.mark.parametrize("is_by_run", [False, True])
def test_points_are_listed_in_order_after_those_that_are(n_points: int, is_by_run: bool) -> None:
    """Against NumPy, for one point, one group of them and several, however the numbers lie in memory."""
    until = np.random.default_rng(3).uniform(0.0, 2.0, (n_points, 20))
    until[0, 0] = 1.0  # it is enough to come to the ground
    kept = wp.array(until.T, device="cpu").transpose((1, 0)) if is_by_run else wp.array(until, device="cpu")
    near = wp.full((n_points + 2, 20), -1, dtype=wp.int32, device="cpu")
    n = wp.zeros(20, dtype=wp.int32, device="cpu")
    wp.launch(list_them, 20, inputs=[kept, wp.float64(1.0), near, n], device="cpu")
    for run in range(20):
        expected = np.flatnonzero(until[:, run] <= 1.0)
        assert near.numpy()[:2, run].tolist() == [-1, -1]
        assert near.numpy()[2 : n.numpy()[run], run].tolist() == expected.tolist()

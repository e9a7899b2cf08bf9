"""Where along a step a point leaves its mode: `narrowing` against Brent's method, over a ball in closed form.

A switch is located on the step's cubic interpolant. Here that interpolant, the place of a point, its gap over the ball
and its speed along it are written down once more in NumPy, and `scipy.optimize.brentq` finds the zero of each.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp
from scipy.optimize import brentq, minimize_scalar
from scipy.spatial.transform import Rotation

from planetfall.contact.model import MODE_APART, ContactMemory
from planetfall.contact.slip_stick import MODE_CREEP
from planetfall.engine.solver.dopri5 import trial_struct
from planetfall.engine.solver.events.contact_events import narrowing
from planetfall.engine.solver.events.point_scan import ROUNDINGS, nothing_found
from planetfall.engine.solver.events.search_tasks import EventSearch, probe_back
from planetfall.engine.structure.assembly import Assembly
from planetfall.world.terrain.model import Ground, TerrainModel
from support.block_scene import block_model

RADIUS, DEPTH, N, H = 3.0, 0.03, 60, 0.5
ROUNDING = 8 * RADIUS * 2.0**-52
"""What the two ways to compute a gap may differ by [m]: some last places of a position."""


@wp.struct
class BallParams:
    radius: wp.float64


@wp.func
def ball_gap(ball: wp.ref[BallParams], position: wp.vec3d, point: int, run: int) -> Ground:
    out = Ground()
    out.gap = wp.length(position) - ball.radius
    out.normal = wp.normalize(position)
    return out


BALL = TerrainModel("ball", BallParams, ball_gap, ray=None)


@dataclass(frozen=True)
class Step:
    """A trial step as the engine has it: its length [s], states and slopes at both ends."""

    h: float
    y0: np.ndarray
    k0: np.ndarray
    y1: np.ndarray
    k1: np.ndarray

    def at(self, s: float) -> np.ndarray:
        """The cubic through both ends with their slopes."""
        w = s * s * (3.0 - 2.0 * s)
        ends = self.y0 * (1.0 - w) + self.y1 * w
        return ends + self.h * (self.k0 * s * (s - 1.0) ** 2 + self.k1 * s * s * (s - 1.0))

    def gap(self, s: float, point_B: np.ndarray) -> float:
        """Of a point that is apart [m], by which it is judged: in doubt, by rounding, it stays so."""
        y = self.at(s)
        return np.linalg.norm(y[:3] + turned(y[6:10], point_B)) - RADIUS + float(ROUNDINGS) * np.linalg.norm(y[:3])

    def speed(self, s: float, point_B: np.ndarray) -> float:
        """Of a point along the ground [m/s], in body axes as in the engine: off unit length, q stretches them."""
        y = self.at(s)
        back = y[6:10] * [-1.0, -1.0, -1.0, 1.0]
        place = y[:3] + turned(y[6:10], point_B)
        normal = turned(back, place / np.linalg.norm(place))
        velocity = turned(back, y[3:6]) + np.cross(y[10:13], point_B)
        return float(np.linalg.norm(velocity - normal * (normal @ velocity)))


def turned(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """q v q*, also where q is not quite of unit length."""
    u, w = q[:3], q[3]
    return (w * w - u @ u) * v + 2.0 * (u @ v) * u + 2.0 * w * np.cross(u, v)


def free_step(
    share: float, pose: Rotation, place: np.ndarray, velocity: np.ndarray, pull: np.ndarray, turn: float = 0.5
) -> Step:
    """Point 0 is at a place with a velocity when a `share` of the step is over; the body turns by `turn` [rad]."""
    spin = turn / H * np.array([2.0, -2.0, 1.0]) / 3.0
    arm = points()[0]
    center, drift = place - pose.apply(arm), velocity - pose.apply(np.cross(spin, arm))
    ends = []
    for t in (-share * H, (1.0 - share) * H):
        q = (pose * Rotation.from_rotvec(spin * t)).as_quat()
        q = -q if ends and ends[0][6:10] @ q < 0.0 else q
        q_rate = 0.5 * np.append(q[3] * spin + np.cross(q[:3], spin), -q[:3] @ spin)
        speed = drift + pull * t
        ends.append(np.concatenate([center + drift * t + 0.5 * pull * t * t, speed, q, spin]))
        ends.append(np.concatenate([speed, pull, q_rate, np.zeros(3)]))
    return Step(H, *ends)


@lru_cache
def scene() -> tuple[Assembly, Any]:
    """The block and its marker law over the ball, and the parameters of it."""
    model = block_model("adaptive")
    assembly = replace(model.assembly, terrain=BALL)
    params = assembly.params()
    ball = BallParams()
    ball.radius = RADIUS
    for name in params._cls.vars:
        setattr(params, name, ball if name == "terrain" else getattr(model.params, name))
    return assembly, wp.array([params], dtype=assembly.params, device="cpu")


def points() -> np.ndarray:
    """The block's contact points [m], body axes."""
    return block_model("adaptive").params.points_B.numpy()


@lru_cache
def probe() -> wp.Kernel:
    """Asks the engine's own function."""
    assembly, _ = scene()
    vector, params_type = assembly.layout.vector, assembly.params
    trial_type, narrow = trial_struct(vector), narrowing(assembly)

    @wp.kernel(module="unique", enable_backward=False, module_options={"fuse_fp": False})
    def ask(
        limits: wp.array(dtype=wp.vec4d), place: wp.array(dtype=wp.int32), ends: wp.array2d(dtype=vector),
        p: wp.array(dtype=params_type), modes: wp.array2d(dtype=wp.int32), near: wp.array2d(dtype=wp.int32),
        theta_out: wp.array(dtype=wp.float64),
    ):  # fmt: skip
        i = wp.tid()
        trial = trial_type()
        trial.y = ends[i, 2]
        trial.slope = ends[i, 3]
        search = EventSearch()
        search.low = limits[i][0]
        search.instant = limits[i][1]
        probe_back(search, place[i])
        scan = nothing_found()
        memory = ContactMemory()
        memory.modes = modes
        n_listed = near.shape[0]
        narrow(search, scan, limits[i][2], limits[i][3], ends[i, 0], ends[i, 1], trial, p[0], memory, near, n_listed, i)
        theta_out[i] = search.high

    return ask


def located(steps: list[Step], near: list[int], mode: int, close: float, high: np.ndarray, place: int) -> np.ndarray:
    """The switch of each step between its start and `high`, of the points that are `near`, all in one mode."""
    assembly, params = scene()
    ends = np.array([[step.y0, step.k0, step.y1, step.k1] for step in steps])
    limits = np.array([[0.0, top, close, step.h] for step, top in zip(steps, high, strict=True)])
    inputs = [
        wp.array(limits, dtype=wp.vec4d, device="cpu"),
        wp.array(np.full(len(steps), place), dtype=wp.int32, device="cpu"),
        wp.array(ends, dtype=assembly.layout.vector, device="cpu"),
        params,
        wp.full((assembly.n_points, len(steps)), mode, dtype=wp.int32, device="cpu"),
        wp.array(np.tile(np.array(near)[:, None], len(steps)), dtype=wp.int32, device="cpu"),
    ]
    theta = wp.zeros(len(steps), dtype=wp.float64, device="cpu")
    wp.launch(probe(), len(steps), inputs=inputs, outputs=[theta], device="cpu")
    return theta.numpy()


def zero_of(f: Callable[[float], float], high: float = 1.0) -> float:
    """By Brent's method, to the last places of a fraction."""
    return float(brentq(f, 0.0, high, xtol=1e-16, rtol=4 * 2.0**-52))


def assert_just_past(step: Step, theta: float, f: Callable[[float], float], high: float, close: float) -> None:
    """Not before the zero of f [m or m/s], and by no more than `close` [s] after it, but for the rounding of f."""
    root = zero_of(f, high)
    slope = abs(f(min(root + 1e-4, 1.0)) - f(root - 1e-4)) / 2e-4 / step.h
    slack = ROUNDING / slope + 4 * 2.0**-52 * step.h
    assert -slack <= (theta - root) * step.h <= close + slack


def place_on_ball(rng: Any) -> tuple[np.ndarray, np.ndarray]:
    """A place on the ball and a direction along it there."""
    up, along = rng.normal(size=(2, 3))
    up /= np.linalg.norm(up)
    along -= up * (up @ along)
    return up, along / np.linalg.norm(along)


def test_a_touchdown_is_where_brent_finds_it() -> None:
    """Steep and slanting, from all sides, to a nanosecond and to a hundredth of it."""
    rng, steps = np.random.default_rng(1), []
    for _ in range(N):
        up, along = place_on_ball(rng)
        velocity = -rng.uniform(0.5, 1.5) * up + rng.uniform(0.0, 1.5) * along
        share, pose = rng.uniform(0.2, 0.8), Rotation.from_quat(rng.normal(size=4))
        steps.append(free_step(share, pose, RADIUS * up, velocity, rng.normal(size=3)))
    for close in (1e-9, 1e-11):
        found = located(steps, [0], MODE_APART, close, np.ones(N), 0)
        for step, theta in zip(steps, found, strict=True):
            assert_just_past(step, theta, lambda s, step=step: step.gap(s, points()[0]), 1.0, close)


def test_a_graze_is_found_on_its_way_in() -> None:
    """Dips of a centimetre down to a nanometre, from the start of the step to where they are lowest."""
    rng, steps, lowest = np.random.default_rng(2), [], []
    for depth in np.logspace(-2.0, -9.0, N):
        up, along = place_on_ball(rng)
        step = free_step(0.6, Rotation.from_quat(rng.normal(size=4)), RADIUS * up, along, up)
        for _ in range(3):  # down along the normal, until the interpolant's lowest point is as deep as that
            low = minimize_scalar(step.gap, args=(points()[0],), bounds=(0.3, 0.9), method="bounded").x
            y, shift = step.at(low), np.zeros(13)
            place = y[:3] + turned(y[6:10], points()[0])
            shift[:3] = -(step.gap(low, points()[0]) + depth) * place / np.linalg.norm(place)
            step = replace(step, y0=step.y0 + shift, y1=step.y1 + shift)
        steps.append(step)
        lowest.append(low)
    found = located(steps, [0], MODE_APART, 1e-9, np.array(lowest), 0)
    for step, theta, low in zip(steps, found, lowest, strict=True):
        assert_just_past(step, theta, lambda s, step=step: step.gap(s, points()[0]), low, 1e-9)


def test_a_foot_that_breaks_away_is_found_by_its_speed() -> None:
    """In the ground all the while: no gap changes its sign, and the law alone says when its creep is over."""
    rng, steps = np.random.default_rng(3), []
    limit = block_model("adaptive").scenario.contact.breakaway_speed
    for _ in range(N):
        up, along = place_on_ball(rng)
        pose, place = Rotation.from_quat(rng.normal(size=4)), (RADIUS - DEPTH) * up
        steps.append(free_step(0.0, pose, place, 0.2 * limit * along, 10.0 * limit * along, turn=0.05))
    found = located(steps, [0], MODE_CREEP, 1e-9, np.ones(N), 0)
    for step, theta in zip(steps, found, strict=True):
        assert max(step.gap(s, points()[0]) for s in np.linspace(0.0, 1.0, 11)) < -0.5 * DEPTH
        assert_just_past(step, theta, lambda s, step=step: step.speed(s, points()[0]) - limit, 1.0, 1e-9)


def test_of_two_feet_that_touch_the_first_counts() -> None:
    """Whichever is known to be in the ground at the end."""
    rng, steps, firsts = np.random.default_rng(4), [], []
    for _ in range(N):
        up, _ = place_on_ball(rng)
        upright, _ = Rotation.align_vectors([up], [[0.0, 0.0, 1.0]])
        pose = Rotation.from_rotvec(rng.normal(scale=0.05, size=3)) * upright
        steps.append(free_step(0.3, pose, RADIUS * up + pose.apply(points()[0] * [1.0, 1.0, 0.0]), -up, np.zeros(3)))
        zeros = [zero_of(lambda s, j=j: steps[-1].gap(s, points()[j])) for j in (0, 1)]
        firsts.append(int(np.argmin(zeros)))
    assert 0.2 < np.mean(firsts) < 0.8  # it is now the one, now the other
    for place in (0, 1):
        found = located(steps, [0, 1], MODE_APART, 1e-9, np.ones(N), place)
        for step, theta, first in zip(steps, found, firsts, strict=True):
            assert_just_past(step, theta, lambda s, step=step, j=first: step.gap(s, points()[j]), 1.0, 1e-9)

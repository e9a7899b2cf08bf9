"""A rigid body on points with saved places over a plane: the Morpheus law written again, in NumPy.

Sources: the words of Cordova2014 Sections II and III and the reconstruction of the equations that its text lacks.
Nothing is shared with the package. Attitude is a rotation matrix that is integrated as such, rotation is carried by the
angular momentum in the fixed frame, and the account of energy has two columns: what dampers took, and everything else
that is neither motion, height nor spring.

SI units. Fixed frame with any axes; the plane passes through the origin.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
NONE, STATIC, KINETIC = 0, 1, 2


def no_push(_: float) -> Array:
    """No force but weight and ground."""
    return np.zeros(3)


@dataclass(frozen=True)
class AnchoredBody:
    """What does not change: body, ground, law, and the force at the centre of mass over time."""

    mass: float
    inertia: Array  # (3, 3), body axes
    points: Array  # (n, 3), body axes, from the centre of mass
    normal: Array
    gravity: Array
    stiffness: float
    damping: float
    friction_static: float
    friction_kinetic: float
    rule: str = "leash"
    leash_ratio: float = 2.0
    slip_speed: float = 5e-4
    push: Callable[[float], Array] = no_push

    @cached_property
    def inertia_inverse(self) -> Array:
        """(3, 3), body axes."""
        return np.asarray(np.linalg.inv(self.inertia), dtype=np.float64)


@dataclass
class Memory:
    """What changes between steps only: mode of each point, its saved place, and the energy that changing it made.

    Rule `velocity`: `is_loose` where a point broke loose and has not been as fast as the slip speed since.
    """

    mode: NDArray[np.int64]
    place: Array
    is_loose: NDArray[np.bool_]
    made: float = 0.0


@dataclass
class History:
    """One row per step, the memory as renewed at its beginning."""

    time: list[float] = field(default_factory=list)
    position: list[Array] = field(default_factory=list)
    velocity: list[Array] = field(default_factory=list)
    attitude: list[Array] = field(default_factory=list)
    spin: list[Array] = field(default_factory=list)  # fixed frame
    mode: list[NDArray[np.int64]] = field(default_factory=list)
    place: list[Array] = field(default_factory=list)
    force: list[Array] = field(default_factory=list)
    energy: list[float] = field(default_factory=list)  # motion, height and springs
    damped: list[float] = field(default_factory=list)  # work of dampers
    other: list[float] = field(default_factory=list)  # friction, and what saved places made


def turned_by(w: Array, vectors: Array) -> Array:
    """w x v for every row v; written out, as it is called some 10^5 times."""
    return vectors @ np.array([[0.0, w[2], -w[1]], [-w[2], 0.0, w[0]], [w[1], -w[0], 0.0]])


def unpack(y: Array) -> tuple[Array, Array, Array, Array]:
    """Position, velocity, attitude matrix, angular momentum."""
    return y[0:3], y[3:6], y[6:15].reshape(3, 3), y[15:18]


def spin_of(body: AnchoredBody, attitude: Array, momentum: Array) -> Array:
    """Angular velocity in the fixed frame."""
    return attitude @ (body.inertia_inverse @ (momentum @ attitude))


@dataclass
class Resolved:
    """All points in one state: arms [m], and against the planes of the saved places what the law asks for."""

    arms: Array
    gap: Array
    v_n: Array
    stretch: Array
    slip: Array
    load: Array
    pull: Array
    spin: Array


def resolved(body: AnchoredBody, place: Array, y: Array) -> Resolved:
    """Gap, normal speed, stretch and velocity along the plane, normal force, spring-damper pull of every point."""
    x, v, attitude, momentum = unpack(y)
    spin, arms, n = spin_of(body, attitude, momentum), body.points @ attitude.T, body.normal
    away, velocity = x + arms - place, v + turned_by(spin, arms)
    gap, v_n = away @ n, velocity @ n
    stretch, slip = away - gap[:, None] * n, velocity - v_n[:, None] * n
    load = np.maximum(-body.stiffness * gap - body.damping * v_n, 0.0) * (gap < 0)
    pull = -body.stiffness * stretch - body.damping * slip
    return Resolved(arms, gap, v_n, stretch, slip, load, pull, spin)


def springs(body: AnchoredBody, memory: Memory, at: Resolved) -> Array:
    """Energy of each point's springs, along the normal and across it."""
    has_lateral = (memory.mode == STATIC) | ((memory.mode == KINETIC) & (body.rule != "velocity"))
    squared = np.minimum(at.gap, 0.0) ** 2 + has_lateral * (at.stretch**2).sum(axis=1)
    return 0.5 * body.stiffness * squared * (memory.mode != NONE)


def ground_forces(body: AnchoredBody, memory: Memory, at: Resolved) -> tuple[Array, float, float]:
    """Forces (n, 3), power of the dampers, and power of everything else."""
    held, sliding = memory.mode != NONE, memory.mode == KINETIC
    lateral, limit = at.pull, body.friction_kinetic * at.load
    if sliding.any():
        if body.rule == "velocity":
            speed = np.sqrt((at.slip**2).sum(axis=1))
            slid = -(limit / np.maximum(speed, body.slip_speed))[:, None] * at.slip
        else:
            size = np.sqrt((at.pull**2).sum(axis=1))
            slid = at.pull * np.minimum(limit / np.maximum(size, 1e-300), 1.0)[:, None]
        lateral = np.where(sliding[:, None], slid, at.pull)
    force = (at.load[:, None] * body.normal + lateral) * held[:, None]
    damped = float(((at.load + body.stiffness * at.gap) * at.v_n * (held & (at.gap < 0))).sum())
    damped -= body.damping * float(((at.slip**2).sum(axis=1) * (memory.mode == STATIC)).sum())
    winding = lateral if body.rule == "velocity" else lateral + body.stiffness * at.stretch
    return force, damped, float(((winding * at.slip).sum(axis=1) * sliding).sum())


def rate(body: AnchoredBody, memory: Memory, t: float, y: Array) -> Array:
    """Derivatives of position, velocity, attitude, angular momentum, and the two columns of the account."""
    at = resolved(body, memory.place, y)
    force, damped, other = ground_forces(body, memory, at)
    dy = np.empty(20)
    dy[0:3] = y[3:6]
    dy[3:6] = (force.sum(axis=0) + body.push(t)) / body.mass + body.gravity
    dy[6:15] = turned_by(at.spin, y[6:15].reshape(3, 3).T).T.ravel()
    moments = at.arms.T @ force
    dy[15:18] = moments[1, 2] - moments[2, 1], moments[2, 0] - moments[0, 2], moments[0, 1] - moments[1, 0]
    dy[18:20] = damped, other
    return dy


def renewed(body: AnchoredBody, memory: Memory, y: Array) -> Memory:
    """Steps 1 to 4 of the law, for every point by itself."""
    x, _, attitude, _ = unpack(y)
    p = x + body.points @ attitude.T
    before, mode, place = resolved(body, memory.place, y), memory.mode.copy(), memory.place.copy()
    height = p @ body.normal
    mode[height >= 0] = NONE
    fresh = (height < 0) & (memory.mode == NONE)
    mode[fresh], place[fresh] = STATIC, (p - height[:, None] * body.normal)[fresh]
    at = resolved(body, place, y)
    size, speed = (np.sqrt((vectors**2).sum(axis=1)) for vectors in (at.pull, at.slip))
    breaks = (mode == STATIC) & (size > body.friction_static * at.load)
    relieved, loose = size <= body.friction_kinetic * at.load, np.zeros(len(mode), dtype=bool)
    sticks, slides = (mode == KINETIC) & relieved, np.zeros(len(mode), dtype=bool)
    if body.rule == "velocity":
        slow, was_loose = speed < body.slip_speed, memory.is_loose
        sticks = (mode == KINETIC) & slow & (relieved | ~was_loose)
        loose = (breaks | ((mode == KINETIC) & was_loose)) & slow & ~sticks
        slides = ((mode == KINETIC) & ~was_loose) | (was_loose & ~slow)
    mode[breaks], mode[sticks] = KINETIC, STATIC
    if body.rule != "hold":
        ratio = {"leash": body.leash_ratio * body.friction_static, "drag": body.friction_kinetic, "velocity": 0.0}
        longest, length = ratio[body.rule] * at.load / body.stiffness, np.sqrt((at.stretch**2).sum(axis=1))
        moves = ((mode == KINETIC) | (slides & (body.rule == "velocity"))) & ~loose
        follows = moves & (length > longest)
        place[follows] += at.stretch[follows] * (1.0 - longest[follows] / length[follows])[:, None]
    after = Memory(mode, place, loose)
    after.made = float((springs(body, after, resolved(body, place, y)) - springs(body, memory, before)).sum())
    return after


def energy(body: AnchoredBody, memory: Memory, y: Array) -> float:
    """Motion, height and springs."""
    x, v, _, momentum = unpack(y)
    at = resolved(body, memory.place, y)
    motion = 0.5 * body.mass * float(v @ v) + 0.5 * float(momentum @ at.spin)
    return motion - body.mass * float(body.gravity @ x) + float(springs(body, memory, at).sum())


def simulate(
    body: AnchoredBody, position: Array, velocity: Array, attitude: Array, spin: Array, step: float, n_steps: int,
    keep_every: int = 1,
) -> History:  # fmt: skip
    """RK4 with a fixed step and the memory renewed before each; `spin` in the fixed frame. Some rows are kept."""
    momentum = attitude @ body.inertia @ attitude.T @ spin
    y = np.concatenate([position, velocity, np.asarray(attitude, float).ravel(), momentum, [0.0, 0.0]])
    n_points, out = len(body.points), History()
    memory = Memory(np.zeros(n_points, dtype=np.int64), np.zeros((n_points, 3)), np.zeros(n_points, dtype=bool))
    for n in range(n_steps + 1):
        t = n * step
        memory = renewed(body, memory, y)
        if n > 0:  # springs that are loaded at the start were given, not made
            y[19] += memory.made
        if n % keep_every == 0:
            note(out, body, memory, t, y)
        k1 = rate(body, memory, t, y)
        k2 = rate(body, memory, t + step / 2, y + step / 2 * k1)
        k3 = rate(body, memory, t + step / 2, y + step / 2 * k2)
        k4 = rate(body, memory, t + step, y + step * k3)
        y = y + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return out


def note(out: History, body: AnchoredBody, memory: Memory, t: float, y: Array) -> None:
    """Writes one row."""
    x, v, attitude, _ = unpack(y)
    at = resolved(body, memory.place, y)
    out.time.append(t)
    out.position.append(x.copy())
    out.velocity.append(v.copy())
    out.attitude.append(attitude.copy())
    out.spin.append(at.spin)
    out.mode.append(memory.mode.copy())
    out.place.append(memory.place.copy())
    out.force.append(ground_forces(body, memory, at)[0])
    out.energy.append(energy(body, memory, y))
    out.damped.append(float(y[18]))
    out.other.append(float(y[19]))

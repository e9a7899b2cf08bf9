"""Points against planes for tests of the anchor law, and what its reconstruction says of them in NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import planetfall
from planetfall.contact.anchor import MODE_LOOSE
from planetfall.contact.laws import law_params
from planetfall.contact.model import CONTACT_KINETIC, CONTACT_NONE, CONTACT_STATIC
from support.anchor_probes import anchor_renewals, footings, holds

NONE, STATIC, KINETIC, LOOSE = (int(mode) for mode in (CONTACT_NONE, CONTACT_STATIC, CONTACT_KINETIC, MODE_LOOSE))
GRAVITY = 9.80665
SCENARIO = planetfall.load("morpheus-drop-legs")
SHARE = 1552.8 / 4.0
K = SHARE * GRAVITY / 0.02
C = 2.0 * 0.1 * np.sqrt(SHARE * K)
MU_S, MU_K, LEASH, SLIP = 0.8, 0.3, 2.0, 5e-4
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class States:
    """Points against planes: saved places [m], unit normals, positions [m], velocities [m/s]."""

    anchor: np.ndarray
    normal: np.ndarray
    position: np.ndarray
    velocity: np.ndarray

    def along(self, vectors: np.ndarray) -> np.ndarray:
        return np.sum(vectors * self.normal, axis=1)

    def across(self, vectors: np.ndarray) -> np.ndarray:
        return vectors - self.along(vectors)[:, None] * self.normal

    @property
    def gap(self) -> np.ndarray:
        return self.along(self.position - self.anchor)

    @property
    def v_n(self) -> np.ndarray:
        return self.along(self.velocity)

    @property
    def delta(self) -> np.ndarray:
        return self.across(self.position - self.anchor)

    @property
    def v_lat(self) -> np.ndarray:
        return self.across(self.velocity)

    @property
    def N(self) -> np.ndarray:
        """Normal force [N]: pushes only, and only in the ground."""
        return np.where(self.gap < 0, np.maximum(-K * self.gap - C * self.v_n, 0.0), 0.0)

    @property
    def pull(self) -> np.ndarray:
        """Spring along delta, damper along the velocity [N]."""
        return -K * self.delta - C * self.v_lat


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def size(vectors: np.ndarray) -> np.ndarray:
    return np.linalg.norm(vectors, axis=1)


def states(n: int, seed: int = 0) -> States:
    """Points in and a little out of the ground, stuck, sliding, parting, with lateral speeds from 1e-5 to 1 m/s."""
    rng = np.random.default_rng(seed)
    normal, anchor = unit(rng.normal(size=(n, 3))), rng.uniform(-5.0, 5.0, (n, 3))
    side, way = (unit(np.cross(normal, rng.normal(size=(n, 3)))) for _ in range(2))
    gap, stretch = rng.uniform(-0.03, 0.003, n), 10.0 ** rng.uniform(-5.0, -1.0, n)
    speed, v_n = 10.0 ** rng.uniform(-5.0, 0.0, n), rng.normal(scale=1.5, size=n)
    position = anchor + gap[:, None] * normal + stretch[:, None] * side
    return States(anchor, normal, position, speed[:, None] * way + v_n[:, None] * normal)


def law(rule: str = "leash") -> Any:
    return law_params(SCENARIO.with_values({"contact.anchor_rule": rule}), GRAVITY).on_device("cpu")


def one(anchor: object = (0, 0, 0), position: object = (0, 0, -0.02), velocity: object = (0, 0, 0)) -> States:
    """One point over level ground."""
    rows = (np.atleast_2d(np.asarray(value, float)) for value in (anchor, UP, position, velocity))
    return States(*rows)


def memory(s: States, mode: int) -> np.ndarray:
    return holds(mode, s.anchor, s.normal)


def same_ground(s: States) -> np.ndarray:
    """The plane of the memory found again, straight below or above each point; touching where it is in it."""
    place = s.position - s.gap[:, None] * s.normal
    return footings((s.gap < 0).astype(np.int32), place, s.normal)


def renewed(s: States, mode: int, rule: str) -> tuple[np.ndarray, np.ndarray]:
    return anchor_renewals(law(rule), memory(s, mode), same_ground(s), s.position, s.velocity)


def with_anchor(s: States, hold: np.ndarray) -> States:
    return States(hold["anchor"], hold["normal"], s.position, s.velocity)

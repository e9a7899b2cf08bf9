"""Random bodies and attitudes that nature would allow."""

from __future__ import annotations

import numpy as np


def random_quaternion(rng: np.random.Generator) -> np.ndarray:
    """Unit quaternion x y z w."""
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def random_inertia(rng: np.random.Generator) -> np.ndarray:
    """Inertia [kg m^2] of a few random masses, full 3 x 3."""
    points = rng.normal(size=(6, 3))
    points -= points.mean(axis=0)
    return np.eye(3) * np.sum(points**2) - points.T @ points

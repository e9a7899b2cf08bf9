"""What a first impact will be like, from the initial state: which points land together, how fast, what they feel.

How hard and how deep it is, the contact law says (`contact.response`). The fall is ballistic. Points whose gaps differ
by less than the depth of the impact land together. A vehicle that turns on its way down may land on any of its points,
so they all count as one such group.
"""

import numpy as np

from planetfall.contact.response import NormalResponse

TURN_LIMIT = 0.1
"""Turn [rad] before the first touch beyond which any point may land first."""


def landing_groups(
    gaps: np.ndarray, normal: np.ndarray, gravity: np.ndarray, state: np.ndarray, points: np.ndarray, mass: float,
    response: NormalResponse,
) -> list[np.ndarray]:  # fmt: skip
    """Indices of the points that land together, group after group."""
    fall = float(-gravity @ normal)
    speed = impact_speed(float(gaps.min()), normal, gravity, state, points)
    time_to_touch = 2.0 * max(float(gaps.min()), 0.0) / speed if speed > 0 else 0.0
    if np.linalg.norm(state[10:13]) * time_to_touch > TURN_LIMIT or fall <= 0:
        return [np.arange(len(points))]
    depth = response.impact_depth(speed, mass, len(points), weight=0.0)
    order = np.argsort(gaps)
    breaks = np.flatnonzero(np.diff(gaps[order]) > depth) + 1
    return np.split(order, breaks)


def felt_mass(mass: float, inertia: np.ndarray, points: np.ndarray, normal: np.ndarray) -> float:
    """Mass [kg] that points sharing one normal push equally feel: 1/(1/m + t I^-1 t), t the push's mean lever arm."""
    lever = np.cross(points.mean(axis=0), normal)
    return float(1.0 / (1.0 / mass + lever @ np.linalg.solve(inertia, lever)))


def impact_speed(gap: float, normal: np.ndarray, gravity: np.ndarray, state: np.ndarray, points: np.ndarray) -> float:
    """Normal speed [m/s] with which a ballistic fall closes a gap, plus that of the turning."""
    fall = float(-gravity @ normal)
    squared = float(state[3:6] @ normal) ** 2 + 2.0 * fall * max(gap, 0.0)
    return np.sqrt(max(squared, 0.0)) + float(np.linalg.norm(state[10:13]) * np.max(np.linalg.norm(points, axis=1)))

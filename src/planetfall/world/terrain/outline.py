"""What a ground is shaped like without its roughness, for those who ask from far away: where its nearest point is.

Contact asks a terrain near the ground, where its gap and normal are good. Far from it a gap may be a lower bound, and a
normal may belong to a box about the body. An outline knows the nearest point from any distance.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np


@dataclass(frozen=True)
class Feet:
    """Nearest points of an outline to n places.

    Attributes:
        points_S: [n, 3] [m], surface frame.
        outward_S: [n, 3] unit vectors that leave the body there: along the line from the foot to the place, and where
            the place lies on the outline itself, its normal.
        heights: [n] distances of the places from their feet [m], negative inside.
        is_ground: [n] whether there is ground at all; not beside the border of an open sheet.
    """

    points_S: np.ndarray
    outward_S: np.ndarray
    heights: np.ndarray
    is_ground: np.ndarray


class Outline(Protocol):
    """A shape that knows the nearest point to any place.

    `margin` [m]: how far the ground can lie from it, by roughness and by how it is stored; 0 where it is the ground.
    """

    @property
    def margin(self) -> float:
        """How far the ground can lie from it [m]."""
        ...

    def feet(self, places_S: np.ndarray) -> Feet:
        """Nearest points to places [n, 3] [m]."""
        ...


def feet_of(
    places_S: np.ndarray, points_S: np.ndarray, normals_S: np.ndarray, is_outside: np.ndarray, is_ground: np.ndarray
) -> Feet:
    """Feet at the given points, with the line to their places."""
    offsets = places_S - points_S
    distances = np.linalg.norm(offsets, axis=1)
    signs = np.where(is_outside, 1.0, -1.0)
    # of a shorter line the direction is rounding
    is_clear = distances > 1e-9 * (1.0 + np.abs(points_S).max(axis=1))
    lines = signs[:, None] * offsets / np.where(is_clear, distances, 1.0)[:, None]
    return Feet(points_S, np.where(is_clear[:, None], lines, normals_S), signs * distances, is_ground)

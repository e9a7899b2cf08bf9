"""Vehicles in figures from the side: their drawings, paler than the curves over them."""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection

from planetfall.vehicle.drawing import Drawn

PALE = 0.55
"""Share of white in a vehicle's colours, so that curves over it stand out."""
PALEST = 0.85
"""The same where it is not any more."""
LEAST_SHARE = 0.06
"""Size of a vehicle, as a share of the picture's width, from which on it is drawn."""


@dataclass(frozen=True)
class Silhouette:
    """A vehicle from the side.

    Attributes:
        triangles: [facet, 3, 2] [m], along and up, the farthest first; only those that face the eye.
        colors: [facet, 3] 0 to 1, lit from above.
    """

    triangles: np.ndarray
    colors: np.ndarray


def seen_from_side(drawn: Drawn, at: np.ndarray, turn: np.ndarray, ahead: np.ndarray, toward: np.ndarray) -> Silhouette:
    """A vehicle whose origin is `at` [m], turned by a matrix.

    Args:
        drawn: Its triangles, body frame.
        at: Place of the body frame's origin, in axes of which the third is up.
        turn: Matrix from the body frame to these axes.
        ahead: Unit vector to the right in the picture.
        toward: Unit vector towards the eye.
    """
    corners = (drawn.vertices @ turn.T + at)[drawn.facets]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    shown = np.flatnonzero(normal @ toward > 0.0)
    shown = shown[np.argsort((corners[shown] @ toward).mean(axis=1))]
    light = 0.8 + 0.2 * normal[shown, 2]
    flat = np.stack([corners[shown] @ ahead, corners[shown][..., 2]], axis=-1)
    return Silhouette(flat, drawn.colors[shown] / 255.0 * light[:, None])


def draw_seen(axes: Axes, seen: Silhouette, pale: float = PALE) -> None:
    """Draws it below all curves, above the ground."""
    colors = pale + (1.0 - pale) * seen.colors
    axes.add_collection(PolyCollection(list(seen.triangles), facecolors=colors, edgecolors=colors, linewidths=0.3,
                                       zorder=1.4), autolim=False)  # fmt: skip

"""Vehicles in figures from the side: their drawings, paler than the curves over them."""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.path import Path

from planetfall.vehicle.drawing import Drawn

PALE = 0.55
"""Share of white in a vehicle's colours, so that curves over it stand out."""
PALEST = 0.85
"""The same where it is not any more."""
GONE = "gone"
"""Name, in an SVG, of a vehicle where it is not any more: white would make it stand out on a dark page."""
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
    colors = np.round(255.0 * (pale + (1.0 - pale) * seen.colors)).astype(np.uint8)
    layer = layers_of(seen.triangles, colors)
    first = np.unique(layer, return_index=True)[1]
    paths = [_path_of(seen.triangles[layer == i]) for i in range(len(first))]
    paint = colors[first] / 255.0
    shown = PathCollection(paths, facecolors=paint, edgecolors=paint, linewidths=0.3, zorder=1.4)
    if pale >= PALEST:
        shown.set_gid(GONE)
    axes.add_collection(shown, autolim=False)


def layers_of(triangles: np.ndarray, colors: np.ndarray) -> np.ndarray:
    """A number for each triangle: those of one number have one colour, and drawn together show the same picture.

    A triangle goes with earlier ones of its colour unless another one, drawn in between, may lie under it.
    """
    low, high = triangles.min(axis=1), triangles.max(axis=1)
    layer = np.zeros(len(triangles), dtype=int)
    last: dict[bytes, int] = {}
    n = 0
    for i, color in enumerate(colors):
        own = last.get(color.tobytes())
        between = np.flatnonzero(layer[:i] > own) if own is not None else np.arange(i)
        if own is None or np.any(np.all((low[between] < high[i]) & (high[between] > low[i]), axis=1)):
            own, n = n, n + 1
            last[color.tobytes()] = own
        layer[i] = own
    return layer


def _path_of(triangles: np.ndarray) -> Path:
    """One path of separate triangles."""
    corners = np.concatenate([triangles, triangles[:, :1]], axis=1).reshape(-1, 2)
    codes = np.tile(np.array([Path.MOVETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY], dtype=Path.code_type),
                    len(triangles))  # fmt: skip
    return Path(corners, codes)

"""The frames of the Morpheus paper: LFRAME under the vehicle, PFRAME of the facet under a point (Cordova2014).

Both are called after their axes, in this order: the normal (for LFRAME: up), east, north. East lies across the normal
and the pole; in a site's frame, across the normal and its north axis.
"""

import numpy as np


def normal_east_north(normals: np.ndarray, frame: str) -> np.ndarray:
    """Axes [..., 3, 3] (rows: normal, east, north) of frames with given outward normals [..., 3], in frame L or P."""
    pole = np.array([0.0, 1.0, 0.0] if frame == "L" else [0.0, 0.0, 1.0])
    east = np.cross(pole, normals)
    length = np.linalg.norm(east, axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):  # no ground, or a normal along the pole: no east
        east = east / length
    return np.stack([normals, east, np.cross(normals, east)], axis=-2)


def lframe_origin(
    position: np.ndarray, lowest: np.ndarray, is_standing: bool, frame: str, radius: float = 0.0
) -> np.ndarray:
    """Origin [m] of LFRAME: under the first centre of mass, level with the feet of a standing vehicle.

    A vehicle that starts in flight has it at the level of a site's zero or, in frame P, at the target's `radius` [m].
    """
    up = lframe_axes(position, frame)[0]
    level = lowest @ up if is_standing else radius if frame == "P" else 0.0
    return position - up * (position @ up - level)


def lframe_axes(position: np.ndarray, frame: str) -> np.ndarray:
    """Rows up, east, north of LFRAME for a first centre of mass [m]."""
    up = np.array([0.0, 0.0, 1.0]) if frame == "L" else position / np.linalg.norm(position)
    return normal_east_north(up, frame)

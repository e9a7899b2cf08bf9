"""A path of waypoints, sampled: straight stretches, and arcs in place of the corners."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from planetfall.errors import InputError
from planetfall.rover.model import RoverModel

MAX_SAMPLES = 2_000_000
"""Largest number of samples of a path."""


Piece = tuple[float, np.ndarray, float, float]


@dataclass(frozen=True)
class DrivePath:
    """A sampled path of the rover's middle, which on flat ground is halfway between the middle wheels.

    Attributes:
        distance: Along the path [m], [n].
        xy: [m], surface frame, [n, 2].
        yaw: Heading [rad], anticlockwise from x, [n].
        pieces: Length, start, heading and curvature of each stretch and arc.
    """

    distance: np.ndarray
    xy: np.ndarray
    yaw: np.ndarray
    pieces: tuple[Piece, ...]

    def at(self, distance: np.ndarray) -> "DrivePath":
        """The same path at other distances [m]."""
        return _sampled(self.pieces, distance)

    def places(self, rover: RoverModel) -> np.ndarray:
        """Places (x, y, yaw) of the middle right wheel, [n, 3]."""
        return middle_places(rover, self.xy, self.yaw)


def middle_places(rover: RoverModel, xy: np.ndarray, yaw: np.ndarray) -> np.ndarray:
    """Places of the middle right wheel for a rover whose middle is at xy on level ground."""
    half = (rover.aside[4] - rover.aside[1]) / 2
    right = np.stack([np.sin(yaw), -np.cos(yaw)], axis=-1)
    return np.column_stack([xy + half * right, yaw])


def sample_path(waypoints: ArrayLike, step: float, corner_radius: float = 0.0) -> DrivePath:
    """Samples a polyline at equal distances, its corners rounded by arcs.

    Args:
        waypoints: (x, y) [m], at least two, [k, 2].
        step: Distance of the samples [m]; the last one is at the end of the path.
        corner_radius: Radius of the arcs [m]; 0 turns on the spot.
    """
    points = np.asarray(waypoints, dtype=float)
    _check(points, step, corner_radius)
    pieces = _pieces(points, corner_radius)
    total = float(np.cumsum([piece[0] for piece in pieces])[-1])
    if total / step > MAX_SAMPLES:
        raise InputError("path.step", f"{step:g} m over {total:g} m", f"at most {MAX_SAMPLES} samples", "a longer step")
    return _sampled(tuple(pieces), np.append(np.arange(0.0, total - 1e-9 * step, step), total))


def _sampled(pieces: tuple[Piece, ...], distance: np.ndarray) -> DrivePath:
    """Places along the pieces at given distances [m]."""
    ends = np.cumsum([piece[0] for piece in pieces])
    which = np.minimum(np.searchsorted(ends, distance, side="left"), len(pieces) - 1)
    xy, yaw = np.empty((len(distance), 2)), np.empty(len(distance))
    for k, (length, start, heading, curvature) in enumerate(pieces):
        s = distance[which == k] - (ends[k] - length)
        turned = heading + curvature * s
        yaw[which == k] = turned
        if curvature == 0.0:
            offset = np.outer(s, [np.cos(heading), np.sin(heading)])
        else:
            offset = np.column_stack([np.sin(turned) - np.sin(heading), np.cos(heading) - np.cos(turned)]) / curvature
        xy[which == k] = start + offset
    return DrivePath(distance, xy, yaw, pieces)


def _pieces(points: np.ndarray, radius: float) -> list[Piece]:
    """Length, start, heading and curvature of each stretch and arc."""
    legs = np.diff(points, axis=0)
    lengths = np.linalg.norm(legs, axis=1)
    headings = np.arctan2(legs[:, 1], legs[:, 0])
    turns = (np.diff(headings) + np.pi) % (2 * np.pi) - np.pi
    cuts = radius * np.tan(np.abs(turns) / 2)
    room = lengths - np.append(cuts, 0.0) - np.append(0.0, cuts)
    if np.any(room < -1e-12 * lengths):
        k = int(np.argmin(room))
        raise InputError(
            "path.corner_radius", f"{radius:g} m leaves no straight stretch between waypoints {k} and {k + 1}",
            "arcs that fit between the waypoints", "a smaller radius, or waypoints further apart",
        )  # fmt: skip
    pieces, heading = [], float(headings[0])
    for k, length in enumerate(room):
        ahead = legs[k] / lengths[k]
        start = points[k] + (cuts[k - 1] * ahead if k else 0.0)
        pieces.append((max(float(length), 0.0), start, heading, 0.0))
        if k < len(turns):
            if cuts[k] > 0.0:
                corner = points[k + 1] - cuts[k] * ahead
                pieces.append((abs(turns[k]) * radius, corner, heading, float(np.sign(turns[k])) / radius))
            heading += float(turns[k])
    return pieces


def _check(points: np.ndarray, step: float, radius: float) -> None:
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2 or not np.all(np.isfinite(points)):
        raise InputError("path.waypoints", f"an array of shape {points.shape}", "two or more finite (x, y) [m]")
    if np.any(np.linalg.norm(np.diff(points, axis=0), axis=1) == 0.0):
        raise InputError(
            "path.waypoints", "two that follow each other are the same", "waypoints that differ", "leave one out"
        )
    if not 0 < step < np.inf:
        raise InputError("path.step", f"{step:g} m", "positive")
    if not 0 <= radius < np.inf:
        raise InputError("path.corner_radius", f"{radius:g} m", "0 or positive")

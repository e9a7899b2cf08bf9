"""Triangles of a vehicle's drawing, for viewer and figures alike."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from planetfall.scenario.tables.drawing import BODY_COLOR, DrawnPart
from planetfall.scenario.tables.vehicle.solid import box

SIDES = 24
"""Of what is round."""


@dataclass(frozen=True)
class Drawn:
    """Coloured triangles of a vehicle, body frame.

    Attributes:
        vertices: [vertex, 3] [m].
        facets: [facet, 3] vertex indices, counter-clockwise seen from outside.
        colors: [facet, 3] red, green and blue, 0 to 255.
    """

    vertices: np.ndarray
    facets: np.ndarray
    colors: np.ndarray


def drawn_parts(parts: Iterable[DrawnPart]) -> Drawn:
    """The triangles of all parts, mirrored ones included."""
    vertices, facets, colors, n = [np.empty((0, 3))], [np.empty((0, 3), int)], [np.empty((0, 3), np.uint8)], 0
    for part in parts:
        color = _rgb(part.color)
        for places, corners in _copies(part):
            vertices.append(places)
            facets.append(corners + n)
            colors.append(np.tile(color, (len(corners), 1)))
            n += len(places)
    return Drawn(np.concatenate(vertices), np.concatenate(facets), np.concatenate(colors))


def plain(vertices: np.ndarray, facets: np.ndarray) -> Drawn:
    """Triangles in the colour of a part that says none."""
    return Drawn(vertices, facets, np.tile(_rgb(BODY_COLOR), (len(facets), 1)))


def _rgb(color: str) -> np.ndarray:
    return np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)], np.uint8)


def _copies(part: DrawnPart) -> list[tuple[np.ndarray, np.ndarray]]:
    """A part and its mirror images; a mirror turns triangles inside out, so that two corners change places."""
    out = [_solid(part)]
    for axis in part.mirrored:
        sign = np.where(np.arange(3) == "xyz".index(axis), -1.0, 1.0)
        out += [(vertices * sign, facets[:, ::-1]) for vertices, facets in out]
    return out


def _solid(part: DrawnPart) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [m] and facets of one part."""
    if part.kind == "box":
        assert part.size is not None
        solid = box(part.size)
        return solid.vertices + np.array(part.position), solid.facets
    assert part.diameter is not None
    if part.kind == "sphere":
        heights = np.linspace(0.0, np.pi, SIDES // 2 + 1)
        radius, along = 0.5 * part.diameter * np.sin(heights), -0.5 * part.diameter * np.cos(heights)
        vertices, facets = _turned(radius, along)
        return vertices + np.array(part.position), facets
    assert part.ends is not None
    ends = np.array(part.ends)
    last = part.diameter if part.kind == "cylinder" else part.end_diameter
    length = float(np.linalg.norm(ends[1] - ends[0]))
    vertices, facets = _turned(0.5 * np.array([0.0, part.diameter, last, 0.0]), np.array([0.0, 0.0, length, length]))
    return ends[0] + vertices @ _axes_along((ends[1] - ends[0]) / length), facets


def _turned(radius: np.ndarray, along: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A solid of revolution about z from an outline (radius, z) [m] that begins and ends on the axis."""
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    ring = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(SIDES)])
    vertices = np.concatenate([r * ring + [0.0, 0.0, z] for r, z in zip(radius, along, strict=True)])
    i, j = np.arange(SIDES), (np.arange(SIDES) + 1) % SIDES
    facets = []
    for k in range(len(radius) - 1):
        low, high = k * SIDES, (k + 1) * SIDES
        if radius[k] > 0:
            facets.append(np.column_stack([low + i, low + j, high + j]))
        if radius[k + 1] > 0:
            facets.append(np.column_stack([low + i, high + j, high + i]))
    return vertices, np.concatenate(facets)


def _axes_along(axis: np.ndarray) -> np.ndarray:
    """Rows: two unit vectors across an axis, and the axis; right-handed."""
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    across /= np.linalg.norm(across)
    return np.array([across, np.cross(axis, across), axis])

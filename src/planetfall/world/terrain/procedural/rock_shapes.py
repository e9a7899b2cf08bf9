"""Rocks as bodies: closed convex polyhedra, widest at the ground, their winding outward."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull

from planetfall.world.terrain.procedural.draw import Stream, uniforms
from planetfall.world.terrain.procedural.rocks import Rocks

N_PATTERNS = 32
"""Different rocks; each one placed is one of them, turned and stretched."""
RINGS = ((0.0, 1.0, 9), (0.45, 0.88, 7), (0.85, 0.55, 5), (1.0, 0.2, 2), (-0.55, 0.8, 5), (-1.0, 0.2, 2))
"""Height, radius and number of corners of the rings that a rock is the hull of (assumed): waist, upper, lower."""


@dataclass(frozen=True)
class RockMesh:
    """The rocks of a field as one mesh of closed bodies.

    Attributes:
        vertices: Positions [vertex, 3] [m], surface frame L.
        facets: Vertex indices [facet, 3], counter-clockwise seen from outside.
    """

    vertices: np.ndarray
    facets: np.ndarray


def rock_patterns(seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Vertices and facets of the patterns: top at z = 1, bottom at -1, and an outline at z = 0 of the area pi/4."""
    n_corners = sum(count for _, _, count in RINGS)
    draws = uniforms(seed, Stream.rock_shapes, 0, (N_PATTERNS, n_corners, 3))
    return [_pattern(u) for u in draws]


def _pattern(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One pattern: the hull of rings of unevenly spaced corners. The waist is on a circle, hence convex and widest."""
    points, first = [], 0
    for height, radius, count in RINGS:
        part = u[first : first + count]
        angle = 2.0 * np.pi * (np.arange(count) + 0.7 * part[:, 0] + part[0, 2]) / count
        is_waist = height == 0.0
        out = radius * (1.0 if is_waist else 1.0 - 0.25 * part[:, 1])
        level = np.full(count, height) if is_waist else height * (1.0 - 0.12 * part[:, 2])
        points.append(np.column_stack([out * np.cos(angle), out * np.sin(angle), level]))
        first += count
    corners = np.concatenate(points)
    waist = corners[: RINGS[0][2], :2]
    area = 0.5 * abs(float(np.sum(waist[:, 0] * np.roll(waist[:, 1], -1) - waist[:, 1] * np.roll(waist[:, 0], -1))))
    corners[:, :2] *= np.sqrt(0.25 * np.pi / area)
    corners[:, 2] /= np.where(corners[:, 2] > 0.0, corners[:, 2].max(), -corners[:, 2].min())
    return _hull(corners)


def _hull(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and outward facets of the convex hull."""
    hull = ConvexHull(corners)
    used = np.unique(hull.simplices)
    facets = np.searchsorted(used, hull.simplices)
    vertices = corners[used]
    a, b, c = (vertices[facets[:, i]] for i in range(3))
    is_inward = np.sum(np.cross(b - a, c - a) * hull.equations[:, :3], axis=1) < 0.0
    facets[is_inward] = facets[is_inward][:, ::-1]
    return vertices, facets[np.lexsort(facets.T[::-1])]


def rock_mesh(rocks: Rocks, buried: float, base: np.ndarray, seed: int) -> RockMesh:
    """Bodies of all rocks, before the field is tilted.

    Args:
        rocks: What was placed.
        buried: Fraction of a body's height that is below the ground.
        base: Height of the ground at each one's centre [m].
        seed: Of the scenario.
    """
    patterns = rock_patterns(seed)
    which = (uniforms(seed, Stream.rock_shapes, 1, (len(rocks),)) * N_PATTERNS).astype(int)
    sizes = np.array([len(vertices) for vertices, _ in patterns])[which]
    starts = np.cumsum(sizes) - sizes
    vertices, facets = np.empty((int(sizes.sum()), 3)), []
    for i, (corners, triangles) in enumerate(patterns):
        mine = np.flatnonzero(which == i)
        placed = _placed(corners, rocks.kept(mine), buried, base[mine])
        vertices[(starts[mine][:, None] + np.arange(len(corners))).ravel()] = placed.reshape(-1, 3)
        facets.append((starts[mine][:, None, None] + triangles).reshape(-1, 3))
    every = np.concatenate(facets)
    return RockMesh(vertices, every[np.argsort(every[:, 0], kind="stable")])


def _placed(corners: np.ndarray, rocks: Rocks, buried: float, base: np.ndarray) -> np.ndarray:
    """Vertices [rock, vertex, 3] [m] of rocks of one pattern."""
    x, y, z = corners.T
    stretch = np.sqrt(rocks.elongation)
    along, across = np.multiply.outer(rocks.diameter * stretch, x), np.multiply.outer(rocks.diameter / stretch, y)
    c, s = np.cos(rocks.azimuth)[:, None], np.sin(rocks.azimuth)[:, None]
    rise = np.where(z > 0.0, z, z * buried / (1.0 - buried))
    return np.stack(
        [
            rocks.x[:, None] + c * along - s * across,
            rocks.y[:, None] + s * along + c * across,
            base[:, None] + np.multiply.outer(rocks.height, rise),
        ],
        axis=2,
    )

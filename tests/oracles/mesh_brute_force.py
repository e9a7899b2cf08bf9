"""Nearest facets and first hits of a triangle mesh by looking at every facet, in float64 and in NumPy alone.

The distance to a triangle is that to its plane where the foot of the perpendicular lies inside, else the least of the
distances to its three sides. A ray meets a triangle where it crosses its plane inside. Both are worked out for pairs of
a query and a facet: every pair of a small mesh; of a large one only those that bounding spheres cannot rule out, a
choice that leaves out no facet that could matter (`near_pairs`, `ray_pairs`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import KDTree

Array = np.ndarray
Pairs = tuple[Array, Array]
"""Indices of queries, rising, and of facets; a pair may be there twice."""

CHUNK = 2_000_000
"""Pairs that are worked out at once."""
ROUNDING = 1e-13
"""Of a distance relative to the size of the mesh: some 1e3 roundings of float64, thin facets included."""


@dataclass(frozen=True)
class Triangles:
    """A mesh: `vertices` [vertex, 3] [m], `facets` [facet, 3] counter-clockwise seen from outside."""

    vertices: Array
    facets: Array

    @cached_property
    def corners(self) -> Array:
        """[facet, 3, 3] [m]."""
        return self.vertices[self.facets]

    @cached_property
    def normals(self) -> Array:
        """Unit, [facet, 3]."""
        a, b, c = (self.corners[:, i] for i in range(3))
        normals = np.cross(b - a, c - a)
        return normals / np.linalg.norm(normals, axis=1)[:, None]

    @cached_property
    def sides(self) -> Array:
        """Vectors ab, bc, ca [facet, 3, 3] [m]."""
        return np.roll(self.corners, -1, axis=1) - self.corners

    @cached_property
    def inward(self) -> Array:
        """Unit vectors across the sides, in the facet's plane and to its inside [facet, 3, 3]."""
        across = np.cross(self.normals[:, None], self.sides)
        return across / np.linalg.norm(across, axis=2)[..., None]

    @cached_property
    def size(self) -> float:
        """Longest side of the box around it [m]."""
        return float(np.ptp(self.vertices, axis=0).max())

    @cached_property
    def pieces(self) -> tuple[Array, Array, Array]:
        """The facets, large ones cut up: centroids [piece, 3] [m], how far each piece reaches from its own [m], and the
        facet that it is of.
        """
        corners, owner = self.corners, np.arange(len(self.facets))
        limit = 1.2 * float(np.median(_radii(corners)))
        done = []
        while len(corners):
            is_small = _radii(corners) <= limit
            done.append((corners[is_small], owner[is_small]))
            corners, owner = _halved(corners[~is_small]), np.tile(owner[~is_small], 2)
        corners, owner = (np.concatenate(column) for column in zip(*done, strict=True))
        return corners.mean(axis=1), _radii(corners) * (1 + 1e-9) + 1e-12 * self.size, owner

    @cached_property
    def is_border(self) -> Array:
        """[facet, 3] whether a side (ab, bc, ca) has no other facet."""
        sides = np.sort(self.facets[:, [[0, 1], [1, 2], [2, 0]]], axis=2).astype(np.int64)
        _, which, counts = np.unique(sides @ [len(self.vertices), 1], return_inverse=True, return_counts=True)
        return (counts[which] == 1).reshape(-1, 3)

    @cached_property
    def is_border_corner(self) -> Array:
        """[facet, 3] whether a corner is the end of a side without a neighbour, of this facet or another."""
        ends = np.zeros(len(self.vertices), dtype=bool)
        ends[self.facets[self.is_border]] = ends[np.roll(self.facets, -1, axis=1)[self.is_border]] = True
        return ends[self.facets]


def _radii(corners: Array) -> Array:
    """Greatest distance of a corner from the centroid [m]."""
    return np.linalg.norm(corners - corners.mean(axis=1)[:, None], axis=2).max(axis=1)


def _halved(corners: Array) -> Array:
    """Triangles cut from the middle of the longest side to the corner across: all first halves, then all second."""
    sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    order = (np.argmax(sides, axis=1)[:, None] + np.arange(3)) % 3
    a, b, c = (np.take_along_axis(corners, order[:, i, None, None], axis=1)[:, 0] for i in range(3))
    middle = 0.5 * (a + b)
    return np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])


def all_pairs(n_queries: int, n_facets: int) -> Iterator[Pairs]:
    """Every query with every facet, some queries at a time."""
    at_once = max(1, CHUNK // n_facets)
    for first in range(0, n_queries, at_once):
        some = np.arange(first, min(first + at_once, n_queries))
        yield np.repeat(some, n_facets), np.tile(np.arange(n_facets), len(some))


def near_pairs(mesh: Triangles, points: Array) -> Iterator[Pairs]:
    """Each point with every facet that can be as near as the nearest.

    The centroid of some piece lies at a distance u, so the nearest facet is no farther. A piece that reaches r from its
    centroid c is no nearer than |p - c| - r: its facet can only be the nearest where |p - c| <= u + r for a piece.
    """
    middles, radii, owner = mesh.pieces
    tree = KDTree(middles, balanced_tree=False, compact_nodes=False)
    for some in _portions(len(points)):
        bound = tree.query(points[some])[0] * (1 + 1e-9) + 1e-12 * mesh.size
        query, piece = _flattened(some, tree.query_ball_point(points[some], bound + radii.max(), return_sorted=False))
        reach = bound[query - some[0]] + radii[piece]
        away = points[query] - middles[piece]
        is_near = np.einsum("pj,pj->p", away, away) <= reach**2 * (1 + 1e-9)
        yield query[is_near], owner[piece[is_near]]


def ray_pairs(mesh: Triangles, origins: Array, direction: Array, ranges: Array) -> Iterator[Pairs]:
    """Rays of one direction, each with every facet that it can meet no farther than its range [m] (NaN: any).

    A piece that reaches r from its centroid is met only by lines that pass the centroid within r, and only between r
    before and r behind it. A ray may have no such facet.
    """
    across = np.linalg.svd(direction[None])[2][1:]
    middles, radii, owner = mesh.pieces
    flat, ahead = middles @ across.T, middles @ direction
    tree = KDTree(flat, balanced_tree=False, compact_nodes=False)
    radii = radii + 1e-12 * (mesh.size + np.abs(origins).max())
    start, end = origins @ direction, origins @ direction + np.nan_to_num(ranges, nan=np.inf)
    for some in _portions(len(origins)):
        below = origins[some] @ across.T
        query, piece = _flattened(some, tree.query_ball_point(below, radii.max(), return_sorted=False))
        aside = below[query - some[0]] - flat[piece]
        is_met = np.einsum("pj,pj->p", aside, aside) <= radii[piece] ** 2
        is_met &= (ahead[piece] + radii[piece] >= start[query]) & (ahead[piece] - radii[piece] <= end[query])
        yield query[is_met], owner[piece[is_met]]


def _portions(n: int, at_once: int = 10_000) -> Iterator[Array]:
    for first in range(0, n, at_once):
        yield np.arange(first, min(first + at_once, n))


def _flattened(queries: Array, found: Array) -> Pairs:
    """Pairs of query and piece from what a tree gives: for each query a list of pieces."""
    counts = np.array([len(one) for one in found])
    return np.repeat(queries, counts), np.concatenate([np.asarray(one, dtype=np.int64) for one in found])


def triangle_distances(mesh: Triangles, points: Array, facet: Array) -> tuple[Array, Array, Array]:
    """Distances, heights over the facets' planes, both [pair] [m], and distances to the sides [pair, 3] [m]."""
    sides = mesh.sides[facet]
    away = points[:, None] - mesh.corners[facet]
    share = np.einsum("pij,pij->pi", away, sides) / np.einsum("pij,pij->pi", sides, sides)
    rest = away - np.clip(share, 0.0, 1.0)[..., None] * sides
    to_sides = np.sqrt(np.einsum("pij,pij->pi", rest, rest))
    heights = np.einsum("pj,pj->p", away[:, 0], mesh.normals[facet])
    is_inside = (np.einsum("pij,pij->pi", away, mesh.inward[facet]) >= 0.0).all(axis=1)
    return np.where(is_inside, np.abs(heights), to_sides.min(axis=1)), heights, to_sides


def triangle_offsets(mesh: Triangles, points: Array, facet: Array) -> Array:
    """Vectors [pair, 3] [m] from the nearest point of each facet to its point."""
    away = points[:, None] - mesh.corners[facet]
    share = np.einsum("pij,pij->pi", away, mesh.sides[facet]) / np.sum(mesh.sides[facet] ** 2, axis=2)
    rest = away - np.clip(share, 0.0, 1.0)[..., None] * mesh.sides[facet]
    side = np.argmin(np.sum(rest**2, axis=2), axis=1)
    heights = np.einsum("pj,pj->p", away[:, 0], mesh.normals[facet])
    is_inside = (np.einsum("pij,pij->pi", away, mesh.inward[facet]) >= 0.0).all(axis=1)
    return np.where(is_inside[:, None], heights[:, None] * mesh.normals[facet], rest[np.arange(len(rest)), side])


def wrong_gaps(
    mesh: Triangles, points: Array, gaps: Array, normals: Array, is_ground: Array, pairs: Iterator[Pairs],
) -> Array:  # fmt: skip
    """Indices of answers that no nearest facet gives.

    A right answer is that of a nearest facet: the gap is the distance but for its sign, and gap times normal the vector
    from the nearest point; on the facet, the normal is its own. Or it is no ground, where the nearest point lies on a
    side of the facet that has no neighbour. On faces and edges the side is that of the facet, of several nearest ones
    that faces the point most squarely; on vertices that may mislead, and `winding_numbers` are to be asked. Where it is
    open whether facets are equally near, either way of seeing it is right.
    """
    wrong = []
    room = ROUNDING * (mesh.size + np.abs(points - mesh.vertices.mean(axis=0)).max(axis=1))
    for query, facet in pairs:
        first = np.flatnonzero(np.append(True, np.diff(query) > 0))
        counts = np.diff(np.append(first, len(query)))
        distance, height, sides = triangle_distances(mesh, points[query], facet)
        slack = room[query]
        nearest = np.repeat(np.minimum.reduceat(distance, first), counts)
        facing = np.where(distance <= nearest * (1 + 4e-10), np.abs(height), -1.0)
        squarest = np.repeat(np.maximum.reduceat(facing, first), counts)
        to_corners = np.linalg.norm(points[query][:, None] - mesh.corners[facet], axis=2)
        is_vertex = to_corners.min(axis=1) <= nearest * (1 + 3e-9) + slack
        is_squarest = np.abs(height) >= squarest * (1 - 3e-9) - slack
        is_best = (distance <= nearest * (1 + 3e-9) + slack) & (is_vertex | is_squarest)
        to_border = np.minimum(
            np.where(mesh.is_border[facet], sides, np.inf).min(axis=1),
            np.where(mesh.is_border_corner[facet], to_corners, np.inf).min(axis=1),
        )
        may_end = to_border <= nearest * (1 + 3e-9) + slack
        must_end = may_end & (np.abs(height) < nearest * (1 - 1e-6) - slack)
        away = triangle_offsets(mesh, points[query], facet)
        fits = np.abs(np.abs(gaps[query]) - distance) <= slack
        fits &= is_vertex | (np.sign(gaps[query]) * height >= -slack)
        with np.errstate(over="ignore", invalid="ignore"):
            fits &= np.abs(gaps[query][:, None] * normals[query] - away).max(axis=1) <= 4 * slack
        is_on = distance <= slack
        fits &= ~is_on | (np.abs(normals[query] - mesh.normals[facet]).max(axis=1) <= 1e-9)
        is_right = is_best & np.where(is_ground[query], fits & ~must_end, may_end)
        wrong.append(query[first][~np.logical_or.reduceat(is_right, first)])
    return np.concatenate(wrong)


def wrong_ranges(
    mesh: Triangles, origins: Array, directions: Array, ranges: Array, hit: Array, pairs: Iterator[Pairs],
) -> Array:  # fmt: skip
    """Indices of rays whose answer (NaN range: none) is not the first front face.

    A hit is right where the ray meets that very facet there, from the front, and no facet nearer. Sides are judged with
    the room of rounding both ways: a facet that is met only within it may be the answer, and need not be.
    """
    is_right = np.isnan(ranges)
    blocked = np.zeros(len(origins), dtype=bool)
    room = ROUNDING * (mesh.size + np.abs(origins - mesh.vertices.mean(axis=0)).max(axis=1))
    for query, facet in pairs:
        if len(query) == 0:
            continue
        closing = -np.einsum("pj,pj->p", directions[query], mesh.normals[facet])
        query, facet, closing = (column[closing > 0] for column in (query, facet, closing))
        start, slack = mesh.corners[facet, 0], room[query]
        t = np.einsum("pj,pj->p", origins[query] - start, mesh.normals[facet]) / closing
        foot = origins[query] + t[:, None] * directions[query]
        inside = np.einsum("pij,pij->pi", foot[:, None] - mesh.corners[facet], mesh.inward[facet]).min(axis=1)
        give = slack / closing  # a shallow ray carries rounding across farther
        is_hit = (facet == hit[query]) & (np.abs(t - ranges[query]) <= give) & (inside >= -give) & (t >= -give)
        is_right[query[is_hit]] = True
        limit = np.where(np.isnan(ranges[query]), np.inf, ranges[query] - 2 * give)
        is_nearer = (inside > give) & (t > give) & (t < limit)
        blocked[query[is_nearer]] = True
    return np.flatnonzero(~is_right | blocked)


def winding_numbers(mesh: Triangles, points: Array) -> Array:
    """How often a closed mesh winds around each point: 1 inside, 0 outside (solid angles of all facets over 4 pi)."""
    total = np.zeros(len(points))
    for query, facet in all_pairs(len(points), len(mesh.facets)):
        a, b, c = (mesh.corners[facet, i] - points[query] for i in range(3))
        la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
        triple = np.sum(a * np.cross(b, c), axis=1)
        rest = la * lb * lc + np.sum(a * b, axis=1) * lc + np.sum(b * c, axis=1) * la + np.sum(c * a, axis=1) * lb
        np.add.at(total, query, 2.0 * np.arctan2(triple, rest))
    return total / (4.0 * np.pi)

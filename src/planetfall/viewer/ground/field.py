"""Triangles of a signed distance field: marching tetrahedra, then edges split near the places of contact.

Every vertex is moved onto the surface along the field's gradient. An edge is split while it is long against its
distance from the nearest place; all facets of an edge are split with it, so that no cracks open.
"""

import numpy as np

from planetfall.viewer.ground.ground import Detail, Triangles
from planetfall.viewer.ground.mesh import grouped
from planetfall.world.terrain.surface import Surface

NODES_ALONG = 64
"""Most nodes of the first grid along the longest side."""
PER_NODE = 24.0
"""Triangles that a body has per square of the nodes along its longest side: 6 sides, 4 triangles a cell (assumed)."""
TETRAHEDRA = np.array([[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]])
"""A cube cut about its diagonal; corner bits: x 1, y 2, z 4."""
CLOSE = 5e-4
"""How far the middle of an edge near a place may lie off the surface [m]."""
GROWTH = 0.3
"""Longest edge per distance from the nearest place."""
MAX_ROUNDS = 40


def field_triangles(surface: Surface, detail: Detail, budget: int) -> Triangles:
    """Triangles of the zero level of a field."""
    coarse = _marched(surface, int(np.clip(np.sqrt(budget / PER_NODE), 8, NODES_ALONG)))
    vertices = _on_surface(surface, coarse.vertices)
    facets = coarse.facets
    for _ in range(MAX_ROUNDS):
        if len(facets) > 4 * budget:  # noise finer than any budget
            break
        edges, index = _edges(facets)
        ends = vertices[edges]
        middles, lengths = ends.mean(axis=1), np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        gap = np.maximum(detail.distance(middles) - detail.radius - 0.5 * lengths, 0.0)
        is_split = lengths > 2.0 * detail.radius + GROWTH * gap
        asked = np.flatnonzero(is_split | (gap == 0.0))
        projected = middles.copy()
        projected[asked] = _on_surface(surface, middles[asked])
        is_split |= (gap == 0.0) & (np.linalg.norm(projected - middles, axis=1) > CLOSE)
        if not is_split.any():
            break
        facets = _split(facets, index, is_split, len(vertices))
        vertices = np.concatenate([vertices, projected[is_split]])
    return Triangles(vertices, facets)


def _on_surface(surface: Surface, points: np.ndarray, rounds: int = 8) -> np.ndarray:
    """Points moved onto the zero level by Newton's method along the gradient; none further than it began off it."""
    if not len(points):
        return points
    moved = points.copy()
    for _ in range(rounds):
        gaps, gradients, _ = surface.ask(moved)
        squares = np.einsum("ni,ni->n", gradients, gradients)
        step = gaps / np.where(squares > 1e-6, squares, np.inf)
        moved = moved - step[:, None] * gradients
    before, after = np.abs(surface.ask(points)[0]), np.abs(surface.ask(moved)[0])
    return np.where((after <= before)[:, None], moved, points)


def _marched(surface: Surface, nodes_along: int) -> Triangles:
    """The zero level on a regular grid over the field's box, by linear interpolation."""
    if surface.box is None:
        raise ValueError("a field without a box")
    low, high = surface.box
    spacing = float((high - low).max()) / nodes_along
    counts = np.ceil((high - low) / spacing).astype(int) + 3
    grid = np.stack(np.meshgrid(*(np.arange(n) for n in counts), indexing="ij"), axis=-1).reshape(-1, 3)
    nodes = low - spacing + grid * spacing
    values = surface.ask(nodes)[0]
    strides = np.array([counts[1] * counts[2], counts[2], 1])
    cells = np.flatnonzero(np.all(grid < counts - 1, axis=1))
    bits = np.array([[k & 1, k >> 1 & 1, k >> 2 & 1] for k in range(8)]) @ strides
    corners = cells[:, None] + bits
    is_crossed = np.ptp(np.sign(values[corners]), axis=1) > 0
    return _cut(nodes, values, corners[is_crossed][:, TETRAHEDRA].reshape(-1, 4))


def _cut(nodes: np.ndarray, values: np.ndarray, tetrahedra: np.ndarray) -> Triangles:
    """Triangles in which the zero level cuts tetrahedra, counter-clockwise seen from where values are positive."""
    is_solid = values[tetrahedra] < 0
    n_solid = is_solid.sum(axis=1)
    order = np.argsort(~is_solid, axis=1, kind="stable")  # solid corners first
    sorted_ = np.take_along_axis(tetrahedra, order, axis=1)
    one, two, three = (sorted_[n_solid == n] for n in (1, 2, 3))
    a, b, c, d = two.T if len(two) else np.empty((4, 0), dtype=int)
    pairs = [
        np.stack([one[:, [0, 1]], one[:, [0, 2]], one[:, [0, 3]]], axis=1),
        np.stack([three[:, [3, 0]], three[:, [3, 1]], three[:, [3, 2]]], axis=1),
        np.stack([np.stack(pair, axis=1) for pair in ((a, c), (a, d), (b, d))], axis=1),
        np.stack([np.stack(pair, axis=1) for pair in ((a, c), (b, d), (b, c))], axis=1),
    ]
    solid = np.concatenate([one[:, 0], three[:, 0], a, a])
    edges = np.sort(np.concatenate(pairs), axis=2)
    pairs_of_nodes = edges.reshape(-1, 2)
    first, index = grouped(pairs_of_nodes)
    keys = pairs_of_nodes[first]
    low, high = values[keys].T
    share = np.clip(low / (low - high), 0.02, 0.98)  # off the nodes, where facets would have no area; moved later
    vertices = nodes[keys[:, 0]] + share[:, None] * (nodes[keys[:, 1]] - nodes[keys[:, 0]])
    facets = index.reshape(-1, 3)
    p, q, r = (vertices[facets[:, k]] for k in range(3))
    faces_solid = np.einsum("ni,ni->n", np.cross(q - p, r - p), nodes[solid] - p) > 0
    facets = np.where(faces_solid[:, None], facets[:, [0, 2, 1]], facets)
    return Triangles(vertices, facets)


def _edges(facets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Edges [edge, 2] of facets, each once, and which of them [facet, 3] the sides ab, bc, ca are."""
    sides = np.sort(facets[:, [[0, 1], [1, 2], [2, 0]]], axis=2).reshape(-1, 2)
    first, index = grouped(sides)
    return sides[first], index.reshape(-1, 3)


def _split(facets: np.ndarray, index: np.ndarray, is_split: np.ndarray, n_vertices: int) -> np.ndarray:
    """Facets after a new vertex, numbered from `n_vertices`, on every split edge."""
    new = np.where(is_split, n_vertices - 1 + np.cumsum(is_split), -1)[index]
    count = (new >= 0).sum(axis=1)
    # turn each facet so that its single split side, or its single whole side, is ab
    turn = np.where(count == 2, np.argmin(new, axis=1), np.argmax(new >= 0, axis=1))
    rows, turned = np.arange(len(facets))[:, None], (turn[:, None] + np.arange(3)) % 3
    corners, middles = facets[rows, turned], new[rows, turned]
    (a, b, c), (ab, bc, ca) = corners.T, middles.T
    one, two, three = (count == n for n in (1, 2, 3))
    cuts = [
        corners[count == 0],
        *(np.column_stack(part)[one] for part in ((a, ab, c), (ab, b, c))),
        *(np.column_stack(part)[two] for part in ((a, b, bc), (a, bc, ca), (ca, bc, c))),
        *(np.column_stack(part)[three] for part in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))),
    ]
    return np.concatenate(cuts)

"""Triangles of a mesh terrain: its own facets near the places of contact, merged vertices further away.

Vertices in one cell of a grid become one of them; the cells grow with the distance. As every vertex goes to one place,
facets stay joined and no cracks open.
"""

import numpy as np

from planetfall.viewer.ground.ground import Detail, Triangles
from planetfall.world.terrain.surface import Surface

PRIME = np.uint64(0x9E3779B97F4A7C15)
"""For hashes of rows: an odd number without pattern, 2^64 over the golden ratio."""
SHIFT = np.uint64(29)


def mesh_triangles(surface: Surface, detail: Detail, budget: int) -> Triangles:
    """Triangles of a mesh terrain."""
    return merged(*_facets(surface), detail, budget)


def _facets(surface: Surface) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [m] and facets of a mesh, as the simulation has them, from the leaves of its tree."""
    from planetfall.world.terrain.mesh.tree import LEAF_SIZE  # here, or others would wait for it

    tree = surface.params.tree
    leaves = tree.leaves.numpy().reshape(-1, 9, LEAF_SIZE)
    corners = leaves.transpose(0, 2, 1).reshape(-1, 9)[: surface.n_facets].reshape(-1, 3)
    first, index = grouped(corners)
    return corners[first] + np.array(surface.params.origin), index.reshape(-1, 3)


def merged(vertices: np.ndarray, facets: np.ndarray, detail: Detail, budget: int) -> Triangles:
    """A mesh with at most about `budget` facets, exact within the detail's radius."""
    if len(facets) <= budget:
        return Triangles(vertices, facets)
    distance = np.maximum(detail.distance(vertices) - detail.radius, 0.0)
    # a facet that reaches into the exact part keeps all its corners
    near = np.unique(facets[(distance[facets] == 0.0).any(axis=1)])
    distance[near] = 0.0
    edge = float(np.median(np.linalg.norm(vertices[facets[:, 0]] - vertices[facets[:, 1]], axis=1)))
    growth = 0.02
    while True:
        out = _merged_by(vertices, facets, growth * distance, edge)
        if len(out.facets) <= budget or growth > 10:
            return out
        growth *= 1.4


def clustered(vertices: np.ndarray, facets: np.ndarray, budget: int) -> Triangles:
    """A mesh with at most about `budget` facets, alike everywhere."""
    edge = float(np.median(np.linalg.norm(vertices[facets[:, 0]] - vertices[facets[:, 1]], axis=1)))
    out, cell = Triangles(vertices, facets), edge
    while len(out.facets) > budget:
        out, cell = _merged_by(vertices, facets, np.full(len(vertices), cell), cell), 1.2 * cell
    return out


def _merged_by(vertices: np.ndarray, facets: np.ndarray, cell: np.ndarray, edge: float) -> Triangles:
    """Merges what lies in one cell; cells below the length of an edge merge nothing."""
    with np.errstate(divide="ignore"):
        level = np.floor(np.log2(cell / edge))
    is_merged = level >= 0
    size = edge * 2.0 ** np.where(is_merged, level, 0)
    keys = np.column_stack([level, *np.floor(vertices / size[:, None]).T])[is_merged].astype(np.int64)
    target = np.arange(len(vertices))
    if len(keys):
        _, group = grouped(keys)
        members = np.flatnonzero(is_merged)
        counts = np.bincount(group)
        middle = np.column_stack([np.bincount(group, vertices[members, k]) / counts for k in range(3)])
        away = np.linalg.norm(vertices[members] - middle[group], axis=1)
        order = np.lexsort((away, group))
        first = np.append(True, np.diff(group[order]) > 0)
        target[members] = members[order[first]][group]
    moved = target[facets]
    is_whole = (moved[:, 0] != moved[:, 1]) & (moved[:, 1] != moved[:, 2]) & (moved[:, 2] != moved[:, 0])
    kept, index = np.unique(moved[is_whole], return_inverse=True)
    return Triangles(vertices[kept], index.reshape(-1, 3))


def grouped(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which row [group] is the first of its kind, in order of appearance, and of which kind every row is [row].

    Found by hashing: sorting whole rows of a million facets takes seconds.

    Args:
        rows: [row, column] of numbers of 8 bytes; 0 and -0 are equal.
    """
    rows = np.ascontiguousarray(rows) + 0  # -0 becomes 0, so that equal numbers have equal bits
    keys = np.zeros(len(rows), np.uint64)
    for column in rows.view(np.uint64).T:
        keys = (keys ^ column) * PRIME
        keys ^= keys >> SHIFT
    _, first, kind = np.unique(keys, return_index=True, return_inverse=True)
    if not np.array_equal(rows[first[kind]], rows):  # two kinds with one hash: not seen yet, but possible
        _, first, kind = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[kind.ravel()]

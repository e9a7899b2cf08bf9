"""The orientation of a mesh's facets: what it is, and how to make it right.

Two facets that share an edge are wound alike where they run along it in opposite directions. A mesh is consistent where
all are, closed where every edge is shared, and right where its normals leave the ground: the volume of a closed body is
then positive, and an open sheet faces up.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from planetfall.errors import InputError
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData


@dataclass(frozen=True)
class Winding:
    """Orientation and connection of a mesh.

    Attributes:
        n_bodies: Connected parts.
        n_closed_bodies: Those without an open edge.
        n_boundary_edges: Edges with one facet.
        n_boundary_loops: Connected rims of such edges: 1 for a sheet, each further one is a hole.
        n_branching_edges: Edges with more than two facets.
        n_reversed_edges: Edges whose facets are wound against each other, or overlap.
        n_repeated_facets: Facets with the same corners as an earlier one.
        area: Total area [m2].
        volume: Enclosed volume [m3], negative where the winding is inside out; None for an open mesh.
        upward_share: Share of the ground's plan area (along z) whose normal points up, 0 to 1.
    """

    n_bodies: int
    n_closed_bodies: int
    n_boundary_edges: int
    n_boundary_loops: int
    n_branching_edges: int
    n_reversed_edges: int
    n_repeated_facets: int
    area: float
    volume: float | None
    upward_share: float

    @property
    def is_closed(self) -> bool:
        """Whether no edge is open."""
        return self.n_boundary_edges == 0

    @property
    def is_consistent(self) -> bool:
        """Whether neighbours are wound alike."""
        return self.n_reversed_edges == 0


@dataclass(frozen=True)
class _Edges:
    """Edges of a mesh, sorted so that the facets of one stand together.

    `facet`, `forward` per half edge (its facet; whether it runs from the lower to the higher vertex), `ends` [., 2] its
    vertices, `first` where each edge begins, `count` its number of facets, `turns` the sum of its directions (+-1).
    """

    facet: np.ndarray
    forward: np.ndarray
    ends: np.ndarray
    first: np.ndarray
    count: np.ndarray
    turns: np.ndarray


def winding(mesh: MeshData) -> Winding:
    """Report the winding of a mesh whose equal vertices have been merged."""
    edges = _edges(mesh.facets)
    is_open = edges.count == 1
    body = _bodies(edges, len(mesh.facets))
    open_bodies = np.unique(body[edges.facet[edges.first[is_open]]])
    areas = _doubled_areas(mesh.vertices, mesh.facets) / 2.0
    plan = areas[:, 2]
    n_bodies = int(body.max()) + 1
    return Winding(
        n_bodies,
        n_bodies - len(open_bodies),
        int(is_open.sum()),
        _loops(edges.ends[edges.first[is_open]]),
        int((edges.count > 2).sum()),
        int(_is_reversed(edges).sum()),
        repeated_facets(mesh.facets),
        float(np.linalg.norm(areas, axis=1).sum()),
        None if is_open.any() else float(body_volumes(mesh.vertices, mesh.facets, body).sum()),
        float(plan[plan > 0.0].sum() / max(np.abs(plan).sum(), np.finfo(float).tiny)),
    )


def reversed_edges(mesh: MeshData) -> int:
    """How many edges of a mesh, whose equal vertices have been merged, have facets wound against each other."""
    return int(_is_reversed(_edges(mesh.facets)).sum())


def _is_reversed(edges: _Edges) -> np.ndarray:
    """Per edge. Of an even number of facets as many run one way as the other; of an odd number, one is left over."""
    return (edges.count > 1) & (np.abs(edges.turns) > edges.count % 2)


def inside_out(mesh: MeshData) -> int:
    """How many closed bodies of a mesh, whose equal vertices have been merged, have normals that point into them."""
    edges = _edges(mesh.facets)
    body = _bodies(edges, len(mesh.facets))
    is_closed = np.ones(int(body.max()) + 1, dtype=bool)
    is_closed[body[_is_open(edges, body)]] = False
    return int(np.sum(is_closed & (body_volumes(mesh.vertices, mesh.facets, body) < 0.0)))


def oriented(mesh: MeshData, up: tuple[float, float, float] | Literal["outward"] = (0.0, 0.0, 1.0)) -> MeshData:
    """A mesh whose facets are wound alike, with normals that leave the ground.

    Facets are turned part by part: a closed part so that its volume is positive, an open one so that it faces `up` on
    the whole. A cavity inside a body is a closed part too, and is turned outward. In an open part, two neighbours that
    are wound against each other but face the same way overlap, as map tiles do at their rims; they are left so.

    Args:
        mesh: A mesh whose equal vertices have been merged.
        up: Direction that an open sheet faces, or "outward" for away from the origin.

    Raises:
        InputError: A part is one-sided (a Moebius strip), so that no winding is right.
    """
    n = len(mesh.facets)
    edges = _edges(mesh.facets)
    pairs = edges.first[edges.count == 2]
    one, other = edges.facet[pairs], edges.facet[pairs + 1]
    is_alike = edges.forward[pairs] != edges.forward[pairs + 1]
    is_up = (_doubled_areas(mesh.vertices, mesh.facets) * _upward(mesh, up)).sum(axis=1) > 0.0
    is_tied = is_alike | ~_is_open(edges, _bodies(edges, n))[one] | (is_up[one] != is_up[other])
    one, other, is_alike = one[is_tied], other[is_tied], is_alike[is_tied]
    # A facet has two states, as it is and turned; neighbours tie their states together.
    rows = np.concatenate([one, one + n])
    columns = np.concatenate([np.where(is_alike, other, other + n), np.where(is_alike, other + n, other)])
    states = _components(rows, columns, 2 * n)
    if (states[:n] == states[n:]).any():
        raise InputError(mesh.source, "a part of the mesh has only one side", "a surface with two sides", "repair it")
    part = np.unique(np.minimum(states[:n], states[n:]), return_inverse=True)[1]
    is_turned = states[:n] > states[n:]
    is_turned ^= _is_wrong(mesh, turned(mesh.facets, is_turned), part, edges, up)[part]
    return replace(mesh, facets=turned(mesh.facets, is_turned))


def _is_wrong(mesh: MeshData, facets: np.ndarray, part: np.ndarray, edges: _Edges, up: object) -> np.ndarray:
    """For each part, whether its normals enter the ground."""
    areas = _doubled_areas(mesh.vertices, facets)
    facing = np.bincount(part, (areas * _upward(mesh, up)).sum(axis=1))
    # The normals of a closed surface add up to nothing; so may those of a tube, which has open edges.
    total = np.stack([np.bincount(part, areas[:, i]) for i in range(3)], axis=1)
    is_sheet = np.linalg.norm(total, axis=1) > 1e-9 * np.bincount(part, np.linalg.norm(areas, axis=1))
    is_sheet[part[_is_open(edges, part)]] = True
    return np.where(is_sheet, facing, body_volumes(mesh.vertices, facets, part)) < 0.0


def _is_open(edges: _Edges, part: np.ndarray) -> np.ndarray:
    """For each facet, whether its part has an edge of one facet, or of another odd number."""
    is_open = np.zeros(int(part.max()) + 1, dtype=bool)
    is_open[part[edges.facet[np.repeat(edges.count % 2 == 1, edges.count)]]] = True
    return is_open[part]


def body_of_facets(facets: np.ndarray) -> np.ndarray:
    """Number of the connected part of each facet, whose equal vertices have been merged."""
    return _bodies(_edges(facets), len(facets))


def _upward(mesh: MeshData, up: object) -> np.ndarray:
    """The direction that leaves the ground, one for all [3] or one for each facet [facet, 3]; of any length."""
    if up == "outward":
        return mesh.vertices[mesh.facets].mean(axis=1)
    try:
        direction = np.array(up, dtype=np.float64)
    except (TypeError, ValueError):
        direction = np.empty(0)
    if direction.shape != (3,) or not np.isfinite(direction).all() or not direction.any():
        raise InputError(mesh.source, f"up is {up!r}", "three finite numbers, not all 0, or 'outward'")
    return direction


def turned(facets: np.ndarray, is_turned: np.ndarray) -> np.ndarray:
    """Facets with some of them wound the other way."""
    return np.ascontiguousarray(np.where(is_turned[:, None], facets[:, [0, 2, 1]], facets))


def _edges(facets: np.ndarray) -> _Edges:
    """The edges of a mesh."""
    half = facets[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64)
    low, high = half.min(axis=1), half.max(axis=1)
    order = np.lexsort([high, low])
    low, high = low[order], high[order]
    forward = (half[:, 0] < half[:, 1])[order]
    first = np.flatnonzero(np.concatenate([[True], (low[1:] != low[:-1]) | (high[1:] != high[:-1])]))
    count = np.diff(np.append(first, len(low)))
    turns = np.add.reduceat(np.where(forward, 1, -1), first)
    return _Edges(order // 3, forward, np.stack([low, high], axis=1), first, count, turns)


def _components(rows: np.ndarray, columns: np.ndarray, size: int) -> np.ndarray:
    """Number of the connected component of each of `size` nodes."""
    graph = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(size, size))
    return connected_components(graph, directed=False)[1]


def _bodies(edges: _Edges, n_facets: int) -> np.ndarray:
    """Number of the connected part of each facet, over edges of any number of facets."""
    is_first = np.zeros(len(edges.facet), dtype=bool)
    is_first[edges.first] = True
    later = np.flatnonzero(~is_first)
    return _components(edges.facet[later - 1], edges.facet[later], n_facets)


def _loops(ends: np.ndarray) -> int:
    """Number of connected rims among open edges."""
    if len(ends) == 0:
        return 0
    vertices, renumbered = np.unique(ends, return_inverse=True)
    renumbered = renumbered.reshape(-1, 2)
    return int(_components(renumbered[:, 0], renumbered[:, 1], len(vertices)).max()) + 1


def repeated_facets(facets: np.ndarray) -> int:
    """Number of facets whose corners are those of an earlier one, in any order."""
    corners = np.sort(facets, axis=1)
    corners = corners[np.lexsort(corners.T)]
    return int((corners[1:] == corners[:-1]).all(axis=1).sum())


def _doubled_areas(vertices: np.ndarray, facets: np.ndarray) -> np.ndarray:
    """Normals of facets with the length of twice their area [m2], shape [facet, 3]."""
    a, b, c = (vertices[facets[:, i]] for i in range(3))
    return np.cross(b - a, c - a)


def body_volumes(vertices: np.ndarray, facets: np.ndarray, part: np.ndarray) -> np.ndarray:
    """Signed volume of each part [m3]; taken about a point of the part, so that distance costs no digits."""
    first = np.zeros(int(part.max()) + 1, dtype=np.int64)
    first[part[::-1]] = np.arange(len(part))[::-1]
    base = vertices[facets[first, 0]][part]
    a, b, c = (vertices[facets[:, i]] - base for i in range(3))
    return np.bincount(part, (a * np.cross(b, c)).sum(axis=1)) / 6.0

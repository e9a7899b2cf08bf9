"""Putting a triangle mesh on a device: its facets in a tree of boxes, their borders, and the points' memory."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.errors import InputError
from planetfall.world.cache import content_key
from planetfall.world.terrain.facets.triangle import ROUNDOFF
from planetfall.world.terrain.mesh.foot import mesh_feet
from planetfall.world.terrain.mesh.mesh import TERRAIN_MESH, TERRAIN_MESH_GPU, MeshParams
from planetfall.world.terrain.mesh.neighbours import MeshNeighbours
from planetfall.world.terrain.mesh.tree import LEAF_SIZE, MARGIN, MeshTree
from planetfall.world.terrain.outline import Feet
from planetfall.world.terrain.surface import Surface

NOWHERE = 1e30
"""Where the boxes of empty leaves are [m]: no query gets there."""
TREES_KEPT = 4
"""Trees that are kept for whoever asks for the same mesh again."""
_trees: dict[tuple[str, str], MeshTree] = {}
"""The latest trees, newest last, by the content of their mesh and the device that they are on."""


def mesh_surface(vertices_S: np.ndarray, facets: np.ndarray, device: str, *, reach: float, **facts: object) -> Surface:
    """Makes a mesh ready for queries.

    Args:
        vertices_S: [vertex, 3] [m], surface frame.
        facets: [facet, 3] vertex indices, counter-clockwise seen from outside; none degenerate.
        device: Warp device.
        reach: How far from the ground contact still matters [m]; beyond it gaps are lower bounds.
        facts: What is known of the mesh, for people.
    """
    vertices_S, facets = np.asarray(vertices_S, dtype=np.float64), np.asarray(facets, dtype=np.int32)
    params = mesh_params(vertices_S, facets, device, reach)
    box = np.array([vertices_S.min(axis=0), vertices_S.max(axis=0)])
    model = TERRAIN_MESH if device == "cpu" else TERRAIN_MESH_GPU
    outline = MeshOutline(vertices_S, facets)
    return Surface(model, params, device, facts=dict(facts), n_facets=len(facets), box=box, outline=outline)


def mesh_params(vertices_S: np.ndarray, facets: np.ndarray, device: str, reach: float) -> MeshParams:
    """A mesh on a device; its arguments are those of `mesh_surface`."""
    start_warp()
    if len(facets) == 0:
        raise InputError("terrain", "the mesh has no facets", "at least one")
    origin = 0.5 * (vertices_S.min(axis=0) + vertices_S.max(axis=0))
    local = vertices_S - origin
    corners = local[facets]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    if np.any(lengths == 0):
        raise InputError("terrain", f"{int(np.sum(lengths == 0))} facets have no area", advice="drop them at load")
    edges = np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)
    p = MeshParams()
    size = float(np.abs(local).max())
    p.origin, p.reach, p.blur, p.grain = wp.vec3d(*origin), reach, 1e-13 * size, float(ROUNDOFF) * _longest(corners)
    p.tree = kept_tree(local, facets, device)
    p.tree.rounding = (2e-12 * size) ** 2
    p.list_radius = float(np.median(edges)) / 8
    p.is_closed = int(not p.tree.borders.numpy().any())
    return p


def _longest(corners: np.ndarray) -> float:
    """Length [m] of the longest edge of facets [facet, corner, 3] [m]."""
    return max(float(np.linalg.norm(corners[:, k] - corners[:, k - 1], axis=1).max()) for k in range(3))


@dataclass(frozen=True)
class MeshOutline:
    """A mesh as an `Outline`, asked on the host.

    Attributes:
        vertices_S: [vertex, 3] [m], surface frame.
        facets: [facet, 3] vertex indices, counter-clockwise seen from outside.
        margin: How far the ground can lie from it [m].
    """

    vertices_S: np.ndarray
    facets: np.ndarray
    margin: float = 0.0

    def feet(self, places_S: np.ndarray) -> Feet:
        """Nearest points to places [n, 3] [m]."""
        return mesh_feet(self._params, places_S)

    @cached_property
    def _params(self) -> MeshParams:
        """The mesh on the host, made when it is first asked."""
        return mesh_params(self.vertices_S, self.facets, "cpu", 0.0)


def kept_tree(vertices: np.ndarray, facets: np.ndarray, device: str) -> MeshTree:
    """`tree_of` a mesh, made once for a run, its figures and its page, which ask for the same ground."""
    key = content_key(vertices=vertices, facets=facets), device
    tree = _trees.pop(key, None) or tree_of(vertices, facets, device)
    _trees[key] = tree
    while len(_trees) > TREES_KEPT:
        del _trees[next(iter(_trees))]
    return tree


def tree_of(vertices: np.ndarray, facets: np.ndarray, device: str) -> MeshTree:
    """The tree of a mesh's facets, in local coordinates [m]."""
    corners = vertices[facets]
    a, b, c = (corners[:, k] for k in range(3))
    lower, upper = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
    order, n_levels = leaf_order(0.5 * (lower + upper))
    margin = MARGIN * np.abs(vertices).max()
    boxes = node_boxes(lower[order] - margin, upper[order] + margin, n_levels)
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    neighbours = MeshNeighbours(vertices, facets)
    borders = neighbours.border_codes()[order] << (2 * np.arange(7))
    slots = np.full((-(-len(order) // LEAF_SIZE) * LEAF_SIZE, 9), NOWHERE)
    slots[: len(order)] = corners[order].reshape(-1, 9)
    leaves = np.ascontiguousarray(slots.reshape(-1, LEAF_SIZE, 9).transpose(0, 2, 1))
    tree = MeshTree()
    tree.boxes = wp.array(boxes.reshape(-1, 4), dtype=wp.vec4, device=device)
    tree.leaves = wp.array(leaves.reshape(-1, 4), dtype=wp.vec4d, device=device)
    tree.numbers = wp.array(ptr=tree.leaves.ptr, dtype=wp.float64, shape=leaves.size, device=device)
    tree.normals = wp.array(normals[order], dtype=wp.vec3d, device=device)
    tree.indices = wp.array(order, dtype=wp.int32, device=device)
    tree.borders = wp.array(borders.sum(axis=1), dtype=wp.int32, device=device)
    place = np.empty(len(order) + 1, dtype=np.int32)
    place[order], place[-1] = np.arange(len(order)), -1
    tree.beside = wp.array(place[neighbours.beside[order]], dtype=wp.vec3i, device=device)
    rounds = np.where(neighbours.round_vertices()[facets], facets, -1)
    tree.rounds = wp.array(rounds[order], dtype=wp.vec3i, device=device)
    tree.vertex_normals = wp.array(neighbours.pseudonormals(normals), dtype=wp.vec3d, device=device)
    tree.half, tree.margin = wp.vec3d(*(np.abs(vertices).max(axis=0) + margin)), margin
    tree.n_inner = len(boxes)
    return tree


def leaf_order(middles: np.ndarray) -> tuple[np.ndarray, int]:
    """Facets in the order of the leaves, which keeps neighbours together, and the number of levels above the leaves.

    The places in the leaves are halved twice per level, each part across its longest side. All leaves but the last are
    full; those after it are empty.
    """
    n, n_levels = len(middles), 0
    while n > LEAF_SIZE * 4**n_levels:
        n_levels += 1
    order, middles = np.arange(n), middles.T.astype(np.float32)  # only for the order: float32 will do
    for i in range(2 * n_levels):
        size = LEAF_SIZE * 4**n_levels >> i
        if 2 * n <= size:
            continue  # the first half holds all
        n_parts = -(-n // size)
        filled = np.full((3, n_parts * size), NOWHERE, dtype=np.float32)
        filled[:, :n] = middles
        parts = filled.reshape(3, n_parts, size)
        sides = np.where(parts < NOWHERE, parts, -NOWHERE).max(axis=2) - parts.min(axis=2)
        keys = parts[np.argmax(sides, axis=0), np.arange(n_parts)]
        halved = np.argpartition(keys, size // 2, axis=1) if size > 16 else np.argsort(keys, axis=1)
        moves = (halved + (np.arange(n_parts) * size)[:, None]).ravel()
        moves = moves[moves < n]
        order, middles = order[moves], middles[:, moves]
    return order, n_levels


def node_boxes(lower: np.ndarray, upper: np.ndarray, n_levels: int) -> np.ndarray:
    """Boxes [inner node, bound, child] [m] in float32, rounded outwards, from those [place, 3] [m] of the facets."""
    low, high = (np.full((LEAF_SIZE * 4**n_levels, 3), nowhere) for nowhere in (NOWHERE, -NOWHERE))
    low[: len(lower)], high[: len(upper)] = lower, upper
    levels = [np.empty((0, 6, 4))]
    low, high = low.reshape(-1, LEAF_SIZE, 3).min(axis=1), high.reshape(-1, LEAF_SIZE, 3).max(axis=1)
    for _ in range(n_levels):
        low, high = low.reshape(-1, 4, 3), high.reshape(-1, 4, 3)
        levels.insert(0, np.concatenate([low, high], axis=2).transpose(0, 2, 1))
        low, high = low.min(axis=1), high.max(axis=1)
    exact = np.concatenate(levels)
    boxes = exact.astype(np.float32)
    down, up = boxes[:, :3], boxes[:, 3:]
    down[down > exact[:, :3]] = np.nextafter(down[down > exact[:, :3]], np.float32(-np.inf))
    up[up < exact[:, 3:]] = np.nextafter(up[up < exact[:, 3:]], np.float32(np.inf))
    up[up < down] = NOWHERE  # empty
    return boxes

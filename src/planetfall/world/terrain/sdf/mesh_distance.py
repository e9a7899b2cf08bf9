"""Exact signed distances to a closed mesh, brick by brick.

Warp's hierarchy finds the nearest facet in float32; the distance is computed in float64 from the facet's own vertices,
and near the surface from all facets that float32 cannot tell from the nearest.

The sign is that of the generalised winding number (Jacobson2013, Barill2018), so that small holes, duplicate vertices
and overlapping parts do not flip it. It need not be asked at every node: between two neighbours whose distances add up
to more than the spacing there is no surface, so that their signs are the same. A brick is filled from a few nodes.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.slices import launch_in_slices
from planetfall.world.terrain.facets.triangle import nearest_on_triangle
from planetfall.world.terrain.sdf.cell import BRICK

NODES = BRICK + 1
"""Nodes of a brick along each axis."""
CHUNK = 4096
"""Bricks that are sampled at a time."""
FLOAT32_SLACK = wp.constant(wp.float64(4.0e-6))
"""How far, relative to the size of the mesh, a distance in float32 may be off, with room to spare."""
EXACT_BAND = wp.constant(wp.float64(1.75))
"""Cells from the surface within which every facet that could be the nearest is measured: all cells that it crosses."""


@wp.struct
class ClosedMesh:
    """A mesh for distances: Warp's `mesh`; `vertices` [m], `facets`, unit `normals`; `size` [m], largest coordinate."""

    mesh: wp.uint64
    vertices: wp.array(dtype=wp.vec3d)
    facets: wp.array2d(dtype=wp.int32)
    normals: wp.array(dtype=wp.vec3d)
    size: wp.float64


@wp.struct
class BrickGrid:
    """Where the nodes of bricks lie: `origin` [m] of node 0 and `spacing` [m], mesh coordinates; `bases` [brick]."""

    origin: wp.vec3d
    spacing: wp.float64
    bases: wp.array(dtype=wp.vec3i)


@wp.func
def node_place(grid: BrickGrid, brick: int, node: int) -> wp.vec3d:
    """Position of a brick's node; the same numbers from every brick that has it."""
    n = wp.static(NODES)
    base = grid.bases[brick]
    i = base[0] + node // (n * n)
    j = base[1] + (node // n) % n
    k = base[2] + node % n
    return grid.origin + wp.vec3d(wp.float64(i), wp.float64(j), wp.float64(k)) * grid.spacing


@wp.func
def to_float32(v: wp.vec3d) -> wp.vec3:
    """Rounded to float32."""
    return wp.vec3(wp.float32(v[0]), wp.float32(v[1]), wp.float32(v[2]))


@wp.func
def squared_distance(mesh: ClosedMesh, p: wp.vec3d, facet: int) -> wp.float64:
    """Squared distance [m^2] to one facet, in float64."""
    a = mesh.vertices[mesh.facets[facet, 0]]
    b = mesh.vertices[mesh.facets[facet, 1]]
    c = mesh.vertices[mesh.facets[facet, 2]]
    return wp.length_sq(nearest_on_triangle(p, a, b, c, mesh.normals[facet]).offset)


@wp.func
def distance_to(mesh: ClosedMesh, p: wp.vec3d, exact_below: wp.float64) -> wp.float64:
    """Distance [m] to the mesh, without sign."""
    p32 = to_float32(p)
    found = wp.mesh_query_point_no_sign(mesh.mesh, p32, wp.float32(1.0e30))
    best = squared_distance(mesh, p, found.face)
    if best < exact_below * exact_below:
        half = wp.sqrt(best) + FLOAT32_SLACK * (mesh.size + wp.length(p))
        box = wp.vec3d(half, half, half)
        query = wp.mesh_query_aabb(mesh.mesh, to_float32(p - box), to_float32(p + box))
        facet = int(0)
        while wp.mesh_query_aabb_next(query, facet):
            best = wp.min(best, squared_distance(mesh, p, facet))
    return wp.sqrt(best)


@wp.func
def sign_at(mesh: ClosedMesh, p: wp.vec3d) -> wp.float32:
    """+1 inside, -1 outside, by the winding number."""
    found = wp.mesh_query_point_sign_winding_number(mesh.mesh, to_float32(p), wp.float32(1.0e30))
    return -found.sign


@lru_cache
def _distance_kernel() -> Any:
    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def distances(mesh: ClosedMesh, grid: BrickGrid, first: int, values_out: wp.array2d(dtype=wp.float32)):
        at = wp.tid() + first
        n = wp.static(NODES * NODES * NODES)
        brick = at // n
        node = at % n
        p = node_place(grid, brick, node)
        values_out[brick, node] = wp.float32(distance_to(mesh, p, EXACT_BAND * grid.spacing))

    return distances


@wp.func
def spread_sign(values: wp.array2d(dtype=wp.float32), known: wp.array2d(dtype=wp.int8), brick: int, least: wp.float32):
    """Gives every node its sign that a neighbour can tell it, until no more can."""
    n = wp.static(NODES)
    changed = int(1)
    while changed == 1:
        changed = int(0)
        step = int(0)
        while step < 2 * n * n * n:
            node = step
            if step >= n * n * n:  # there and back: a front then crosses the brick in one pass
                node = 2 * n * n * n - 1 - step
            if known[brick, node] == wp.int8(0):
                i = node // (n * n)
                j = (node // n) % n
                k = node % n
                side = int(0)
                while side < 6:
                    axis = side // 2
                    move = 2 * (side % 2) - 1
                    i_near = i + wp.where(axis == 0, move, 0)
                    j_near = j + wp.where(axis == 1, move, 0)
                    k_near = k + wp.where(axis == 2, move, 0)
                    if i_near >= 0 and i_near < n and j_near >= 0 and j_near < n and k_near >= 0 and k_near < n:
                        near = (i_near * n + j_near) * n + k_near
                        sign = known[brick, near]
                        if sign != wp.int8(0):
                            if values[brick, node] + wp.abs(values[brick, near]) > least:
                                known[brick, node] = sign
                                values[brick, node] = values[brick, node] * wp.float32(sign)
                                changed = int(1)
                                side = int(6)
                    side += 1
            step += 1


@lru_cache
def _sign_kernel() -> Any:
    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def signs(
        mesh: ClosedMesh,
        grid: BrickGrid,
        first: int,
        values_out: wp.array2d(dtype=wp.float32),
        known_out: wp.array2d(dtype=wp.int8),
        asked_out: wp.array(dtype=wp.int32),
    ):
        brick = wp.tid() + first
        # float32 rounding of the stored distances, with room to spare
        least = wp.float32(grid.spacing) * wp.float32(1.00001)
        going = int(1)
        while going == 1:
            largest = wp.float32(-1.0)
            seed = int(-1)
            node = int(0)
            while node < wp.static(NODES * NODES * NODES):
                if known_out[brick, node] == wp.int8(0) and values_out[brick, node] > largest:
                    largest = values_out[brick, node]
                    seed = node
                node += 1
            if seed < 0:
                going = int(0)
            else:
                sign = sign_at(mesh, node_place(grid, brick, seed))
                known_out[brick, seed] = wp.int8(sign)
                values_out[brick, seed] = values_out[brick, seed] * sign
                asked_out[brick] = asked_out[brick] + 1
                spread_sign(values_out, known_out, brick, least)

    return signs


@lru_cache
def _point_kernel() -> Any:
    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def points(
        mesh: ClosedMesh, places: wp.array(dtype=wp.vec3d), first: int, distances_out: wp.array(dtype=wp.float64)
    ):
        i = wp.tid() + first
        far = wp.float64(1.0e300)
        distances_out[i] = distance_to(mesh, places[i], far) * wp.float64(sign_at(mesh, places[i]))

    return points


class MeshDistance:
    """Exact signed distances to a closed mesh, d > 0 inside.

    Attributes:
        bounds: Lowest and highest coordinates [2, 3] [m], surface frame.
    """

    def __init__(self, vertices_S: np.ndarray, facets: np.ndarray, device: str) -> None:
        """Puts the mesh on a device, in coordinates about its middle."""
        vertices = np.asarray(vertices_S, dtype=np.float64)
        facets = np.ascontiguousarray(facets, dtype=np.int32)
        self.bounds, self.device = np.array([vertices.min(axis=0), vertices.max(axis=0)]), device
        self.middle = 0.5 * (self.bounds[0] + self.bounds[1])
        local = vertices - self.middle
        corners = local[facets]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals /= np.linalg.norm(normals, axis=1)[:, None]
        self._mesh = wp.Mesh(
            points=wp.array(local.astype(np.float32), dtype=wp.vec3, device=device),
            indices=wp.array(facets.ravel(), dtype=wp.int32, device=device),
            support_winding_number=True,
        )
        self.params = ClosedMesh()
        self.params.mesh, self.params.size = self._mesh.id, float(np.abs(local).max())
        self.params.vertices = wp.array(local, dtype=wp.vec3d, device=device)
        self.params.facets = wp.array(facets, dtype=wp.int32, device=device)
        self.params.normals = wp.array(normals, dtype=wp.vec3d, device=device)

    def sample(self, origin_S: np.ndarray, spacing: float, bases: np.ndarray) -> np.ndarray:
        """Signed distances [brick, 9, 9, 9] [m], float32, at nodes from `bases` [brick, 3] of a grid."""
        grid, n, size = BrickGrid(), len(bases), NODES**3
        grid.origin, grid.spacing = wp.vec3d(*(origin_S - self.middle)), spacing
        grid.bases = wp.array(np.ascontiguousarray(bases, dtype=np.int32), dtype=wp.vec3i, device=self.device)
        values = wp.zeros((n, size), dtype=wp.float32, device=self.device)
        known = wp.zeros((n, size), dtype=wp.int8, device=self.device)
        asked = wp.zeros(n, dtype=wp.int32, device=self.device)
        launch_in_slices(_distance_kernel(), n * size, [self.params, grid], [values], self.device)
        launch_in_slices(_sign_kernel(), n, [self.params, grid], [values, known, asked], self.device)
        return values.numpy().reshape(n, NODES, NODES, NODES)

    def at(self, positions_S: np.ndarray) -> np.ndarray:
        """Exact signed distances [n] [m] at positions [n, 3] [m], in float64."""
        places = np.atleast_2d(np.asarray(positions_S, float)) - self.middle
        found = wp.zeros(len(places), dtype=wp.float64, device=self.device)
        inputs = [self.params, wp.array(places, dtype=wp.vec3d, device=self.device)]
        launch_in_slices(_point_kernel(), len(places), inputs, [found], self.device)
        return found.numpy()


def bricks_of(shape: tuple[int, int, int]) -> tuple[int, int, int]:
    """How many bricks along each axis hold so many nodes."""
    n_x, n_y, n_z = (-(-(n - 1) // BRICK) for n in shape)
    return n_x, n_y, n_z


def sample_box(
    source: Any,
    origin_S: np.ndarray,
    spacing: float,
    shape: tuple[int, int, int],
    is_asked: np.ndarray | None = None,
) -> np.ndarray:
    """Signed distances [i, j, k] [m], float32, at all nodes of a box, asked brick by brick.

    Args:
        source: Samples bricks, as `MeshDistance` does.
        origin_S: Of the first node [m].
        spacing: Between nodes [m].
        shape: How many nodes there are.
        is_asked: Bricks [i, j, k], as `bricks_of` counts them, that are asked; zero in the others; none for all.
    """
    blocks = bricks_of(shape)
    bases = np.stack(np.meshgrid(*(np.arange(n) * BRICK for n in blocks), indexing="ij"), -1).reshape(-1, 3)
    bases = bases if is_asked is None else bases[is_asked.ravel()]
    whole = np.zeros([n * BRICK + 1 for n in blocks], dtype=np.float32)
    for start in range(0, len(bases), CHUNK):
        part = bases[start : start + CHUNK]
        found = source.sample(origin_S, spacing, part)
        for (i, j, k), values in zip(part, found, strict=True):
            whole[i : i + NODES, j : j + NODES, k : k + NODES] = values
    n_x, n_y, n_z = shape
    return np.ascontiguousarray(whole[:n_x, :n_y, :n_z])

"""Does a surface pass through itself? Edges of facets against other facets, in float64."""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.compute.slices import launch_in_slices

TOUCHING = wp.constant(wp.float64(1.0e-9))
"""Share of a tetrahedron's own size below which its volume is rounding: parts that only touch do not cross."""


@wp.func
def volume_side(a: wp.vec3d, b: wp.vec3d, c: wp.vec3d, d: wp.vec3d) -> int:
    """Side of the plane abc that d lies on: 1, -1, or 0 within rounding."""
    u = b - a
    v = c - a
    w = d - a
    volume = wp.dot(wp.cross(u, v), w)
    size = wp.length(u) * wp.length(v) * wp.length(w)
    if volume > TOUCHING * size:
        return 1
    if volume < -TOUCHING * size:
        return -1
    return 0


@wp.func
def edge_crosses(p: wp.vec3d, q: wp.vec3d, a: wp.vec3d, b: wp.vec3d, c: wp.vec3d) -> int:
    """1 where the segment pq passes through the inside of the triangle abc."""
    if volume_side(a, b, c, p) * volume_side(a, b, c, q) >= 0:
        return 0
    one = volume_side(p, q, a, b)
    if one == 0 or one != volume_side(p, q, b, c) or one != volume_side(p, q, c, a):
        return 0
    return 1


@wp.func
def is_corner(facet: wp.vec3i, vertex: int) -> bool:
    """Whether a vertex is one of a facet's."""
    return facet[0] == vertex or facet[1] == vertex or facet[2] == vertex


@lru_cache
def _kernel() -> Any:
    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def crossings(
        mesh: wp.uint64,
        vertices: wp.array(dtype=wp.vec3d),
        facets: wp.array(dtype=wp.vec3i),
        first: int,
        by_out: wp.array(dtype=wp.int32),
    ):
        i = wp.tid() + first
        f = facets[i]
        a = vertices[f[0]]
        b = vertices[f[1]]
        c = vertices[f[2]]
        low = wp.min(wp.min(a, b), c)
        high = wp.max(wp.max(a, b), c)
        slack = wp.length(high - low) * wp.float64(1.0e-4) + wp.float64(1.0e-6) * (wp.length(low) + wp.length(high))
        room = wp.vec3d(slack, slack, slack)
        low32 = wp.vec3(low - room)
        high32 = wp.vec3(high + room)
        query = wp.mesh_query_aabb(mesh, low32, high32)
        other = int(0)
        while wp.mesh_query_aabb_next(query, other):
            g = facets[other]
            shared = int(0)
            n_crossing = int(0)
            for m in range(3):
                if is_corner(f, g[m]):
                    shared += 1
                elif not is_corner(f, g[(m + 1) % 3]):  # an edge that starts at a common vertex only touches there
                    n_crossing += edge_crosses(vertices[g[m]], vertices[g[(m + 1) % 3]], a, b, c)
            if shared < 2 and n_crossing > 0:  # facets with a common edge meet there, however they are folded
                if by_out[i] < 0 or other < by_out[i]:
                    by_out[i] = other

    return crossings


def crossed_facets(vertices: np.ndarray, facets: np.ndarray, device: str = "cpu") -> np.ndarray:
    """Facets that the edge of another facet passes through, and the first such other, [crossed, 2].

    An edge that meets an edge or a vertex passes through nothing: bodies may touch. What overlaps in so even a way is
    found by its winding numbers (`enclosure`).

    Args:
        vertices: [vertex, 3] [m].
        facets: [facet, 3] vertex indices, equal positions merged.
        device: Warp device.
    """
    start_warp()
    local = np.asarray(vertices, np.float64) - 0.5 * (np.min(vertices, axis=0) + np.max(vertices, axis=0))
    facets = np.ascontiguousarray(facets, dtype=np.int32)
    mesh = wp.Mesh(
        points=wp.array(local.astype(np.float32), dtype=wp.vec3, device=device),
        indices=wp.array(facets.ravel(), dtype=wp.int32, device=device),
    )
    inputs = [mesh.id, wp.array(local, dtype=wp.vec3d, device=device), wp.array(facets, dtype=wp.vec3i, device=device)]
    by = wp.full(len(facets), -1, dtype=wp.int32, device=device)
    launch_in_slices(_kernel(), len(facets), inputs, [by], device)
    crossing = by.numpy()
    crossed = np.flatnonzero(crossing >= 0)
    return np.column_stack([crossed, crossing[crossed]])

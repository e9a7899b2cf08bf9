"""Our rays onto meshes beside those of Embree, for the tests and for `make validate`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from support.mesh_queries import mesh_of, rays_about, surface_of

N = 20_000
"""Rays onto each mesh, in five directions; those straight down, and a quarter of the others, are left out."""


@dataclass(frozen=True)
class RayCount:
    """Rays that start outside a mesh, by what became of them."""

    cast: int
    """All of them."""
    met: int
    """Met the mesh here and there."""
    other_facet: int
    """Of those: met another facet there."""
    apart: int
    """Of those: ranges differ by more than float32 explains."""


def count_rays(name: str) -> RayCount:
    """First hits from outside. Embree works in float32: ranges agree to that of the coordinates, over the slope."""
    from embreex.mesh_construction import TriangleMesh
    from embreex.rtcore_scene import EmbreeScene

    mesh, scene = mesh_of(name), EmbreeScene()
    middle = mesh.vertices.mean(axis=0)
    kept = TriangleMesh(scene, (mesh.corners - middle).astype(np.float32))
    counts = np.zeros(4, dtype=int)
    # straight down is left out: the sides of the site, and some facets of the ball, stand edge-on to it
    for origins, direction in islice(rays_about(mesh, N, 5, seed=6), 1, None):
        origins = origins[len(origins) // 4 :]  # those before aim at edges and vertices, where float32 is of two minds
        outside = origins - direction * (1e-3 + (origins - middle) @ direction + 2.0 * mesh.size)[:, None]
        directions = np.tile(direction, (len(outside), 1))
        ranges, facets = surface_of(name).cast(outside, directions, 20.0 * mesh.size)
        seen = scene.run(
            (outside - middle).astype(np.float32), directions.astype(np.float32), query="INTERSECT", output=1
        )
        both = (facets >= 0) & (seen["primID"] >= 0)
        slope = np.abs(mesh.normals[facets] @ direction)
        apart = np.abs(ranges - seen["tfar"]) > 1e-5 * mesh.size / np.maximum(slope, 1e-3)
        other = facets != seen["primID"]
        counts += [len(outside), both.sum(), (both & other).sum(), (both & apart).sum()]
    del kept
    return RayCount(*(int(count) for count in counts))

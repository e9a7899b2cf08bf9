"""Meshes of every kind, and questions that are hard to answer: near, far, on edges, in the planes of facets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import trimesh

from oracles.mesh_brute_force import Triangles
from planetfall.world.terrain.mesh.build import mesh_surface
from planetfall.world.terrain.readers.load import load_terrain_file
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData
from planetfall.world.terrain.surface import Surface
from support.made_ground import grid_mesh
from support.shared_data import DATA

Array = np.ndarray


def ball() -> Triangles:
    """Convex: a sphere of 320 facets."""
    made = trimesh.creation.icosphere(2)
    return Triangles(np.array(made.vertices), np.array(made.faces))


def burr() -> Triangles:
    """Concave and closed: a sphere whose vertices were moved in and out; every line from its middle meets it once."""
    made = trimesh.creation.icosphere(2)
    radius = np.random.default_rng(5).uniform(0.5, 1.6, (len(made.vertices), 1))
    return Triangles(np.array(made.vertices) * radius, np.array(made.faces))


def sheet() -> Triangles:
    """An open sheet, rough, with a hole of one cell."""
    along = np.linspace(-1.0, 1.0, 13)
    vertices, facets = grid_mesh(along, 0.15 * np.random.default_rng(6).normal(size=(13, 13)))
    middles = vertices[facets].mean(axis=1)
    return Triangles(vertices, facets[~np.all(np.abs(middles[:, :2] - 0.25) < 0.084, axis=1)])


SMALL = {"convex": ball, "concave": burr, "open sheet": sheet}
LARGE = {
    "Curiosity site": "meshes/terrain/Curiosity_Landing_Site_nasa3d.stl",
    "Dingo Gap": "meshes/terrain/dingo_gap_msl_L4_enu.ply",
}
"""Files of shared data."""


@lru_cache
def mesh_of(name: str) -> Triangles:
    """A mesh by its name in `SMALL` or `LARGE`."""
    if name in SMALL:
        return SMALL[name]()
    found = load_terrain_file(DATA / LARGE[name])
    assert isinstance(found, MeshData)
    return Triangles(found.vertices, found.facets)


@lru_cache
def surface_of(name: str) -> Surface:
    """The same as ground of ours."""
    return mesh_surface(mesh_of(name).vertices, mesh_of(name).facets, "cpu", reach=0.1)


def points_about(mesh: Triangles, n: int, n_far: int, seed: int) -> Array:
    """n points [m] near a mesh and n_far far from it.

    Near the surface; within the box around it; in the planes of facets, on them and beyond; on edges and on vertices
    exactly; a little off those, in any direction.
    """
    rng = np.random.default_rng(seed)
    facet = rng.integers(len(mesh.facets), size=n)
    corners, normals = mesh.corners[facet], mesh.normals[facet]
    length = np.linalg.norm(mesh.sides[facet], axis=2).max(axis=1)
    share = rng.dirichlet([1.0, 1.0, 1.0], size=n)
    on_facets = np.einsum("pi,pij->pj", share, corners)
    near = on_facets + normals * (0.1 * length * rng.normal(size=n))[:, None]
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    within = rng.uniform(low, high, (n, 3)) if n_far >= 0.01 * n else near[::-1]  # costly over a large mesh
    spread = rng.uniform(-1.0, 2.0, (n, 2, 1))
    in_planes = corners[:, 0] + spread[:, 0] * mesh.sides[facet, 0] - spread[:, 1] * mesh.sides[facet, 2]
    on_edges = corners[:, 0] + share[:, :1] * mesh.sides[facet, 0]
    off = 0.2 * length[:, None] * _directions(rng, n)
    kinds = (near, within, in_planes, on_edges, corners[:, 1], on_edges + off, corners[:, 2] + off)
    picked = [kind[i :: len(kinds)] for i, kind in enumerate(kinds)]
    far = 0.5 * (low + high) + mesh.size * rng.uniform(1.0, 3.0, (n_far, 1)) * _directions(rng, n_far)
    return np.vstack([*picked, far])


def rays_about(mesh: Triangles, n: int, n_directions: int, seed: int) -> Iterator[tuple[Array, Array]]:
    """Origins [m] of rays and their common direction: straight down first, then any; n rays in all.

    They aim at facets, edges and vertices, from near and from far, and from behind.
    """
    rng = np.random.default_rng(seed)
    for i in range(n_directions):
        direction = _directions(rng, 1)[0] if i else np.array([0.0, 0.0, -1.0])
        m = n // n_directions
        share = rng.dirichlet([1.0, 1.0, 1.0], size=m)
        share[: m // 8] = [1.0, 0.0, 0.0]
        share[m // 8 : m // 4, 2] = 0.0
        share /= share.sum(axis=1)[:, None]
        aims = np.einsum("pi,pij->pj", share, mesh.corners[rng.integers(len(mesh.facets), size=m)])
        back = rng.uniform(-0.2, 1.5, (m, 1)) * mesh.size * rng.choice([1.0, 0.01], (m, 1))
        yield aims - back * direction, direction


def _directions(rng: np.random.Generator, n: int) -> Array:
    drawn = rng.normal(size=(n, 3))
    return drawn / np.linalg.norm(drawn, axis=1)[:, None]

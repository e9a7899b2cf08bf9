"""Boxes as rocks: their meshes, and distances to them in closed form."""

from __future__ import annotations

import numpy as np
import trimesh

from planetfall.world.terrain.mesh.build import mesh_surface
from planetfall.world.terrain.surface import Surface

Array = np.ndarray


def box_mesh(low: Array, high: Array) -> tuple[Array, Array]:
    """Vertices [8, 3] [m] and facets [12, 3] of a box between two corners, wound outward."""
    made = trimesh.creation.box(bounds=[low, high])
    return np.array(made.vertices), np.array(made.faces)


def box_surface(low: Array, high: Array, reach: float = 0.2) -> Surface:
    """A box on the CPU."""
    return mesh_surface(*box_mesh(low, high), "cpu", reach=reach)


def box_gaps(low: Array, high: Array, points: Array) -> Array:
    """Signed distance [m] to a box, negative inside."""
    beyond = np.abs(points - 0.5 * (np.asarray(low) + high)) - 0.5 * (np.asarray(high) - low)
    outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
    return outside + np.minimum(beyond.max(axis=1), 0.0)


def box_normals(low: Array, high: Array, points: Array) -> Array:
    """Unit vectors out of a box, to points from the nearest points of its surface."""
    from_middle = points - 0.5 * (np.asarray(low) + high)
    beyond = np.abs(from_middle) - 0.5 * (np.asarray(high) - low)
    inside = np.where(beyond == beyond.max(axis=1)[:, None], 1.0, 0.0)
    ways = np.where(beyond.max(axis=1)[:, None] > 0.0, np.maximum(beyond, 0.0), inside)
    return np.sign(from_middle) * ways / np.linalg.norm(ways, axis=1)[:, None]


def box_ranges(low: Array, high: Array, origins: Array, directions: Array) -> Array:
    """Distance [m] along rays from outside to a box; infinite where they miss it."""
    with np.errstate(divide="ignore"):
        first, second = (np.asarray(low) - origins) / directions, (np.asarray(high) - origins) / directions
    enter, leave = np.minimum(first, second).max(axis=1), np.maximum(first, second).min(axis=1)
    return np.where((enter <= leave) & (enter >= 0), enter, np.inf)

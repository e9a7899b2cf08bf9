"""What the nodes of a gravity grid hold: the potential outside a body, continued into it.

At the surface the second derivative of the potential U jumps by 4 pi G rho, which no spline follows: one through U
itself makes the gravity on the ground some per cent too weak. Nobody needs U inside, so the nodes there hold the field
outside, continued inward: U - 2 pi G rho d^2 at depth d, whose value, slope and second derivative go on smoothly. That
is exact below a plane; below a sphere of radius R the next term is smaller by 2 d / 3 R.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.slices import launch_in_slices
from planetfall.world.gravity.polyhedron.facet_tree import FacetTree, tree_potential
from planetfall.world.terrain.sdf.cell import BRICK
from planetfall.world.terrain.sdf.mesh_distance import MeshDistance, bricks_of, sample_box

CHUNK = 1 << 14
"""Nodes whose potential is computed at a time: half a second of work on a CPU."""

ROUNDING = 1.0001
"""Room for distances in float32."""


def continued_potentials(
    tree: FacetTree,
    distance: MeshDistance,
    origin: np.ndarray,
    spacing: float,
    shape: tuple[int, int, int],
    told: Callable[[float], None],
) -> np.ndarray:
    """Values [i, j, k] at the nodes of a box, for G rho = 1.

    Args:
        tree: The facets of the body.
        distance: To its surface.
        origin: Of the first node [m].
        spacing: Between nodes [m].
        shape: How many there are.
        told: Takes the share that is done.
    """
    n = int(np.prod(shape, dtype=np.int64))
    values = np.empty(n)
    for start in range(0, n, CHUNK):
        part = np.arange(start, min(start + CHUNK, n))
        nodes = origin + spacing * np.stack(np.unravel_index(part, shape), -1)
        values[part] = tree_potentials(tree, nodes, distance.device)
        told((part[-1] + 1) / n)
    return values.reshape(shape) - 2.0 * np.pi * _depths(distance, origin, spacing, shape) ** 2


def _depths(distance: MeshDistance, origin: np.ndarray, spacing: float, shape: tuple[int, int, int]) -> np.ndarray:
    """Depths [i, j, k] [m] below the surface, zero outside: bricks whose middles are far outside are not asked."""
    side = BRICK * spacing
    middles = sample_box(distance, origin + 0.5 * side, side, bricks_of(shape))
    is_asked = middles > -0.5 * np.sqrt(3.0) * side * ROUNDING
    return np.maximum(sample_box(distance, origin, spacing, shape, is_asked), 0.0).astype(np.float64)


def continued_potentials_at(tree: FacetTree, distance: MeshDistance, places: np.ndarray) -> np.ndarray:
    """The same at places [n, 3] [m] that are no box."""
    depth = np.maximum(distance.at(places), 0.0)
    return tree_potentials(tree, places, distance.device) - 2.0 * np.pi * depth**2


def tree_potentials(tree: FacetTree, places: np.ndarray, device: str) -> np.ndarray:
    """Potentials [n] [m^2] for G rho = 1 at places [n, 3] [m]."""
    found = wp.empty(len(places), dtype=wp.float64, device=device)
    inputs = [tree, wp.array(np.ascontiguousarray(places), dtype=wp.vec3d, device=device)]
    launch_in_slices(_potential_kernel(), len(places), inputs, [found], device)
    return found.numpy()


@lru_cache
def _potential_kernel() -> Any:
    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def potentials(
        tree: FacetTree, places: wp.array(dtype=wp.vec3d), first: int, values_out: wp.array(dtype=wp.float64)
    ):
        at = wp.tid() + first
        values_out[at] = tree_potential(tree, places[at])

    return potentials

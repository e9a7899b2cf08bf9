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

from planetfall.world.gravity.polyhedron import PolyhedronParams, polyhedron_potential
from planetfall.world.slices import launch_in_slices
from planetfall.world.terrain.sdf_mesh import ClosedMesh, MeshDistance, distance_to, sign_at

TWO_PI = wp.constant(wp.float64(2.0 * np.pi))


@wp.struct
class NodeBox:
    """Where nodes lie: `origin` [m] of the first, `spacing` [m], and how many there are along y and z."""

    origin: wp.vec3d
    spacing: wp.float64
    n_y: wp.int32
    n_z: wp.int32


@wp.func
def place_of_node(box: NodeBox, at: int) -> wp.vec3d:
    """Position [m] of a node by its number, z first."""
    k = at % box.n_z
    j = (at // box.n_z) % box.n_y
    i = at // (box.n_z * box.n_y)
    return box.origin + wp.vec3d(wp.float64(i), wp.float64(j), wp.float64(k)) * box.spacing


def continued_potentials(
    exact: PolyhedronParams,
    distance: MeshDistance,
    origin: np.ndarray,
    spacing: float,
    shape: tuple[int, int, int],
    told: Callable[[float], None],
) -> np.ndarray:
    """Values [i, j, k] at the nodes of a box, for G rho = 1.

    Args:
        exact: The field of the body.
        distance: To its surface.
        origin: Of the first node [m].
        spacing: Between nodes [m].
        shape: How many there are.
        told: Takes the share that is done.
    """
    device, n = distance.device, int(np.prod(shape, dtype=np.int64))
    box = NodeBox()
    box.origin, box.spacing, box.n_y, box.n_z = wp.vec3d(*origin), spacing, *shape[1:]
    values = wp.zeros(n, dtype=wp.float64, device=device)
    launch_in_slices(_potential_kernel(), n, [exact, box], [values], device, told)
    box.origin = wp.vec3d(*(origin - distance.middle))
    launch_in_slices(_continuing_kernel(), n, [distance.params, box], [values], device)
    return values.numpy().reshape(shape)


@lru_cache
def _potential_kernel() -> Any:
    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def potentials(field: PolyhedronParams, box: NodeBox, first: int, values_out: wp.array(dtype=wp.float64)):
        at = wp.tid() + first
        values_out[at] = polyhedron_potential(field, place_of_node(box, at))

    return potentials


@lru_cache
def _continuing_kernel() -> Any:
    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def continue_inward(mesh: ClosedMesh, box: NodeBox, first: int, values_out: wp.array(dtype=wp.float64)):
        at = wp.tid() + first
        place = place_of_node(box, at)
        if sign_at(mesh, place) > 0.0:
            depth = distance_to(mesh, place, wp.float64(0.0))
            values_out[at] = values_out[at] - TWO_PI * depth * depth

    return continue_inward

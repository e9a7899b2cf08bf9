"""The nearest point of a mesh, in float64, from any distance."""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.world.terrain.mesh import MeshParams, answer
from planetfall.world.terrain.mesh_search import least_square, nearest_of_all
from planetfall.world.terrain.mesh_tree import NOTHING, facet_at
from planetfall.world.terrain.model import GROUND_OFF_MAP, GROUND_OK
from planetfall.world.terrain.outline import Feet, feet_of
from planetfall.world.terrain.sweep import sweep
from planetfall.world.terrain.triangle import nearest_on_triangle


@wp.struct
class MeshFoot:
    """Nearest `point` [m], surface frame, of the facet with the outward `normal`; `height` [m] over its plane."""

    point: wp.vec3d
    normal: wp.vec3d
    height: wp.float64
    status: wp.int32


@wp.func
def mesh_foot(mesh: wp.ref[MeshParams], position: wp.vec3d) -> MeshFoot:
    """Nearest point of all facets; none to a position that is not a number."""
    out = MeshFoot()
    out.status = GROUND_OFF_MAP
    p = position - mesh.origin
    if wp.length_sq(p) < NOTHING:
        squared = least_square(mesh.tree, p, mesh.memory.places)
        place = nearest_of_all(mesh.tree, p, squared, mesh.memory.places)
        facet = facet_at(mesh.tree, place)
        near = nearest_on_triangle(p, facet.a, facet.b, facet.c, facet.normal)
        out.point = position - near.offset
        out.normal = facet.normal
        out.height = wp.dot(p - facet.a, facet.normal)
        out.status = answer(mesh.tree, place, p).status
    return out


def mesh_feet(params: MeshParams, places_S: np.ndarray) -> Feet:
    """Nearest points of a mesh on the host; where several facets are equally near, the squarest gives the normal."""
    dtypes = [wp.vec3d, wp.vec3d, wp.float64, wp.int32]
    points, normals, heights, statuses = sweep(_foot_kernel(), params, [places_S], [], dtypes)
    return feet_of(places_S, points, normals, heights >= 0.0, statuses == int(GROUND_OK))


@lru_cache
def _foot_kernel() -> Any:
    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def feet(
        mesh: MeshParams,
        positions: wp.array(dtype=wp.vec3d),
        points_out: wp.array(dtype=wp.vec3d),
        normals_out: wp.array(dtype=wp.vec3d),
        heights_out: wp.array(dtype=wp.float64),
        statuses_out: wp.array(dtype=wp.int32),
    ):
        i = wp.tid()
        foot = mesh_foot(mesh, positions[i])
        points_out[i] = foot.point
        normals_out[i] = foot.normal
        heights_out[i] = foot.height
        statuses_out[i] = foot.status

    return feet

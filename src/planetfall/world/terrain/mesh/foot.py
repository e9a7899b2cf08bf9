"""The nearest point of a mesh, in float64, from any distance."""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.world.terrain.facets.triangle import NOTHING, nearest_on_triangle
from planetfall.world.terrain.mesh.mesh import MESH_FACETS, MeshParams, mesh_status
from planetfall.world.terrain.mesh.tree import facet_at
from planetfall.world.terrain.model import GROUND_OFF_MAP, GROUND_OK
from planetfall.world.terrain.outline import Feet, feet_of
from planetfall.world.terrain.sweep import sweep

_place_of, _side = MESH_FACETS.place, MESH_FACETS.side


@wp.struct
class MeshFoot:
    """Nearest `point` [m], surface frame, of the facet with the outward `normal`; `side`, 1 outside and -1 inside."""

    point: wp.vec3d
    normal: wp.vec3d
    side: wp.float64
    status: wp.int32


@wp.func
def mesh_foot(mesh: wp.ref[MeshParams], position: wp.vec3d) -> MeshFoot:
    """Nearest point of all facets; none to a position that is not a number."""
    out = MeshFoot()
    out.status = GROUND_OFF_MAP
    p = position - mesh.origin
    if wp.length_sq(p) < NOTHING:
        place = _place_of(mesh, p)
        facet = facet_at(mesh.tree, place)
        near = nearest_on_triangle(p, facet.a, facet.b, facet.c, facet.normal)
        out.point = position - near.offset
        out.normal = facet.normal
        out.side = _side(mesh, place, p)
        out.status = mesh_status(mesh, place, near.feature)
    return out


def mesh_feet(params: MeshParams, places_S: np.ndarray) -> Feet:
    """Nearest points of a mesh on the host; where several facets are equally near, the first gives the normal."""
    dtypes = [wp.vec3d, wp.vec3d, wp.float64, wp.int32]
    points, normals, sides, statuses = sweep(_foot_kernel(), params, [places_S], [], dtypes)
    return feet_of(places_S, points, normals, sides > 0.0, statuses == int(GROUND_OK))


@lru_cache
def _foot_kernel() -> Any:
    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def feet(
        mesh: MeshParams,
        positions: wp.array(dtype=wp.vec3d),
        points_out: wp.array(dtype=wp.vec3d),
        normals_out: wp.array(dtype=wp.vec3d),
        sides_out: wp.array(dtype=wp.float64),
        statuses_out: wp.array(dtype=wp.int32),
    ):
        i = wp.tid()
        foot = mesh_foot(mesh, positions[i])
        points_out[i] = foot.point
        normals_out[i] = foot.normal
        sides_out[i] = foot.side
        statuses_out[i] = foot.status

    return feet

"""Putting a triangle mesh on a device: float32 for finding, float64 for measuring, borders, and the points' lists."""

import numpy as np
import warp as wp
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from planetfall.errors import InputError
from planetfall.world.device import start_warp
from planetfall.world.terrain.mesh import BORDER_HOLE, BORDER_OUTER, TERRAIN_MESH, MeshParams, empty_lists
from planetfall.world.terrain.surface import Surface


def mesh_surface(vertices_S: np.ndarray, facets: np.ndarray, device: str, *, reach: float, **facts: object) -> Surface:
    """Makes a mesh ready for queries.

    Args:
        vertices_S: [vertex, 3] [m], surface frame.
        facets: [facet, 3] vertex indices, counter-clockwise seen from outside; none degenerate.
        device: Warp device.
        reach: How far from the ground contact still matters [m]; beyond it gaps are lower bounds.
        facts: What is known of the mesh, for people.
    """
    start_warp()
    vertices_S, facets = np.asarray(vertices_S, dtype=np.float64), np.asarray(facets, dtype=np.int32)
    if len(facets) == 0:
        raise InputError("terrain", "the mesh has no facets", "at least one")
    origin = 0.5 * (vertices_S.min(axis=0) + vertices_S.max(axis=0))
    local = vertices_S - origin
    corners = local[facets]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    if np.any(lengths == 0):
        raise InputError("terrain", f"{int(np.sum(lengths == 0))} facets have no area", advice="drop them at load")
    edge = float(np.median(np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)))
    mesh = wp.Mesh(
        points=wp.array(local.astype(np.float32), dtype=wp.vec3, device=device),
        indices=wp.array(facets.ravel(), dtype=wp.int32, device=device),
    )
    p = MeshParams()
    p.mesh, p.origin = mesh.id, wp.vec3d(*origin)
    p.vertices = wp.array(local, dtype=wp.vec3d, device=device)
    p.facets = wp.array(facets, dtype=wp.int32, device=device)
    p.normals = wp.array(normals / lengths[:, None], dtype=wp.vec3d, device=device)
    p.borders = wp.array(border_codes(local, facets), dtype=wp.int32, device=device)
    p.size, p.reach = float(np.abs(local).max()), reach
    p.list_radius, p.short_radius = 0.5 * edge, 0.02 * edge
    empty_lists(p, 1, 1, device)
    box = np.array([vertices_S.min(axis=0), vertices_S.max(axis=0)])
    return Surface(TERRAIN_MESH, p, device, kept=(mesh,), facts=dict(facts), n_facets=len(facets), box=box)


def border_codes(vertices: np.ndarray, facets: np.ndarray) -> np.ndarray:
    """[facet, 7] BORDER_* by feature (face, edges ab bc ca, vertices a b c): what lies beyond it.

    An edge that only one facet has is a border. The connected border with the largest extent is the outer one; the
    others surround holes.
    """
    edges = facets[:, [[0, 1], [1, 2], [2, 0]]]
    keys = np.sort(edges, axis=2)
    flat = keys.reshape(-1, 2).astype(np.int64)
    _, inverse, counts = np.unique(flat[:, 0] * len(vertices) + flat[:, 1], return_inverse=True, return_counts=True)
    is_border = (counts[inverse] == 1).reshape(-1, 3)
    codes = np.zeros((len(facets), 7), dtype=np.int32)
    if not is_border.any():
        return codes
    start, end = keys[is_border].T
    graph = coo_array((np.ones(len(start)), (start, end)), shape=(len(vertices), len(vertices)))
    _, component = connected_components(graph, directed=False)
    on_border = np.zeros(len(vertices), dtype=bool)
    on_border[start] = on_border[end] = True
    labels = np.unique(component[on_border])
    extent = [np.ptp(vertices[on_border & (component == label)], axis=0).max() for label in labels]
    outer = labels[int(np.argmax(extent))]
    code_of_vertex = np.where(on_border, np.where(component == outer, BORDER_OUTER, BORDER_HOLE), 0)
    codes[:, 1:4] = np.where(is_border, code_of_vertex[edges[:, :, 0]], 0)
    codes[:, 4:7] = code_of_vertex[facets]
    return codes

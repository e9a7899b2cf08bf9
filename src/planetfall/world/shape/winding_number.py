"""How often a surface winds around the middles of its own facets.

The winding number of a closed surface about a point is the solid angle that it fills there, over 4 pi (Jacobson2013): 0
outside, 1 inside. In the middle of a facet of a proper surface, which has the one on one side and the other on the
other, it is 1/2, the facet itself counting nothing. Whatever else is found there tells that the surface is doubled
(1), that the facet lies inside a body (3/2), or in a hollow that is wound the wrong way (-1/2). No place beside the
facet has to be chosen, so edges may be as sharp and walls as thin as they like.

Far facets are taken together as one dipole (Barill2018), near ones by their exact solid angle, in float64.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.compute.slices import launch_in_slices
from planetfall.world.gravity.polyhedron.polyhedron import facet_angle
from planetfall.world.terrain.mesh.build import NOWHERE, leaf_order

FULL_ANGLE = wp.constant(wp.float64(4.0 * np.pi))
FAR = wp.constant(wp.float64(2.0))
"""Radii of a group of facets from which on it is one dipole: winding numbers are then good to 0.05."""
IN_PLANE = wp.constant(wp.float64(1.0e-9))
"""Share of a tetrahedron's own size below which its volume is rounding: the point lies in the facet's plane."""


@wp.struct
class DipoleTree:
    """A complete tree: the children of node i are 4 i + 1 to 4 i + 4, the nodes from `n_inner` on are single facets.

    By node: `centers` [m], `dipoles` [m^2], the sum of the areas along the normals, and `radii` [m] about the centre.
    By facet, in the order of the tree: `corners` [m], three each.
    """

    centers: wp.array(dtype=wp.vec3d)
    dipoles: wp.array(dtype=wp.vec3d)
    radii: wp.array(dtype=wp.float64)
    corners: wp.array(dtype=wp.vec3d)
    n_inner: wp.int32


@wp.func
def facet_winding(a: wp.vec3d, b: wp.vec3d, c: wp.vec3d) -> wp.float64:
    """Solid angle over 4 pi of a facet seen from the origin; from its own plane, nothing."""
    volume = wp.dot(a, wp.cross(b, c))
    if wp.abs(volume) <= IN_PLANE * wp.length(a) * wp.length(b) * wp.length(c):
        return wp.float64(0.0)
    return facet_angle(a, b, c, volume) / FULL_ANGLE


@wp.func
def winding_number(tree: DipoleTree, p: wp.vec3d) -> wp.float64:
    """Of the whole surface about a point."""
    total = wp.float64(0.0)
    node = int(0)
    going = int(1)
    while going == 1:
        is_done = int(1)
        if node >= tree.n_inner:
            k = 3 * (node - tree.n_inner)
            if k < tree.corners.shape[0]:
                total += facet_winding(tree.corners[k] - p, tree.corners[k + 1] - p, tree.corners[k + 2] - p)
        else:
            away = tree.centers[node] - p
            distance = wp.length(away)
            if distance > FAR * tree.radii[node]:
                total += wp.dot(tree.dipoles[node], away) / (FULL_ANGLE * distance * distance * distance)
            else:
                is_done = int(0)
        if is_done == 0:
            node = 4 * node + 1
        else:  # the next node that is not below this one
            while node > 0 and node % 4 == 0:
                node = (node - 1) // 4
            node += 1
            if node == 1:
                going = int(0)
    return total


@lru_cache
def _kernel() -> Any:
    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def windings(tree: DipoleTree, places: wp.array(dtype=wp.vec3d), first: int, out: wp.array(dtype=wp.float64)):
        i = wp.tid() + first
        out[i] = winding_number(tree, places[i])

    return windings


def dipole_tree(corners: np.ndarray, device: str) -> DipoleTree:
    """The tree of facets with corners [facet, 3, 3] [m]."""
    order, n_levels = leaf_order(corners.mean(axis=1))
    corners = np.ascontiguousarray(corners[order])
    n_places = 4 ** (n_levels + 1)
    area = np.zeros((n_places, 3))
    area[: len(corners)] = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    weight = np.linalg.norm(area, axis=1)
    weighted, low, high = np.zeros((n_places, 3)), np.full((n_places, 3), np.inf), np.full((n_places, 3), -np.inf)
    weighted[: len(corners)] = corners.mean(axis=1) * weight[: len(corners), None]
    low[: len(corners)], high[: len(corners)] = corners.min(axis=1), corners.max(axis=1)
    rows: list[tuple[np.ndarray, ...]] = []
    for _ in range(n_levels + 1):
        area, weighted = (values.reshape(-1, 4, 3).sum(axis=1) for values in (area, weighted))
        weight = weight.reshape(-1, 4).sum(axis=1)
        low, high = low.reshape(-1, 4, 3).min(axis=1), high.reshape(-1, 4, 3).max(axis=1)
        is_full = weight > 0.0
        center = np.where(is_full[:, None], weighted / np.where(is_full, weight, 1.0)[:, None], NOWHERE)
        reach = np.where(is_full[:, None], np.maximum(high - center, center - low), 0.0)
        rows.insert(0, (center, area, np.linalg.norm(reach, axis=1)))
    centers, dipoles, radii = (np.concatenate(values) for values in zip(*rows, strict=True))
    tree = DipoleTree()
    tree.centers = wp.array(centers, dtype=wp.vec3d, device=device)
    tree.dipoles = wp.array(dipoles, dtype=wp.vec3d, device=device)
    tree.radii = wp.array(radii, dtype=wp.float64, device=device)
    tree.corners = wp.array(corners.reshape(-1, 3), dtype=wp.vec3d, device=device)
    tree.n_inner = len(radii)
    return tree


def windings_at(vertices: np.ndarray, facets: np.ndarray, places: np.ndarray, device: str = "cpu") -> np.ndarray:
    """Winding numbers [n] of a surface about places [n, 3] [m]; facets in whose plane a place lies count nothing.

    Args:
        vertices: [vertex, 3] [m].
        facets: [facet, 3] vertex indices, counter-clockwise seen from outside.
        places: [n, 3] [m].
        device: Warp device.
    """
    start_warp()
    vertices = np.asarray(vertices, np.float64)
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))  # an origin far away costs digits
    tree = dipole_tree((vertices - middle)[facets], device)
    found = wp.zeros(len(places), dtype=wp.float64, device=device)
    asked = wp.array(np.ascontiguousarray(places - middle), dtype=wp.vec3d, device=device)
    launch_in_slices(_kernel(), len(places), [tree, asked], [found], device)
    return found.numpy()


def windings_on(vertices: np.ndarray, facets: np.ndarray, device: str = "cpu") -> np.ndarray:
    """Winding numbers [facet] of a surface about the middles of its own facets: 1/2 on all of a proper one."""
    return windings_at(vertices, facets, np.asarray(vertices, np.float64)[facets].mean(axis=1), device)

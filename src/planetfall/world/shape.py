"""The shape of a whole body: volume, centre of mass and axes of inertia of a closed mesh, and moving it onto them."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from planetfall.errors import InputError
from planetfall.world.enclosure import check_once, enclosing
from planetfall.world.terrain.readers.load import MeshReading, load_terrain_file
from planetfall.world.terrain.readers.mesh_data import MeshData, Placement
from planetfall.world.terrain.readers.winding import oriented, winding

Center = Literal["file", "mass", "principal"]
"""Where a shape's origin and axes lie: as in the file; centre of mass; centre of mass and axes of inertia."""


@dataclass(frozen=True)
class ShapeProperties:
    """What a body of uniform density has by its shape alone.

    Attributes:
        volume: [m^3].
        area: [m^2].
        center_of_mass: [m], axes and origin of the mesh.
        inertia: About the centre of mass for density 1 [m^5], axes of the mesh, shape (3, 3).
        moments: Principal moments for density 1 [m^5], ascending.
        axes: Rotation that takes components along the mesh's axes to principal ones: rows are the principal axes, the
            longest of the body first, that of the largest moment last; right-handed, as near the mesh's own as can be.
        radius: Of the smallest sphere about the origin of the mesh that holds it [m].
    """

    volume: float
    area: float
    center_of_mass: np.ndarray
    inertia: np.ndarray
    moments: np.ndarray
    axes: np.ndarray
    radius: float


def shape_properties(vertices: np.ndarray, facets: np.ndarray) -> ShapeProperties:
    """Volume, centre of mass and inertia of a closed mesh, wound counter-clockwise seen from outside.

    Sums over the tetrahedra between the facets and a point near the middle, so that an origin far away costs no digits.

    Args:
        vertices: [vertex, 3] [m].
        facets: [facet, 3] vertex indices.
    """
    vertices = np.asarray(vertices, dtype=np.float64)
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    corners = (vertices - middle)[facets]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sixfold = np.einsum("fi,fi->f", corners[:, 0], normals)
    volume = float(sixfold.sum()) / 6.0
    sums = corners.sum(axis=1)
    first = np.einsum("f,fi->i", sixfold, sums) / 24.0
    second = np.einsum("f,fi,fj->ij", sixfold, sums, sums) + np.einsum("f,fci,fcj->ij", sixfold, corners, corners)
    second /= 120.0
    center = first / volume
    second -= volume * np.outer(center, center)
    inertia = np.trace(second) * np.eye(3) - second
    moments, axes = _principal(inertia)
    area = 0.5 * float(np.linalg.norm(normals, axis=1).sum())
    radius = float(np.linalg.norm(vertices, axis=1).max())
    return ShapeProperties(volume, area, center + middle, inertia, moments, axes, radius)


def solid_properties(name: str, half: tuple[float, float, float]) -> ShapeProperties:
    """Those of a sphere, an ellipsoid or a box about its middle, by their closed forms.

    The moments of an ellipsoid are V (b^2 + c^2)/5, those of a box V (b^2 + c^2)/3.

    Args:
        name: `box`, or one of the others.
        half: Half-sizes [m]: radius three times, semi-axes, half the edges.
    """
    from scipy.special import elliprg

    a, b, c = half
    if name == "box":
        volume, share, radius = 8.0 * a * b * c, 3.0, float(np.linalg.norm(half))
        area = 8.0 * (a * b + b * c + c * a)
    else:
        volume, share, radius = 4.0 / 3.0 * np.pi * a * b * c, 5.0, max(half)
        area = 4.0 * np.pi * float(elliprg((a * b) ** 2, (b * c) ** 2, (c * a) ** 2))
    squares = np.square(half)
    inertia = np.diag(volume / share * (squares.sum() - squares))
    moments, axes = _principal(inertia)
    return ShapeProperties(volume, area, np.zeros(3), inertia, moments, axes, radius)


def _principal(inertia: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Moments, ascending, and rows of axes: the last along +z of the mesh on the whole, the first along +x."""
    moments, columns = np.linalg.eigh(inertia)
    rows = columns.T
    z = rows[2] * (1.0 if rows[2][np.argmax(np.abs(rows[2]))] > 0.0 else -1.0)
    x = rows[0] * (1.0 if rows[0][np.argmax(np.abs(rows[0]))] > 0.0 else -1.0)
    return moments, np.array([x, np.cross(z, x), z])


def centered(mesh: MeshData, center: Center) -> MeshData:
    """A closed mesh with its centre of mass at the origin, and its axes of inertia along x, y, z if asked for."""
    if center == "file":
        return mesh
    found = shape_properties(mesh.vertices, mesh.facets)
    moved = mesh.vertices - found.center_of_mass
    if center == "principal":
        moved = moved @ found.axes.T
    return replace(mesh, vertices=np.ascontiguousarray(moved))


def load_shape(
    file: str | Path,
    where: str,
    scale: float = 1.0,
    center: Center = "file",
    hole: float = 0.0,
    *,
    crossed: int = 0,
    is_coarse: bool = False,
) -> MeshData:
    """The closed surface of a body from a mesh file, wound outward but for cavities, or a made one by its name.

    Args:
        file: The mesh, or the name of a made shape, which has its own scale and lies about its own axes.
        where: The key that names it, for messages.
        scale: Metres per unit of the file.
        center: Where origin and axes are put.
        hole: Largest extent [m] of a hole that is left as it is; a larger one is refused.
        crossed: Facets that others may pass through, and that may lie inside; with more the shape is refused.
        is_coarse: Whether few facets are enough, where the shape is a made one.

    Raises:
        InputError: The file is a map, or the mesh is open, one-sided, doubled or nested, encloses nothing, or passes
            through itself.
    """
    from planetfall.world.made_shapes import COARSE, FINE, is_made, made_shape

    if is_made(str(file)):
        return made_shape(str(file), COARSE if is_coarse else FINE)
    found = load_terrain_file(file, mesh=MeshReading(placement=Placement(scale=scale)))
    if not isinstance(found, MeshData):
        raise InputError(where, f"{file} is a map", "a closed mesh of the whole body")
    check_once(found, where)
    outward = oriented(found, "outward")
    check_closed(outward, where, hole)
    return centered(enclosing(found, outward, where, crossed), center)


def check_closed(mesh: MeshData, where: str, hole: float = 0.0) -> None:
    """Refuses a mesh that encloses no volume, or is open by more than holes of the extent `hole` [m]."""
    found = winding(mesh)
    if found.n_boundary_edges:
        largest = _largest_opening(mesh)
        if largest > hole:
            allowed = f"holes of up to {hole:.4g} m here" if hole else "a closed mesh"
            raise InputError(
                where, f"{mesh.source} is open: {found.n_boundary_loops} openings, the largest {largest:.4g} m wide",
                allowed, "close the mesh, or use terrain.model = 'mesh' for an open sheet",
            )  # fmt: skip
    if found.n_reversed_edges:
        raise InputError(
            where, f"{mesh.source}: {found.n_reversed_edges} edges have facets wound against each other",
            "facets wound alike", "repair the mesh",
        )  # fmt: skip
    corners = mesh.vertices[mesh.facets]
    volume = float(np.einsum("fi,fi->f", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum()) / 6.0
    if not volume > 0.0:
        raise InputError(where, f"{mesh.source} encloses a volume of {volume:.4g} m^3", "a positive one", "turn it out")


def _largest_opening(mesh: MeshData) -> float:
    """Largest extent of a connected rim of open edges [m]."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    half = mesh.facets[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    edges, counts = np.unique(np.sort(half, axis=1), axis=0, return_counts=True)
    rims = edges[counts == 1]
    used, local = np.unique(rims, return_inverse=True)
    start, end = local.reshape(-1, 2).T
    graph = coo_array((np.ones(len(start)), (start, end)), shape=(len(used), len(used)))
    n_rims, rim = connected_components(graph, directed=False)
    points = mesh.vertices[used]
    return max(float(np.linalg.norm(np.ptp(points[rim == i], axis=0))) for i in range(n_rims))

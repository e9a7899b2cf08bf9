"""The shape of a whole body: volume, centre of mass and axes of inertia of a closed mesh, and moving it onto them."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from planetfall.world.terrain.readers.meshes.mesh_data import MeshData

Center = Literal["file", "mass", "principal"]
TURNED_DEG = 0.1
"""Angle [deg] between the axes of a file and its principal ones from which on that is told (assumed)."""
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

    @property
    def mean_radius(self) -> float:
        """Radius of the ball of the same volume [m]."""
        return float((3.0 * self.volume / (4.0 * np.pi)) ** (1.0 / 3.0))


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
    moved, remarks, rows = mesh.vertices - found.center_of_mass, mesh.remarks, ()
    if center == "principal":
        moved = moved @ found.axes.T
        remarks, rows = (*remarks, *_turned_note(found)), tuple(tuple(row) for row in found.axes.tolist())
    origin = tuple(found.center_of_mass.tolist())
    vertices = np.ascontiguousarray(moved)
    return replace(mesh, vertices=vertices, remarks=remarks, origin_in_file=origin, axes_in_file=rows)


def axis_text(axis: np.ndarray) -> str:
    """A unit vector for a sentence, in four places."""
    return "[" + ", ".join(f"{along + 0.0:.4f}" for along in np.round(axis, 4)) + "]"


def _turned_note(found: ShapeProperties) -> list[str]:
    """A sentence where places and longitudes of the file are other ones in the principal frame."""
    turned = np.degrees(np.arccos(np.clip(0.5 * (np.trace(found.axes) - 1.0), -1.0, 1.0)))
    if turned < TURNED_DEG:
        return []
    moved = float(np.linalg.norm(found.center_of_mass))
    x, y, z = map(axis_text, found.axes)
    return [
        f"center = 'principal' turns the axes of the file by {turned:.3g} deg and moves its origin by {moved:.3g} m: "
        f"positions and longitudes of a run are those of the turned frame, whose x is {x} in the file, y {y}, z {z} "
        "(ground.axes_in_file in summary.json); 'mass' and 'file' keep the file's axes"
    ]

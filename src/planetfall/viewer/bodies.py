"""What a vehicle looks like: its own shape, or what follows from its contact points and its inertia."""

from typing import Any

import numpy as np
import xarray as xr
from scipy.spatial import ConvexHull, QhullError

from planetfall.scenario.tables.vehicle.shape import VehicleShape
from planetfall.viewer.ground import Triangles
from planetfall.viewer.ground_mesh import clustered

BOX = 0.6
"""Size of the drawn box against that with the vehicle's inertia: mass is rarely spread as in a box (assumed)."""
FLAT = 1e-6
"""Volume over the cube of the size below which points enclose nothing."""
MOST_FACETS = 40_000
"""Facets of one vehicle that a page gets; of more, vertices that lie close together are merged."""


def described_bodies(scenario: Any, data: xr.Dataset) -> list[dict[str, Any]]:
    """Name, contact points [m] and outline of each body, body frame."""
    out = []
    for i, name in enumerate(data.body.values):
        points = data.point_position.values[data.point_body.values == i]
        vehicle = scenario.vehicles[i] if hasattr(scenario, "vehicles") else None
        has_shape = vehicle is not None and vehicle.shape is not None
        hull = None if has_shape else hull_of(points)
        box = None
        if vehicle is not None and hull is None and not has_shape:
            box = inertia_box(np.asarray(vehicle.inertia), vehicle.mass)
        out.append(
            {
                "name": vehicle.name if vehicle is not None else str(name),
                "points": points.tolist(),
                "hull": hull,
                "box": box,
                "has_shape": has_shape,
                "up": list(vehicle.up) if vehicle is not None else [0.0, 0.0, 1.0],
            }
        )
    return out


def shape_arrays(scenario: Any) -> dict[str, np.ndarray]:
    """Vertices [m], body frame, and facets of the bodies that have a shape, by the names that the page looks for."""
    out = {}
    for i, vehicle in enumerate(getattr(scenario, "vehicles", ())):
        if vehicle.shape is not None:
            drawn = shape_triangles(vehicle.shape)
            out[f"body_vertex.{i}"] = drawn.vertices.astype(np.float32)
            out[f"body_facet.{i}"] = drawn.facets.astype(np.uint32)
    return out


def shape_triangles(shape: VehicleShape, most: int = MOST_FACETS) -> Triangles:
    """The surface of a vehicle about its centre of mass, body frame, with at most about `most` facets."""
    solid = shape.solid
    return clustered(solid.vertices - np.asarray(shape.center_of_mass), np.asarray(solid.facets), most)


def hull_of(points: np.ndarray) -> dict[str, Any] | None:
    """Convex hull of points [n, 3] as vertices and facets wound outward; None where they enclose nothing."""
    if len(points) < 4:
        return None
    try:
        hull = ConvexHull(points)
    except QhullError:
        return None
    size = float(np.ptp(points, axis=0).max())
    if hull.volume < FLAT * size**3:
        return None
    facets = hull.simplices.copy()
    middle = points.mean(axis=0)
    for facet in facets:
        a, b, c = points[facet]
        if np.cross(b - a, c - a) @ (a - middle) < 0:
            facet[1], facet[2] = facet[2], facet[1]
    return {"vertices": points.tolist(), "facets": facets.tolist()}


def inertia_box(inertia: np.ndarray, mass: float) -> dict[str, Any]:
    """A box along the axes of inertia, `BOX` times that of uniform density with this inertia [kg m^2] and mass [kg].

    Edges [m] and axes (rows), body frame.
    """
    moments, axes = np.linalg.eigh(inertia)
    squares = 6.0 / mass * (moments.sum() - 2.0 * moments)
    if np.linalg.det(axes) < 0:
        axes[:, 2] = -axes[:, 2]
    return {"edges": (BOX * np.sqrt(np.maximum(squares, 0.0))).tolist(), "axes": axes.T.tolist()}

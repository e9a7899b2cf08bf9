"""What a vehicle looks like: its drawing, its shape, or what follows from its contact points and its inertia."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import xarray as xr

from planetfall.scenario.tables.drawing import DrawnPart
from planetfall.scenario.tables.vehicle.shape import VehicleShape
from planetfall.scenario.tables.vehicle.vehicle import Vehicle
from planetfall.vehicle.drawing import Drawn, drawn_parts, plain
from planetfall.viewer.ground.ground import Triangles
from planetfall.viewer.ground.mesh import clustered

BOX = 0.6
"""Size of the drawn box against that with the vehicle's inertia: mass is rarely spread as in a box (assumed)."""
STRUT = "#3c434c"
"""Colour of struts to contact points."""
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
        has_shape = vehicle is not None and (vehicle.shape is not None or bool(vehicle.drawing))
        hull = None if has_shape else body_hull(points)
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
    """Vertices [m], body frame, facets, and colours of facets of the bodies that have a drawing or a shape.

    By the names that the page looks for; a shape has no colours.
    """
    out = {}
    for i, vehicle in enumerate(getattr(scenario, "vehicles", ())):
        if vehicle.drawing:
            out |= drawing_arrays(vehicle.drawing, i)
        elif vehicle.shape is not None:
            drawn = shape_triangles(vehicle.shape)
            out[f"body_vertex.{i}"] = drawn.vertices.astype(np.float32)
            out[f"body_facet.{i}"] = drawn.facets.astype(np.uint32)
    return out


def body_triangles(vehicle: Vehicle) -> Drawn | None:
    """A vehicle's drawing, shape, or the hull of its contact points, body frame; None where they enclose nothing.

    Of points that all lie below the centre of mass, as feet do, a box about it and struts to them.
    """
    if vehicle.drawing:
        return drawn_parts(vehicle.drawing)
    if vehicle.shape is not None:
        found = shape_triangles(vehicle.shape)
        return plain(found.vertices, found.facets)
    points = np.array([point.position for point in vehicle.points])
    hull = hull_of(points)
    if hull is None:
        return None
    if body_hull(points) is None:
        return _box_on_struts(vehicle, points)
    return plain(np.array(hull["vertices"]), np.array(hull["facets"]))


def body_hull(points: np.ndarray) -> dict[str, Any] | None:
    """The hull of contact points, if the centre of mass is in it; else it is that of feet, and not of a body."""
    hull = hull_of(points)
    if hull is None:
        return None
    corners = np.array(hull["vertices"])[np.array(hull["facets"])]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    is_inside = bool(np.all(np.einsum("fi,fi->f", normals, corners[:, 0]) >= 0.0))
    return hull if is_inside else None


def _box_on_struts(vehicle: Vehicle, points: np.ndarray) -> Drawn:
    """The box with the vehicle's inertia, and a strut to each contact point, as the page draws them."""
    box, size = inertia_box(np.asarray(vehicle.inertia), vehicle.mass), float(np.linalg.norm(points, axis=1).max())
    edges = np.maximum(box["edges"], 0.05 * size)
    body = drawn_parts((DrawnPart(kind="box", position=(0.0, 0.0, 0.0), size=tuple(edges)),))
    turned = body.vertices @ np.array(box["axes"])
    struts = drawn_parts(
        DrawnPart(kind="cylinder", ends=((0.0, 0.0, 0.0), tuple(point)), diameter=0.036 * size, color=STRUT)
        for point in points
        if np.linalg.norm(point) > 0.0
    )
    facets = np.vstack([body.facets, struts.facets + len(turned)])
    return Drawn(np.vstack([turned, struts.vertices]), facets, np.vstack([body.colors, struts.colors]))


def drawing_arrays(parts: Iterable[DrawnPart], body: int) -> dict[str, np.ndarray]:
    """The same of one body with a drawing."""
    drawn = drawn_parts(parts)
    return {
        f"body_vertex.{body}": drawn.vertices.astype(np.float32),
        f"body_facet.{body}": drawn.facets.astype(np.uint32),
        f"body_color.{body}": drawn.colors,
    }


def shape_triangles(shape: VehicleShape, most: int = MOST_FACETS) -> Triangles:
    """The surface of a vehicle about its centre of mass, body frame, with at most about `most` facets."""
    solid = shape.solid
    return clustered(solid.vertices - np.asarray(shape.center_of_mass), np.asarray(solid.facets), most)


def hull_of(points: np.ndarray) -> dict[str, Any] | None:
    """Convex hull of points [n, 3] as vertices and facets wound outward; None where they enclose nothing."""
    if len(points) < 4:
        return None
    from scipy.spatial import ConvexHull, QhullError  # here, or every figure of a run would wait for it

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

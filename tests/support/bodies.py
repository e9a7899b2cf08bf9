"""Closed bodies made by the tests: vertices [m] and facets, counter-clockwise seen from outside."""

import numpy as np
import trimesh

Mesh = tuple[np.ndarray, np.ndarray]


def cube(side: float = 2.0) -> Mesh:
    """A cube about the origin, twelve facets."""
    made = trimesh.creation.box((side, side, side))
    return np.array(made.vertices), np.array(made.faces)


def ball(radius: float = 1.0, subdivisions: int = 3) -> Mesh:
    """A ball about the origin whose vertices lie on the sphere."""
    made = trimesh.creation.icosphere(subdivisions, radius)
    return np.array(made.vertices), np.array(made.faces)


def ellipsoid(semi_axes: tuple[float, float, float], subdivisions: int = 3) -> Mesh:
    """An ellipsoid about the origin."""
    vertices, facets = ball(1.0, subdivisions)
    return vertices * np.array(semi_axes), facets


def duck() -> Mesh:
    """Two lobes joined by a neck, 5 m long, off its own centre of mass: a comet in small, 1280 facets."""
    vertices, facets = ball(1.0, 3)
    x = vertices[:, 0]
    waist = 0.45 + 0.55 * x**2 + 0.12 * x
    shaped = np.column_stack([2.5 * x, waist * vertices[:, 1] * 1.6, waist * vertices[:, 2] * 1.4 + 0.15 * x**2])
    return shaped, facets


def joined(*bodies: Mesh) -> Mesh:
    """Several bodies as one mesh."""
    starts = np.cumsum([0] + [len(vertices) for vertices, _ in bodies])
    facets = [mesh[1] + start for mesh, start in zip(bodies, starts, strict=False)]
    return np.vstack([mesh[0] for mesh in bodies]), np.vstack(facets)

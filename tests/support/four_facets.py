"""The four-facet "plane" of Cordova2014: a middle and four points 2000 m north, east, south and west of it.

All five are equally far from the planet's centre, so on the Earth the rim lies 0.31 m below the tangent plane. The
edges between the facets fall from the middle at 1.6e-4, the facets themselves, to the north-east and so on, at 2.2e-4.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from support.terrain_files import ac3d, ac3d_object, stl_text

Array = np.ndarray
EARTH = 6378137.0
"""Equatorial radius [m]."""
FACETS = np.array([[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4]])
"""Of the points middle, north, east, south, west; counter-clockwise seen from above."""


def site_axes(latitude: float, longitude: float) -> Array:
    """Rotation [3, 3] from L (east, north, up; columns) to P at a place [rad], latitude geocentric."""
    east = np.array([-np.sin(longitude), np.cos(longitude), 0.0])
    up = np.array(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
    )  # fmt: skip
    return np.column_stack([east, np.cross(up, east), up])


def four_facets(radius: float = EARTH, distance: float = 2000.0) -> tuple[Array, Array]:
    """Vertices [5, 3] [m] in L, whose origin is the middle, and facets; `distance` [m] along the ground."""
    angle = distance / radius
    aside, drop = radius * np.sin(angle), -2.0 * radius * np.sin(0.5 * angle) ** 2
    vertices = [[0.0, 0.0, 0.0], [0.0, aside, drop], [aside, 0.0, drop], [0.0, -aside, drop], [-aside, 0.0, drop]]
    return np.array(vertices), FACETS


def planet_fixed(vertices_L: Array, radius: float, latitude: float, longitude: float) -> Array:
    """Vertices [m] of L in P: L's origin lies at the radius [m] over a place [rad]."""
    return (vertices_L + np.array([0.0, 0.0, radius])) @ site_axes(latitude, longitude).T


def write_four_facets(
    path: Path, radius: float = EARTH, distance: float = 2000.0, site: tuple[float, float] | None = None
) -> Path:
    """Writes them as text STL or AC3D, by the ending; in L, or in P where a site (latitude, longitude [rad]) is given.

    Both keep every digit of float64. Of AC3D coordinates nothing is turned: z is up in L.
    """
    vertices, facets = four_facets(radius, distance)
    if site is not None:
        vertices = planet_fixed(vertices, radius, *site)
    writers = {".stl": stl_text, ".ac": lambda v, f: ac3d(ac3d_object(v, f))}
    path.write_text(writers[path.suffix](vertices, facets))
    return path

"""From map units to metres on the ground: the local metric of a coordinate system, for any body and offline.

A map is flat and a body is not. Along an axis of the map, one map unit is so many metres on the reference surface, and
that number depends on the projection and the place: a degree of longitude shrinks with the cosine of the latitude, and
so does a "metre" of a simple cylindrical map whose true parallel is the equator. The readers give distances on the
ground at the site. Points of the reference surface are computed in Cartesian coordinates and differenced there, so the
poles are no special case. The dataset's own geographic system is used throughout, hence no datum is ever changed and no
grid file is needed.
"""

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

# Half step of the difference quotient as an angle [rad], assumed: extrapolated to fourth order, its error and that of
# rounding are both below 1e-11.
_DIFFERENCE_ANGLE = 5e-4
# Scales this close to 1 are 1: the difference is that of the quotient.
_QUOTIENT_ERROR = 1e-10

# Projections whose easting repeats after one turn of longitude.
_CYLINDRICAL = ("Equirectangular", "Plate_Carree", "Mercator", "Cylindrical_Equal_Area", "Miller_Cylindrical")


@dataclass(frozen=True)
class GroundMetric:
    """The reference surface at a point of a map.

    Attributes:
        per_map_x: Metres on the ground per map unit of easting.
        per_map_y: Metres on the ground per map unit of northing.
        skew: Angle between the two map axes on the ground, less a right angle [rad].
        convergence: Azimuth of the map's y axis, clockwise from true north [rad].
        latitude: Latitude [rad].
        longitude: East longitude in (-pi, pi] [rad].
        radius: Equatorial radius of the body [m].
    """

    per_map_x: float
    per_map_y: float
    skew: float
    convergence: float
    latitude: float
    longitude: float
    radius: float


def geographic_wkt(wkt: str) -> str | None:
    """The geographic coordinate system inside a WKT 1 text, or None."""
    start = wkt.find("GEOGCS[")
    if start < 0:
        return None
    depth, is_quoted = 0, False
    for i, letter in enumerate(wkt[start:], start):
        if letter == '"':
            is_quoted = not is_quoted
        elif not is_quoted and letter in "[]":
            depth += 1 if letter == "[" else -1
            if depth == 0:
                return wkt[start : i + 1]
    return None


def ellipsoid(wkt: str) -> tuple[float, float] | None:
    """Equatorial radius [m] and flattening of the body of a WKT 1 text, or None."""
    found = re.search(r'SPHEROID\["[^"]*",\s*([0-9.eE+]+),\s*([0-9.eE+]+)', wkt)
    if found is None:
        return None
    try:
        radius, inverse_flattening = float(found[1]), float(found[2])
    except ValueError:
        return None
    if not (1.0 < radius < 1e9):
        return None
    return radius, 0.0 if inverse_flattening <= 1.0 else 1.0 / inverse_flattening


def surface_point(latitude: np.ndarray, longitude: np.ndarray, radius: float, flattening: float) -> np.ndarray:
    """Points of the reference ellipsoid [m], body-fixed frame, shape [..., 3], from angles [rad]."""
    eccentricity2 = flattening * (2.0 - flattening)
    curvature = radius / np.sqrt(1.0 - eccentricity2 * np.sin(latitude) ** 2)
    return np.stack(
        [
            curvature * np.cos(latitude) * np.cos(longitude),
            curvature * np.cos(latitude) * np.sin(longitude),
            curvature * (1.0 - eccentricity2) * np.sin(latitude),
        ],
        axis=-1,
    )


def _derivative(points: np.ndarray, step: float) -> np.ndarray:
    """Derivative along an axis from the points at +1, -1, +2 and -2 steps (Richardson's extrapolation)."""
    return (8.0 * (points[0] - points[1]) - (points[2] - points[3])) / (12.0 * step)


def _transformed(source: Any, target: Any, x: list[float], y: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Points in another coordinate system (longitude or easting first); NaN where they have no place in it."""
    from rasterio.warp import transform

    try:
        across, along = transform(source, target, x, y)[:2]
    except Exception:
        # PROJ's errors have no common base; each means that the points cannot be transformed.
        return np.full(len(x), np.nan), np.full(len(x), np.nan)
    found = np.array([across, along], dtype=np.float64)
    found[:, ~np.isfinite(found).all(axis=0)] = np.nan
    return found[0], found[1]


class MapSystem:
    """A file's coordinate system, with the one transformation that the readers need.

    Args:
        crs: Coordinate system as rasterio gives it.
    """

    def __init__(self, crs: Any) -> None:
        """Find the geographic system and the body inside the coordinate system."""
        from rasterio.crs import CRS

        self.crs = crs
        self.wkt: str = crs.to_wkt()
        inner, body = geographic_wkt(self.wkt), ellipsoid(self.wkt)
        self.is_geographic = bool(crs.is_geographic)
        self.geographic = CRS.from_wkt(inner) if inner is not None and body is not None else None
        self.radius, self.flattening = body if body is not None else (math.nan, 0.0)

    @property
    def metres_per_unit(self) -> float:
        """Length of a map unit as the coordinate system states it [m]; 1 where it states none."""
        return float(self.crs.linear_units_factor[1]) if self.crs.is_projected else 1.0

    def to_angles(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Latitude and longitude [rad] of map points."""
        if self.is_geographic:
            return np.radians(y), np.radians(x)
        longitude, latitude = _transformed(self.crs, self.geographic, x.tolist(), y.tolist())
        return np.radians(latitude), np.radians(longitude)

    def map_points(self, latitude_deg: float, longitude_deg: float) -> list[tuple[float, float]]:
        """Map points of a site, the likeliest first; more than one where the map repeats after a full turn."""
        if self.is_geographic:
            return [(longitude_deg + turn, latitude_deg) for turn in (0.0, -360.0, 360.0)]
        near = [longitude_deg, longitude_deg - 0.5, longitude_deg + 0.5]
        xs, ys = _transformed(self.geographic, self.crs, near, [latitude_deg] * 3)
        points = [(float(xs[0]), float(ys[0]))]
        if any(f'PROJECTION["{name}' in self.wkt for name in _CYLINDRICAL):
            # One of the two half degrees may cross the seam of the map; the shorter step is the true one.
            turn = 360.0 * min(abs(xs[0] - xs[1]), abs(xs[2] - xs[0])) / 0.5
            points += [(float(xs[0] + sign * turn), float(ys[0])) for sign in (1.0, -1.0)]
        return [point for point in points if all(map(math.isfinite, point))]

    def metric(self, x: float, y: float) -> GroundMetric | None:
        """The ground under a map point, or None where the map has no meaning there."""
        if self.geographic is None:
            return None
        metres = self.radius * _DIFFERENCE_ANGLE
        step = math.degrees(_DIFFERENCE_ANGLE) if self.is_geographic else metres / self.metres_per_unit
        arms, still = np.array([1.0, -1.0, 2.0, -2.0]), np.zeros(4)
        across, along = np.concatenate([[0.0], arms, still]), np.concatenate([[0.0], still, arms])
        latitude, longitude = self.to_angles(x + step * across, y + step * along)
        if not (np.isfinite(latitude).all() and np.isfinite(longitude).all()):
            return None
        if abs(latitude[0]) > math.pi / 2.0 + 1e-9:
            return None
        points = surface_point(latitude, longitude, self.radius, self.flattening)
        east_map, north_map = _derivative(points[1:5], step), _derivative(points[5:9], step)
        length_x, length_y = float(np.linalg.norm(east_map)), float(np.linalg.norm(north_map))
        if length_x < 1e-9 or length_y < 1e-9:
            return None
        unit = 1.0 if self.is_geographic else self.metres_per_unit
        lat, lon = float(latitude[0]), float(longitude[0])
        east = np.array([-math.sin(lon), math.cos(lon), 0.0])
        north = np.array([-math.sin(lat) * math.cos(lon), -math.sin(lat) * math.sin(lon), math.cos(lat)])
        return GroundMetric(
            unit if abs(length_x / unit - 1.0) < _QUOTIENT_ERROR else length_x,
            unit if abs(length_y / unit - 1.0) < _QUOTIENT_ERROR else length_y,
            math.acos(max(-1.0, min(1.0, float(east_map @ north_map) / (length_x * length_y)))) - math.pi / 2.0,
            math.atan2(float(north_map @ east), float(north_map @ north)),
            lat,
            math.remainder(lon, 2.0 * math.pi),
            self.radius,
        )

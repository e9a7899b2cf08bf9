"""Places on an ellipsoid of revolution, on the host: geodetic and planetocentric latitude, heights, local axes.

Planet-fixed axes P: z along the axis of rotation, x through longitude zero. Angles in radians, longitudes east.
Functions take one place or many: vectors have the shape [..., 3].
"""

from dataclasses import dataclass

import numpy as np

ROUNDS = 8
"""Of the fixed point for the geodetic latitude: three do for the Earth, eight for a flattening of 0.3."""


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid of revolution about the axis of rotation.

    Attributes:
        radius: Equatorial semi-axis a [m].
        flattening: f = (a - b)/a [-]; 0 is a sphere.
    """

    radius: float
    flattening: float = 0.0

    @property
    def polar_radius(self) -> float:
        """Polar semi-axis b [m]."""
        return self.radius * (1.0 - self.flattening)

    @property
    def eccentricity_squared(self) -> float:
        """e^2 = f (2 - f) [-]."""
        return self.flattening * (2.0 - self.flattening)

    def prime_vertical(self, latitude: np.ndarray | float) -> np.ndarray:
        """Radius of curvature N [m] across the meridian, at a geodetic latitude."""
        return self.radius / np.sqrt(1.0 - self.eccentricity_squared * np.sin(latitude) ** 2)

    def position(
        self, latitude: np.ndarray | float, longitude: np.ndarray | float, height: np.ndarray | float
    ) -> np.ndarray:
        """Planet-fixed position [..., 3] [m] of a geodetic latitude, longitude and height over the ellipsoid [m]."""
        across = self.prime_vertical(latitude)
        p = (across + height) * np.cos(latitude)
        z = (across * (1.0 - self.eccentricity_squared) + height) * np.sin(latitude)
        return np.stack(np.broadcast_arrays(p * np.cos(longitude), p * np.sin(longitude), z), axis=-1)

    def geodetic(self, position_P: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Geodetic latitude, longitude, and height over the ellipsoid [m], of planet-fixed positions [..., 3] [m].

        Bowring's fixed point on the parametric latitude, kept as sine and cosine so that poles are places like others.
        """
        x, y, z = np.moveaxis(np.asarray(position_P, dtype=float), -1, 0)
        p, e2 = np.hypot(x, y), self.eccentricity_squared
        a, b = self.radius, self.polar_radius
        up_z, up_p = z * a, p * b  # of the parametric latitude, but for a factor
        rise, out = z, p
        for _ in range(ROUNDS):
            scale = np.hypot(up_z, up_p)
            sine, cosine = up_z / scale, up_p / scale
            rise, out = z + e2 / (1.0 - e2) * b * sine**3, p - e2 * a * cosine**3
            up_z, up_p = rise * (1.0 - self.flattening), out
        length = np.hypot(rise, out)
        sine, cosine = rise / length, out / length
        height = p * cosine + z * sine - a * np.sqrt(1.0 - e2 * sine**2)
        return np.arctan2(sine, cosine), np.arctan2(y, x), height

    def planetocentric(self, latitude: np.ndarray | float, height: np.ndarray | float = 0.0) -> np.ndarray:
        """Planetocentric latitude of a place at a geodetic latitude and height [m]."""
        x, _, z = np.moveaxis(self.position(latitude, 0.0, height), -1, 0)
        return np.arctan2(z, x)

    def geodetic_latitude(self, planetocentric: np.ndarray | float, height: np.ndarray | float = 0.0) -> np.ndarray:
        """Geodetic latitude of the place at a planetocentric latitude and a height over the ellipsoid [m]."""
        sine, cosine = np.sin(planetocentric), np.cos(planetocentric)
        latitude = np.arctan2(sine, (1.0 - self.eccentricity_squared) * cosine)
        for _ in range(ROUNDS):
            across = self.prime_vertical(latitude)
            latitude = np.arctan2(
                (across + height) * sine, (across * (1.0 - self.eccentricity_squared) + height) * cosine
            )
        return latitude

    def height_at_radius(self, latitude: float, radius: float) -> float:
        """Height over the ellipsoid [m] at a geodetic latitude and a distance from the centre [m]."""
        foot, up = self.position(latitude, 0.0, 0.0), level_axes(latitude, 0.0)[2]
        along = float(foot @ up)
        return float(np.sqrt(along**2 + radius**2 - foot @ foot) - along)

    def radius_at(self, planetocentric: np.ndarray | float) -> np.ndarray:
        """Distance [m] of the ellipsoid from the centre at a planetocentric latitude."""
        squeezed = np.hypot(np.cos(planetocentric), np.sin(planetocentric) / (1.0 - self.flattening))
        return self.radius / squeezed


def radial_position(latitude: float, longitude: float, radius: float) -> np.ndarray:
    """Planet-fixed position (3,) [m] at a planetocentric latitude, longitude and distance from the centre [m]."""
    return radius * level_axes(latitude, longitude)[2]


def level_axes(latitude: float, longitude: float) -> np.ndarray:
    """Rows east, north, up of the level frame of a latitude and longitude, in planet-fixed components.

    Of a geodetic latitude up is the ellipsoid's normal, of a planetocentric one it points away from the centre.
    """
    (sin_lat, cos_lat), (sin_lon, cos_lon) = ((np.sin(angle), np.cos(angle)) for angle in (latitude, longitude))
    return np.array(
        [
            [-sin_lon, cos_lon, 0.0],
            [-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat],
            [cos_lat * cos_lon, cos_lat * sin_lon, sin_lat],
        ]
    )

"""Starts over a turning planet by spherical trigonometry and the sides of triangles: no rotation matrix in it."""

import math


def inertial_of_relative(
    radius: float, latitude: float, speed: float, path: float, azimuth: float, spin: float
) -> tuple[float, float, float]:
    """Inertial speed [m/s], flight-path angle and azimuth [rad] of a velocity relative to the turning planet.

    At a planetocentric latitude [rad] and distance [m]: the planet carries the place eastward at spin r cos(latitude).
    """
    east = speed * math.cos(path) * math.sin(azimuth) + spin * radius * math.cos(latitude)
    north = speed * math.cos(path) * math.cos(azimuth)
    up = speed * math.sin(path)
    total = math.sqrt(east * east + north * north + up * up)
    return total, math.asin(up / total), math.atan2(east, north)


def position(radius: float, latitude: float, longitude: float) -> tuple[float, float, float]:
    """Planet-fixed x, y, z [m] of a distance from the centre, planetocentric latitude and longitude [rad]."""
    across = radius * math.cos(latitude)
    return across * math.cos(longitude), across * math.sin(longitude), radius * math.sin(latitude)


def radial_rate(speed: float, path: float) -> float:
    """dr/dt [m/s] of a velocity with an angle over the planetocentric horizon."""
    return speed * math.sin(path)

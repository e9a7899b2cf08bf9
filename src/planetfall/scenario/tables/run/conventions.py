"""A position and a velocity over a planet in every convention: each mix-up of two of them is a classical mistake."""

from dataclasses import dataclass

import numpy as np

from planetfall.scenario.tables.world.geodesy import level_axes
from planetfall.scenario.tables.world.target import Target


@dataclass(frozen=True)
class FlightState:
    """Where a vehicle is over a planet, and how it moves. Angles in degrees, longitudes east, azimuths from north.

    Attributes:
        radius_m: Distance from the planet's centre.
        height_over_ellipsoid_m: Along the ellipsoid's normal.
        height_over_sphere_m: Over the sphere of `target.radius`.
        height_over_ground_m: Over the map straight below; None where there is none.
        latitude_geodetic_deg: Between the ellipsoid's normal and the equator.
        latitude_planetocentric_deg: Between the line from the centre and the equator.
        longitude_deg: East, -180 to 180.
        speed_relative_m_s: Relative to the turning planet.
        flight_path_relative_deg: Of that velocity over the planetocentric horizon.
        azimuth_relative_deg: Of that velocity.
        flight_path_geodetic_deg: Of that velocity over the geodetic horizon.
        azimuth_geodetic_deg: Of that velocity about the geodetic vertical.
        speed_inertial_m_s: Relative to axes that do not turn.
        flight_path_inertial_deg: Of that velocity over the planetocentric horizon.
        azimuth_inertial_deg: Of that velocity.
        distance_to_site_m: To the origin of L along a great circle of the sphere through it, as `miss_m` of a run; None
            in frame P.
    """

    radius_m: float
    height_over_ellipsoid_m: float
    height_over_sphere_m: float
    height_over_ground_m: float | None
    latitude_geodetic_deg: float
    latitude_planetocentric_deg: float
    longitude_deg: float
    speed_relative_m_s: float
    flight_path_relative_deg: float
    azimuth_relative_deg: float
    flight_path_geodetic_deg: float
    azimuth_geodetic_deg: float
    speed_inertial_m_s: float
    flight_path_inertial_deg: float
    azimuth_inertial_deg: float
    distance_to_site_m: float | None


def flight_state(
    position_S: np.ndarray, velocity_S: np.ndarray, target: Target, height_over_ground: float | None = None
) -> FlightState | None:
    """A position [m] and velocity [m/s] of the surface frame in every convention.

    None where the target has no radius, or nothing says where the surface frame lies on it.
    """
    R_SP = target.R_SP
    if R_SP is None or target.radius == 0.0:
        return None
    position_P = R_SP.T @ (np.asarray(position_S) - target.center_S)
    relative = R_SP.T @ np.asarray(velocity_S)
    inertial = relative + np.cross([0.0, 0.0, target.spin_rate], position_P)
    radius = float(np.linalg.norm(position_P))
    geodetic, longitude, height = (float(number) for number in target.ellipsoid.geodetic(position_P))
    centric = float(np.arctan2(position_P[2], np.hypot(*position_P[:2])))
    return FlightState(
        radius, height, radius - target.radius, height_over_ground,
        float(np.degrees(geodetic)), float(np.degrees(centric)), float(np.degrees(longitude)),
        float(np.linalg.norm(relative)), *_angles(relative, level_axes(centric, longitude)),
        *_angles(relative, level_axes(geodetic, longitude)),
        float(np.linalg.norm(inertial)), *_angles(inertial, level_axes(centric, longitude)),
        None if target.site is None else _distance(position_P, -R_SP.T @ target.center_S),
    )  # fmt: skip


def _angles(velocity: np.ndarray, level: np.ndarray) -> tuple[float, float]:
    """Flight-path angle and azimuth (0 to 360) [deg] of a velocity over level axes (rows east, north, up)."""
    east, north, up = level @ velocity
    across = float(np.hypot(east, north))
    azimuth = float(np.degrees(np.arctan2(east, north))) % 360.0
    return float(np.degrees(np.arctan2(up, across))) + 0.0, azimuth if across > 0.0 else 0.0


def _distance(position_P: np.ndarray, site_P: np.ndarray) -> float:
    angle = np.arctan2(np.linalg.norm(np.cross(position_P, site_P)), position_P @ site_P)
    return float(np.linalg.norm(site_P) * angle)

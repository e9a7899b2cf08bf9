"""From `[initial]` to a state: places and velocities over a turning planet, in the frame of the landing site.

Everything is worked out in planet-fixed axes P and then taken to the surface frame S by `target.R_SP`. The angles of a
velocity are measured in the horizontal plane of the place: across the line from the planet's centre (planetocentric, as
entry states are given) or across the ellipsoid's normal (geodetic).
"""

import numpy as np

from planetfall.scenario.tables.run.attitude import (
    quaternion_from_matrix,
    quaternion_product,
    rotation_matrix,
)
from planetfall.scenario.tables.run.initial import Initial
from planetfall.scenario.tables.world.geodesy import Ellipsoid, level_axes, radial_position
from planetfall.scenario.tables.world.target import Target


def start_state(start: Initial, target: Target) -> np.ndarray:
    """Position, velocity, quaternion, angular velocity (13,) at time zero, surface frame.

    Before it is lifted: by `height`, or by `altitude` where that is over the ground.
    """
    position, velocity = np.asarray(start.position), np.asarray(start.velocity)
    if start.release is not None:
        position = np.asarray(start.release.position)
        velocity = start.release.start_velocity(target.omega, target.center_S)
    if start.is_placed:
        position_P = placed(start, target.ellipsoid)
        R_SP = _axes(target)
        position = R_SP @ position_P + target.center_S
        velocity = R_SP @ _velocity(start, target, position_P)
    quaternion = start_attitude(start, target)
    rate = np.asarray(start.angular_velocity)
    if start.angular_velocity_relative_to == "inertial":
        rate = rate - rotation_matrix(quaternion).T @ target.omega
    return np.concatenate([position, velocity, quaternion, rate])


def start_attitude(start: Initial, target: Target) -> np.ndarray:
    """Unit quaternion x y z w from body to surface frame; angles and a level start are those of the place."""
    given = start.quaternion
    if start.attitude is not None or not start.is_placed:
        return given
    latitude, longitude, _ = target.ellipsoid.geodetic(placed(start, target.ellipsoid))
    return quaternion_product(
        quaternion_from_matrix(_axes(target) @ level_axes(float(latitude), float(longitude)).T), given
    )


def placed(start: Initial, shape: Ellipsoid) -> np.ndarray:
    """Planet-fixed position (3,) [m]; on the ellipsoid where the altitude is over the ground."""
    assert start.latitude_deg is not None and start.longitude_deg is not None
    latitude, longitude = np.radians(start.latitude_deg), np.radians(start.longitude_deg)
    is_geodetic = start.latitude_kind == "geodetic"
    if start.radius is None and start.altitude_over != "sphere":
        height = 0.0 if start.altitude_over == "ground" else float(start.altitude or 0.0)
        return shape.position(latitude if is_geodetic else shape.geodetic_latitude(latitude, height), longitude, height)
    radius = start.radius if start.radius is not None else shape.radius + float(start.altitude or 0.0)
    if is_geodetic:
        return shape.position(latitude, longitude, shape.height_at_radius(latitude, radius))
    return radial_position(float(latitude), float(longitude), radius)


def _velocity(start: Initial, target: Target, position_P: np.ndarray) -> np.ndarray:
    """Velocity [m/s] relative to the planet, planet-fixed components."""
    if not start.speed:
        return np.zeros(3) if start.relative_to == "planet" else -_carried(target, position_P)
    latitude, longitude, _ = target.ellipsoid.geodetic(position_P)
    if start.horizon == "planetocentric":
        latitude = np.arctan2(position_P[2], np.hypot(*position_P[:2]))
    east, north, up = level_axes(float(latitude), float(longitude))
    path, azimuth = np.radians(start.flight_path_deg or 0.0), np.radians(start.azimuth_deg or 0.0)
    along = np.cos(path) * (np.sin(azimuth) * east + np.cos(azimuth) * north) + np.sin(path) * up
    given = start.speed * along
    return given if start.relative_to == "planet" else given - _carried(target, position_P)


def _carried(target: Target, position_P: np.ndarray) -> np.ndarray:
    """Velocity [m/s] with which the turning planet carries a place along, planet-fixed components."""
    return np.cross([0.0, 0.0, target.spin_rate], position_P)


def _axes(target: Target) -> np.ndarray:
    R_SP = target.R_SP
    assert R_SP is not None
    return R_SP

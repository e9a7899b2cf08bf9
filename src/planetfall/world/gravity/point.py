"""Point-mass gravity."""

import warp as wp

from planetfall.world.gravity.model import GravityModel


@wp.struct
class PointParams:
    """Point mass: gravitational parameter `gm` [m^3/s^2] at `center` [m], surface frame."""

    center: wp.vec3d
    gm: wp.float64


@wp.func
def point_acceleration(field: PointParams, position: wp.vec3d) -> wp.vec3d:
    """Acceleration [m/s^2] at a position [m] of the surface frame."""
    r = position - field.center
    r2 = wp.dot(r, r)
    return r * (-wp.float64(field.gm) / (r2 * wp.sqrt(r2)))


@wp.func
def point_potential(field: PointParams, position: wp.vec3d) -> wp.float64:
    """Potential [m^2/s^2], zero at infinity."""
    return -wp.float64(field.gm) / wp.length(position - field.center)


GRAVITY_POINT = GravityModel("point", PointParams, point_acceleration, point_potential)

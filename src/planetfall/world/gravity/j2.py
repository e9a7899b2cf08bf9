"""Point mass with the zonal harmonic J2 (oblateness) about an arbitrary axis.

U = -(gm/r) [1 - J2 (R/r)^2 (3 s^2 - 1)/2], with s the sine of the latitude about `axis`; the acceleration is -grad U.
"""

import warp as wp

from planetfall.world.gravity.model import GravityModel


@wp.struct
class J2Params:
    """Oblate field about `center` [m]: `gm` [m^3/s^2], `j2` [-], reference `radius` [m], unit `axis` of symmetry."""

    center: wp.vec3d
    gm: wp.float64
    j2: wp.float64
    radius: wp.float64
    axis: wp.vec3d


@wp.func
def j2_acceleration(field: J2Params, position: wp.vec3d) -> wp.vec3d:
    """Acceleration [m/s^2] at a position [m] of the surface frame."""
    r = position - field.center
    r2 = wp.dot(r, r)
    length = wp.sqrt(r2)
    s = wp.dot(r, field.axis) / length
    gm, radius = wp.float64(field.gm), wp.float64(field.radius)
    central = gm / (r2 * length)
    oblate = wp.float64(1.5) * wp.float64(field.j2) * gm * radius * radius / (r2 * r2)
    along_r = oblate * (wp.float64(5.0) * s * s - wp.float64(1.0)) / length - central
    return r * along_r - field.axis * (wp.float64(2.0) * oblate * s)


@wp.func
def j2_potential(field: J2Params, position: wp.vec3d) -> wp.float64:
    """Potential [m^2/s^2], zero at infinity."""
    r = position - field.center
    length = wp.length(r)
    s = wp.dot(r, field.axis) / length
    ratio = wp.float64(field.radius) / length
    zonal = wp.float64(field.j2) * ratio * ratio * wp.float64(0.5) * (wp.float64(3.0) * s * s - wp.float64(1.0))
    return -wp.float64(field.gm) / length * (wp.float64(1.0) - zonal)


GRAVITY_J2 = GravityModel("j2", J2Params, j2_acceleration, j2_potential)

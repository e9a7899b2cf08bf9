"""Uniform gravity, the field of the MSL test case (Raiszadeh2012, Table 1)."""

import warp as wp

from planetfall.world.gravity.model import GravityModel


@wp.struct
class UniformParams:
    """Uniform field: `acceleration` [m/s^2] in surface-frame components."""

    acceleration: wp.vec3d


@wp.func
def uniform_acceleration(field: UniformParams, position: wp.vec3d) -> wp.vec3d:
    """Acceleration [m/s^2]; the same everywhere."""
    return field.acceleration


@wp.func
def uniform_potential(field: UniformParams, position: wp.vec3d) -> wp.float64:
    """Potential [m^2/s^2], zero at the origin of the surface frame."""
    return -wp.dot(field.acceleration, position)


GRAVITY_UNIFORM = GravityModel("uniform", UniformParams, uniform_acceleration, uniform_potential)

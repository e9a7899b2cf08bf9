"""The state of one rigid body, as forces and contact laws see it."""

import warp as wp

from planetfall.compute.fused import fma, minus
from planetfall.vehicle.mass import MassProperties


@wp.struct
class BodyState:
    """A rigid body in the surface frame S, which may rotate.

    `position` [m] and `velocity` [m/s] of the centre of mass, relative to S, in S; `R_SB` takes body components to S;
    `omega_B` [rad/s] angular velocity relative to S, in body components; `stored_B` [N m s] angular momentum that its
    flywheels hold beside it, in body components; `arm_angle` [rad] and `arm_speed` [rad/s] of its eccentric arm;
    `attached`: bits of the vehicles that are fixed to others now, of those that something counts by.
    """

    position: wp.vec3d
    velocity: wp.vec3d
    R_SB: wp.mat33d
    omega_B: wp.vec3d
    stored_B: wp.vec3d
    arm_angle: wp.float64
    arm_speed: wp.float64
    attached: wp.int32


@wp.func
def counts_with(attached: wp.int32, on: wp.int32, off: wp.int32) -> bool:
    """Whether something counts while some vehicles are `attached`: with all of `on` among them, and none of `off`."""
    return (attached & on) == on and (attached & off) == wp.int32(0)


@wp.struct
class AppliedForces:
    """The forces on a body off the ground, and how it would move by them.

    `acceleration` [m/s^2] of the centre of mass, surface frame, and `gravity` [m/s^2] in it; `torque_B` [N m] about the
    reference point, in body components; `power` [W] of engines and motors. Of bodies whose centre of mass moves in
    them: `force_B` [N], all but gravity and ground, in body components; `motor` [N m] on the arm.
    """

    acceleration: wp.vec3d
    gravity: wp.vec3d
    torque_B: wp.vec3d
    power: wp.float64
    force_B: wp.vec3d
    motor: wp.float64


@wp.struct
class AppliedForcesAndMass:
    """The same with the mass `properties` that are left, for laws that ask how a body yields to a push."""

    acceleration: wp.vec3d
    gravity: wp.vec3d
    torque_B: wp.vec3d
    power: wp.float64
    force_B: wp.vec3d
    motor: wp.float64
    properties: MassProperties


@wp.struct
class Wrench:
    """`force` [N] in surface components, `torque_B` [N m] about the centre of mass in body components."""

    force: wp.vec3d
    torque_B: wp.vec3d


@wp.func
def rotation(q: wp.quatd) -> wp.mat33d:
    """Rotation matrix of a unit quaternion (x, y, z, w).

    In the stages of a step q is not quite of unit length; of the formulas that agree for unit q this is the one that
    still turns with the scene, R(pq) = R(p) R(q), so that no direction of space is preferred.
    """
    two = wp.float64(2.0)
    xx = q[0] * q[0]
    yy = q[1] * q[1]
    zz = q[2] * q[2]
    ww = q[3] * q[3]
    xy = two * q[0] * q[1]
    xz = two * q[0] * q[2]
    yz = two * q[1] * q[2]
    wx = two * q[3] * q[0]
    wy = two * q[3] * q[1]
    wz = two * q[3] * q[2]
    # fmt: off
    return wp.mat33d(
        ww + xx - yy - zz, xy - wz, xz + wy,
        xy + wz, ww - xx + yy - zz, yz - wx,
        xz - wy, yz + wx, ww - xx - yy + zz,
    )
    # fmt: on


@wp.func
def turning_quaternion(q: wp.vec4d, half: wp.vec3d) -> wp.vec4d:
    """The product q (half, 0) of quaternions x y z w, without the products with zero."""
    return wp.vec4d(
        fma(q[3], half[0], fma(q[1], half[2], minus(q[2] * half[1]))),
        fma(q[3], half[1], fma(q[2], half[0], minus(q[0] * half[2]))),
        fma(q[3], half[2], fma(q[0], half[1], minus(q[1] * half[0]))),
        minus(fma(q[0], half[0], fma(q[1], half[1], q[2] * half[2]))),
    )

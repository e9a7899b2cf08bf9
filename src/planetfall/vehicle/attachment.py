"""Vehicles that start fixed to another: where they are on it, and how they leave.

While it is attached, a vehicle is part of its carrier: with r its place on the carrier and C its turn,

    x = x_c + R_c r,  v = v_c + R_c (omega_c x r),  R = R_c C,  omega = C^T omega_c

and the carrier moves with the mass and inertia of both. At the release nothing jumps but what springs add: an impulse J
between the centre of mass of what leaves and the place r of what stays (mass M, inertia I about its centre, d from
there to r), which gives them the velocity u relative to each other and the energy J.u/2:

    ((1/m + 1/M) 1 - [d] I^-1 [d]) J = u
"""

import warp as wp

from planetfall.vehicle.body import BodyState
from planetfall.vehicle.flight_triggers import TriggerNumbers
from planetfall.vehicle.mass import MassProperties

ATTACHMENT_SIZE = 6
"""Numbers in the state of each vehicle that starts attached."""
IS_ATTACHED, RELEASED_AT = 0, 1
"""The first of them: 1 while it is attached, and the instant of its release [s]."""


@wp.struct
class AttachmentParams:
    """Arrays [attached vehicle], in the order of the bodies.

    `body` and `carrier`: indices; `place_B` r [m] and `turn` C, a `quaternion` too, in the carrier's body frame;
    `mass` [kg]; `spread` [m^2]: its inertia about the carrier's reference point, in the carrier's axes, over its mass;
    `carrier_mass` [kg] and `carrier_inertia` [kg m^2], of the carrier alone;
    `springs` u [m/s], carrier's axes; `releases`: its trigger; `reach` [m]: the distance of its farthest contact point
    and that of the carrier's, together.
    """

    body: wp.array(dtype=wp.int32)
    carrier: wp.array(dtype=wp.int32)
    place_B: wp.array(dtype=wp.vec3d)
    turn: wp.array(dtype=wp.mat33d)
    quaternion: wp.array(dtype=wp.quatd)
    mass: wp.array(dtype=wp.float64)
    spread: wp.array(dtype=wp.mat33d)
    carrier_mass: wp.array(dtype=wp.float64)
    carrier_inertia: wp.array(dtype=wp.mat33d)
    springs: wp.array(dtype=wp.vec3d)
    releases: wp.array(dtype=TriggerNumbers)
    reach: wp.array(dtype=wp.float64)


@wp.func
def carried_state(carrier: BodyState, place_B: wp.vec3d, turn: wp.mat33d) -> BodyState:
    """Where a vehicle is, and how it moves, that is fixed to another."""
    out = carrier
    out.position = carrier.position + carrier.R_SB * place_B
    out.velocity = carrier.velocity + carrier.R_SB * wp.cross(carrier.omega_B, place_B)
    out.R_SB = carrier.R_SB * turn
    out.omega_B = wp.transpose(turn) * carrier.omega_B
    return out


@wp.func
def carried_acceleration(carrier: BodyState, acceleration: wp.vec3d, turning: wp.vec3d, place_B: wp.vec3d) -> wp.vec3d:
    """Acceleration [m/s^2], surface frame, of a place on a carrier whose reference point has one and which turns."""
    w = carrier.omega_B
    return acceleration + carrier.R_SB * (wp.cross(turning, place_B) + wp.cross(w, wp.cross(w, place_B)))


@wp.struct
class SpringPush:
    """What springs do, in the carrier's axes.

    `impulse` [N s] on what leaves; of what stays the `change` of the velocity [m/s] of its centre of mass, and its
    `turning`, the change of its angular velocity [rad/s].
    """

    impulse: wp.vec3d
    change: wp.vec3d
    turning: wp.vec3d


@wp.func
def spring_push(velocity: wp.vec3d, mass: wp.float64, rest: MassProperties, place_B: wp.vec3d) -> SpringPush:
    """Springs that push a mass [kg] at a place [m] off the rest with a velocity [m/s] relative to it."""
    d = wp.skew(place_B - rest.center_B)
    inverse = wp.inverse(rest.inertia)
    one = wp.float64(1.0)
    give = wp.identity(n=3, dtype=wp.float64) * (one / mass + one / rest.mass) - d * inverse * d
    out = SpringPush()
    out.impulse = wp.inverse(give) * velocity
    out.change = out.impulse * (-one / rest.mass)
    out.turning = inverse * (d * out.impulse) * (-one)
    return out

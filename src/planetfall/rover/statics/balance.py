"""Quasi-static balance: body equations (8)-(11) of Hacot1998 completed by pitch, planar (12)-(15) per side.

Components along the leaning axes: x forward (horizontal), y left along the axles, z up in the wheels' planes. At wheel
i the ground gives N_i towards the centre and T_i along the rim, both in the wheel's plane, and a lateral force. Those
of Hacot1998 are alike on all six wheels; here they are in proportion to the loads (`wheel_loads.lateral_forces`). Per
side, with contacts p_i from the differential's axis and the bogie's pivot B:

    sum (N n + T t)_z = F_z                          (13)
    sum over bogie (p - B) x (N n + T t) = 0         (15)
    sum p x (N n + T t) + M_y = 0                    (14)

F_z of each side comes from lift and roll of the body, M_y is half of its pitching moment (differential). The forward
force of a side, sum (N n + T t)_x, is free when torques are commanded: what is left of thrust and yaw is reported.
"""

import warp as wp

from planetfall.rover.kinematics.stance import Stance
from planetfall.rover.params import LinkParams, Posture, pivot_at, vec6d, wheel_at


@wp.struct
class BodyParams:
    """What the body carries.

    `weight` [N]; `center` [m] of mass, `tip` [m] of the manipulator, both body frame from the middle of the
    differential's axis; `tip_force` [N], body frame.
    """

    weight: wp.float64
    center: wp.vec3d
    tip: wp.vec3d
    tip_force: wp.vec3d


@wp.struct
class BodyLoad:
    """Resultant on the body, along the leaning axes.

    `force` [N]; `moment` [N m] about the middle of the differential's axis; `center` of mass [m] from there.
    """

    force: wp.vec3d
    moment: wp.vec3d
    center: wp.vec3d


@wp.struct
class Contacts:
    """The six contacts, leaning axes, from the middle of the differential's axis.

    `x`, `y`, `z` [m]; `sine`, `cosine` of the contact angle, positive ahead of the lowest point.
    """

    x: vec6d
    y: vec6d
    z: vec6d
    sine: vec6d
    cosine: vec6d


@wp.struct
class SideSystem:
    """One side: loads N = `still` + `gain` T for tractions T, and its forward force = `still_x` + `gain_x` . T [N]."""

    still: wp.vec3d
    gain: wp.mat33d
    still_x: wp.float64
    gain_x: wp.vec3d


@wp.struct
class Split:
    """How the body's load falls on the two sides, all in newton.

    `right_z`, `left_z`: what they carry; `right_x`, `left_x`: forward forces that leave neither thrust nor yaw;
    `lateral`: force of each wheel in the mean.
    """

    right_z: wp.float64
    left_z: wp.float64
    right_x: wp.float64
    left_x: wp.float64
    lateral: wp.float64


@wp.func
def along_lean(pitch_cosine: wp.float64, pitch_sine: wp.float64, v: wp.vec3d) -> wp.vec3d:
    """A vector of the body frame along the leaning axes: turned nose up by the body's pitch."""
    return wp.vec3d(pitch_cosine * v[0] - pitch_sine * v[2], v[1], pitch_sine * v[0] + pitch_cosine * v[2])


@wp.func
def body_load(body: BodyParams, posture: Posture, pitch: wp.float64) -> BodyLoad:
    """Weight and tip force of a body at a pitch."""
    out = BodyLoad()
    c = wp.cos(pitch)
    s = wp.sin(pitch)
    weight = wp.vec3d(wp.float64(0.0), body.weight * posture.sine[0], -body.weight * posture.cosine[0])
    push = along_lean(c, s, body.tip_force)
    out.center = along_lean(c, s, body.center)
    out.force = weight + push
    out.moment = wp.cross(out.center, weight) + wp.cross(along_lean(c, s, body.tip), push)
    return out


@wp.func(inline=False)
def contacts_of(links: LinkParams, posture: Posture, stance: Stance) -> Contacts:
    """Where the wheels touch."""
    out = Contacts()
    one = wp.float64(1.0)
    wheel = int(0)
    while wheel < 6:
        t = stance.t[wheel]
        scale = one / (one + t * t)
        sine = wp.float64(2.0) * t * scale
        cosine = (one - t * t) * scale
        plane = wheel_at(links, posture, wheel)
        out.sine[wheel] = sine
        out.cosine[wheel] = cosine
        out.x[wheel] = plane[0] + links.radius * sine
        out.z[wheel] = plane[1] - links.radius * cosine
        out.y[wheel] = links.aside[wheel] + stance.off[wheel]
        wheel += 1
    return out


@wp.func(inline=False)
def side_system(
    links: LinkParams, posture: Posture, contacts: Contacts, side: int, load_z: wp.float64, moment_up: wp.float64
) -> SideSystem:
    """Equations (13)-(15) of one side, solved for the loads."""
    out = SideSystem()
    pivot = pivot_at(links, posture, side)
    by_load = wp.mat33d()
    by_traction = wp.mat33d()
    normal_x = wp.vec3d()
    for k in range(3):
        i = 3 * side + k
        x = contacts.x[i]
        z = contacts.z[i]
        s = contacts.sine[i]
        c = contacts.cosine[i]
        normal_x[k] = -s
        by_load[0, k] = c
        by_traction[0, k] = s
        if k > 0:
            by_load[1, k] = (x - pivot[0]) * c + (z - pivot[1]) * s
            by_traction[1, k] = (x - pivot[0]) * s - (z - pivot[1]) * c
        by_load[2, k] = x * c + z * s
        by_traction[2, k] = x * s - z * c
        out.gain_x[k] = c
    inverse = wp.inverse(by_load)
    out.still = inverse * wp.vec3d(load_z, wp.float64(0.0), -moment_up)
    out.gain = -(inverse * by_traction)
    out.still_x = wp.dot(normal_x, out.still)
    out.gain_x = out.gain_x + wp.transpose(out.gain) * normal_x
    return out


@wp.func
def side_middle(contacts: Contacts, side: int) -> wp.float64:
    """How far left a side's wheels touch, in the mean [m]."""
    i = 3 * side
    return (contacts.y[i] + contacts.y[i + 1] + contacts.y[i + 2]) / wp.float64(3.0)


@wp.func
def split_load(load: BodyLoad, contacts: Contacts, roll_extra: wp.float64, yaw_extra: wp.float64) -> Split:
    """Lift, roll, thrust and yaw of the body (8)-(11).

    `roll_extra` and `yaw_extra` [N m]: moments of wheels that stand off the mean plane of their side, and of lateral
    forces that differ from their mean.
    """
    out = Split()
    right = side_middle(contacts, 0)
    left = side_middle(contacts, 1)
    sum_x = wp.float64(0.0)
    sum_z = wp.float64(0.0)
    for i in range(6):
        sum_x += contacts.x[i]
        sum_z += contacts.z[i]
    out.lateral = -load.force[1] / wp.float64(6.0)
    lift = -load.force[2]
    out.left_z = (out.lateral * sum_z - load.moment[0] - roll_extra - right * lift) / (left - right)
    out.right_z = lift - out.left_z
    drive = -load.force[0]
    out.left_x = (out.lateral * sum_x + load.moment[2] + yaw_extra - right * drive) / (left - right)
    out.right_x = drive - out.left_x
    return out

"""How far the rover is from tipping, and its mechanism from unloading a wheel.

Stability margin: the least force-angle over the edges of the support polygon (PapadopoulosRey1996), which Hacot1998
divides by its value on flat ground.

Mechanism margin: with all reactions parallel to the load, as they are with the least slip on a slope, the loads of a
side's wheels follow from levers alone. In the side's plane a bogie wheel unloads when the load, drawn through the
bogie's pivot, meets the other wheel's contact; the rocker's wheel when the load of the side, drawn through the point
between axis and centre of mass that the differential makes of them, meets the bogie's pivot, and the bogie as a whole
when it meets the rocker wheel's contact. The margin is the least angle to one of these lines.
"""

import warp as wp

from planetfall.rover.kinematics.stance import Stance
from planetfall.rover.params import LinkParams, Posture, pivot_at, posture_of, vec5d, vec6i
from planetfall.rover.statics.balance import BodyLoad, BodyParams, Contacts, Split, body_load, contacts_of, split_load


@wp.struct
class PolygonParams:
    """The support polygon.

    `corner`: wheels at its corners, anticlockwise from above; `n_corners` of them; `ahead`: +1 where the bogie is in
    front, -1 where it is aft.
    """

    corner: vec6i
    n_corners: wp.int32
    ahead: wp.float64


@wp.struct
class Margin:
    """An angle [rad] to the first thing that gives way, and the wheel or edge that does."""

    angle: wp.float64
    which: wp.int32


@wp.func
def contact_at(contacts: Contacts, i: int) -> wp.vec3d:
    """A contact [m], leaning axes."""
    return wp.vec3d(contacts.x[i], contacts.y[i], contacts.z[i])


@wp.func
def edge_angle(start: wp.vec3d, end: wp.vec3d, load: BodyLoad) -> wp.float64:
    """Force-angle [rad] about one edge, positive inside: from the load to the edge, seen from the centre of mass."""
    axis = wp.normalize(end - start)
    arm = end - load.center
    arm = arm - axis * wp.dot(axis, arm)
    push = load.force - axis * wp.dot(axis, load.force)
    # the moment about the centre of mass as a couple of forces at the edge
    moment = wp.dot(load.moment - wp.cross(load.center, load.force), axis)
    push = push + wp.cross(wp.normalize(arm), axis) * (moment / wp.length(arm))
    return wp.atan2(wp.dot(wp.cross(arm, push), axis), wp.dot(arm, push))


@wp.func(inline=False)
def stability(polygon: PolygonParams, contacts: Contacts, load: BodyLoad) -> Margin:
    """The least force-angle over all edges; `which` counts edges from the first corner."""
    out = Margin()
    out.angle = wp.float64(1.0e300)
    k = int(0)
    while k < polygon.n_corners:
        following = k + 1
        if following == polygon.n_corners:
            following = 0
        angle = edge_angle(
            contact_at(contacts, polygon.corner[k]), contact_at(contacts, polygon.corner[following]), load
        )
        if not (angle >= out.angle):
            out.angle = angle
            out.which = k
        k += 1
    return out


@wp.func
def between(first: wp.vec2d, second: wp.vec2d) -> wp.float64:
    """Angle from one vector to another of the side's plane, positive from forward to up."""
    return wp.atan2(first[0] * second[1] - first[1] * second[0], wp.dot(first, second))


@wp.func
def smaller(margin: Margin, angle: wp.float64, which: int) -> Margin:
    """The margin with one more way to give way."""
    out = margin
    if not (angle >= margin.angle):
        out.angle = angle
        out.which = which
    return out


@wp.func(inline=False)
def unloading(
    links: LinkParams, polygon: PolygonParams, posture: Posture, contacts: Contacts, load: BodyLoad, split: Split
) -> Margin:
    """The least angle by which the load may turn, in the plane of a side, until `which` wheel unloads."""
    out = Margin()
    out.angle = wp.float64(1.0e300)
    push = wp.vec2d(load.force[0], load.force[2])
    strength = wp.dot(push, push)
    lift = split.right_z + split.left_z
    # where the load passes: the centre of mass, moved across the load by what other moments there are
    center = wp.vec2d(load.center[0], load.center[2])
    extra = -load.moment[1] - (center[0] * push[1] - center[1] * push[0])
    center = center + wp.vec2d(push[1], -push[0]) * (extra / strength)
    side = int(0)
    while side < 2:
        i = 3 * side
        pivot = pivot_at(links, posture, side)
        rocker = wp.vec2d(contacts.x[i], contacts.z[i])
        inner = wp.vec2d(contacts.x[i + 1], contacts.z[i + 1]) - pivot
        outer = wp.vec2d(contacts.x[i + 2], contacts.z[i + 2]) - pivot
        share = split.right_z / lift
        if side == 1:
            share = split.left_z / lift
        half = center * wp.float64(0.5)
        sign = polygon.ahead
        out = smaller(out, sign * between(inner, push), i + 2)
        out = smaller(out, sign * between(push, outer), i + 1)
        out = smaller(out, sign * between(rocker * share - half, push), i + 1)
        out = smaller(out, sign * between(push, pivot * share - half), i)
        side += 1
    return out


@wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
def flat_margins_kernel(
    links: LinkParams, polygon: PolygonParams, body: BodyParams, angles_out: wp.array(dtype=wp.float64)
):
    """Both margins [rad] on flat ground under the weight alone."""
    level = posture_of(vec5d())
    quiet = body
    quiet.tip_force = wp.vec3d()
    load = body_load(quiet, level, wp.float64(0.0))
    contacts = contacts_of(links, level, Stance())
    split = split_load(load, contacts, wp.float64(0.0), wp.float64(0.0))
    angles_out[0] = stability(polygon, contacts, load).angle
    angles_out[1] = unloading(links, polygon, level, contacts, load, split).angle

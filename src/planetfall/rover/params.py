"""The rover's numbers as the kernels take them, and the order of its wheels and unknowns.

Wheels, inside the kernels: 0 rocker, 1 inner and 2 outer bogie wheel of the right side, 3, 4 and 5 of the left. Where
the bogie is in front that is rear, middle, front; the host puts wheels into that order for people.

Unknowns of a pose: roll, rocker pitch and bogie pitch of the right side, rocker pitch and bogie pitch of the left,
each zero on flat ground; pitch is positive nose up, roll positive with the right side up (Hacot1998 Figure 2).
"""

import warp as wp

vec5d = wp.types.vector(length=5, dtype=wp.float64)
vec6d = wp.types.vector(length=6, dtype=wp.float64)
vec6i = wp.types.vector(length=6, dtype=wp.int32)
mat62d = wp.types.matrix(shape=(6, 2), dtype=wp.float64)
mat22d = wp.types.matrix(shape=(2, 2), dtype=wp.float64)

ROLL = wp.constant(0)
ANCHOR = wp.constant(1)
"""The wheel whose place is given: the middle one on the right."""


@wp.struct
class LinkParams:
    """The mechanism.

    `pivot` [side, (x, z)] [m]: from the differential's axis to the bogie's pivot, flat pose; `arm` [wheel, (x, z)] [m]:
    from the axis to the rocker wheel, from the bogie's pivot to a bogie wheel; `aside` [wheel] [m]: how far left of the
    rover's middle plane; `radius` of the wheels [m]; `half_width` [m]: half their width, 0 for thin discs;
    `bogie_stop`, `rocker_stop` [rad]: largest angle of a bogie against its rocker, and of a rocker against the body.
    """

    pivot: mat22d
    arm: mat62d
    aside: vec6d
    radius: wp.float64
    half_width: wp.float64
    bogie_stop: wp.float64
    rocker_stop: wp.float64


@wp.struct
class Posture:
    """Cosines and sines of the five unknowns of a pose."""

    cosine: vec5d
    sine: vec5d


@wp.func
def posture_of(q: vec5d) -> Posture:
    """The trigonometry of a pose, once."""
    out = Posture()
    for k in range(5):
        out.cosine[k] = wp.cos(q[k])
        out.sine[k] = wp.sin(q[k])
    return out


@wp.func
def turned(posture: Posture, k: int, x: wp.float64, z: wp.float64) -> wp.vec2d:
    """A vector (x, z) of the flat pose, turned nose up by unknown k."""
    c = posture.cosine[k]
    s = posture.sine[k]
    return wp.vec2d(c * x - s * z, s * x + c * z)


@wp.func
def pivot_at(links: LinkParams, posture: Posture, side: int) -> wp.vec2d:
    """From the differential's axis to a bogie's pivot [m], in the side's plane."""
    return turned(posture, 1 + 2 * side, links.pivot[side, 0], links.pivot[side, 1])


@wp.func
def wheel_at(links: LinkParams, posture: Posture, wheel: int) -> wp.vec2d:
    """From the differential's axis to a wheel's centre [m], in the side's leaning plane (x forward, z up)."""
    side = wheel // 3
    if wheel == 3 * side:
        return turned(posture, 1 + 2 * side, links.arm[wheel, 0], links.arm[wheel, 1])
    return pivot_at(links, posture, side) + turned(posture, 2 + 2 * side, links.arm[wheel, 0], links.arm[wheel, 1])


@wp.func
def levelled(posture: Posture, x: wp.float64, y: wp.float64, z: wp.float64) -> wp.vec3d:
    """Components forward, left and up along the leaning axes, as forward, left and up of the level heading frame."""
    c = posture.cosine[ROLL]
    s = posture.sine[ROLL]
    return wp.vec3d(x, c * y + s * z, c * z - s * y)

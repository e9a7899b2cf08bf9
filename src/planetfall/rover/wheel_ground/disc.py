"""A wheel as a rigid disc that rests on the ground: what the question is, and its answer on a plane.

The disc of radius r stands in the plane of the wheel, spanned by the horizontal heading and by the rover's up axis,
which leans to the left by the roll. Its lower rim at the angle theta, forward from the lowest point, is

    p(theta) = c + r (sin theta heading - cos theta up)

and the lowest centre that keeps the rim out of the ground z(x, y) has the height

    z_c = max over theta of  z(p_x, p_y) + r cos theta cos roll

The angle of the maximum is the contact angle. With t = tan(theta/2) everything is rational: on one plane facet
f = z_0 + (2 A t + B (1 - t^2))/(1 + t^2), with the maximum z_0 + sqrt(A^2 + B^2) at t = A/(sqrt(A^2 + B^2) + B).
"""

import warp as wp

from planetfall.world.terrain.model import GROUND_OFF_MAP, GROUND_OK
from planetfall.world.terrain.plane import PlaneParams, plane_gap

NO_RIVAL = wp.constant(wp.float64(1.0e300))
"""Margin where no second contact competes."""


@wp.struct
class Disc:
    """A wheel over the ground.

    `x`, `y` [m]: its centre, surface frame; `heading`, `left`: horizontal unit vectors, surface frame; `lean`, `up`:
    sine and cosine of the roll, so that the rover's up axis is lean left + up vertical; `radius` [m].
    """

    x: wp.float64
    y: wp.float64
    heading: wp.vec2d
    left: wp.vec2d
    lean: wp.float64
    up: wp.float64
    radius: wp.float64


@wp.struct
class Rest:
    """Where a disc rests.

    `height` [m] of its centre; `t`: tangent of half the contact angle; `slope` [-] of the ground at the contact, east
    and north; on a crease the one between both sides that keeps the disc tangent; `rival` [m]: how much lower the
    centre would rest on the next best contact; `status`, one of GROUND_*.
    """

    height: wp.float64
    t: wp.float64
    slope: wp.vec2d
    rival: wp.float64
    status: wp.int32


@wp.struct
class Wave:
    """Height of the centre over one facet as the contact moves along the rim: base + side sin theta + lift cos theta.

    All in metres; `top`: t of its maximum; `slope` of the facet.
    """

    base: wp.float64
    side: wp.float64
    lift: wp.float64
    top: wp.float64
    slope: wp.vec2d


@wp.func
def facet_wave(disc: Disc, base: wp.float64, slope: wp.vec2d) -> Wave:
    """The wave of a facet with a slope whose plane passes at height `base` through the vertical of the centre."""
    wave = Wave()
    wave.base = base
    wave.slope = slope
    wave.side = disc.radius * wp.dot(slope, disc.heading)
    wave.lift = disc.radius * (disc.up - disc.lean * wp.dot(slope, disc.left))
    reach = wp.sqrt(wave.side * wave.side + wave.lift * wave.lift) + wave.lift
    wave.top = wp.float64(2.0)
    if reach > wp.float64(0.0):
        wave.top = wave.side / reach
    elif wave.side < wp.float64(0.0):
        wave.top = wp.float64(-2.0)
    return wave


@wp.func
def wave_height(wave: Wave, t: wp.float64) -> wp.float64:
    """Height [m] of the centre with the contact at t."""
    one = wp.float64(1.0)
    return wave.base + (wp.float64(2.0) * wave.side * t + wave.lift * (one - t * t)) / (one + t * t)


@wp.func
def wave_rate(wave: Wave, t: wp.float64) -> wp.float64:
    """Derivative by theta, up to the positive factor 1/(1 + t^2)."""
    return wave.side * (wp.float64(1.0) - t * t) - wp.float64(2.0) * wave.lift * t


@wp.func
def no_rest() -> Rest:
    """Before any contact has been found."""
    rest = Rest()
    rest.height = -NO_RIVAL
    rest.rival = NO_RIVAL
    rest.status = GROUND_OK
    return rest


@wp.func
def offer(best: Rest, height: wp.float64, t: wp.float64, slope: wp.vec2d) -> Rest:
    """The better of the best contact so far and one more."""
    out = best
    if height > best.height:
        out.rival = height - best.height
        out.height = height
        out.t = t
        out.slope = slope
    else:
        out.rival = wp.min(best.rival, best.height - height)
    return out


@wp.func
def offer_crease(best: Rest, before: Wave, after: Wave, t: wp.float64) -> Rest:
    """A contact on the crease between two facets: the slope between theirs at which the rim is stationary."""
    rise = wave_rate(before, t)
    fall = wave_rate(after, t)
    share = wp.float64(0.5)
    if rise - fall > wp.float64(0.0):
        share = rise / (rise - fall)
    return offer(best, wave_height(after, t), t, before.slope * (wp.float64(1.0) - share) + after.slope * share)


@wp.func
def disc_on_plane(plane: PlaneParams, disc: Disc) -> Rest:
    """Where a disc rests on a plane of any tilt below the vertical."""
    slope = wp.vec2d(-plane.normal[0] / plane.normal[2], -plane.normal[1] / plane.normal[2])
    offset = wp.vec2d(disc.x - plane.point[0], disc.y - plane.point[1])
    wave = facet_wave(disc, plane.point[2] + wp.dot(slope, offset), slope)
    return offer(no_rest(), wave_height(wave, wave.top), wave.top, slope)


@wp.func
def rim_offset(disc: Disc, t: wp.float64) -> wp.vec3d:
    """From the centre to the contact at t [m], surface frame."""
    one = wp.float64(1.0)
    scale = disc.radius / (one + t * t)
    sine = wp.float64(2.0) * t * scale
    cosine = (one - t * t) * scale
    across = disc.heading * sine - disc.left * (disc.lean * cosine)
    return wp.vec3d(across[0], across[1], -cosine * disc.up)


@wp.func
def disc_on_bounded_plane(plane: PlaneParams, disc: Disc) -> Rest:
    """The same on a map that ends `radius` from the plane's point."""
    rest = disc_on_plane(plane, disc)
    foot = wp.vec3d(disc.x, disc.y, rest.height) + rim_offset(disc, rest.t)
    ground = plane_gap(plane, foot, -1, -1)
    if wp.length(foot - plane.point - plane.normal * ground.gap) > plane.radius:
        rest.status = GROUND_OFF_MAP
    return rest

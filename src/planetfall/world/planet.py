"""Where a point is over a turning planet: height over its ellipsoid and local axes, for any position in a kernel.

The surface frame of a run is that of its landing site, however far away the vehicle is: `z` is no height. The height is
measured along the ellipsoid's normal through the point. Without a radius the world is flat, and it is `z` after all.
"""

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.scenario.tables.world.target import Target

ROUNDS = wp.constant(5)
"""Of Bowring's fixed point, at most: each gains a factor of about e^2 cubed, so that five do for flattenings of up to
0.3. It ends where a round changes no bit, which over Mars is the fourth."""


@wp.struct
class PlanetParams:
    """An ellipsoid of revolution.

    `center` [m] and unit `axis` in the surface frame, semi-axes `equatorial` and `polar` [m]. Where `equatorial` is 0
    the world is flat: `origin_height` [m] is the altitude of the frame's origin, whose axes are east, north, up.
    """

    center: wp.vec3d
    axis: wp.vec3d
    equatorial: wp.float64
    polar: wp.float64
    origin_height: wp.float64


@wp.struct
class LocalLevel:
    """Over the ellipsoid: `altitude` [m], and unit vectors `east`, `north`, `up` (geodetic), surface frame."""

    altitude: wp.float64
    east: wp.vec3d
    north: wp.vec3d
    up: wp.vec3d


@wp.func
def altitude(planet: PlanetParams, position: wp.vec3d) -> LocalLevel:
    """Height over the ellipsoid and local axes at a position [m] of the surface frame, thousands of km away or near.

    Bowring's fixed point on the parametric latitude, in sines and cosines: products, quotients and roots only, so that
    all devices round it alike. On the axis of rotation east is any direction across it.
    """
    out = LocalLevel()
    if planet.equatorial == wp.float64(0.0):
        out.altitude = position[2] + planet.origin_height
        out.east = wp.vec3d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0))
        out.north = wp.vec3d(wp.float64(0.0), wp.float64(1.0), wp.float64(0.0))
        out.up = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0))
        return out
    r = position - planet.center
    z = wp.dot(r, planet.axis)
    outward = r - planet.axis * z
    p = wp.length(outward)
    if p > wp.float64(1.0e-12) * planet.equatorial:
        outward = outward / p
    else:  # any direction across the axis
        least = wp.vec3d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0))
        if wp.abs(planet.axis[0]) > wp.float64(0.5):
            least = wp.vec3d(wp.float64(0.0), wp.float64(1.0), wp.float64(0.0))
        outward = wp.normalize(least - planet.axis * wp.dot(least, planet.axis))
    a = planet.equatorial
    ratio = planet.polar / a
    e2 = wp.float64(1.0) - ratio * ratio
    sine = z * a
    cosine = p * planet.polar
    rise = wp.float64(z)
    run = wp.float64(p)
    is_settled = bool(False)
    i = int(0)
    while i < ROUNDS and not is_settled:  # a loop that stays one: it is in many places of a kernel
        length = wp.sqrt(sine * sine + cosine * cosine)
        unit_sine = sine / length
        unit_cosine = cosine / length
        rise = z + e2 / (ratio * ratio) * planet.polar * unit_sine * unit_sine * unit_sine
        run = p - e2 * a * unit_cosine * unit_cosine * unit_cosine
        is_settled = rise * ratio == sine and run == cosine
        sine = rise * ratio
        cosine = run
        i += 1
    length = wp.sqrt(rise * rise + run * run)
    sine = rise / length
    cosine = run / length
    out.altitude = p * cosine + z * sine - a * wp.sqrt(wp.float64(1.0) - e2 * sine * sine)
    out.up = outward * cosine + planet.axis * sine
    out.north = planet.axis * cosine - outward * sine
    out.east = wp.cross(out.north, out.up)
    return out


def planet_params(target: Target) -> Draft:
    """`PlanetParams` of a scenario's target."""
    params, shape = Draft(PlanetParams), target.ellipsoid
    params.center, params.axis = target.center_S, np.asarray(target.axis_S)
    params.equatorial, params.polar = shape.radius, shape.polar_radius
    params.origin_height = 0.0 if target.site is None else target.site.height
    return params

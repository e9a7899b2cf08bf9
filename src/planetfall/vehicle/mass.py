"""Mass properties of a body at an instant, and what they are when a part of it has gone."""

import warp as wp


@wp.struct
class MassProperties:
    """Of a body without rotors' and arms' motion: `mass` [kg], `center_B` c [m] from the reference point O, and more.

    `inertia` about the centre of mass C [kg m^2], rotors locked, and `inverse` [1/(kg m^2)] of what of it rotors leave.
    """

    mass: wp.float64
    center_B: wp.vec3d
    inertia: wp.mat33d
    inverse: wp.mat33d


@wp.struct
class MassFlow:
    """Mass that leaves a body: `rate` [kg/s], from places with the mean `place_B` [m] and the mean `spread` S [m^2]."""

    rate: wp.float64
    place_B: wp.vec3d
    spread: wp.mat33d


@wp.func
def spread(r: wp.vec3d) -> wp.mat33d:
    """Inertia of a unit mass at r: r.r 1 - r r^T [m^2]."""
    return wp.identity(n=3, dtype=wp.float64) * wp.length_sq(r) - wp.outer(r, r)


@wp.func
def drained(
    mass: wp.float64, inertia: wp.mat33d, gone: wp.float64, place_B: wp.vec3d, place_spread: wp.mat33d
) -> MassProperties:
    """What is left of a body with its centre of mass at O when `gone` [kg] have left from places in it.

    Of these `place_B` r [m] is the mean and `place_spread` the mean of S(r) [m^2]: m' = m - b, c = -(b/m') r and
    I_C = I - b S - m' S(c). The `inverse` is not filled in.
    """
    out = MassProperties()
    out.mass = mass - gone
    out.center_B = -place_B * (gone / out.mass)
    out.inertia = inertia - place_spread * gone - spread(out.center_B) * out.mass
    return out


@wp.func
def without(before: MassProperties, gone: wp.float64, place_B: wp.vec3d, place_spread: wp.mat33d) -> MassProperties:
    """What is left when `gone` [kg] have left from places with the mean `place_B` [m] and the mean `place_spread`.

    With m' = m - b, c' = (m c - b r)/m' and I' = I + m S(c) - b mean(S(r)) - m' S(c'); `inverse` is left as it was.
    """
    out = before
    out.mass = before.mass - gone
    out.center_B = before.center_B * (before.mass / out.mass) - place_B * (gone / out.mass)
    at_reference = before.inertia + spread(before.center_B) * before.mass
    out.inertia = at_reference - place_spread * gone - spread(out.center_B) * out.mass
    return out

"""What the forces of a standing rover mean: what its wheels carry and pull, and what becomes of the rover."""

import warp as wp

from planetfall.rover.kinematics.stance import Stance
from planetfall.rover.params import vec6d
from planetfall.rover.statics.balance import Contacts, Split
from planetfall.rover.statics.margins import Margin
from planetfall.rover.statics.torques import LARGEST_SHARE

STANDS = wp.constant(0)
SATURATES = wp.constant(1)
SLIDES_ASIDE = wp.constant(2)
SLIDES = wp.constant(3)
LIFTS = wp.constant(4)
TIPS = wp.constant(5)
NO_POSE = wp.constant(6)
VERDICTS = {
    0: "stands: every wheel holds, within its motor's torque",
    1: "saturates: a motor would need more than its largest torque",
    2: "slides aside: across its plane a wheel needs more friction than there is",
    3: "slides: a wheel needs more grip along its rim than the ground gives",
    4: "lifts: a wheel would have to be pulled to the ground",
    5: "tips: the load passes outside of the support polygon",
    6: "no pose: the mechanism cannot follow the ground, or a wheel is off the map",
}
"""What becomes of a rover that is put there, by rising severity."""


@wp.struct
class Loads:
    """Forces and measures of a standing rover; per wheel where not said.

    `normal`, `traction`, `gross` traction T + R, `lateral` force [N]; `slip_ratio`: |T + R|/H; `saturation` of the
    motor; `friction_needed`: tangential over normal force in space; `friction_used`: that over what the ground has;
    `sinkage` [m]; `slip`; `thrust` [N] and `yaw` [N m] that the wheels leave unbalanced; `stability`, `unloading`:
    margins; `verdict`, one of STANDS to NO_POSE; `culprit`: the wheel that decides it, -1 if none does.
    """

    normal: vec6d
    traction: vec6d
    gross: vec6d
    lateral: vec6d
    slip_ratio: vec6d
    saturation: vec6d
    friction_needed: vec6d
    friction_used: vec6d
    sinkage: vec6d
    slip: vec6d
    thrust: wp.float64
    yaw: wp.float64
    stability: Margin
    unloading: Margin
    verdict: wp.int32
    culprit: wp.int32


@wp.func
def needed_friction(stance: Stance, contacts: Contacts, loads: Loads, i: int, noise: wp.float64) -> wp.float64:
    """Tangential over normal force at a contact, against the ground's own normal in space; at most LARGEST_SHARE.

    A wheel that carries nothing and is asked for nothing, to rounding (`noise` [N]), needs none.
    """
    normal = wp.normalize(wp.vec3d(stance.forward[i], stance.aside[i], stance.upward[i]))
    s = contacts.sine[i]
    c = contacts.cosine[i]
    n = loads.normal[i]
    t = loads.traction[i]
    force = wp.vec3d(t * c - n * s, loads.lateral[i], n * c + t * s)
    pressed = wp.dot(force, normal)
    across = wp.length(force - normal * pressed)
    if across <= noise and pressed >= -noise:
        return wp.float64(0.0)
    if across < LARGEST_SHARE * pressed:
        return across / pressed
    return LARGEST_SHARE


@wp.func
def used_friction(needed: wp.float64, friction: wp.float64) -> wp.float64:
    """Friction that a wheel needs over the coefficient of the ground; at most LARGEST_SHARE."""
    return wp.min(needed / friction, LARGEST_SHARE)


@wp.func
def used_traction(gross: wp.float64, lateral: wp.float64, hold: wp.float64, noise: wp.float64) -> wp.float64:
    """Gross traction and lateral force [N] together over the traction that soil can give; as `needed_friction`."""
    asked = wp.length(wp.vec2d(gross, lateral))
    if asked <= noise and hold >= -noise:
        return wp.float64(0.0)
    if asked < LARGEST_SHARE * hold:
        return asked / hold
    return LARGEST_SHARE


@wp.func
def worst_of(values: vec6d) -> wp.int32:
    """Index of the largest."""
    best = wp.int32(0)
    for i in range(1, 6):
        if values[i] > values[best]:
            best = wp.int32(i)
    return best


@wp.func(inline=False)
def judged(loads: Loads, contacts: Contacts, split: Split, friction: vec6d, is_coulomb: int) -> Loads:
    """The verdict over forces that are given, the gravest first."""
    out = loads
    one = wp.float64(1.000000001)  # of rounding, where a constraint is active
    lowest = worst_of(-loads.normal)
    if loads.stability.angle < wp.float64(0.0) or split.right_z <= wp.float64(0.0) or split.left_z <= wp.float64(0.0):
        out.verdict = TIPS
        out.culprit = lowest
        return out
    if not (loads.normal[lowest] >= -wp.float64(1.0e-9) * (split.right_z + split.left_z)):
        out.verdict = LIFTS
        out.culprit = lowest
        return out
    out.culprit = worst_of(loads.slip_ratio)
    if loads.slip_ratio[out.culprit] > one:
        out.verdict = SLIDES
        return out
    if is_coulomb == 1:
        out.culprit = worst_of(wp.cw_div(loads.friction_needed, friction))
        if loads.friction_needed[out.culprit] > one * friction[out.culprit]:
            out.verdict = SLIDES_ASIDE
            return out
    out.culprit = worst_of(loads.saturation)
    if loads.saturation[out.culprit] > one:
        out.verdict = SATURATES
        return out
    out.verdict = STANDS
    out.culprit = wp.int32(-1)
    return out

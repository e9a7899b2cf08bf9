"""Friction by the table of the marker law: (0, 0), (V1, mu1), (V2, mu2), constant after (Raiszadeh2012 Eqs. 5-7).

For every law that takes it: keys as in `scenario/tables/contact/slip_stick.py`, a member `friction: SlipStickParams`
in its struct, and modes as they are numbered here. Friction opposes the tangential velocity, F = -mu(v) N u; the sign
of Eq. 7 is corrected.
"""

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.contact.model import CONTACT_KINETIC, CONTACT_NONE, CONTACT_STATIC, MODE_APART, PointContact
from planetfall.contact.normal_response import SlidingPoints
from planetfall.scenario.tables.contact.slip_stick import SlipStickKeys

MODE_CREEP = wp.constant(1)  # pressing, slower than V1: friction proportional to velocity
MODE_BREAKAWAY = wp.constant(2)  # pressing, between V1 and V2
MODE_SLIDE = wp.constant(3)  # pressing, faster than V2
MODE_UNLOADED = wp.constant(4)  # in the ground but parting faster than the spring can follow: clamped to no force
# 5, 6, 7: another branch of the law's spring, with friction as in 1, 2, 3
MODE_HOLLOW = wp.constant(8)  # in the hollow of a dent, over its ground


@wp.struct
class SlipStickParams:
    """The table of friction, and slopes of its lines."""

    breakaway: wp.float64  # mu1 [-]
    sliding: wp.float64  # mu2 [-]
    breakaway_speed: wp.float64  # V1 [m/s]
    sliding_speed: wp.float64  # V2 [m/s]
    creep_drag: wp.float64  # mu1/V1 [s/m]
    slope: wp.float64  # (mu2 - mu1)/(V2 - V1) [s/m]


@wp.func
def slip_segment(friction: SlipStickParams, speed_squared: wp.float64) -> wp.int32:
    """MODE_CREEP, MODE_BREAKAWAY or MODE_SLIDE at a squared speed [m^2/s^2]."""
    if speed_squared < friction.breakaway_speed * friction.breakaway_speed:
        return MODE_CREEP
    if speed_squared < friction.sliding_speed * friction.sliding_speed:
        return MODE_BREAKAWAY
    return MODE_SLIDE


@wp.func
def slip_drag(friction: SlipStickParams, segment: wp.int32, v_t: wp.vec3d) -> wp.float64:
    """mu(v)/v [s/m] at a tangential velocity: smooth through zero speed while creeping, without roots and quotients."""
    drag = friction.creep_drag
    if segment == MODE_BREAKAWAY:
        speed = wp.length(v_t)
        drag = (friction.breakaway + (speed - friction.breakaway_speed) * friction.slope) / speed
    if segment == MODE_SLIDE:
        drag = friction.sliding / wp.length(v_t)
    return drag


@wp.func
def with_friction(
    contact: PointContact, friction: SlipStickParams, segment: wp.int32, load: wp.float64, v_t: wp.vec3d
) -> PointContact:
    """A contact with the friction under a load [N] at a tangential velocity, -mu(v)/v load v_t."""
    out = contact
    drag = slip_drag(friction, segment, v_t) * load
    out.force = contact.force - v_t * drag
    out.friction_force = drag * wp.length(v_t)
    out.friction_power = -drag * wp.length_sq(v_t)
    return out


@wp.func
def slip_stick_reported(mode: wp.int32) -> wp.int32:
    """Mode in the terms of the result files: static is slower than V1."""
    if mode == MODE_APART or mode == MODE_UNLOADED or mode == MODE_HOLLOW:
        return CONTACT_NONE
    if mode == MODE_CREEP or mode == MODE_CREEP + MODE_UNLOADED:
        return CONTACT_STATIC
    return CONTACT_KINETIC


def friction_coefficients(contact: SlipStickKeys) -> tuple[float, float]:
    """mu1 and mu2, the tangents of the angles (Eqs. 14, 15)."""
    angles = (contact.breakaway_angle_deg, contact.sliding_angle_deg)
    breakaway, sliding = (float(np.tan(np.radians(angle))) for angle in angles)
    return breakaway, sliding


def slip_stick(contact: SlipStickKeys) -> Draft:
    """`SlipStickParams` of a table of keys."""
    out = Draft(SlipStickParams)
    out.breakaway, out.sliding = breakaway, sliding = friction_coefficients(contact)
    out.breakaway_speed, out.sliding_speed = contact.breakaway_speed, contact.sliding_speed
    out.creep_drag = breakaway / contact.breakaway_speed
    out.slope = (sliding - breakaway) / (contact.sliding_speed - contact.breakaway_speed)
    return out


def slip_stick_rate(contact: SlipStickKeys, sliding: SlidingPoints) -> float:
    """Rate [1/s] at which friction slows points that creep: (mu1/V1) N over the mass that they feel."""
    slope = friction_coefficients(contact)[0] / contact.breakaway_speed
    return slope * sliding.load * sliding.mobility / sliding.n_points

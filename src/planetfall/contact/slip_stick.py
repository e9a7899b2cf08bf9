"""Friction by the table of the marker law: (0, 0), (V1, mu1), (V2, mu2), constant after (Raiszadeh2012 Eqs. 5-7).

For every law that takes it: keys `scenario/tables/contact/slip_stick.py`, struct members of the same names as
`fill_slip_stick` writes. Friction opposes the tangential velocity, F = -mu(v) N u; the sign of Eq. 7 is corrected.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.contact.response import SlidingPoints
from planetfall.scenario.tables.contact.slip_stick import SlipStickKeys

MODE_CREEP = wp.constant(1)  # pressing, slower than V1: friction proportional to velocity
MODE_BREAKAWAY = wp.constant(2)  # pressing, between V1 and V2
MODE_SLIDE = wp.constant(3)  # pressing, faster than V2
MODE_UNLOADED = wp.constant(4)  # in the ground but parting faster than the spring can follow: clamped to no force


@lru_cache
def slip_segment(params: Any) -> Any:
    """`@wp.func (params, squared speed [m^2/s^2]) -> MODE_CREEP | MODE_BREAKAWAY | MODE_SLIDE`."""

    @wp.func
    def segment(law: params, speed_squared: wp.float64) -> wp.int32:
        if speed_squared < law.breakaway_speed * law.breakaway_speed:
            return MODE_CREEP
        if speed_squared < law.sliding_speed * law.sliding_speed:
            return MODE_BREAKAWAY
        return MODE_SLIDE

    return segment


@lru_cache
def slip_drag(params: Any) -> Any:
    """`@wp.func (params, segment, tangential velocity) -> mu(v)/v [s/m]`; friction is -drag N v.

    Smooth through zero speed while creeping, and free of roots and quotients there.
    """

    @wp.func
    def drag_of(law: params, segment: wp.int32, v_t: wp.vec3d) -> wp.float64:
        drag = law.creep_drag
        if segment == MODE_BREAKAWAY:
            speed = wp.length(v_t)
            drag = (law.friction_breakaway + (speed - law.breakaway_speed) * law.friction_slope) / speed
        if segment == MODE_SLIDE:
            drag = law.friction_sliding / wp.length(v_t)
        return drag

    return drag_of


def friction_coefficients(contact: SlipStickKeys) -> tuple[float, float]:
    """mu1 and mu2, the tangents of the angles (Eqs. 14, 15)."""
    angles = (contact.breakaway_angle_deg, contact.sliding_angle_deg)
    breakaway, sliding = (float(np.tan(np.radians(angle))) for angle in angles)
    return breakaway, sliding


def fill_slip_stick(params: Draft, contact: SlipStickKeys) -> None:
    """Writes the members of a law's struct that friction needs."""
    breakaway, sliding = friction_coefficients(contact)
    params.friction_breakaway, params.friction_sliding = breakaway, sliding
    params.breakaway_speed, params.sliding_speed = contact.breakaway_speed, contact.sliding_speed
    params.creep_drag = breakaway / contact.breakaway_speed
    params.friction_slope = (sliding - breakaway) / (contact.sliding_speed - contact.breakaway_speed)


def slip_stick_rate(contact: SlipStickKeys, sliding: SlidingPoints) -> float:
    """Rate [1/s] at which friction slows points that creep: (mu1/V1) N over the mass that they feel."""
    slope = friction_coefficients(contact)[0] / contact.breakaway_speed
    return slope * sliding.load * sliding.mobility / sliding.n_points

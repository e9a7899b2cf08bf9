"""The MSL ground contact law: markers on a spring-damper ground with tabulated slip-stick friction (Raiszadeh2012).

Normal force (Eq. 4), compression only: N = max(-K h - C hdot, 0) while h < 0; `clamp` off drops the maximum.
Friction (Eqs. 5-7 with the sign of Eq. 7 corrected): F = -mu(v) N u along the tangential velocity, mu(v) the table
(0, 0), (V1, mu1), (V2, mu2), constant after.

Where the ground is a distance field, h is not quite a distance: its gradient n is not a unit vector. The force along it
is N n, which is conservative as it stands; friction takes the tangential velocity across n and the load N |n|.
"""

from functools import lru_cache, partial
from typing import Any

import warp as wp

from planetfall.contact.model import (
    CONTACT_KINETIC,
    CONTACT_NONE,
    CONTACT_STATIC,
    MODE_APART,
    ContactLaw,
    PointContact,
)
from planetfall.world.terrain.model import Ground

MODE_CREEP = wp.constant(1)  # pressing, slower than V1: friction proportional to velocity
MODE_BREAKAWAY = wp.constant(2)  # pressing, between V1 and V2
MODE_SLIDE = wp.constant(3)  # pressing, faster than V2
MODE_UNLOADED = wp.constant(4)  # in the ground but parting faster than the spring can follow: clamped to no force
# 5, 6, 7: the ground pulls (clamp off), with friction as in 1, 2, 3


@lru_cache
def marker_params(n_bodies: int) -> Any:
    """The law's parameter struct; stiffness and damping follow from each body's own mass (Eqs. 10 and 11)."""
    per_body = wp.types.vector(length=n_bodies, dtype=wp.float64)

    @wp.struct
    class MarkerParams:
        stiffness: per_body  # K [N/m], per marker
        damping: per_body  # C [N s/m], per marker
        friction_breakaway: wp.float64  # mu1 [-]
        friction_sliding: wp.float64  # mu2 [-]
        breakaway_speed: wp.float64  # V1 [m/s]
        sliding_speed: wp.float64  # V2 [m/s]
        creep_drag: wp.float64  # mu1/V1 [s/m]
        friction_slope: wp.float64  # (mu2 - mu1)/(V2 - V1) [s/m]
        is_clamped: wp.int32  # 1: the ground cannot pull

    return MarkerParams


@wp.func
def unit_square(normal: wp.vec3d) -> wp.float64:
    """Of a unit normal; that of a body turned by a quaternion between two steps is one to the method's order alone."""
    return wp.float64(1.0)


@wp.func
def raw_square(normal: wp.vec3d) -> wp.float64:
    """Of a gradient as it is."""
    return wp.length_sq(normal)


@lru_cache
def marker_mode(params: Any, square_of: Any = unit_square) -> Any:
    """Branch of the law that an instantaneous state belongs to; `square_of` a normal, its squared length."""

    @wp.func
    def mode(law: params, body: int, ground: Ground, velocity: wp.vec3d) -> wp.int32:
        if ground.gap >= wp.float64(0.0):
            return MODE_APART
        v_n = wp.dot(velocity, ground.normal)
        pulling = wp.int32(0)
        if -law.stiffness[body] * ground.gap - law.damping[body] * v_n <= wp.float64(0.0):
            if law.is_clamped == 1:
                return MODE_UNLOADED
            pulling = MODE_UNLOADED
        speed_squared = wp.length_sq(velocity - ground.normal * (v_n / square_of(ground.normal)))
        if speed_squared < law.breakaway_speed * law.breakaway_speed:
            return MODE_CREEP + pulling
        if speed_squared < law.sliding_speed * law.sliding_speed:
            return MODE_BREAKAWAY + pulling
        return MODE_SLIDE + pulling

    return mode


@lru_cache
def marker_contact(params: Any, square_of: Any = unit_square) -> Any:
    """Force, energy and power of one branch of the law; `square_of` a normal, its squared length."""

    @wp.func
    def contact(law: params, body: int, mode: wp.int32, ground: Ground, velocity: wp.vec3d) -> PointContact:
        out = PointContact()
        if mode == MODE_APART:
            return out
        spring = -law.stiffness[body] * ground.gap
        v_n = wp.dot(velocity, ground.normal)
        out.elastic = wp.float64(0.5) * law.stiffness[body] * ground.gap * ground.gap
        if mode == MODE_UNLOADED:
            out.damper_power = -spring * v_n  # the damper alone holds the spring back
            return out
        normal_force = spring - law.damping[body] * v_n
        squared = square_of(ground.normal)
        v_t = velocity - ground.normal * (v_n / squared)
        load = normal_force * wp.sqrt(squared)
        segment = mode
        if mode > MODE_UNLOADED:
            load = -load
            segment = mode - MODE_UNLOADED
        # friction force = -drag * v_t: smooth through zero speed while creeping, and free of roots and quotients there
        drag = law.creep_drag
        if segment == MODE_BREAKAWAY:
            speed = wp.length(v_t)
            drag = (law.friction_breakaway + (speed - law.breakaway_speed) * law.friction_slope) / speed
        if segment == MODE_SLIDE:
            drag = law.friction_sliding / wp.length(v_t)
        drag = drag * load
        out.force = ground.normal * normal_force - v_t * drag
        out.normal_force = normal_force * wp.sqrt(squared)
        out.friction_force = drag * wp.length(v_t)
        out.damper_power = -law.damping[body] * v_n * v_n
        out.friction_power = -drag * wp.length_sq(v_t)
        return out

    return contact


@wp.func
def marker_reported(mode: wp.int32) -> wp.int32:
    """Mode in the terms of the result files: static is slower than V1."""
    if mode == MODE_APART or mode == MODE_UNLOADED:
        return CONTACT_NONE
    if mode == MODE_CREEP or mode == MODE_CREEP + MODE_UNLOADED:
        return CONTACT_STATIC
    return CONTACT_KINETIC


CONTACT_MARKER = ContactLaw("marker", marker_params, marker_reported, mode=marker_mode, contact=marker_contact)
CONTACT_MARKER_ON_FIELD = ContactLaw(
    "marker-on-field",
    marker_params,
    marker_reported,
    mode=partial(marker_mode, square_of=raw_square),
    contact=partial(marker_contact, square_of=raw_square),
)
"""The same on ground whose normals are gradients of any length."""

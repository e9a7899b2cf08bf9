"""The MSL ground contact law: markers on a spring-damper ground with tabulated slip-stick friction (Raiszadeh2012).

Normal force (Eq. 4), compression only: N = max(-K h - C hdot, 0) while h < 0; `clamp` off drops the maximum.
Friction (Eqs. 5-7 with the sign of Eq. 7 corrected): F = -mu(v) N u along the tangential velocity, mu(v) the table
(0, 0), (V1, mu1), (V2, mu2), constant after.

Where the ground is a distance field, h is not quite a distance: its gradient n is not a unit vector. The force along it
is N n, which is conservative as it stands; friction takes the tangential velocity across n and the load N |n|.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import warp as wp

from planetfall.compute.draft import Draft
from planetfall.contact.model import MODE_APART, ContactLaw, PointContact
from planetfall.contact.normal_response import BodyOnGround, SpringDamper, spring_damper
from planetfall.contact.slip_stick import (
    MODE_UNLOADED,
    SlipStickParams,
    friction_coefficients,
    slip_segment,
    slip_stick,
    slip_stick_rate,
    slip_stick_reported,
    with_friction,
)
from planetfall.scenario.tables.contact.marker import ContactMarker
from planetfall.scenario.tables.vehicle.vehicle import ContactPoint
from planetfall.world.terrain.model import Ground

# modes 5, 6, 7: the ground pulls (clamp off)


@lru_cache
def marker_params(n_bodies: int) -> Any:
    """The law's parameter struct; stiffness and damping follow from each body's own mass (Eqs. 10 and 11)."""
    per_body = wp.types.vector(length=n_bodies, dtype=wp.float64)

    @wp.struct
    class MarkerParams:
        stiffness: per_body  # K [N/m], per marker
        damping: per_body  # C [N s/m], per marker
        friction: SlipStickParams
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
        return slip_segment(law.friction, speed_squared) + pulling

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
        out.force = ground.normal * normal_force
        out.normal_force = normal_force * wp.sqrt(squared)
        out.damper_power = -law.damping[body] * v_n * v_n
        return with_friction(out, law.friction, segment, load, v_t)

    return contact


@dataclass(frozen=True)
class MarkerCoefficients(SpringDamper):
    """What follows from the inputs of the law: K and C (Eqs. 10, 11), and mu1 and mu2 (Eqs. 14, 15)."""

    friction_breakaway: float
    friction_sliding: float


def marker_coefficients(contact: ContactMarker, body: BodyOnGround) -> MarkerCoefficients:
    """K, C, mu1, mu2 from the inputs and a body."""
    share = body.mass
    if contact.mass_share == "per-point":
        share = body.mass / (contact.loaded_points or max(body.n_points, 1))
    gravity = contact.reference_gravity or body.gravity
    return MarkerCoefficients(
        *spring_damper(share, gravity, contact.rest_penetration, contact.damping_ratio),
        *friction_coefficients(contact),
    )


def fill_marker(
    params: Draft, contact: ContactMarker, bodies: Sequence[MarkerCoefficients], points: Sequence[ContactPoint]
) -> None:
    """Writes the numbers of the law's struct."""
    params.stiffness, params.damping = [each.stiffness for each in bodies], [each.damping for each in bodies]
    params.friction = slip_stick(contact)
    params.is_clamped = int(contact.clamp)


def marker_on(contact: ContactMarker, has_unit_normals: bool) -> ContactLaw:
    """The law on ground whose normals have the length 1, or are gradients of any length."""
    return CONTACT_MARKER if has_unit_normals else CONTACT_MARKER_ON_FIELD


CONTACT_MARKER = ContactLaw(
    "marker",
    ContactMarker,
    marker_params,
    fill_marker,
    marker_coefficients,
    slip_stick_rate,
    "contact.breakaway_speed",
    ("breakaway_angle_deg", "sliding_angle_deg", "damping_ratio", "rest_penetration"),
    slip_stick_reported,
    mode=marker_mode,
    contact=marker_contact,
    rounds_alike=True,
    variant=marker_on,
)
CONTACT_MARKER_ON_FIELD = replace(
    CONTACT_MARKER,
    name="marker-on-field",
    mode=partial(marker_mode, square_of=raw_square),
    contact=partial(marker_contact, square_of=raw_square),
)
"""The same on ground whose normals are gradients of any length."""

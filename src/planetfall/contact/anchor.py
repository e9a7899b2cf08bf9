"""The Morpheus ground contact law: a spring and damper to a saved place, with Coulomb limits (Cordova2014).

The paper's Sections II.C and II.D and Eqs. (1)-(3) are not in the text we have; this is their reconstruction. A point
that comes into contact saves its intercept S on the ground. With delta = P - S, in the frame of the facet:

    N = max(-k gap - c v_n, 0)        F_lat = -k delta_lat - c V_lat     (damped along the velocity, not along delta)

STATIC, once |F_lat| > mu_s N, becomes KINETIC. KINETIC scales F_lat down to mu_k N along its own direction, and once
|F_lat| <= mu_k N becomes STATIC again. What becomes of S while a point slides is not in the text either: see `rule`.

During a step a point feels one plane, that of its memory; planes, modes and saved places change between steps only. The
energy that such a change makes or takes is booked, and so is what the law stores in sliding without being paid for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.contact.model import (
    CONTACT_KINETIC,
    CONTACT_NONE,
    CONTACT_STATIC,
    AnchorGround,
    AnchorMemory,
    ContactLaw,
    PointContact,
)
from planetfall.contact.normal_response import BodyOnGround, SlidingPoints, SpringDamper, spring_damper
from planetfall.scenario.tables.contact.anchor import ContactAnchor
from planetfall.scenario.tables.vehicle.vehicle import ContactPoint

RULES = ("hold", "leash", "drag", "velocity")
RULE_HOLD = wp.constant(0)  # the saved place never moves: the literal reading
RULE_LEASH = wp.constant(1)  # it follows so that k |delta_lat| <= leash_ratio mu_s N
RULE_DRAG = wp.constant(2)  # it follows so that k |delta_lat| <= mu_k N: elastic-plastic
RULE_VELOCITY = wp.constant(3)  # it is forgotten; friction opposes the velocity until the point is slow

MODE_LOOSE = wp.constant(3)
"""Rule `velocity`: broken loose, but not yet as fast as `slip_speed`.

Without it, a point would stick again the moment it broke loose, were the step short enough.
"""
PLANE_SLACK = wp.constant(wp.float64(1.0e-9))
"""Distance [m] from the ground that a saved place may have without being put back on it: rounding, no more."""
NORMAL_SLACK = wp.constant(wp.float64(1.0e-9))
"""Difference of unit normals up to which a point feels the plane that it has: rounding, no more."""


@lru_cache
def anchor_params(n_bodies: int) -> Any:
    """The law's parameter struct; stiffness and damping follow from each body's own mass (Eqs. 4 and 5)."""
    per_body = wp.types.vector(length=n_bodies, dtype=wp.float64)

    @wp.struct
    class AnchorParams:
        stiffness: per_body  # k [N/m], per point
        damping: per_body  # c [N s/m], per point
        friction_static: wp.float64  # mu_s [-]
        friction_kinetic: wp.float64  # mu_k [-]
        leash_ratio: wp.float64  # [-]
        slip_speed: wp.float64  # [m/s]
        rule: wp.int32
        ray_offset: wp.float64  # [m] how far before a point its ray starts
        sights_B: wp.array(dtype=wp.vec3d)  # [point] lines of sight, unit, body axes
        reaches: wp.array(dtype=wp.float64)  # [point] from the start of its ray to the tip of its cushion [m]

    return AnchorParams


@wp.struct
class AnchorStretch:
    """A point against the plane of its memory.

    `gap` [m] and `v_n` [m/s] along the normal; `delta` [m] and `v_lat` [m/s] across it; `normal_force` [N]; `pull` [N],
    the lateral force of spring and damper before any Coulomb limit.
    """

    gap: wp.float64
    v_n: wp.float64
    delta: wp.vec3d
    v_lat: wp.vec3d
    normal_force: wp.float64
    pull: wp.vec3d


@lru_cache
def anchor_stretch(params: Any) -> Any:
    """`@wp.func (params, body, anchor, normal, position, velocity) -> AnchorStretch`."""

    @wp.func
    def stretch(
        law: params, body: int, anchor: wp.vec3d, normal: wp.vec3d, position: wp.vec3d, velocity: wp.vec3d
    ) -> AnchorStretch:
        out = AnchorStretch()
        from_anchor = position - anchor
        out.gap = wp.dot(from_anchor, normal)
        out.v_n = wp.dot(velocity, normal)
        out.delta = from_anchor - normal * out.gap
        out.v_lat = velocity - normal * out.v_n
        if out.gap < wp.float64(0.0):
            push = -law.stiffness[body] * out.gap - law.damping[body] * out.v_n
            out.normal_force = wp.max(push, wp.float64(0.0))
        out.pull = out.delta * -law.stiffness[body] - out.v_lat * law.damping[body]
        return out

    return stretch


@lru_cache
def anchor_stored(params: Any) -> Any:
    """`@wp.func (params, body, mode, stretch) -> elastic energy [J]`, of the springs along and across the normal."""

    @wp.func
    def stored(law: params, body: int, mode: wp.int32, at: AnchorStretch) -> wp.float64:
        if mode == CONTACT_NONE:
            return wp.float64(0.0)
        squared = wp.float64(0.0)
        if at.gap < wp.float64(0.0):
            squared = at.gap * at.gap
        if law.rule != RULE_VELOCITY or mode == CONTACT_STATIC:
            squared += wp.length_sq(at.delta)
        return wp.float64(0.5) * law.stiffness[body] * squared

    return stored


@lru_cache
def anchor_across(params: Any) -> Any:
    """`@wp.func (params, body, saved, stretch, lateral force) -> PointContact`, without the damper along the normal."""
    stored = anchor_stored(params)

    @wp.func
    def across(law: params, body: int, saved: AnchorMemory, at: AnchorStretch, lateral: wp.vec3d) -> PointContact:
        out = PointContact()
        out.elastic = stored(law, body, saved.mode, at)
        if saved.mode == CONTACT_STATIC:
            out.damper_power = -law.damping[body] * wp.length_sq(at.v_lat)
        else:
            power = wp.dot(lateral, at.v_lat)
            out.friction_power = wp.min(power, wp.float64(0.0))
            out.memory_power = wp.max(power, wp.float64(0.0))
            if law.rule != RULE_VELOCITY:  # the spring is wound up, whoever pays for it
                out.memory_power += law.stiffness[body] * wp.dot(at.delta, at.v_lat)
        out.force = saved.normal * at.normal_force + lateral
        out.normal_force = at.normal_force
        out.friction_force = wp.length(lateral)
        return out

    return across


@lru_cache
def anchor_contact(params: Any) -> Any:
    """Force, energy and power of one point from its memory alone."""
    stretch, across = anchor_stretch(params), anchor_across(params)

    @wp.func
    def sliding_force(law: params, at: AnchorStretch) -> wp.vec3d:
        limit = law.friction_kinetic * at.normal_force
        if law.rule == RULE_VELOCITY:
            return at.v_lat * (-limit / wp.max(wp.length(at.v_lat), law.slip_speed))
        size = wp.length(at.pull)
        if size > limit:
            return at.pull * (limit / size)
        return at.pull

    @wp.func
    def contact(law: params, body: int, saved: AnchorMemory, position: wp.vec3d, velocity: wp.vec3d) -> PointContact:
        if saved.mode == CONTACT_NONE:
            return PointContact()
        at = stretch(law, body, saved.anchor, saved.normal, position, velocity)
        lateral = at.pull
        if saved.mode != CONTACT_STATIC:
            lateral = sliding_force(law, at)
        out = across(law, body, saved, at, lateral)
        if at.gap < wp.float64(0.0):
            out.damper_power += (at.normal_force + law.stiffness[body] * at.gap) * at.v_n
        return out

    return contact


@wp.func
def on_new_facet(saved: AnchorMemory, ground: AnchorGround) -> AnchorMemory:
    """The saved place of a point that has come over another facet, projected along its normal."""
    out = saved
    out.anchor = saved.anchor - ground.normal * wp.dot(saved.anchor - ground.place, ground.normal)
    out.normal = ground.normal
    out.facet = ground.facet
    return out


@wp.func
def on_present_plane(saved: AnchorMemory, ground: AnchorGround) -> AnchorMemory:
    """A memory on the plane that the ground has under the point now.

    Below a valley the nearest ground is an edge or a corner, and the plane turns about it with the point.
    """
    away = wp.abs(wp.dot(saved.anchor - ground.place, ground.normal))
    turned = wp.length(ground.normal - saved.normal)
    if ground.facet != saved.facet or away > PLANE_SLACK or turned > NORMAL_SLACK:
        return on_new_facet(saved, ground)
    return saved


@wp.func
def on_the_ground(saved: AnchorMemory, ground: AnchorGround) -> AnchorMemory:
    """The memory of a touching point before it is judged: where it has come down, or on the plane under it now."""
    if saved.mode != CONTACT_NONE:
        return on_present_plane(saved, ground)
    out = AnchorMemory()
    out.mode = CONTACT_STATIC
    out.anchor = ground.place
    out.normal = ground.normal
    out.facet = ground.facet
    return out


@lru_cache
def anchor_longest(params: Any) -> Any:
    """`@wp.func (params, body, stretch) -> how far [m] the saved place of a sliding point may stay behind`."""

    @wp.func
    def longest(law: params, body: int, at: AnchorStretch) -> wp.float64:
        if law.rule == RULE_LEASH:
            return law.leash_ratio * law.friction_static * at.normal_force / law.stiffness[body]
        if law.rule == RULE_DRAG:
            return law.friction_kinetic * at.normal_force / law.stiffness[body]
        if law.rule == RULE_VELOCITY:
            return wp.float64(0.0)
        return wp.float64(1.0e300)

    return longest


@lru_cache
def anchor_friction_mode(params: Any) -> Any:
    """`@wp.func (params, mode, stretch) -> mode` after a point in contact was judged by Coulomb's limits."""

    @wp.func
    def friction_mode(law: params, mode: wp.int32, at: AnchorStretch) -> wp.int32:
        size = wp.length(at.pull)
        is_fast = wp.length(at.v_lat) >= law.slip_speed
        if mode == CONTACT_STATIC:
            if size <= law.friction_static * at.normal_force:
                return CONTACT_STATIC
            if law.rule == RULE_VELOCITY and not is_fast:
                return MODE_LOOSE
            return CONTACT_KINETIC
        if law.rule == RULE_VELOCITY and is_fast:
            return CONTACT_KINETIC
        if law.rule == RULE_VELOCITY and mode == CONTACT_KINETIC:
            return CONTACT_STATIC
        if size <= law.friction_kinetic * at.normal_force:
            return CONTACT_STATIC
        return mode

    return friction_mode


@lru_cache
def anchor_renew(params: Any) -> Any:
    """The memory of one point after a step, judged on the ground that was found for it."""
    stretch, stored = anchor_stretch(params), anchor_stored(params)
    longest, friction_mode = anchor_longest(params), anchor_friction_mode(params)

    @wp.func
    def renew(
        law: params, body: int, saved: AnchorMemory, ground: AnchorGround, position: wp.vec3d, velocity: wp.vec3d
    ) -> AnchorMemory:
        before = stored(law, body, saved.mode, stretch(law, body, saved.anchor, saved.normal, position, velocity))
        out = AnchorMemory()
        if ground.is_touching == 0:
            out.booked = -before
            return out
        out = on_the_ground(saved, ground)
        at = stretch(law, body, out.anchor, out.normal, position, velocity)
        out.mode = friction_mode(law, out.mode, at)
        if out.mode == CONTACT_KINETIC or (saved.mode == CONTACT_KINETIC and law.rule == RULE_VELOCITY):
            length = wp.length(at.delta)
            limit = longest(law, body, at)
            if length > limit:
                out.anchor += at.delta * (wp.float64(1.0) - limit / length)
                at = stretch(law, body, out.anchor, out.normal, position, velocity)
        out.booked = stored(law, body, out.mode, at) - before
        return out

    return renew


@wp.func
def anchor_reported(mode: wp.int32) -> wp.int32:
    """The law's modes are those of the result files, where a loose point is a kinetic one."""
    return wp.min(mode, CONTACT_KINETIC)


@dataclass(frozen=True)
class AnchorCoefficients(SpringDamper):
    """What follows from the inputs of the law: k and c (Eqs. 4, 5), and mu_s and mu_k as given."""

    friction_static: float
    friction_kinetic: float


def anchor_coefficients(contact: ContactAnchor, body: BodyOnGround) -> AnchorCoefficients:
    """k, c, mu_s, mu_k from the inputs and a body."""
    share, gravity = body.mass / (contact.loaded_points or max(body.n_points, 1)), contact.reference_gravity
    spring = spring_damper(share, gravity or body.gravity, contact.rest_penetration, contact.damping_ratio)
    return AnchorCoefficients(*spring, contact.friction_static, contact.friction_kinetic)


def fill_anchor(
    params: Draft, contact: ContactAnchor, bodies: Sequence[AnchorCoefficients], points: Sequence[ContactPoint]
) -> None:
    """Writes the numbers of the law's struct."""
    params.stiffness, params.damping = [each.stiffness for each in bodies], [each.damping for each in bodies]
    params.friction_static, params.friction_kinetic = bodies[0].friction_static, bodies[0].friction_kinetic
    params.leash_ratio, params.slip_speed = contact.leash_ratio, contact.slip_speed
    params.rule, params.ray_offset = RULES.index(contact.anchor_rule), contact.ray_offset
    params.sights_B = np.array([point.line_of_sight or (0.0, 0.0, 0.0) for point in points]).reshape(-1, 3)
    params.reaches = [contact.ray_offset + point.cushion for point in points]


def anchor_friction_rate(contact: ContactAnchor, sliding: SlidingPoints) -> float:
    """Rule `velocity` alone has friction that grows with the speed [1/s]; a spring or a limit has no such rate."""
    if contact.anchor_rule != "velocity":
        return 0.0
    return contact.friction_kinetic / contact.slip_speed * sliding.load * sliding.mobility / sliding.n_points


def anchor_limit(params: Any) -> Any:
    """The law's limit for ever shorter steps, for a method that locates events."""
    from planetfall.contact.anchor_located import anchor_located

    return anchor_located(params)


def anchor_on(contact: ContactAnchor, has_unit_normals: bool) -> ContactLaw:
    """The law as it finds the ground: by the gap, or along lines of sight."""
    return CONTACT_ANCHOR_SIGHTED if contact.detection == "line-of-sight" else CONTACT_ANCHOR


CONTACT_ANCHOR = ContactLaw(
    "anchor",
    ContactAnchor,
    anchor_params,
    fill_anchor,
    anchor_coefficients,
    anchor_friction_rate,
    "contact.slip_speed",
    ("friction_static", "friction_kinetic", "damping_ratio", "rest_penetration"),
    anchor_reported,
    anchored_contact=anchor_contact,
    renew=anchor_renew,
    located=anchor_limit,
    rounds_alike=True,
    holds_sideways=True,
    has_true_rest=True,
    variant=anchor_on,
)
CONTACT_ANCHOR_SIGHTED = replace(CONTACT_ANCHOR, name="anchor-sighted", is_sighted=True)

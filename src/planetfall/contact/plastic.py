"""Regolith that keeps its dent: loaded along one line, unloaded and loaded again along a steeper one.

At depth d, and with d_max the deepest that a point has been since it came into the ground:

    first loading, d = d_max:       N = K d
    unloading and reloading:        N = K_u (d - d_p), not less than 0       d_p = d_max (1 - K/K_u)

A point that comes back finds the ground at d_p. The ground can give back N^2/(2 K_u); the rest of the work of loading,
(1 - K/K_u) K d_max^2/2, stays in the dent (`work_plastic`). It is the linear law of WaltonBraun1986. A damper C may act
beside either spring, where the ground touches the point. Friction is the table of the marker law.

The dent is kept per point until the point is out of the ground: it goes with a point that slides, and one that has
bounced comes down on ground that is whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.draft import Draft
from planetfall.contact.model import MODE_APART, ContactLaw, PointContact
from planetfall.contact.normal_response import BodyOnGround, SpringDamper, Tangent
from planetfall.contact.slip_stick import (
    MODE_HOLLOW,
    MODE_UNLOADED,
    SlipStickParams,
    friction_coefficients,
    slip_segment,
    slip_stick,
    slip_stick_rate,
    slip_stick_reported,
    with_friction,
)
from planetfall.scenario.tables.contact.plastic import ContactPlastic
from planetfall.scenario.tables.vehicle.vehicle import ContactPoint
from planetfall.world.terrain.model import Ground

# modes 1, 2, 3: first loading; 5, 6, 7: unloading and reloading


@lru_cache
def plastic_params(n_bodies: int) -> Any:
    """The law's parameter struct: the ground is the same for all bodies."""

    @wp.struct
    class PlasticParams:
        stiffness: wp.float64  # K [N/m]
        unloading_stiffness: wp.float64  # K_u [N/m]
        kept_share: wp.float64  # 1 - K/K_u [-]: of the depth, and of the work of loading, that stays
        damping: wp.float64  # C [N s/m]
        friction: SlipStickParams

    return PlasticParams


@lru_cache
def plastic_mode(params: Any, is_held: bool) -> Any:
    """Branch of the law that a state belongs to.

    Where modes `is_held` during a step, first loading ends where the point turns back. Else it goes by the dent of the
    last evaluation alone: within a step a point may then go back along the line of loading, which costs nothing.
    """

    @wp.func
    def mode(law: params, body: int, ground: Ground, velocity: wp.vec3d) -> wp.int32:
        if ground.gap >= wp.float64(0.0):
            return MODE_APART
        v_n = wp.dot(velocity, ground.normal)
        is_loading = -ground.gap >= ground.dent
        if wp.static(is_held):
            is_loading = is_loading and v_n <= wp.float64(0.0)
        spring = law.unloading_stiffness * (-ground.gap - law.kept_share * ground.dent)
        branch = wp.int32(MODE_UNLOADED)
        if is_loading:
            spring = -law.stiffness * ground.gap
            branch = wp.int32(0)
        if spring <= wp.float64(0.0):
            return MODE_HOLLOW
        if spring - law.damping * v_n <= wp.float64(0.0):
            return MODE_UNLOADED
        across = velocity - ground.normal * (v_n / wp.length_sq(ground.normal))
        return branch + slip_segment(law.friction, wp.length_sq(across))

    return mode


@lru_cache
def plastic_contact(params: Any) -> Any:
    """Force, energy and power of one branch of the law."""

    @wp.func
    def contact(law: params, body: int, mode: wp.int32, ground: Ground, velocity: wp.vec3d) -> PointContact:
        out = PointContact()
        if mode == MODE_APART or mode == MODE_HOLLOW:
            return out
        v_n = wp.dot(velocity, ground.normal)
        spring = law.unloading_stiffness * (-ground.gap - law.kept_share * ground.dent)
        segment = mode - MODE_UNLOADED
        if mode < MODE_UNLOADED:
            spring = -law.stiffness * ground.gap
            segment = mode
            out.memory_power = law.kept_share * spring * v_n
        out.elastic = wp.float64(0.5) * spring * spring / law.unloading_stiffness
        if mode == MODE_UNLOADED:
            out.damper_power = -spring * v_n  # the damper alone holds the spring back
            return out
        push = spring - law.damping * v_n
        squared = wp.length_sq(ground.normal)
        v_t = velocity - ground.normal * (v_n / squared)
        out.force = ground.normal * push
        out.normal_force = push * wp.sqrt(squared)
        out.damper_power = -law.damping * v_n * v_n
        return with_friction(out, law.friction, segment, out.normal_force, v_t)

    return contact


@dataclass(frozen=True)
class PlasticResponse(SpringDamper):
    """K and C of first loading, K_u [N/m] of all else, mu1 and mu2."""

    unloading_stiffness: float
    friction_breakaway: float
    friction_sliding: float

    def tangent(self, depth: float, load: float) -> Tangent:
        """The steeper line is the one to follow."""
        return Tangent(self.unloading_stiffness, self.damping)

    def stored(self, depth: float) -> float:
        """What a point gives back from its deepest: (K d)^2/(2 K_u)."""
        return 0.5 * (self.stiffness * depth) ** 2 / self.unloading_stiffness

    def shown(self) -> dict[str, float]:
        """K, K_u and C."""
        return {**super().shown(), "unloading stiffness K_u [N/m] per point": self.unloading_stiffness}

    def summary(self) -> dict[str, float]:
        """K, K_u and C."""
        return {**super().summary(), "unloading_stiffness_N_m": self.unloading_stiffness}


def plastic_coefficients(contact: ContactPlastic, body: BodyOnGround) -> PlasticResponse:
    """K, C and K_u as given, mu1, mu2."""
    return PlasticResponse(
        contact.stiffness, contact.damping, contact.unloading_stiffness, *friction_coefficients(contact)
    )


def fill_plastic(
    params: Draft, contact: ContactPlastic, bodies: Sequence[PlasticResponse], points: Sequence[ContactPoint]
) -> None:
    """Writes the numbers of the law's struct."""
    params.stiffness, params.unloading_stiffness = contact.stiffness, contact.unloading_stiffness
    params.kept_share, params.damping = 1.0 - contact.stiffness / contact.unloading_stiffness, contact.damping
    params.friction = slip_stick(contact)


CONTACT_PLASTIC = ContactLaw(
    "plastic",
    ContactPlastic,
    plastic_params,
    fill_plastic,
    plastic_coefficients,
    slip_stick_rate,
    "contact.breakaway_speed",
    ("breakaway_angle_deg", "sliding_angle_deg", "damping"),
    slip_stick_reported,
    mode=plastic_mode,
    contact=plastic_contact,
    keeps_dent=True,
    work=("work_plastic", "energy that stayed in the dents of the ground, negative"),
    rounds_alike=True,
)

"""A contact law of one's own: sand that carries a load in proportion to the square of the depth, and damps it.

    N = K d^2 (1 + D d')        friction mu N, blended in below `creep_speed`

Named in a scenario by `plugins = ["soft_sand.py"]`, it is selected by `[contact] law = "soft-sand"`.
"""

from dataclasses import dataclass
from typing import Any, Literal

import warp as wp

from planetfall.plugins import (
    CONTACT_KINETIC,
    CONTACT_NONE,
    CONTACT_STATIC,
    MODE_APART,
    BodyOnGround,
    ContactLaw,
    Draft,
    Ground,
    NormalResponse,
    PointContact,
    SlidingPoints,
    Table,
    Tangent,
    choice,
    quantity,
    register,
)

MODE_CREEP = wp.constant(1)  # slower than creep_speed
MODE_SLIDE = wp.constant(2)


class SoftSandKeys(Table):
    """What a scenario gives under `[contact]`; the first key selects the law."""

    law: Literal["soft-sand"] = choice("name of the contact law")
    stiffness: float = quantity("N/m^2", "K: load over the square of the depth", gt=0)
    dissipation: float = quantity("s/m", "D: the load is 1 + D d' times the one at rest", 0.0, ge=0)
    friction: float = quantity("-", "mu of a sliding point", ge=0)
    creep_speed: float = quantity("m/s", "below it friction falls linearly to zero", 0.01, gt=0)
    sink: float = quantity("m", "how deep points go, by order of magnitude", 0.05, gt=0)

    @property
    def stop_speed(self) -> float:
        """A slide is over when the vehicle is slower for good [m/s]."""
        return self.creep_speed

    @property
    def needs_gravity(self) -> bool:
        """Whether the stiffness follows from the scenario's gravity."""
        return False


def params(n_bodies: int) -> Any:
    """Every number of the law; here the ground is the same for all bodies."""

    @wp.struct
    class SoftSandParams:
        stiffness: wp.float64  # K [N/m^2]
        dissipation: wp.float64  # D [s/m]
        friction: wp.float64  # mu [-]
        creep_speed: wp.float64  # [m/s]

    return SoftSandParams


def mode(struct: Any) -> Any:
    """Which smooth branch of the law a point is on: 0 wherever the gap is not negative."""

    @wp.func
    def mode_of(law: struct, body: int, ground: Ground, velocity: wp.vec3d) -> wp.int32:
        if ground.gap >= wp.float64(0.0):
            return MODE_APART
        v_n = wp.dot(velocity, ground.normal)
        v_t = velocity - ground.normal * (v_n / wp.length_sq(ground.normal))
        if wp.length(v_t) < law.creep_speed:
            return MODE_CREEP
        return MODE_SLIDE

    return mode_of


def contact(struct: Any) -> Any:
    """Force, stored energy and power of one branch, which has to go on smoothly a little beyond its border."""

    @wp.func
    def contact_of(law: struct, body: int, mode: wp.int32, ground: Ground, velocity: wp.vec3d) -> PointContact:
        out = PointContact()
        if mode == MODE_APART:
            return out
        depth = -ground.gap
        v_n = wp.dot(velocity, ground.normal)
        squared = wp.length_sq(ground.normal)  # 1 but for distance fields
        spring = law.stiffness * depth * wp.abs(depth)
        push = spring * wp.max(wp.float64(1.0) - law.dissipation * v_n, wp.float64(0.0))
        v_t = velocity - ground.normal * (v_n / squared)
        drag = law.friction / law.creep_speed
        if mode == MODE_SLIDE:
            drag = law.friction / wp.length(v_t)
        out.normal_force = push * wp.sqrt(squared)
        drag = drag * out.normal_force
        out.force = ground.normal * push - v_t * drag
        out.friction_force = drag * wp.length(v_t)
        out.elastic = spring * depth / wp.float64(3.0)
        out.damper_power = (push - spring) * v_n
        out.friction_power = -drag * wp.length_sq(v_t)
        return out

    return contact_of


@wp.func
def reported(mode: wp.int32) -> wp.int32:
    """The mode as result files have it."""
    if mode == MODE_APART:
        return CONTACT_NONE
    if mode == MODE_CREEP:
        return CONTACT_STATIC
    return CONTACT_KINETIC


@dataclass(frozen=True)
class SoftSand(NormalResponse):
    """The law's coefficients, and what they mean for steps and impacts before a run."""

    stiffness: float
    dissipation: float
    friction: float

    def tangent(self, depth: float, load: float) -> Tangent:
        """Slopes of the force at the deepest."""
        return Tangent(2.0 * self.stiffness * depth, self.dissipation * self.stiffness * depth**2)

    def stored(self, depth: float) -> float:
        """K d^3/3."""
        return self.stiffness * depth**3 / 3.0

    def peak_load(self, speed: float, mass: float, n_points: int) -> float:
        """At the depth of an impact without loss, with the loss at its full speed: an upper bound."""
        depth = self.impact_depth(speed, mass, n_points, 0.0)
        return n_points * self.stiffness * depth**2 * (1.0 + self.dissipation * speed)

    def rest_depth(self, load: float) -> float:
        """sqrt(W/K)."""
        return (load / self.stiffness) ** 0.5

    def shown(self) -> dict[str, float]:
        """What `planetfall show` prints."""
        return {"stiffness K [N/m^2] per point": self.stiffness, "dissipation D [s/m]": self.dissipation}

    def summary(self) -> dict[str, float]:
        """What summary.json has."""
        return {"stiffness_N_m2": self.stiffness, "dissipation_s_m": self.dissipation}


def coefficients(keys: SoftSandKeys, body: BodyOnGround) -> SoftSand:
    """Of one body; here the same for all."""
    return SoftSand(keys.stiffness, keys.dissipation, keys.friction)


def fill(params: Draft, keys: SoftSandKeys, bodies: Any, points: Any) -> None:
    """Writes the numbers into the struct."""
    params.stiffness, params.dissipation = keys.stiffness, keys.dissipation
    params.friction, params.creep_speed = keys.friction, keys.creep_speed


def friction_rate(keys: SoftSandKeys, sliding: SlidingPoints) -> float:
    """Rate [1/s] at which friction slows creeping points, for the step limit."""
    return keys.friction / keys.creep_speed * sliding.load * sliding.mobility / sliding.n_points


SOFT_SAND = ContactLaw(
    name="soft-sand",
    table=SoftSandKeys,
    params=params,
    fill=fill,
    coefficients=coefficients,
    friction_rate=friction_rate,
    friction_keys="contact.creep_speed",
    live_keys=("stiffness", "dissipation", "friction"),
    reported=reported,
    mode=mode,
    contact=contact,
)
register(SOFT_SAND)

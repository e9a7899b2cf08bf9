"""The small-body contact law: springs at every vertex, friction and rolling at one point (VanWal2017, Section 4).

Normal force of each vertex at depth d with outward raw gradient n: (k d + c max(v_in, 0)) n, damped in compression
only. Friction acts at the depth-weighted mean of the vertices (Eq. 4), and blends from stick to slip:

    F = eta F_slip + (1 - eta) F_stick           eta(s) = s (2 - s), s = min(|v_T|/v*, 1)
    F_slip = -mu F_N v_T/|v_T|                   F_stick holds v_T at zero, capped at mu_s F_N
    L = eta L_roll + (1 - eta) L_stick           likewise with omega, omega* and C_RR F_N

The rolling torque comes with a force at the centre of mass that leaves v_T as it is, as far as friction and rolling
torque pay for its power. The paper gives neither the stick formulas nor eta nor that limit: the first and the last are
derived, eta needs a slope at zero, or nothing ever settles.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.compute.fused import (
    crossed,
    dotted,
    fma,
    length_of,
    minus,
    minus_vector,
    plus_crossed,
    plus_scaled,
    turned,
)
from planetfall.contact.model import (
    CONTACT_KINETIC,
    CONTACT_NONE,
    MODE_APART,
    ContactLaw,
    PointContact,
    PointResultant,
    ResultantForce,
)
from planetfall.contact.normal_response import BodyOnGround, SlidingPoints, SpringDamper
from planetfall.scenario.tables.contact.distributed import ContactDistributed
from planetfall.scenario.tables.vehicle.vehicle import ContactPoint
from planetfall.world.terrain.model import Ground

MODE_TOUCHING = wp.constant(1)
"""Whether a vertex is damped is no mode of its own: the force has no jump there, and to stop a step at every turn of a
rocking body costs more than the error control, which sees the bend."""
COMPANION_CREEP = wp.constant(wp.float64(0.25))
"""Speed along the companion force of rolling resistance, of v*, at which a body that hardly moves has to pay for it.

At rest stick needs that force whichever way the body creeps, so that it must not hang on the sign of a power that
vanishes. It is at most mu F_N, and within a quarter of v* this changes the acceleration no faster with the speed than
friction does, by 2 mu F_N/v* (1/m + r^2/I), as I < m r^2.
"""

BLEND_RETURNS = wp.constant(wp.float64(0.0671))
"""The largest s (2 (1 - s)^2 - 1), at s = (4 - sqrt(10))/6."""
STICK_RETURNS = wp.constant(wp.float64(0.1482))
"""The largest s (1 - s)^2, 4/27."""


@lru_cache
def distributed_params(n_bodies: int) -> Any:
    """The law's parameter struct."""
    per_body = wp.types.vector(length=n_bodies, dtype=wp.float64)

    @wp.struct
    class DistributedParams:
        stiffness: per_body  # k [N/m], per vertex
        damping: per_body  # c [N s/m], per vertex
        friction: wp.float64  # mu [-]
        friction_static: wp.float64  # mu_s [-]
        rolling_resistance: wp.float64  # C_RR [m]
        per_slip_speed: wp.float64  # 1/v* [s/m]
        per_roll_rate: wp.float64  # 1/omega* [s/rad]

    return DistributedParams


@lru_cache
def distributed_mode(params: Any) -> Any:
    """Branch of the law that an instantaneous state belongs to."""

    @wp.func
    def mode(law: params, body: int, ground: Ground, velocity: wp.vec3d) -> wp.int32:
        if ground.gap >= wp.float64(0.0):
            return MODE_APART
        return MODE_TOUCHING

    return mode


@lru_cache
def distributed_contact(params: Any) -> Any:
    """Normal force, energy and power of one vertex."""

    @wp.func
    def contact(law: params, body: int, mode: wp.int32, ground: Ground, velocity: wp.vec3d) -> PointContact:
        out = PointContact()
        if mode == MODE_APART:
            return out
        v_n = dotted(velocity, ground.normal)
        inward = wp.where(v_n < wp.float64(0.0), minus(v_n), wp.float64(0.0))
        push = fma(law.damping[body], inward, minus(law.stiffness[body]) * ground.gap)
        out.damper_power = minus(law.damping[body]) * inward * inward
        out.force = ground.normal * push
        out.normal_force = push * length_of(ground.normal)
        out.depth = minus(ground.gap)
        out.elastic = wp.float64(0.5) * law.stiffness[body] * ground.gap * ground.gap
        return out

    return contact


@wp.func
def blend(s: wp.float64) -> wp.float64:
    """eta: from 0, all stick, to 1 from s = 1 on, all slip."""
    capped = wp.min(s, wp.float64(1.0))
    return capped * (wp.float64(2.0) - capped)


@wp.func
def slip_slope(speed: wp.float64, per_speed: wp.float64) -> wp.float64:
    """The blend over the speed, s (2 - s)/v below v*: without a quotient that may be nothing over nothing."""
    return per_speed * fma(minus(speed), per_speed, wp.float64(2.0))


@wp.func
def capped_at(v: wp.vec3d, limit: wp.float64) -> wp.vec3d:
    """A vector, shortened to a length where it is longer."""
    squared = dotted(v, v)
    if squared > limit * limit:
        return v * (limit / wp.sqrt(squared))
    return v


@wp.func
def across(v: wp.vec3d, normal: wp.vec3d) -> wp.vec3d:
    """The part of a vector in the plane across a unit normal."""
    return plus_scaled(v, normal, minus(dotted(v, normal)))


@wp.struct
class Tangents:
    """Two vectors that span a plane, at right angles and equally long, though not of unit length."""

    first: wp.vec3d
    second: wp.vec3d


@wp.func
def tangents(normal: wp.vec3d) -> Tangents:
    """Of the plane across a unit normal."""
    zero = wp.float64(0.0)
    out = Tangents()
    out.first = wp.vec3d(zero, normal[2], minus(normal[1]))  # normal x (1, 0, 0)
    if wp.abs(normal[0]) > wp.float64(0.9):
        out.first = wp.vec3d(minus(normal[2]), zero, normal[0])  # normal x (0, 1, 0)
    out.second = crossed(normal, out.first)
    return out


@wp.func
def holding_force(e: Tangents, a: wp.float64, b: wp.float64, c: wp.float64, drift: wp.vec3d) -> wp.vec3d:
    """The force [N] in the plane of E = (e1, e2) that undoes an acceleration A there: -E (E^T K E)^-1 E^T A.

    `a`, `b`, `c` are e1.K e1, e1.K e2 and e2.K e2 [1/kg], where K is what forces add to the acceleration; `drift` is A
    [m/s^2]. The result does not depend on the lengths of e1 and e2.
    """
    p = dotted(e.first, drift)
    q = dotted(e.second, drift)
    inverse = wp.float64(1.0) / fma(a, c, minus(b * b))
    return plus_scaled(e.first * (fma(b, q, minus(c * p)) * inverse), e.second, fma(b, p, minus(a * q)) * inverse)


@wp.func
def held_by(e: Tangents, response: wp.mat33d, drift: wp.vec3d) -> wp.vec3d:
    """The holding force where all of K, symmetric, is known."""
    k2 = turned(response, e.second)
    a = dotted(e.first, turned(response, e.first))
    return holding_force(e, a, dotted(e.first, k2), dotted(e.second, k2), drift)


@wp.func
def stretched(diagonal: wp.mat33d, a: wp.vec3d) -> wp.vec3d:
    """The product of a diagonal matrix with a."""
    return wp.vec3d(diagonal[0, 0] * a[0], diagonal[1, 1] * a[1], diagonal[2, 2] * a[2])


@lru_cache
def stick_force(yields: bool, is_diagonal: bool) -> Any:
    """`@wp.func (together) -> force [N]` at the application point that keeps its tangential velocity."""
    times = stretched if is_diagonal else turned

    @wp.func
    def held_body(e: Tangents, g: PointResultant) -> wp.vec3d:
        """The holding force at the application point of a rigid body: e.K f is e.f/m + (r x e).I^-1 (r x f)."""
        u = crossed(g.arm, e.first)
        v = crossed(g.arm, e.second)
        turn = times(g.inertia_inverse, v)
        give = dotted(e.first, e.first) * g.mass_inverse
        a = give + dotted(u, times(g.inertia_inverse, u))
        return holding_force(e, a, dotted(u, turn), give + dotted(v, turn), g.drift)

    @wp.func
    def stick(g: PointResultant) -> wp.vec3d:
        e = tangents(g.normal)
        if wp.static(yields):
            arm = wp.skew(g.arm)
            coupled = g.couple * arm
            response = g.give + coupled + wp.transpose(coupled) - arm * g.inertia_inverse * arm
            return held_by(e, response, g.drift)
        else:
            return held_body(e, g)

    return stick


@wp.struct
class RollingCompanion:
    """What comes with a rolling torque: `force` [N] at the centre of mass, `torque` [N m] where something yields."""

    force: wp.vec3d
    torque: wp.vec3d


@lru_cache
def distributed_resultant(params: Any, yields: bool, is_diagonal: bool) -> Any:
    """Friction and rolling resistance of a body, which `yields` where something inside it is free to move."""
    is_plain = is_diagonal and not yields  # what yields makes of the inertia need not be diagonal
    sticking_force, times = stick_force(yields, is_plain), stretched if is_plain else turned

    @wp.func
    def friction_of(law: params, g: PointResultant, slip: wp.float64, v_t: wp.vec3d, speed: wp.float64) -> wp.vec3d:
        limit = law.friction * g.load
        if slip == wp.float64(1.0):
            return v_t * (minus(limit) / speed)
        sticking = capped_at(sticking_force(g), law.friction_static * g.load)
        return plus_scaled(
            v_t * (minus(limit) * slip_slope(speed, law.per_slip_speed)), sticking, wp.float64(1.0) - slip
        )

    @wp.func
    def rolling_of(law: params, g: PointResultant, roll: wp.float64, rate: wp.float64, friction: wp.vec3d) -> wp.vec3d:
        limit = law.rolling_resistance * g.load
        if roll == wp.float64(1.0):
            return g.omega * (minus(limit) / rate)
        needed = plus_crossed(times(g.inertia, g.spin_up), g.arm, friction)
        if wp.static(yields):
            needed += g.inertia * (wp.transpose(g.couple) * friction)
        sticking = capped_at(minus_vector(needed), limit)
        return plus_scaled(
            g.omega * (minus(limit) * slip_slope(rate, law.per_roll_rate)), sticking, wp.float64(1.0) - roll
        )

    @wp.func
    def companion_of(g: PointResultant, torque: wp.vec3d) -> RollingCompanion:
        """The force that leaves v_T as it is where a rolling torque acts, and the torque that it does not turn with."""
        out = RollingCompanion()
        turn = crossed(g.arm, times(g.inertia_inverse, torque))
        if wp.static(yields):
            # a force that does not turn the body, as one at the centre of mass of a rigid body does not
            back = g.inertia * wp.transpose(g.couple)
            unturning = g.give - g.couple * back
            out.force = held_by(tangents(g.normal), unturning, g.couple * torque - turn)
            out.torque = minus_vector(back * out.force)
        else:
            out.force = across(turn, g.normal) * g.mass
        return out

    @wp.func
    def add_rolling(law: params, g: PointResultant, v_t: wp.vec3d, out: wp.ref[ResultantForce]):
        """The rolling torque, and as much of its companion force as friction and torque pay for."""
        rate = length_of(g.omega)
        roll = blend(rate * law.per_roll_rate)
        torque = rolling_of(law, g, roll, rate, out.friction)
        companion = companion_of(g, torque)
        needed = dotted(companion.force, plus_crossed(g.velocity, g.arm, g.omega))  # by the velocity at the centre
        if wp.static(yields):
            needed += dotted(companion.torque, g.omega)
        paid = minus(dotted(out.friction, v_t) + dotted(torque, g.omega))
        if needed > wp.max(paid, wp.float64(0.0)):
            sticking = (wp.float64(1.0) - out.slip) * (wp.float64(1.0) - roll)
            creep = COMPANION_CREEP * sticking * length_of(companion.force) / law.per_slip_speed
            share = wp.min((wp.max(paid, wp.float64(0.0)) + creep) / needed, wp.float64(1.0))
            companion.force = companion.force * share
            companion.torque = companion.torque * share
        out.rolling_force = companion.force
        out.rolling_torque = torque
        if wp.static(yields):
            out.rolling_torque += companion.torque

    @wp.func
    def resultant(law: params, g: PointResultant) -> ResultantForce:
        out = ResultantForce()
        v_t = across(g.velocity, g.normal)
        speed = length_of(v_t)
        out.slip = blend(speed * law.per_slip_speed)
        out.friction = friction_of(law, g, out.slip, v_t, speed)
        if law.rolling_resistance > wp.float64(0.0):
            add_rolling(law, g, v_t, out)
        return out

    return resultant


@lru_cache
def distributed_returned(params: Any) -> Any:
    """Speed [m/s] by which the load bounds the power that stick gives back (`docs/models/distributed-contact.md`).

    With s = |v_T|/v*, friction gives back at most v* s ((mu_s + mu)(1 - s)^2 - mu) for each N, which for mu_s = mu is
    0.0671 mu v* at most, and mu_s v* s (1 - s)^2, or 4/27 mu_s v*, whatever mu; rolling likewise. The companion force
    is at most mu F_N, and creeps at a quarter of v*.
    """

    @wp.func
    def most(law: params) -> wp.float64:
        share = law.friction * BLEND_RETURNS
        if law.friction_static > law.friction:
            share = law.friction_static * STICK_RETURNS
        if law.rolling_resistance > wp.float64(0.0):
            share += law.friction * COMPANION_CREEP
            return share / law.per_slip_speed + law.rolling_resistance * BLEND_RETURNS / law.per_roll_rate
        return share / law.per_slip_speed

    return most


@wp.func
def distributed_reported(mode: wp.int32) -> wp.int32:
    """A vertex in the ground; whether it sticks is the body's, not its own."""
    if mode == MODE_APART:
        return CONTACT_NONE
    return CONTACT_KINETIC


@dataclass(frozen=True)
class DistributedCoefficients(SpringDamper):
    """What follows from the inputs of the law: k and c of each vertex, mu, mu_s, and C_RR [m]."""

    friction: float
    friction_static: float
    rolling_resistance: float


def distributed_coefficients(contact: ContactDistributed, body: BodyOnGround) -> DistributedCoefficients:
    """k, c, mu, mu_s, C_RR from the inputs and a body."""
    stiffness, damping = contact.spring_damper(body.mass)
    static = contact.friction if contact.friction_static is None else contact.friction_static
    return DistributedCoefficients(stiffness, damping, contact.friction, static, contact.rolling_resistance)


def fill_distributed(
    params: Draft, contact: ContactDistributed, bodies: Sequence[DistributedCoefficients],
    points: Sequence[ContactPoint],
) -> None:  # fmt: skip
    """Writes the numbers of the law's struct."""
    params.stiffness, params.damping = [each.stiffness for each in bodies], [each.damping for each in bodies]
    params.friction, params.friction_static = bodies[0].friction, bodies[0].friction_static
    params.rolling_resistance = bodies[0].rolling_resistance
    params.per_slip_speed, params.per_roll_rate = 1.0 / contact.slip_speed, 1.0 / contact.roll_rate


def distributed_friction_rate(contact: ContactDistributed, sliding: SlidingPoints) -> float:
    """Of friction at one point of the body and of rolling resistance, blended in by s (2 - s) [1/s]."""
    hub, tips = sliding.vehicle.hub, sliding.vehicle.tips
    far = np.max(np.linalg.norm(tips - hub.center, axis=1))
    least = float(np.linalg.eigvalsh(hub.inertia)[0])
    slip = 2.0 * contact.friction * sliding.load / contact.slip_speed * (1.0 / hub.mass + far**2 / least)
    return float(max(slip, 2.0 * contact.rolling_resistance * sliding.load / contact.roll_rate / least))


CONTACT_DISTRIBUTED = ContactLaw(
    "distributed",
    ContactDistributed,
    distributed_params,
    fill_distributed,
    distributed_coefficients,
    distributed_friction_rate,
    "contact.slip_speed or roll_rate",
    ("friction", "friction_static", "rolling_resistance", "stiffness", "damping", "restitution"),
    distributed_reported,
    mode=distributed_mode,
    contact=distributed_contact,
    rounds_alike=True,
    resultant=distributed_resultant,
    returned=distributed_returned,
)

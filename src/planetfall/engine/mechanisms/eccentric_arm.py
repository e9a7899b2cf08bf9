"""Eccentric arms in the state of a trajectory: how a body moves whose arm swings, and how it yields to a push.

The state of such a body is that of its reference point O, fixed in the body, where its centre of mass is with the arm
at angle zero; `vehicle.arms` has the equations. With the arm's acceleration eliminated,

    (I - b b^T/d) omega*' = L - omega* x H - s I_theta omega* - s^2 b_theta - (b/d) q,  q = tau + ... - F.c_theta

A push on the body at O, force F and torque L, then changes its accelerations by

    omega' += W L + B^T F,  a_O += A F + B L           W = (I - b b^T/d)^-1,  G = -[c] + b c_theta^T/d,  B = G^T W
                                                       A = 1/m + c_theta c_theta^T/d + G^T W G
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.state.inertia import inertia_matrices
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.arms import ArmGeometry, arm_geometry
from planetfall.vehicle.body import AppliedForces, BodyState


@wp.struct
class ArmRates:
    """`acceleration` [m/s^2] of O, surface frame; `turning` omega' [rad/s^2], body components; `arm` s' [rad/s^2]."""

    acceleration: wp.vec3d
    turning: wp.vec3d
    arm: wp.float64


@wp.struct
class Mobility:
    """How a body yields to a push at O, body axes: `inertia_inverse` W, `inertia_free` W^-1, `couple` B, `give` A."""

    inertia_inverse: wp.mat33d
    inertia_free: wp.mat33d
    couple: wp.mat33d
    give: wp.mat33d


@wp.func
def at_center_with_arm(state: BodyState, geometry: ArmGeometry) -> BodyState:
    """The state with position and velocity of the centre of mass, which the arm moves."""
    out = state
    relative = wp.cross(state.omega_B, geometry.center) + geometry.center_by * state.arm_speed
    out.position = state.position + state.R_SB * geometry.center
    out.velocity = state.velocity + state.R_SB * relative
    return out


@lru_cache
def arm_geometry_of(assembly: Assembly) -> Any:
    """`@wp.func (params, body index, state) -> ArmGeometry`."""
    params = assembly.params

    @wp.func
    def geometry(p: wp.ref[params], b: int, state: BodyState) -> ArmGeometry:
        return arm_geometry(p.arms, b, p.mass[b], state.arm_angle)

    return geometry


@lru_cache
def arm_rates(assembly: Assembly) -> Any:
    """`@wp.func (params, body index, state, applied, the ground's force, its torque about O) -> ArmRates`."""
    params, has_spin, shape_of = assembly.params, assembly.has_spin, arm_geometry_of(assembly)
    inertia, free, _ = inertia_matrices(assembly)

    @wp.func
    def rates(
        p: wp.ref[params],
        b: int,
        state: BodyState,
        applied: AppliedForces,
        ground_force: wp.vec3d,
        ground_torque: wp.vec3d,
    ) -> ArmRates:
        arm = shape_of(p, b, state)
        w = state.omega_B
        s = state.arm_speed
        total = w
        if wp.static(has_spin):
            total = w + wp.transpose(state.R_SB) * p.frame.omega
        force = applied.force_B + ground_force
        torque = applied.torque_B + ground_torque - wp.cross(arm.center, force)
        momentum = (inertia(p, b) + arm.shift) * total + arm.offset * s + state.stored_B
        changed = arm.shift_by * total
        torque -= wp.cross(total, momentum) + changed * s + arm.offset_by * (s * s)
        lift = applied.motor + wp.float64(0.5) * wp.dot(total, changed) - wp.dot(force, arm.center_by)
        left = free(p, b) + arm.shift - wp.outer(arm.offset, arm.offset) / arm.resistance
        turning = wp.inverse(left) * (torque - arm.offset * (lift / arm.resistance))
        out = ArmRates()
        out.arm = (lift - wp.dot(arm.offset, turning)) / arm.resistance
        out.turning = turning
        if wp.static(has_spin):
            out.turning -= wp.cross(total, w)
        lever = wp.cross(out.turning, arm.center) + wp.cross(w, wp.cross(w, arm.center))
        lever += wp.cross(w, arm.center_by) * (wp.float64(2.0) * s) + arm.center_by * out.arm + arm.bend * (s * s)
        out.acceleration = applied.acceleration + state.R_SB * (ground_force * p.mass_inverse[b] - lever)
        return out

    return rates


@lru_cache
def mobility(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, body index, state) -> Mobility`, of bodies with an arm or without one."""
    params, has_arm_here, shape_of = assembly.params, assembly.has_arm(i_body), arm_geometry_of(assembly)
    _, free, inverse = inertia_matrices(assembly)

    @wp.func
    def respond(p: wp.ref[params], b: int, state: BodyState) -> Mobility:
        out = Mobility()
        out.give = wp.identity(n=3, dtype=wp.float64) * p.mass_inverse[b]
        if wp.static(has_arm_here):
            arm = shape_of(p, b, state)
            out.inertia_free = free(p, b) + arm.shift - wp.outer(arm.offset, arm.offset) / arm.resistance
            out.inertia_inverse = wp.inverse(out.inertia_free)
            lever = wp.outer(arm.offset, arm.center_by) / arm.resistance - wp.skew(arm.center)
            out.couple = wp.transpose(lever) * out.inertia_inverse
            out.give += wp.outer(arm.center_by, arm.center_by) / arm.resistance + out.couple * lever
        else:
            out.inertia_free = free(p, b)
            out.inertia_inverse = inverse(p, b)
        return out

    return respond


@lru_cache
def arm_energy(assembly: Assembly) -> Any:
    """`@wp.func (params, body index, state, spin_B) -> (kinetic, centrifugal)` [J] of what the arm adds about c."""
    params, shape_of = assembly.params, arm_geometry_of(assembly)

    @wp.func
    def energy(p: wp.ref[params], b: int, state: BodyState, spin_B: wp.vec3d) -> wp.vec2d:
        arm = shape_of(p, b, state)
        w = state.omega_B
        s = state.arm_speed
        half = wp.float64(0.5)
        kinetic = half * wp.dot(w, arm.shift * w) + s * wp.dot(w, arm.offset) + half * arm.resistance * s * s
        return wp.vec2d(kinetic, -half * wp.dot(spin_B, arm.shift * spin_B))

    return energy

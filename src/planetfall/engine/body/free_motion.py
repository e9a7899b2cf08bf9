"""How a body moves under a force and a torque, and how it yields to a push.

With C the centre of mass, at c from the reference point O, omega* = omega + Omega the inertial rate, I the inertia
about C and H = I omega* + h with h what rotors and the arm hold, all in body components,

    I omega*' = L_C - omega* x H,  a_C = F/m + g - Omega x (Omega x r_C) - 2 Omega x v_C
    omega' = omega*' - omega* x omega,  a_O = a_C - omega' x c - omega x (omega x c)

of what rotors leave of I. Thrust is the whole effect of an exhaust; flow inside the vehicle is left out. The arm of a
body turns with it (`vehicle.arms`); with its acceleration eliminated,

    (I - b b^T/d) omega*' = L - omega* x H - s I_theta omega* - s^2 b_theta - (b/d) q,  q = tau + ... - F.c_theta

A push on the body at O, force F and torque L, changes its accelerations by

    omega' += W L + B^T F,  a_O += A F + B L           W = (I - b b^T/d)^-1,  G = -[c] + b c_theta^T/d,  B = G^T W
                                                       A = 1/m + c_theta c_theta^T/d + G^T W G
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.fused import plus_crossed, plus_turned, turned_back
from planetfall.engine.body.mass_properties import body_inertia, inertia_matrices, joint_of
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.arms import ArmGeometry
from planetfall.vehicle.body import BodyState
from planetfall.vehicle.mass import MassProperties


@wp.struct
class BodyRates:
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


@lru_cache
def turning(assembly: Assembly) -> Any:
    """`@wp.func (params, body index, state, torque_B) -> omega' [rad/s^2]` of a body whose centre of mass is O."""
    params, has_spin, has_rotors = assembly.params, assembly.has_spin, assembly.has_rotors
    inertia_apply, inertia_solve = body_inertia(assembly)

    @wp.func
    def turn(p: wp.ref[params], b: int, state: BodyState, torque_B: wp.vec3d) -> wp.vec3d:
        total = state.omega_B
        if wp.static(has_spin):
            total = state.omega_B + turned_back(state.R_SB, p.frame.omega)
        momentum = inertia_apply(p, b, total)
        if wp.static(has_rotors):
            momentum += state.stored_B
        rate = inertia_solve(p, b, plus_crossed(torque_B, momentum, total))
        if wp.static(has_spin):
            rate = plus_crossed(rate, state.omega_B, total)
        return rate

    return turn


@lru_cache
def free_inertia(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, body index, properties) -> inertia [kg m^2]` that rotors leave, arm at angle zero."""
    params, loses_mass, has_rotors = assembly.params, assembly.loses_mass(i_body), assembly.has_rotors
    inertia, free, _ = inertia_matrices(assembly)

    @wp.func
    def left(p: wp.ref[params], b: int, properties: wp.ref[MassProperties]) -> wp.mat33d:
        if wp.static(loses_mass and has_rotors):
            return properties.inertia - (inertia(p, b) - free(p, b))
        elif wp.static(loses_mass):
            return properties.inertia
        else:
            return free(p, b)

    return left


@lru_cache
def body_rates(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, body index, state, applied, the ground's force_B and torque_B about O, properties)`."""
    applied_type = assembly.plan.applied_forces
    params, moves = assembly.params, assembly.moves_center(i_body)
    turn, has_torques = turning(assembly), assembly.has_torques
    moving_rates: Any = _rates_about_moving_center(assembly, i_body) if moves else None
    is_held = assembly.is_held(i_body)

    @wp.func
    def rates(
        p: wp.ref[params], b: int, state: wp.ref[BodyState], applied: wp.ref[applied_type], force_B: wp.vec3d,
        torque_B: wp.vec3d, properties: wp.ref[MassProperties],
    ) -> BodyRates:  # fmt: skip
        if wp.static(moves):
            return moving_rates(p, b, state, applied, force_B, torque_B, properties)
        else:
            out = BodyRates()
            out.acceleration = plus_turned(applied.acceleration, state.R_SB, force_B * p.mass_inverse[b])
            torque = torque_B
            if wp.static(has_torques):
                torque += applied.torque_B
            if wp.static(not is_held):
                out.turning = turn(p, b, state, torque)
            return out

    return rates


def _rates_about_moving_center(assembly: Assembly, i_body: int) -> Any:
    """`body_rates` of a body whose centre of mass is not always O."""
    applied_type = assembly.plan.applied_forces
    params, has_spin, has_rotors = assembly.params, assembly.has_spin, assembly.has_rotors
    loses_mass, has_joint = assembly.loses_mass(i_body), assembly.has_joint(i_body)
    is_held = assembly.is_held(i_body)
    arm_at, free, inertia = joint_of(assembly, i_body), free_inertia(assembly, i_body), inertia_matrices(assembly)[0]

    @wp.func
    def rates(
        p: wp.ref[params], b: int, state: BodyState, applied: wp.ref[applied_type], ground_force: wp.vec3d,
        ground_torque: wp.vec3d, properties: wp.ref[MassProperties],
    ) -> BodyRates:  # fmt: skip
        w = state.omega_B
        s = state.arm_speed
        total = w
        if wp.static(has_spin):
            total = w + wp.transpose(state.R_SB) * p.frame.omega
        c = properties.center_B
        whole = inertia(p, b)
        if wp.static(loses_mass):
            whole = properties.inertia
        arm = ArmGeometry()
        if wp.static(has_joint):
            arm = arm_at(p, b, state, properties)
            c = arm.center
            whole += arm.shift
        force = applied.force_B + ground_force
        torque = applied.torque_B + ground_torque - wp.cross(c, force)
        momentum = whole * total
        if wp.static(has_joint):
            momentum += arm.offset * s
        if wp.static(has_rotors):
            momentum += state.stored_B
        gyroscopic = wp.cross(total, momentum)
        out = BodyRates()
        if wp.static(has_joint):
            changed = arm.shift_by * total
            torque -= gyroscopic + changed * s + arm.offset_by * (s * s)
            lift = applied.motor + wp.float64(0.5) * wp.dot(total, changed) - wp.dot(force, arm.center_by)
            left = free(p, b, properties) + arm.shift - wp.outer(arm.offset, arm.offset) / arm.resistance
            out.turning = wp.inverse(left) * (torque - arm.offset * (lift / arm.resistance))
            out.arm = (lift - wp.dot(arm.offset, out.turning)) / arm.resistance
        else:
            out.turning = properties.inverse * (torque - gyroscopic)
        if wp.static(has_spin):
            out.turning -= wp.cross(total, w)
        if wp.static(is_held):
            out.turning = wp.vec3d()
        lever = wp.cross(out.turning, c) + wp.cross(w, wp.cross(w, c))
        if wp.static(has_joint):
            lever += wp.cross(w, arm.center_by) * (wp.float64(2.0) * s) + arm.center_by * out.arm + arm.bend * (s * s)
        pushed = ground_force * p.mass_inverse[b]
        if wp.static(loses_mass):
            pushed = ground_force / properties.mass
        out.acceleration = applied.acceleration + state.R_SB * (pushed - lever)
        return out

    return rates


@lru_cache
def mobility(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, body index, state, properties) -> Mobility`."""
    params, loses_mass, has_joint = assembly.params, assembly.loses_mass(i_body), assembly.has_joint(i_body)
    arm_at, left = joint_of(assembly, i_body), free_inertia(assembly, i_body)
    _, free, inverse = inertia_matrices(assembly)

    @wp.func
    def respond(p: wp.ref[params], b: int, state: BodyState, properties: wp.ref[MassProperties]) -> Mobility:
        out = Mobility()
        out.give = wp.identity(n=3, dtype=wp.float64) * p.mass_inverse[b]
        if wp.static(loses_mass):
            out.give = wp.identity(n=3, dtype=wp.float64) / properties.mass
        if wp.static(has_joint):
            arm = arm_at(p, b, state, properties)
            out.inertia_free = left(p, b, properties) + arm.shift - wp.outer(arm.offset, arm.offset) / arm.resistance
            out.inertia_inverse = wp.inverse(out.inertia_free)
            lever = wp.outer(arm.offset, arm.center_by) / arm.resistance - wp.skew(arm.center)
            out.couple = wp.transpose(lever) * out.inertia_inverse
            out.give += wp.outer(arm.center_by, arm.center_by) / arm.resistance + out.couple * lever
        elif wp.static(loses_mass):
            out.inertia_free = left(p, b, properties)
            out.inertia_inverse = properties.inverse
            out.couple = wp.skew(properties.center_B) * out.inertia_inverse
            out.give -= out.couple * wp.skew(properties.center_B)
        else:
            out.inertia_free = free(p, b)
            out.inertia_inverse = inverse(p, b)
        return out

    return respond

"""The forces on a body off the ground: gravity, the turning frame, forces, tethers, engines, arms; and how it turns."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.fused import crossed, plus_crossed, turned_back
from planetfall.engine.mechanisms.chain import rates_of_mechanisms, wrench_of_mechanisms
from planetfall.engine.mechanisms.eccentric_arm import arm_geometry_of, at_center_with_arm
from planetfall.engine.mechanisms.environment import gravity_at, surroundings
from planetfall.engine.mechanisms.flywheel import wheel_reaction
from planetfall.engine.mechanisms.propulsion import at_center, engine_push, exhaust_power, mass_properties_of
from planetfall.engine.mechanisms.tether import tether_wrench_on, tether_wrenches_vector
from planetfall.engine.state.inertia import body_inertia
from planetfall.engine.structure.assembly import Assembly, FrameParams
from planetfall.vehicle.arms import arm_torque
from planetfall.vehicle.body import AppliedForces, BodyState
from planetfall.vehicle.engines import MassProperties


@wp.struct
class Rates:
    """`acceleration` [m/s^2] of the reference point, surface frame; `turning`: omega' [rad/s^2], body components."""

    acceleration: wp.vec3d
    turning: wp.vec3d


@wp.func
def inertial_acceleration(frame: FrameParams, position: wp.vec3d, velocity: wp.vec3d) -> wp.vec3d:
    """Centrifugal and Coriolis acceleration [m/s^2] in the rotating frame."""
    r = position - frame.center
    return crossed(plus_crossed(velocity * wp.float64(2.0), frame.omega, r), frame.omega)


@lru_cache
def applied_forces(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (dy, t, t_branch, y, params, body index, state, tether_wrenches) -> AppliedForces`.

    Fills in the rates of the mechanisms' states on that body, and adds their powers to the accounts in `dy`.
    """
    if assembly.is_propelled(i_body):
        return _forces_with_engines(assembly)
    if assembly.has_arm(i_body):
        return _forces_with_arm(assembly)
    params, gravity, wrench = assembly.params, gravity_at(assembly), wrench_of_mechanisms(assembly)
    has_forces, has_spin, has_wheels = bool(assembly.mechanisms), assembly.has_spin, assembly.n_wheels > 0
    around, fill_rates = surroundings(assembly), rates_of_mechanisms(assembly)
    vector, wheels = assembly.layout.vector, wheel_reaction(assembly)
    has_tethers, tether_wrench_of, tether_wrenches_type = (
        assembly.n_tethers > 0,
        tether_wrench_on(assembly.n_bodies),
        tether_wrenches_vector(assembly.n_bodies),
    )

    @wp.func(inline=assembly.inlining_of_bodies)
    def applied(
        dy: wp.ref[vector], t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params],
        b: int, state: wp.ref[BodyState], tether_wrenches: wp.ref[tether_wrenches_type],
    ) -> AppliedForces:  # fmt: skip
        out = AppliedForces()
        out.gravity = gravity(p, state.position)
        out.acceleration = out.gravity
        if wp.static(has_spin):
            out.acceleration += inertial_acceleration(p.frame, state.position, state.velocity)
        if wp.static(has_forces):
            environment = around(p, state.position, out.gravity)
            extra = wrench(dy, p.mechanisms, y, b, t, t_branch, state, environment)
            fill_rates(dy, p.mechanisms, y, b, t, t_branch, state, environment)
            out.acceleration += extra.force * p.mass_inverse[b]
            out.torque_B = extra.torque_B
        if wp.static(has_wheels):
            back = wheels(p, t, t_branch, y, b)
            out.torque_B += wp.vec3d(back[0], back[1], back[2])
            out.power += back[3]
        if wp.static(has_tethers):
            tether_wrench = tether_wrench_of(tether_wrenches, b, wp.transpose(state.R_SB))
            out.acceleration += tether_wrench.force * p.mass_inverse[b]
            out.torque_B += tether_wrench.torque_B
        return out

    return applied


def _forces_with_engines(assembly: Assembly) -> Any:
    """`applied_forces` of a body with engines, in a frame that does not turn."""
    params, gravity, wrench = assembly.params, gravity_at(assembly), wrench_of_mechanisms(assembly)
    vector, has_forces = assembly.layout.vector, bool(assembly.mechanisms)
    around, fill_rates = surroundings(assembly), rates_of_mechanisms(assembly)
    has_tethers, tether_wrench_of, tether_wrenches_type = (
        assembly.n_tethers > 0,
        tether_wrench_on(assembly.n_bodies),
        tether_wrenches_vector(assembly.n_bodies),
    )
    properties_of, push, leave = mass_properties_of(assembly), engine_push(assembly), exhaust_power(assembly)

    @wp.func(inline=assembly.inlining_of_bodies)
    def applied(
        dy: wp.ref[vector], t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params],
        b: int, state: wp.ref[BodyState], tether_wrenches: wp.ref[tether_wrenches_type],
    ) -> AppliedForces:  # fmt: skip
        out = AppliedForces()
        properties = properties_of(p, y, b)
        thrust = push(y, p, b)
        R_BS = wp.transpose(state.R_SB)
        out.force_B = thrust.force
        out.torque_B = thrust.torque_B
        out.power = wp.dot(thrust.force, R_BS * state.velocity) + wp.dot(thrust.torque_B, state.omega_B)
        out.power += leave(y, p, b, state)
        middle = at_center(state, properties.center_B)
        out.gravity = gravity(p, middle.position)
        if wp.static(has_forces):
            environment = around(p, middle.position, out.gravity)
            extra = wrench(dy, p.mechanisms, y, b, t, t_branch, state, environment)
            fill_rates(dy, p.mechanisms, y, b, t, t_branch, state, environment)
            out.force_B += R_BS * extra.force
            out.torque_B += extra.torque_B
        if wp.static(has_tethers):
            tether_wrench = tether_wrench_of(tether_wrenches, b, R_BS)
            out.force_B += R_BS * tether_wrench.force
            out.torque_B += tether_wrench.torque_B
        out.acceleration = out.gravity + state.R_SB * (out.force_B / properties.mass)
        return out

    return applied


def _forces_with_arm(assembly: Assembly) -> Any:
    """`applied_forces` of a body with an eccentric arm: gravity and the turning frame act at its centre of mass."""
    params, gravity, wrench = assembly.params, gravity_at(assembly), wrench_of_mechanisms(assembly)
    has_forces, has_spin, has_wheels = bool(assembly.mechanisms), assembly.has_spin, assembly.n_wheels > 0
    around, fill_rates = surroundings(assembly), rates_of_mechanisms(assembly)
    vector, wheels, shape_of = assembly.layout.vector, wheel_reaction(assembly), arm_geometry_of(assembly)
    has_tethers, tether_wrench_of, tether_wrenches_type = (
        assembly.n_tethers > 0,
        tether_wrench_on(assembly.n_bodies),
        tether_wrenches_vector(assembly.n_bodies),
    )

    @wp.func(inline=assembly.inlining_of_bodies)
    def applied(
        dy: wp.ref[vector], t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params],
        b: int, state: wp.ref[BodyState], tether_wrenches: wp.ref[tether_wrenches_type],
    ) -> AppliedForces:  # fmt: skip
        out = AppliedForces()
        R_BS = wp.transpose(state.R_SB)
        middle = at_center_with_arm(state, shape_of(p, b, state))
        out.gravity = gravity(p, middle.position)
        out.motor = arm_torque(p.arms, b, t, t_branch, state.arm_angle, state.arm_speed)
        out.power = out.motor * state.arm_speed
        if wp.static(has_forces):
            environment = around(p, middle.position, out.gravity)
            extra = wrench(dy, p.mechanisms, y, b, t, t_branch, state, environment)
            fill_rates(dy, p.mechanisms, y, b, t, t_branch, state, environment)
            out.force_B += R_BS * extra.force
            out.torque_B += extra.torque_B
        if wp.static(has_wheels):
            back = wheels(p, t, t_branch, y, b)
            out.torque_B += wp.vec3d(back[0], back[1], back[2])
            out.power += back[3]
        if wp.static(has_tethers):
            tether_wrench = tether_wrench_of(tether_wrenches, b, R_BS)
            out.force_B += R_BS * tether_wrench.force
            out.torque_B += tether_wrench.torque_B
        out.acceleration = out.gravity + state.R_SB * (out.force_B * p.mass_inverse[b])
        if wp.static(has_spin):
            out.acceleration += inertial_acceleration(p.frame, middle.position, middle.velocity)
        return out

    return applied


@wp.func
def propelled_rates(
    properties: MassProperties,
    state: BodyState,
    applied: AppliedForces,
    ground_force: wp.vec3d,
    ground_torque: wp.vec3d,
) -> Rates:
    """Rates of a body with engines, by applied forces and ground force [N] and torque [N m] about O, body axes."""
    c = properties.center_B
    w = state.omega_B
    out = Rates()
    torque = applied.torque_B + ground_torque - wp.cross(c, applied.force_B + ground_force)
    out.turning = properties.inverse * (torque - wp.cross(w, properties.inertia * w))
    lever = wp.cross(out.turning, c) + wp.cross(w, wp.cross(w, c))
    out.acceleration = applied.acceleration + state.R_SB * (ground_force / properties.mass - lever)
    return out


@lru_cache
def turning(assembly: Assembly) -> Any:
    """`@wp.func (params, body index, state, torque_B) -> omega' [rad/s^2]` relative to the surface frame."""
    params, has_spin, has_wheels = assembly.params, assembly.has_spin, assembly.n_wheels > 0
    inertia_apply, inertia_solve = body_inertia(assembly)

    @wp.func
    def turn(p: wp.ref[params], b: int, state: BodyState, torque_B: wp.vec3d) -> wp.vec3d:
        total = state.omega_B
        if wp.static(has_spin):
            total = state.omega_B + turned_back(state.R_SB, p.frame.omega)
        momentum = inertia_apply(p, b, total)
        if wp.static(has_wheels):
            momentum += state.stored_B
        rate = inertia_solve(p, b, plus_crossed(torque_B, momentum, total))
        if wp.static(has_spin):
            rate = plus_crossed(rate, state.omega_B, total)
        return rate

    return turn

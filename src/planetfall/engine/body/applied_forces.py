"""The forces on a body off the ground: gravity, the turning frame, mechanisms, engines, motors, tethers."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.body.environment import gravity_at, surroundings
from planetfall.engine.body.mass_properties import center_state, mass_properties, outflow_power
from planetfall.engine.mechanisms.chain import all_mechanisms, owners_of, wrench_of_mechanisms
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.link_wrenches import link_wrench_on, link_wrenches_vector
from planetfall.vehicle.body import BodyState, Wrench
from planetfall.vehicle.mass import MassProperties
from planetfall.world.turning_frame import inertial_acceleration


@lru_cache
def applied_forces(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (dy, t, t_branch, y, params, body index, state, link_wrenches) -> AppliedForces`.

    Fills in the rates of the mechanisms' states on that body, and adds their powers to the accounts in `dy`.
    """
    applied_type = assembly.plan.applied_forces
    params, vector, has_spin = assembly.params, assembly.layout.vector, assembly.has_spin
    gravity, around = gravity_at(assembly), surroundings(assembly)
    loses_mass, has_joint = assembly.loses_mass(i_body), assembly.has_joint(i_body)
    torque_of_joint: Any = all_mechanisms(assembly, "joint_torque") if has_joint else None
    properties_of, center = mass_properties(assembly, i_body), center_state(assembly, i_body)
    add_wrench = _wrench_adder(assembly, i_body)
    has_mechanisms = bool(owners_of(assembly, "wrench", i_body) or owners_of(assembly, "rates", i_body))
    wrench_of = wrench_of_mechanisms(assembly, i_body)
    fill_rates = all_mechanisms(assembly, "rates", i_body)
    push, leave, is_drained = all_mechanisms(assembly, "push"), outflow_power(assembly), assembly.is_drained(i_body)
    has_links, links_on = assembly.has_links, link_wrench_on(assembly.n_bodies)
    link_wrenches_type = link_wrenches_vector(assembly.n_bodies)
    moves, carries_mass = assembly.moves_center(i_body), assembly.plan.carries_mass

    @wp.func(inline=assembly.plan.inlining_of_parts)
    def applied(
        dy: wp.ref[vector], t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params], b: int,
        state: wp.ref[BodyState], link_wrenches: wp.ref[link_wrenches_type],
    ) -> applied_type:  # fmt: skip
        out = applied_type()
        properties = MassProperties()
        if wp.static(loses_mass):
            properties = properties_of(p, y, b)
            if wp.static(carries_mass):
                out.properties = properties
        middle = center(p, b, state, properties)
        out.gravity = gravity(p, middle.position)
        out.acceleration = out.gravity
        if wp.static(has_spin):
            out.acceleration += inertial_acceleration(p.frame, middle.position, middle.velocity)
        if wp.static(is_drained):
            thrust = push(p.mechanisms, y, b, Wrench())
            out.force_B = thrust.force
            out.torque_B = thrust.torque_B
            out.power = wp.dot(thrust.force, wp.transpose(state.R_SB) * state.velocity)
            out.power += wp.dot(thrust.torque_B, state.omega_B)
            out.power += leave(y, p, b, state, middle, out.gravity)
        if wp.static(has_joint):
            out.motor = torque_of_joint(p.mechanisms, b, t, t_branch, state)
            out.power += out.motor * state.arm_speed
        if wp.static(has_mechanisms):
            environment = around(p, middle.position, out.gravity)
            environment.mass = p.mass[b]
            if wp.static(loses_mass):
                environment.mass = properties.mass
            of_mechanisms = wrench_of(dy, p.mechanisms, y, b, t, t_branch, state, environment)
            fill_rates(dy, p.mechanisms, y, b, t, t_branch, state, environment)
            add_wrench(out, p, state, of_mechanisms)
        if wp.static(has_links):
            of_links = links_on(link_wrenches, b, wp.transpose(state.R_SB))
            add_wrench(out, p, state, of_links)
        if wp.static(loses_mass):
            out.acceleration += state.R_SB * (out.force_B / properties.mass)
        elif wp.static(moves):
            out.acceleration += state.R_SB * (out.force_B * p.mass_inverse[b])
        return out

    return applied


@lru_cache
def _wrench_adder(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (applied, params, state, wrench)`: adds a wrench, whose force is in surface components."""
    applied_type = assembly.plan.applied_forces
    params, moves = assembly.params, assembly.moves_center(i_body)

    @wp.func
    def add(out: wp.ref[applied_type], p: wp.ref[params], state: wp.ref[BodyState], wrench: wp.ref[Wrench]):
        out.torque_B += wrench.torque_B
        if wp.static(moves):
            out.force_B += wp.transpose(state.R_SB) * wrench.force
        else:
            out.acceleration += wrench.force * p.mass_inverse[wp.static(i_body)]

    return add

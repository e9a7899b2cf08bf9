"""The energy of the bodies of a trajectory: kinetic, and in the field of gravity."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.body.mass_properties import body_inertia, center_state, joint_of, mass_properties
from planetfall.engine.mechanisms.chain import all_mechanisms
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import BodyState
from planetfall.vehicle.mass import MassProperties


@lru_cache
def body_energy(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, y, body index, state) -> (kinetic, potential, 0)` [J].

    In a rotating frame the potential has the centrifugal part of the whole rigid body, so that the sum is conserved in
    free motion (the Jacobi integral).
    """
    params, potential, has_spin = assembly.params, assembly.gravity.potential, assembly.has_spin
    vector, has_rotors, with_rotors = assembly.layout.vector, assembly.has_rotors, all_mechanisms(assembly, "energy")
    loses_mass, has_joint = assembly.is_drained(i_body), assembly.has_joint(i_body)
    properties_of, center = mass_properties(assembly, i_body, has_carried=False), center_state(assembly, i_body)
    inertia_apply, joint_part = body_inertia(assembly)[0], joint_energy(assembly, i_body)

    @wp.func
    def turned_by(p: wp.ref[params], b: int, properties: wp.ref[MassProperties], w: wp.vec3d) -> wp.float64:
        """Twice the energy of turning at w about the centre of mass, arm at angle zero."""
        if wp.static(loses_mass):
            return wp.dot(w, properties.inertia * w)
        else:
            return wp.dot(w, inertia_apply(p, b, w))

    @wp.func
    def energy(p: wp.ref[params], y: wp.ref[vector], b: int, state: wp.ref[BodyState]) -> wp.vec3d:
        half = wp.float64(0.5)
        properties = MassProperties()
        mass = p.mass[b]
        if wp.static(loses_mass):
            properties = properties_of(p, y, b)
            mass = properties.mass
        middle = center(p, b, state, properties)
        kinetic = half * mass * wp.length_sq(middle.velocity)
        kinetic += half * turned_by(p, b, properties, state.omega_B)
        if wp.static(has_rotors):
            kinetic += wp.dot(state.stored_B, state.omega_B)
            kinetic = with_rotors(p.mechanisms, y, b, kinetic)
        stored = mass * potential(p.gravity, middle.position)
        spin_B = wp.vec3d()
        if wp.static(has_spin):
            spin_B = wp.transpose(state.R_SB) * p.frame.omega
            r = middle.position - p.frame.center
            stored -= half * mass * wp.length_sq(wp.cross(p.frame.omega, r))
            stored -= half * turned_by(p, b, properties, spin_B)
        if wp.static(has_joint):
            with_arm = joint_part(p, b, state, properties, spin_B)
            kinetic += with_arm[0]
            stored += with_arm[1]
        return wp.vec3d(kinetic, stored, wp.float64(0.0))

    return energy


@lru_cache
def joint_energy(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, body index, state, properties, spin_B) -> (kinetic, centrifugal)` [J] that a joint adds."""
    params, joint = assembly.params, joint_of(assembly, i_body)

    @wp.func
    def energy(
        p: wp.ref[params], b: int, state: BodyState, properties: wp.ref[MassProperties], spin_B: wp.vec3d
    ) -> wp.vec2d:
        arm = joint(p, b, state, properties)
        w = state.omega_B
        s = state.arm_speed
        half = wp.float64(0.5)
        kinetic = half * wp.dot(w, arm.shift * w) + s * wp.dot(w, arm.offset) + half * arm.resistance * s * s
        return wp.vec2d(kinetic, -half * wp.dot(spin_B, arm.shift * spin_B))

    return energy

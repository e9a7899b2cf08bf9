"""The energy of the bodies of a trajectory: kinetic, and in the field of gravity."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.mechanisms.eccentric_arm import arm_energy, arm_geometry_of, at_center_with_arm
from planetfall.engine.mechanisms.propulsion import at_center, mass_properties_of
from planetfall.engine.state.inertia import body_inertia
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import BodyState


@lru_cache
def body_energy(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, y, body index, state) -> (kinetic, potential, 0)` [J].

    In a rotating frame the potential has the centrifugal part of the whole rigid body, so that the sum is conserved in
    free motion (the Jacobi integral).
    """
    params, potential, has_spin = assembly.params, assembly.gravity.potential, assembly.has_spin
    inertia_apply, _ = body_inertia(assembly)
    if assembly.is_propelled(i_body):
        return _propelled_energy(assembly)
    vector, offset, n_wheels = assembly.layout.vector, assembly.layout.wheel_offset, assembly.n_wheels

    has_arm_here, shape_of, arm_part = assembly.has_arm(i_body), arm_geometry_of(assembly), arm_energy(assembly)

    @wp.func
    def energy(p: wp.ref[params], y: wp.ref[vector], b: int, state: wp.ref[BodyState]) -> wp.vec3d:
        half = wp.float64(0.5)
        middle = state
        if wp.static(has_arm_here):
            middle = at_center_with_arm(state, shape_of(p, b, state))
        kinetic = half * p.mass[b] * wp.length_sq(middle.velocity)
        kinetic += half * wp.dot(state.omega_B, inertia_apply(p, b, state.omega_B))
        if wp.static(n_wheels > 0):
            kinetic += wp.dot(state.stored_B, state.omega_B)
            for i in range(wp.static(n_wheels)):
                if p.wheels.body[i] == b:
                    kinetic += half * p.wheels.inertia[i] * y[offset + i] * y[offset + i]
        stored = p.mass[b] * potential(p.gravity, middle.position)
        spin_B = wp.vec3d()
        if wp.static(has_spin):
            spin_B = wp.transpose(state.R_SB) * p.frame.omega
            r = middle.position - p.frame.center
            stored -= half * p.mass[b] * wp.length_sq(wp.cross(p.frame.omega, r))
            stored -= half * wp.dot(spin_B, inertia_apply(p, b, spin_B))
        if wp.static(has_arm_here):
            with_arm = arm_part(p, b, state, spin_B)
            kinetic += with_arm[0]
            stored += with_arm[1]
        return wp.vec3d(kinetic, stored, wp.float64(0.0))

    return energy


def _propelled_energy(assembly: Assembly) -> Any:
    """`body_energy` of a body with engines, in a frame that does not turn."""
    params, vector, potential, properties_of = (
        assembly.params,
        assembly.layout.vector,
        assembly.gravity.potential,
        mass_properties_of(assembly),
    )

    @wp.func
    def energy(p: wp.ref[params], y: wp.ref[vector], b: int, state: wp.ref[BodyState]) -> wp.vec3d:
        properties = properties_of(p, y, b)
        middle = at_center(state, properties.center_B)
        turning = wp.dot(state.omega_B, properties.inertia * state.omega_B)
        kinetic = wp.float64(0.5) * (properties.mass * wp.length_sq(middle.velocity) + turning)
        return wp.vec3d(kinetic, properties.mass * potential(p.gravity, middle.position), wp.float64(0.0))

    return energy

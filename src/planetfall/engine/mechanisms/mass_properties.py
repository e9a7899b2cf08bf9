"""Mass, centre of mass and inertia of a body in a trajectory, which engines and arms change.

The state of a body is that of its reference point O, fixed in the body, where its centre of mass was at the start. What
leaves it and what swings in it take the centre of mass C to c from O; at every instant the body with what is left is
rigid, but for its rotors and its arm.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.in_place import number
from planetfall.engine.state.inertia import inertia_matrices
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.arms import ArmGeometry, arm_geometry
from planetfall.vehicle.attachment import ATTACHMENT_SIZE
from planetfall.vehicle.body import BodyState
from planetfall.vehicle.mass import MassProperties, drained, without


@lru_cache
def mass_properties(assembly: Assembly, i_body: int, has_carried: bool = True) -> Any:
    """`@wp.func (params, y, body index) -> MassProperties`, of bodies with tanks or without.

    With all that a body carries now, or of the body alone.
    """
    params, lay, is_propelled = assembly.params, assembly.layout, assembly.is_propelled(i_body)
    carries = has_carried and bool(assembly.carried_by(i_body))
    vector, offset, (inertia, free, inverse) = lay.vector, lay.burnt_offset, inertia_matrices(assembly)
    has_rotors, add_carried = assembly.has_rotors, with_carried(assembly, i_body)

    @wp.func
    def properties_of(p: wp.ref[params], y: wp.ref[vector], b: int) -> MassProperties:
        out = MassProperties()
        if wp.static(is_propelled):
            gone = number(y[offset + b])
            out = drained(p.mass[b], inertia(p, b), gone, p.engines.tank_center_B[b], p.engines.tank_spread[b])
        else:
            out.mass = p.mass[b]
            out.inertia = inertia(p, b)
        if wp.static(carries):
            out = add_carried(p, y, out)
        if wp.static(is_propelled or carries):
            left = out.inertia
            if wp.static(has_rotors):
                left = out.inertia - (inertia(p, b) - free(p, b))
            out.inverse = wp.inverse(left)
        else:
            out.inverse = inverse(p, b)
        return out

    return properties_of


@lru_cache
def with_carried(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, y, properties) -> MassProperties` with the bodies that are fixed to a body now."""
    params, vector, n = assembly.params, assembly.layout.vector, sum(carrier >= 0 for carrier in assembly.carriers)
    offsets = [assembly.attachment_offset(k) for k in range(assembly.n_bodies) if assembly.is_attachable(k)]
    first = min(offsets, default=0)

    @wp.func
    def add(p: wp.ref[params], y: wp.ref[vector], own: MassProperties) -> MassProperties:
        out = own
        i = int(0)
        while i < wp.static(n):
            is_on = number(y[wp.static(first) + i * ATTACHMENT_SIZE]) == wp.float64(1.0)
            if is_on and p.attachments.carrier[i] == wp.static(i_body):
                out = without(out, -p.attachments.mass[i], p.attachments.place_B[i], p.attachments.spread[i])
            i += 1
        return out

    return add


@lru_cache
def arm_of(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, body index, state, properties) -> ArmGeometry` of a body's arm."""
    params, loses_mass = assembly.params, assembly.loses_mass(i_body)

    @wp.func
    def geometry(p: wp.ref[params], b: int, state: BodyState, properties: wp.ref[MassProperties]) -> ArmGeometry:
        if wp.static(loses_mass):
            return arm_geometry(p.arms, b, properties.mass, properties.center_B, state.arm_angle)
        else:
            return arm_geometry(p.arms, b, p.mass[b], wp.vec3d(), state.arm_angle)

    return geometry


@lru_cache
def center_state(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, body index, state, properties) -> state` of a body's centre of mass, which is not always O."""
    params, loses_mass, has_arm_here = assembly.params, assembly.loses_mass(i_body), assembly.has_arm(i_body)
    arm_at = arm_of(assembly, i_body)

    @wp.func
    def center(p: wp.ref[params], b: int, state: BodyState, properties: wp.ref[MassProperties]) -> BodyState:
        out = state
        if wp.static(has_arm_here):
            arm = arm_at(p, b, state, properties)
            relative = wp.cross(state.omega_B, arm.center) + arm.center_by * state.arm_speed
            out.position = state.position + state.R_SB * arm.center
            out.velocity = state.velocity + state.R_SB * relative
        elif wp.static(loses_mass):
            out.position = state.position + state.R_SB * properties.center_B
            out.velocity = state.velocity + state.R_SB * wp.cross(state.omega_B, properties.center_B)
        return out

    return center

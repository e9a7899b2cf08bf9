"""Mass, centre of mass and inertia of a body in a trajectory, which engines and arms change, and what moves inside it.

The state of a body is that of its reference point O, fixed in the body, where its centre of mass was at the start. What
leaves it and what swings in it take the centre of mass C to c from O; at every instant the body with what is left is
rigid, but for its rotors and its arm.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.mechanisms.chain import all_mechanisms
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.arms import ArmGeometry
from planetfall.vehicle.body import BodyState
from planetfall.vehicle.mass import MassProperties


@lru_cache
def inertia_matrices(assembly: Assembly) -> tuple[Any, Any, Any]:
    """`@wp.func (params, body index) -> mat33d`: inertia of a body, what of it flywheels do not keep, that inverted."""
    params, stack = assembly.params, wp.types.matrix(shape=(3 * assembly.n_bodies, 3), dtype=wp.float64)

    @wp.func
    def block(m: stack, b: int) -> wp.mat33d:
        o = 3 * b
        return wp.mat33d(
            m[o, 0], m[o, 1], m[o, 2],
            m[o + 1, 0], m[o + 1, 1], m[o + 1, 2],
            m[o + 2, 0], m[o + 2, 1], m[o + 2, 2],
        )  # fmt: skip

    @wp.func
    def inertia(p: wp.ref[params], b: int) -> wp.mat33d:
        return block(p.inertia, b)

    @wp.func
    def free(p: wp.ref[params], b: int) -> wp.mat33d:
        return block(p.inertia_free, b)

    @wp.func
    def inverse(p: wp.ref[params], b: int) -> wp.mat33d:
        return block(p.inertia_inverse, b)

    return inertia, free, inverse


@lru_cache
def body_inertia(assembly: Assembly) -> tuple[Any, Any]:
    """`(I omega)` and `(I^-1 torque)` of one body, with the products of a diagonal inertia left out."""
    params, is_diagonal = assembly.params, assembly.has_diagonal_inertia
    inertia, _, inverse = inertia_matrices(assembly)

    @wp.func
    def apply(p: wp.ref[params], b: int, w: wp.vec3d) -> wp.vec3d:
        if wp.static(is_diagonal):
            o = 3 * b
            return wp.vec3d(p.inertia[o, 0] * w[0], p.inertia[o + 1, 1] * w[1], p.inertia[o + 2, 2] * w[2])
        else:
            return inertia(p, b) * w

    @wp.func
    def solve(p: wp.ref[params], b: int, w: wp.vec3d) -> wp.vec3d:
        if wp.static(is_diagonal):
            o = 3 * b
            return wp.vec3d(
                p.inertia_inverse[o, 0] * w[0], p.inertia_inverse[o + 1, 1] * w[1], p.inertia_inverse[o + 2, 2] * w[2]
            )
        else:
            return inverse(p, b) * w

    return apply, solve


@lru_cache
def mass_properties(assembly: Assembly, i_body: int, has_carried: bool = True) -> Any:
    """`@wp.func (params, y, body index) -> MassProperties`, of bodies with tanks or without.

    With all that a body carries now, or of the body alone.
    """
    params, lay, is_drained = assembly.params, assembly.layout, assembly.is_drained(i_body)
    carries = has_carried and assembly.carries(i_body)
    vector, (inertia, free, inverse) = lay.vector, inertia_matrices(assembly)
    has_rotors, add_carried = assembly.has_rotors, all_mechanisms(assembly, "carried")
    left_of = all_mechanisms(assembly, "mass")

    @wp.func
    def properties_of(p: wp.ref[params], y: wp.ref[vector], b: int) -> MassProperties:
        out = MassProperties()
        if wp.static(is_drained):
            out = left_of(p.mechanisms, y, b, p.mass[b], inertia(p, b))
        else:
            out.mass = p.mass[b]
            out.inertia = inertia(p, b)
        if wp.static(carries):
            out = add_carried(p.mechanisms, y, b, out)
        if wp.static(is_drained or carries):
            left = out.inertia
            if wp.static(has_rotors):
                left = out.inertia - (inertia(p, b) - free(p, b))
            out.inverse = wp.inverse(left)
        else:
            out.inverse = inverse(p, b)
        return out

    return properties_of


@lru_cache
def inner_state(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, y, body index, state) -> state` with the momentum of the body's rotors and with its arm."""
    params, vector, has_rotors = assembly.params, assembly.layout.vector, assembly.has_rotors
    has_joint, joint = assembly.has_joint(i_body), assembly.joint_offset(i_body)
    momentum_of = all_mechanisms(assembly, "momentum")

    @wp.func
    def with_inner_parts(p: wp.ref[params], y: wp.ref[vector], b: int, state: BodyState) -> BodyState:
        out = state
        if wp.static(has_joint):
            out.arm_angle = y[joint]
            out.arm_speed = y[joint + 1]
        if wp.static(has_rotors):
            out.stored_B = momentum_of(p.mechanisms, y, b)
        return out

    return with_inner_parts


@lru_cache
def joint_of(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, body index, state, properties) -> ArmGeometry` of what swings in a body."""
    params, loses_mass, joint = assembly.params, assembly.loses_mass(i_body), all_mechanisms(assembly, "joint")

    @wp.func
    def geometry(p: wp.ref[params], b: int, state: BodyState, properties: wp.ref[MassProperties]) -> ArmGeometry:
        if wp.static(loses_mass):
            return joint(p.mechanisms, b, properties.mass, properties.center_B, state)
        else:
            return joint(p.mechanisms, b, p.mass[b], wp.vec3d(), state)

    return geometry


@lru_cache
def center_state(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, body index, state, properties) -> state` of a body's centre of mass, which is not always O."""
    params, loses_mass, has_joint = assembly.params, assembly.loses_mass(i_body), assembly.has_joint(i_body)
    arm_at: Any = joint_of(assembly, i_body) if has_joint else None

    @wp.func
    def center(p: wp.ref[params], b: int, state: BodyState, properties: wp.ref[MassProperties]) -> BodyState:
        out = state
        if wp.static(has_joint):
            arm = arm_at(p, b, state, properties)
            relative = wp.cross(state.omega_B, arm.center) + arm.center_by * state.arm_speed
            out.position = state.position + state.R_SB * arm.center
            out.velocity = state.velocity + state.R_SB * relative
        elif wp.static(loses_mass):
            out.position = state.position + state.R_SB * properties.center_B
            out.velocity = state.velocity + state.R_SB * wp.cross(state.omega_B, properties.center_B)
        return out

    return center


@lru_cache
def outflow_power(assembly: Assembly) -> Any:
    """`@wp.func (y, params, body index, state, state of C, gravity at C) -> power [W]` that mass takes which leaves.

    It leaves with the energy that it had where it was, v^2/2 + U - |Omega x r|^2/2 per kg. Gravity acts at the centre
    of mass, so that U there is U(C) - g.(r - c): what the body loses is then what is booked.
    """
    params, vector, flow_of = assembly.params, assembly.layout.vector, all_mechanisms(assembly, "outflow")
    potential, has_spin = assembly.gravity.potential, assembly.has_spin

    @wp.func
    def power(
        y: wp.ref[vector], p: wp.ref[params], b: int, state: wp.ref[BodyState], middle: wp.ref[BodyState],
        gravity: wp.vec3d,
    ) -> wp.float64:  # fmt: skip
        flow = flow_of(p.mechanisms, y, b)
        w = state.omega_B
        two = wp.float64(2.0)
        velocity_B = wp.transpose(state.R_SB) * state.velocity
        square = wp.length_sq(velocity_B) + two * wp.dot(velocity_B, wp.cross(w, flow.place_B))
        square += wp.dot(w, flow.spread * w)
        if wp.static(has_spin):
            spin_B = wp.transpose(state.R_SB) * p.frame.omega
            carried_B = wp.transpose(state.R_SB) * wp.cross(p.frame.omega, state.position - p.frame.center)
            square -= wp.length_sq(carried_B) + two * wp.dot(carried_B, wp.cross(spin_B, flow.place_B))
            square -= wp.dot(spin_B, flow.spread * spin_B)
        away = state.position + state.R_SB * flow.place_B - middle.position
        specific = potential(p.gravity, middle.position) - wp.dot(gravity, away)
        return -flow.rate * (wp.float64(0.5) * square + specific)

    return power

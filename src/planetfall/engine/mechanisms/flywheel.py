"""Flywheels in the state of a trajectory."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import BodyState
from planetfall.vehicle.flywheels import wheel_torque


def _parts(assembly: Assembly) -> tuple[Any, Any, int, int]:
    """Parameter struct, state vector, index of the first rotor in it, number of rotors."""
    lay = assembly.layout
    return assembly.params, lay.vector, lay.wheel_offset, lay.n_wheels


@lru_cache
def inner_state(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, y, body index, state) -> state` with the momentum of the body's rotors and with its arm."""
    params, vector, offset, n_wheels = _parts(assembly)
    has_arm_here, arm = assembly.has_arm(i_body), assembly.arm_offset(i_body)

    @wp.func
    def with_inner_parts(p: wp.ref[params], y: wp.ref[vector], b: int, state: BodyState) -> BodyState:
        out = state
        if wp.static(has_arm_here):
            out.arm_angle = y[arm]
            out.arm_speed = y[arm + 1]
        if wp.static(n_wheels > 0):
            for i in range(wp.static(n_wheels)):
                if p.wheels.body[i] == b:
                    out.stored_B += p.wheels.axis_B[i] * (p.wheels.inertia[i] * y[offset + i])
        return out

    return with_inner_parts


@lru_cache
def wheel_reaction(assembly: Assembly) -> Any:
    """`@wp.func (params, t, t_branch, y, body index) -> (torque on the body, power of the motors)` as a vec4d."""
    params, vector, offset, n_wheels = _parts(assembly)

    @wp.func
    def reaction(p: wp.ref[params], t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], b: int) -> wp.vec4d:
        out = wp.vec4d()
        for i in range(wp.static(n_wheels)):
            if p.wheels.body[i] == b:
                torque = wheel_torque(p.wheels, i, t, t_branch, y[offset + i])
                back = p.wheels.axis_B[i] * torque
                out -= wp.vec4d(back[0], back[1], back[2], -torque * y[offset + i])
        return out

    return reaction


@lru_cache
def wheel_rates(assembly: Assembly) -> Any:
    """`@wp.func (dy, params, t, t_branch, y, body index, state, omega' relative)`: fills in s' of its rotors."""
    params, vector, offset, n_wheels = _parts(assembly)
    has_spin = assembly.has_spin

    @wp.func
    def fill(
        dy: wp.ref[vector], p: wp.ref[params], t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], b: int,
        state: BodyState, omega_rate: wp.vec3d,
    ):  # fmt: skip
        inertial_rate = omega_rate
        if wp.static(has_spin):  # the target's spin, seen from the body, turns too
            inertial_rate -= wp.cross(state.omega_B, wp.transpose(state.R_SB) * p.frame.omega)
        for i in range(wp.static(n_wheels)):
            if p.wheels.body[i] == b:
                torque = wheel_torque(p.wheels, i, t, t_branch, y[offset + i])
                dy[offset + i] = torque / p.wheels.inertia[i] - wp.dot(p.wheels.axis_B[i], inertial_rate)

    return fill

"""What moves a body where there is no ground: gravity, the turning frame, forces, tethers; and its inertia."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.assembly import Assembly, FrameParams
from planetfall.engine.lines import line_pull
from planetfall.engine.momentum import wheel_drive
from planetfall.vehicle.body import BodyState


@wp.struct
class Drive:
    """How a body would move.

    `acceleration` [m/s^2] of the centre of mass, surface frame; `torque_B` [N m] in body components; `power` [W] of the
    scenario's forces.
    """

    acceleration: wp.vec3d
    torque_B: wp.vec3d
    power: wp.float64


@wp.func
def inertial_acceleration(frame: FrameParams, position: wp.vec3d, velocity: wp.vec3d) -> wp.vec3d:
    """Centrifugal and Coriolis acceleration [m/s^2] in the rotating frame."""
    r = position - frame.center
    return -wp.cross(frame.omega, wp.cross(frame.omega, r) + velocity * wp.float64(2.0))


@lru_cache
def free_motion(assembly: Assembly) -> Any:
    """`@wp.func (t, t_branch, y, params, body index, state) -> Drive`."""
    params, gravity, wrench = assembly.params, assembly.gravity.acceleration, assembly.force_set.wrench
    has_forces, has_spin, has_wheels = bool(assembly.forces), assembly.has_spin, assembly.n_wheels > 0
    vector, wheels = assembly.layout.vector, wheel_drive(assembly)
    has_tethers, pull = assembly.n_tethers > 0, line_pull(assembly)

    @wp.func
    def drive(t: wp.float64, t_branch: wp.float64, y: vector, p: params, b: int, state: BodyState) -> Drive:
        out = Drive()
        out.acceleration = gravity(p.gravity, state.position)
        if wp.static(has_spin):
            out.acceleration += inertial_acceleration(p.frame, state.position, state.velocity)
        if wp.static(has_forces):
            extra = wrench(p.forces, b, t, t_branch, state)
            out.acceleration += extra.force * p.mass_inverse[b]
            out.torque_B = extra.torque_B
            out.power = wp.dot(extra.force, state.velocity) + wp.dot(extra.torque_B, state.omega_B)
        if wp.static(has_wheels):
            back = wheels(p, t, t_branch, y, b)
            out.torque_B += wp.vec3d(back[0], back[1], back[2])
            out.power += back[3]
        if wp.static(has_tethers):
            pulled = pull(t, t_branch, y, p, b, wp.transpose(state.R_SB))
            out.acceleration += pulled.force * p.mass_inverse[b]
            out.torque_B += pulled.torque_B
        return out

    return drive


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
    def inertia(p: params, b: int) -> wp.mat33d:
        return block(p.inertia, b)

    @wp.func
    def free(p: params, b: int) -> wp.mat33d:
        return block(p.inertia_free, b)

    @wp.func
    def inverse(p: params, b: int) -> wp.mat33d:
        return block(p.inertia_inverse, b)

    return inertia, free, inverse


@lru_cache
def body_inertia(assembly: Assembly) -> tuple[Any, Any]:
    """`(I omega)` and `(I^-1 torque)` of one body, with the products of a diagonal inertia left out."""
    params, is_diagonal = assembly.params, assembly.has_diagonal_inertia
    inertia, _, inverse = inertia_matrices(assembly)

    @wp.func
    def apply(p: params, b: int, w: wp.vec3d) -> wp.vec3d:
        if wp.static(is_diagonal):
            o = 3 * b
            return wp.vec3d(p.inertia[o, 0] * w[0], p.inertia[o + 1, 1] * w[1], p.inertia[o + 2, 2] * w[2])
        else:
            return inertia(p, b) * w

    @wp.func
    def solve(p: params, b: int, w: wp.vec3d) -> wp.vec3d:
        if wp.static(is_diagonal):
            o = 3 * b
            return wp.vec3d(
                p.inertia_inverse[o, 0] * w[0], p.inertia_inverse[o + 1, 1] * w[1], p.inertia_inverse[o + 2, 2] * w[2]
            )
        else:
            return inverse(p, b) * w

    return apply, solve


@lru_cache
def turning(assembly: Assembly) -> Any:
    """`@wp.func (params, body index, state, torque_B) -> omega' [rad/s^2]` relative to the surface frame."""
    params, has_spin, has_wheels = assembly.params, assembly.has_spin, assembly.n_wheels > 0
    inertia_apply, inertia_solve = body_inertia(assembly)

    @wp.func
    def turn(p: params, b: int, state: BodyState, torque_B: wp.vec3d) -> wp.vec3d:
        total = state.omega_B
        if wp.static(has_spin):
            total = state.omega_B + wp.transpose(state.R_SB) * p.frame.omega
        momentum = inertia_apply(p, b, total)
        if wp.static(has_wheels):
            momentum += state.stored_B
        rate = inertia_solve(p, b, torque_B - wp.cross(total, momentum))
        if wp.static(has_spin):
            rate -= wp.cross(total, state.omega_B)
        return rate

    return turn

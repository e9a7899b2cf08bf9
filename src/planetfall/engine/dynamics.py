"""The equations of motion: VanWal2017 Eq. (2) for each body, in a surface frame that turns at a constant rate.

    x' = v
    v' = g(x) - Omega x (Omega x r) - 2 Omega x v + F/m              r measured from the target's centre
    q' = q (omega, 0)/2
    omega' = I^-1 (L - omega* x I omega*) - Omega x omega            omega* = omega + Omega, all in body components

Gravity acts at the centre of mass. A fixed planar test is the case Omega = 0.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.contact.model import MODE_APART
from planetfall.engine.assembly import Assembly, FrameParams
from planetfall.engine.layout import BODY_SIZE, WORK_DAMPER, WORK_EXTERNAL, WORK_FRICTION
from planetfall.engine.sight import seen_from_body
from planetfall.vehicle.body import BodyState


@wp.struct
class ContactSum:
    """Contact of one body, in its own axes: `force` [N], `torque` [N m] about its centre of mass, two powers [W]."""

    force: wp.vec3d
    torque: wp.vec3d
    damper_power: wp.float64
    friction_power: wp.float64


@wp.func
def inertial_acceleration(frame: FrameParams, position: wp.vec3d, velocity: wp.vec3d) -> wp.vec3d:
    """Centrifugal and Coriolis acceleration [m/s^2] in the rotating frame."""
    r = position - frame.center
    return -wp.cross(frame.omega, wp.cross(frame.omega, r) + velocity * wp.float64(2.0))


@lru_cache
def body_inertia(assembly: Assembly) -> tuple[Any, Any]:
    """`(I omega)` and `(I^-1 torque)` of one body, with the products of a diagonal inertia left out."""
    params, is_diagonal = assembly.params, assembly.has_diagonal_inertia

    @wp.func
    def apply(p: params, b: int, w: wp.vec3d) -> wp.vec3d:
        o = 3 * b
        if wp.static(is_diagonal):
            return wp.vec3d(p.inertia[o, 0] * w[0], p.inertia[o + 1, 1] * w[1], p.inertia[o + 2, 2] * w[2])
        return wp.vec3d(
            p.inertia[o, 0] * w[0] + p.inertia[o, 1] * w[1] + p.inertia[o, 2] * w[2],
            p.inertia[o + 1, 0] * w[0] + p.inertia[o + 1, 1] * w[1] + p.inertia[o + 1, 2] * w[2],
            p.inertia[o + 2, 0] * w[0] + p.inertia[o + 2, 1] * w[1] + p.inertia[o + 2, 2] * w[2],
        )

    @wp.func
    def solve(p: params, b: int, w: wp.vec3d) -> wp.vec3d:
        o = 3 * b
        if wp.static(is_diagonal):
            return wp.vec3d(
                p.inertia_inverse[o, 0] * w[0], p.inertia_inverse[o + 1, 1] * w[1], p.inertia_inverse[o + 2, 2] * w[2]
            )
        inv = p.inertia_inverse
        return wp.vec3d(
            inv[o, 0] * w[0] + inv[o, 1] * w[1] + inv[o, 2] * w[2],
            inv[o + 1, 0] * w[0] + inv[o + 1, 1] * w[1] + inv[o + 1, 2] * w[2],
            inv[o + 2, 0] * w[0] + inv[o + 2, 1] * w[1] + inv[o + 2, 2] * w[2],
        )

    return apply, solve


@lru_cache
def contact_sum(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, state, modes, run) -> ContactSum`: a per-point law summed over the points of one body."""
    params, is_frozen = assembly.params, assembly.is_frozen
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    law_mode, law_contact = assembly.law_mode, assembly.law_contact
    look_down, ground_of = seen_from_body(assembly)

    @wp.func
    def total(p: params, state: BodyState, modes: wp.array2d(dtype=wp.int32), run: int) -> ContactSum:
        out = ContactSum()
        below = look_down(p, state)
        velocity_B = wp.transpose(state.R_SB) * state.velocity
        for j in range(wp.static(first), wp.static(last)):
            point_B = p.points_B[j]
            ground = ground_of(p, state, below, point_B)
            mode = wp.int32(0)
            if wp.static(is_frozen):
                mode = modes[j, run]
            else:
                if ground.gap < wp.float64(0.0):
                    mode = law_mode(p.law, wp.static(i_body), ground, velocity_B + wp.cross(state.omega_B, point_B))
            if mode != MODE_APART:
                velocity = velocity_B + wp.cross(state.omega_B, point_B)
                point = law_contact(p.law, wp.static(i_body), mode, ground, velocity)
                out.force += point.force
                out.torque += wp.cross(point_B, point.force)
                out.damper_power += point.damper_power
                out.friction_power += point.friction_power
        return out

    return total


@lru_cache
def derivative(assembly: Assembly) -> Any:
    """`@wp.func (t, t_branch, y, params, modes, run) -> dy/dt` of a whole trajectory."""
    params, lay = assembly.params, assembly.layout
    vector, body_state = lay.vector, lay.body
    gravity, wrench = assembly.gravity.acceleration, assembly.force_set.wrench
    inertia_apply, inertia_solve = body_inertia(assembly)
    sums = [contact_sum(assembly, b) for b in range(assembly.n_bodies)]
    has_forces, has_spin, has_work = bool(assembly.forces), assembly.has_spin, lay.has_work
    work = lay.work_offset

    @wp.func
    def rate(
        t: wp.float64, t_branch: wp.float64, y: vector, p: params, modes: wp.array2d(dtype=wp.int32), run: int
    ) -> vector:
        dy = vector()
        for b in range(wp.static(assembly.n_bodies)):
            state = body_state(y, b)
            ground = wp.static(sums[b])(p, state, modes, run)
            force = state.R_SB * ground.force
            torque = ground.torque
            if wp.static(has_forces):
                extra = wrench(p.forces, b, t, t_branch, state)
                force += extra.force
                torque += extra.torque_B
                if wp.static(has_work):
                    dy[work + WORK_EXTERNAL] += wp.dot(extra.force, state.velocity) + wp.dot(
                        extra.torque_B, state.omega_B
                    )
            if wp.static(has_work):
                dy[work + WORK_DAMPER] += ground.damper_power
                dy[work + WORK_FRICTION] += ground.friction_power
            acceleration = gravity(p.gravity, state.position) + force * p.mass_inverse[b]
            w = state.omega_B
            if wp.static(has_spin):
                acceleration += inertial_acceleration(p.frame, state.position, state.velocity)
                spin_B = wp.transpose(state.R_SB) * p.frame.omega
                total = w + spin_B
                turning = inertia_solve(p, b, torque - wp.cross(total, inertia_apply(p, b, total)))
                turning -= wp.cross(spin_B, w)
            else:
                turning = inertia_solve(p, b, torque - wp.cross(w, inertia_apply(p, b, w)))
            o = b * BODY_SIZE
            q = wp.quatd(y[o + 6], y[o + 7], y[o + 8], y[o + 9])
            q_rate = q * wp.quatd(w[0], w[1], w[2], wp.float64(0.0)) * wp.float64(0.5)
            for i in range(3):
                dy[o + i] = state.velocity[i]
                dy[o + 3 + i] = acceleration[i]
                dy[o + 10 + i] = turning[i]
            for i in range(4):
                dy[o + 6 + i] = q_rate[i]
        return dy

    return rate

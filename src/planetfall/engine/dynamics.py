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

from planetfall.engine.assembly import Assembly, FrameParams
from planetfall.engine.batch import Monitors, structs
from planetfall.engine.contact_sum import ContactSum, contact_sum, watched_sum
from planetfall.engine.layout_sizes import BODY_SIZE, WORK_DAMPER, WORK_EXTERNAL, WORK_FRICTION
from planetfall.engine.recorder import recorder
from planetfall.vehicle.body import BodyState


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
def body_rate(assembly: Assembly) -> Any:
    """`@wp.func (dy, t, t_branch, y, params, body index, state, contact) -> dy` with one body's rates filled in."""
    params, lay = assembly.params, assembly.layout
    vector, work = lay.vector, lay.work_offset
    gravity, wrench = assembly.gravity.acceleration, assembly.force_set.wrench
    inertia_apply, inertia_solve = body_inertia(assembly)
    has_forces, has_spin, has_work = bool(assembly.forces), assembly.has_spin, lay.has_work

    @wp.func
    def fill(
        dy: vector,
        t: wp.float64,
        t_branch: wp.float64,
        y: vector,
        p: params,
        b: int,
        state: BodyState,
        ground: ContactSum,
    ) -> vector:
        force = state.R_SB * ground.force
        torque = ground.torque
        if wp.static(has_forces):
            extra = wrench(p.forces, b, t, t_branch, state)
            force += extra.force
            torque += extra.torque_B
            if wp.static(has_work):
                power = wp.dot(extra.force, state.velocity) + wp.dot(extra.torque_B, state.omega_B)
                dy[work + WORK_EXTERNAL] += power
        if wp.static(has_work):
            dy[work + WORK_DAMPER] += ground.damper_power
            dy[work + WORK_FRICTION] += ground.friction_power
        acceleration = gravity(p.gravity, state.position) + force * p.mass_inverse[b]
        w = state.omega_B
        total = w
        if wp.static(has_spin):
            acceleration += inertial_acceleration(p.frame, state.position, state.velocity)
            total = w + wp.transpose(state.R_SB) * p.frame.omega
        turning = inertia_solve(p, b, torque - wp.cross(total, inertia_apply(p, b, total)))
        if wp.static(has_spin):
            turning -= wp.cross(total, w)
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

    return fill


@lru_cache
def derivative(assembly: Assembly) -> Any:
    """`@wp.func (t, t_branch, y, params, modes, run) -> dy/dt` of a whole trajectory, in a stage."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    fill, sums = body_rate(assembly), [contact_sum(assembly, b) for b in range(assembly.n_bodies)]

    @wp.func
    def rate(
        t: wp.float64, t_branch: wp.float64, y: vector, p: params, modes: wp.array2d(dtype=wp.int32), run: int
    ) -> vector:
        dy = vector()
        for b in range(wp.static(assembly.n_bodies)):
            state = body_state(y, b)
            dy = fill(dy, t, t_branch, y, p, b, state, wp.static(sums[b])(p, state, modes, run))
        return dy

    return rate


@lru_cache
def look_struct(vector: Any) -> Any:
    """What a look at a state between steps finds: the slope there, and the counts of `ContactSum` over all bodies."""

    @wp.struct
    class Look:
        slope: vector
        loaded: wp.int32
        moving: wp.int32
        status: wp.int32

    return Look


@lru_cache
def look_at(assembly: Assembly) -> Any:
    """`@wp.func (t, t_branch, y, params, monitors, record, run, is_step_end) -> Look`.

    The derivative at a state between steps, which is also the first slope of the next step, with everything noted that
    is to be seen there.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    fill, sums = body_rate(assembly), [watched_sum(assembly, b) for b in range(assembly.n_bodies)]
    look_type, keep_peaks = look_struct(vector), recorder(assembly).peak_frames
    _, record_type = structs(assembly)

    @wp.func
    def look(
        t: wp.float64, t_branch: wp.float64, y: vector, p: params, m: Monitors, record: record_type, run: int,
        is_step_end: int,
    ) -> look_type:  # fmt: skip
        out = look_type()
        dy = vector()
        for b in range(wp.static(assembly.n_bodies)):
            state = body_state(y, b)
            ground = wp.static(sums[b])(t, p, state, m, record, run, is_step_end)
            dy = fill(dy, t, t_branch, y, p, b, state, ground)
            out.loaded += ground.loaded
            out.moving += ground.moving
            out.status = wp.max(out.status, ground.status)
        out.slope = dy
        keep_peaks(record, m, run, t, y)
        return out

    return look

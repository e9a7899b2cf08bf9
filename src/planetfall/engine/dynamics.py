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

from planetfall.contact.model import ContactMemory
from planetfall.engine.assembly import Assembly, FrameParams
from planetfall.engine.batch import Monitors, structs
from planetfall.engine.contact_sum import ContactSum, contact_sum, watched_sum
from planetfall.engine.held_sum import held_sum, renewing_sum
from planetfall.engine.layout_sizes import BODY_SIZE, WORK_ANCHOR, WORK_DAMPER, WORK_EXTERNAL, WORK_FRICTION
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
            dy[work + WORK_ANCHOR] += ground.anchor_power
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
def derivative(assembly: Assembly, i_body: int = 0) -> Any:
    """`@wp.func (dy, t, t_branch, y, params, memory, run) -> dy` with the rates of this body and those after it.

    Bodies are chained, each function calling the next: Warp leaves a function that `wp.static` picks by a loop's index
    out of the kernel's hash, and would go on using a stale kernel.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body

    if i_body == assembly.n_bodies:

        @wp.func
        def done(
            dy: vector, t: wp.float64, t_branch: wp.float64, y: vector, p: params,
            memory: ContactMemory, run: int,
        ) -> vector:  # fmt: skip
            return dy

        return done
    total = held_sum(assembly, i_body) if assembly.law.is_remembering else contact_sum(assembly, i_body)
    fill, rest = body_rate(assembly), derivative(assembly, i_body + 1)

    @wp.func
    def rate(
        dy: vector, t: wp.float64, t_branch: wp.float64, y: vector, p: params, memory: ContactMemory,
        run: int,
    ) -> vector:  # fmt: skip
        state = body_state(y, wp.static(i_body))
        own = fill(dy, t, t_branch, y, p, wp.static(i_body), state, total(p, state, memory, run))
        return rest(own, t, t_branch, y, p, memory, run)

    return rate


@lru_cache
def look_struct(vector: Any) -> Any:
    """What a look at a state between steps finds: the slope, and what `ContactSum` counts and books over all bodies."""

    @wp.struct
    class Look:
        slope: vector
        booked: wp.float64
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
    params, vector = assembly.params, assembly.layout.vector
    look_type, keep_peaks = look_struct(vector), recorder(assembly).peak_frames
    look_bodies, record_type = _look_at_bodies(assembly, 0), structs(assembly)[1]
    books, booking = assembly.books, assembly.layout.work_offset + WORK_ANCHOR

    @wp.func
    def look(
        t: wp.float64, t_branch: wp.float64, y: vector, p: params, m: Monitors, record: record_type, run: int,
        is_step_end: int,
    ) -> look_type:  # fmt: skip
        out = look_bodies(look_type(), t, t_branch, y, p, m, record, run, is_step_end)
        if wp.static(books):
            if t == wp.float64(0.0):
                out.booked = wp.float64(0.0)  # what is stored at the start was given, not made
            seen = y
            seen[booking] += out.booked
            keep_peaks(record, m, run, t, seen)
        else:
            keep_peaks(record, m, run, t, y)
        return out

    return look


@lru_cache
def _look_at_bodies(assembly: Assembly, i_body: int) -> Any:
    """The look at this body and those after it, chained as in `derivative`."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    look_type, record_type = look_struct(vector), structs(assembly)[1]

    if i_body == assembly.n_bodies:

        @wp.func
        def done(
            found: look_type, t: wp.float64, t_branch: wp.float64, y: vector, p: params, m: Monitors,
            record: record_type, run: int, is_step_end: int,
        ) -> look_type:  # fmt: skip
            return found

        return done
    total = renewing_sum(assembly, i_body) if assembly.law.is_remembering else watched_sum(assembly, i_body)
    fill, rest = body_rate(assembly), _look_at_bodies(assembly, i_body + 1)

    @wp.func
    def look(
        found: look_type, t: wp.float64, t_branch: wp.float64, y: vector, p: params, m: Monitors, record: record_type,
        run: int, is_step_end: int,
    ) -> look_type:  # fmt: skip
        state = body_state(y, wp.static(i_body))
        ground = total(t, p, state, m, record, run, is_step_end)
        out = look_type()
        out.slope = fill(found.slope, t, t_branch, y, p, wp.static(i_body), state, ground)
        out.booked = found.booked + ground.booked
        out.loaded = found.loaded + ground.loaded
        out.moving = found.moving + ground.moving
        out.status = wp.max(found.status, ground.status)
        return rest(out, t, t_branch, y, p, m, record, run, is_step_end)

    return look

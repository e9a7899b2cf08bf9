"""The equations of motion: VanWal2017 Eq. (2) for each body, in a surface frame that turns at a constant rate.

    x' = v
    v' = g(x) - Omega x (Omega x r) - 2 Omega x v + F/m              r measured from the target's centre
    q' = q (omega, 0)/2
    omega' = I^-1 (L - omega* x I omega*) - Omega x omega            omega* = omega + Omega, all in body components

Gravity acts at the centre of mass. A fixed planar test is the case Omega = 0. What the turning frame adds is in
`world.turning_frame` for the acceleration and in `body.free_motion` for the attitude.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.contact.model import ContactMemory
from planetfall.engine.body.applied_forces import applied_forces
from planetfall.engine.body.free_motion import body_rates
from planetfall.engine.body.mass_properties import inner_state, mass_properties
from planetfall.engine.contact.point_loop import contact_sum
from planetfall.engine.contact.point_loop_anchored import anchored_sum
from planetfall.engine.contact.resultant import ContactSum
from planetfall.engine.mechanisms.chain import all_mechanisms
from planetfall.engine.motion.anchors import anchors_followed, anchors_read
from planetfall.engine.motion.crash import (
    has_crashed,
    rates_stopper,
    rests_after_crash,
)
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.link_wrenches import link_wrenches_vector
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.engine.structure.work_accounts import (
    WORK_DAMPER,
    WORK_EXTERNAL,
    WORK_FRICTION,
    WORK_ROLLING,
)
from planetfall.vehicle.body import BodyState, turning_quaternion
from planetfall.vehicle.mass import MassProperties


@lru_cache
def body_rate(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (dy, t, t_branch, y, params, state, applied, contact)`: fills in one body's rates."""
    applied_type = assembly.plan.applied_forces
    params, lay = assembly.params, assembly.layout
    vector = lay.vector
    external, anchor = lay.work_index(WORK_EXTERNAL), lay.work_index(assembly.memory_account)
    damper, friction, rolling = (lay.work_index(account) for account in (WORK_DAMPER, WORK_FRICTION, WORK_ROLLING))
    is_recorded = assembly.is_recorded
    rates_of, has_spin = body_rates(assembly, i_body), assembly.has_spin
    has_rotors, fill_rotors = assembly.has_rotors, all_mechanisms(assembly, "inner_rates")
    has_joint, joint = assembly.has_joint(i_body), assembly.joint_offset(i_body)
    loses_mass, properties_of = assembly.loses_mass(i_body), mass_properties(assembly, i_body)

    @wp.func(inline=assembly.plan.inlining_of_parts)
    def fill(
        dy: wp.ref[vector], t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params],
        state: wp.ref[BodyState], applied: wp.ref[applied_type], ground: wp.ref[ContactSum],
    ):  # fmt: skip
        b = wp.static(i_body)
        properties = MassProperties()
        if wp.static(loses_mass):
            properties = properties_of(p, y, b)
        rates = rates_of(p, b, state, applied, ground.force, ground.torque, properties)
        if wp.static(has_joint):
            dy[joint] = state.arm_speed
            dy[joint + 1] = rates.arm
        if wp.static(external >= 0):
            dy[external] += applied.power
        if wp.static(anchor >= 0):
            dy[anchor] += ground.memory_power
        if wp.static(is_recorded):
            dy[damper] += ground.damper_power
            dy[friction] += ground.friction_power
            dy[rolling] += ground.rolling_power
        w = state.omega_B
        o = b * BODY_SIZE
        q_rate = turning_quaternion(wp.vec4d(y[o + 6], y[o + 7], y[o + 8], y[o + 9]), w * wp.float64(0.5))
        for i in range(3):
            dy[o + i] = state.velocity[i]
            dy[o + 3 + i] = rates.acceleration[i]
            dy[o + 10 + i] = rates.turning[i]
        for i in range(4):
            dy[o + 6 + i] = q_rate[i]
        if wp.static(has_rotors):
            turning = wp.vec3d(rates.turning)
            if wp.static(has_spin):  # the target's spin, seen from the body, turns too
                turning -= wp.cross(state.omega_B, wp.transpose(state.R_SB) * p.frame.omega)
            fill_rotors(dy, p.mechanisms, y, b, t, t_branch, turning)

    return fill


@lru_cache
def inner_rates(assembly: Assembly) -> Any:
    """`@wp.func (dy, t, t_branch, y, params) -> link_wrenches`: fills in rates that depend on the state alone.

    The energy account is set to zero, for the bodies to add to.
    """
    params, lay = assembly.params, assembly.layout
    vector, work = lay.vector, lay.work_offset
    n_works, link_wrenches_type = len(lay.works), link_wrenches_vector(assembly.n_bodies)
    pull = all_mechanisms(assembly, "link")
    fill_own = all_mechanisms(assembly, "state_rates")

    @wp.func
    def fill(
        dy: wp.ref[vector], t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]
    ) -> link_wrenches_type:
        for i in range(wp.static(n_works)):
            dy[work + i] = wp.float64(0.0)
        fill_own(dy, p.mechanisms, y, t, t_branch)
        wrenches = link_wrenches_type()
        pull(dy, p.mechanisms, y, t, t_branch, wrenches)
        return wrenches

    return fill


@lru_cache
def derivative(assembly: Assembly) -> Any:
    """`@wp.func (dy, t, t_branch, y, params, memory, run)`: fills in the rates of a state.

    What has no rates, such as commands that are held, is left as it is in `dy`.
    """
    params, vector = assembly.params, assembly.layout.vector
    fill_inner, fill_bodies = inner_rates(assembly), _rates_of_bodies(assembly, 0)
    has_carried, carry = assembly.has_attachable, all_mechanisms(assembly, "carried_rates")
    has_anchors, read_anchors, follow = (
        assembly.has_moving_anchors, anchors_read(assembly), anchors_followed(assembly, is_settled=False)
    )  # fmt: skip

    @wp.func
    def rate(
        dy: wp.ref[vector], t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params],
        memory: wp.ref[ContactMemory], run: int,
    ):  # fmt: skip
        if wp.static(has_anchors):
            read_anchors(y, memory, run)
        link_wrenches = fill_inner(dy, t, t_branch, y, p)
        fill_bodies(dy, t, t_branch, y, p, link_wrenches, memory, run)
        if wp.static(has_anchors):
            follow(dy, y, p, memory, run)
        if wp.static(has_carried):
            carry(dy, p.mechanisms, y)

    return rate


def _sum_in_stages(assembly: Assembly, i_body: int) -> Any:
    return anchored_sum(assembly, i_body) if assembly.law.is_anchored else contact_sum(assembly, i_body)


@lru_cache
def _rates_of_bodies(assembly: Assembly, i_body: int) -> Any:
    """The rates of this body and those after it.

    Bodies are chained, each function calling the next: Warp leaves a function that `wp.static` picks by a loop's index
    out of the kernel's hash, and would go on using a stale kernel.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    link_wrenches_type, is_last = link_wrenches_vector(assembly.n_bodies), i_body + 1 == assembly.n_bodies
    total, may_crash = _sum_in_stages(assembly, i_body), assembly.may_crash
    stop_rates = rates_stopper(assembly, i_body)
    fill, applied_of = body_rate(assembly, i_body), applied_forces(assembly, i_body)
    inner = inner_state(assembly, i_body)
    is_attachable, carrier_of = assembly.is_attachable(i_body), all_mechanisms(assembly, "carrier")
    lies_after_crash = rests_after_crash(assembly, i_body)
    rest: Any = None if is_last else _rates_of_bodies(assembly, i_body + 1)

    @wp.func
    def rate(
        dy: wp.ref[vector], t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params],
        link_wrenches: wp.ref[link_wrenches_type], memory: wp.ref[ContactMemory], run: int,
    ):  # fmt: skip
        state = inner(p, y, wp.static(i_body), body_state(y, wp.static(i_body)))
        is_carried = bool(False)
        if wp.static(is_attachable):
            is_carried = carrier_of(p.mechanisms, y, wp.static(i_body)) >= 0
        if wp.static(lies_after_crash):
            if has_crashed(memory, wp.static(i_body), run):
                is_carried = True
                stop_rates(dy, p, True)
        if not is_carried:
            applied = applied_of(dy, t, t_branch, y, p, wp.static(i_body), state, link_wrenches)
            ground = ContactSum()
            is_stopped = bool(False)
            if wp.static(may_crash):
                is_stopped = has_crashed(memory, wp.static(i_body), run)
            if not is_stopped:
                ground = total(p, state, applied, memory, run)
            fill(dy, t, t_branch, y, p, state, applied, ground)
            if wp.static(may_crash):
                stop_rates(dy, p, is_stopped)
        if wp.static(not is_last):
            rest(dy, t, t_branch, y, p, link_wrenches, memory, run)

    return rate

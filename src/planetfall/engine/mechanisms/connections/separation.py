"""How attached vehicles are kept on their carriers between steps, and let go: triggers, springs, recontact."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.in_place import number
from planetfall.engine.structure.mechanism import StateSlot
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.vehicle.attachment import (
    ATTACHMENT_SIZE,
    IS_ATTACHED,
    RELEASED_AT,
    AttachmentParams,
    carried_state,
    spring_push,
)
from planetfall.vehicle.body import BodyState
from planetfall.vehicle.flight_triggers import NEVER, airflow, may_fire, trigger_from, trigger_margin
from planetfall.vehicle.mass import MassProperties, without
from planetfall.world.environment import Environment

PRESSURE_SO_FAR, IS_COMMANDED, FARTHEST, RECONTACT_AT = 2, 3, 4, 5
TURNED_BACK = wp.constant(wp.float64(0.25))
"""Of the reach: by how much a part that has not parted yet comes back when it has met its carrier (assumed)."""
RECONTACT_TIME = wp.constant(wp.float64(10.0))
"""Seconds after a release in which a recontact with the carrier is looked for, at the ends of steps."""


@lru_cache
def held_on(slot: StateSlot) -> Any:
    """`@wp.func (y, params, i, body) -> bool`: whether the i-th of these vehicles is attached to a body."""
    vector, first = slot.vector, slot.offset

    @wp.func
    def is_held(y: wp.ref[vector], p: wp.ref[AttachmentParams], i: int, b: int) -> bool:
        return p.carrier[i] == b and number(y[wp.static(first) + i * ATTACHMENT_SIZE]) == wp.float64(1.0)

    return is_held


@lru_cache
def _body_writer(vector: Any) -> Any:
    """`@wp.func (y, body, state, quaternion)`: writes the state of a body."""

    @wp.func
    def write(y: wp.ref[vector], b: int, state: wp.ref[BodyState], q: wp.quatd):
        o = b * BODY_SIZE
        for i in range(3):
            y[o + i] = state.position[i]
            y[o + 3 + i] = state.velocity[i]
            y[o + 10 + i] = state.omega_B[i]
        for i in range(4):
            y[o + 6 + i] = q[i]

    return write


@wp.func
def energy_moved(
    p: wp.ref[AttachmentParams], i: int, before: wp.ref[BodyState], after: wp.ref[BodyState],
    environment: wp.ref[Environment],
) -> wp.float64:  # fmt: skip
    """By how much the energy [J] of an attached vehicle grows that is put from one state into another beside it."""
    half = wp.float64(0.5)
    pull = environment.gravity - wp.cross(
        environment.frame_omega, wp.cross(environment.frame_omega, after.position - environment.center)
    )
    moved = half * (wp.length_sq(after.velocity) - wp.length_sq(before.velocity))
    moved -= wp.dot(pull, after.position - before.position)
    return p.mass[i] * moved


@lru_cache
def awaits_release(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.awaits`: a carrier with something on it that its trigger may release."""
    vector, is_held = slot.vector, held_on(slot)

    @wp.func
    def awaits(p: wp.ref[AttachmentParams], y: wp.ref[vector], b: int) -> int:
        out = int(0)
        i = int(0)
        while i < wp.static(n):
            trigger = trigger_from(p.releases[i])
            if is_held(y, p, i, b) and may_fire(trigger):
                out = 1
            i += 1
        return out

    return awaits


@lru_cache
def margin_to_release(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.margin`, of a carrier: to the next release, or to the arming of one."""
    vector, first, is_held = slot.vector, slot.offset, held_on(slot)

    @wp.func
    def margin(
        p: wp.ref[AttachmentParams], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
        state: wp.ref[BodyState], environment: wp.ref[Environment],
    ) -> wp.float64:  # fmt: skip
        out = wp.float64(NEVER)
        i = int(0)
        while i < wp.static(n):
            o = wp.static(first) + i * ATTACHMENT_SIZE
            if is_held(y, p, i, b):
                flow = airflow(state.velocity, environment)
                trigger = trigger_from(p.releases[i])
                if number(y[o + PRESSURE_SO_FAR]) < trigger.arming:
                    out = wp.min(out, (trigger.arming - flow.pressure) / trigger.arming)
                else:
                    out = wp.min(out, trigger_margin(trigger, t, state, environment, flow))
            i += 1
        return out

    return margin


@lru_cache
def kept_and_released(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.after_step`, of a carrier: what it carries is put where it belongs, then released."""
    keep, let_go, watch = _keeper(n, slot), _releaser(n, slot), _recontact(n, slot)

    vector = slot.vector

    @wp.func
    def after_step(
        y: wp.ref[vector], p: wp.ref[AttachmentParams], b: int, t: wp.float64, state: wp.ref[BodyState],
        environment: wp.ref[Environment],
    ):  # fmt: skip
        keep(y, p, b, environment)
        let_go(y, p, b, t, environment)
        watch(y, p, b, t)

    return after_step


@lru_cache
def _recontact(n: int, slot: StateSlot) -> Any:
    """`@wp.func (y, params, carrier, t)`: notes when what was released meets its carrier again.

    Their spheres overlap once they had parted; or they come back by `TURNED_BACK` of the reach before they have: parts
    begin inside of each other, and one that turns back there has met the other, whatever their shapes.
    """
    vector, first = slot.vector, slot.offset
    read = slot.body

    @wp.func
    def watch(y: wp.ref[vector], p: wp.ref[AttachmentParams], b: int, t: wp.float64):
        i = int(0)
        while i < wp.static(n):
            o = wp.static(first) + i * ATTACHMENT_SIZE
            is_free = p.carrier[i] == b and number(y[o]) == wp.float64(0.0)
            if is_free and t - number(y[o + RELEASED_AT]) <= RECONTACT_TIME:
                reach = p.reach[i]
                distance = wp.length(read(y, p.body[i]).position - read(y, b).position)
                farthest = wp.max(number(y[o + FARTHEST]), distance)
                y[o + FARTHEST] = farthest
                nearest = reach
                if farthest <= reach:
                    nearest = farthest - TURNED_BACK * reach
                if distance < nearest and number(y[o + RECONTACT_AT]) == wp.float64(0.0):
                    y[o + RECONTACT_AT] = t
            i += 1

    return watch


@lru_cache
def _keeper(n: int, slot: StateSlot) -> Any:
    """`@wp.func (y, params, carrier, environment)`: puts what a body carries where it belongs, and books the energy."""
    vector, booking, books, is_held = slot.vector, slot.work, slot.work >= 0, held_on(slot)
    read, write = slot.body, _body_writer(vector)

    @wp.func
    def keep(y: wp.ref[vector], p: wp.ref[AttachmentParams], b: int, environment: wp.ref[Environment]):
        i = int(0)
        while i < wp.static(n):
            if is_held(y, p, i, b):
                carrier = read(y, b)  # as mechanisms before this one have left it
                before = read(y, p.body[i])
                after = carried_state(carrier, p.place_B[i], p.turn[i])
                c = b * BODY_SIZE + 6
                turned = wp.quatd(number(y[c]), number(y[c + 1]), number(y[c + 2]), number(y[c + 3])) * p.quaternion[i]
                write(y, p.body[i], after, turned)
                if wp.static(books):
                    y[booking] = number(y[booking]) + energy_moved(p, i, before, after, environment)
            i += 1

    return keep


@lru_cache
def _kicker(vector: Any) -> Any:
    """`@wp.func (y, body, change of velocity, change of angular velocity in its axes)`: a sudden change of motion."""

    @wp.func
    def kick(y: wp.ref[vector], b: int, change: wp.vec3d, turning: wp.vec3d):
        for k in range(3):
            o = b * BODY_SIZE + k
            y[o + 3] = number(y[o + 3]) + change[k]
            y[o + 10] = number(y[o + 10]) + turning[k]

    return kick


@lru_cache
def _releaser(n: int, slot: StateSlot) -> Any:
    """`@wp.func (y, params, carrier, t, environment)`: releases what is due, and lets springs push it off."""
    vector, first, booking, books = slot.vector, slot.offset, slot.work, slot.work >= 0
    read, kick, is_held = slot.body, _kicker(vector), held_on(slot)

    @wp.func
    def spring(y: wp.ref[vector], p: wp.ref[AttachmentParams], i: int) -> wp.float64:
        """Pushes a body that was just released off all that stays together; gives the energy [J] put in."""
        b = p.carrier[i]
        rest = MassProperties()
        rest.mass = p.carrier_mass[i]
        rest.inertia = p.carrier_inertia[i]
        j = int(0)
        while j < wp.static(n):
            if is_held(y, p, j, b):
                rest = without(rest, -p.mass[j], p.place_B[j], p.spread[j])
            j += 1
        push = spring_push(p.springs[i], p.mass[i], rest, p.place_B[i])
        R_SC = read(y, b).R_SB
        kick(y, p.body[i], R_SC * (push.impulse / p.mass[i]), wp.vec3d())
        kick(y, b, R_SC * (push.change - wp.cross(push.turning, rest.center_B)), push.turning)
        j = int(0)
        while j < wp.static(n):
            if is_held(y, p, j, b):
                there = push.change + wp.cross(push.turning, p.place_B[j] - rest.center_B)
                kick(y, p.body[j], R_SC * there, wp.transpose(p.turn[j]) * push.turning)
            j += 1
        return wp.float64(0.5) * wp.dot(push.impulse, p.springs[i])

    @wp.func
    def let_go(y: wp.ref[vector], p: wp.ref[AttachmentParams], b: int, t: wp.float64, environment: wp.ref[Environment]):
        i = int(0)
        while i < wp.static(n):
            o = wp.static(first) + i * ATTACHMENT_SIZE
            if is_held(y, p, i, b):
                carrier = read(y, b)
                flow = airflow(carrier.velocity, environment)
                reached = wp.max(number(y[o + PRESSURE_SO_FAR]), flow.pressure)
                y[o + PRESSURE_SO_FAR] = reached
                trigger = trigger_from(p.releases[i])
                is_due = number(y[o + IS_COMMANDED]) == wp.float64(1.0)
                if reached >= trigger.arming:
                    is_due = is_due or trigger_margin(trigger, t, carrier, environment, flow) <= wp.float64(0.0)
                if is_due:
                    y[o + IS_ATTACHED] = wp.float64(0.0)
                    y[o + RELEASED_AT] = t
                    energy = spring(y, p, i)
                    if wp.static(books):
                        y[booking] = number(y[booking]) + energy
            i += 1

    return let_go

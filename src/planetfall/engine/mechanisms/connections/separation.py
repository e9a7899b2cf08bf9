"""Attached vehicles as a mechanism: kept on their carriers between steps, and released by their triggers.

Each has ATTACHMENT_SIZE numbers in the state: 1 while it is attached, the instant of its release [s], the largest
dynamic pressure so far [Pa], for arming, 1 once flight software has commanded its release, the least distance [m]
between the spheres around it and its carrier since they parted, negative until then, and when these met again [s].
How carriers move with what they carry is in `carried`.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.compute.in_place import number
from planetfall.engine.mechanisms.connections.carried import carried_mass, carried_rates, carrier_now
from planetfall.engine.structure.mechanism import Mechanism, RecordedVariable, ResultNumber, StateSlot
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.engine.structure.work_accounts import WorkAccount
from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.scenario.tables.vehicle.vehicle import Vehicle
from planetfall.vehicle.attachment import (
    ATTACHMENT_SIZE,
    IS_ATTACHED,
    RELEASED_AT,
    AttachmentParams,
    carried_state,
    spring_push,
)
from planetfall.vehicle.body import BodyState
from planetfall.vehicle.mass import MassProperties, without
from planetfall.vehicle.triggers import NEVER, airflow, may_fire, trigger_from, trigger_margin, trigger_numbers
from planetfall.world.environment import Environment

WORK_SEPARATION = WorkAccount(
    "work_separation", "work of springs at separations, and of turning what a trimmed vehicle carries", puts_in=True
)
PRESSURE_SO_FAR, IS_COMMANDED, FARTHEST, RECONTACT_AT = 2, 3, 4, 5
TURNED_BACK = wp.constant(wp.float64(0.25))
"""Of the reach: by how much a part that has not parted yet comes back when it has met its carrier (assumed)."""
RECONTACT_TIME = wp.constant(wp.float64(10.0))
"""Seconds after a release in which a recontact with the carrier is looked for, at the ends of steps."""
VARIABLES = (RecordedVariable("attached", "1", "1 while the vehicle is fixed to another"),)


def attachments_of(scenario: Scenario) -> Mechanism | None:
    """The attached vehicles of a scenario; None where it has none."""
    names = scenario.attached_names
    return attachments_mechanism(names, scenario.carriers) if names else None


@lru_cache
def attachments_mechanism(names: tuple[str, ...], carriers: tuple[int, ...]) -> Mechanism:
    """Vehicles with some names, by the index of the carrier of each body, or -1."""
    n = len(names)
    return Mechanism(
        name="attachments",
        params=AttachmentParams,
        fill=lambda scenario, start: attachment_params(scenario),
        reads=ATTACHMENT_READS,
        n_states=ATTACHMENT_SIZE * n,
        initial=lambda scenario: np.tile([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], n),
        account=WORK_SEPARATION,
        on_bodies=tuple(i in carriers for i in range(len(carriers))),
        attached_at=tuple(i * ATTACHMENT_SIZE + IS_ATTACHED for i in range(n)),
        carried_bodies=tuple(carrier >= 0 for carrier in carriers),
        carried=lambda slot: carried_mass(n, slot),
        carrier=lambda slot: carrier_now(n, slot),
        carried_rates=lambda slot: carried_rates(n, slot),
        switches=tuple((f"separate {name}", i * ATTACHMENT_SIZE + IS_COMMANDED) for i, name in enumerate(names)),
        margin=lambda slot: _margin(n, slot),
        awaits=lambda slot: _awaits(n, slot),
        after_step=lambda slot: _after_step(n, slot),
        acts_on=tuple(sorted({carrier for carrier in carriers if carrier >= 0})),
        variables=VARIABLES,
        observe=lambda slot: _observe(n, slot),
        results=tuple(
            number
            for name in names
            for number in (
                ResultNumber(f"separations.{name}_s", "s", f"when {name} was released; NaN if it was not"),
                ResultNumber(
                    f"separations.{name}_recontact_s",
                    "s",
                    f"when {name} met what carried it again, within 10 s of its release; NaN if it did not",
                ),
            )
        ),
        results_of=lambda numbers: _results(names, numbers),
        check=_check,
        rounds_alike=True,
    )


ATTACHMENT_READS = (
    "initial.attached",
    "companions.initial.attached",
    "vehicle.mass",
    "vehicle.inertia",
    "vehicle.shape",
    "vehicle.points",
)
"""How the keys begin that attachments are made from."""


def attachment_params(scenario: Scenario) -> Draft:
    """`AttachmentParams` of a scenario."""
    out = Draft(AttachmentParams)
    chosen = [(i, carrier, scenario.starts[i].attached) for i, carrier in enumerate(scenario.carriers) if carrier >= 0]
    tables = [table for _, _, table in chosen if table is not None]
    places, turns = [np.asarray(t.position) for t in tables], [rotation_matrix(np.asarray(t.attitude)) for t in tables]
    vehicles = [scenario.vehicles[i] for i, _, _ in chosen]
    out.body, out.carrier = [i for i, _, _ in chosen], [carrier for _, carrier, _ in chosen]
    out.place_B, out.turn, out.quaternion = places, np.array(turns), [t.attitude for t in tables]
    out.mass = [vehicle.mass for vehicle in vehicles]
    out.spread = np.array(
        [
            (r @ r) * np.eye(3) - np.outer(r, r) + turn @ np.asarray(vehicle.inertia) @ turn.T / vehicle.mass
            for r, turn, vehicle in zip(places, turns, vehicles, strict=True)
        ]
    )
    out.carrier_mass = [scenario.vehicles[carrier].mass for _, carrier, _ in chosen]
    out.carrier_inertia = np.array([scenario.vehicles[carrier].inertia for _, carrier, _ in chosen])
    out.springs = [t.separation_velocity for t in tables]
    out.releases = [trigger_numbers(t.release) for t in tables]
    out.reach = [_radius(scenario.vehicles[i]) + _radius(scenario.vehicles[carrier]) for i, carrier, _ in chosen]
    return out


def _radius(vehicle: Vehicle) -> float:
    """Distance of a vehicle's farthest contact point [m]."""
    return max((float(np.linalg.norm(point.position)) for point in vehicle.points), default=0.0)


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
def _awaits(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.awaits`: a carrier with something on it that its trigger may release."""
    vector, first = slot.vector, slot.offset

    @wp.func
    def awaits(p: wp.ref[AttachmentParams], y: wp.ref[vector], b: int) -> int:
        out = int(0)
        i = int(0)
        while i < wp.static(n):
            is_held = p.carrier[i] == b and number(y[wp.static(first) + i * ATTACHMENT_SIZE]) == wp.float64(1.0)
            trigger = trigger_from(p.releases[i])
            if is_held and may_fire(trigger):
                out = 1
            i += 1
        return out

    return awaits


@lru_cache
def _margin(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.margin`, of a carrier: to the next release, or to the arming of one."""
    vector, first = slot.vector, slot.offset

    @wp.func
    def margin(
        p: wp.ref[AttachmentParams], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
        state: wp.ref[BodyState], environment: wp.ref[Environment],
    ) -> wp.float64:  # fmt: skip
        out = wp.float64(NEVER)
        i = int(0)
        while i < wp.static(n):
            o = wp.static(first) + i * ATTACHMENT_SIZE
            if p.carrier[i] == b and number(y[o]) == wp.float64(1.0):
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
def _after_step(n: int, slot: StateSlot) -> Any:
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
    vector, first, booking, books = slot.vector, slot.offset, slot.work, slot.work >= 0
    read, write = slot.body, _body_writer(vector)

    @wp.func
    def keep(y: wp.ref[vector], p: wp.ref[AttachmentParams], b: int, environment: wp.ref[Environment]):
        i = int(0)
        while i < wp.static(n):
            if p.carrier[i] == b and number(y[wp.static(first) + i * ATTACHMENT_SIZE]) == wp.float64(1.0):
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
    read, kick = slot.body, _kicker(vector)

    @wp.func
    def is_held(y: wp.ref[vector], p: wp.ref[AttachmentParams], i: int, b: int) -> bool:
        return p.carrier[i] == b and number(y[wp.static(first) + i * ATTACHMENT_SIZE]) == wp.float64(1.0)

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


@lru_cache
def _observe(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.observe`."""
    vector, first = slot.vector, slot.offset

    @wp.func
    def observe(
        p: wp.ref[AttachmentParams], y: wp.ref[vector], b: int, t: wp.float64, state: wp.ref[BodyState],
        environment: wp.ref[Environment], values: wp.array2d(dtype=wp.float64), frame: int, column: int,
    ):  # fmt: skip
        values[frame, column] = wp.float64(0.0)
        i = int(0)
        while i < wp.static(n):
            if p.body[i] == b:
                values[frame, column] = number(y[wp.static(first) + i * ATTACHMENT_SIZE])
            i += 1

    return observe


def _results(names: tuple[str, ...], numbers: np.ndarray) -> dict[str, np.ndarray]:
    out = {}
    for i, name in enumerate(names):
        own = numbers[:, i * ATTACHMENT_SIZE : (i + 1) * ATTACHMENT_SIZE]
        out[f"separations.{name}_s"] = np.where(own[:, IS_ATTACHED] == 0.0, own[:, RELEASED_AT], np.nan)
        met = own[:, RECONTACT_AT]
        out[f"separations.{name}_recontact_s"] = np.where(met > 0.0, met, np.nan)
    return out


def _check(scenario: Scenario) -> None:
    """Refuses triggers that ask for what there is not."""
    for i, start in enumerate(scenario.starts):
        trigger = start.attached.release if start.attached is not None else None
        where = f"{'initial' if i == 0 else f'companions.{i - 1}.initial'}.attached.release"
        if trigger is None:
            continue
        if trigger.armed_after is not None:
            raise InputError(f"{where}.armed_after", "it arms parachutes, not separations", advice="leave it out")
        needs = [key for key in ("mach_below", "dynamic_pressure_below") if getattr(trigger, key) is not None]
        if needs and scenario.atmosphere.model == "none":
            raise InputError(f"{where}.{needs[0]}", "there is no air", "an atmosphere", "add [atmosphere]")

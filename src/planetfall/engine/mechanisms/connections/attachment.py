"""Attached vehicles as a mechanism: kept on their carriers between steps, and released by their triggers.

Each has ATTACHMENT_SIZE numbers in the state: 1 while it is attached, the instant of its release [s], the largest
dynamic pressure so far [Pa], for arming, 1 once flight software has commanded its release, the least distance [m]
between the spheres around it and its carrier since they parted, negative until then, and when these met again [s].
How they are let go is in `separation`, how carriers move with what they carry in `carried`.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.compute.in_place import number
from planetfall.engine.mechanisms.connections.carried import carried_mass, carried_rates, carrier_now
from planetfall.engine.mechanisms.connections.separation import (
    IS_COMMANDED,
    RECONTACT_AT,
    awaits_release,
    kept_and_released,
    margin_to_release,
)
from planetfall.engine.structure.mechanism import Mechanism, RecordedVariable, ResultNumber, StateSlot
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
)
from planetfall.vehicle.body import BodyState
from planetfall.vehicle.flight_triggers import trigger_numbers
from planetfall.world.environment import Environment

WORK_SEPARATION = WorkAccount(
    "work_separation", "work of springs at separations, and of turning what a trimmed vehicle carries", puts_in=True
)
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
        margin=lambda slot: margin_to_release(n, slot),
        awaits=lambda slot: awaits_release(n, slot),
        after_step=lambda slot: kept_and_released(n, slot),
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

"""Configurations of vehicles: what counts while others are attached to them, or once these are released.

Each vehicle that some contact point or aerodynamics names has a bit, in the order of the bodies. A condition is two
numbers of such bits: those that must be attached, and those that must be released.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from planetfall.scenario.tables.vehicle.configuration import Configuration
from planetfall.scenario.tables.vehicle.vehicle import ContactPoint, Vehicle

if TYPE_CHECKING:
    from planetfall.scenario.scenario import Scenario

Condition = tuple[int, int]
"""Bits of what must be attached, and of what must be released."""
MOST = 31
"""Vehicles that have a bit of a 32-bit number each."""
OF_BANK = ("bank_deg", "bank_plan", "bank_rate_max_deg_s", "bank_acceleration_max_deg_s2")
"""Keys of aerodynamics that a vehicle has once, for all of its configurations."""


def configuring(scenario: "Scenario") -> tuple[int, ...]:
    """Which of the vehicles that start attached, in order, something counts by: their bits in order."""
    named = {name for vehicle in scenario.vehicles for _, item in _conditional(vehicle) for name in _names(item)}
    return tuple(i for i, name in enumerate(scenario.attached_names) if name in named)


def condition_of(scenario: "Scenario", item: ContactPoint | Configuration) -> Condition:
    """When a contact point or aerodynamics counts."""
    attached = scenario.attached_names
    bit = {attached[i]: 1 << k for k, i in enumerate(configuring(scenario))}
    return sum(bit[name] for name in item.while_attached or ()), sum(bit[name] for name in item.after_release or ())


def point_conditions(scenario: "Scenario") -> tuple[Condition, ...]:
    """Of all contact points, in order; empty where all of them count always."""
    if not any(isinstance(item, ContactPoint) for vehicle in scenario.vehicles for _, item in _conditional(vehicle)):
        return ()
    return tuple(condition_of(scenario, point) for vehicle in scenario.vehicles for point in vehicle.points)


def check_configurations(scenario: "Scenario") -> None:
    """Refuses conditions on what is not attached, or never released, and aerodynamics that would hold at once."""
    for i, vehicle in enumerate(scenario.vehicles):
        found = tuple(_conditional(vehicle))
        if not found:
            continue
        where = "vehicle" if i == 0 else f"companions.{i - 1}.vehicle"
        own = [name for name, carrier in zip(scenario.body_names, scenario.carriers, strict=True) if carrier == i]
        for key, item in found:
            _check_names(scenario, f"{where}.{key}", vehicle.name, own, item)
        _check_aerodynamics(where, vehicle)
    if len(configuring(scenario)) > MOST:
        raise ValueError(
            f"vehicle.configurations: configurations name {len(configuring(scenario))} attached vehicles; at most "
            f"{MOST} may be named"
        )


def _names(item: ContactPoint | Configuration) -> tuple[str, ...]:
    return (*(item.while_attached or ()), *(item.after_release or ()))


def _conditional(vehicle: Vehicle) -> Iterator[tuple[str, ContactPoint | Configuration]]:
    """Keys of what has a condition, and the tables."""
    yield from ((f"points.{j}", point) for j, point in enumerate(vehicle.points) if _names(point))
    yield from ((f"configurations.{j}", found) for j, found in enumerate(vehicle.configurations))


def _check_names(
    scenario: "Scenario", where: str, vehicle: str, own: list[str], item: ContactPoint | Configuration
) -> None:
    for key in ("while_attached", "after_release"):
        for name in getattr(item, key) or ():
            if name not in own:
                there = f"there is {', '.join(own)}" if own else "nothing is"
                raise ValueError(f"{where}.{key}: nothing called {name!r} is attached to {vehicle}; {there}")
    for name in item.after_release or ():
        if name in (item.while_attached or ()):
            raise ValueError(
                f"{where}.after_release: {name} cannot be attached and released, so that it would never count; leave "
                "one of the two out"
            )
        if not _may_be_released(scenario, name):
            raise ValueError(
                f"{where}.after_release: nothing releases {name}, so that it would never count; give its "
                f"initial.attached.release, or a phase of the flight with switch = ['separate {name}']"
            )
    if not _names(item):
        raise ValueError(
            f"{where}.while_attached: missing; give it or after_release: what holds otherwise is vehicle.aerodynamics"
        )


def _may_be_released(scenario: "Scenario", name: str) -> bool:
    """Whether a trigger, a phase or a controller of the user's own may release an attached vehicle."""
    attached = scenario.starts[scenario.body_index(name)].attached
    if attached is not None and attached.release is not None:
        return True
    if scenario.flight is None:
        return False
    sequence = scenario.flight.sequence
    return sequence is None or any(f"separate {name}" in phase.switch for phase in sequence.phases)


def _check_aerodynamics(where: str, vehicle: Vehicle) -> None:
    """Refuses aerodynamics in place of none, two that may hold at once, and keys that a vehicle has once."""
    if vehicle.configurations and vehicle.aerodynamics is None:
        raise ValueError(f"{where}.aerodynamics: missing; it holds where none of its configurations counts")
    for (i, one), (j, other) in combinations(enumerate(vehicle.configurations), 2):
        exclusive = (set(one.while_attached or ()) & set(other.after_release or ())) or (
            set(one.after_release or ()) & set(other.while_attached or ())
        )
        if not exclusive:
            raise ValueError(
                f"{where}.configurations.{j}: it may count at once with configurations.{i}, and only one aerodynamics "
                "can hold; let one of them count while_attached, the other after_release of the same vehicle"
            )
    for j, found in enumerate(vehicle.configurations):
        assert vehicle.aerodynamics is not None
        own, base, key = found.aerodynamics, vehicle.aerodynamics, f"{where}.configurations.{j}.aerodynamics"
        if own.attitude != base.attitude:
            raise ValueError(
                f"{key}.attitude: {own.attitude!r}, and {where}.aerodynamics.attitude is {base.attitude!r}; it must be "
                "the same in all configurations"
            )
        for name in OF_BANK:
            if getattr(own, name) not in (getattr(base, name), type(own).model_fields[name].default):
                raise ValueError(
                    f"{key}.{name}: it is that of {where}.aerodynamics in all configurations; set it there"
                )

"""Parts of your own: what a plug-in needs to make them, and `register`, which makes them known.

A plug-in is a module of yours that registers its parts when it is imported:

    from planetfall.plugins import ContactLaw, register
    register(ContactLaw("sand", ...))

A scenario names it in `plugins`, or an installed package does as an entry point of the group `planetfall.plugins`. The
page "Extend it" shows what each part is made of, and whole files of most.
"""

from collections.abc import Callable
from typing import Any

from planetfall.compute.draft import Draft
from planetfall.contact import laws
from planetfall.contact.model import CONTACT_KINETIC, CONTACT_NONE, CONTACT_STATIC, MODE_APART, ContactLaw, PointContact
from planetfall.contact.normal_response import BodyOnGround, NormalResponse, SlidingPoints, SpringDamper, Tangent
from planetfall.engine.mechanisms.own_force import ForceModel, MechanismKind, register_kind
from planetfall.engine.structure.mechanism import Mechanism, RecordedVariable, StateSlot
from planetfall.engine.structure.work_accounts import WORK_EXTERNAL, WorkAccount
from planetfall.errors import InputError
from planetfall.flight.controller import Command, Controller, Seen
from planetfall.flight.detectors.detector import DetectorModel, held_for
from planetfall.flight.own_controller import ControllerKind, ControllerTable, register_controller
from planetfall.flight.readings import DetectorMemory, Readings
from planetfall.flight.sensors.model import Motion, SensorModel, channels
from planetfall.flight.sensors.own_sensors import (
    DetectorPart,
    SensorPart,
    SensorTable,
    register_detector,
    register_sensor,
)
from planetfall.record.variables.readings import register_readings
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.open_union import register_table
from planetfall.scenario.tables.table import Table, UnitVec3, Vec3, choice, quantity
from planetfall.scenario.tables.world.atmosphere import Described as AirTable
from planetfall.vehicle.body import BodyState, Wrench
from planetfall.world.atmosphere.model import Air, AtmosphereModel
from planetfall.world.environment import Environment
from planetfall.world.gravity.model import GravityModel
from planetfall.world.own_parts import (
    AtmospherePart,
    GravityPart,
    TerrainPart,
    TerrainTable,
    register_atmosphere,
    register_gravity,
    register_terrain,
)
from planetfall.world.terrain.model import GROUND_OK, RAY_HIT, RAY_MISS, Ground, RayHit, TerrainModel

__all__ = [
    "CONTACT_KINETIC", "CONTACT_NONE", "CONTACT_STATIC", "GROUND_OK", "MODE_APART", "RAY_HIT", "RAY_MISS",
    "WORK_EXTERNAL", "Air", "AirTable", "AtmosphereModel", "AtmospherePart", "BodyOnGround", "BodyState", "Command",
    "ContactLaw", "Controller", "ControllerKind", "ControllerTable", "DetectorMemory", "DetectorModel",
    "DetectorPart", "Draft", "Environment", "ForceModel", "GravityModel", "GravityPart", "Ground", "InputError",
    "Mechanism", "MechanismKind", "Motion", "NormalResponse", "PointContact", "RayHit", "Readings",
    "RecordedVariable", "Scenario", "Seen", "SensorModel", "SensorPart", "SensorTable", "SlidingPoints",
    "SpringDamper", "StateSlot", "Table", "Tangent", "TerrainModel", "TerrainPart", "TerrainTable", "UnitVec3",
    "Vec3", "WorkAccount", "Wrench", "channels", "choice", "held_for", "quantity", "register",
]  # fmt: skip


def _register_law(law: ContactLaw) -> None:
    laws.check(law)
    register_table("contact", law.name, law.table)
    laws.register(law)


def _register_force(force: ForceModel | MechanismKind) -> None:
    register_table("forces", force.name, force.table)
    register_kind(force)


def _register_controller(kind: ControllerKind) -> None:
    register_table("flight", kind.name, kind.table)
    register_controller(kind)


def _register_sensor(part: SensorPart) -> None:
    register_table("sensors", part.name, part.table)
    register_sensor(part)
    register_readings(part.table, part.unit, part.meaning)


def _registers(kind: str, enter: Callable[[Any], None]) -> Callable[[Any], None]:
    """Registers a part that has a table of a kind."""

    def register_part(part: Any) -> None:
        register_table(kind, part.name, part.table)
        enter(part)

    return register_part


_REGISTERED_BY: dict[type, Callable[[Any], None]] = {
    ContactLaw: _register_law,
    ForceModel: _register_force,
    MechanismKind: _register_force,
    ControllerKind: _register_controller,
    SensorPart: _register_sensor,
    DetectorPart: _registers("detector", register_detector),
    GravityPart: _registers("gravity", register_gravity),
    TerrainPart: _registers("terrain", register_terrain),
    AtmospherePart: _registers("atmosphere", register_atmosphere),
}


def register(*parts: Any) -> None:
    """Makes parts known by their names, for all scenarios that are read in this process from now on.

    Args:
        parts: Records of this module, such as a `ContactLaw`; the page "Extend it" names an example of each kind.

    Raises:
        InputError: A part is of no known kind, misses something that runs would ask it for, or its name is taken.
    """
    for part in parts:
        kind = next((kind for kind in _REGISTERED_BY if isinstance(part, kind)), None)
        if kind is None:
            names = ", ".join(kind.__name__ for kind in _REGISTERED_BY)
            raise InputError("plugins.register", f"{part!r} is not a part of a simulation", f"one of {names}")
        _REGISTERED_BY[kind](part)

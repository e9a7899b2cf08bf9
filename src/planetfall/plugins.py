"""Parts of your own: what a plug-in needs to make them, and `register`, which makes them known.

A plug-in is a module of yours that registers its parts when it is imported:

    from planetfall.plugins import ContactLaw, register
    register(ContactLaw("sand", ...))

A scenario names it in `plugins`, or an installed package does as an entry point of the group `planetfall.plugins`. The
page "Extend it" has an example of each part.
"""

from collections.abc import Callable
from typing import Any

from planetfall.compute.draft import Draft
from planetfall.contact import laws
from planetfall.contact.model import CONTACT_KINETIC, CONTACT_NONE, CONTACT_STATIC, MODE_APART, ContactLaw, PointContact
from planetfall.contact.response import BodyOnGround, NormalResponse, SlidingPoints, SpringDamper, Tangent
from planetfall.engine.mechanisms.own_force import ForceModel, MechanismKind, register_kind
from planetfall.engine.structure.mechanism import Mechanism, RecordedVariable, StateSlot
from planetfall.engine.structure.work_accounts import WORK_EXTERNAL, WorkAccount
from planetfall.errors import InputError
from planetfall.flight.controller import Command, Controller, Seen
from planetfall.flight.own_controller import ControllerKind, ControllerTable, register_controller
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.open_union import register_table
from planetfall.scenario.tables.table import Table, UnitVec3, Vec3, choice, quantity
from planetfall.vehicle.body import BodyState, Wrench
from planetfall.world.environment import Environment
from planetfall.world.terrain.model import Ground

__all__ = [
    "CONTACT_KINETIC", "CONTACT_NONE", "CONTACT_STATIC", "MODE_APART", "WORK_EXTERNAL", "BodyOnGround", "BodyState",
    "Command", "ContactLaw", "Controller", "ControllerKind", "ControllerTable", "Draft", "Environment", "ForceModel",
    "Ground", "InputError", "Mechanism", "MechanismKind", "NormalResponse", "PointContact", "RecordedVariable",
    "Scenario", "Seen", "SlidingPoints", "SpringDamper", "StateSlot", "Table", "Tangent", "UnitVec3", "Vec3",
    "WorkAccount", "Wrench", "choice", "quantity", "register",
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


_REGISTERED_BY: dict[type, Callable[[Any], None]] = {
    ContactLaw: _register_law,
    ForceModel: _register_force,
    MechanismKind: _register_force,
    ControllerKind: _register_controller,
}


def register(*parts: Any) -> None:
    """Makes parts known by their names, for all scenarios that are read in this process from now on.

    Raises:
        InputError: A part is of no known kind, misses something that runs would ask it for, or its name is taken.
    """
    for part in parts:
        kind = next((kind for kind in _REGISTERED_BY if isinstance(part, kind)), None)
        if kind is None:
            names = ", ".join(kind.__name__ for kind in _REGISTERED_BY)
            raise InputError("plugins.register", f"{part!r} is no part of a simulation", f"one of {names}")
        _REGISTERED_BY[kind](part)

"""All contact laws by name, and what a scenario asks of the one that it names.

Nothing here knows a law: a law that is not registered, or that misses a part, is refused by name.
"""

import typing

from planetfall.compute.draft import Draft
from planetfall.compute.parts_by_name import PartsByName
from planetfall.contact.model import ContactLaw
from planetfall.contact.normal_response import BodyOnGround, NormalResponse
from planetfall.errors import ANOTHER_NAME, InputError
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.table import Table

LAWS: PartsByName[ContactLaw] = PartsByName(
    {
        "marker": "planetfall.contact.marker:CONTACT_MARKER",
        "anchor": "planetfall.contact.anchor:CONTACT_ANCHOR",
        "distributed": "planetfall.contact.distributed:CONTACT_DISTRIBUTED",
        "hunt-crossley": "planetfall.contact.hunt_crossley:CONTACT_HUNT_CROSSLEY",
        "hertz": "planetfall.contact.hertz:CONTACT_HERTZ",
        "plastic": "planetfall.contact.plastic:CONTACT_PLASTIC",
    }
)
OF_TABLE = ("sink", "stop_speed", "needs_gravity")
"""What the table of a law must say beside its keys: how deep points go by order of magnitude [m], the speed [m/s] below
which a slide is over, and whether the stiffness follows from the scenario's own gravity."""
FUNCTIONS = ("params", "fill", "coefficients", "friction_rate", "reported")


def register(law: ContactLaw) -> ContactLaw:
    """Makes a law known by its name.

    Raises:
        InputError: The name is taken, or the law misses something that runs would ask it for.
    """
    if law.name in LAWS and LAWS[law.name] is not law:
        raise InputError(f"contact law {law.name!r}", "the name is taken", advice=ANOTHER_NAME)
    check(law)
    LAWS[law.name] = law
    return law


def check(law: ContactLaw) -> None:
    """Refuses a law that misses something."""
    if missing := _missing(law):
        where = f"contact law {law.name!r}"
        raise InputError(where, f"lacks {missing}", "all parts that ContactLaw lists", "add it to the record")


def _missing(law: ContactLaw) -> str | None:
    """What a law lacks, in words; None if nothing."""
    for name in FUNCTIONS:
        if not callable(getattr(law, name)):
            return f"the function {name}"
    instant, anchored = (law.mode, law.contact), (law.anchored_contact, law.renew)
    if all(instant) == all(anchored) or (any(instant) and any(anchored)):
        return "either mode and contact, or anchored_contact and renew"
    if law.keeps_dent and (law.work is None or not law.mode):
        return "work, the name and meaning of its account"
    if not (isinstance(law.table, type) and issubclass(law.table, Table)):
        return "a table (a subclass of planetfall's Table) with its keys"
    named = law.table.model_fields.get("law")
    if named is None or law.name not in typing.get_args(named.annotation):
        return f"the key law: Literal[{law.name!r}] in its table {law.table.__name__}"
    known = {*law.table.model_fields, *dir(law.table)}
    if lacking := [name for name in OF_TABLE if name not in known]:
        return f"{', '.join(lacking)} in its table {law.table.__name__}"
    if foreign := [key for key in law.live_keys if key not in law.table.model_fields]:
        return f"the live key {foreign[0]} in its table {law.table.__name__}"
    return None


def law_named(name: str) -> ContactLaw:
    """The law of a name.

    Raises:
        InputError: None is registered by that name.
    """
    if name not in LAWS:
        raise InputError("contact.law", f"{name!r} has no contact law behind it", f"one of {', '.join(LAWS)}")
    return LAWS[name]


def contact_law(scenario: Scenario, has_unit_normals: bool = True) -> ContactLaw:
    """The law that a scenario asks for, on ground whose normals have the length 1 or are gradients as they are."""
    law = law_named(scenario.contact.law)
    return law if law.variant is None else law.variant(scenario.contact, has_unit_normals)


def coefficients_of(scenario: Scenario, gravity: float) -> NormalResponse:
    """The law's coefficients for the first vehicle of a scenario, at a gravity [m/s^2]."""
    vehicle = scenario.vehicle
    # what a vehicle weighs by itself rests on the points that count then
    n_points = sum(point.counts_at_end for point in vehicle.points) or len(vehicle.points)
    body = BodyOnGround(vehicle.mass, n_points, gravity)
    return law_named(scenario.contact.law).coefficients(scenario.contact, body)


def law_params(scenario: Scenario, gravity: float) -> Draft:
    """The law's parameters for all vehicles of a scenario, at a gravity [m/s^2]."""
    law = law_named(scenario.contact.law)
    params = Draft(law.params(len(scenario.vehicles)))
    responses = [coefficients_of(solo, gravity) for solo in scenario.solos]
    law.fill(params, scenario.contact, responses, [point for vehicle in scenario.vehicles for point in vehicle.points])
    if empty := params.unset():
        raise InputError(
            f"contact law {law.name!r}", f"its fill does not set {', '.join(empty)}",
            "a value for every member of its params", f"set params.{empty[0]} in fill",
        )  # fmt: skip
    return params

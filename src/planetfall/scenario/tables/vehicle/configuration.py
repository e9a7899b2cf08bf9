"""`[[vehicle.configurations]]`: what counts only while others are attached to a vehicle, or once they are released.

Contact points have the same two keys.
"""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from planetfall.scenario.tables.table import Table, choice
from planetfall.scenario.tables.vehicle.aerodynamics import VehicleAerodynamics


def _one_is_enough(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


AttachedNames = Annotated[tuple[str, ...], BeforeValidator(_one_is_enough), Field(min_length=1)]
"""Names of vehicles that start attached to this one; a single one may stand without a list."""
WHILE_ATTACHED = "names of vehicles attached to this one, or one name: it counts only while all of them are attached"
AFTER_RELEASE = "names of vehicles attached to this one, or one name: it counts only once all of them are released"


class Configuration(Table):
    """The aerodynamics of a vehicle without or with what is attached to it, in place of `vehicle.aerodynamics`."""

    while_attached: AttachedNames | None = choice(WHILE_ATTACHED, None)
    after_release: AttachedNames | None = choice(AFTER_RELEASE, None)
    aerodynamics: VehicleAerodynamics = choice("what the air does to the vehicle as long as it counts")

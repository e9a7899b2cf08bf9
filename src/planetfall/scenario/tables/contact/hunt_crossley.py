"""`[contact] law = "hunt-crossley"`: ground that stiffens with depth."""

from typing import Literal, Self

from pydantic import model_validator

from planetfall.scenario.tables.contact.slip_stick import (
    BREAKAWAY_ANGLE,
    BREAKAWAY_SPEED,
    SLIDING_ANGLE,
    SLIDING_SPEED,
    SlipStick,
)
from planetfall.scenario.tables.table import Table, choice, quantity

SINK = quantity(
    "m", "how deep points go, by order of magnitude: deeper ones are remarked on, and terrain is searched as deep "
    "(assumed)", 0.01, gt=0
)  # fmt: skip


class ContactHuntCrossley(SlipStick, Table):
    """The law of Hunt and Crossley (HuntCrossley1975), with the friction table of the marker law."""

    law: Literal["hunt-crossley"] = choice("name of the contact law")
    stiffness: float = quantity("N/m^n", "K: normal force K d^n at rest, d the depth", gt=0)
    exponent: float = quantity("-", "n: 3/2 is a sphere on a plane (Hertz)", 1.5, ge=1, le=5)
    dissipation: float = quantity("s/m", "D: the force is 1 + D d' times the one at rest, d' the rate of depth", ge=0)
    breakaway_angle_deg: float = BREAKAWAY_ANGLE
    sliding_angle_deg: float = SLIDING_ANGLE
    breakaway_speed: float = BREAKAWAY_SPEED
    sliding_speed: float = SLIDING_SPEED
    sink: float = SINK

    @model_validator(mode="after")
    def _table_rises(self) -> Self:
        self.check_friction_table()
        return self

    @property
    def needs_gravity(self) -> bool:
        """Whether the stiffness follows from the scenario's own gravity."""
        return False

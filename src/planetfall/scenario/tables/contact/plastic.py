"""`[contact] law = "plastic"`: regolith that keeps its dent."""

from typing import Literal, Self

from pydantic import model_validator

from planetfall.scenario.tables.contact.hunt_crossley import SINK
from planetfall.scenario.tables.contact.slip_stick import (
    BREAKAWAY_ANGLE,
    BREAKAWAY_SPEED,
    SLIDING_ANGLE,
    SLIDING_SPEED,
    SlipStick,
)
from planetfall.scenario.tables.table import Table, choice, quantity


class ContactPlastic(SlipStick, Table):
    """Ground that unloads more steeply than it was loaded (WaltonBraun1986); friction as in the marker law."""

    law: Literal["plastic"] = choice("name of the contact law")
    stiffness: float = quantity("N/m", "K: force over depth where the ground is pressed for the first time", gt=0)
    unloading_stiffness: float = quantity("N/m", "K_u: stiffness of unloading and reloading, at least K", gt=0)
    damping: float = quantity(
        "N s/m", "C: damping parallel to the springs; without it nothing comes to rest", 0.0, ge=0
    )
    breakaway_angle_deg: float = BREAKAWAY_ANGLE
    sliding_angle_deg: float = SLIDING_ANGLE
    breakaway_speed: float = BREAKAWAY_SPEED
    sliding_speed: float = SLIDING_SPEED
    sink: float = SINK

    @model_validator(mode="after")
    def _unloads_more_steeply(self) -> Self:
        if self.unloading_stiffness < self.stiffness:
            given = f"{self.unloading_stiffness:g} N/m is less than stiffness = {self.stiffness:g} N/m"
            raise ValueError(f"unloading_stiffness: {given}; the ground would give back more than it took")
        self.check_friction_table()
        return self

    @property
    def needs_gravity(self) -> bool:
        """Whether the stiffness follows from the scenario's own gravity."""
        return False

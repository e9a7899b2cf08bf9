"""`[contact] law = "marker"`: the MSL law."""

from typing import Literal, Self

from pydantic import model_validator

from planetfall.scenario.tables.contact.slip_stick import (
    BREAKAWAY_ANGLE,
    BREAKAWAY_SPEED,
    SLIDING_ANGLE,
    SLIDING_SPEED,
    SlipStick,
)
from planetfall.scenario.tables.contact.springs import RestsOnSprings
from planetfall.scenario.tables.table import Table, choice, quantity


class ContactMarker(RestsOnSprings, SlipStick, Table):
    """The MSL law (Raiszadeh2012): four intuitive inputs, and the two speeds of its friction table."""

    law: Literal["marker"] = choice("name of the contact law")
    rest_penetration: float = quantity("m", "h_eq: how deep a marker stands in the ground at rest (Eq. 10)", gt=0)
    damping_ratio: float = quantity("-", "d: damping ratio, 1 is critical (Eq. 11)", ge=0)
    breakaway_angle_deg: float = BREAKAWAY_ANGLE
    sliding_angle_deg: float = SLIDING_ANGLE
    breakaway_speed: float = BREAKAWAY_SPEED
    sliding_speed: float = SLIDING_SPEED
    mass_share: Literal["whole", "per-point"] = choice(
        "mass in K and C of each marker: the whole vehicle's, or its share of it", "whole"
    )
    loaded_points: int | None = choice("per-point: how many points carry load at rest; all if not given", None)
    reference_gravity: float | None = quantity(
        "m/s^2", "g in K = m g/h_eq; gravity at the start if not given", None, gt=0
    )
    clamp: bool = choice("true: the ground cannot pull (N >= 0)", True)

    @model_validator(mode="after")
    def _table_rises(self) -> Self:
        self.check_friction_table()
        self.check_loaded_points()
        return self

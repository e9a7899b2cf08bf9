"""`[contact]`: the law between points and ground."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from planetfall.scenario.tables.contact.anchor import ContactAnchor
from planetfall.scenario.tables.contact.distributed import ContactDistributed
from planetfall.scenario.tables.contact.springs import RestsOnSprings
from planetfall.scenario.tables.table import Table, choice, quantity


class ContactMarker(RestsOnSprings, Table):
    """The MSL law (Raiszadeh2012): four intuitive inputs, and the two speeds of its friction table."""

    law: Literal["marker"] = choice("marker | anchor | distributed")
    rest_penetration: float = quantity("m", "h_eq: how deep a marker stands at rest (Eq. 10)", gt=0)
    damping_ratio: float = quantity("-", "d: 1 is critical (Eq. 11)", ge=0)
    breakaway_angle_deg: float = quantity(
        "deg", "theta1: slope at which a resting vehicle starts to slide (Eq. 14)", ge=0, lt=90
    )
    sliding_angle_deg: float = quantity(
        "deg", "theta2: slope on which a sliding vehicle keeps its speed (Eq. 15)", ge=0, lt=90
    )
    breakaway_speed: float = quantity("m/s", "V1: below it friction falls linearly to zero", gt=0)
    sliding_speed: float = quantity("m/s", "V2: above it friction is mu2", gt=0)
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
        if self.sliding_angle_deg > self.breakaway_angle_deg:
            raise ValueError(
                f"sliding_angle_deg: theta2 = {self.sliding_angle_deg} deg exceeds breakaway_angle_deg = "
                f"{self.breakaway_angle_deg} deg; sliding friction cannot exceed breakaway friction"
            )
        if self.sliding_speed <= self.breakaway_speed:
            raise ValueError(
                f"sliding_speed: V2 = {self.sliding_speed} m/s must exceed breakaway_speed = {self.breakaway_speed} m/s"
            )
        self.check_loaded_points()
        return self

    @property
    def stop_speed(self) -> float:
        """A slide is over when the vehicle is slower than this for good [m/s]: what is left is creep."""
        return self.breakaway_speed


Contact = Annotated[ContactMarker | ContactAnchor | ContactDistributed, Field(discriminator="law")]

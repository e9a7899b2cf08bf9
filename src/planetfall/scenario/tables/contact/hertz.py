"""`[contact] law = "hertz"`: an elastic sphere on an elastic ground."""

from typing import Literal, Self

import numpy as np
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

OF_THE_SPHERE = ("radius", "modulus", "poisson_ratio", "ground_modulus", "ground_poisson_ratio")


class ContactHertz(SlipStick, Table):
    """The law of Hertz (Hertz1882): stiffness as given, or from a radius and moduli; friction as in the marker law."""

    law: Literal["hertz"] = choice("name of the contact law")
    stiffness: float | None = quantity("N/m^1.5", "K: normal force K d^(3/2), d the depth", None, gt=0)
    radius: float | None = quantity(
        "m", "radius of the sphere whose foot a point is, in place of stiffness", None, gt=0
    )
    modulus: float | None = quantity("Pa", "Young's modulus of the sphere, with radius", None, gt=0)
    poisson_ratio: float | None = quantity("-", "Poisson's ratio of the sphere, with radius", None, ge=0, le=0.5)
    ground_modulus: float | None = quantity("Pa", "Young's modulus of the ground, with radius", None, gt=0)
    ground_poisson_ratio: float | None = quantity("-", "Poisson's ratio of the ground, with radius", None, ge=0, le=0.5)
    breakaway_angle_deg: float = BREAKAWAY_ANGLE
    sliding_angle_deg: float = SLIDING_ANGLE
    breakaway_speed: float = BREAKAWAY_SPEED
    sliding_speed: float = SLIDING_SPEED
    sink: float = SINK

    @model_validator(mode="after")
    def _one_way_to_give_the_stiffness(self) -> Self:
        given = [key for key in OF_THE_SPHERE if getattr(self, key) is not None]
        if len(given) != (0 if self.stiffness is not None else len(OF_THE_SPHERE)):
            raise ValueError(f"stiffness: give it alone, or in its place all of {', '.join(OF_THE_SPHERE)}")
        self.check_friction_table()
        return self

    @property
    def sphere_stiffness(self) -> float:
        """K [N/m^1.5] as given, or 4/3 E* sqrt(R) (Johnson1985 Eq. 4.23)."""
        if self.stiffness is not None:
            return self.stiffness
        radius, modulus, ratio, ground, ground_ratio = (float(getattr(self, key)) for key in OF_THE_SPHERE)
        compliance = (1.0 - ratio**2) / modulus + (1.0 - ground_ratio**2) / ground
        return float(4.0 / 3.0 * np.sqrt(radius) / compliance)

    @property
    def needs_gravity(self) -> bool:
        """Whether the stiffness follows from the scenario's own gravity."""
        return False

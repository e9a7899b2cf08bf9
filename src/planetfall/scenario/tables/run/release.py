"""`[initial.release]`: let go by a mothership that hovers or orbits."""

from typing import Literal, Self

import numpy as np
from pydantic import model_validator

from planetfall.scenario.tables.table import Table, Vec3, choice, quantity


class Release(Table):
    """Where the mothership is, how it moves, and how fast the vehicle leaves it; in place of position and velocity."""

    carrier: Literal["station", "hover", "orbit"] = choice(
        "station: at rest over the turning ground; hover: at rest in inertial space; orbit: moves at `velocity`"
    )
    position: Vec3 = quantity("m", "of the vehicle at time zero, surface frame")
    velocity: Vec3 | None = quantity(
        "m/s",
        "orbit: inertial velocity of the mothership, along the axes that the surface frame has at time zero",
        None,
    )
    separation: Vec3 = quantity("m/s", "velocity of the vehicle relative to the mothership, same axes", (0.0, 0.0, 0.0))

    @model_validator(mode="after")
    def _orbit_has_its_velocity(self) -> Self:
        if (self.carrier == "orbit") != (self.velocity is not None):
            raise ValueError("velocity: it belongs to carrier = 'orbit', and to no other")
        return self

    def start_velocity(self, omega: np.ndarray, center: np.ndarray) -> np.ndarray:
        """Velocity [m/s] relative to a surface frame that turns with `omega` [rad/s] about `center` [m], along it."""
        (x, y, z), (a, b, c) = omega, np.asarray(self.position) - center
        carried = np.array([y * c - z * b, z * a - x * c, x * b - y * a])  # np.cross takes ten times as long
        inertial = {"station": carried, "hover": np.zeros(3), "orbit": np.asarray(self.velocity or (0.0, 0.0, 0.0))}
        return inertial[self.carrier] + np.asarray(self.separation) - carried

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
    position: Vec3 = quantity("m", "place of the vehicle at time zero, surface frame")
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
        inertial = np.asarray(self.velocity or (0.0, 0.0, 0.0))
        arm = np.asarray(self.position) - center
        return velocity_at_release(self.carrier, arm, inertial, np.asarray(self.separation), omega)


def velocity_at_release(
    carrier: str, arm: np.ndarray, inertial: np.ndarray, separation: np.ndarray, omega: np.ndarray
) -> np.ndarray:
    """Velocities [..., 3] [m/s] relative to a turning surface frame, of one release or of many.

    Args:
        carrier: As in `Release`.
        arm: From the centre about which the frame turns [..., 3] [m].
        inertial: Velocity of a mothership in orbit [..., 3] [m/s].
        separation: Of the vehicle from the mothership [..., 3] [m/s].
        omega: Of the frame [..., 3] [rad/s].
    """
    (x, y, z), (a, b, c) = np.moveaxis(np.asarray(omega), -1, 0), np.moveaxis(arm, -1, 0)
    carried = np.stack([y * c - z * b, z * a - x * c, x * b - y * a], axis=-1)  # np.cross takes ten times as long
    moved = {"station": carried, "hover": np.zeros_like(carried), "orbit": inertial}
    return moved[carrier] + separation - carried

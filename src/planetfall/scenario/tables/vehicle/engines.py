"""`[[vehicle.engines]]` and `[vehicle.propellant]`: what pushes a vehicle that is flown, and what it burns."""

from typing import Self

import numpy as np
from pydantic import Field, model_validator

from planetfall.scenario.tables.table import Table, UnitVec3, Vec3, quantity


class Engine(Table):
    """A throttled engine; its commands come from the controller of `[flight]`."""

    name: str = Field(description="name used in results and messages", min_length=1)
    position: Vec3 = quantity("m", "where it pushes, from the centre of mass at the start, body frame")
    direction: UnitVec3 = quantity("-", "unit direction of the force on the vehicle, body frame")
    thrust_min: float = quantity("N", "smallest thrust that can be commanded while it runs", 0.0, ge=0)
    thrust_max: float = quantity("N", "largest thrust that the engine gives", gt=0)
    thrust: float = quantity("N", "thrust of the engine at time zero", 0.0, ge=0)
    lag: float = quantity("s", "time constant with which thrust follows its command", gt=0)
    isp: float = quantity("s", "specific impulse of the engine", gt=0)
    bias: float = quantity("-", "relative error of the thrust against its command", 0.0, gt=-1)
    fail_time: float | None = quantity(
        "s", "time from which on the engine gives no thrust; never if not given", None, ge=0
    )

    @model_validator(mode="after")
    def _has_a_range(self) -> Self:
        if self.thrust_min > self.thrust_max:
            raise ValueError(f"thrust_min: {self.thrust_min} N is above thrust_max, {self.thrust_max} N")
        if self.thrust > self.thrust_max:
            raise ValueError(f"thrust: {self.thrust} N is above thrust_max, {self.thrust_max} N")
        return self


class Propellant(Table):
    """Propellant in tanks that are drained alike; part of the vehicle's mass and inertia at the start."""

    mass: float = quantity("kg", "mass of propellant in all tanks at the start", gt=0)
    positions: tuple[Vec3, ...] = quantity(
        "m", "places of the tanks from the centre of mass at the start, body frame", ((0.0, 0.0, 0.0),)
    )

    @model_validator(mode="after")
    def _lies_somewhere(self) -> Self:
        if not self.positions:
            raise ValueError("positions: propellant lies in at least one tank")
        return self

    @property
    def center(self) -> np.ndarray:
        """Mean position of the tanks [3] [m]."""
        return np.mean(self.positions, axis=0)

    @property
    def spread(self) -> np.ndarray:
        """Mean inertia [3, 3] [m^2] of a unit mass in the tanks, about the centre of mass at the start."""
        places = np.asarray(self.positions)
        square = np.mean(np.sum(places**2, axis=1))
        return square * np.eye(3) - places.T @ places / len(places)

    def inertia_when_empty(self, mass: float, inertia: np.ndarray) -> np.ndarray:
        """Of a vehicle of a mass [kg] and inertia [3, 3] [kg m^2], about its centre of mass without propellant."""
        left = mass - self.mass
        c = -self.mass / left * self.center
        return inertia - self.mass * self.spread - left * (c @ c * np.eye(3) - np.outer(c, c))

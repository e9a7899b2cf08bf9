"""`[[vehicle.flywheels]]`: a rotor inside a vehicle, its motor, its brake, and what they can stand."""

from itertools import pairwise
from typing import Self

import numpy as np
from pydantic import Field, model_validator

from planetfall.scenario.tables.table import Table, UnitVec3, quantity


class Flywheel(Table):
    """A rotor inside the vehicle, with its motor and brake; the vehicle's inertia includes it."""

    name: str = Field(description="name used in results", min_length=1)
    axis: UnitVec3 = quantity("-", "axis of rotation, body frame")
    inertia: float = quantity("kg m^2", "J: moment of inertia about its axis", gt=0)
    speed: float = quantity("rad/s", "speed of the rotor at time zero, relative to the vehicle", 0.0)
    speed_max: float | None = quantity(
        "rad/s", "largest speed at time zero, or that its motor may give it on a body that is held; any"
                 " that a rotor survives if not given", None, gt=0,
    )  # fmt: skip
    times: tuple[float, ...] = quantity("s", "instants of the motor's table, rising", ())
    torques: tuple[float, ...] = quantity(
        "N m", "torque of the motor on the rotor at each instant, linear in between", ()
    )
    torque_max: float | None = quantity("N m", "largest torque that the table may have; any if not given", None, gt=0)
    brake_time: float | None = quantity("s", "instant at which the brake is put on; never if not given", None, ge=0)
    brake_end: float | None = quantity("s", "instant at which the brake is released; never if not given", None, ge=0)
    brake_torque: float = quantity("N m", "torque of the brake on the rotor", 0.0, ge=0)
    brake_speed: float = quantity("rad/s", "below it the brake's torque falls linearly to zero (assumed)", 0.1, gt=0)

    @model_validator(mode="after")
    def _table_is_one(self) -> Self:
        if len(self.times) != len(self.torques) or len(self.times) == 1:
            raise ValueError(f"torques: {len(self.torques)} torques for {len(self.times)} times; two or more of each")
        if any(b <= a for a, b in pairwise(self.times)):
            raise ValueError("times: they must rise")
        return self

    @model_validator(mode="after")
    def _brake_is_whole(self) -> Self:
        if self.brake_time is not None and self.brake_torque == 0.0:
            raise ValueError("brake_torque: a brake that is put on at brake_time needs one; give it, or no brake_time")
        if self.brake_time is None and self.brake_torque > 0.0:
            raise ValueError(
                f"brake_time: a brake of {self.brake_torque:g} N m that is never put on; give it, or no brake_torque"
            )
        if self.brake_end is not None and self.brake_end <= (np.inf if self.brake_time is None else self.brake_time):
            raise ValueError("brake_end: it must come after brake_time")
        return self

    @model_validator(mode="after")
    def _stays_within_its_limits(self) -> Self:
        if self.torque_max is not None and any(abs(torque) > self.torque_max for torque in self.torques):
            largest = max(map(abs, self.torques))
            raise ValueError(
                f"torques: {largest:g} N m; at most torque_max, {self.torque_max:g} N m; use a longer plan"
            )
        if self.speed_max is None:
            return self
        if abs(self.speed) > self.speed_max:
            raise ValueError(f"speed: {self.speed:g} rad/s; at most speed_max, {self.speed_max:g} rad/s")
        if self.fastest > self.speed_max:
            raise ValueError(
                f"torques: they bring it to {self.fastest:.4g} rad/s; at most speed_max, {self.speed_max:g} rad/s; "
                "use smaller ones, or a shorter plan"
            )
        return self

    @property
    def fastest(self) -> float:
        """Highest speed [rad/s] that it starts with or that its motor brings it to, on a body that is held, unbraked.

        Torque is linear in time between the rows of the table: where it vanishes inside, speed has a peak of its own.
        """
        speed, peak = self.speed, abs(self.speed)
        for (t, later), (torque, end) in zip(pairwise(self.times), pairwise(self.torques), strict=True):
            if torque * end < 0.0:
                zero = (later - t) * torque / (torque - end)
                peak = max(peak, abs(speed + 0.5 * zero * torque / self.inertia))
            speed += 0.5 * (later - t) * (torque + end) / self.inertia
            peak = max(peak, abs(speed))
        return peak

    @property
    def is_braked(self) -> bool:
        """Whether it has a brake that is put on."""
        return self.brake_time is not None

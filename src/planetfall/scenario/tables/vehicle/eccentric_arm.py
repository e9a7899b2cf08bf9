"""`[vehicle.arm]`: a mass on an arm inside the vehicle, whose motor swings it to make the vehicle hop."""

from itertools import pairwise
from typing import Self

import numpy as np
from pydantic import model_validator

from planetfall.scenario.tables.table import Table, UnitVec3, Vec3, quantity

SQUARE = 1e-9
"""How far from a right angle the cosine of axis and direction may be."""


class EccentricArm(Table):
    """A mass on an arm that turns about an axis fixed in the vehicle.

    Mass, inertia and contact points of the vehicle are with the arm at angle zero, which they include; the mass is a
    point, or symmetric about a line through it along the axis.
    """

    pivot: Vec3 = quantity("m", "a point of the axis, from the centre of mass, body frame")
    axis: UnitVec3 = quantity("-", "axis of rotation, body frame")
    direction: UnitVec3 = quantity(
        "-", "unit direction from the pivot to the mass at angle zero, across the axis, body frame"
    )
    length: float = quantity("m", "distance from the pivot to the mass", ge=0)
    mass: float = quantity("kg", "mass at the end of the arm", gt=0)
    inertia: float = quantity(
        "kg m^2", "moment of inertia of the mass about a line through it along the axis", 0.0, ge=0
    )
    angle_deg: float = quantity("deg", "angle of the arm at time zero", 0.0)
    speed: float = quantity("rad/s", "speed of the arm at time zero, relative to the vehicle", 0.0)
    times: tuple[float, ...] = quantity("s", "instants of the motor's plan, rising", ())
    torques: tuple[float, ...] = quantity(
        "N m", "torque of the motor on the arm at each instant, linear in between, zero before and after", ()
    )
    angles_deg: tuple[float, ...] = quantity(
        "deg", "that the motor is to follow, at each instant, linear in between, held before and after", ()
    )
    stiffness: float = quantity("N m/rad", "torque per error of the angle, with angles_deg", 0.0, ge=0)
    damping: float = quantity("N m s/rad", "torque per error of the speed, with angles_deg", 0.0, ge=0)
    torque_max: float | None = quantity("N m", "largest torque of the motor; any if not given", None, gt=0)

    @model_validator(mode="after")
    def _turns(self) -> Self:
        if abs(float(np.dot(self.axis, self.direction))) > SQUARE:
            raise ValueError("direction: it must be across axis")
        if self.length == 0.0 and self.inertia == 0.0:
            raise ValueError("inertia: with length = 0 the mass needs one, or nothing would resist the motor")
        return self

    @model_validator(mode="after")
    def _plan_is_one(self) -> Self:
        n = len(self.times)
        for key in ("torques", "angles_deg"):
            given = len(getattr(self, key))
            if given and (given != n or n < 2):
                raise ValueError(f"{key}: {given} of them for {n} times; two or more of each")
        if n and not self.torques and not self.angles_deg:
            raise ValueError("times: without torques or angles_deg they plan nothing; give one of them")
        if any(b <= a for a, b in pairwise(self.times)):
            raise ValueError("times: they must rise")
        if bool(self.angles_deg) != (self.stiffness > 0.0):
            raise ValueError("stiffness: angles_deg and a stiffness to follow them with belong together; give both")
        return self

    @property
    def tip(self) -> np.ndarray:
        """Where the mass is at angle zero [3] [m], from the centre of mass, body frame."""
        return np.asarray(self.pivot) + self.length * np.asarray(self.direction)

    def tips_at(self, angle: np.ndarray) -> np.ndarray:
        """Where the mass is at angles [n] [rad], [n, 3] [m], from the centre of mass at angle zero, body frame."""
        axis, along = np.asarray(self.axis), self.length * np.asarray(self.direction)
        reach = np.cos(angle)[:, None] * along + np.sin(angle)[:, None] * np.cross(axis, along)
        return np.asarray(self.pivot) + reach

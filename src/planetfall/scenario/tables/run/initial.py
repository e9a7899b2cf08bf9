"""`[initial]`: where the vehicle starts, how it points and moves."""

from typing import Literal, Self

import numpy as np
from pydantic import model_validator

from planetfall.scenario.tables.run.attitude import quaternion_from_euler_ned
from planetfall.scenario.tables.run.release import Release
from planetfall.scenario.tables.table import Table, UnitQuaternion, Vec3, choice, quantity


class Initial(Table):
    """State at time zero, relative to the surface frame."""

    position: Vec3 = quantity("m", "centre of mass, surface frame", (0.0, 0.0, 0.0))
    height: float | None = quantity(
        "m", "lifts `position` this far from the highest ground straight over or under it", None, gt=0
    )
    height_along: Literal["vertical", "normal"] = choice("direction in which `height` is measured", "vertical")
    velocity: Vec3 = quantity("m/s", "of the centre of mass, surface frame", (0.0, 0.0, 0.0))
    attitude: UnitQuaternion | None = quantity(
        "-", "quaternion x y z w from body to surface frame; level if not given", None
    )
    euler_ned_deg: Vec3 | None = quantity(
        "deg", "yaw, pitch, roll from north-east-down to body, 3-2-1, in place of attitude", None
    )
    release: Release | None = choice("from a mothership, in place of position, height and velocity", None)
    angular_velocity: Vec3 = quantity("rad/s", "relative to the surface frame, body components", (0.0, 0.0, 0.0))

    @model_validator(mode="after")
    def _one_start(self) -> Self:
        given = [key for key in ("position", "velocity", "height") if getattr(self, key) not in (None, (0.0, 0.0, 0.0))]
        if self.release is not None and given:
            raise ValueError(
                f"{given[0]}: initial.release says where the vehicle starts and how fast; give one of them"
            )
        return self

    @model_validator(mode="after")
    def _one_attitude(self) -> Self:
        if self.attitude is not None and self.euler_ned_deg is not None:
            raise ValueError("attitude: give either attitude or euler_ned_deg, not both")
        return self

    @property
    def quaternion(self) -> np.ndarray:
        """Unit quaternion x y z w from body to surface frame."""
        if self.attitude is not None:
            return np.asarray(self.attitude)
        if self.euler_ned_deg is not None:
            return quaternion_from_euler_ned(np.radians(self.euler_ned_deg))
        return np.array([0.0, 0.0, 0.0, 1.0])

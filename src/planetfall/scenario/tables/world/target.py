"""`[target]`: the planet, moon or small body, and the surface frame that turns with it."""

from typing import Literal, Self

import numpy as np
from pydantic import model_validator

from planetfall.scenario.files.paths import FileName
from planetfall.scenario.tables.run.attitude import quaternions_turning, rotation_matrix
from planetfall.scenario.tables.table import Table, UnitQuaternion, UnitVec3, Vec3, choice, quantity

IDENTITY = (0.0, 0.0, 0.0, 1.0)
"""The quaternion that turns nothing."""


class Target(Table):
    """The attracting, turning body. A built-in `name` fills in what is not given."""

    name: str = choice("a built-in body (planetfall list), or a name of your own with the numbers given", "none")
    gm: float = quantity("m^3/s^2", "gravitational parameter", 0.0, ge=0)
    radius: float = quantity("m", "equatorial radius; reference radius of j2", 0.0, ge=0)
    j2: float = quantity("-", "second zonal harmonic", 0.0)
    spin_rate: float = quantity(
        "rad/s", "rotation of the surface frame; a built-in body's own in frame P, or with a spin_axis", 0.0
    )
    spin_axis: UnitVec3 = quantity(
        "-", "unit axis of rotation (and of j2), in surface-frame components", (0.0, 0.0, 1.0)
    )
    spins_about_principal_axis: bool = choice(
        "whether a spin axis is refused that is no axis of inertia of the body through its centre of mass", False
    )
    frame: Literal["L", "P"] = choice(
        "surface frame: L (local site: x east, y north, z up) or P (body-fixed, origin at the target's centre)", "L"
    )
    center: Vec3 | None = quantity(
        "m", "the target's centre in the surface frame; one radius below the origin of L", None
    )
    shape: FileName | None = choice(
        "closed mesh of the whole body, or the made shape `bilobed-comet`: ground and gravity that name none use it",
        None,
    )
    shape_scale: float = quantity("m", "metres per unit of the file of `shape`", 1.0, gt=0)
    attitude: UnitQuaternion = quantity(
        "-", "quaternion x y z w at time zero, surface-frame to inertial components; by default the same axes", IDENTITY
    )
    sun_direction: UnitVec3 | None = quantity(
        "-", "to the sun, inertial components (see attitude); no sun if not given", None
    )
    epoch: str | None = choice(
        "instant of time zero, ISO 8601 (2026-11-18T12:00:00); for exports and SPICE, no motion depends on it", None
    )
    time_system: Literal["UTC", "TAI", "TT", "TDB"] = choice("of the epoch", "UTC")
    inertial_frame: str = choice("name of the inertial axes that attitude refers to, such as J2000", "")
    source: str = choice("where the numbers come from", "")

    @model_validator(mode="after")
    def _site_has_its_axis(self) -> Self:
        if self.frame == "L" and self.spin_rate != 0.0 and "spin_axis" not in self.model_fields_set:
            raise ValueError(
                f"spin_axis: missing, and the site's frame turns ({self.spin_rate:g} rad/s); give the axis in local "
                "components, [0, cos(latitude), sin(latitude)], or set target.spin_rate = 0"
            )
        return self

    @model_validator(mode="after")
    def _frame_has_its_center(self) -> Self:
        if self.frame == "P" and self.center is not None and np.any(self.center):
            raise ValueError("center: frame P has its origin at the target's centre, so center must be [0, 0, 0]")
        return self

    @property
    def center_S(self) -> np.ndarray:
        """The target's centre [m], surface frame."""
        if self.center is not None:
            return np.asarray(self.center)
        return np.array([0.0, 0.0, -self.radius if self.frame == "L" else 0.0])

    @property
    def omega(self) -> np.ndarray:
        """Angular velocity of the surface frame [rad/s], in its own components."""
        return self.spin_rate * np.asarray(self.spin_axis)

    @property
    def is_turned(self) -> bool:
        """Whether surface frame and inertial frame ever differ."""
        return self.spin_rate != 0.0 or self.attitude != IDENTITY

    def attitude_at(self, times: np.ndarray) -> np.ndarray:
        """Quaternions [n, 4] at times [n] [s] that take surface-frame components to inertial ones."""
        return quaternions_turning(np.asarray(self.attitude), self.omega, times)

    @property
    def sun_S(self) -> np.ndarray | None:
        """Unit direction to the sun at time zero, surface frame; None without a sun."""
        if self.sun_direction is None:
            return None
        return rotation_matrix(np.asarray(self.attitude)).T @ np.asarray(self.sun_direction)

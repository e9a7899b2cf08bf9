"""`[target]`: the planet, moon or small body, and the surface frame that turns with it; `[target.spice]`."""

from typing import Literal, Self

import numpy as np
from pydantic import model_validator

from planetfall.scenario.files.paths import FileName
from planetfall.scenario.tables.run.attitude import quaternions_turning, rotation_matrix
from planetfall.scenario.tables.table import Table, UnitQuaternion, UnitVec3, Vec3, choice, quantity
from planetfall.scenario.tables.world.geodesy import Ellipsoid, level_axes
from planetfall.scenario.tables.world.terrain_sdf import SdfNoise


class Spice(Table):
    """Kernels, and what is asked of them. Needs the package spiceypy."""

    kernels: tuple[FileName, ...] = choice("files, in the order in which they are loaded; meta-kernels among them")
    body: str = choice("name or number of the target in the kernels; target.name if not given", "")
    frame: str = choice("name of its body-fixed frame; IAU_ and the name if not given", "")
    inertial: str = choice("name of the inertial axes", "J2000")
    has_sun: bool = choice("whether the direction to the sun is read, too, which needs ephemerides of both", True)
    of: str = choice("what the numbers in target were read for; Planetfall writes it", "")


LatitudeKind = Literal["geodetic", "planetocentric"]

AXIS = (0.0, 0.0, 1.0)
"""Of rotation, where none is given."""
IDENTITY = (0.0, 0.0, 0.0, 1.0)
"""The quaternion that turns nothing."""


class Site(Table):
    """`[target.site]`: where on the planet the origin of the site's frame L lies; centre and axis follow from it."""

    latitude_deg: float = quantity("deg", "latitude of the site, positive north", ge=-90, le=90)
    latitude_kind: LatitudeKind = choice("what latitude_deg is: geodetic | planetocentric", "geodetic")
    longitude_deg: float = quantity("deg", "longitude of the site, positive east", 0.0, ge=-360, le=360)
    height: float = quantity(
        "m",
        "height of the origin of L over the ellipsoid; published heights on Mars (MOLA) count from the areoid, "
        "hundreds of metres away: take them for the ground and the air as well, or convert all",
        0.0,
    )
    y_azimuth_deg: float = quantity(
        "deg", "azimuth of y of frame L, clockwise from true north; not 0 on a map that is turned", 0.0, ge=-360, le=360
    )

    @property
    def level(self) -> np.ndarray:
        """Takes east, north, up to x, y, z of frame L (3, 3)."""
        sin, cos = np.sin(np.radians(self.y_azimuth_deg)), np.cos(np.radians(self.y_azimuth_deg))
        return np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])


class Target(Table):
    """The attracting, turning body. A built-in `name` fills in what is not given."""

    name: str = choice("a built-in body (planetfall list), or a name of your own with the numbers given", "none")
    gm: float = quantity("m^3/s^2", "gravitational parameter, G times the mass", 0.0, ge=0)
    radius: float = quantity("m", "equatorial radius; reference radius of j2", 0.0, ge=0)
    flattening: float = quantity("-", "flattening (a - b)/a of the reference ellipsoid; 0: a sphere", 0.0, ge=0, lt=0.5)
    j2: float = quantity("-", "second zonal harmonic J2 of the gravity field", 0.0)
    spin_rate: float = quantity(
        "rad/s", "rotation of the surface frame; a built-in body's own in frame P, or with a site or spin_axis", 0.0
    )
    spin_axis: UnitVec3 | None = quantity(
        "-", "unit axis of rotation (and of j2), in surface-frame components; that of `site`, or z", None
    )
    spins_about_principal_axis: bool = choice(
        "whether a spin axis is refused that is no axis of inertia of the body through its centre of mass", False
    )
    frame: Literal["L", "P"] = choice(
        "surface frame: L (local site: x east, y north, z up; on a turned map its x and y) or P (body-fixed, "
        "origin at the target's centre)",
        "L",
    )
    site: Site | None = choice(
        "where frame L lies on the ellipsoid, in place of spin_axis and center: beyond its map the planet goes on", None
    )
    center: Vec3 | None = quantity(
        "m", "the target's centre in the surface frame; that of `site`, or one radius below the origin of L", None
    )
    shape: FileName | None = choice(
        "closed mesh of the whole body, or the made shape `bilobed-comet`: ground and gravity that name none use it",
        None,
    )
    shape_scale: float = quantity("m", "metres per unit of the file of `shape`", 1.0, gt=0)
    semi_axes: Vec3 | None = quantity(
        "m", "semi-axes of the ellipsoid that is ground and gravity in frame P until a shape is named", None
    )
    roughness: SdfNoise | None = choice(
        "roughness of that ellipsoid, where terrain.noise gives none; it has the keys of terrain.noise", None
    )
    density: float | None = quantity("kg/m^3", "bulk density as published; no motion depends on it", None, gt=0)
    pole_deg: tuple[float, float] | None = quantity(
        "deg", "right ascension and declination of the spin pole, J2000, as published; no motion depends on it", None
    )
    attitude: UnitQuaternion = quantity(
        "-", "quaternion x y z w at time zero, surface-frame to inertial components; by default the same axes", IDENTITY
    )
    sun_direction: UnitVec3 | None = quantity(
        "-", "unit direction to the sun, inertial components (see attitude); no sun if not given", None
    )
    epoch: str | None = choice(
        "instant of time zero, ISO 8601 (2026-11-18T12:00:00); for exports and SPICE, no motion depends on it", None
    )
    time_system: Literal["UTC", "TAI", "TT", "TDB"] = choice("time system of the epoch", "UTC")
    spice: Spice | None = choice(
        "kernels that give attitude, spin, sun_direction and inertial_frame at the epoch, in place of numbers", None
    )
    inertial_frame: str = choice("name of the inertial axes that attitude refers to, such as J2000", "")
    source: str = choice("where the numbers come from", "")

    @model_validator(mode="after")
    def _ellipsoid_has_a_size(self) -> Self:
        if self.semi_axes is not None and min(self.semi_axes) <= 0.0:
            raise ValueError(f"semi_axes: {list(self.semi_axes)} m; each must be more than 0 m")
        if self.pole_deg is not None and not -90.0 <= self.pole_deg[1] <= 90.0:
            raise ValueError(f"pole_deg: a declination of {self.pole_deg[1]:g} deg; it is -90 to 90")
        return self

    @model_validator(mode="after")
    def _site_has_its_axis(self) -> Self:
        if self.frame == "L" and self.spin_rate != 0.0 and self.spin_axis is None and self.site is None:
            raise ValueError(
                f"spin_axis: missing, and the site's frame turns ({self.spin_rate:g} rad/s); give the site's latitude "
                "and longitude as target.site, or the axis in local components, [0, cos(latitude), sin(latitude)], or "
                "set target.spin_rate = 0"
            )
        return self

    @model_validator(mode="after")
    def _site_decides(self) -> Self:
        if self.site is None:
            return self
        if self.frame != "L":
            raise ValueError("site: it is where frame L lies, and the frame is P; give frame = 'L', or leave site out")
        for key in ("center", "spin_axis"):
            if getattr(self, key) is not None:
                raise ValueError(f"{key}: it follows from target.site; give one of the two")
        if self.radius == 0.0:
            raise ValueError("radius: missing; target.site lies on an ellipsoid; give target.name or the radius")
        return self

    @model_validator(mode="after")
    def _frame_has_its_center(self) -> Self:
        if self.frame == "P" and self.center is not None and np.any(self.center):
            raise ValueError("center: frame P has its origin at the target's centre, so center must be [0, 0, 0]")
        return self

    @property
    def ellipsoid(self) -> Ellipsoid:
        """The reference ellipsoid; of radius 0 where there is none."""
        return Ellipsoid(self.radius, self.flattening)

    @property
    def site_latitude(self) -> float:
        """Geodetic latitude [rad] of the site."""
        assert self.site is not None
        given = np.radians(self.site.latitude_deg)
        if self.site.latitude_kind == "geodetic":
            return float(given)
        return float(self.ellipsoid.geodetic_latitude(given, self.site.height))

    @property
    def R_SP(self) -> np.ndarray | None:
        """Takes planet-fixed components to the surface frame; None where no longitude is known."""
        if self.site is not None:
            return self.site.level @ level_axes(self.site_latitude, np.radians(self.site.longitude_deg))
        return np.eye(3) if self.frame == "P" and self.spin_axis in (None, AXIS) else None

    @property
    def center_S(self) -> np.ndarray:
        """The target's centre [m], surface frame."""
        if self.site is not None:
            latitude, longitude = self.site_latitude, np.radians(self.site.longitude_deg)
            origin_P = self.ellipsoid.position(latitude, longitude, self.site.height)
            return -self.site.level @ level_axes(latitude, longitude) @ origin_P
        if self.center is not None:
            return np.asarray(self.center)
        return np.array([0.0, 0.0, -self.radius if self.frame == "L" else 0.0])

    @property
    def axis_S(self) -> np.ndarray:
        """Unit axis of rotation, surface frame."""
        if self.site is not None:
            return self.site.level @ np.array([0.0, np.cos(self.site_latitude), np.sin(self.site_latitude)])
        return np.asarray(AXIS if self.spin_axis is None else self.spin_axis)

    @property
    def omega(self) -> np.ndarray:
        """Angular velocity of the surface frame [rad/s], in its own components."""
        return self.spin_rate * self.axis_S

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

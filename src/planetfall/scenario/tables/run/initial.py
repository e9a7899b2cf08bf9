"""`[initial]`: where the vehicle starts, how it points and moves; or to what it is attached, and until when."""

from typing import Literal, Self

import numpy as np
from pydantic import model_validator

from planetfall.scenario.tables.run.attitude import quaternion_from_euler_ned
from planetfall.scenario.tables.run.release import Release
from planetfall.scenario.tables.table import Table, UnitQuaternion, Vec3, choice, quantity
from planetfall.scenario.tables.vehicle.flight_triggers import FlightTrigger


class Attached(Table):
    """Part of another vehicle until it is released: it moves with that one, adds to its mass, and feels nothing."""

    to: str = choice("name of the vehicle that carries it")
    position: Vec3 = quantity("m", "place of its centre of mass from that of the carrier, in the carrier's body frame")
    attitude: UnitQuaternion = quantity(
        "-", "quaternion x y z w from its body frame to the carrier's", (0.0, 0.0, 0.0, 1.0)
    )
    release: FlightTrigger | None = choice(
        "when it is set free, by the carrier's motion; by a phase of the flight, or never, if not given", None
    )
    separation_velocity: Vec3 = quantity(
        "m/s",
        "its velocity relative to the carrier at the release, by springs, in the carrier's body frame",
        (0.0, 0.0, 0.0),
    )


PLACE = ("altitude", "radius", "longitude_deg", "speed", "flight_path_deg", "azimuth_deg")
"""Keys that say nothing without a latitude."""


class Initial(Table):
    """State at time zero, relative to the surface frame, or a place and a velocity over a planet."""

    position: Vec3 = quantity("m", "place of the centre of mass, surface frame", (0.0, 0.0, 0.0))
    height: float | None = quantity(
        "m", "height of what `height_of` says over the highest ground straight over or under it", None, gt=0
    )
    height_of: Literal["center of mass", "lowest point"] = choice(
        "what `height` is that of: the centre of mass, or the contact point that is nearest to the ground below it",
        "center of mass",
    )
    height_along: Literal["vertical", "normal"] = choice("direction in which `height` is measured", "vertical")
    velocity: Vec3 = quantity("m/s", "velocity of the centre of mass, surface frame", (0.0, 0.0, 0.0))
    altitude: float | None = quantity("m", "height of the centre of mass over what altitude_over says", None)
    altitude_over: Literal["ellipsoid", "sphere", "ground"] = choice(
        "what `altitude` is measured from: the target's ellipsoid, the sphere of target.radius, or the map below",
        "ellipsoid",
    )
    radius: float | None = quantity("m", "distance from the target's centre, in place of altitude", None, gt=0)
    latitude_deg: float | None = quantity(
        "deg",
        "latitude of the start, positive north; with longitude and altitude or radius in place of position",
        None,
        ge=-90,
        le=90,
    )
    latitude_kind: Literal["geodetic", "planetocentric"] = choice("kind of latitude that latitude_deg is", "geodetic")
    longitude_deg: float | None = quantity("deg", "longitude of the start, positive east", None, ge=-360, le=360)
    speed: float | None = quantity(
        "m/s", "speed at the start, with the two angles in place of velocity; 0: at rest", None, ge=0
    )
    flight_path_deg: float | None = quantity(
        "deg", "angle of the velocity over the horizon; negative: descending", None, ge=-90, le=90
    )
    azimuth_deg: float | None = quantity("deg", "azimuth of the velocity, clockwise from north", None, ge=-360, le=360)
    relative_to: Literal["planet", "inertial"] = choice("what speed and its angles are relative to", "planet")
    horizon: Literal["planetocentric", "geodetic"] = choice(
        "what flight_path_deg and azimuth_deg are measured in: the plane across the line from the target's centre, or "
        "across the ellipsoid's normal",
        "planetocentric",
    )
    attitude: UnitQuaternion | None = quantity(
        "-", "quaternion x y z w from body to surface frame; level at the start if not given", None
    )
    euler_ned_deg: Vec3 | None = quantity(
        "deg",
        "yaw, pitch, roll from north-east-down to body, 3-2-1, in place of attitude; north is y of the surface frame, "
        "or with latitude_deg true north at the start (geodetic)",
        None,
    )
    attached: Attached | None = choice("attachment to another vehicle, in place of a start of its own", None)
    release: Release | None = choice("release from a mothership, in place of position, height and velocity", None)
    angular_velocity: Vec3 = quantity("rad/s", "angular velocity at the start, body components", (0.0, 0.0, 0.0))
    angular_velocity_relative_to: Literal["surface", "inertial"] = choice(
        "what angular_velocity is relative to: the surface frame, which turns with the target, or inertial space",
        "surface",
    )

    @model_validator(mode="after")
    def _one_start(self) -> Self:
        given = [key for key in ("position", "velocity", "height") if getattr(self, key) not in (None, (0.0, 0.0, 0.0))]
        if self.release is not None and given:
            raise ValueError(
                f"{given[0]}: initial.release says where the vehicle starts and how fast; give one of them"
            )
        if self.is_placed and (given or self.release is not None):
            raise ValueError(
                f"{given[0] if given else 'release'}: initial.latitude_deg and the keys with it say where the vehicle "
                "starts and how fast; give one of them"
            )
        return self

    @model_validator(mode="after")
    def _lowest_point_has_a_height(self) -> Self:
        if self.height_of == "lowest point" and self.height is None:
            raise ValueError("height: missing; initial.height_of says what it is the height of")
        if self.height_of == "lowest point" and self.height_along == "normal":
            raise ValueError("height_along: the height of the lowest point is measured along the vertical")
        return self

    @model_validator(mode="after")
    def _attached_starts_with_its_carrier(self) -> Self:
        fields = type(self).model_fields
        given = [key for key in fields if key != "attached" and getattr(self, key) != fields[key].get_default()]
        if self.attached is not None and given:
            raise ValueError(f"{given[0]}: initial.attached says where the vehicle starts; give one of them")
        return self

    @model_validator(mode="after")
    def _place_is_complete(self) -> Self:
        given = [key for key in PLACE if getattr(self, key) is not None]
        if not self.is_placed:
            if given:
                raise ValueError(
                    f"latitude_deg: missing; initial.{given[0]} belongs to a start by latitude and longitude"
                )
            return self
        if self.longitude_deg is None:
            raise ValueError("longitude_deg: missing; a start by latitude needs it, in degrees east")
        if (self.altitude is None) == (self.radius is None):
            is_missing = self.altitude is None
            both = "initial.radius is given, too; give one of them"
            raise ValueError(f"altitude: {'missing; give it, or initial.radius' if is_missing else both}")
        if self.speed and (self.flight_path_deg is None or self.azimuth_deg is None):
            lacking = "flight_path_deg" if self.flight_path_deg is None else "azimuth_deg"
            raise ValueError(f"{lacking}: missing; initial.speed needs a direction")
        if self.altitude_over == "ground" and self.relative_to == "inertial":
            raise ValueError("relative_to: a start over the ground is relative to the planet; give 'planet'")
        return self

    @model_validator(mode="after")
    def _one_attitude(self) -> Self:
        if self.attitude is not None and self.euler_ned_deg is not None:
            raise ValueError("attitude: give either attitude or euler_ned_deg, not both")
        return self

    @property
    def is_placed(self) -> bool:
        """Whether the start is a place over a planet, by latitude and longitude."""
        return self.latitude_deg is not None

    @property
    def is_over_ground(self) -> bool:
        """Whether the start is a place over a planet, so far over the map there."""
        return self.is_placed and self.altitude is not None and self.altitude_over == "ground"

    @property
    def quaternion(self) -> np.ndarray:
        """Unit quaternion x y z w from body to surface frame; of a place, angles are to the level axes there.

        `planetfall.scenario.tables.run.start.start_attitude` knows where these lie in the surface frame.
        """
        if self.attitude is not None:
            return np.asarray(self.attitude)
        if self.euler_ned_deg is not None:
            return quaternion_from_euler_ned(np.radians(self.euler_ned_deg))
        return np.array([0.0, 0.0, 0.0, 1.0])

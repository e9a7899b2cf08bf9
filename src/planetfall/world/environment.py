"""What surrounds a body at an instant: gravity, the turning frame and the air, evaluated once for all that acts on it.

A model of the air is an `AirModel`. Without one the fields of the air stay zero, and no code is compiled for them.
"""

from dataclasses import dataclass
from typing import Any

import warp as wp


@wp.struct
class Environment:
    """The surroundings of a body's centre of mass, surface frame S.

    `mass` [kg] of the body with all that it carries; `gravity` [m/s^2]; `frame_omega` [rad/s]: how S turns among the
    stars; `center` [m]: of the target. Where there is air: `density` [kg/m^3], `pressure` [Pa], `temperature` [K],
    `sound_speed` [m/s], `wind` [m/s] relative to S, all at `altitude` [m], as the model of the air counts it, with `up`
    the unit vector along which it grows. Between steps, and where a record is observed, mechanisms add `air_force` [N],
    that on the body and its canopies so far, and `canopies`, a number that changes when one of them begins to pull or
    ceases to.
    """

    mass: wp.float64
    gravity: wp.vec3d
    frame_omega: wp.vec3d
    center: wp.vec3d
    density: wp.float64
    pressure: wp.float64
    temperature: wp.float64
    sound_speed: wp.float64
    wind: wp.vec3d
    altitude: wp.float64
    up: wp.vec3d
    air_force: wp.vec3d
    canopies: wp.float64


@wp.struct
class NoAirParams:
    """Nothing; a struct needs a member."""

    count: wp.int32


@dataclass(frozen=True)
class AirModel:
    """The air of a target, as the kernel builder takes it.

    Attributes:
        name: Name in scenario files; also part of the kernel cache key.
        params: `@wp.struct` class that holds every number of the model.
        fill: `@wp.func (params, position_S [m], environment: wp.ref[Environment])`: fills in the fields of the air.
            None where there is no air.
        rounds_alike: Whether all of it is made of operations that every device rounds alike.
    """

    name: str
    params: Any
    fill: Any
    rounds_alike: bool = False


AIR_NONE = AirModel("none", NoAirParams, None, rounds_alike=True)

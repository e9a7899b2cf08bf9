"""What an atmosphere is to the engine: a function from altitude to air."""

from dataclasses import dataclass
from typing import Any

import warp as wp


@wp.struct
class Air:
    """Air at a place.

    `density` [kg/m^3], `pressure` [Pa], `temperature` [K], `sound_speed` [m/s], and the wind `wind_east`, `wind_north`
    [m/s], where it blows to, relative to the turning planet: air at rest turns with it.
    """

    density: wp.float64
    pressure: wp.float64
    temperature: wp.float64
    sound_speed: wp.float64
    wind_east: wp.float64
    wind_north: wp.float64


@dataclass(frozen=True)
class AtmosphereModel:
    """An atmosphere as the kernel builder takes it.

    Attributes:
        kind: Name in scenario files (`atmosphere.model`); also part of the kernel cache key.
        params: `@wp.struct` class that holds every number of the model.
        air: `@wp.func (params, altitude [m] over the ellipsoid) -> Air`.
        rounds_alike: Whether all of it is made of operations that every device rounds alike; exp and pow are not.
    """

    kind: str
    params: Any
    air: Any
    rounds_alike: bool = False

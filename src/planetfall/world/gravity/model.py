"""What a gravity field is to the engine."""

from dataclasses import dataclass
from typing import Any

GRAVITATIONAL_CONSTANT = 6.67430e-11
"""G [m^3/(kg s^2)], CODATA 2018 (Tiesinga2021), its last digits uncertain by 15; needed only with a density."""


@dataclass(frozen=True)
class GravityModel:
    """A gravity field as the kernel builder takes it.

    Attributes:
        name: Name in scenario files; also part of the kernel cache key.
        params: `@wp.struct` class that holds every number of the field.
        acceleration: `@wp.func (params, position_S [m]) -> g_S` [m/s^2].
        potential: `@wp.func (params, position_S [m]) -> U` [m^2/s^2], with g = -grad U.
        rounds_alike: Whether all of it is made of operations that every device rounds alike.

    Positions are in the surface frame; a field that has a centre holds it in `params`.
    """

    name: str
    params: Any
    acceleration: Any
    potential: Any
    rounds_alike: bool = True

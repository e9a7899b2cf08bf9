"""Convective heating of the stagnation point, cold wall [SuttonGraves1971]: q = k sqrt(rho/R_n) V^3."""

import warp as wp

from planetfall.errors import InputError
from planetfall.scenario.tables.vehicle.aerodynamics import Aerodynamics

HEATING_CONSTANTS = {"mars": 1.9027e-4, "earth": 1.7415e-4}
"""k [kg^(1/2)/m] by target, SI: of carbon dioxide with some nitrogen, and of air."""


@wp.func
def stagnation_heating(
    constant: wp.float64, nose_radius: wp.float64, density: wp.float64, speed: wp.float64
) -> wp.float64:
    """Heat flux [W/m^2] at a speed [m/s] relative to air of a density [kg/m^3]; none where there is no air."""
    if density <= wp.float64(0.0):
        return wp.float64(0.0)
    return constant * wp.sqrt(density / nose_radius) * speed * speed * speed


def heating_constant(table: Aerodynamics, target: str) -> float:
    """The constant k [kg^(1/2)/m] of a vehicle over a target.

    Raises:
        InputError: It is not given, and the target's air is not known.
    """
    if table.heating_constant is not None:
        return table.heating_constant
    if target not in HEATING_CONSTANTS:
        raise InputError(
            "vehicle.aerodynamics.heating_constant", f"missing; that of the air of {target!r} is not known",
            f"a number, or a target of {', '.join(HEATING_CONSTANTS)}",
            "give it in kg^0.5/m, or leave out nose_radius, for no heating",
        )  # fmt: skip
    return HEATING_CONSTANTS[target]

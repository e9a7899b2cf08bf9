"""Convective heating of the stagnation point, cold wall [SuttonGraves1971]: q = k sqrt(rho/R_n) V^3."""

import warp as wp

HEATING_CONSTANTS = {"mars": 1.9027e-4, "earth": 1.7415e-4, "venus": 1.8960e-4, "titan": 1.7407e-4}
"""k [kg^(1/2)/m] by planet, SI."""


@wp.func
def stagnation_heating(
    constant: wp.float64, nose_radius: wp.float64, density: wp.float64, speed: wp.float64
) -> wp.float64:
    """Heat flux [W/m^2] at a speed [m/s] relative to air of a density [kg/m^3]; none where there is no air."""
    if density <= wp.float64(0.0):
        return wp.float64(0.0)
    return constant * wp.sqrt(density / nose_radius) * speed * speed * speed

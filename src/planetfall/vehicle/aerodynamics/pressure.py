"""The pressure coefficient at the stagnation point, to which modified Newtonian coefficients are scaled.

Behind a normal shock [Anderson2006, Eq. (3.17)], with the ratio of specific heats gamma and Mach number M > 1,

    Cp_max = 2/(gamma M^2) (p_02/p_1 - 1)
    p_02/p_1 = ((gamma+1)^2 M^2/(4 gamma M^2 - 2 (gamma-1)))^(gamma/(gamma-1)) (1 - gamma + 2 gamma M^2)/(gamma+1)

and without a shock, M <= 1, p_0/p = (1 + (gamma-1)/2 M^2)^(gamma/(gamma-1)); both agree at M = 1. A table over Mach
takes the place of the formula where one is given: it then holds what the Newtonian forms are to be multiplied by.
"""

import warp as wp

from planetfall.vehicle.aerodynamics.pchip import tabled

SLOW = wp.constant(wp.float64(0.01))
"""Mach number below which a series replaces the difference of nearly equal pressures; its next term is 1e-12 of it."""


@wp.struct
class PressureParams:
    """`gamma`: ratio of specific heats; 0 where the coefficient is tabled, `coefficient` at each `mach`."""

    gamma: wp.float64
    mach: wp.array(dtype=wp.float64)
    coefficient: wp.array(dtype=wp.float64)


@wp.func
def stagnation_pressure_coefficient(mach: wp.float64, gamma: wp.float64) -> wp.float64:
    """Cp_max [-] of a perfect gas."""
    one = wp.float64(1.0)
    two = wp.float64(2.0)
    m2 = mach * mach
    if mach < SLOW:
        return one + m2 / wp.float64(4.0) + (two - gamma) * m2 * m2 / wp.float64(24.0)
    exponent = gamma / (gamma - one)
    ratio = wp.float64(0.0)
    if mach <= one:
        ratio = wp.pow(one + (gamma - one) / two * m2, exponent)
    else:
        behind = (gamma + one) * (gamma + one) * m2 / (wp.float64(4.0) * gamma * m2 - two * (gamma - one))
        ratio = wp.pow(behind, exponent) * (one - gamma + two * gamma * m2) / (gamma + one)
    return two / (gamma * m2) * (ratio - one)


@wp.func
def pressure_coefficient(pressure: PressureParams, mach: wp.float64) -> wp.float64:
    """What the Newtonian forms are multiplied by, at a Mach number."""
    if pressure.gamma > wp.float64(0.0):
        return stagnation_pressure_coefficient(mach, pressure.gamma)
    return tabled(pressure.mach, pressure.coefficient, mach)

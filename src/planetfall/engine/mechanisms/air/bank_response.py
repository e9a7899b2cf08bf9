"""The bank angle of a trimmed vehicle: it follows its command within limits of rate and acceleration.

The rate that is aimed at is the one from which the largest deceleration just stops at the command, sqrt(2 a |e|), no
more than the limit; it is followed within the limit of acceleration. A reversal goes through lift up: angles are
numbers, not directions.
"""

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.scenario.tables.vehicle.aerodynamics import Aerodynamics

FAR = wp.constant(wp.float64(1.0e300))
"""A time [s] beyond any run."""
FOLLOWS = wp.constant(wp.float64(4.0))
"""How quickly the rate follows the one aimed at [1/s] (assumed)."""


@wp.struct
class BankParams:
    """Commands `angles` [rad] from `times` [s] on; `rate_max` [rad/s] and `acceleration_max` [rad/s^2]."""

    times: wp.array(dtype=wp.float64)
    angles: wp.array(dtype=wp.float64)
    rate_max: wp.float64
    acceleration_max: wp.float64


def bank_params(table: Aerodynamics) -> Draft:
    """Of a vehicle's aerodynamics."""
    out, plan = Draft(BankParams), table.bank_plan
    times, angles = ((), ()) if plan is None else (plan.times, plan.angles_deg)
    out.times, out.angles = (-np.inf, *times), np.radians((table.bank_deg, *angles))
    out.rate_max = float(np.radians(table.bank_rate_max_deg_s))
    out.acceleration_max = float(np.radians(table.bank_acceleration_max_deg_s2))
    return out


@wp.func
def commanded_bank(bank: wp.ref[BankParams], t_branch: wp.float64) -> wp.float64:
    """The bank angle [rad] that is commanded at an instant inside a step [s]."""
    row = int(0)
    while row + 1 < bank.times.shape[0] and bank.times[row + 1] <= t_branch:
        row += 1
    return bank.angles[row]


@wp.func
def next_command(bank: wp.ref[BankParams], t: wp.float64) -> wp.float64:
    """First instant after t at which another bank angle is commanded [s]."""
    row = int(0)
    while row < bank.times.shape[0]:
        if bank.times[row] > t:
            return bank.times[row]
        row += 1
    return wp.float64(FAR)


@wp.func
def bank_acceleration(bank: wp.ref[BankParams], command: wp.float64, angle: wp.float64, rate: wp.float64) -> wp.float64:
    """Change of the bank rate [rad/s^2]."""
    error = command - angle
    aim = wp.min(wp.sqrt(wp.float64(2.0) * bank.acceleration_max * wp.abs(error)), bank.rate_max)
    aim = wp.min(aim, FOLLOWS * wp.abs(error))  # near the command no root, whose slope is infinite there
    if error < wp.float64(0.0):
        aim = -aim
    return wp.clamp(FOLLOWS * (aim - rate), -bank.acceleration_max, bank.acceleration_max)

"""`polynomial`: a place and a velocity, and an acceleration where one is given, after a time to go T.

With s the time that is left, the acceleration is a(s) = c + j s + k s^2/2. What is met at s = 0:

    D_v = v_T - v - a_T T,  D_r = r_T - r - v T - a_T T^2/2
    c = a_T,  j = 18 D_v/T^2 - 24 D_r/T^3,  k = 72 D_r/T^4 - 48 D_v/T^3       (quadratic, as Apollo's)
    c = (2 v + 4 v_T)/T - 6 (r_T - r)/T^2,  j = 12 (r_T - r)/T^3 - 6 (v + v_T)/T^2,  k = 0     (linear, a_T free)

so that a(T) = a_T - 6 (v + v_T)/T + 12 (r_T - r)/T^2 and 6 (r_T - r)/T^2 - (4 v + 2 v_T)/T (Klumpp1974). They are
solved anew at every call; when less than `keep_time` is left, the last ones are kept, as errors would be divided by
ever smaller times.
"""

from collections.abc import Sequence

import numpy as np
import warp as wp

from planetfall.flight.guidance.model import (
    GuidanceAim,
    GuidanceContext,
    GuidanceLaw,
    GuidanceNumbers,
    horizontal,
    vertical,
    wanted_force,
)
from planetfall.flight.navigation.estimate import Estimate
from planetfall.flight.navigation.memory import SLOT_LAW, remember, remembered
from planetfall.scenario.tables.flight.guidance import GuidancePolynomial

TARGET, VELOCITY, ACCELERATION, TIME, KEEP, IS_FROM_HERE = (wp.constant(i) for i in (0, 3, 6, 9, 10, 11))
SLOT_END, SLOT_CONSTANT, SLOT_LINEAR, SLOT_SQUARE, SLOT_HERE = (
    wp.constant(int(SLOT_LAW) + i) for i in (0, 1, 4, 7, 10)
)
"""Memory: the instant at which the target is met [s], the coefficients c, j and k, and from where the target counts."""


@wp.func
def three_of(n: GuidanceNumbers, i: int) -> wp.vec3d:
    """Three of the numbers as a vector."""
    return wp.vec3d(n[i], n[i + 1], n[i + 2])


@wp.func
def first_time_to_go(n: GuidanceNumbers, now: Estimate) -> wp.float64:
    """As the scenario gives it, or twice the height over the sum of the vertical speeds [s]."""
    if not wp.isnan(n[TIME]):
        return n[TIME]
    drop = vertical(now, now.place) - vertical(now, three_of(n, TARGET))
    speeds = wp.abs(vertical(now, now.velocity)) + wp.abs(vertical(now, three_of(n, VELOCITY)))
    return wp.float64(2.0) * wp.abs(drop) / speeds


@wp.func
def solve_polynomial(
    n: GuidanceNumbers, now: Estimate, left: wp.float64, memory: wp.array2d(dtype=wp.float64), run: int
):
    """Finds the coefficients for the time that is left [s]."""
    one = wp.float64(1.0)
    inverse = one / left
    v_T = three_of(n, VELOCITY)
    way = three_of(n, TARGET) + remembered(memory, SLOT_HERE, run) - now.place
    if wp.isnan(n[ACCELERATION]):
        six = wp.float64(6.0)
        c = (now.velocity * wp.float64(2.0) + v_T * wp.float64(4.0) - way * (six * inverse)) * inverse
        j = (way * (wp.float64(12.0) * inverse) - (now.velocity + v_T) * six) * (inverse * inverse)
        remember(memory, SLOT_CONSTANT, run, c)
        remember(memory, SLOT_LINEAR, run, j)
        remember(memory, SLOT_SQUARE, run, wp.vec3d())
        return
    a_T = three_of(n, ACCELERATION)
    d_v = v_T - now.velocity - a_T * left
    d_r = way - now.velocity * left - a_T * (wp.float64(0.5) * left * left)
    square = inverse * inverse
    j = (d_v * wp.float64(18.0) - d_r * (wp.float64(24.0) * inverse)) * square
    k = (d_r * (wp.float64(72.0) * inverse) - d_v * wp.float64(48.0)) * (square * inverse)
    remember(memory, SLOT_CONSTANT, run, a_T)
    remember(memory, SLOT_LINEAR, run, j)
    remember(memory, SLOT_SQUARE, run, k)


@wp.func
def polynomial(
    n: GuidanceNumbers, now: Estimate, elapsed: wp.float64, t: wp.float64, memory: wp.array2d(dtype=wp.float64),
    run: int,
) -> GuidanceAim:  # fmt: skip
    """The force that gives a(s); when the time is over, the acceleration at its end."""
    is_first = wp.isnan(memory[SLOT_END, run])
    if is_first:
        memory[SLOT_END, run] = t + first_time_to_go(n, now)
        remember(memory, SLOT_HERE, run, horizontal(now, now.place) * n[IS_FROM_HERE])
    left = memory[SLOT_END, run] - t
    if is_first or left >= n[KEEP]:
        solve_polynomial(n, now, left, memory, run)
    s = wp.max(left, wp.float64(0.0))
    acceleration = remembered(memory, SLOT_CONSTANT, run) + remembered(memory, SLOT_LINEAR, run) * s
    acceleration += remembered(memory, SLOT_SQUARE, run) * (wp.float64(0.5) * s * s)
    return wanted_force(now, acceleration)


def _numbers(table: GuidancePolynomial, context: GuidanceContext) -> Sequence[float]:
    end = (np.nan,) * 3 if table.acceleration is None else table.acceleration
    time = np.nan if table.time_to_go is None else table.time_to_go
    return [*table.target, *table.velocity, *end, time, table.keep_time, float(table.target_from == "here")]


POLYNOMIAL = GuidanceLaw("polynomial", polynomial, _numbers)

"""When a phase of a flight ends: triggers, their conditions, and whether one fires.

A trigger fires when all of its conditions hold, have held for its hold time, and its delay has passed since. A
condition on what is not known does not hold.
"""

import warp as wp

from planetfall.flight.navigation.estimate import Estimate
from planetfall.flight.readings import Readings

STAY_SLACK = wp.constant(wp.float64(1.0 - 1e-9))
"""Of the times of a trigger: instants are rounded. A constant, since kernels compute with literals in float32."""
TriggerNumbers = wp.types.vector(length=9, dtype=wp.float64)
(AFTER, HEIGHT_BELOW, HEIGHT_ABOVE, SPEED_BELOW, DESCENT_BELOW, TO_GO_BELOW, MASS_BELOW, HOLD, DELAY) = (
    wp.constant(i) for i in range(9)
)
"""Of a trigger: the bounds of its conditions, NaN where there is none, then its times [s]."""
TriggerCodes = wp.types.vector(length=8, dtype=wp.int32)
(TO, CAUSE, IS_LANDED, SWITCH, N_SWITCHES, COUNT, BEAM, N_BEAMS) = (wp.constant(i) for i in range(8))
"""Of a trigger: the phase that follows, the cause, whether a landing is asked for, channels of switches and beams."""


@wp.func
def is_below(value: wp.float64, bound: wp.float64) -> bool:
    """Whether a value is at or below a bound, or there is none; a value that is not known is not."""
    return wp.isnan(bound) or value <= bound


@wp.func
def n_closed(readings: Readings, first: int, count: int, run: int) -> wp.int32:
    """How many of some switches are closed."""
    closed = wp.int32(0)
    i = int(0)
    while i < count:
        if readings.value[first + i, run] > wp.float64(0.5):
            closed += 1
        i += 1
    return closed


@wp.func
def all_return(readings: Readings, first: int, count: int, run: int) -> bool:
    """Whether every beam has a return."""
    i = int(0)
    while i < count:
        if not wp.isfinite(readings.value[first + i, run]):
            return False
        i += 1
    return True


@wp.func
def holds(
    n: TriggerNumbers, c: TriggerCodes, now: Estimate, elapsed: wp.float64, to_go: wp.float64, readings: Readings,
    landed: wp.float64, run: int,
) -> bool:  # fmt: skip
    """Whether all conditions of a trigger are met."""
    if not wp.isnan(n[AFTER]) and not (elapsed >= n[AFTER] * STAY_SLACK):
        return False
    if not (is_below(now.height, n[HEIGHT_BELOW]) and is_below(-now.height, -n[HEIGHT_ABOVE])):
        return False
    if not is_below(wp.length(now.velocity), n[SPEED_BELOW]):
        return False
    if not is_below(-wp.dot(now.velocity, now.up), n[DESCENT_BELOW]):
        return False
    if not (is_below(to_go, n[TO_GO_BELOW]) and is_below(now.mass, n[MASS_BELOW])):
        return False
    if c[IS_LANDED] == 1 and wp.isnan(landed):
        return False
    if c[N_SWITCHES] > 0 and n_closed(readings, c[SWITCH], c[N_SWITCHES], run) < c[COUNT]:
        return False
    return all_return(readings, c[BEAM], c[N_BEAMS], run)


@wp.func
def fires(
    n: TriggerNumbers, is_held: bool, slot: int, memory: wp.array2d(dtype=wp.float64), t: wp.float64, run: int
) -> bool:
    """Whether hold time and delay of a trigger are over; its memory is brought up to date."""
    since = memory[slot, run]
    if not is_held and t - since < n[HOLD] * STAY_SLACK:
        memory[slot, run] = wp.float64(wp.nan)
        return False
    if wp.isnan(since):
        if not is_held:
            return False
        memory[slot, run] = t
        since = t
    return t - since >= (n[HOLD] + n[DELAY]) * STAY_SLACK

"""`constant-deceleration`: the descent slows evenly to a speed v_1 at a height h_1.

With v_0 and h_0 when the phase begins, the deceleration is a = (v_0^2 - v_1^2) / (2 (h_0 - h_1)) and the speed at a
height is v(h) = sqrt(v_1^2 + 2 a (h - h_1)). The force gives a, and k (v(h) - v) in addition; below h_1 it holds v_1.
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
    limited,
    vertical,
)
from planetfall.flight.navigation.estimate import Estimate
from planetfall.flight.navigation.memory import SLOT_LAW
from planetfall.scenario.tables.flight.guidance import GuidanceConstantDeceleration

SPEED, HEIGHT, GAIN, DRIFT, TAN_TILT = (wp.constant(i) for i in range(5))


@wp.func
def constant_deceleration(
    n: GuidanceNumbers, now: Estimate, elapsed: wp.float64, t: wp.float64, memory: wp.array2d(dtype=wp.float64),
    run: int,
) -> GuidanceAim:  # fmt: skip
    """The force along the profile; the deceleration is found at the first call of the phase."""
    two = wp.float64(2.0)
    left = vertical(now, now.place) - n[HEIGHT]
    sinking = -vertical(now, now.velocity)
    if wp.isnan(memory[SLOT_LAW, run]):
        memory[SLOT_LAW, run] = wp.float64(0.0)
        if left > wp.float64(0.0):
            memory[SLOT_LAW, run] = (sinking * sinking - n[SPEED] * n[SPEED]) / (two * left)
    deceleration = memory[SLOT_LAW, run]
    if left <= wp.float64(0.0):
        deceleration = wp.float64(0.0)
    square = n[SPEED] * n[SPEED] + two * deceleration * left
    speed = wp.sqrt(wp.max(square, wp.float64(0.0)))
    weight = -vertical(now, now.gravity)
    lift = weight + deceleration + n[GAIN] * (sinking - speed)
    aside = horizontal(now, now.velocity) * (-n[DRIFT]) - horizontal(now, now.gravity)
    out = GuidanceAim()
    out.force = (limited(aside, n[TAN_TILT] * weight) + now.up * lift) * now.mass
    return out


def _numbers(table: GuidanceConstantDeceleration, context: GuidanceContext) -> Sequence[float]:
    tangent = float(np.tan(np.radians(table.tilt_limit_deg)))
    return [table.speed, table.height, table.speed_gain, table.drift_gain, tangent]


CONSTANT_DECELERATION = GuidanceLaw("constant-deceleration", constant_deceleration, _numbers)

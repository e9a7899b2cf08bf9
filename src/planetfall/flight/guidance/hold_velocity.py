"""`hold-velocity`: a vertical speed by a PI law, and no horizontal motion.

    f_up = -g_up + k (v_wanted - v_up) + k_i integral(v_wanted - v_up),   f_side = -g_side - k_d v_side

per mass, the sideward part no larger than tan(tilt limit) times gravity, so that the thrust axis stays upright.
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
from planetfall.flight.navigation.memory import SLOT_INTEGRAL
from planetfall.scenario.tables.flight.guidance import GuidanceHoldVelocity

SPEED, GAIN, INTEGRAL, DRIFT, TAN_TILT = (wp.constant(i) for i in range(5))


@wp.func
def hold_velocity(
    n: GuidanceNumbers, now: Estimate, elapsed: wp.float64, t: wp.float64, memory: wp.array2d(dtype=wp.float64),
    run: int,
) -> GuidanceAim:  # fmt: skip
    """The force of the two laws."""
    error = -n[SPEED] - vertical(now, now.velocity)
    memory[SLOT_INTEGRAL, run] += error * now.passed
    weight = -vertical(now, now.gravity)
    lift = weight + n[GAIN] * error + n[INTEGRAL] * memory[SLOT_INTEGRAL, run]
    aside = horizontal(now, now.velocity) * (-n[DRIFT])
    aside = limited(aside - horizontal(now, now.gravity), n[TAN_TILT] * weight)
    out = GuidanceAim()
    out.force = (aside + now.up * lift) * now.mass
    return out


def _numbers(table: GuidanceHoldVelocity, context: GuidanceContext) -> Sequence[float]:
    tangent = float(np.tan(np.radians(table.tilt_limit_deg)))
    return [table.speed, table.speed_gain, table.speed_integral, table.drift_gain, tangent]


HOLD_VELOCITY = GuidanceLaw("hold-velocity", hold_velocity, _numbers)

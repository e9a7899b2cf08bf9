"""`hold-position`: to a place and to stay there, a = k (r_wanted - r) - k_d v; or where the phase begins."""

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
from planetfall.flight.navigation.memory import SLOT_LAW, remember, remembered
from planetfall.scenario.tables.flight.guidance import GuidanceHoldPosition

TARGET, GAIN, DAMPING, TAN_TILT = (wp.constant(i) for i in (0, 3, 4, 5))


@wp.func
def hold_position(
    n: GuidanceNumbers, now: Estimate, elapsed: wp.float64, t: wp.float64, memory: wp.array2d(dtype=wp.float64),
    run: int,
) -> GuidanceAim:  # fmt: skip
    """The force, its sideward part limited as that of hold-velocity."""
    if wp.isnan(memory[SLOT_LAW, run]):
        target = wp.vec3d(n[TARGET], n[TARGET + 1], n[TARGET + 2])
        if wp.isnan(n[TARGET]):
            target = now.place
        remember(memory, SLOT_LAW, run, target)
    away = now.place - remembered(memory, SLOT_LAW, run)
    wanted = away * (-n[GAIN]) - now.velocity * n[DAMPING] - now.gravity
    aside = limited(horizontal(now, wanted), -n[TAN_TILT] * vertical(now, now.gravity))
    out = GuidanceAim()
    out.force = (aside + now.up * vertical(now, wanted)) * now.mass
    return out


def _numbers(table: GuidanceHoldPosition, context: GuidanceContext) -> Sequence[float]:
    target = (np.nan,) * 3 if table.target is None else table.target
    return [*target, table.position_gain, table.speed_gain, float(np.tan(np.radians(table.tilt_limit_deg)))]


HOLD_POSITION = GuidanceLaw("hold-position", hold_position, _numbers)

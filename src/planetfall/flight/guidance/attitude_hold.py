"""`attitude-hold`: the thrust axis at a tilt, or turning evenly from one to another, at one thrust; `off`; `entry`.

Entry guidance wants no force of the engines: what it commands is the bank angle (`flight.entry`).
"""

from collections.abc import Sequence

import numpy as np
import warp as wp

from planetfall.flight.guidance.model import GuidanceAim, GuidanceContext, GuidanceLaw, GuidanceNumbers
from planetfall.flight.navigation.estimate import Estimate
from planetfall.scenario.tables.flight.guidance import GuidanceAttitudeHold, GuidanceEntry, GuidanceOff

THRUST, TILT_FROM, TILT_BY, TURN_TIME, TOWARDS = (wp.constant(i) for i in range(5))


@wp.func
def attitude_hold(
    n: GuidanceNumbers, now: Estimate, elapsed: wp.float64, t: wp.float64, memory: wp.array2d(dtype=wp.float64),
    run: int,
) -> GuidanceAim:  # fmt: skip
    """The axis and its rate of turning."""
    out = GuidanceAim()
    out.is_directed = 1
    out.thrust = n[THRUST]
    towards = wp.vec3d(n[TOWARDS], n[TOWARDS + 1], n[TOWARDS + 2])
    angle = n[TILT_FROM] + n[TILT_BY]
    if elapsed < n[TURN_TIME]:
        angle = n[TILT_FROM] + n[TILT_BY] * elapsed / n[TURN_TIME]
        out.turning = wp.cross(now.up, towards) * (n[TILT_BY] / n[TURN_TIME])
    out.axis = now.up * wp.cos(angle) + towards * wp.sin(angle)
    out.force = out.axis * out.thrust
    return out


def level_axes(up: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """East and north [3] across a vertical; where that is the frame's z axis, its x and y axes."""
    north = np.array([0.0, 0.0, 1.0]) - up * up[2]
    length = float(np.linalg.norm(north))
    north = np.array([0.0, 1.0, 0.0]) if length < 1e-9 else north / length
    return np.cross(north, up), north


def _numbers(table: GuidanceAttitudeHold, context: GuidanceContext) -> Sequence[float]:
    begin = table.tilt_deg if table.tilt_from_deg is None else table.tilt_from_deg
    first, last, azimuth = (float(np.radians(angle)) for angle in (begin, table.tilt_deg, table.azimuth_deg))
    east, north = level_axes(np.asarray(context.up))
    towards = np.sin(azimuth) * east + np.cos(azimuth) * north
    return [float(table.share * context.axis_full), first, last - first, table.turn_time, *towards]


@wp.func
def off(
    n: GuidanceNumbers, now: Estimate, elapsed: wp.float64, t: wp.float64, memory: wp.array2d(dtype=wp.float64),
    run: int,
) -> GuidanceAim:  # fmt: skip
    """Nothing is wanted."""
    return GuidanceAim()


def _no_numbers(table: GuidanceOff | GuidanceEntry, context: GuidanceContext) -> Sequence[float]:
    return ()


ATTITUDE_HOLD = GuidanceLaw("attitude-hold", attitude_hold, _numbers)
OFF = GuidanceLaw("off", off, _no_numbers, runs_engines=False)
ENTRY = GuidanceLaw("entry", off, _no_numbers, runs_engines=False)

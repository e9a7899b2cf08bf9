"""Landing detectors, or touchdown triggers: what is concluded from the readings, and nothing else.

A detector is called after every sample of any sensor. It sees the latest readings with their times, the throttles that
the vehicle's own controller commands, and its own memory; it does not see the state. Each kind has a condition that
must hold without a break for a hold time: `altimeter-velocity`, here, that the vehicle is near the ground (altimeter),
slow (velocimeter) and pressed by one g without shaking (IMU); `throttle` and `leg-switch` have files of their own. The
idea is common to landers; the paper (Cordova2014) describes none, so the thresholds are the scenario's.
"""

from dataclasses import dataclass
from typing import Any

import warp as wp

from planetfall.flight.readings import DetectorMemory, Readings

HOLD_SLACK = wp.constant(wp.float64(1.0 - 1e-9))
"""Of the hold time: a difference of two times is not exact, and its last bit must not cost a whole sample."""


@dataclass(frozen=True)
class DetectorModel:
    """A landing detector as the kernel builder takes it.

    Attributes:
        kind: Name in scenario files; also part of the kernel cache key.
        params: `@wp.struct` class that holds every number of the detector.
        declares: `@wp.func (params, readings, memory, t, run) -> 1 if it declares a landing now, else 0`.
    """

    kind: str
    params: Any
    declares: Any


@wp.struct
class StillnessParams:
    """What counts as landed. A sensor whose first channel is -1 is not read.

    `altimeter`, `velocimeter`, `imu`: first channels; `n_beams` of the velocimeter; `range_below` [m]; `speed_below`
    [m/s]; `gravity` [m/s^2]; `force_band` [m/s^2] about it; `hold` [s].
    """

    altimeter: wp.int32
    velocimeter: wp.int32
    imu: wp.int32
    n_beams: wp.int32
    range_below: wp.float64
    speed_below: wp.float64
    gravity: wp.float64
    force_band: wp.float64
    hold: wp.float64


@wp.func
def beams_are_slow(detector: wp.ref[StillnessParams], readings: Readings, run: int) -> bool:
    """Whether at least one beam returns, and none of those that do is faster than `speed_below`."""
    n_slow = int(0)
    i = int(0)
    while i < detector.n_beams:
        speed = wp.abs(readings.value[detector.velocimeter + i, run])
        if speed > detector.speed_below:
            return False
        if speed <= detector.speed_below:  # NaN is neither
            n_slow += 1
        i += 1
    return n_slow > 0


@wp.func
def is_still(detector: wp.ref[StillnessParams], readings: Readings, run: int) -> bool:
    """Whether every sensor that is read says so; a reading that is not there says no."""
    if detector.altimeter >= 0:
        if not readings.value[detector.altimeter, run] <= detector.range_below:
            return False
    if detector.velocimeter >= 0:
        if not beams_are_slow(detector, readings, run):
            return False
    if detector.imu >= 0:
        first = detector.imu
        force = wp.vec3d(readings.value[first, run], readings.value[first + 1, run], readings.value[first + 2, run])
        if not wp.abs(wp.length(force) - detector.gravity) <= detector.force_band:
            return False
    return True


@wp.func
def held_for(
    holds: bool, hold: wp.float64, readings: Readings, memory: DetectorMemory, t: wp.float64, run: int
) -> wp.int32:
    """1 at the sample that completes `hold` [s] of a condition while armed; once declared, a landing stands."""
    if not wp.isnan(memory.landed[run]):
        return 0
    if not holds or readings.armed[run] == 0:
        memory.since[run] = wp.float64(wp.nan)
        return 0
    if wp.isnan(memory.since[run]):
        memory.since[run] = t
    if t - memory.since[run] >= hold * HOLD_SLACK:
        memory.landed[run] = t
        return 1
    return 0


@wp.func
def stillness_declares(
    detector: wp.ref[StillnessParams], readings: Readings, memory: DetectorMemory, t: wp.float64, run: int
) -> wp.int32:
    """1 at the sample at which the vehicle has been still for `hold`."""
    return held_for(is_still(detector, readings, run), detector.hold, readings, memory, t, run)


@wp.struct
class NoDetector:
    """No detector has no numbers."""

    count: wp.int32


@wp.func
def never_declares(
    detector: NoDetector, readings: Readings, memory: DetectorMemory, t: wp.float64, run: int
) -> wp.int32:
    """No detector declares nothing."""
    return 0


DETECTOR_STILLNESS = DetectorModel("altimeter-velocity", StillnessParams, stillness_declares)
DETECTOR_NONE = DetectorModel("none", NoDetector, never_declares)

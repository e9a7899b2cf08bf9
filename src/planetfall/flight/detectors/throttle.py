"""Touchdown by the controller's effort: it finds the state after the touchdown, not the instant of it.

So the Mars Science Laboratory did (Raiszadeh2012, "MSL simulations"): when the ground carries the rover, the same
descent needs less thrust. The effort, filtered, is E' = (sum(T_max u) - E)/tau, and what is usual its mean since the
detector was first called, weighted as U' = (sum(T_max u) - U)/tau_U until the detector is armed. It declares when
E < r U for a hold time. The paper gives no numbers.
"""

import warp as wp

from planetfall.flight.detectors.detector import DetectorModel, held_for
from planetfall.flight.readings import DetectorMemory, Readings


@wp.struct
class ThrottleParams:
    """`thrust_max` [engine] [N]; `filter_rate` 1/tau and `usual_rate` 1/tau_U [1/s]; `ratio` r [-]; `hold` [s]."""

    thrust_max: wp.array(dtype=wp.float64)
    filter_rate: wp.float64
    usual_rate: wp.float64
    ratio: wp.float64
    hold: wp.float64


@wp.func
def throttle_declares(
    detector: wp.ref[ThrottleParams], readings: Readings, memory: DetectorMemory, t: wp.float64, run: int
) -> wp.int32:
    """1 at the sample at which the effort has been low for `hold`."""
    effort = wp.float64(0.0)
    i = int(0)
    while i < detector.thrust_max.shape[0]:
        effort += detector.thrust_max[i] * readings.throttle[i, run]
        i += 1
    if wp.isnan(memory.called[run]):
        if effort == wp.float64(0.0):  # nothing has been commanded yet
            return 0
        memory.effort[run] = effort
        memory.usual[run] = effort
    else:
        passed = t - memory.called[run]
        one = wp.float64(1.0)
        memory.effort[run] += (one - wp.exp(-passed * detector.filter_rate)) * (effort - memory.effort[run])
        if readings.armed[run] == 0:
            memory.usual[run] += (one - wp.exp(-passed * detector.usual_rate)) * (effort - memory.usual[run])
    memory.called[run] = t
    is_low = memory.effort[run] < detector.ratio * memory.usual[run]
    return held_for(is_low, detector.hold, readings, memory, t, run)


DETECTOR_THROTTLE = DetectorModel("throttle", ThrottleParams, throttle_declares)

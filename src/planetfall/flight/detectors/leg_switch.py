"""Touchdown by switches on the legs: enough of them have been closed for a hold time (Viking, Phoenix)."""

import warp as wp

from planetfall.flight.detectors.detector import DetectorModel, held_for
from planetfall.flight.readings import DetectorMemory, Readings


@wp.struct
class LegSwitchParams:
    """`channel`: first of the switches, of which there are `n_switches`; `count` that must be closed; `hold` [s]."""

    channel: wp.int32
    n_switches: wp.int32
    count: wp.int32
    hold: wp.float64


@wp.func
def switch_declares(
    detector: wp.ref[LegSwitchParams], readings: Readings, memory: DetectorMemory, t: wp.float64, run: int
) -> wp.int32:
    """1 at the sample at which `count` switches have been closed for `hold`."""
    n_closed = int(0)
    i = int(0)
    while i < detector.n_switches:
        if readings.value[detector.channel + i, run] > wp.float64(0.5):
            n_closed += 1
        i += 1
    return held_for(n_closed >= detector.count, detector.hold, readings, memory, t, run)


DETECTOR_LEG_SWITCH = DetectorModel("leg-switch", LegSwitchParams, switch_declares)

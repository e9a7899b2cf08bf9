"""Touchdown triggers of landers that are flown: by the controller's effort, and by switches on the legs.

`throttle` finds the state after the touchdown, not the instant of it, as the Mars Science Laboratory did
(Raiszadeh2012, "MSL simulations"): when the ground carries the rover, the same descent needs less thrust. The effort,
filtered, is E' = (sum(T_max u) - E)/tau, and what is usual its mean since the trigger was first called, weighted as
U' = (sum(T_max u) - U)/tau_U until the trigger is armed. It declares when E < r U for a hold time. The paper gives no
numbers.

`leg-switch` declares when enough switches have been closed for a hold time (Viking, Phoenix).
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
    trigger: wp.ref[ThrottleParams], readings: Readings, memory: DetectorMemory, t: wp.float64, run: int
) -> wp.int32:
    """1 at the sample at which the effort has been low for `hold`."""
    effort = wp.float64(0.0)
    i = int(0)
    while i < trigger.thrust_max.shape[0]:
        effort += trigger.thrust_max[i] * readings.throttle[i, run]
        i += 1
    if wp.isnan(memory.called[run]):
        if effort == wp.float64(0.0):  # nothing has been commanded yet
            return 0
        memory.effort[run] = effort
        memory.usual[run] = effort
    else:
        passed = t - memory.called[run]
        one = wp.float64(1.0)
        memory.effort[run] += (one - wp.exp(-passed * trigger.filter_rate)) * (effort - memory.effort[run])
        if readings.armed[run] == 0:
            memory.usual[run] += (one - wp.exp(-passed * trigger.usual_rate)) * (effort - memory.usual[run])
    memory.called[run] = t
    is_low = memory.effort[run] < trigger.ratio * memory.usual[run]
    return held_for(is_low, trigger.hold, readings, memory, t, run)


@wp.struct
class SwitchTriggerParams:
    """`channel`: first of the switches, of which there are `n_switches`; `count` that must be closed; `hold` [s]."""

    channel: wp.int32
    n_switches: wp.int32
    count: wp.int32
    hold: wp.float64


@wp.func
def switch_declares(
    trigger: wp.ref[SwitchTriggerParams], readings: Readings, memory: DetectorMemory, t: wp.float64, run: int
) -> wp.int32:
    """1 at the sample at which `count` switches have been closed for `hold`."""
    n_closed = int(0)
    i = int(0)
    while i < trigger.n_switches:
        if readings.value[trigger.channel + i, run] > wp.float64(0.5):
            n_closed += 1
        i += 1
    return held_for(n_closed >= trigger.count, trigger.hold, readings, memory, t, run)


TRIGGER_THROTTLE = DetectorModel("throttle", ThrottleParams, throttle_declares)
TRIGGER_SWITCH = DetectorModel("leg-switch", SwitchTriggerParams, switch_declares)

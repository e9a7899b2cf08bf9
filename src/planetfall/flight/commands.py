"""What a controller may command, and what a batch keeps of it; the same for controllers in Python and compiled ones."""

import warp as wp

FAULT_NONE = wp.constant(0)
FAULT_NAN = wp.constant(1)
FAULT_RANGE = wp.constant(2)
FAULT_RAISED = wp.constant(3)
RANGE_SLACK = wp.constant(wp.float64(1e-9))
"""By how much a throttle may miss its limits through rounding."""
MAX_TRANSITIONS = 64
"""Changes of phase that are logged per run; one that changes more often than that is at fault."""

FLIGHT_NUMBERS = ("velocity", "altitude", "mach", "dynamic_pressure", "air_density")
"""What is logged of the vehicle that is flown when a phase begins: its speed [m/s] and, in air, altitude [m], Mach
number, dynamic pressure [Pa] and density [kg/m^3]; NaN without air."""


@wp.struct
class Commands:
    """Arrays [.., run]. A controller writes the first thirteen; they act as `engine.control.commands` says.

    `throttle` [engine]: share of the largest thrust, 0 for an engine that is off; `release` and `cut` [tether]: 1 lets
    a held reel pay out, 1 cuts the line, neither can be taken back; `switches`: 1 commands what a mechanism does once,
    such as firing a parachute; `bank` [rad] of the entering vehicle, NaN for none; `phase` and `cause`: numbers of the
    controller's own; `armed`: 1 lets the landing detector declare; `shortfall` [N]: the most that the engines could not
    give of a force or a moment; `memory` [slot]: the controller's own; `stride`: ticks from this call to the next;
    `step` [s]: of the integrator; `coarse`: 1 while that is too long for contact. The rest is the engine's: `tick`:
    number of the next call; `called` [s]: time of the last one; `pending`: 1 while commands wait for the end of the
    step; `fault` and `fault_engine`; and the log of the phases, [entry], with the time of the call that changed it and
    the flight of the vehicle that is flown at that instant, `log_flight` [entry, number, run], in the order of
    `FLIGHT_NUMBERS`.
    """

    throttle: wp.array2d(dtype=wp.float64)
    release: wp.array2d(dtype=wp.int32)
    cut: wp.array2d(dtype=wp.int32)
    switches: wp.array2d(dtype=wp.int32)
    bank: wp.array(dtype=wp.float64)
    phase: wp.array(dtype=wp.int32)
    cause: wp.array(dtype=wp.int32)
    armed: wp.array(dtype=wp.int32)
    shortfall: wp.array(dtype=wp.float64)
    memory: wp.array2d(dtype=wp.float64)
    stride: wp.array(dtype=wp.int32)
    step: wp.array(dtype=wp.float64)
    coarse: wp.array(dtype=wp.int32)
    tick: wp.array(dtype=wp.int32)
    called: wp.array(dtype=wp.float64)
    pending: wp.array(dtype=wp.int32)
    fault: wp.array(dtype=wp.int32)
    fault_engine: wp.array(dtype=wp.int32)
    log_count: wp.array(dtype=wp.int32)
    log_time: wp.array2d(dtype=wp.float64)
    log_phase: wp.array2d(dtype=wp.int32)
    log_cause: wp.array2d(dtype=wp.int32)
    log_flight: wp.array3d(dtype=wp.float64)

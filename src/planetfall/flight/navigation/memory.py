"""What a compiled sequence keeps between calls: where each number stands in the controller's memory, [slot, run]."""

import warp as wp

SLOT_ATTITUDE = wp.constant(0)
"""Quaternion x y z w, body to surface frame."""
SLOT_RATE = wp.constant(4)
"""Angular rate against the surface frame [rad/s], body components."""
SLOT_VELOCITY = wp.constant(7)
"""[m/s], surface frame."""
SLOT_POSITION = wp.constant(10)
"""[m], surface frame, by integrating the velocity from the start."""
SLOT_LAST = wp.constant(13)
"""Time of the last call [s]; NaN before the first."""
SLOT_MASS = wp.constant(14)
"""Of the vehicle, less what the commanded thrusts burnt [kg]."""
SLOT_SINCE = wp.constant(15)
"""Start of the phase [s]."""
SLOT_INTEGRAL = wp.constant(16)
"""Of the error of the vertical speed [m]."""
SLOT_FORCE = wp.constant(17)
"""Force commanded last [N], surface frame."""
SLOT_JUMP = wp.constant(20)
"""What the force of the phase before had more than this one's when it began [N]; NaN until then."""
SLOT_LAW = wp.constant(23)
"""Fifteen numbers of the guidance law's own; NaN when a phase begins."""
N_LAW = wp.constant(15)
SLOT_TRIGGER = wp.constant(38)
"""For each trigger of the phase: since when its conditions hold [s]; NaN while they do not."""
N_TRIGGER = wp.constant(8)
N_MEMORY = 46


@wp.func
def remembered(memory: wp.array2d(dtype=wp.float64), slot: int, run: int) -> wp.vec3d:
    """Three numbers of the memory as a vector."""
    return wp.vec3d(memory[slot, run], memory[slot + 1, run], memory[slot + 2, run])


@wp.func
def remember(memory: wp.array2d(dtype=wp.float64), slot: int, run: int, value: wp.vec3d):
    """Keeps a vector as three numbers of the memory."""
    for k in range(3):
        memory[slot + k, run] = value[k]

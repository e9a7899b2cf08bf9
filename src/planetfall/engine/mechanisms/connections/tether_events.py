"""When tethers go slack or taut, pay out or stop, taper, and are cut: the events of adaptive steps."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.in_place import number
from planetfall.engine.structure.mechanism import LocatedEvent, StateSlot
from planetfall.engine.structure.state_sizes import TETHER_DAMPER, TETHER_REST, TETHER_SIZE, TETHER_STATUS
from planetfall.vehicle.tether_force import (
    STATUS_CUT,
    TetherParams,
    TetherStretch,
    tether_margin,
    tether_mode,
    tether_strain,
    tether_stretch,
)

ROUNDINGS = wp.constant(wp.float64(16 * 2.0**-52))
"""How closely a length is known, relative to the distance of its ends from the origin."""
NEVER = wp.constant(wp.float64(1.0))
"""Value of an event that cannot happen."""


@lru_cache
def tether_events(n: int, tether_of: Any, slot: StateSlot) -> tuple[LocatedEvent, ...]:
    """Where each of `n` tethers leaves its mode, and when it is cut; `tether_of`: their state at an instant.

    The instant of a cut is a break, so that no step sees both sides of it.
    """
    vector, offset, modes, body_state = slot.vector, slot.offset, slot.offset + TETHER_SIZE * n, slot.body

    @wp.func
    def stretched(
        t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[TetherParams], i: int
    ) -> TetherStretch:  # fmt: skip
        a = body_state(y, p.body_a[i])
        b = body_state(y, p.body_b[i])
        at = tether_stretch(p, i, t, t_branch, number(y[offset + i * TETHER_SIZE + TETHER_REST]), a, b)
        if at.length > wp.float64(0.0):
            tether_strain(p, i, a, b, at)
        return at

    @wp.func(inline=False)
    def margin(
        i: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[TetherParams]
    ) -> wp.float64:  # fmt: skip
        status = number(y[offset + i * TETHER_SIZE + TETHER_STATUS])
        if status == STATUS_CUT:
            return NEVER
        at = stretched(t, t_branch, y, p, i)
        far = wp.length(body_state(y, p.body_a[i]).position)
        far += wp.length(body_state(y, p.body_b[i]).position)
        return tether_margin(p, i, status, wp.int32(number(y[modes + i])), at, ROUNDINGS * far)

    @wp.func(inline=False)
    def change_mode(i: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[TetherParams]):
        at = stretched(t, t_branch, y, p, i)
        status = number(y[offset + i * TETHER_SIZE + TETHER_STATUS])
        y[modes + i] = wp.float64(tether_mode(p, i, status, at))

    @wp.func
    def time_left(
        i: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[TetherParams]
    ) -> wp.float64:  # fmt: skip
        if number(y[offset + i * TETHER_SIZE + TETHER_STATUS]) == STATUS_CUT:
            return NEVER
        return p.cut_time[i] - t

    @wp.func
    def cut(i: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[TetherParams]):
        o = offset + i * TETHER_SIZE
        y[o + TETHER_DAMPER] = number(y[o + TETHER_DAMPER]) - tether_of(t, t, y, p, i).elastic
        y[o + TETHER_STATUS] = STATUS_CUT

    return (LocatedEvent("tether cut", n, time_left, cut), LocatedEvent("tether mode", n, margin, change_mode))

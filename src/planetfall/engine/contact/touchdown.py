"""Records that a contact point has touched the ground."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.in_place import count_up
from planetfall.engine.state.batch import EVENT_TOUCH, Monitors, structs
from planetfall.engine.state.recorder import recorder
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import BodyState


@wp.func
def note_first_touch(m: Monitors, j: int, run: int, t: wp.float64, state: BodyState, ahead: wp.float64):
    """Keeps when a point first touched, and where and how fast its body then was, so long ahead of a state [s]."""
    if wp.isnan(m.first_touch[j, run]):
        m.first_touch[j, run] = t
        m.touch_position[j, run] = state.position + state.velocity * ahead
        m.touch_velocity[j, run] = state.velocity


@lru_cache
def touchdown_monitor(assembly: Assembly) -> Any:
    """`@wp.func (t, gap, v_n, params, state, monitors, record, point, run)`, for a point found in the ground at t."""
    params, note_event = assembly.params, recorder(assembly).event
    _, record_type = structs(assembly)

    @wp.func
    def note_touch(
        t: wp.float64,
        gap_now: wp.float64,
        v_n: wp.float64,
        p: wp.ref[params],
        state: BodyState,
        m: Monitors,
        record: record_type,
        j: int,
        run: int,
    ):
        late = wp.float64(0.0)
        if wp.static(not assembly.is_mode_locked):  # a method that locates events is at the surface already
            if v_n < wp.float64(0.0):
                late = wp.min(gap_now / v_n, wp.min(t, p.step.step))
        touch = t - late
        count_up(m.touches, j, run)
        note_first_touch(m, j, run, touch, state, -late)
        note_event(record, run, touch, EVENT_TOUCH, j, v_n, state.position - state.velocity * late)

    return note_touch

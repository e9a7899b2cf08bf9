"""Records that a contact point has touched the ground."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.in_place import count_up, note_first
from planetfall.engine.state.batch import EVENT_TOUCH, Monitors, structs
from planetfall.engine.state.recorder import recorder
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import BodyState


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
        note_first(m.first_touch, j, run, touch)
        note_event(record, run, touch, EVENT_TOUCH, j, v_n, state.position - state.velocity * late)

    return note_touch

"""Writing frames and events of recorded runs, from inside the kernel."""

from functools import lru_cache
from typing import Any, NamedTuple

import warp as wp

from planetfall.engine.assembly import Assembly
from planetfall.engine.batch import Monitors, structs


class Recorder(NamedTuple):
    """Functions that write into a record.

    `frame(record, monitors, slot, run, t, y)`; `peak(record, monitors, point, run, t, y, normal force)`;
    `event(record, run, t, kind, point, value)`.
    """

    frame: Any
    peak: Any
    event: Any


@lru_cache
def recorder(assembly: Assembly) -> Recorder:
    """Makes the recorder's functions for an assembly; for one that is not recorded they do nothing."""
    vector, n_points, is_recorded = assembly.layout.vector, assembly.n_points, assembly.is_recorded
    _, record_type = structs(assembly)

    @wp.func
    def frame(record: record_type, monitors: Monitors, slot: int, run: int, t: wp.float64, y: vector):
        if wp.static(is_recorded):
            record.time[slot, run] = t
            record.state[slot, run] = y
            for j in range(wp.static(n_points)):
                record.modes[slot, j, run] = monitors.modes[j, run]

    @wp.func
    def peak(
        record: record_type, monitors: Monitors, point: int, run: int, t: wp.float64, y: vector, force: wp.float64
    ):
        if wp.static(is_recorded):
            slot = wp.max(record.tick[run] - 1, 0) * wp.static(1 + n_points) + 1 + point
            if force > record.peak[slot, run]:
                record.peak[slot, run] = force
                frame(record, monitors, slot, run, t, y)

    @wp.func
    def event(record: record_type, run: int, t: wp.float64, kind: int, point: int, value: wp.float64):
        if wp.static(is_recorded):
            i = record.event_count[run]
            record.event_time[i, run] = t
            record.event_kind[i, run] = kind
            record.event_point[i, run] = point
            record.event_value[i, run] = value
            record.event_count[run] = i + 1

    return Recorder(frame, peak, event)

"""Writing frames and events of recorded runs, from inside the kernel."""

from functools import lru_cache
from typing import Any, NamedTuple

import warp as wp

from planetfall.compute.in_place import number
from planetfall.engine.state.batch import Monitors, SamplesAbout, structs
from planetfall.engine.structure.assembly import Assembly


class Recorder(NamedTuple):
    """Functions that write into a record.

    `frame(record, monitors, slot, run, t, y)`. `peak(record, point, run, t, normal force)` notes that a point's force
    is the largest of its interval, and `peak_frames(record, monitors, run, t, y)` keeps the state of those noted at t,
    once the modes of all points are up to date. `depth(record, point, run, t, depth)` notes how deep a point is, for
    what is known of the deepest between two steps. `extreme_frames(record, monitors, run, t, y)` keeps the state
    between steps where a number that a mechanism samples is the extreme of the run so far. `event(record, run, t, kind,
    point, value, position)`.
    """

    frame: Any
    peak: Any
    peak_frames: Any
    depth: Any
    extreme_frames: Any
    event: Any


@wp.func
def sampled(about: SamplesAbout, t: wp.float64, value: wp.float64) -> SamplesAbout:
    """A sample more of a number whose peak falls between samples.

    The peak is that of the parabola through the largest sample and its neighbours. Where one of these is much further
    away than the other, as where contact began or ended in between, no parabola is: the step to the other is taken.
    """
    zero = wp.float64(0.0)
    two = wp.float64(2.0)
    if value > about[3]:
        ahead = t - about[0]
        if about[0] < zero:
            ahead = zero
        slope = zero
        if ahead > zero:
            slope = (value - about[1]) / ahead
        about[4] = slope
        about[2] = t
        about[3] = value
        about[5] = -ahead - wp.float64(1.0e-300)
    elif about[5] < zero and t > about[2]:
        before = -about[5]
        after = t - about[2]
        fall = about[3] - value
        if before > two * after:
            about[5] = fall
        elif after > two * before:
            about[5] = wp.max(about[4] * before, zero)
        else:
            bend = (about[4] + fall / after) / (before + after)
            top = about[4] - bend * before
            about[5] = zero
            if bend > zero:
                about[5] = top * top / (wp.float64(4.0) * bend)
    about[0] = t
    about[1] = value
    return about


@lru_cache
def recorder(assembly: Assembly) -> Recorder:
    """Makes the recorder's functions for an assembly; for one that is not recorded they do nothing."""
    vector, n_points, is_recorded = assembly.layout.vector, assembly.n_points, assembly.is_recorded
    _, record_type = structs(assembly)
    n_extremes = len(assembly.peaks)
    samples, extremes, signs = (
        wp.types.vector(length=max(n_extremes, 1), dtype=wp.int32)(*(getattr(peak, what) for peak in assembly.peaks))
        for what in ("sample", "extreme", "sign")
    )
    samples_peaks = is_recorded and not assembly.locates_peaks
    is_anchored, keeps_dent, first = assembly.law.is_anchored, assembly.law.keeps_dent, assembly.anchor_offset

    @wp.func
    def frame(
        record: wp.ref[record_type], monitors: wp.ref[Monitors], slot: int, run: int, t: wp.float64, y: wp.ref[vector]
    ):
        if wp.static(is_recorded):
            record.time[slot, run] = t
            record.state[slot, run] = y
            for j in range(wp.static(n_points)):
                record.modes[slot, j, run] = monitors.memory.modes[j, run]
                if wp.static(keeps_dent):
                    record.dent[slot, j, run] = monitors.memory.dent[j, run]
                if wp.static(is_anchored):
                    record.anchor[slot, j, run] = monitors.memory.anchor[j, run]
                    if wp.static(first >= 0):
                        o = wp.static(first) + 3 * j
                        record.anchor[slot, j, run] = wp.vec3d(y[o], y[o + 1], y[o + 2])
                    record.normal[slot, j, run] = monitors.memory.normal[j, run]

    @wp.func
    def peak(record: wp.ref[record_type], point: int, run: int, t: wp.float64, force: wp.float64):
        if wp.static(is_recorded):
            slot = wp.max(record.tick[run] - 1, 0) * wp.static(1 + n_points) + 1 + point
            if force > record.peak[slot, run]:
                record.peak[slot, run] = force
                record.time[slot, run] = t
        if wp.static(samples_peaks):
            record.about_force[point, run] = sampled(record.about_force[point, run], t, force)

    @wp.func
    def depth(record: wp.ref[record_type], point: int, run: int, t: wp.float64, depth: wp.float64):
        if wp.static(samples_peaks):
            record.about_depth[point, run] = sampled(record.about_depth[point, run], t, depth)

    @wp.func
    def peak_frames(
        record: wp.ref[record_type], monitors: wp.ref[Monitors], run: int, t: wp.float64, y: wp.ref[vector]
    ):
        if wp.static(is_recorded):
            first = wp.max(record.tick[run] - 1, 0) * wp.static(1 + n_points) + 1
            for j in range(wp.static(n_points)):
                if record.time[first + j, run] == t:
                    frame(record, monitors, first + j, run, t, y)

    @wp.func
    def extreme_frames(
        record: wp.ref[record_type], monitors: wp.ref[Monitors], run: int, t: wp.float64, y: wp.ref[vector]
    ):
        if wp.static(is_recorded and n_extremes > 0):
            first = record.time.shape[0] - wp.static(n_extremes)
            for k in range(wp.static(n_extremes)):
                sign = wp.float64(signs[k])
                if number(y[samples[k]]) * sign >= number(y[extremes[k]]) * sign:
                    frame(record, monitors, first + k, run, t, y)

    @wp.func
    def event(
        record: wp.ref[record_type],
        run: int,
        t: wp.float64,
        kind: int,
        point: int,
        value: wp.float64,
        position: wp.vec3d,
    ):
        if wp.static(is_recorded):
            record.event_position[record.event_count[run], run] = position
            i = record.event_count[run]
            record.event_time[i, run] = t
            record.event_kind[i, run] = kind
            record.event_point[i, run] = point
            record.event_value[i, run] = value
            record.event_count[run] = i + 1

    return Recorder(frame, peak, peak_frames, depth, extreme_frames, event)

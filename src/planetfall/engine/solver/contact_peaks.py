"""Peaks of normal force and depth inside an adaptive step, whose contact modes are locked.

A point is looked at in the middle of the step, roughly. Where its force or depth may pass its largest value so far
inside the step, the peak is located: of the depth as the root of its rate, of the force, whose rate no law gives, as
the top of a parabola through three samples that are close to it. A frame of a peak, whose energies are compared with
the work that was done, is a step of its own, as every frame. An anchored law, whose memory moves along the step,
has the sample in the middle.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.fused import dotted, minus, plus_crossed, turned_back
from planetfall.compute.in_place import raise_to
from planetfall.contact.model import CONTACT_NONE, MODE_APART
from planetfall.engine.body.mass_properties import inner_state
from planetfall.engine.contact.monitors import peak_monitor
from planetfall.engine.contact.point_loop import contact_in_mode
from planetfall.engine.contact.terrain_query import ground_in_body_axes
from planetfall.engine.motion.anchors import anchors_read
from planetfall.engine.solver.dopri5 import dopri5, hermite
from planetfall.engine.solver.events.point_scan import MIDDLE
from planetfall.engine.solver.inside_step import state_inside
from planetfall.engine.state.batch import Monitors, structs
from planetfall.engine.state.recorder import recorder
from planetfall.engine.structure.assembly import Assembly
from planetfall.world.terrain.model import GROUND_OK

NEAR = wp.constant(wp.float64(1.0 / 16.0))
"""Parts of a step between the samples of the last parabola; the first one finds the top to a sixtieth or so."""
BARELY = wp.constant(wp.float64(0.25))
"""Share of the one slope up to which the other may have the wrong sign: a parabola misses tops close to an end."""
ALIKE = wp.constant(wp.float64(1.0e-7))
"""Share of a force or depth: where the samples of a step differ by less, so does the peak from them."""
ROUGH = wp.constant(wp.float64(1.0e-3))
"""Share of a force by which a rough sample may be off; nothing but who is looked at more closely hangs on it."""


@lru_cache
def peaks_inside(assembly: Assembly, is_asked: bool = False) -> Any:
    """`@wp.func (t, branch, h, y0, k0, y1, k1, params, monitors, record, run) -> whether there is any`.

    Notes the peaks inside a step of h. Where that `is_asked` alone, they are to be located elsewhere: it takes long.
    """
    params, vector, record_type = assembly.params, assembly.layout.vector, structs(assembly)[1]
    note_bodies, keep_frames = _peaks_of_bodies(assembly, 0, is_asked), recorder(assembly).peak_frames
    has_anchors, read_anchors = assembly.has_moving_anchors, anchors_read(assembly)
    locates, is_recorded, n_points = assembly.locates_peaks, assembly.is_recorded, assembly.n_points
    step, at, normalise = dopri5(assembly), hermite(vector, is_inlined=True), assembly.layout.normalise

    @wp.func
    def has_peak(record: wp.ref[record_type], run: int, t: wp.float64) -> bool:
        """Whether a point's force at t is the largest of the present interval of the record."""
        first = wp.max(record.tick[run] - 1, 0) * wp.static(1 + n_points) + 1
        found = bool(False)
        for j in range(wp.static(n_points)):
            if record.time[first + j, run] == t:
                found = True
        return found

    @wp.func
    def note_peaks(
        t: wp.float64, branch: wp.float64, h: wp.float64, y0: wp.ref[vector], k0: wp.ref[vector],
        y1: wp.ref[vector], k1: wp.ref[vector], p: wp.ref[params], m: wp.ref[Monitors], record: wp.ref[record_type],
        run: int,
    ) -> bool:  # fmt: skip
        middle = at(MIDDLE, h, y0, k0, y1, k1)
        normalise(middle)
        if wp.static(has_anchors):
            read_anchors(middle, m.memory, run)
        has_any = note_bodies(t, branch, h, y0, k0, y1, k1, middle, p, m, record, run)
        if wp.static(not locates):
            keep_frames(record, m, run, t + MIDDLE * h, middle)
        elif wp.static(is_recorded):
            if has_peak(record, run, t + MIDDLE * h):
                side = step(t, MIDDLE * h, branch, y0, k0, p, m.memory, run)
                keep_frames(record, m, run, t + MIDDLE * h, side.y)
        return has_any

    return note_peaks


@lru_cache
def _peaks_of_bodies(assembly: Assembly, i_body: int, is_asked: bool) -> Any:
    """The peaks of this body and those after it, chained as in `motion.equations`."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    contact_of, inner = contact_in_mode(assembly, i_body), inner_state(assembly, i_body)
    (ground_below, ground_of), note_peak = ground_in_body_axes(assembly), peak_monitor(assembly, i_body)
    keeps_dent, record_type = assembly.law.keeps_dent, structs(assembly)[1]
    culls, keeps_force, is_last = assembly.plan.culls, assembly.keeps_forces, i_body + 1 == assembly.n_bodies
    locates = assembly.locates_peaks
    look: Any = _closer_look(assembly, i_body, is_asked) if locates else None
    rest: Any = None if is_last else _peaks_of_bodies(assembly, i_body + 1, is_asked)

    @wp.func(inline=assembly.plan.inlining_of_parts)
    def note(
        t: wp.float64, branch: wp.float64, h: wp.float64, y0: wp.ref[vector], k0: wp.ref[vector],
        y1: wp.ref[vector], k1: wp.ref[vector], middle: wp.ref[vector], p: wp.ref[params], m: wp.ref[Monitors],
        record: wp.ref[record_type], run: int,
    ) -> bool:  # fmt: skip
        has_any = bool(False)
        state = inner(p, middle, wp.static(i_body), body_state(middle, wp.static(i_body)))
        below = ground_below(p, state)
        velocity_B = turned_back(state.R_SB, state.velocity)
        place = int(wp.static(first))
        end = int(wp.static(last))
        if wp.static(culls):
            end = wp.static(first) + m.memory.n_listed[wp.static(i_body), run]
        while place < end:
            j = int(place)
            if wp.static(culls):
                j = m.memory.listed[place, run]
            if wp.static(keeps_force):
                m.force[j, run] = wp.float64(0.0)
            mode = m.memory.modes[j, run]
            if mode != MODE_APART:
                ground = ground_of(p, state, below, j, run)
                velocity = plus_crossed(velocity_B, state.omega_B, p.points_B[j])
                if ground.status == GROUND_OK:
                    if wp.static(keeps_dent):
                        ground.dent = m.memory.dent[j, run]
                    point = contact_of(p, state, m.memory, ground, velocity, j, run)
                    if wp.static(locates):
                        rate = minus(dotted(velocity, ground.normal))
                        if look(
                            t, branch, h, y0, k0, y1, k1, p, m, record, j, run, mode, point.normal_force, ground.gap,
                            rate,
                        ):  # fmt: skip
                            has_any = True
                    else:
                        note_peak(t + MIDDLE * h, m, record, j, run, ground, mode, point)
            place += 1
        if wp.static(not is_last):
            if rest(t, branch, h, y0, k0, y1, k1, middle, p, m, record, run):
                has_any = True
        return has_any

    return note


@lru_cache
def _closer_look(assembly: Assembly, i_body: int, is_asked: bool) -> Any:
    """`@wp.func (t, branch, h, y0, k0, y1, k1, params, monitors, record, point, run, mode, force, gap, rate) -> bool`.

    From the force, gap and rate of the depth in the middle of a step: whether a peak may be inside it. It is located,
    unless that `is_asked` alone. Few steps have one; what is called for them is given no struct of arrays, of which
    each thread of a GPU would keep a copy in memory.
    """
    params, vector, record_type = assembly.params, assembly.layout.vector, structs(assembly)[1]
    reported, keeps_force, is_recorded = assembly.law.reported, assembly.keeps_forces, assembly.is_recorded
    find_force, find_depth = _force_locator(assembly, i_body), _depth_locator(assembly, i_body)
    inside, sample, step = state_inside(assembly), _sample_of_point(assembly, i_body), dopri5(assembly)
    write, keeps_dent = recorder(assembly), assembly.law.keeps_dent
    record_peak, keep_frames = write.peak, write.peak_frames

    @wp.func
    def look(
        t: wp.float64, branch: wp.float64, h: wp.float64, y0: wp.ref[vector], k0: wp.ref[vector],
        y1: wp.ref[vector], k1: wp.ref[vector], p: wp.ref[params], m: wp.ref[Monitors],
        record: wp.ref[record_type], j: int, run: int, mode: wp.int32, force: wp.float64, gap: wp.float64,
        rate: wp.float64,
    ) -> bool:  # fmt: skip
        if wp.static(keeps_force):
            m.force[j, run] = force
        if reported(mode) == CONTACT_NONE:
            return False
        dent = wp.float64(0.0)
        if wp.static(keeps_dent):
            dent = m.memory.dent[j, run]
        if wp.static(is_recorded):  # frames have the peaks of their intervals, of those that are no record, too
            middle = inside(MIDDLE, h, y0, k0, y1, k1)
            record_peak(record, j, run, t + MIDDLE * h, sample(middle, p, j, run, mode, dent)[0])
        start = m.sampled[j, run]
        top = wp.max(start, force)
        may_push = top + ROUGH * top >= m.peak[j, run] and wp.abs(force - start) > ALIKE * top
        deepest = m.penetration[wp.static(i_body), run]
        further = wp.abs(rate) * h * MIDDLE
        may_sink = further - gap > deepest and further > ALIKE * deepest
        if not (may_push or may_sink):
            return False
        end = sample(y1, p, j, run, mode, dent)
        slopes = slopes_at_ends(start, force, end[0])
        may_push = may_push and slopes[0] > -BARELY * slopes[1] and slopes[1] > -BARELY * slopes[0]
        may_sink = may_sink and (rate <= wp.float64(0.0) or end[2] < wp.float64(0.0))
        if wp.static(not is_asked):
            if may_push:
                found = find_force(h, y0, k0, y1, k1, p, j, run, mode, dent, slopes[0] / (slopes[0] + slopes[1]))
                raise_to(m.peak, j, run, found[1])
                if wp.static(is_recorded):
                    record_peak(record, j, run, t + found[0] * h, found[1])
                    side = step(t, found[0] * h, branch, y0, k0, p, m.memory, run)
                    keep_frames(record, m, run, t + found[0] * h, side.y)
            if may_sink:
                depth = find_depth(h, y0, k0, y1, k1, p, j, run, mode, dent, rate, end[2])
                raise_to(m.penetration, wp.static(i_body), run, depth)
        return may_push or may_sink

    return look


@wp.func
def slopes_at_ends(start: wp.float64, middle: wp.float64, end: wp.float64) -> wp.vec2d:
    """By how much the parabola through three numbers rises at its start and falls at its end, over the step."""
    three = wp.float64(3.0)
    four = wp.float64(4.0)
    return wp.vec2d(four * middle - three * start - end, four * middle - three * end - start)


@lru_cache
def _sample_of_point(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (y, params, point, run, mode, dent) -> (normal force, depth, its rate)` of a point."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    law_contact, inner = assembly.law_contact, inner_state(assembly, i_body)
    ground_below, ground_of = ground_in_body_axes(assembly)

    @wp.func(inline=False)  # called from several places, and seldom
    def sample(y: wp.ref[vector], p: wp.ref[params], j: int, run: int, mode: wp.int32, dent: wp.float64) -> wp.vec3d:
        state = inner(p, y, wp.static(i_body), body_state(y, wp.static(i_body)))
        ground = ground_of(p, state, ground_below(p, state), j, run)
        if ground.status != GROUND_OK:
            return wp.vec3d()
        velocity = plus_crossed(turned_back(state.R_SB, state.velocity), state.omega_B, p.points_B[j])
        ground.dent = dent
        point = law_contact(p.law, wp.static(i_body), mode, ground, velocity)
        return wp.vec3d(point.normal_force, minus(ground.gap), minus(dotted(velocity, ground.normal)))

    return sample


@lru_cache
def _force_locator(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (h, y0, k0, y1, k1, params, point, run, mode, dent, about) -> (part of the step, force)`.

    The largest force inside the step, and where, which is known about.
    """
    params, vector = assembly.params, assembly.layout.vector
    inside, sample = state_inside(assembly), _sample_of_point(assembly, i_body)

    @wp.func(inline=False)
    def locate(
        h: wp.float64, y0: wp.ref[vector], k0: wp.ref[vector], y1: wp.ref[vector], k1: wp.ref[vector],
        p: wp.ref[params], j: int, run: int, mode: wp.int32, dent: wp.float64, about: wp.float64,
    ) -> wp.vec2d:  # fmt: skip
        one = wp.float64(1.0)
        s = wp.clamp(about, NEAR, one - NEAR)
        near = inside(s - NEAR, h, y0, k0, y1, k1)
        before = sample(near, p, j, run, mode, dent)[0]
        near = inside(s, h, y0, k0, y1, k1)
        here = sample(near, p, j, run, mode, dent)[0]
        near = inside(s + NEAR, h, y0, k0, y1, k1)
        after = sample(near, p, j, run, mode, dent)[0]
        bend = before - here - (here - after)
        if bend < wp.float64(0.0):
            s = wp.clamp(s + wp.float64(0.5) * NEAR * (before - after) / bend, wp.float64(0.0), one)
        top = inside(s, h, y0, k0, y1, k1)
        return wp.vec2d(s, sample(top, p, j, run, mode, dent)[0])

    return locate


@lru_cache
def _depth_locator(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (h, y0, k0, y1, k1, params, point, run, mode, dent, rate in the middle, at the end) -> depth`.

    The deepest of a point inside the step, where the rate of its depth changes its sign; 0 if it does not.
    """
    params, vector = assembly.params, assembly.layout.vector
    inside, sample = state_inside(assembly), _sample_of_point(assembly, i_body)

    @wp.func(inline=False)
    def locate(
        h: wp.float64, y0: wp.ref[vector], k0: wp.ref[vector], y1: wp.ref[vector], k1: wp.ref[vector],
        p: wp.ref[params], j: int, run: int, mode: wp.int32, dent: wp.float64, rate: wp.float64,
        rate_at_end: wp.float64,
    ) -> wp.float64:  # fmt: skip
        deepest = wp.float64(0.0)
        near = MIDDLE  # two places between which the rate changes its sign, if it does
        rate_near = rate
        far = wp.float64(1.0)
        rate_far = rate_at_end
        if rate <= wp.float64(0.0):
            far = wp.float64(0.0)
            rate_far = sample(y0, p, j, run, mode, dent)[2]
        if rate_far * rate >= wp.float64(0.0):
            return deepest
        for _i in range(3):
            s = near - rate_near * (far - near) / (rate_far - rate_near)
            y_s = inside(s, h, y0, k0, y1, k1)
            found = sample(y_s, p, j, run, mode, dent)
            if found[1] > deepest:
                deepest = found[1]
            if found[2] * rate_near < wp.float64(0.0):
                far = near
                rate_far = rate_near
            near = s
            rate_near = found[2]
            if rate_near == rate_far:
                return deepest
        return deepest

    return locate

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
from planetfall.engine.solver.dopri5 import dopri5, hermite, trial_struct
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
def peaks_inside(assembly: Assembly) -> Any:
    """`@wp.func (t, branch, h, y, k1, trial, params, monitors, record, run)`: notes the peaks inside a step of h."""
    params, vector, record_type = assembly.params, assembly.layout.vector, structs(assembly)[1]
    note_bodies, keep_frames = _peaks_of_bodies(assembly, 0), recorder(assembly).peak_frames
    has_anchors, read_anchors = assembly.has_moving_anchors, anchors_read(assembly)
    locates, is_recorded, n_points = assembly.locates_peaks, assembly.is_recorded, assembly.n_points
    step: Any = dopri5(assembly)
    trial_type, at, normalise = trial_struct(vector), hermite(vector, is_inlined=True), assembly.layout.normalise

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
        t: wp.float64, branch: wp.float64, h: wp.float64, y: wp.ref[vector], k1: wp.ref[vector],
        trial: wp.ref[trial_type], p: wp.ref[params], m: wp.ref[Monitors], record: wp.ref[record_type], run: int,
    ):  # fmt: skip
        middle = at(MIDDLE, h, y, k1, trial.y, trial.slope)
        normalise(middle)
        if wp.static(has_anchors):
            read_anchors(middle, m.memory, run)
        note_bodies(t, branch, h, y, k1, trial, middle, p, m, record, run)
        if wp.static(not locates):
            keep_frames(record, m, run, t + MIDDLE * h, middle)
        elif wp.static(is_recorded):
            if has_peak(record, run, t + MIDDLE * h):
                side = step(t, MIDDLE * h, branch, y, k1, p, m.memory, run)
                keep_frames(record, m, run, t + MIDDLE * h, side.y)

    return note_peaks


@lru_cache
def _peaks_of_bodies(assembly: Assembly, i_body: int) -> Any:
    """The peaks of this body and those after it, chained as in `motion.equations`."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    contact_of, inner = contact_in_mode(assembly, i_body), inner_state(assembly, i_body)
    (ground_below, ground_of), note_peak = ground_in_body_axes(assembly), peak_monitor(assembly, i_body)
    keeps_dent, record_type = assembly.law.keeps_dent, structs(assembly)[1]
    culls, keeps_force, is_last = assembly.plan.culls, assembly.keeps_forces, i_body + 1 == assembly.n_bodies
    locates, trial_type = assembly.locates_peaks, trial_struct(vector)
    look: Any = _closer_look(assembly, i_body) if locates else None
    rest: Any = None if is_last else _peaks_of_bodies(assembly, i_body + 1)

    @wp.func(inline=assembly.plan.inlining_of_parts)
    def note(
        t: wp.float64, branch: wp.float64, h: wp.float64, y: wp.ref[vector], k1: wp.ref[vector],
        trial: wp.ref[trial_type], middle: wp.ref[vector], p: wp.ref[params], m: wp.ref[Monitors],
        record: wp.ref[record_type], run: int,
    ):  # fmt: skip
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
                        look(
                            t, branch, h, y, k1, trial, p, m, record, j, run, mode, point.normal_force, ground.gap, rate
                        )
                    else:
                        note_peak(t + MIDDLE * h, m, record, j, run, ground, mode, point)
            place += 1
        if wp.static(not is_last):
            rest(t, branch, h, y, k1, trial, middle, p, m, record, run)

    return note


@lru_cache
def _closer_look(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (t, branch, h, y, k1, trial, params, monitors, record, point, run, mode, force, gap, rate)`.

    From the force, gap and rate of the depth in the middle of a step: whether a peak may be inside it, and which.
    """
    params, vector, record_type = assembly.params, assembly.layout.vector, structs(assembly)[1]
    reported, keeps_force, is_recorded = assembly.law.reported, assembly.keeps_forces, assembly.is_recorded
    locate_force, locate_depth = _force_locator(assembly, i_body), _depth_locator(assembly, i_body)
    trial_type, inside, sample = trial_struct(vector), state_inside(assembly), _sample_of_point(assembly, i_body)
    record_peak = recorder(assembly).peak

    @wp.func
    def look(
        t: wp.float64, branch: wp.float64, h: wp.float64, y: wp.ref[vector], k1: wp.ref[vector],
        trial: wp.ref[trial_type], p: wp.ref[params], m: wp.ref[Monitors], record: wp.ref[record_type],
        j: int, run: int, mode: wp.int32, force: wp.float64, gap: wp.float64, rate: wp.float64,
    ):  # fmt: skip
        if wp.static(keeps_force):
            m.force[j, run] = force
        if reported(mode) != CONTACT_NONE:
            if wp.static(is_recorded):  # frames have the peaks of their intervals, of those that are no record, too
                middle = inside(MIDDLE, h, y, k1, trial)
                record_peak(record, j, run, t + MIDDLE * h, sample(middle, p, m, j, run)[0])
            start = m.sampled[j, run]
            top = wp.max(start, force)
            may_push = top + ROUGH * top >= m.peak[j, run] and wp.abs(force - start) > ALIKE * top
            deepest = m.penetration[wp.static(i_body), run]
            further = wp.abs(rate) * h * MIDDLE
            may_sink = further - gap > deepest and further > ALIKE * deepest
            if may_push or may_sink:
                end = sample(trial.y, p, m, j, run)
                if may_push:
                    locate_force(t, branch, h, y, k1, trial, p, m, record, j, run, wp.vec3d(start, force, end[0]))
                if may_sink:
                    locate_depth(h, y, k1, trial, p, m, j, run, rate, end[2])

    return look


@lru_cache
def _sample_of_point(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (y, params, monitors, point, run) -> (normal force, depth, its rate)` of a point in its mode."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    contact_of, inner = contact_in_mode(assembly, i_body), inner_state(assembly, i_body)
    ground_below, ground_of = ground_in_body_axes(assembly)
    keeps_dent = assembly.law.keeps_dent

    @wp.func(inline=False)  # called from several places, and seldom
    def sample(y: wp.ref[vector], p: wp.ref[params], m: wp.ref[Monitors], j: int, run: int) -> wp.vec3d:
        state = inner(p, y, wp.static(i_body), body_state(y, wp.static(i_body)))
        ground = ground_of(p, state, ground_below(p, state), j, run)
        if ground.status != GROUND_OK:
            return wp.vec3d()
        velocity = plus_crossed(turned_back(state.R_SB, state.velocity), state.omega_B, p.points_B[j])
        if wp.static(keeps_dent):
            ground.dent = m.memory.dent[j, run]
        point = contact_of(p, state, m.memory, ground, velocity, j, run)
        return wp.vec3d(point.normal_force, minus(ground.gap), minus(dotted(velocity, ground.normal)))

    return sample


@lru_cache
def _force_locator(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (t, branch, h, y, k1, trial, params, monitors, record, point, run, forces)`.

    From the forces at the start, in the middle and at the end; raises a point's peak to its largest force inside the
    step, if that is not at an end, and keeps the frame there.
    """
    params, vector, record_type = assembly.params, assembly.layout.vector, structs(assembly)[1]
    trial_type, inside, sample = trial_struct(vector), state_inside(assembly), _sample_of_point(assembly, i_body)
    write, step, is_recorded = recorder(assembly), dopri5(assembly), assembly.is_recorded
    record_peak, keep_frames = write.peak, write.peak_frames

    @wp.func(inline=False)
    def locate(
        t: wp.float64, branch: wp.float64, h: wp.float64, y: wp.ref[vector], k1: wp.ref[vector],
        trial: wp.ref[trial_type], p: wp.ref[params], m: wp.ref[Monitors], record: wp.ref[record_type],
        j: int, run: int, forces: wp.vec3d,
    ):  # fmt: skip
        three = wp.float64(3.0)
        middle = wp.float64(4.0) * forces[1]
        rises = middle - three * forces[0] - forces[2]  # slopes of the parabola at start and end, over the step
        falls = middle - three * forces[2] - forces[0]
        if rises <= -BARELY * falls or falls <= -BARELY * rises:
            return
        one = wp.float64(1.0)
        s = wp.clamp(rises / (rises + falls), NEAR, one - NEAR)
        near = inside(s - NEAR, h, y, k1, trial)
        before = sample(near, p, m, j, run)[0]
        near = inside(s, h, y, k1, trial)
        here = sample(near, p, m, j, run)[0]
        near = inside(s + NEAR, h, y, k1, trial)
        after = sample(near, p, m, j, run)[0]
        bend = before - here - (here - after)
        if bend < wp.float64(0.0):
            s = wp.clamp(s + wp.float64(0.5) * NEAR * (before - after) / bend, wp.float64(0.0), one)
        top = inside(s, h, y, k1, trial)
        force = sample(top, p, m, j, run)[0]
        raise_to(m.peak, j, run, force)
        if wp.static(is_recorded):
            record_peak(record, j, run, t + s * h, force)
            side = step(t, s * h, branch, y, k1, p, m.memory, run)
            keep_frames(record, m, run, t + s * h, side.y)

    return locate


@lru_cache
def _depth_locator(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (h, y, k1, trial, params, monitors, point, run, rate in the middle, rate at the end)`.

    Of the depth. Raises the body's depth to the deepest of a point inside the step, where its rate changes its sign.
    """
    params, vector = assembly.params, assembly.layout.vector
    trial_type, inside, sample = trial_struct(vector), state_inside(assembly), _sample_of_point(assembly, i_body)

    @wp.func(inline=False)
    def locate(
        h: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], trial: wp.ref[trial_type], p: wp.ref[params],
        m: wp.ref[Monitors], j: int, run: int, rate: wp.float64, rate_at_end: wp.float64,
    ):  # fmt: skip
        near = MIDDLE  # two places between which the rate changes its sign, if it does
        rate_near = rate
        far = wp.float64(1.0)
        rate_far = rate_at_end
        if rate <= wp.float64(0.0):
            far = wp.float64(0.0)
            rate_far = sample(y, p, m, j, run)[2]
        if rate_far * rate >= wp.float64(0.0):
            return
        for _i in range(3):
            s = near - rate_near * (far - near) / (rate_far - rate_near)
            y_s = inside(s, h, y, k1, trial)
            found = sample(y_s, p, m, j, run)
            raise_to(m.penetration, wp.static(i_body), run, found[1])
            if found[2] * rate_near < wp.float64(0.0):
                far = near
                rate_far = rate_near
            near = s
            rate_near = found[2]
            if rate_near == rate_far:
                return

    return locate

"""What is monitored of a contact point between steps: mode, touchdowns and lift-offs, dents, peaks, whether it moves.

All that is large is passed by reference: monitors and record are kilobytes of array descriptions, and copies of them
for each point in contact cost a CPU a quarter of its steps.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.fused import dotted, minus
from planetfall.compute.in_place import count_up, put, raise_to
from planetfall.contact.model import CONTACT_NONE, CONTACT_STATIC, ContactMemory, PointContact
from planetfall.engine.contact.resultant import ContactSum
from planetfall.engine.state.batch import EVENT_LIFT_OFF, EVENT_TOUCH, Monitors, structs
from planetfall.engine.state.recorder import recorder
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import BodyState
from planetfall.world.terrain.model import Ground


@lru_cache
def point_monitor(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (sum, t, params, state, monitors, record, point, run, ground, velocity, before, mode, contact)`.

    Brings a point's mode up to date, notes touchdowns, lift-offs and peaks, and counts it in the sum.
    """
    params, reported, (_, record_type) = assembly.params, assembly.law.reported, structs(assembly)
    note_event, note_touch = recorder(assembly).event, touchdown_monitor(assembly)
    note_peak, may_crash = peak_monitor(assembly, i_body), assembly.may_crash

    @wp.func
    def note(
        out: wp.ref[ContactSum], t: wp.float64, p: wp.ref[params], state: wp.ref[BodyState], m: wp.ref[Monitors],
        record: wp.ref[record_type], j: int, run: int, ground: wp.ref[Ground], velocity: wp.vec3d, before: wp.int32,
        mode: wp.int32, point: wp.ref[PointContact],
    ):  # fmt: skip
        v_n = dotted(velocity, ground.normal)
        kind = reported(mode)
        if mode != before:
            put(m.memory.modes, j, run, mode)
            was = reported(before)
            if was == CONTACT_NONE and kind != CONTACT_NONE:
                note_touch(t, ground.gap, v_n, p, state, m, record, j, run)
                if wp.static(may_crash):
                    note_hit(out, j, wp.length(velocity))
            if was != CONTACT_NONE and kind == CONTACT_NONE:
                note_event(record, run, t, EVENT_LIFT_OFF, j, v_n, state.position)
        if wp.static(may_crash):
            if out.hit <= p.end.crash_speed:  # what the law says of a crash is no measure of it
                note_peak(t, m, record, j, run, ground, mode, point)
        else:
            note_peak(t, m, record, j, run, ground, mode, point)
        if kind != CONTACT_NONE:
            out.loaded += 1
            if kind != CONTACT_STATIC:
                out.sliding += 1
            if kind != CONTACT_STATIC or wp.abs(v_n) > p.end.rest_speed:
                out.moving += 1

    return note


@lru_cache
def hit_finder(assembly: Assembly) -> Any:
    """`@wp.func (sum, params, point, gap, normal, velocity)`: whether a point that is apart hits in the coming step.

    With a fixed step a hit is noted before it happens: the step with the hit would have some of its stages in the
    ground and others not, which measures nothing. Normal and velocity are in the same axes.
    """
    params = assembly.params

    @wp.func
    def find(out: wp.ref[ContactSum], p: wp.ref[params], j: int, gap: wp.float64, normal: wp.vec3d, velocity: wp.vec3d):
        v_n = dotted(velocity, normal)
        if gap < minus(v_n) * p.step.step:
            speed = wp.length(velocity)
            if speed > out.hit:
                out.hit = speed
                out.hit_point = j
                out.ahead = gap / minus(v_n)

    return find


@wp.func
def note_hit(out: wp.ref[ContactSum], j: int, speed: wp.float64):
    """A point has touched the ground at a speed [m/s]."""
    if speed > out.hit:
        out.hit = speed
        out.hit_point = j
        out.ahead = wp.float64(0.0)


@lru_cache
def peak_monitor(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (t, monitors, record, point, run, ground, mode, contact)`: keeps the largest force and depth."""
    reported, keeps_force, record_type = assembly.law.reported, assembly.keeps_forces, structs(assembly)[1]
    keeps_sample = assembly.locates_peaks
    record_peak, record_depth = recorder(assembly).peak, recorder(assembly).depth

    @wp.func
    def note(
        t: wp.float64, m: wp.ref[Monitors], record: wp.ref[record_type], j: int, run: int, ground: wp.ref[Ground],
        mode: wp.int32, point: wp.ref[PointContact],
    ):  # fmt: skip
        if wp.static(keeps_force):
            m.force[j, run] = point.normal_force
        if wp.static(keeps_sample):
            m.sampled[j, run] = point.normal_force
        if reported(mode) != CONTACT_NONE:
            raise_to(m.peak, j, run, point.normal_force)
            raise_to(m.penetration, wp.static(i_body), run, minus(ground.gap))
            record_peak(record, j, run, t, point.normal_force)
            record_depth(record, j, run, t, minus(ground.gap))

    return note


@lru_cache
def motion_judge(assembly: Assembly) -> Any:
    """`@wp.func (sum, params, state, slip)` of a resultant law: the body slides or moves, not its points."""
    params = assembly.params

    @wp.func
    def judge(out: wp.ref[ContactSum], p: wp.ref[params], state: wp.ref[BodyState], slip: wp.float64):
        out.sliding = 0
        out.moving = 0
        if slip >= wp.float64(0.5):
            out.sliding = out.loaded
        if dotted(state.velocity, state.velocity) > p.end.rest_speed * p.end.rest_speed:
            out.moving = out.loaded

    return judge


@wp.func
def note_first_touch(m: wp.ref[Monitors], j: int, run: int, t: wp.float64, state: BodyState, ahead: wp.float64):
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
        m: wp.ref[Monitors],
        record: wp.ref[record_type],
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


@wp.func
def renewed_dent(memory: wp.ref[ContactMemory], j: int, run: int, gap: wp.float64) -> wp.float64:
    """The dent [m] of a point between steps: the present depth where that is more, none once it is out of the ground.

    A point that has left the ground comes down elsewhere, for all that is known.
    """
    dent = wp.float64(0.0)
    if gap < wp.float64(0.0):
        dent = wp.max(memory.dent[j, run], -gap)
    memory.dent[j, run] = dent
    return dent

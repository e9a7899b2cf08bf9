"""What is looked at after every accepted step: touchdowns, lift-offs, peaks, rest, overturning, the map's edge."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.contact.model import CONTACT_NONE, CONTACT_STATIC, MODE_APART
from planetfall.engine.assembly import Assembly
from planetfall.engine.batch import (
    EVENT_DIVERGED,
    EVENT_HOLE,
    EVENT_LIFT_OFF,
    EVENT_OFF_MAP,
    EVENT_OVERTURN,
    EVENT_REST,
    EVENT_TIME_OUT,
    EVENT_TOUCH,
    Monitors,
    structs,
)
from planetfall.engine.recorder import recorder
from planetfall.engine.sight import seen_from_body
from planetfall.outcome import Outcome
from planetfall.world.terrain.model import GROUND_HOLE, GROUND_OFF_MAP

RUNNING = wp.constant(int(Outcome.running))
SETTLED = wp.constant(int(Outcome.settled))
OVERTURNED = wp.constant(int(Outcome.overturned))
SLIDING = wp.constant(int(Outcome.sliding))
TIMED_OUT = wp.constant(int(Outcome.timed_out))
OFF_MAP = wp.constant(int(Outcome.off_map))
HOLE = wp.constant(int(Outcome.hole))
DIVERGED = wp.constant(int(Outcome.diverged))


@wp.struct
class Sight:
    """What one look at a state found, over all points: `loaded` and `moving` counts, worst terrain `status`."""

    loaded: wp.int32
    moving: wp.int32
    status: wp.int32


@lru_cache
def look_at_points(assembly: Assembly) -> Any:
    """`@wp.func (t, y, params, monitors, record, run, is_step_end) -> Sight`.

    At the end of a step the modes are brought up to date and touchdowns and lift-offs are noted; in the middle of one
    (the samples that an adaptive method looks at) only the peaks are.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    law_mode, law_contact = assembly.law_mode, assembly.law_contact
    look_down, ground_of = seen_from_body(assembly)
    reported, starts = assembly.law.reported, assembly.point_starts
    _, record_type = structs(assembly)
    _, note_peak, note_event = recorder(assembly)

    @wp.func
    def note_touch(
        t: wp.float64, gap_now: wp.float64, v_n: wp.float64, m: Monitors, record: record_type, j: int, run: int
    ):
        touch = t
        if v_n < wp.float64(0.0):
            touch = t - gap_now / v_n  # back to the surface; an event-locating method is there already
        m.touches[j, run] = m.touches[j, run] + 1
        if wp.isnan(m.first_touch[j, run]):
            m.first_touch[j, run] = touch
        note_event(record, run, touch, EVENT_TOUCH, j, v_n)

    @wp.func
    def look(
        t: wp.float64, y: vector, p: params, m: Monitors, record: record_type, run: int, is_step_end: int
    ) -> Sight:
        sight = Sight()
        for b in range(wp.static(assembly.n_bodies)):
            state = body_state(y, b)
            below = look_down(p, state)
            velocity_B = wp.transpose(state.R_SB) * state.velocity
            for j in range(wp.static(starts[b]), wp.static(starts[b + 1])):
                point_B = p.points_B[j]
                ground = ground_of(p, state, below, point_B)
                sight.status = wp.max(sight.status, ground.status)
                before = m.modes[j, run]
                if ground.gap < wp.float64(0.0) or before != MODE_APART:
                    velocity = velocity_B + wp.cross(state.omega_B, point_B)
                    v_n = wp.dot(velocity, ground.normal)
                    mode = before
                    if is_step_end == 1:
                        mode = law_mode(p.law, b, ground, velocity)
                    kind = reported(mode)
                    if mode != before:
                        m.modes[j, run] = mode
                        was = reported(before)
                        if was == CONTACT_NONE and kind != CONTACT_NONE:
                            note_touch(t, ground.gap, v_n, m, record, j, run)
                        if was != CONTACT_NONE and kind == CONTACT_NONE:
                            note_event(record, run, t, EVENT_LIFT_OFF, j, v_n)
                    if kind != CONTACT_NONE:
                        point = law_contact(p.law, b, mode, ground, velocity)
                        if point.normal_force > m.peak[j, run]:
                            m.peak[j, run] = point.normal_force
                        if -ground.gap > m.penetration[run]:
                            m.penetration[run] = -ground.gap
                        note_peak(record, m, j, run, t, y, point.normal_force)
                        sight.loaded += 1
                        if kind != CONTACT_STATIC or wp.abs(v_n) > p.end.rest_speed:
                            sight.moving += 1
        return sight

    return look


@lru_cache
def watch(assembly: Assembly) -> tuple[Any, Any]:
    """Two `@wp.func (t, y, params, monitors, record, run) -> status`: after an accepted step, and when time is up."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    gravity, reported = assembly.gravity.acceleration, assembly.law.reported
    look = look_at_points(assembly)
    _, record_type = structs(assembly)
    note_event = recorder(assembly).event

    @wp.func
    def rest_status(
        t: wp.float64, y: vector, p: params, m: Monitors, record: record_type, run: int, sight: Sight, tilt: int
    ) -> wp.int32:
        still = sight.loaded > 0 and sight.moving == 0
        for b in range(wp.static(assembly.n_bodies)):
            if wp.length_sq(body_state(y, b).omega_B) > p.end.rest_rate * p.end.rest_rate:
                still = False
        if not still:
            if not wp.isnan(m.rest_since[run]):
                m.rest_since[run] = wp.float64(wp.nan)
                m.rest[run] = wp.float64(wp.nan)
            return RUNNING
        if wp.isnan(m.rest_since[run]):
            m.rest_since[run] = t
        if t - m.rest_since[run] >= p.end.rest_hold and wp.isnan(m.rest[run]):
            m.rest[run] = m.rest_since[run]
            note_event(record, run, m.rest_since[run], EVENT_REST, -1, p.end.rest_hold)
            if p.end.stops_at_rest == 1:
                if tilt == 1:
                    return OVERTURNED
                return SETTLED
        return RUNNING

    @wp.func
    def is_tilted(y: vector, p: params) -> wp.int32:
        state = body_state(y, 0)
        down = gravity(p.gravity, state.position)
        if -wp.dot(state.R_SB * p.end.up_B, down) < p.end.cos_overturn * wp.length(down):
            return 1
        return 0

    @wp.func
    def status_after(t: wp.float64, y: vector, p: params, m: Monitors, record: record_type, run: int) -> wp.int32:
        if not wp.isfinite(wp.dot(y, y)):
            note_event(record, run, t, EVENT_DIVERGED, -1, t)
            return DIVERGED
        sight = look(t, y, p, m, record, run, 1)
        if sight.status == GROUND_OFF_MAP:
            note_event(record, run, t, EVENT_OFF_MAP, -1, t)
            return OFF_MAP
        if sight.status == GROUND_HOLE:
            note_event(record, run, t, EVENT_HOLE, -1, t)
            return HOLE
        tilt = is_tilted(y, p)
        if tilt == 1 and wp.isnan(m.overturn[run]):
            m.overturn[run] = t
            note_event(record, run, t, EVENT_OVERTURN, -1, t)
        return rest_status(t, y, p, m, record, run, sight, tilt)

    @wp.func
    def status_at_end(t: wp.float64, y: vector, p: params, m: Monitors, record: record_type, run: int) -> wp.int32:
        note_event(record, run, t, EVENT_TIME_OUT, -1, t)
        loaded = int(0)
        kinetic = int(0)
        for j in range(wp.static(assembly.n_points)):
            kind = reported(m.modes[j, run])
            if kind != CONTACT_NONE:
                loaded += 1
                if kind != CONTACT_STATIC:
                    kinetic += 1
        if loaded > 0 and is_tilted(y, p) == 1:
            return OVERTURNED
        if kinetic > 0:
            return SLIDING
        if not wp.isnan(m.rest[run]):
            return SETTLED
        return TIMED_OUT

    return status_after, status_at_end

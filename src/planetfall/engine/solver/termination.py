"""How a run stands after a step: at rest, overturned, off the map, out of time, diverged, or still running."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.fused import dotted, minus, turned
from planetfall.contact.model import CONTACT_CRASHED, CONTACT_LOST
from planetfall.engine.solver.end_altitude import REACHED
from planetfall.engine.solver.escape import orbit_judges
from planetfall.engine.solver.rest import rest_judge
from planetfall.engine.state.batch import (
    EVENT_DESCENDED,
    EVENT_DIVERGED,
    EVENT_ESCAPE,
    EVENT_FAST,
    EVENT_HOLE,
    EVENT_OFF_MAP,
    EVENT_OVERTURN,
    EVENT_SKIP_OUT,
    EVENT_SLOW,
    EVENT_SUNK,
    EVENT_TIME_OUT,
    Monitors,
    evaluation_struct,
    structs,
)
from planetfall.engine.state.recorder import recorder
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.outcome import Outcome
from planetfall.world.planet import altitude
from planetfall.world.terrain.model import GROUND_HOLE, GROUND_OFF_MAP

RUNNING = wp.constant(int(Outcome.running))
SETTLED = wp.constant(int(Outcome.settled))
OVERTURNED = wp.constant(int(Outcome.overturned))
SLIDING = wp.constant(int(Outcome.sliding))
TIMED_OUT = wp.constant(int(Outcome.timed_out))
OFF_MAP = wp.constant(int(Outcome.off_map))
HOLE = wp.constant(int(Outcome.hole))
DIVERGED = wp.constant(int(Outcome.diverged))
SUNK = wp.constant(int(Outcome.sunk))
CONTROLLER_ERROR = wp.constant(int(Outcome.controller_error))
ESCAPED = wp.constant(int(Outcome.escaped))
ORBITING = wp.constant(int(Outcome.orbiting))
CRASHED = wp.constant(int(Outcome.crashed))
DESCENDED = wp.constant(int(Outcome.descended))


@lru_cache
def termination(assembly: Assembly) -> Any:
    """`@wp.func (t, y, params, monitors, record, run, evaluation) -> status` of a state between steps."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    evaluation_type, is_recorded = evaluation_struct(vector), assembly.is_recorded
    _, record_type = structs(assembly)
    has_end_altitude = assembly.has_end_altitude
    note_event, rests = recorder(assembly).event, rest_judge(assembly)
    has_escaped, is_orbiting = orbit_judges(assembly)

    @wp.func
    def note_pace(
        t: wp.float64,
        y: wp.ref[vector],
        p: wp.ref[params],
        record: wp.ref[record_type],
        run: int,
        evaluation: wp.ref[evaluation_type],
    ):
        """Notes when the first body's speed falls below `slow_speed` or rises above it."""
        if wp.static(is_recorded):
            state = body_state(y, 0)
            speed = wp.length(state.velocity)
            is_slow = int(0)
            if speed < p.end.slow_speed:
                is_slow = int(1)
            if is_slow != record.is_slow[run]:
                record.is_slow[run] = is_slow
                power = wp.dot(state.velocity, wp.vec3d(evaluation.slope[3], evaluation.slope[4], evaluation.slope[5]))
                late = wp.float64(0.0)
                if t > wp.float64(0.0) and power != wp.float64(0.0):
                    late = (speed - p.end.slow_speed) * speed / power  # back along the present slope of the speed
                late = wp.clamp(late, wp.float64(0.0), p.step.step)
                kind = EVENT_FAST
                if is_slow == 1:
                    kind = EVENT_SLOW
                note_event(record, run, t - late, kind, -1, speed, state.position - state.velocity * late)

    @wp.func
    def is_tilted(y: wp.ref[vector], p: wp.ref[params], down: wp.vec3d) -> wp.int32:
        """Compares squares that have kept their signs, which is the same and has no root in it."""
        state = body_state(y, 0)
        lift = minus(dotted(turned(state.R_SB, p.end.up_B), down))
        cosine = p.end.cos_overturn
        if lift * wp.abs(lift) < cosine * wp.abs(cosine) * dotted(down, down):
            return 1
        return 0

    @wp.func
    def beyond_end_altitude(
        t: wp.float64, y: wp.ref[vector], p: wp.ref[params], record: wp.ref[record_type], run: int
    ) -> wp.int32:
        state = body_state(y, 0)
        level = altitude(p.end.planet, state.position)
        climb = wp.dot(state.velocity, level.up)
        if level.altitude <= p.end.stop_altitude + REACHED and climb < wp.float64(0.0):
            note_event(record, run, t, EVENT_DESCENDED, -1, wp.length(state.velocity), state.position)
            return DESCENDED
        if level.altitude > p.end.skip_altitude and climb > wp.float64(0.0):
            note_event(record, run, t, EVENT_SKIP_OUT, -1, wp.length(state.velocity), state.position)
            return ESCAPED
        return RUNNING

    @wp.func
    def status_at_end(
        y: wp.ref[vector],
        p: wp.ref[params],
        m: wp.ref[Monitors],
        run: int,
        evaluation: wp.ref[evaluation_type],
        tilt: int,
    ) -> wp.int32:
        if evaluation.loaded == 0 and is_orbiting(y, p) == 1:
            return ORBITING
        if evaluation.loaded > 0 and tilt == 1:
            return OVERTURNED
        if evaluation.sliding > 0:
            return SLIDING
        if not wp.isnan(m.rest[run]):
            return SETTLED
        return TIMED_OUT

    @wp.func(inline=assembly.plan.inlining_of_parts)
    def status_now(
        t: wp.float64, y: wp.ref[vector], p: wp.ref[params], m: wp.ref[Monitors], record: wp.ref[record_type], run: int,
        evaluation: wp.ref[evaluation_type],
    ) -> wp.int32:  # fmt: skip
        size = evaluation.kinetic + evaluation.stored
        for b in range(wp.static(assembly.n_bodies)):  # a quaternion that is not finite shows in all its numbers
            size += y[b * BODY_SIZE + 6]
        if not wp.isfinite(size):
            note_event(record, run, t, EVENT_DIVERGED, -1, t, body_state(y, 0).position)
            return DIVERGED
        if evaluation.status == GROUND_OFF_MAP:
            note_event(record, run, t, EVENT_OFF_MAP, -1, t, body_state(y, 0).position)
            return OFF_MAP
        if evaluation.status == GROUND_HOLE:
            note_event(record, run, t, EVENT_HOLE, -1, t, body_state(y, 0).position)
            return HOLE
        if evaluation.status == CONTACT_LOST:
            note_event(record, run, t, EVENT_SUNK, -1, t, body_state(y, 0).position)
            return SUNK
        if evaluation.status == CONTACT_CRASHED:
            return CRASHED
        if has_escaped(y, p) == 1:
            state = body_state(y, 0)
            note_event(record, run, t, EVENT_ESCAPE, -1, wp.length(state.velocity), state.position)
            return ESCAPED
        if wp.static(has_end_altitude):
            crossed = beyond_end_altitude(t, y, p, record, run)
            if crossed != RUNNING:
                return crossed
        note_pace(t, y, p, record, run, evaluation)
        tilt = is_tilted(y, p, evaluation.gravity)
        if (
            tilt == 1 and evaluation.loaded > 0 and wp.isnan(m.overturn[run])
        ):  # in flight a vehicle may swing as it likes
            m.overturn[run] = t
            note_event(record, run, t, EVENT_OVERTURN, -1, t, body_state(y, 0).position)
        if rests(t, y, p, m, record, run, evaluation):
            return wp.where(tilt == 1, OVERTURNED, SETTLED)
        if t >= p.step.duration:
            note_event(record, run, t, EVENT_TIME_OUT, -1, t, body_state(y, 0).position)
            return status_at_end(y, p, m, run, evaluation, tilt)
        return RUNNING

    return status_now

"""Whether a run ends at rest: what is judged has been slow, on the ground, for long enough."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.motion.crash import has_crashed
from planetfall.engine.state.batch import EVENT_REST, Monitors, evaluation_struct, structs
from planetfall.engine.state.recorder import recorder
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.state_sizes import JOINT_SIZE

STOPS, STOPS_WITH_OTHERS = wp.constant(1), wp.constant(2)
"""`EndParams.stops_at_rest`: the run ends when what is judged rests, or when all other bodies lie, too."""


@lru_cache
def rest_judge(assembly: Assembly) -> Any:
    """`@wp.func (t, y, params, monitors, record, run, evaluation) -> bool`: whether the run ends, at rest.

    When rest began is kept in the monitors, and noted as an event.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    evaluation_type, (_, record_type) = evaluation_struct(vector), structs(assembly)
    n_joints, joint, note_event = assembly.n_joints, assembly.joint_offset(0), recorder(assembly).event

    @wp.func
    def others_lie(y: wp.ref[vector], p: wp.ref[params], m: wp.ref[Monitors], run: int) -> bool:
        """Whether all bodies that are not judged have crashed or are slow."""
        for b in range(wp.static(assembly.n_bodies)):
            is_slow = wp.length_sq(body_state(y, b).velocity) <= p.end.rest_speed * p.end.rest_speed
            if wp.static(assembly.may_crash):
                is_slow = is_slow or has_crashed(m.memory, b, run)
            if b >= p.end.n_judged and not is_slow:
                return False
        return True

    @wp.func
    def is_at_rest(
        t: wp.float64, y: wp.ref[vector], p: wp.ref[params], m: wp.ref[Monitors], record: wp.ref[record_type], run: int,
        evaluation: wp.ref[evaluation_type],
    ) -> bool:  # fmt: skip
        still = evaluation.loaded > 0 and evaluation.moving == 0
        for b in range(wp.static(assembly.n_bodies)):
            is_judged = b < p.end.n_judged
            if is_judged and wp.length_sq(body_state(y, b).omega_B) > p.end.rest_rate * p.end.rest_rate:
                still = False
            if wp.static(assembly.n_bodies > 1):  # one that hangs or flies has no loaded point to judge it by
                is_slow = wp.length_sq(body_state(y, b).velocity) <= p.end.rest_speed * p.end.rest_speed
                if p.end.n_judged > 1 and not is_slow:
                    still = False
        for i in range(wp.static(n_joints)):
            if wp.abs(y[joint + i * JOINT_SIZE + 1]) > p.end.rest_rate:
                still = False
        if not still:
            if not wp.isnan(m.rest_since[run]):
                m.rest_since[run] = wp.float64(wp.nan)
                m.rest[run] = wp.float64(wp.nan)
            return False
        if wp.isnan(m.rest_since[run]):
            m.rest_since[run] = t
        if t - m.rest_since[run] >= p.end.rest_hold:
            is_new = wp.isnan(m.rest[run])
            if is_new:
                m.rest[run] = m.rest_since[run]
                state = body_state(y, 0)
                here = state.position - state.velocity * (t - m.rest_since[run])  # what creep there is, is steady
                note_event(record, run, m.rest_since[run], EVENT_REST, -1, p.end.rest_hold, here)
            is_over = is_new and p.end.stops_at_rest == STOPS
            if wp.static(assembly.n_bodies > 1):
                is_over = is_over or (p.end.stops_at_rest == STOPS_WITH_OTHERS and others_lie(y, p, m, run))
            return is_over
        return False

    return is_at_rest

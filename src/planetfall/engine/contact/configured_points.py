"""Contact points that count in some configurations of their vehicle only: while others are attached, or released.

One that does not count has no ground (`terrain_query`), so that every search and every sum finds it apart. It begins or
ceases to count at the instant of a release, between two steps. Its energy is booked then: what the ground stores of a
point that ceases to count is lost, and what it stores of one that begins to count in the ground is put in. An anchored
law books both by itself, as it renews its memory.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.fused import dotted, minus, plus_crossed, turned_back
from planetfall.compute.in_place import number, put
from planetfall.contact.model import CONTACT_NONE, MODE_APART
from planetfall.engine.contact.terrain_query import ground_in_body_axes, point_counter
from planetfall.engine.state.batch import EVENT_BEGAN_IN_GROUND, EVENT_LIFT_OFF, Monitors, structs
from planetfall.engine.state.recorder import recorder
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.attachment import IS_ATTACHED, RELEASED_AT
from planetfall.vehicle.body import BodyState


@lru_cache
def attached_before(assembly: Assembly) -> Any:
    """`@wp.func (t, y) -> bits` of the vehicles that were attached just before the releases at this instant."""
    vector, attached = assembly.layout.vector, assembly.layout.attached
    places = wp.types.vector(length=max(len(attached), 1), dtype=wp.int32)(*(attached or (0,)))

    @wp.func
    def before(t: wp.float64, y: wp.ref[vector]) -> wp.int32:
        bits = wp.int32(0)
        bit = wp.int32(1)
        for k in range(wp.static(len(attached))):
            since = number(y[places[k] + wp.static(RELEASED_AT - IS_ATTACHED)])
            if number(y[places[k]]) == wp.float64(1.0) or since == t:
                bits = bits | bit
            bit = bit + bit
        return bits

    return before


@lru_cache
def point_switcher(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (t, params, y, state, monitors, record, run) -> energy [J]` stored at once, negative where lost.

    At an instant of a release, for the points of a body that begin or cease to count then: before its evaluation, which
    finds the former touching.
    """
    if not assembly.configures_points(i_body):
        return None
    params, vector, record_type = assembly.params, assembly.layout.vector, structs(assembly)[1]
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    before, counts, note_event = attached_before(assembly), point_counter(assembly), recorder(assembly).event
    ground_below, ground_of = ground_in_body_axes(assembly, with_all=True)
    law_mode, law_contact, reported = assembly.law_mode, assembly.law_contact, assembly.law.reported
    is_anchored, keeps_dent, keeps_list = (
        assembly.law.is_anchored, assembly.law.keeps_dent, assembly.plan.monitors_in_stages
    )  # fmt: skip

    @wp.func
    def switch(
        t: wp.float64, p: wp.ref[params], y: wp.ref[vector], state: BodyState, m: Monitors, record: record_type,
        run: int,
    ) -> wp.float64:  # fmt: skip
        stored = wp.float64(0.0)
        was_attached = before(t, y)
        if was_attached == state.attached:
            return stored
        if wp.static(keeps_list):  # of points near the ground, made when others counted
            m.memory.clearance[wp.static(i_body), run] = wp.float64(0.0)
        below = ground_below(p, state)
        velocity_B = turned_back(state.R_SB, state.velocity)
        j = int(wp.static(first))
        while j < wp.static(last):
            did = counts(was_attached, j)
            does = counts(state.attached, j)
            mode = wp.int32(m.memory.modes[j, run])
            ground = ground_of(p, state, below, j, run)
            velocity = plus_crossed(velocity_B, state.omega_B, p.points_B[j])
            if did and not does and mode != MODE_APART:
                if wp.static(not is_anchored):
                    if wp.static(keeps_dent):
                        ground.dent = m.memory.dent[j, run]
                    stored -= law_contact(p.law, wp.static(i_body), mode, ground, velocity).elastic
                    put(m.memory.modes, j, run, MODE_APART)
                    if reported(mode) != CONTACT_NONE:
                        v_n = dotted(velocity, ground.normal)
                        note_event(record, run, t, EVENT_LIFT_OFF, j, v_n, state.position)
            if does and not did and mode == MODE_APART and ground.gap < wp.float64(0.0):
                note_event(record, run, t, EVENT_BEGAN_IN_GROUND, j, minus(ground.gap), state.position)
                if wp.static(not is_anchored):
                    if wp.static(keeps_dent):
                        ground.dent = minus(ground.gap)
                    mode = law_mode(p.law, wp.static(i_body), ground, velocity)
                    stored += law_contact(p.law, wp.static(i_body), mode, ground, velocity).elastic
            j += 1
        return stored

    return switch

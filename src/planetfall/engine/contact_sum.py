"""An instant contact law summed over the points of one body: in the stages of a step, and between steps."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.contact.model import CONTACT_NONE, CONTACT_STATIC, MODE_APART, ContactMemory
from planetfall.engine.assembly import Assembly
from planetfall.engine.batch import EVENT_LIFT_OFF, Monitors, structs
from planetfall.engine.gathering import ContactSum, Tally, gathered_force, tallied, with_gathered
from planetfall.engine.nearness import EVERYWHERE, is_clear, must_look
from planetfall.engine.recorder import recorder
from planetfall.engine.sight import seen_from_body
from planetfall.engine.touch import touch_noter
from planetfall.vehicle.body import BodyState, Drive
from planetfall.world.terrain.model import Ground


@lru_cache
def contact_sum(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, state, drive, memory, run) -> ContactSum`, in a stage: nothing is noted."""
    params, is_frozen = assembly.params, assembly.is_frozen
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    law_mode, law_contact = assembly.law_mode, assembly.law_contact
    look_down, ground_of = seen_from_body(assembly)
    gathers, gathered = assembly.law.gather is not None, gathered_force(assembly, i_body)
    passes_over = assembly.passes_over

    @wp.func
    def total(p: params, state: BodyState, drive: Drive, memory: ContactMemory, run: int) -> ContactSum:
        out = ContactSum()
        if wp.static(passes_over):
            if is_clear(memory, wp.static(i_body), run, state):
                return out
        tally = Tally()
        below = look_down(p, state)
        velocity_B = wp.transpose(state.R_SB) * state.velocity
        j = int(wp.static(first))
        while j < wp.static(last):
            point_B = p.points_B[j]
            ground = Ground()
            mode = wp.int32(0)
            if wp.static(is_frozen):
                mode = memory.modes[j, run]
                if mode != MODE_APART:
                    ground = ground_of(p, state, below, j, run)
            else:
                ground = ground_of(p, state, below, j, run)
                if ground.gap < wp.float64(0.0):
                    mode = law_mode(p.law, wp.static(i_body), ground, velocity_B + wp.cross(state.omega_B, point_B))
            if mode != MODE_APART:
                velocity = velocity_B + wp.cross(state.omega_B, point_B)
                point = law_contact(p.law, wp.static(i_body), mode, ground, velocity)
                out.force += point.force
                out.torque += wp.cross(point_B, point.force)
                out.damper_power += point.damper_power
                out.friction_power += point.friction_power
                if wp.static(gathers):
                    tally = tallied(tally, point, point_B)
            j += 1
        if wp.static(gathers):
            if tally.load > wp.float64(0.0) and tally.depth > wp.float64(0.0):
                out = with_gathered(out, gathered(p, state, drive, out, tally))
        return out

    return total


@lru_cache
def watched_sum(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (t, params, state, drive, monitors, record, run, is_step_end) -> ContactSum`, between steps.

    At the end of a step the modes are brought up to date and touchdowns and lift-offs are noted; in the middle of one
    (the samples that an adaptive method looks at) only the peaks are.
    """
    params, reported = assembly.params, assembly.law.reported
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    law_mode, law_contact = assembly.law_mode, assembly.law_contact
    look_down, ground_of = seen_from_body(assembly)
    gathers, gathered = assembly.law.gather is not None, gathered_force(assembly, i_body)
    _, record_type = structs(assembly)
    write = recorder(assembly)
    note_peak, note_event, note_touch = write.peak, write.event, touch_noter(assembly)
    must_ask, culls, keeps_force = must_look(assembly), assembly.culls, assembly.has_switches
    passes_over, closing = assembly.passes_over, assembly.terrain.closing

    @wp.func
    def total(
        t: wp.float64, p: params, state: BodyState, drive: Drive, m: Monitors, record: record_type, run: int,
        is_step_end: int,
    ) -> ContactSum:  # fmt: skip
        out = ContactSum()
        tally = Tally()
        below = look_down(p, state)
        velocity_B = wp.transpose(state.R_SB) * state.velocity
        lowest = EVERYWHERE
        reach = wp.float64(0.0)
        j = int(wp.static(first))
        while j < wp.static(last):
            point_B = p.points_B[j]
            before = m.memory.modes[j, run]
            ground = Ground()
            if must_ask(p, m, j, run, before, is_step_end) == 1:
                ground = ground_of(p, state, below, j, run)
                if wp.static(culls):
                    m.clearance[j, run] = ground.gap
            out.status = wp.max(out.status, ground.status)
            if wp.static(passes_over):
                lowest = wp.min(lowest, ground.gap)
                reach = wp.max(reach, wp.length(point_B))
            if wp.static(keeps_force):
                m.force[j, run] = wp.float64(0.0)
            if ground.gap < wp.float64(0.0) or before != MODE_APART:
                velocity = velocity_B + wp.cross(state.omega_B, point_B)
                v_n = wp.dot(velocity, ground.normal)
                mode = before
                if is_step_end == 1:
                    mode = law_mode(p.law, wp.static(i_body), ground, velocity)
                kind = reported(mode)
                if mode != before:
                    m.memory.modes[j, run] = mode
                    was = reported(before)
                    if was == CONTACT_NONE and kind != CONTACT_NONE:
                        note_touch(t, ground.gap, v_n, p, state, m, record, j, run)
                    if was != CONTACT_NONE and kind == CONTACT_NONE:
                        note_event(record, run, t, EVENT_LIFT_OFF, j, v_n, state.position)
                point = law_contact(p.law, wp.static(i_body), mode, ground, velocity)
                if wp.static(keeps_force):
                    m.force[j, run] = point.normal_force
                out.force += point.force
                out.torque += wp.cross(point_B, point.force)
                out.damper_power += point.damper_power
                out.friction_power += point.friction_power
                if wp.static(gathers):
                    tally = tallied(tally, point, point_B)
                if kind != CONTACT_NONE:
                    if point.normal_force > m.peak[j, run]:
                        m.peak[j, run] = point.normal_force
                    if -ground.gap > m.penetration[run]:
                        m.penetration[run] = -ground.gap
                    note_peak(record, j, run, t, point.normal_force)
                    out.loaded += 1
                    if kind != CONTACT_STATIC:
                        out.sliding += 1
                    if kind != CONTACT_STATIC or wp.abs(v_n) > p.end.rest_speed:
                        out.moving += 1
            j += 1
        if wp.static(passes_over):
            m.memory.room[wp.static(i_body), run] = wp.vec2d(lowest / closing(p.terrain), reach)
            if lowest > wp.float64(0.0):
                m.memory.place[wp.static(i_body), run] = state.position
                m.memory.axes[wp.static(i_body), run] = state.R_SB
        if wp.static(gathers):
            out.sliding = 0
            out.moving = 0
            if tally.load > wp.float64(0.0) and tally.depth > wp.float64(0.0):
                found = gathered(p, state, drive, out, tally)
                out = with_gathered(out, found)
                if found.slip >= wp.float64(0.5):
                    out.sliding = out.loaded
            if wp.length(state.velocity) > p.end.rest_speed:
                out.moving = out.loaded
        return out

    return total

"""An instant contact law summed over the points of one body: in the stages of a step, and between steps."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.fused import plus_crossed, turned_back
from planetfall.contact.model import MODE_APART, ContactMemory
from planetfall.engine.contact.culling import (
    EVERYWHERE,
    TOUCHING,
    counted_gap,
    expected_way,
    nearing,
    points_near,
    room_left,
)
from planetfall.engine.contact.monitors import hit_finder, motion_judge, point_noter
from planetfall.engine.contact.resultant import ContactSum, Tally, gathered_force, point_adder, with_gathered
from planetfall.engine.contact.terrain_query import seen_from_body
from planetfall.engine.state.batch import Monitors, structs
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import BodyState, Drive
from planetfall.world.terrain.model import GROUND_OK, Ground


@lru_cache
def contact_sum(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, state, drive, memory, run) -> ContactSum`, in a stage: nothing is noted."""
    params, is_frozen = assembly.params, assembly.is_frozen
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    law_mode, law_contact = assembly.law_mode, assembly.law_contact
    look_down, ground_of = seen_from_body(assembly)
    gathers, gathered = assembly.law.gather is not None, gathered_force(assembly, i_body)
    lists_points, count_near, add = assembly.lists_points, points_near(assembly, i_body), point_adder(gathers)
    has_edges = assembly.terrain.has_edges

    @wp.func
    def total(p: wp.ref[params], state: BodyState, drive: Drive, memory: ContactMemory, run: int) -> ContactSum:
        out = ContactSum()
        n_near = count_near(memory, run)
        end = int(wp.static(last))
        if wp.static(lists_points):
            if n_near == 0:
                return out
            if n_near > 0:
                end = wp.static(first) + n_near
        tally = Tally()
        below = look_down(p, state)
        velocity_B = turned_back(state.R_SB, state.velocity)
        place = int(wp.static(first))
        while place < end:
            j = int(place)
            if wp.static(lists_points):
                if n_near > 0:
                    j = memory.near[place, run]
            point_B = p.points_B[j]
            ground = Ground()
            velocity = wp.vec3d()
            mode = wp.int32(0)
            if wp.static(is_frozen):
                mode = memory.modes[j, run]
                if mode != MODE_APART:
                    ground = ground_of(p, state, below, j, run)
                    velocity = plus_crossed(velocity_B, state.omega_B, point_B)
                    if wp.static(has_edges):  # beyond the edge of a map nothing is felt, whatever the mode was before
                        mode = wp.where(ground.status == GROUND_OK, mode, MODE_APART)
            else:
                ground = ground_of(p, state, below, j, run)
                if ground.gap < wp.float64(0.0):
                    velocity = plus_crossed(velocity_B, state.omega_B, point_B)
                    mode = law_mode(p.law, wp.static(i_body), ground, velocity)
            if mode != MODE_APART:
                point = law_contact(p.law, wp.static(i_body), mode, ground, velocity)
                add(out, tally, point, point_B)
            place += 1
        if wp.static(gathers):
            if tally.load > wp.float64(0.0) and tally.depth > wp.float64(0.0):
                out = with_gathered(out, gathered(p, state, drive, below, out, tally, run))
        return out

    return total


@lru_cache
def watched_sum(assembly: Assembly, i_body: int, is_answered: bool) -> Any:
    """`@wp.func (t, params, state, drive, monitors, record, run) -> ContactSum`, between steps.

    The modes are brought up to date, touchdowns, lift-offs and peaks noted. Points ask where they stand, unless that
    `is_answered`, by `Monitors.ground`.
    """
    params, (_, record_type) = assembly.params, structs(assembly)
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    law_mode, law_contact = assembly.law_mode, assembly.law_contact
    look_down, ground_of = seen_from_body(assembly)
    gathers, gathered = assembly.law.gather is not None, gathered_force(assembly, i_body)
    keeps_force, note, judge_motion = assembly.has_switches, point_noter(assembly, i_body), motion_judge(assembly)
    culls, counted = assembly.culls, counted_gap(assembly)
    foresees, find_hit = assembly.foresees, hit_finder(assembly)
    passes_over, way_of = assembly.passes_over, expected_way(assembly, i_body)
    reach_of, room_of, add = nearing(assembly), room_left(assembly), point_adder(gathers)

    @wp.func
    def total(
        t: wp.float64, p: wp.ref[params], state: BodyState, drive: Drive, m: Monitors, record: record_type, run: int,
    ) -> ContactSum:  # fmt: skip
        out = ContactSum()
        tally = Tally()
        below = look_down(p, state)
        velocity_B = turned_back(state.R_SB, state.velocity)
        lowest = EVERYWHERE
        n_near = int(0)
        end = int(wp.static(last))
        reach = wp.float64(0.0)
        if wp.static(culls):
            end = wp.static(first) + m.n_asked[run]
        if wp.static(passes_over):
            reach = reach_of(p, state, way_of(p, state))
        place = int(wp.static(first))
        while place < end:
            j = int(place)
            if wp.static(culls):
                j = m.asked[place, run]
            point_B = p.points_B[j]
            before = m.memory.modes[j, run]
            ground = Ground()
            if wp.static(is_answered):
                ground = m.ground[j, run]
            else:
                ground = ground_of(p, state, below, j, run)
            if wp.static(culls):
                m.until[j, run] = m.worn[run] + counted(p, ground.gap)
            out.status = wp.max(out.status, ground.status)
            if wp.static(passes_over):
                if ground.gap > reach:
                    lowest = wp.min(lowest, ground.gap)
                else:
                    m.memory.near[wp.static(first) + n_near, run] = j
                    n_near += 1
            if wp.static(keeps_force):
                m.force[j, run] = wp.float64(0.0)
            if ground.gap < wp.float64(0.0) or before != MODE_APART:
                velocity = plus_crossed(velocity_B, state.omega_B, point_B)
                mode = law_mode(p.law, wp.static(i_body), ground, velocity)
                point = law_contact(p.law, wp.static(i_body), mode, ground, velocity)
                add(out, tally, point, point_B)
                out.elastic += point.elastic
                note(out, t, p, state, m, record, j, run, ground, velocity, before, mode, point)
                if wp.static(culls):
                    if mode != MODE_APART:
                        m.until[j, run] = TOUCHING
                        m.memory.near[wp.static(first) + n_near, run] = j
                        n_near += 1
            elif wp.static(foresees):
                find_hit(out, p, j, ground.gap, ground.normal, plus_crossed(velocity_B, state.omega_B, point_B))
            place += 1
        if wp.static(culls):
            m.memory.n_near[wp.static(i_body), run] = n_near
        if wp.static(passes_over):
            m.memory.n_near[wp.static(i_body), run] = n_near
            m.memory.room[wp.static(i_body), run] = room_of(p, state, lowest)
        if wp.static(gathers):
            slip = wp.float64(0.0)
            if tally.load > wp.float64(0.0) and tally.depth > wp.float64(0.0):
                found = gathered(p, state, drive, below, out, tally, run)
                out = with_gathered(out, found)
                slip = found.slip
                out.load = tally.load
            judge_motion(out, p, state, slip)
        return out

    return total

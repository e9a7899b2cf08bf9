"""An instant contact law summed over the points of one body: in the stages of a step, and between steps."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.fused import plus_crossed, turned_back
from planetfall.contact.model import MODE_APART, ContactMemory
from planetfall.engine.contact.broad_phase import (
    EVERYWHERE,
    TOUCHING,
    clearance_left,
    counted_gap,
    expected_path,
    listed_count,
    listing_gap,
)
from planetfall.engine.contact.dents import renewed_dent
from planetfall.engine.contact.far_bodies import clearance_renewed, leaves_out_bodies
from planetfall.engine.contact.monitors import hit_finder, motion_judge, point_monitor
from planetfall.engine.contact.resultant import ContactSum, PointTally, point_adder, resultant_force, with_resultant
from planetfall.engine.contact.terrain_query import ground_in_body_axes
from planetfall.engine.state.batch import Monitors, structs
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import BodyState
from planetfall.world.terrain.model import GROUND_OK, Ground


@lru_cache
def contact_sum(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, state, applied, memory, run) -> ContactSum`, in a stage: nothing is monitored."""
    applied_type = assembly.plan.applied_forces
    params, is_mode_locked = assembly.params, assembly.is_mode_locked
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    law_mode, law_contact, keeps_dent = assembly.law_mode, assembly.law_contact, assembly.law.keeps_dent
    ground_below, ground_of = ground_in_body_axes(assembly)
    has_resultant, resultant_of = assembly.law.resultant is not None, resultant_force(assembly, i_body)
    lists_points, count_listed, add = (
        assembly.plan.lists_points,
        listed_count(assembly, i_body),
        point_adder(has_resultant, keeps_dent),
    )
    has_edges = assembly.terrain.has_edges

    @wp.func
    def total(
        p: wp.ref[params], state: BodyState, applied: wp.ref[applied_type], memory: ContactMemory, run: int
    ) -> ContactSum:
        out = ContactSum()
        n_listed = count_listed(memory, run)
        end = int(wp.static(last))
        if wp.static(lists_points):
            if n_listed == 0:
                return out
            if n_listed > 0:
                end = wp.static(first) + n_listed
        tally = PointTally()
        below = ground_below(p, state)
        velocity_B = turned_back(state.R_SB, state.velocity)
        place = int(wp.static(first))
        while place < end:
            j = int(place)
            if wp.static(lists_points):
                if n_listed > 0:
                    j = memory.listed[place, run]
            point_B = p.points_B[j]
            ground = Ground()
            velocity = wp.vec3d()
            mode = wp.int32(0)
            if wp.static(is_mode_locked):
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
                    if wp.static(keeps_dent):
                        ground.dent = memory.dent[j, run]
                    mode = law_mode(p.law, wp.static(i_body), ground, velocity)
            if mode != MODE_APART:
                if wp.static(keeps_dent and is_mode_locked):
                    ground.dent = memory.dent[j, run]
                point = law_contact(p.law, wp.static(i_body), mode, ground, velocity)
                add(out, tally, point, point_B)
            place += 1
        if wp.static(has_resultant):
            if tally.load > wp.float64(0.0) and tally.depth > wp.float64(0.0):
                out = with_resultant(out, resultant_of(p, state, applied, below, out, tally, run))
        return out

    return total


@lru_cache
def monitored_sum(assembly: Assembly, i_body: int, is_answered: bool) -> Any:
    """`@wp.func (t, params, state, applied, monitors, record, run) -> ContactSum`, between steps.

    The modes are brought up to date, touchdowns, lift-offs and peaks noted. Points query the ground, unless that
    `is_answered`, by `Monitors.ground`.
    """
    applied_type = assembly.plan.applied_forces
    params, (_, record_type) = assembly.params, structs(assembly)
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    law_mode, law_contact, keeps_dent = assembly.law_mode, assembly.law_contact, assembly.law.keeps_dent
    ground_below, ground_of = ground_in_body_axes(assembly)
    has_resultant, resultant_of = assembly.law.resultant is not None, resultant_force(assembly, i_body)
    keeps_force, note, judge_motion = assembly.has_switches, point_monitor(assembly, i_body), motion_judge(assembly)
    culls, counted = assembly.plan.culls, counted_gap(assembly)
    leaves_out = leaves_out_bodies(assembly)
    is_far: Any = clearance_renewed(assembly, i_body) if leaves_out else None
    foresees, find_hit = assembly.plan.foresees, hit_finder(assembly)
    passes_over, path_of = assembly.plan.passes_over, expected_path(assembly, i_body)
    reach_of, clearance_of, add = (
        listing_gap(assembly),
        clearance_left(assembly),
        point_adder(has_resultant, keeps_dent),
    )

    @wp.func
    def total(
        t: wp.float64, p: wp.ref[params], state: BodyState, applied: wp.ref[applied_type], m: Monitors,
        record: record_type, run: int,
    ) -> ContactSum:  # fmt: skip
        out = ContactSum()
        if wp.static(leaves_out):
            if is_far(p, state, m.memory, run):
                return out
        tally = PointTally()
        below = ground_below(p, state)
        velocity_B = turned_back(state.R_SB, state.velocity)
        lowest = EVERYWHERE
        n_listed = int(0)
        end = int(wp.static(last))
        reach = wp.float64(0.0)
        if wp.static(culls):
            end = wp.static(first) + m.n_queried[run]
        if wp.static(passes_over):
            reach = reach_of(p, state, path_of(p, state))
        place = int(wp.static(first))
        while place < end:
            j = int(place)
            if wp.static(culls):
                j = m.queried[place, run]
            point_B = p.points_B[j]
            before = m.memory.modes[j, run]
            ground = Ground()
            if wp.static(is_answered):
                ground = m.ground[j, run]
            else:
                ground = ground_of(p, state, below, j, run)
            if wp.static(culls):
                m.until[j, run] = m.travel[run] + counted(p, ground.gap)
            out.status = wp.max(out.status, ground.status)
            if wp.static(passes_over):
                if ground.gap > reach:
                    lowest = wp.min(lowest, ground.gap)
                else:
                    m.memory.listed[wp.static(first) + n_listed, run] = j
                    n_listed += 1
            if wp.static(keeps_force):
                m.force[j, run] = wp.float64(0.0)
            if ground.gap < wp.float64(0.0) or before != MODE_APART:
                velocity = plus_crossed(velocity_B, state.omega_B, point_B)
                if wp.static(keeps_dent):
                    ground.dent = renewed_dent(m.memory, j, run, ground.gap)
                mode = law_mode(p.law, wp.static(i_body), ground, velocity)
                point = law_contact(p.law, wp.static(i_body), mode, ground, velocity)
                add(out, tally, point, point_B)
                out.elastic += point.elastic
                note(out, t, p, state, m, record, j, run, ground, velocity, before, mode, point)
                if wp.static(culls):
                    if mode != MODE_APART:
                        m.until[j, run] = TOUCHING
                        m.memory.listed[wp.static(first) + n_listed, run] = j
                        n_listed += 1
            elif wp.static(foresees):
                find_hit(out, p, j, ground.gap, ground.normal, plus_crossed(velocity_B, state.omega_B, point_B))
            place += 1
        if wp.static(culls):
            m.memory.n_listed[wp.static(i_body), run] = n_listed
        if wp.static(passes_over):
            m.memory.n_listed[wp.static(i_body), run] = n_listed
            m.memory.clearance[wp.static(i_body), run] = clearance_of(p, state, lowest)
        if wp.static(has_resultant):
            slip = wp.float64(0.0)
            if tally.load > wp.float64(0.0) and tally.depth > wp.float64(0.0):
                found = resultant_of(p, state, applied, below, out, tally, run)
                out = with_resultant(out, found)
                slip = found.slip
                out.load = tally.load
            judge_motion(out, p, state, slip)
        return out

    return total

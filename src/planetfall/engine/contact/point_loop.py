"""An instant contact law summed over the points of one body: in the stages of a step, and between steps."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.fused import plus_crossed, turned_back
from planetfall.compute.in_place import integer, place_of, strided_integer
from planetfall.contact.model import MODE_APART, ContactMemory, PointContact
from planetfall.engine.contact.broad_phase import (
    EVERYWHERE,
    TOUCHING,
    clearance_left,
    counted_gap,
    expected_path,
    listed_count,
    listing_gap,
)
from planetfall.engine.contact.far_bodies import clearance_renewed
from planetfall.engine.contact.monitors import hit_finder, motion_judge, point_monitor, renewed_dent
from planetfall.engine.contact.point_loop_anchored import anchor_memory_of
from planetfall.engine.contact.resultant import ContactSum, PointTally, point_adder, resultant_adder
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
    has_resultant, add_resultant = assembly.law.resultant is not None, resultant_adder(assembly, i_body)
    lists_points, count_listed, add = (
        assembly.plan.lists_points,
        listed_count(assembly, i_body),
        point_adder(has_resultant, keeps_dent),
    )
    has_edges = assembly.terrain.has_edges

    @wp.func
    def total(
        p: wp.ref[params], state: BodyState, applied: wp.ref[applied_type], memory: wp.ref[ContactMemory], run: int
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
                    j = strided_integer(memory.listed, place, run)
            point_B = place_of(p.points_B, j)
            ground = Ground()
            velocity = wp.vec3d()
            mode = wp.int32(0)
            if wp.static(is_mode_locked):
                mode = integer(memory.modes, j, run)
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
            add_resultant(out, p, state, applied, below, tally, run)
        return out

    return total


@lru_cache
def monitored_point(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (sum, tally, t, params, state, velocity_B, monitors, record, j, run, ground, before, is_monitored)`.

    Adds what the ground does to a point, which was in the mode `before`, and gives the mode that it is in now; where it
    `is_monitored`, notes touchdowns, lift-offs and peaks, and hits to come. `velocity_B` [m/s] is the body's.
    """
    params, (_, record_type) = assembly.params, structs(assembly)
    law_mode, law_contact, keeps_dent = assembly.law_mode, assembly.law_contact, assembly.law.keeps_dent
    add, note = point_adder(assembly.law.resultant is not None, keeps_dent), point_monitor(assembly, i_body)
    predicts_hits, find_hit = assembly.plan.predicts_hits, hit_finder(assembly)

    @wp.func
    def feel(
        out: wp.ref[ContactSum], tally: wp.ref[PointTally], t: wp.float64, p: wp.ref[params], state: wp.ref[BodyState],
        velocity_B: wp.vec3d, m: wp.ref[Monitors], record: wp.ref[record_type], j: int, run: int,
        ground: wp.ref[Ground], before: wp.int32, is_monitored: int,
    ) -> wp.int32:  # fmt: skip
        mode = wp.int32(MODE_APART)
        point_B = place_of(p.points_B, j)
        if ground.gap < wp.float64(0.0) or before != MODE_APART:
            velocity = plus_crossed(velocity_B, state.omega_B, point_B)
            if wp.static(keeps_dent):
                ground.dent = m.memory.dent[j, run]
                if is_monitored == 1:
                    ground.dent = renewed_dent(m.memory, j, run, ground.gap)
            mode = law_mode(p.law, wp.static(i_body), ground, velocity)
            point = law_contact(p.law, wp.static(i_body), mode, ground, velocity)
            add(out, tally, point, point_B)
            if is_monitored == 1:
                out.elastic += point.elastic
                note(out, t, p, state, m, record, j, run, ground, velocity, before, mode, point)
        elif wp.static(predicts_hits):
            if is_monitored == 1:
                find_hit(out, p, j, ground.gap, ground.normal, plus_crossed(velocity_B, state.omega_B, point_B))
        return mode

    return feel


@lru_cache
def contact_in_mode(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, state, memory, ground, velocity, point, run) -> PointContact` in the mode of the memory.

    The velocity [m/s] and what it gives are in body axes.
    """
    params, is_anchored = assembly.params, assembly.law.is_anchored
    law = assembly.law_anchored if is_anchored else assembly.law_contact

    @wp.func
    def contact(
        p: wp.ref[params],
        state: BodyState,
        memory: wp.ref[ContactMemory],
        ground: Ground,
        velocity: wp.vec3d,
        j: int,
        run: int,
    ) -> PointContact:
        if wp.static(is_anchored):
            position = state.position + state.R_SB * p.points_B[j]
            point = law(p.law, wp.static(i_body), anchor_memory_of(memory, j, run), position, state.R_SB * velocity)
            point.force = wp.transpose(state.R_SB) * point.force
            return point
        else:
            return law(p.law, wp.static(i_body), memory.modes[j, run], ground, velocity)

    return contact


@lru_cache
def monitored_sum(assembly: Assembly, i_body: int, is_answered: bool) -> Any:
    """`@wp.func (t, params, state, applied, monitors, record, run) -> ContactSum`, between steps.

    The modes are brought up to date, touchdowns, lift-offs and peaks noted. Points query the ground, unless that
    `is_answered`, by `Monitors.ground`.
    """
    applied_type = assembly.plan.applied_forces
    params, (_, record_type) = assembly.params, structs(assembly)
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    ground_below, ground_of = ground_in_body_axes(assembly)
    has_resultant, add_resultant = assembly.law.resultant is not None, resultant_adder(assembly, i_body)
    keeps_force, feel, judge_motion = assembly.keeps_forces, monitored_point(assembly, i_body), motion_judge(assembly)
    culls, counted = assembly.plan.culls, counted_gap(assembly)
    leaves_out = assembly.plan.leaves_out_bodies
    is_far: Any = clearance_renewed(assembly, i_body) if leaves_out else None
    passes_over, path_of = assembly.plan.passes_over, expected_path(assembly, i_body)
    reach_of, clearance_of = listing_gap(assembly), clearance_left(assembly)

    @wp.func
    def total(
        t: wp.float64, p: wp.ref[params], state: BodyState, applied: wp.ref[applied_type], m: wp.ref[Monitors],
        record: wp.ref[record_type], run: int,
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
                j = strided_integer(m.queried, place, run)
            before = integer(m.memory.modes, j, run)
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
            mode = feel(out, tally, t, p, state, velocity_B, m, record, j, run, ground, before, 1)
            if wp.static(culls):
                if mode != MODE_APART:
                    m.until[j, run] = TOUCHING
                    m.memory.listed[wp.static(first) + n_listed, run] = j
                    n_listed += 1
            place += 1
        if wp.static(culls):
            m.memory.n_listed[wp.static(i_body), run] = n_listed
        if wp.static(passes_over):
            m.memory.n_listed[wp.static(i_body), run] = n_listed
            m.memory.clearance[wp.static(i_body), run] = clearance_of(p, state, lowest)
        if wp.static(has_resultant):
            judge_motion(out, p, state, add_resultant(out, p, state, applied, below, tally, run))
        return out

    return total

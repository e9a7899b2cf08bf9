"""The point loop of an instant law with a fixed step, over terrains with views: one function for stage and evaluation.

An evaluation between steps is a stage in which monitors are written. Two functions would be twice the code, which on a
GPU takes longer to fetch than to execute. For the terrains that `CodePlan.monitors_in_stages` names: all of them have
views, and points far from them are left out.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.fused import turned_back
from planetfall.compute.in_place import entry, integer, put
from planetfall.contact.model import MODE_APART
from planetfall.engine.contact.broad_phase import EVERYWHERE, RENEWAL, clearance_left, expected_path, listing_gap
from planetfall.engine.contact.monitors import motion_judge
from planetfall.engine.contact.point_loop import monitored_point
from planetfall.engine.contact.resultant import ContactSum, PointTally, resultant_adder
from planetfall.engine.contact.terrain_query import kept_view
from planetfall.engine.state.batch import Monitors, structs
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import BodyState


@lru_cache
def contact_sum_with_view(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (t, params, state, applied, monitors, record, run, stage_travel, is_monitored) -> ContactSum`.

    `stage_travel` [m]: how far any point may be from where it was at the last evaluation.
    """
    applied_type = assembly.plan.applied_forces
    params, (_, record_type) = assembly.params, structs(assembly)
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    ground_below, ground_of = kept_view(assembly, i_body)
    has_resultant, add_resultant = (
        assembly.law.resultant is not None,
        resultant_adder(assembly, i_body, assembly.plan.view),
    )
    keeps_force, feel, judge_motion = assembly.keeps_forces, monitored_point(assembly, i_body), motion_judge(assembly)
    begin_list, enlist = list_beginner(assembly, i_body), point_lister(assembly, i_body)
    end_list = list_ender(assembly, i_body)

    @wp.func
    def total(
        t: wp.float64, p: wp.ref[params], state: BodyState, applied: wp.ref[applied_type], m: wp.ref[Monitors],
        record: wp.ref[record_type], run: int, stage_travel: wp.float64, is_monitored: int,
    ) -> ContactSum:  # fmt: skip
        out = ContactSum()
        broad_phase = begin_list(p, state, m, run, stage_travel, is_monitored)
        if broad_phase.n_queried == 0:
            return out
        end = int(wp.static(last))
        if broad_phase.n_queried > 0:
            end = wp.static(first) + broad_phase.n_queried
        tally = PointTally()
        below = ground_below(p, state, m.memory, run, is_monitored)
        velocity_B = turned_back(state.R_SB, state.velocity)
        place = int(wp.static(first))
        while place < end:
            j = int(place)
            if broad_phase.n_queried > 0:
                j = integer(m.memory.listed, place, run)
            ground = ground_of(p, state, below, j, run)
            before = wp.int32(MODE_APART)
            if is_monitored == 1:
                before = integer(m.memory.modes, j, run)
                out.status = wp.max(out.status, ground.status)
                broad_phase = enlist(broad_phase, m, j, run, ground.gap)
                if wp.static(keeps_force):
                    m.force[j, run] = wp.float64(0.0)
            feel(out, tally, t, p, state, velocity_B, m, record, j, run, ground, before, is_monitored)
            place += 1
        if is_monitored == 1:
            end_list(broad_phase, p, state, m, run)
        if wp.static(has_resultant):
            slip = add_resultant(out, p, state, applied, below, tally, run)
            if is_monitored == 1:
                judge_motion(out, p, state, slip)
        return out

    return total


@wp.struct
class BroadPhaseList:
    """The list of points near the ground as it is used or made.

    `n_queried` points are queried, or -1 for all. In an evaluation: `path` [m] that the coming step is expected to take
    at most; `reach` [m]: gap up to which points are listed; of a new list, `n_listed` points so far and the `lowest`
    gap [m] of the others; of an old one, `n_left`: points that may leave it.
    """

    n_queried: wp.int32
    path: wp.float64
    reach: wp.float64
    n_listed: wp.int32
    lowest: wp.float64
    n_left: wp.int32


@lru_cache
def list_beginner(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, state, monitors, run, stage_travel, is_monitored) -> BroadPhaseList`.

    Which points are to be queried.
    """
    params, path_of, reach_of = assembly.params, expected_path(assembly, i_body), listing_gap(assembly)

    @wp.func
    def begin(
        p: wp.ref[params], state: BodyState, m: wp.ref[Monitors], run: int, stage_travel: wp.float64, is_monitored: int
    ) -> BroadPhaseList:
        out = BroadPhaseList()
        out.n_queried = -1
        out.lowest = EVERYWHERE
        needed = stage_travel
        if is_monitored == 1:
            out.path = path_of(p, state)
            out.reach = reach_of(p, state, out.path)
            needed = out.path
        if entry(m.memory.clearance, wp.static(i_body), run) > needed:
            out.n_queried = integer(m.memory.n_listed, wp.static(i_body), run)
        return out

    return begin


@lru_cache
def point_lister(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (broad_phase, monitors, point, run, gap) -> broad_phase`, for each point that an evaluation queries."""
    first = assembly.point_starts[i_body]

    @wp.func
    def enlist(broad_phase: BroadPhaseList, m: wp.ref[Monitors], j: int, run: int, gap: wp.float64) -> BroadPhaseList:
        out = broad_phase
        if broad_phase.n_queried < 0:
            if gap > broad_phase.reach:
                out.lowest = wp.min(broad_phase.lowest, gap)
            else:
                put(m.memory.listed, wp.static(first) + broad_phase.n_listed, run, j)
                out.n_listed += 1
        elif gap > RENEWAL * broad_phase.reach:
            out.n_left += 1
        return out

    return enlist


@lru_cache
def list_ender(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (broad_phase, params, state, monitors, run)`: keeps a new list, or marks an old one for renewal."""
    params, clearance_of = assembly.params, clearance_left(assembly)

    @wp.func
    def end(broad_phase: BroadPhaseList, p: wp.ref[params], state: BodyState, m: wp.ref[Monitors], run: int):
        if broad_phase.n_queried < 0:
            m.memory.n_listed[wp.static(i_body), run] = broad_phase.n_listed
            m.memory.clearance[wp.static(i_body), run] = clearance_of(p, state, broad_phase.lowest)
        elif broad_phase.n_left > 0:
            m.memory.clearance[wp.static(i_body), run] = broad_phase.path  # enough for this step; then a new list

    return end

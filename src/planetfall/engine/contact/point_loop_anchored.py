"""An anchored contact law summed over the points of one body: in the stages of a step, and between steps.

In a stage only the memory is read, the terrain is not queried: a point feels the plane that it had when the step began.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.in_place import raise_to
from planetfall.contact.model import (
    CONTACT_LOST,
    CONTACT_NONE,
    CONTACT_STATIC,
    AnchorGround,
    AnchorMemory,
    ContactMemory,
    PointContact,
)
from planetfall.engine.contact.anchored_ground import anchored_ground_finder, loss_finder
from planetfall.engine.contact.monitors import hit_finder, note_hit, touchdown_monitor
from planetfall.engine.contact.resultant import ContactSum
from planetfall.engine.contact.terrain_query import point_ground
from planetfall.engine.state.batch import EVENT_LIFT_OFF, Monitors, structs
from planetfall.engine.state.recorder import recorder
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import BodyState
from planetfall.world.terrain.model import Ground


@wp.func
def anchor_memory_of(memory: wp.ref[ContactMemory], j: int, run: int) -> AnchorMemory:
    """The memory of one point of one run."""
    out = AnchorMemory()
    out.mode = memory.modes[j, run]
    out.anchor = memory.anchor[j, run]
    out.normal = memory.normal[j, run]
    out.facet = memory.facet[j, run]
    return out


@wp.func
def keep(memory: wp.ref[ContactMemory], j: int, run: int, saved: AnchorMemory):
    """Writes it back."""
    memory.modes[j, run] = saved.mode
    memory.anchor[j, run] = saved.anchor
    memory.normal[j, run] = saved.normal
    memory.facet[j, run] = saved.facet


@wp.func
def add_anchored(out: wp.ref[ContactSum], state: wp.ref[BodyState], point: wp.ref[PointContact], point_B: wp.vec3d):
    """Adds what the ground does to one more point, whose force is in the surface frame."""
    force_B = wp.transpose(state.R_SB) * point.force
    out.force += force_B
    out.torque += wp.cross(point_B, force_B)
    out.damper_power += point.damper_power
    out.friction_power += point.friction_power
    out.memory_power += point.memory_power


@lru_cache
def anchored_sum(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, state, applied, memory, run) -> ContactSum`, in a stage: nothing is monitored."""
    applied_type = assembly.plan.applied_forces
    params, law_anchored = assembly.params, assembly.law_anchored
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]

    @wp.func
    def total(
        p: wp.ref[params], state: BodyState, applied: wp.ref[applied_type], memory: wp.ref[ContactMemory], run: int
    ) -> ContactSum:
        out = ContactSum()
        j = int(wp.static(first))
        while j < wp.static(last):
            if memory.modes[j, run] != CONTACT_NONE:
                point_B = p.points_B[j]
                position = state.position + state.R_SB * point_B
                velocity = state.velocity + state.R_SB * wp.cross(state.omega_B, point_B)
                point = law_anchored(p.law, wp.static(i_body), anchor_memory_of(memory, j, run), position, velocity)
                add_anchored(out, state, point, point_B)
            j += 1
        return out

    return total


@lru_cache
def renewed_anchor_sum(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (t, params, state, applied, monitors, record, run) -> ContactSum`, between steps.

    The memory is renewed, and touchdowns, lift-offs and peaks are noted.
    """
    applied_type = assembly.plan.applied_forces
    params, reported, ground_at, is_sighted = (
        assembly.params,
        assembly.law.reported,
        point_ground(assembly),
        assembly.law.is_sighted,
    )
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    law_anchored, law_renew = assembly.law_anchored, assembly.law_renew
    find_ground, is_lost = anchored_ground_finder(assembly), loss_finder(assembly, i_body)
    _, record_type = structs(assembly)
    write = recorder(assembly)
    note_peak, note_event, note_touch = write.peak, write.event, touchdown_monitor(assembly)
    keeps_force, may_crash = assembly.keeps_forces, assembly.may_crash
    predicts_hits, find_hit = assembly.plan.predicts_hits, hit_finder(assembly)

    @wp.func
    def status_of(
        p: wp.ref[params], state: BodyState, m: wp.ref[Monitors], ground: Ground, found: AnchorGround, j: int, run: int
    ) -> wp.int32:
        """The terrain's status, or that a point in the ground is lost to its lines of sight."""
        if wp.static(is_sighted):
            if found.is_touching == 0 and ground.gap < wp.float64(0.0):
                if is_lost(p, state, m.memory.modes, j, run) == 1:
                    return CONTACT_LOST
        return ground.status

    @wp.func
    def note_change(
        t: wp.float64, was: int, now: int, depth: wp.float64, v_n: wp.float64, p: wp.ref[params], state: BodyState,
        m: wp.ref[Monitors], record: wp.ref[record_type], j: int, run: int,
    ):  # fmt: skip
        if was == CONTACT_NONE and now != CONTACT_NONE:
            note_touch(t, -depth, v_n, p, state, m, record, j, run)
        if was != CONTACT_NONE and now == CONTACT_NONE:
            note_event(record, run, t, EVENT_LIFT_OFF, j, v_n, state.position)

    @wp.func
    def total(
        t: wp.float64, p: wp.ref[params], state: BodyState, applied: wp.ref[applied_type], m: wp.ref[Monitors],
        record: wp.ref[record_type], run: int,
    ) -> ContactSum:  # fmt: skip
        out = ContactSum()
        j = int(wp.static(first))
        while j < wp.static(last):
            point_B = p.points_B[j]
            position = state.position + state.R_SB * point_B
            ground = ground_at(p, state, position, j, run)
            saved = anchor_memory_of(m.memory, j, run)
            found = find_ground(p, state, position, ground, j)
            out.status = wp.max(out.status, status_of(p, state, m, ground, found, j, run))
            if wp.static(keeps_force):
                m.force[j, run] = wp.float64(0.0)
            if found.is_touching == 1 or saved.mode != CONTACT_NONE:
                velocity = state.velocity + state.R_SB * wp.cross(state.omega_B, point_B)
                after = law_renew(p.law, wp.static(i_body), saved, found, position, velocity)
                keep(m.memory, j, run, after)
                out.booked += after.booked
                depth = wp.dot(after.anchor - position, after.normal)
                v_n = wp.dot(velocity, ground.normal)
                kind = reported(after.mode)
                note_change(t, reported(saved.mode), kind, depth, v_n, p, state, m, record, j, run)
                if wp.static(may_crash):
                    if reported(saved.mode) == CONTACT_NONE and kind != CONTACT_NONE:
                        note_hit(out, j, wp.length(velocity))
                point = law_anchored(p.law, wp.static(i_body), after, position, velocity)
                out.elastic += point.elastic
                if wp.static(keeps_force):
                    m.force[j, run] = point.normal_force
                add_anchored(out, state, point, point_B)
                if kind != CONTACT_NONE:
                    if out.hit <= p.end.crash_speed:  # what the law says of a crash is no measure of it
                        m.peak[j, run] = wp.max(m.peak[j, run], point.normal_force)
                        raise_to(m.penetration, wp.static(i_body), run, depth)
                        note_peak(record, j, run, t, point.normal_force)
                    out.loaded += 1
                    if kind != CONTACT_STATIC:
                        out.sliding += 1
                    if kind != CONTACT_STATIC or wp.length(velocity) > p.end.rest_speed:
                        out.moving += 1
            elif wp.static(predicts_hits):
                velocity = state.velocity + state.R_SB * wp.cross(state.omega_B, point_B)
                find_hit(out, p, j, ground.gap, ground.normal, velocity)
            j += 1
        return out

    return total

"""Peaks of normal force and depth inside an adaptive step, whose contact modes are locked."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.fused import plus_crossed, turned_back
from planetfall.contact.model import MODE_APART
from planetfall.engine.body.mass_properties import inner_state
from planetfall.engine.contact.monitors import peak_monitor
from planetfall.engine.contact.point_loop import contact_in_mode
from planetfall.engine.contact.terrain_query import ground_in_body_axes
from planetfall.engine.motion.anchors import anchors_read
from planetfall.engine.state.batch import Monitors, structs
from planetfall.engine.state.recorder import recorder
from planetfall.engine.structure.assembly import Assembly
from planetfall.world.terrain.model import GROUND_OK


@lru_cache
def peaks_inside(assembly: Assembly) -> Any:
    """`@wp.func (t, y, params, monitors, record, run)`: notes the peaks at an instant inside a step."""
    params, vector, record_type = assembly.params, assembly.layout.vector, structs(assembly)[1]
    note_bodies, keep_frames = _peaks_of_bodies(assembly, 0), recorder(assembly).peak_frames
    has_anchors, read_anchors = assembly.has_moving_anchors, anchors_read(assembly)

    @wp.func
    def note_peaks(
        t: wp.float64, y: wp.ref[vector], p: wp.ref[params], m: wp.ref[Monitors], record: wp.ref[record_type], run: int
    ):
        if wp.static(has_anchors):
            read_anchors(y, m.memory, run)
        note_bodies(t, y, p, m, record, run)
        keep_frames(record, m, run, t, y)

    return note_peaks


@lru_cache
def _peaks_of_bodies(assembly: Assembly, i_body: int) -> Any:
    """The peaks of this body and those after it, chained as in `motion.equations`."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    contact_of, inner = contact_in_mode(assembly, i_body), inner_state(assembly, i_body)
    (ground_below, ground_of), note_peak = ground_in_body_axes(assembly), peak_monitor(assembly, i_body)
    keeps_dent, record_type = assembly.law.keeps_dent, structs(assembly)[1]
    culls, keeps_force, is_last = assembly.plan.culls, assembly.keeps_forces, i_body + 1 == assembly.n_bodies
    rest: Any = None if is_last else _peaks_of_bodies(assembly, i_body + 1)

    @wp.func(inline=assembly.plan.inlining_of_parts)
    def note(
        t: wp.float64, y: wp.ref[vector], p: wp.ref[params], m: wp.ref[Monitors], record: wp.ref[record_type], run: int
    ):
        state = inner(p, y, wp.static(i_body), body_state(y, wp.static(i_body)))
        below = ground_below(p, state)
        velocity_B = turned_back(state.R_SB, state.velocity)
        place = int(wp.static(first))
        end = int(wp.static(last))
        if wp.static(culls):
            end = wp.static(first) + m.memory.n_listed[wp.static(i_body), run]
        while place < end:
            j = int(place)
            if wp.static(culls):
                j = m.memory.listed[place, run]
            if wp.static(keeps_force):
                m.force[j, run] = wp.float64(0.0)
            mode = m.memory.modes[j, run]
            if mode != MODE_APART:
                ground = ground_of(p, state, below, j, run)
                velocity = plus_crossed(velocity_B, state.omega_B, p.points_B[j])
                if ground.status == GROUND_OK:
                    if wp.static(keeps_dent):
                        ground.dent = m.memory.dent[j, run]
                    point = contact_of(p, state, m.memory, ground, velocity, j, run)
                    note_peak(t, m, record, j, run, ground, mode, point)
            place += 1
        if wp.static(not is_last):
            rest(t, y, p, m, record, run)

    return note

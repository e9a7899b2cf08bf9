"""How the saved places of an anchored law move, where they are numbers of the state (`contact.anchor_located`)."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.in_place import number
from planetfall.contact.model import CONTACT_NONE, ContactMemory
from planetfall.engine.contact.point_loop_anchored import anchor_memory_of
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.engine.structure.work_accounts import WORK_ANCHOR
from planetfall.vehicle.body import BodyState


@lru_cache
def anchors_read(assembly: Assembly) -> Any:
    """`@wp.func (y, memory, run)`: puts the saved places of a state where the law looks for them."""
    vector, first, n_points = assembly.layout.vector, assembly.anchor_offset, assembly.n_points

    @wp.func
    def read(y: wp.ref[vector], memory: wp.ref[ContactMemory], run: int):
        j = int(0)
        while j < wp.static(n_points):
            o = wp.static(first) + 3 * j
            memory.anchor[j, run] = wp.vec3d(number(y[o]), number(y[o + 1]), number(y[o + 2]))
            j += 1

    return read


@lru_cache
def anchors_kept(assembly: Assembly) -> Any:
    """`@wp.func (y, memory, run)`: takes saved places that an evaluation has changed into the state."""
    vector, first, n_points = assembly.layout.vector, assembly.anchor_offset, assembly.n_points

    @wp.func
    def keep(y: wp.ref[vector], memory: wp.ref[ContactMemory], run: int):
        j = int(0)
        while j < wp.static(n_points):
            anchor = memory.anchor[j, run]
            o = wp.static(first) + 3 * j
            for i in range(3):
                y[o + i] = anchor[i]
            j += 1

    return keep


@lru_cache
def point_acceleration(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (dy, state, point_B) -> acceleration [m/s^2]` of a contact point by its body's rates, surface frame."""
    vector, o = assembly.layout.vector, BODY_SIZE * i_body

    @wp.func
    def acceleration(dy: wp.ref[vector], state: BodyState, point_B: wp.vec3d) -> wp.vec3d:
        of_body = wp.vec3d(dy[wp.static(o + 3)], dy[wp.static(o + 4)], dy[wp.static(o + 5)])
        turning = wp.vec3d(dy[wp.static(o + 10)], dy[wp.static(o + 11)], dy[wp.static(o + 12)])
        w = state.omega_B
        return of_body + state.R_SB * (wp.cross(turning, point_B) + wp.cross(w, wp.cross(w, point_B)))

    return acceleration


@lru_cache
def anchors_followed(assembly: Assembly, is_settled: bool, i_body: int = 0) -> Any:
    """`@wp.func (dy, y, params, memory, run)`: rates of the saved places of this body and those after it.

    Where it `is_settled`, between steps, each leash is found taut or not first. What following takes from the springs
    is booked.
    """
    if not assembly.has_moving_anchors:
        return None
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    is_last, start = i_body + 1 == assembly.n_bodies, assembly.anchor_offset
    rest: Any = None if is_last else anchors_followed(assembly, is_settled, i_body + 1)
    follow_law, settle_law = assembly.law_located.follow, assembly.law_located.settle
    acceleration_of, booking = point_acceleration(assembly, i_body), assembly.layout.work_index(WORK_ANCHOR)

    @wp.func
    def follow(dy: wp.ref[vector], y: wp.ref[vector], p: wp.ref[params], memory: wp.ref[ContactMemory], run: int):
        state = body_state(y, wp.static(i_body))
        j = int(wp.static(first))
        while j < wp.static(last):
            if memory.modes[j, run] != CONTACT_NONE:
                point_B = p.points_B[j]
                position = state.position + state.R_SB * point_B
                velocity = state.velocity + state.R_SB * wp.cross(state.omega_B, point_B)
                acceleration = acceleration_of(dy, state, point_B)
                saved = anchor_memory_of(memory, j, run)
                if wp.static(is_settled):
                    saved.mode = settle_law(p.law, wp.static(i_body), saved, position, velocity, acceleration)
                    memory.modes[j, run] = saved.mode
                moved = follow_law(p.law, wp.static(i_body), saved, position, velocity, acceleration)
                for i in range(3):
                    dy[wp.static(start) + 3 * j + i] = moved.velocity[i]
                if wp.static(booking >= 0):
                    dy[booking] += moved.power
            j += 1
        if wp.static(not is_last):
            rest(dy, y, p, memory, run)

    return follow

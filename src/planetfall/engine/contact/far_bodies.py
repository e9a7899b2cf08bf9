"""Bodies high over the ground: which of them an adaptive step leaves out of contact, all points at once.

A flight of several bodies from an entry interface to the ground has them kilometres high for nearly all of its steps. A
body is queried at its reference point; as no gap shrinks by more than the terrain's `closing` per metre of path, all of
its points are apart until it has come as far as what is left. What is left out would have been found apart, so that no
bit changes. Which kernels do so, `CodePlan.leaves_out_bodies` says.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.contact.model import ContactMemory
from planetfall.engine.contact.terrain_query import ground_query
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.vehicle.body import BodyState
from planetfall.world.terrain.model import GROUND_OK

SPARE = wp.constant(wp.float64(1.0))
"""Metres that a body keeps from the ground beside its size: what has just lifted off is still looked at."""
TWICE = wp.constant(wp.float64(2.0))
"""Of the larger of the speeds at the ends of a step: with its length, no path in between is longer."""


@lru_cache
def clearance_renewed(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, state, memory, run) -> whether all points are apart`, by an evaluation between steps.

    Queries the ground where the path that the body had left is used up.
    """
    params, query, closing = assembly.params, ground_query(assembly), assembly.terrain.closing

    @wp.func
    def is_far(p: wp.ref[params], state: BodyState, memory: wp.ref[ContactMemory], run: int) -> bool:
        left = memory.clearance[wp.static(i_body), run]
        if left <= wp.float64(0.0):
            below = query(p, state.position, -1, -1)
            if below.status == GROUND_OK:
                left = below.gap / closing(p.terrain) - p.extents[wp.static(i_body)] - SPARE
            memory.clearance[wp.static(i_body), run] = left
        return left > wp.float64(0.0)

    return is_far


@lru_cache
def far_in_step(i_body: int) -> Any:
    """`@wp.func (state, h, memory, run) -> bool`: whether all points stay apart in a step of h [s] to a state."""

    @wp.func
    def is_far(state: BodyState, h: wp.float64, memory: wp.ref[ContactMemory], run: int) -> bool:
        return memory.clearance[wp.static(i_body), run] > TWICE * wp.length(state.velocity) * h + SPARE

    return is_far


@lru_cache
def path_used_up(assembly: Assembly) -> Any:
    """`@wp.func (y, y_next, h, memory, run)`: takes the path of a step of h [s] off what bodies had left."""
    vector, n_bodies = assembly.layout.vector, assembly.n_bodies

    @wp.func
    def use(y: wp.ref[vector], y_next: wp.ref[vector], h: wp.float64, memory: wp.ref[ContactMemory], run: int):
        for b in range(wp.static(n_bodies)):
            o = b * BODY_SIZE + 3
            before = wp.vec3d(y[o], y[o + 1], y[o + 2])
            after = wp.vec3d(y_next[o], y_next[o + 1], y_next[o + 2])
            speed = wp.max(wp.length(before), wp.length(after))
            memory.clearance[b, run] = memory.clearance[b, run] - TWICE * speed * h

    return use

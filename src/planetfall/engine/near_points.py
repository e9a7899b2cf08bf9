"""Which contact points can touch the ground in a trial step: the others are left out of the search for switches.

A terrain that knows how steep it is gives the bound: a point stays apart that is farther from the ground than it goes
in the step, times the steepness. How far it goes is judged by four places of the step.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.contact.model import MODE_APART
from planetfall.engine.assembly import Assembly
from planetfall.engine.batch import structs
from planetfall.engine.dopri5 import hermite, trial_struct
from planetfall.vehicle.body import BodyState

N_PLACES = 4
"""With the step's start one more than it takes to know a cubic."""
STRAY = wp.constant(wp.float64(1.5))
"""Times farther than at the places a point may be between them: 1.24 for a cubic, and some for its turning."""


@wp.func
def way_of(start: BodyState, there: BodyState, point_B: wp.vec3d) -> wp.float64:
    """How far [m] a point is moved from one state of its body to another."""
    return wp.length(there.position - start.position + (there.R_SB - start.R_SB) * point_B)


@lru_cache
def near_lister(assembly: Assembly) -> Any:
    """`@wp.func (h, y, k1, trial, params, batch, run)`: lists the points that are near, notes how far any goes.

    Those that touch come first. Runs whose points are taken one after the other by list have the same work at the same
    time, as a GPU wants it; by number, each would wait while others ask for theirs.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    batch_type, trial_type = structs(assembly)[0], trial_struct(vector)
    at, steepness, culls, n_points = hermite(vector), assembly.terrain.steepness, assembly.culls, assembly.n_points

    @wp.func
    def is_near(clearance: wp.float64, way: wp.float64, steep: wp.vec2d) -> wp.int32:
        if STRAY * way < steep[1] and clearance > STRAY * way * steep[0]:
            return 0
        return 1

    @wp.func
    def state_at(i: int, h: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], trial: wp.ref[trial_type]) -> BodyState:
        there = at(wp.float64(i) / wp.float64(wp.static(N_PLACES)), h, y, k1, trial.y, trial.slope)
        return body_state(there, 0)

    @wp.func
    def farthest(
        start: BodyState, h: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], trial: wp.ref[trial_type],
        p: wp.ref[params],
    ) -> wp.float64:  # fmt: skip
        """How far any point of the body goes, at most [m]."""
        way = wp.float64(0.0)
        i = int(1)
        while i <= wp.static(N_PLACES):
            there = state_at(i, h, y, k1, trial)
            turn = there.R_SB - start.R_SB
            swing = p.step.length * wp.sqrt(wp.ddot(turn, turn))
            way = wp.max(way, wp.length(there.position - start.position) + swing)
            i += 1
        return way

    @wp.func
    def list_near(
        h: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], trial: wp.ref[trial_type], p: wp.ref[params],
        batch: batch_type, run: int,
    ):  # fmt: skip
        if wp.static(culls):
            m = batch.monitors
            steep = steepness(p.terrain)
            start = body_state(y, 0)
            shift = farthest(start, h, y, k1, trial, p)
            m.shift[run] = shift
            n_loaded = m.memory.n_near[0, run]
            n_near = int(0)
            while n_near < n_loaded:
                batch.near[n_near, run] = m.memory.near[n_near, run]
                n_near += 1
            j = int(0)
            while j < wp.static(n_points):
                if m.memory.modes[j, run] == MODE_APART:
                    if is_near(m.clearance[j, run], shift, steep) == 1:
                        batch.near[n_near, run] = j
                        batch.gap_rate[j, run] = wp.float64(0.0)  # for now, how far the point itself goes
                        n_near += 1
                j += 1
            i = int(1)
            while i <= wp.static(N_PLACES) and n_near > n_loaded:
                there = state_at(i, h, y, k1, trial)
                end = wp.int32(n_near)
                if i == wp.static(N_PLACES):
                    n_near = n_loaded
                place = wp.int32(n_loaded)
                while place < end:
                    k = batch.near[place, run]
                    way = wp.max(batch.gap_rate[k, run], way_of(start, there, p.points_B[k]))
                    batch.gap_rate[k, run] = way
                    if i == wp.static(N_PLACES):
                        if is_near(m.clearance[k, run], way, steep) == 1:
                            batch.near[n_near, run] = k
                            n_near += 1
                    place += 1
                i += 1
            batch.n_near[run] = n_near

    return list_near

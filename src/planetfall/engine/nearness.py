"""Which contact points can touch the ground at all in a step, so that the others need not ask where it is.

A terrain that knows how fast its gap can change with place gives a bound: a point that is `clearance` away and moves by
less than that, over the steepness, stays apart. Points left out would have been found apart: with and without, a run
differs by less than the closeness to which its switches are located.

With a fixed step a look asks for the ground of every point; the stages after it pass over a body none of whose points
can have come down to the ground since (`is_clear`). What is passed over is found apart, so that not a bit changes.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.contact.model import MODE_APART, ContactMemory
from planetfall.engine.assembly import Assembly
from planetfall.engine.batch import Monitors
from planetfall.vehicle.body import BodyState

MARGIN = wp.constant(wp.float64(4.0))
"""Times farther than a step's samples are from its start: between them the cubic strays less than twice as far."""
RENEWAL = wp.constant(wp.float64(8.0))
"""A clearance is measured anew when it has worn down to this many strides like the last one (assumed)."""
EVERYWHERE = wp.constant(wp.float64(1.0e30))


@wp.func
def is_clear(memory: ContactMemory, i_body: int, run: int, state: BodyState) -> bool:
    """Whether no point of a body can touch the ground, by what the last look found and how far it is from there."""
    room = memory.room[i_body, run]
    if room[0] <= wp.float64(0.0):
        return False
    turn = state.R_SB - memory.axes[i_body, run]
    shift = wp.length(state.position - memory.place[i_body, run]) + room[1] * wp.sqrt(wp.ddot(turn, turn))
    return shift < room[0]


@lru_cache
def shift_between(assembly: Assembly) -> Any:
    """`@wp.func (params, state, other) -> how far any point of the body is moved, at most [m]`."""
    params = assembly.params

    @wp.func
    def shift(p: params, state: BodyState, other: BodyState) -> wp.float64:
        turn = other.R_SB - state.R_SB
        return wp.length(other.position - state.position) + p.step.length * wp.sqrt(wp.ddot(turn, turn))

    return shift


@lru_cache
def reach_of(assembly: Assembly) -> Any:
    """`@wp.func (params, shift [m]) -> clearance [m] beyond which a point stays apart in a step of this shift`."""
    params, steepness, culls = assembly.params, assembly.terrain.steepness, assembly.culls

    @wp.func
    def reach(p: params, shift: wp.float64) -> wp.float64:
        out = EVERYWHERE
        if wp.static(culls):
            steep = steepness(p.terrain)
            if MARGIN * shift < steep[1]:
                out = MARGIN * shift * steep[0]
        return out

    return reach


@lru_cache
def must_look(assembly: Assembly) -> Any:
    """`@wp.func (params, monitors, point, run, mode, is_step_end) -> 1 if the point must ask for its ground`.

    Inside an adaptive step a point that is apart stays apart: where it touches, the step ends. At its end, the
    clearance is worn down by the way that the points have gone.
    """
    params, is_frozen, culls, steepness = (
        assembly.params,
        assembly.is_frozen,
        assembly.culls,
        assembly.terrain.steepness,
    )

    @wp.func
    def look(p: params, m: Monitors, point: int, run: int, mode: wp.int32, is_step_end: int) -> wp.int32:
        if wp.static(is_frozen):
            if mode == MODE_APART:
                if is_step_end == 0:
                    return 0
                if wp.static(culls):
                    steep = steepness(p.terrain)
                    stride = m.shift[run] * steep[0]
                    left = m.clearance[point, run] - stride
                    if left > RENEWAL * stride and m.shift[run] < steep[1]:
                        m.clearance[point, run] = left
                        return 0
        return 1

    return look

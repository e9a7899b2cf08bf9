"""Where a descent ends, at `outcome.stop_altitude`: an event of an adaptive step; a fixed one is taken anew.

The height of the first body is a smooth function of how long the step is, known at both of its ends; false position
with the Illinois rule (DowellJarratt1971) finds the length at which it is the one asked for. Each trial is a whole step
of the method, so that the end is as accurate as any other step.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.contact.model import ContactMemory
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.mechanism import LocatedEvent
from planetfall.world.planet import altitude

REACHED = wp.constant(wp.float64(1.0e-6))
"""How close to the height a step has to end [m]."""
N_TRIALS = 60
"""Of one search; it takes five or so."""


@lru_cache
def height_left(assembly: Assembly) -> Any:
    """`@wp.func (y, params) -> height [m]` of the first body over `outcome.stop_altitude`."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body

    @wp.func
    def left(y: wp.ref[vector], p: wp.ref[params]) -> wp.float64:
        return altitude(p.end.planet, body_state(y, 0).position).altitude - p.end.stop_altitude

    return left


@lru_cache
def descent_event(assembly: Assembly) -> LocatedEvent:
    """The end of a descent: a step ends there; that the run does, too, is for `solver.termination` to say."""
    params, vector, left = assembly.params, assembly.layout.vector, height_left(assembly)

    @wp.func(inline=False)
    def margin(i: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]) -> wp.float64:
        return left(y, p)

    @wp.func
    def pass_on(i: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]):
        return

    return LocatedEvent("end of the descent", 1, margin, pass_on)


@lru_cache
def step_to_altitude(assembly: Assembly, take_step: Any) -> Any:
    """`@wp.func (t, h, y, slope, params, memory, run) -> length [s]` of the step by which y is taken on, h at most.

    `take_step` has the same arguments and no result: it takes y on by h, and uses up the slope at its start.
    """
    params, vector, height_over = assembly.params, assembly.layout.vector, height_left(assembly)

    @wp.func
    def step(
        t: wp.float64, h: wp.float64, y: wp.ref[vector], slope: wp.ref[vector], p: wp.ref[params],
        memory: wp.ref[ContactMemory], run: int,
    ) -> wp.float64:  # fmt: skip
        y_start = y
        slope_start = slope
        above = height_over(y, p)
        take_step(t, h, y, slope, p, memory, run)
        length = wp.float64(h)
        found = height_over(y, p)
        if above > wp.float64(0.0) and found < -REACHED:
            short = wp.float64(0.0)
            long = wp.float64(h)
            below = wp.float64(found)
            half = wp.float64(0.5)
            moved = int(0)
            trial = int(0)
            while trial < wp.static(N_TRIALS) and wp.abs(found) > half * REACHED:
                length = (short * below - long * above) / (below - above)
                y = y_start
                slope = slope_start
                take_step(t, length, y, slope, p, memory, run)
                found = height_over(y, p)
                if found > wp.float64(0.0):
                    short = length
                    above = found
                    if moved == 1:
                        below = below * half
                    moved = 1
                else:
                    long = length
                    below = found
                    if moved == -1:
                        above = above * half
                    moved = -1
                trial += 1
        return length

    return step

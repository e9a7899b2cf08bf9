"""Where a descent ends: a fixed step that passes `outcome.stop_altitude` is taken anew, to end on it.

The height of the first body is a smooth function of how long the step is, known at both of its ends; false position
with the Illinois rule (DowellJarratt1971) finds the length at which it is the one asked for. Each trial is a whole step
of the method, so that the end is as accurate as any other step.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.contact.model import ContactMemory
from planetfall.engine.solver.events.descent import REACHED, height_left
from planetfall.engine.structure.assembly import Assembly

N_TRIALS = 60
"""Of one search; it takes five or so."""


@lru_cache
def step_to_altitude(assembly: Assembly, take_step: Any) -> Any:
    """`@wp.func (t, h, y, slope, params, memory, run) -> length [s]` of the step by which y is taken on, h at most.

    `take_step` has the same arguments and no result: it takes y on by h, and uses up the slope at its start.
    """
    params, vector, height_over = assembly.params, assembly.layout.vector, height_left(assembly)

    @wp.func
    def step(
        t: wp.float64, h: wp.float64, y: wp.ref[vector], slope: wp.ref[vector], p: wp.ref[params],
        memory: ContactMemory, run: int,
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

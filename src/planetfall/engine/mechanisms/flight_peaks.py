"""The largest g load, heating and dynamic pressure of a flight, located between steps, in every run.

At the start of each step the three are sampled. Where the sample before was larger than its neighbours, the peak is
that of the parabola through the three; its error is of third order in the step over the time in which the load
changes.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.structure.mechanism import StateSlot

PEAK_NAMES = ("g_load", "heating", "dynamic_pressure")
"""What is kept, in order."""
N_KEPT = len(PEAK_NAMES)
PEAK_VALUE, PEAK_TIME, LAST, BEFORE_LAST = 0, N_KEPT, 2 * N_KEPT, 3 * N_KEPT
TIME_LAST, TIME_BEFORE_LAST = 4 * N_KEPT, 4 * N_KEPT + 1
N_PEAK_STATES = 4 * N_KEPT + 2
"""Numbers in the state, all -1 at the start: peaks, their times [s], the last two samples, and their times [s]."""


@wp.func
def parabola_top(t: wp.vec3d, f: wp.vec3d) -> wp.vec2d:
    """Time and value of the top of the parabola through three samples, the middle one the largest."""
    before = (f[1] - f[0]) / (t[1] - t[0])
    after = (f[2] - f[1]) / (t[2] - t[1])
    bend = (after - before) / (t[2] - t[0])
    out = wp.vec2d(t[1], f[1])
    if bend < wp.float64(0.0):
        top = wp.float64(0.5) * (t[0] + t[1] - before / bend)
        out = wp.vec2d(top, f[0] + (top - t[0]) * (before + bend * (top - t[1])))
    return out


@lru_cache
def peaks_keeper(slot: StateSlot) -> Any:
    """`@wp.func (y, t, samples)`: keeps account of the peaks in the state, once for each instant."""
    vector, o = slot.vector, slot.offset

    @wp.func
    def keep(y: wp.ref[vector], t: wp.float64, samples: wp.vec3d):
        t_last = y[wp.static(o + TIME_LAST)]
        t_before = y[wp.static(o + TIME_BEFORE_LAST)]
        if t > t_last:
            for i in range(wp.static(N_KEPT)):
                last = y[wp.static(o + LAST) + i]
                before = y[wp.static(o + BEFORE_LAST) + i]
                best = wp.vec2d(t, samples[i])
                if t_before >= wp.float64(0.0) and last > before and last >= samples[i]:
                    best = parabola_top(wp.vec3d(t_before, t_last, t), wp.vec3d(before, last, samples[i]))
                if best[1] > y[wp.static(o + PEAK_VALUE) + i]:
                    y[wp.static(o + PEAK_VALUE) + i] = best[1]
                    y[wp.static(o + PEAK_TIME) + i] = best[0]
                y[wp.static(o + BEFORE_LAST) + i] = last
                y[wp.static(o + LAST) + i] = samples[i]
            y[wp.static(o + TIME_BEFORE_LAST)] = t_last
            y[wp.static(o + TIME_LAST)] = t

    return keep

"""The largest or least values of some numbers of a flight, located between steps, in every run.

At the start of each step the numbers are sampled. Where the sample before was beyond its neighbours, the extreme is
that of the parabola through the three; its error is of third order in the step over the time in which the number
changes.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.engine.mechanisms.air.tracked import END, LEAST, Tracked
from planetfall.engine.structure.mechanism import PeakNumber, StateSlot

NONE_YET = -1.0
"""Time [s] of a sample that was not taken."""


def n_extreme_states(n: int) -> int:
    """Numbers in the state: extremes, their times [s], the last two samples of each, and the times [s] of these."""
    return 4 * n + 2


def extremes_at_start(n: int) -> np.ndarray:
    """These numbers before the first sample."""
    return np.full(n_extreme_states(n), NONE_YET)


def extremes_of(states: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Extremes, their times [s] and the last samples, [run, number] each, from these numbers [run, state]."""
    return states[:, :n], states[:, n : 2 * n], states[:, 2 * n : 3 * n]


def peak_numbers(kept: tuple[Tracked, ...], first: int) -> tuple[PeakNumber, ...]:
    """Of which of these numbers, the first of which is at an index, a record has a frame where they are extreme."""
    n = len(kept)
    return tuple(
        PeakNumber(first + 2 * n + i, first + i, -1 if one.kind == LEAST else 1)
        for i, one in enumerate(kept)
        if one.kind != END
    )


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
def extremes_keeper(slot: StateSlot, n: int) -> Any:
    """`@wp.func (y, t, i, sign, sample)`: keeps account of number i of n; its largest value times `sign`, 1 or -1.

    Called once for each number at the start of each step; `extremes_clock` follows.
    """
    vector, o = slot.vector, slot.offset
    o_time, o_last, o_before, o_clock = o + n, o + 2 * n, o + 3 * n, o + 4 * n

    @wp.func
    def keep(y: wp.ref[vector], t: wp.float64, i: int, sign: wp.float64, sample: wp.float64):
        t_last = y[wp.static(o_clock)]
        t_before = y[wp.static(o_clock + 1)]
        if t > t_last:
            last = y[wp.static(o_last) + i] * sign
            before = y[wp.static(o_before) + i] * sign
            best = wp.vec2d(t, sample * sign)
            if t_before >= wp.float64(0.0) and last > before and last >= best[1]:
                best = parabola_top(wp.vec3d(t_before, t_last, t), wp.vec3d(before, last, best[1]))
            if t_last < wp.float64(0.0) or best[1] > y[wp.static(o) + i] * sign:
                y[wp.static(o) + i] = best[1] * sign
                y[wp.static(o_time) + i] = best[0]
            y[wp.static(o_before) + i] = y[wp.static(o_last) + i]
            y[wp.static(o_last) + i] = sample

    return keep


@lru_cache
def extremes_clock(slot: StateSlot, n: int) -> Any:
    """`@wp.func (y, t)`: notes when the samples were taken."""
    vector, o_clock = slot.vector, slot.offset + 4 * n

    @wp.func
    def note(y: wp.ref[vector], t: wp.float64):
        if t > y[wp.static(o_clock)]:
            y[wp.static(o_clock + 1)] = y[wp.static(o_clock)]
            y[wp.static(o_clock)] = t

    return note


@lru_cache
def extremes_jump(slot: StateSlot, n: int) -> Any:
    """`@wp.func (y, has_jumped)`: no parabola goes through the last sample but one and those to come, if so.

    Called before and after the first sample that follows a jump of the numbers.
    """
    vector, o_clock = slot.vector, slot.offset + 4 * n

    @wp.func
    def jump(y: wp.ref[vector], has_jumped: bool):
        if has_jumped:
            y[wp.static(o_clock + 1)] = wp.float64(NONE_YET)

    return jump

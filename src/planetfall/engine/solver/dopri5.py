"""The embedded Runge-Kutta pair of Dormand and Prince, orders 5 and 4 (DormandPrince1980).

Contact modes are locked during a step; where the law's own mode along the step differs from the locked one, the step is
retaken to end there (see `events.contact_events`).
"""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.contact.model import ContactMemory
from planetfall.engine.mechanisms.chain import all_mechanisms
from planetfall.engine.motion.equations import derivative
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.state_sizes import (
    BODY_SIZE,
)

STAGES = np.array(
    [
        [0, 0, 0, 0, 0, 0],
        [1 / 5, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]
)
NODES = np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1])
"""Stage times as fractions of the step; each is the sum of its row of STAGES."""
N_STAGES = len(STAGES)
ERROR = np.array([71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])
"""Weights of the difference between the solutions of order 5 and 4."""

_C = wp.types.vector(length=7, dtype=wp.float64)(NODES)
_E = wp.types.vector(length=7, dtype=wp.float64)(ERROR)


@wp.func_native(
    f"""
    static const double weights[{STAGES.size}] = {{{", ".join(repr(float(weight)) for weight in STAGES.flat)}}};
    return weights[i * {STAGES.shape[1]} + j];
    """
)
def stage_weight(i: int, j: int) -> wp.float64:  # pyright: ignore[reportReturnType]
    """`STAGES[i, j]`, from a table that there is once: of a constant, each thread of a GPU would make its own."""
    ...


@wp.func
def step_factor(error: wp.float64) -> wp.float64:
    """By how much to change the step: 0.9 error^(-3/16), from a tenth to five times.

    The exponent is a little below 1/5 and takes four square roots: they are exact to the last bit on every device, as a
    power is not, so that a run takes the same steps on a CPU and on a GPU.
    """
    eighth = wp.sqrt(wp.sqrt(wp.sqrt(wp.max(error, wp.float64(1.0e-10)))))
    return wp.clamp(wp.float64(0.9) / (eighth * wp.sqrt(eighth)), wp.float64(0.1), wp.float64(5.0))


@lru_cache
def trial_struct(vector: Any) -> Any:
    """Result of one attempted step."""

    @wp.struct
    class Trial:
        y: vector  # state at the end, order 5
        slope: vector  # derivative there, with the modes of the step
        error: vector  # difference of the two solutions

    return Trial


@lru_cache
def dopri5(assembly: Assembly) -> Any:
    """The `stepping` of an assembly."""
    lay, plan = assembly.layout, assembly.plan
    return stepping(assembly.params, lay.vector, derivative(assembly), lay.normalise, plan.inlining_of_parts)


def stepping(params: Any, vector: Any, rate: Any, normalise: Any, inlining: bool | None = None) -> Any:
    """`@wp.func (t, h, t_branch, y, k1, params, memory, run) -> Trial` of a system.

    Its `rate(dy, t, t_branch, y, params, memory, run)` fills in dy.
    """
    trial_type = trial_struct(vector)
    n_kept = N_STAGES - 2  # slopes of stages but the first, which is given, and the last
    slopes_type = wp.types.matrix(shape=(n_kept, vector._length_), dtype=wp.float64)

    @wp.func(inline=inlining)
    def trial(
        t: wp.float64, h: wp.float64, branch: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], p: wp.ref[params],
        memory: wp.ref[ContactMemory], run: int,
    ) -> trial_type:  # fmt: skip
        slopes = slopes_type()
        out = trial_type()
        i = int(1)
        while i < wp.static(N_STAGES):  # a loop that stays one: six copies of the equations take minutes to compile
            rise = vector()
            rise += k1 * stage_weight(i, 0)
            for j in range(1, i):
                rise += slopes[j - 1] * stage_weight(i, j)
            out.y = y + rise * h
            if i == wp.static(N_STAGES - 1):
                normalise(out.y)
            slope = vector()
            rate(slope, t + h * _C[i], branch, out.y, p, memory, run)
            if i == wp.static(N_STAGES - 1):
                out.slope = slope
            else:
                slopes[i - 1] = slope
            i += 1
        error = vector()
        error += k1 * _E[0]
        for j in range(wp.static(n_kept)):
            error += slopes[j] * _E[j + 1]
        error += out.slope * _E[wp.static(N_STAGES - 1)]
        out.error = error * h
        return out

    return trial


@lru_cache
def error_norm(assembly: Assembly) -> Any:
    """`@wp.func (params, h, y, error) -> error over what the tolerance allows`.

    Lengths are measured against the vehicle's size plus the distance flown in the step, never against the distance
    from the origin, so that a landing far from it is as accurate as one near it; and by vector norms, so that the
    result does not depend on the orientation of the axes. Numbers of mechanisms are measured as they say
    (`Mechanism.error`). The energy account has no say.
    """
    params, lay = assembly.params, assembly.layout
    vector = lay.vector
    has_mechanisms, worst_of_mechanisms = bool(assembly.mechanisms), all_mechanisms(assembly, "error")

    @wp.func
    def part(v: wp.ref[vector], o: int) -> wp.float64:
        return wp.sqrt(v[o] * v[o] + v[o + 1] * v[o + 1] + v[o + 2] * v[o + 2])

    @wp.func(inline=assembly.plan.inlining_of_parts)
    def norm(p: wp.ref[params], h: wp.float64, y: wp.ref[vector], error: wp.ref[vector]) -> wp.float64:
        s = p.step
        worst = wp.float64(0.0)
        for b in range(wp.static(assembly.n_bodies)):
            o = b * BODY_SIZE
            speed = part(y, o + 3)
            worst = wp.max(worst, part(error, o) / (s.length + speed * h))
            worst = wp.max(worst, part(error, o + 3) / (s.speed + speed))
            turn = part(error, o + 6)
            worst = wp.max(worst, wp.sqrt(turn * turn + error[o + 9] * error[o + 9]))
            worst = wp.max(worst, part(error, o + 10) / (s.speed / s.length + part(y, o + 10)))
        if wp.static(has_mechanisms):
            worst = wp.max(worst, worst_of_mechanisms(p.mechanisms, y, error, s))
        if not wp.isfinite(wp.dot(error, error)):
            return wp.float64(1.0e30)  # max() swallows NaN; a trial that blew up must be rejected
        return worst / s.tolerance

    return norm


@lru_cache
def hermite(vector: Any, is_inlined: bool = False) -> Any:
    """`@wp.func (theta, h, y0, slope0, y1, slope1) -> y(t0 + theta h)`, cubic; inlined where it is called once."""

    @wp.func(inline=is_inlined)
    def at(
        s: wp.float64, h: wp.float64, y0: wp.ref[vector], k0: wp.ref[vector], y1: wp.ref[vector], k1: wp.ref[vector]
    ) -> vector:
        one = wp.float64(1.0)
        back = s - one
        weight = s * s * (wp.float64(3.0) - wp.float64(2.0) * s)
        return y0 * (one - weight) + y1 * weight + k0 * (h * s * back * back) + k1 * (h * s * s * back)

    return at

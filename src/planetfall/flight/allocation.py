"""Sharing a commanded force and moment among engines, each between its least and its largest thrust.

With e_i the effect of a unit thrust of engine i (force along the stage's axis, and the three moments over an arm, all
in N) the thrusts of least square sum that give w are T_i = e_i . (sum e e^T)^-1 w. While one of them lies outside its
limits, the worst is put on its limit and the others share the rest. With fewer than four engines left, or four that
cannot give every moment, the rest is met as well as it can be, and what is missing is said.
"""

import numpy as np
import warp as wp

SOFTENING = 1e-9
"""Of the trace, added to the diagonal where fewer than four engines share: least squares, no exact answer."""
SOFTENING_WP = wp.constant(wp.float64(SOFTENING))


@wp.struct
class EngineSet:
    """Engines as their controller knows them, arrays [engine].

    `effect`: force along the axis and moments over the arm per thrust [-]; `low` and `high` [N]; `running`: 1 for those
    that run while none of them has failed; `failed` [s]: when its failure is known.
    """

    effect: wp.array(dtype=wp.vec4d)
    low: wp.array(dtype=wp.float64)
    high: wp.array(dtype=wp.float64)
    running: wp.array(dtype=wp.int32)
    failed: wp.array(dtype=wp.float64)


@wp.func
def bit_of(i: int) -> wp.uint64:
    """A mask with bit i alone."""
    return wp.uint64(1) << wp.uint64(i)


@wp.func
def has_bit(mask: wp.uint64, i: int) -> bool:
    """Whether bit i is set."""
    return mask & bit_of(i) != wp.uint64(0)


@wp.func
def usable(engines: EngineSet, t: wp.float64) -> wp.uint64:
    """Bits of the engines to use at t [s]: those that run, or all that work once one of those has failed."""
    working = wp.uint64(0)
    wanted = wp.uint64(0)
    i = int(0)
    while i < engines.low.shape[0]:
        if t < engines.failed[i]:
            working = working | bit_of(i)
        if engines.running[i] == 1:
            wanted = wanted | bit_of(i)
        i += 1
    if wanted & working == wanted:
        return wanted
    return working


@wp.func
def shares(engines: EngineSet, free: wp.uint64, rest: wp.vec4d, thrust_out: wp.array2d(dtype=wp.float64), run: int):
    """Writes the thrusts [N] with which the `free` engines give `rest` [N]."""
    gram = wp.mat44d()
    count = int(0)
    i = int(0)
    while i < engines.low.shape[0]:
        if has_bit(free, i):
            gram += wp.outer(engines.effect[i], engines.effect[i])
            count += 1
        i += 1
    if count < 4:
        soft = SOFTENING_WP * wp.trace(gram)
        for k in range(4):
            gram[k, k] += soft
    weights = wp.inverse(gram) * rest
    i = int(0)
    while i < engines.low.shape[0]:
        if has_bit(free, i):
            thrust_out[i, run] = wp.dot(engines.effect[i], weights)
        i += 1


@wp.func
def allocate(
    engines: EngineSet, used: wp.uint64, wanted: wp.vec4d, thrust_out: wp.array2d(dtype=wp.float64), run: int
) -> wp.float64:
    """Writes every engine's thrust [N], zero for those not used, and says how much of `wanted` [N] is missing [N]."""
    n = engines.low.shape[0]
    i = int(0)
    while i < n:
        thrust_out[i, run] = wp.float64(0.0)
        i += 1
    free = used
    rest = wanted
    is_done = free == wp.uint64(0)
    while not is_done:
        shares(engines, free, rest, thrust_out, run)
        worst = int(-1)
        excess = wp.float64(0.0)
        i = int(0)
        while i < n:
            if has_bit(free, i):
                beyond = wp.max(engines.low[i] - thrust_out[i, run], thrust_out[i, run] - engines.high[i])
                if beyond > excess:
                    excess = beyond
                    worst = i
            i += 1
        is_done = worst < 0
        if worst >= 0:
            thrust_out[worst, run] = wp.clamp(thrust_out[worst, run], engines.low[worst], engines.high[worst])
            rest -= engines.effect[worst] * thrust_out[worst, run]
            free = free & ~bit_of(worst)
            is_done = free == wp.uint64(0)
    missing = wanted
    i = int(0)
    while i < n:
        missing -= engines.effect[i] * thrust_out[i, run]
        i += 1
    return wp.length(missing)


def share_out(
    effect: np.ndarray, low: np.ndarray, high: np.ndarray, used: np.ndarray, wanted: np.ndarray
) -> tuple[np.ndarray, float]:
    """The same for controllers in Python.

    Args:
        effect: [engine, 4] of a unit thrust.
        low: [engine] least thrusts [N].
        high: [engine] largest thrusts [N].
        used: [engine] whether it may be used.
        wanted: [4] force along the axis and moments over the arm [N].

    Returns:
        Thrusts [engine] [N], and how much of `wanted` is missing [N].
    """
    thrust, free, rest = np.zeros(len(low)), np.array(used, dtype=bool), np.array(wanted, dtype=float)
    while free.any():
        gram = effect[free].T @ effect[free]
        if free.sum() < 4:
            gram += SOFTENING * np.trace(gram) * np.eye(4)
        thrust[free] = effect[free] @ (np.linalg.inv(gram) @ rest)
        beyond = np.where(free, np.maximum(low - thrust, thrust - high), 0.0)
        worst = int(np.argmax(beyond))
        if not beyond[worst] > 0.0:
            break
        thrust[worst] = np.clip(thrust[worst], low[worst], high[worst])
        rest -= effect[worst] * thrust[worst]
        free[worst] = False
    return thrust, float(np.linalg.norm(wanted - effect.T @ thrust))

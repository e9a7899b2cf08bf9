"""Sharing a commanded force and moment among engines, each between its least and its largest thrust.

With e_i the effect of a unit thrust of engine i (force along the thrust axis, and the three moments over an arm, all
in N) and b_i = (T_max,i / largest T_max)^2, the thrusts that give w with the least sum of squared throttles are T_i =
b_i e_i . (sum b e e^T)^-1 w; so a small thruster beside a main engine has its say. While one of them lies outside its
limits, the worst is put on its limit and the others share the rest; as long as four are left, w is met. Where those
that are left cannot turn the vehicle every way, engines are let go from their limits again: T_i = b_i e_i . m within
its limits, with m found by Newton's method. Where that fails, too, |sum e_i T_i - w| is made as small as the limits
allow, engine after engine in turn (coordinate descent), and what is missing is said.
"""

import numpy as np
import warp as wp

SWEEPS = 60
"""Turns of the descent; what it still gains after that is below a newton for engines in pairs (measured)."""
ROUNDS = 40
"""Of Newton's method; it takes fewer than ten where w can be met (measured)."""
_MET, _AT_LIMIT = 1e-9, 1e-3
MET = wp.constant(wp.float64(_MET))
"""What may be missing, of w."""
AT_LIMIT = wp.constant(wp.float64(_AT_LIMIT))
"""Weight of an engine at its limit in the slope of Newton's method, which keeps it from being singular."""


@wp.struct
class EngineSet:
    """Engines as their controller knows them, arrays [engine].

    `effect`: force along the axis and moments over the arm per thrust [-]; `weight` b [-]; `low` and `high` [N];
    `flow` [kg/s/N]; `failed` [s]: when its failure is known.
    """

    effect: wp.array(dtype=wp.vec4d)
    weight: wp.array(dtype=wp.float64)
    low: wp.array(dtype=wp.float64)
    high: wp.array(dtype=wp.float64)
    flow: wp.array(dtype=wp.float64)
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
def usable(engines: wp.ref[EngineSet], wanted: wp.uint64, t: wp.float64) -> wp.uint64:
    """Bits of the engines to use at t [s]: those that are to run, or all that work once one of those has failed."""
    working = wp.uint64(0)
    i = int(0)
    while i < engines.low.shape[0]:
        if t < engines.failed[i]:
            working = working | bit_of(i)
        i += 1
    if wanted & working == wanted:
        return wanted
    return working


@wp.func
def shares(
    engines: wp.ref[EngineSet], free: wp.uint64, rest: wp.vec4d, thrust_out: wp.array2d(dtype=wp.float64), run: int
):
    """Writes the thrusts [N] with which four or more `free` engines give `rest` [N]."""
    gram = wp.mat44d()
    i = int(0)
    while i < engines.low.shape[0]:
        if has_bit(free, i):
            gram += wp.outer(engines.effect[i] * engines.weight[i], engines.effect[i])
        i += 1
    weights = wp.inverse(gram) * rest
    i = int(0)
    while i < engines.low.shape[0]:
        if has_bit(free, i):
            thrust_out[i, run] = wp.dot(engines.effect[i] * engines.weight[i], weights)
        i += 1


@wp.func
def worst_of(engines: wp.ref[EngineSet], free: wp.uint64, thrust: wp.array2d(dtype=wp.float64), run: int) -> wp.int32:
    """The free engine that lies farthest outside its limits; -1 if none does."""
    worst = wp.int32(-1)
    excess = wp.float64(0.0)
    i = int(0)
    while i < engines.low.shape[0]:
        if has_bit(free, i):
            beyond = wp.max(engines.low[i] - thrust[i, run], thrust[i, run] - engines.high[i])
            if beyond > excess:
                excess = beyond
                worst = i
        i += 1
    return worst


@wp.func
def missing_of(
    engines: wp.ref[EngineSet], used: wp.uint64, wanted: wp.vec4d, thrust: wp.array2d(dtype=wp.float64), run: int
) -> wp.vec4d:
    """What the thrusts leave of `wanted` [N]."""
    out = wanted
    i = int(0)
    while i < engines.low.shape[0]:
        if has_bit(used, i):
            out -= engines.effect[i] * thrust[i, run]
        i += 1
    return out


@wp.func
def balance(
    engines: wp.ref[EngineSet], used: wp.uint64, wanted: wp.vec4d, thrust_out: wp.array2d(dtype=wp.float64), run: int
) -> bool:
    """Thrusts [N] within their limits that give `wanted` [N], by Newton's method; whether they were found."""
    m = wp.vec4d()
    turn = int(0)
    while turn < wp.static(ROUNDS):
        slope = wp.mat44d()
        i = int(0)
        while i < engines.low.shape[0]:
            if has_bit(used, i):
                weighted = engines.effect[i] * engines.weight[i]
                free = wp.dot(weighted, m)
                thrust_out[i, run] = wp.clamp(free, engines.low[i], engines.high[i])
                if free != thrust_out[i, run]:
                    weighted *= AT_LIMIT
                slope += wp.outer(weighted, engines.effect[i])
            i += 1
        missing = missing_of(engines, used, wanted, thrust_out, run)
        if wp.length(missing) <= MET * wp.length(wanted):
            return True
        m += wp.inverse(slope) * missing
        turn += 1
    return False


@wp.func
def descend(
    engines: wp.ref[EngineSet], used: wp.uint64, wanted: wp.vec4d, thrust_out: wp.array2d(dtype=wp.float64), run: int
):
    """Brings the thrusts nearer to giving `wanted` [N], each in turn within its limits."""
    rest = missing_of(engines, used, wanted, thrust_out, run)
    sweep = int(0)
    while sweep < wp.static(SWEEPS):
        i = int(0)
        while i < engines.low.shape[0]:
            if has_bit(used, i):
                effect = engines.effect[i]
                before = thrust_out[i, run]
                better = before + wp.dot(effect, rest) / wp.length_sq(effect)
                better = wp.clamp(better, engines.low[i], engines.high[i])
                rest -= effect * (better - before)
                thrust_out[i, run] = better
            i += 1
        sweep += 1


@wp.func
def allocate(
    engines: wp.ref[EngineSet], used: wp.uint64, wanted: wp.vec4d, thrust_out: wp.array2d(dtype=wp.float64), run: int
) -> wp.float64:
    """Writes every engine's thrust [N], zero for those not used, and says how much of `wanted` [N] is missing [N]."""
    count = int(0)
    i = int(0)
    while i < engines.low.shape[0]:
        thrust_out[i, run] = wp.float64(0.0)
        if has_bit(used, i):
            count += 1
        i += 1
    free = used
    rest = wanted
    worst = int(0)
    while count >= 4 and worst >= 0:
        shares(engines, free, rest, thrust_out, run)
        worst = worst_of(engines, free, thrust_out, run)
        if worst >= 0:
            thrust_out[worst, run] = wp.clamp(thrust_out[worst, run], engines.low[worst], engines.high[worst])
            rest -= engines.effect[worst] * thrust_out[worst, run]
            free = free & ~bit_of(worst)
            count -= 1
    missing = wp.length(missing_of(engines, used, wanted, thrust_out, run))
    is_singular = worst < 0 and missing > MET * wp.length(wanted)
    if worst < 0 and not is_singular:
        return missing
    if worst >= 0 or not balance(engines, used, wanted, thrust_out, run):
        descend(engines, used, wanted, thrust_out, run)
    return wp.length(missing_of(engines, used, wanted, thrust_out, run))


def throttle_weights(high: np.ndarray) -> np.ndarray:
    """Weights [engine] with which throttles, not thrusts, are kept small; 1 for engines that are alike."""
    return (high / np.max(high)) ** 2 if len(high) else high


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
    is_met, weighted = False, effect * throttle_weights(high)[:, None]
    while free.sum() >= 4 and not is_met:
        if np.linalg.matrix_rank(effect[free]) < 4:
            break
        thrust[free] = weighted[free] @ (np.linalg.inv(weighted[free].T @ effect[free]) @ rest)
        beyond = np.where(free, np.maximum(low - thrust, thrust - high), 0.0)
        worst = int(np.argmax(beyond))
        is_met = not beyond[worst] > 0.0
        if not is_met:
            thrust[worst] = np.clip(thrust[worst], low[worst], high[worst])
            rest -= effect[worst] * thrust[worst]
            free[worst] = False
    is_singular = not is_met and free.sum() >= 4
    if not is_met and not (is_singular and _balance(effect, low, high, np.asarray(used, dtype=bool), wanted, thrust)):
        _descend(effect, low, high, np.flatnonzero(used), np.array(wanted, dtype=float), thrust)
    return thrust, float(np.linalg.norm(wanted - effect.T @ thrust))


def _balance(
    effect: np.ndarray, low: np.ndarray, high: np.ndarray, used: np.ndarray, wanted: np.ndarray, thrust: np.ndarray
) -> bool:
    """Thrusts within their limits that give `wanted`, by Newton's method; whether they were found."""
    m, weighted = np.zeros(4), effect[used] * throttle_weights(high)[used, None]
    for _ in range(ROUNDS):
        free = weighted @ m
        thrust[used] = np.clip(free, low[used], high[used])
        missing = wanted - effect[used].T @ thrust[used]
        if np.linalg.norm(missing) <= _MET * np.linalg.norm(wanted):
            return True
        share = np.where(free == thrust[used], 1.0, _AT_LIMIT)
        m += np.linalg.solve((weighted * share[:, None]).T @ effect[used], missing)
    return False


def _descend(
    effect: np.ndarray, low: np.ndarray, high: np.ndarray, used: np.ndarray, wanted: np.ndarray, thrust: np.ndarray
) -> None:
    """Brings the thrusts nearer to giving `wanted`, each in turn within its limits."""
    rest, square = wanted - effect[used].T @ thrust[used], np.sum(effect**2, axis=1)
    for _ in range(SWEEPS):
        for i in used:
            better = min(max(thrust[i] + effect[i] @ rest / square[i], low[i]), high[i])
            rest -= effect[i] * (better - thrust[i])
            thrust[i] = better

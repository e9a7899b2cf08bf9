"""Traction controllers that do not optimise: equal torques, and a fuzzy one in the spirit of Hacot1998.

Both give each side its forward force, so that they can be compared with the optimum under the same balance. The motors
of a side pull as lambda w_i with weights w_i > 0. Equal torques have w = 1. The fuzzy controller sets out from the
loads (a lightly loaded wheel is to pull less, a heavily loaded one more) and then corrects each weight by how the
wheel's slip ratio compares with the mean of its side (a wheel that uses less of its grip is to pull more). Sets are
triangles, conclusions single values, and the crisp value is their mean weighted by membership.
"""

import warp as wp

from planetfall.rover.statics.balance import SideSystem
from planetfall.rover.statics.torques import SideForces, SideLimits, largest_share, wheel_share

LOAD_SPREAD = wp.constant(wp.float64(0.8))
"""Departure from the mean load, relative to it, at which a wheel is fully light or heavy."""
LOAD_WEIGHT = wp.constant(wp.float64(0.8))
"""How much less a light wheel pulls than a normal one, and a heavy one more."""
SLIP_SPREAD = wp.constant(wp.float64(0.5))
"""Departure from the mean slip ratio, relative to it, at which a wheel fully slips less or more."""
SLIP_CORRECTION = wp.constant(wp.float64(0.3))
"""Change of a weight, relative to it, where the wheel fully slips less or more."""
LARGEST_SLIP = wp.constant(wp.float64(3.0))
"""Slip ratios beyond this are all the same to the controller: the wheel spins."""
CORRECTIONS = wp.constant(40)


@wp.func
def inferred(
    departure: wp.float64, spread: wp.float64, low: wp.float64, zero: wp.float64, high: wp.float64
) -> wp.float64:
    """Three triangular sets over a departure (low, about zero, high) with one conclusion each."""
    x = wp.clamp(departure / spread, wp.float64(-1.0), wp.float64(1.0))
    is_low = wp.max(-x, wp.float64(0.0))
    is_high = wp.max(x, wp.float64(0.0))
    return is_low * low + is_high * high + (wp.float64(1.0) - is_low - is_high) * zero


@wp.func(inline=False)
def weighted_forces(system: SideSystem, limits: SideLimits, forward: wp.float64, weight: wp.vec3d) -> SideForces:
    """Forces of a side whose motors pull in the ratio of weights and give it its forward force.

    Gross tractions lambda w less resistance, which is linear in the loads: N = a + lambda b.
    """
    out = SideForces()
    one = wp.identity(n=3, dtype=wp.float64)
    drag = wp.diag(limits.drag_per_load)
    # N = still + gain (lambda w - drag - D N)
    solved = wp.inverse(one + system.gain * drag)
    fixed = solved * (system.still - system.gain * limits.drag)
    per_pull = solved * (system.gain * weight)
    resisted = limits.drag + drag * fixed
    pull_x = system.still_x - wp.dot(system.gain_x, resisted)
    per_pull_x = wp.dot(system.gain_x, weight - drag * per_pull)
    pull = (forward - pull_x) / per_pull_x
    out.load = fixed + per_pull * pull
    out.traction = weight * pull - limits.drag - drag * out.load
    out.is_feasible = wp.int32(1)
    return out


@wp.func(inline=False)
def fuzzy_weights(system: SideSystem, limits: SideLimits, forward: wp.float64, noise: wp.float64) -> wp.vec3d:
    """Weights of the fuzzy controller."""
    one = wp.float64(1.0)
    weight = wp.vec3d(one, one, one)
    mean_load = (system.still[0] + system.still[1] + system.still[2]) / wp.float64(3.0)
    for k in range(3):
        departure = system.still[k] / mean_load - one
        weight[k] = inferred(departure, LOAD_SPREAD, one - LOAD_WEIGHT, one, one + LOAD_WEIGHT)
    step = int(0)
    while step < CORRECTIONS:
        step += 1
        forces = weighted_forces(system, limits, forward, weight)
        slip = wp.vec3d()
        for k in range(3):
            slip[k] = wp.min(wheel_share(limits, forces.load[k], forces.traction[k], k, noise), LARGEST_SLIP)
        mean_slip = (slip[0] + slip[1] + slip[2]) / wp.float64(3.0)
        if mean_slip <= wp.float64(0.0):
            return weight
        for k in range(3):
            departure = slip[k] / mean_slip - one
            weight[k] *= one + inferred(departure, SLIP_SPREAD, SLIP_CORRECTION, wp.float64(0.0), -SLIP_CORRECTION)
    return weight


@wp.func
def fuzzy_forces(system: SideSystem, limits: SideLimits, forward: wp.float64, noise: wp.float64) -> SideForces:
    """Forces with the fuzzy controller."""
    out = weighted_forces(system, limits, forward, fuzzy_weights(system, limits, forward, noise))
    out.share = largest_share(limits, out.load, out.traction, noise)
    return out


@wp.func
def equal_forces(system: SideSystem, limits: SideLimits, forward: wp.float64, noise: wp.float64) -> SideForces:
    """Forces with equal torques on a side's wheels."""
    one = wp.float64(1.0)
    out = weighted_forces(system, limits, forward, wp.vec3d(one, one, one))
    out.share = largest_share(limits, out.load, out.traction, noise)
    return out

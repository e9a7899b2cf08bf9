"""Tractions of one side's three wheels: the least worst slip ratio, or the least sum of squares.

Equations (12)-(15) of Hacot1998 leave two of six unknowns free. With T = T_0 + x_1 z_1 + x_2 z_2, where T_0 is the
shortest traction that gives the side its forward force, and z_1, z_2 an orthonormal basis of what does not change that
force, every constraint is a half-plane of x:

    |T + R(N)| <= s H(N)    grip, used to the share s
    |T + R(N)| <= tau/r     motor
    N >= 0                  contact

At the least s for which they have a common point, all three wheels mostly use their grip alike. That point is found by
the secant method over s, and it is the optimum if the three half-planes of grip, moved inwards, would have nothing in
common: if their outward normals surround the origin. Elsewhere (a motor at its limit, a wheel without load, wheels that
have to pull apart) s is found by halving; among the points of that s, and of s = 1 for the least effort, the one with
the least sum of squares is taken.
"""

import warp as wp

from planetfall.rover.statics.balance import SideSystem
from planetfall.rover.statics.plane_program import Program, bounds_type, shortest

LARGEST_SHARE = wp.constant(wp.float64(1.0e4))
"""Use of the grip up to which a pose is examined; beyond, no friction would do."""
HALVINGS = wp.constant(60)
STRONGEST = wp.constant(wp.float64(10.0))
"""Traction of a wheel, in loads of its side, that no motor of a rover exceeds: wheels could hold each other on any
slope by pulling apart with forces without bound."""
ROUNDING = wp.constant(wp.float64(1.0e-13))
"""Slack of a constraint relative to the load of the side."""
NOISE = wp.constant(wp.float64(1.0e4))
"""Traction that is as good as none, in slacks."""


@wp.struct
class SideLimits:
    """What three wheels can do.

    Tangents of traction and resistance as in `soil.model.Grip`; `motor` [N]: the most that a motor makes at the rim.
    """

    hold: wp.vec3d
    hold_per_load: wp.vec3d
    drag: wp.vec3d
    drag_per_load: wp.vec3d
    motor: wp.float64


@wp.struct
class SidePlan:
    """Tractions `T` = `first` + x_1 `one` + x_2 `two` [N] that give a side its forward force."""

    first: wp.vec3d
    one: wp.vec3d
    two: wp.vec3d


@wp.struct
class SideForces:
    """Tractions and loads of a side's wheels [N]; `share`: largest |T + R|/H that is needed; `is_feasible`."""

    traction: wp.vec3d
    load: wp.vec3d
    share: wp.float64
    is_feasible: wp.int32


@wp.func
def side_plan(system: SideSystem, forward: wp.float64) -> SidePlan:
    """All tractions that give a side its forward force [N]."""
    plan = SidePlan()
    g = system.gain_x
    squared = wp.dot(g, g)
    plan.first = g * ((forward - system.still_x) / squared)
    axis = wp.vec3d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0))
    if g[0] * g[0] > wp.float64(0.5) * squared:
        axis = wp.vec3d(wp.float64(0.0), wp.float64(1.0), wp.float64(0.0))
    plan.one = wp.normalize(wp.cross(g, axis))
    plan.two = wp.cross(g, plan.one) / wp.sqrt(squared)
    return plan


@wp.func(inline=False)
def side_bounds(
    system: SideSystem, plan: SidePlan, limits: SideLimits, share: wp.float64, motor: wp.float64
) -> bounds_type:
    """The half-planes of x for one share of the grip and for motors that make so much at the rim [N]."""
    bounds = bounds_type()
    start = system.still + system.gain * plan.first
    by_one = system.gain * plan.one
    by_two = system.gain * plan.two
    for k in range(3):
        drag = limits.drag_per_load[k]
        gross = plan.first[k] + limits.drag[k] + drag * start[k]
        gross_1 = plan.one[k] + drag * by_one[k]
        gross_2 = plan.two[k] + drag * by_two[k]
        hold = share * (limits.hold[k] + limits.hold_per_load[k] * start[k])
        hold_1 = share * limits.hold_per_load[k] * by_one[k]
        hold_2 = share * limits.hold_per_load[k] * by_two[k]
        scale = wp.float64(1.0) / (wp.float64(1.0) + share)
        bounds[k, 0] = -by_one[k]
        bounds[k, 1] = -by_two[k]
        bounds[k, 2] = start[k]
        bounds[3 + k, 0] = (gross_1 - hold_1) * scale
        bounds[3 + k, 1] = (gross_2 - hold_2) * scale
        bounds[3 + k, 2] = (hold - gross) * scale
        bounds[6 + k, 0] = (-gross_1 - hold_1) * scale
        bounds[6 + k, 1] = (-gross_2 - hold_2) * scale
        bounds[6 + k, 2] = (hold + gross) * scale
        bounds[9 + k, 0] = gross_1
        bounds[9 + k, 1] = gross_2
        bounds[9 + k, 2] = motor - gross
        bounds[12 + k, 0] = -gross_1
        bounds[12 + k, 1] = -gross_2
        bounds[12 + k, 2] = motor + gross
    return bounds


@wp.func
def side_try(
    system: SideSystem, plan: SidePlan, limits: SideLimits, share: wp.float64, motor: wp.float64, slack: wp.float64
) -> Program:
    """The least effort with a share of the grip."""
    return shortest(side_bounds(system, plan, limits, share, motor), slack)


@wp.func
def side_forces(system: SideSystem, plan: SidePlan, limits: SideLimits, x: wp.vec2d, noise: wp.float64) -> SideForces:
    """Tractions and loads at a point of the plan."""
    out = SideForces()
    out.traction = plan.first + plan.one * x[0] + plan.two * x[1]
    out.load = system.still + system.gain * out.traction
    out.share = largest_share(limits, out.load, out.traction, noise)
    return out


@wp.func
def wheel_share(limits: SideLimits, load: wp.float64, traction: wp.float64, k: int, noise: wp.float64) -> wp.float64:
    """Use of the grip of one wheel; LARGEST_SHARE where there is none to use, nothing where nothing [N] is asked."""
    gross = wp.abs(traction + limits.drag[k] + limits.drag_per_load[k] * load)
    hold = limits.hold[k] + limits.hold_per_load[k] * load
    if gross <= noise and hold >= -noise:
        return wp.float64(0.0)
    if gross < LARGEST_SHARE * hold:
        return gross / hold
    return LARGEST_SHARE


@wp.func
def largest_share(limits: SideLimits, load: wp.vec3d, traction: wp.vec3d, noise: wp.float64) -> wp.float64:
    """The worst wheel of a side."""
    worst = wp.float64(0.0)
    for k in range(3):
        worst = wp.max(worst, wheel_share(limits, load[k], traction[k], k, noise))
    return worst


@wp.func
def even_forces(system: SideSystem, limits: SideLimits, share: wp.float64) -> SideForces:
    """Forces when all wheels of a side use the same share of their grip; a negative share brakes."""
    out = SideForces()
    per_load = limits.hold_per_load * share - limits.drag_per_load
    fixed = limits.hold * share - limits.drag
    one = wp.identity(n=3, dtype=wp.float64)
    out.load = wp.inverse(one - system.gain * wp.diag(per_load)) * (system.still + system.gain * fixed)
    out.traction = fixed + wp.cw_mul(per_load, out.load)
    return out


@wp.func
def surrounds_origin(a: wp.vec2d, b: wp.vec2d, c: wp.vec2d) -> wp.bool:
    """Whether the origin lies strictly inside of the triangle of three vectors."""
    first = a[0] * b[1] - a[1] * b[0]
    second = b[0] * c[1] - b[1] * c[0]
    third = c[0] * a[1] - c[1] * a[0]
    zero = wp.float64(0.0)
    return (first > zero and second > zero and third > zero) or (first < zero and second < zero and third < zero)


@wp.func(inline=False)
def even_share(
    system: SideSystem, plan: SidePlan, limits: SideLimits, forward: wp.float64, motor: wp.float64, noise: wp.float64
) -> SideForces:
    """The optimum if it uses the grip of all wheels alike; infeasible where that cannot be shown."""
    zero = wp.float64(0.0)
    out = even_forces(system, limits, zero)
    s0 = zero
    f0 = system.still_x + wp.dot(system.gain_x, out.traction) - forward
    if wp.abs(f0) <= noise:
        return SideForces()
    s1 = wp.where(f0 < zero, wp.float64(0.1), wp.float64(-0.1))
    f1 = zero
    k = int(0)
    while k < 12:
        k += 1
        out = even_forces(system, limits, s1)
        f1 = system.still_x + wp.dot(system.gain_x, out.traction) - forward
        if wp.abs(f1) <= noise * wp.float64(1.0e-4):
            k = 12
        else:
            step = f1 * (s1 - s0) / (f1 - f0)
            s0 = s1
            f0 = f1
            s1 = s1 - step
    if not (wp.abs(f1) <= noise * wp.float64(1.0e-4)):
        return SideForces()
    for i in range(3):
        gross = out.traction[i] + limits.drag[i] + limits.drag_per_load[i] * out.load[i]
        hold = limits.hold[i] + limits.hold_per_load[i] * out.load[i]
        if not (out.load[i] > noise and hold > noise and wp.abs(gross) <= motor):
            return SideForces()
    bounds = side_bounds(system, plan, limits, wp.abs(s1), motor)
    row = wp.where(s1 > zero, 3, 6)
    if surrounds_origin(
        wp.vec2d(bounds[row, 0], bounds[row, 1]),
        wp.vec2d(bounds[row + 1, 0], bounds[row + 1, 1]),
        wp.vec2d(bounds[row + 2, 0], bounds[row + 2, 1]),
    ):
        out.share = wp.abs(s1)
        out.is_feasible = wp.int32(1)
    return out


@wp.func(inline=False)
def least_share(
    system: SideSystem, plan: SidePlan, limits: SideLimits, forward: wp.float64, motor: wp.float64, slack: wp.float64
) -> SideForces:
    """Tractions with the least worst use of the grip; infeasible where no grip would do."""
    even = even_share(system, plan, limits, forward, motor, slack * NOISE)
    if even.is_feasible == 1:
        return even
    high = wp.float64(1.0)
    low = wp.float64(0.0)
    best = side_try(system, plan, limits, high, motor, slack)
    while best.is_feasible == 0 and high < LARGEST_SHARE:
        low = high
        high = high * wp.float64(4.0)
        best = side_try(system, plan, limits, high, motor, slack)
    if best.is_feasible == 0:
        return SideForces()
    k = int(0)
    while k < HALVINGS and high - low > wp.float64(1.0e-13) * high:
        k += 1
        middle = (low + high) * wp.float64(0.5)
        found = side_try(system, plan, limits, middle, motor, slack)
        if found.is_feasible == 1:
            best = found
            high = middle
        else:
            low = middle
    out = side_forces(system, plan, limits, best.point, slack * NOISE)
    out.is_feasible = wp.int32(1)
    return out


@wp.func
def least_effort(
    system: SideSystem, plan: SidePlan, limits: SideLimits, motor: wp.float64, slack: wp.float64
) -> SideForces:
    """Tractions with the least sum of squares within the grip; infeasible where it does not suffice."""
    found = side_try(system, plan, limits, wp.float64(1.0), motor, slack)
    out = side_forces(system, plan, limits, found.point, slack * NOISE)
    out.is_feasible = found.is_feasible
    return out

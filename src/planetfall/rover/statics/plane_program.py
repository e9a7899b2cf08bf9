"""The shortest vector of the plane that keeps a set of half-planes: a quadratic program of two unknowns.

Constraints are taken one after the other. One that the best point so far breaks must hold with equality at the new
best, which is then found on its line, between the earlier constraints. Exact up to rounding, and at worst quadratic in
the number of constraints.
"""

import warp as wp

N_BOUNDS = 15
"""Half-planes of one side: for each of three wheels, grip both ways, torque both ways, and load."""
bounds_type = wp.types.matrix(shape=(N_BOUNDS, 3), dtype=wp.float64)


@wp.struct
class Program:
    """`point` in the plane, and whether every half-plane holds there."""

    point: wp.vec2d
    is_feasible: wp.int32


@wp.func(inline=False)
def shortest(bounds: bounds_type, slack: wp.float64) -> Program:
    """The shortest x with bounds[k, 0] x_0 + bounds[k, 1] x_1 <= bounds[k, 2] for all k, each widened by `slack`."""
    out = Program()
    out.is_feasible = wp.int32(1)
    k = int(0)
    while k < wp.static(N_BOUNDS):
        a = wp.vec2d(bounds[k, 0], bounds[k, 1])
        limit = bounds[k, 2] + slack
        if wp.dot(a, out.point) > limit:
            out = shortest_on(bounds, slack, k)
            if out.is_feasible == 0:
                return out
        k += 1
    return out


@wp.func
def shortest_on(bounds: bounds_type, slack: wp.float64, line: int) -> Program:
    """The shortest point on the border of one half-plane that keeps all earlier ones."""
    out = Program()
    zero = wp.float64(0.0)
    a = wp.vec2d(bounds[line, 0], bounds[line, 1])
    squared = wp.dot(a, a)
    if squared < wp.float64(1.0e-24):  # a half-plane without a border: all of the plane, or nothing
        return out
    foot = a * ((bounds[line, 2] + slack) / squared)
    along = wp.vec2d(-a[1], a[0]) / wp.sqrt(squared)
    low = wp.float64(-1.0e300)
    high = wp.float64(1.0e300)
    k = int(0)
    while k < line:
        b = wp.vec2d(bounds[k, 0], bounds[k, 1])
        rate = wp.dot(b, along)
        room = bounds[k, 2] + slack - wp.dot(b, foot)
        if wp.abs(rate) <= wp.float64(1.0e-12):
            if room < -slack:
                return out
        elif rate > zero:
            high = wp.min(high, room / rate)
        else:
            low = wp.max(low, room / rate)
        k += 1
    if low > high:
        return out
    out.is_feasible = wp.int32(1)
    out.point = foot + along * wp.clamp(zero, low, high)
    return out

"""Monotone cubic interpolation (PCHIP) in tables: continuous slopes, no overshoot [FritschButland1984].

Slopes at the nodes are those of SciPy's `PchipInterpolator`: a weighted harmonic mean inside, a three-point formula
kept monotone at the ends. Between two nodes nothing but the four nodes around them counts, so that an interpolation in
several variables is this one in one variable after the other. Outside of its nodes a table holds its last value; one
node is a constant, two are a line.
"""

import warp as wp


@wp.struct
class Window:
    """The four nodes around a place.

    Of the `nodes` the place `at` lies between the second and third; `index`: that of the second in the table;
    `has_before`, `has_after`: 1 where the first and the fourth exist.
    """

    index: wp.int32
    at: wp.float64
    nodes: wp.vec4d
    has_before: wp.int32
    has_after: wp.int32


@wp.func
def window_of(nodes: wp.array(dtype=wp.float64), x: wp.float64) -> Window:
    """The part of a table, by rising nodes, in which x lies; a place outside is moved to the nearest end."""
    n = nodes.shape[0]
    out = Window()
    out.at = wp.clamp(x, nodes[0], nodes[n - 1])
    low = int(0)
    high = int(n - 1)
    while high - low > 1:
        middle = (low + high) / 2
        if nodes[middle] <= out.at:
            low = middle
        else:
            high = middle
    out.index = low
    if low > 0:
        out.has_before = 1
        out.nodes[0] = nodes[low - 1]
    out.nodes[1] = nodes[low]
    out.nodes[2] = nodes[low] + wp.float64(1.0)
    if n > 1:
        out.nodes[2] = nodes[low + 1]
    if low + 2 < n:
        out.has_after = 1
        out.nodes[3] = nodes[low + 2]
    return out


@wp.func
def window_row(window: Window, k: int, n: int) -> int:
    """Index in a table of n rows of the window's node k (0 to 3); of one that does not exist, the nearest that does."""
    return wp.clamp(window.index - 1 + k, 0, n - 1)


@wp.func
def inner_slope(h_before: wp.float64, h_after: wp.float64, before: wp.float64, after: wp.float64) -> wp.float64:
    """Slope at a node between two intervals of lengths h, over which the value changes at the rates given."""
    if before * after <= wp.float64(0.0):
        return wp.float64(0.0)
    two = wp.float64(2.0)
    w_before = two * h_after + h_before
    w_after = h_after + two * h_before
    return (w_before + w_after) / (w_before / before + w_after / after)


@wp.func
def end_slope(h: wp.float64, h_next: wp.float64, rate: wp.float64, rate_next: wp.float64) -> wp.float64:
    """Slope at the end of a table: of the interval there, and of the one next to it."""
    slope = ((wp.float64(2.0) * h + h_next) * rate - h * rate_next) / (h + h_next)
    if slope * rate <= wp.float64(0.0):
        return wp.float64(0.0)
    if rate * rate_next <= wp.float64(0.0) and wp.abs(slope) > wp.float64(3.0) * wp.abs(rate):
        return wp.float64(3.0) * rate
    return slope


@wp.func
def pchip(window: Window, values: wp.vec4d) -> wp.float64:
    """The interpolant at the window's place, by the values at its four nodes; those that do not exist are not used."""
    h = window.nodes[2] - window.nodes[1]
    rate = (values[2] - values[1]) / h
    slope_left = rate
    slope_right = rate
    h_before = window.nodes[1] - window.nodes[0]
    h_after = window.nodes[3] - window.nodes[2]
    if window.has_before == 1:
        before = (values[1] - values[0]) / h_before
        slope_left = inner_slope(h_before, h, before, rate)
        if window.has_after == 0:
            slope_right = end_slope(h, h_before, rate, before)
    if window.has_after == 1:
        after = (values[3] - values[2]) / h_after
        slope_right = inner_slope(h, h_after, rate, after)
        if window.has_before == 0:
            slope_left = end_slope(h, h_after, rate, after)
    s = (window.at - window.nodes[1]) / h
    one = wp.float64(1.0)
    two = wp.float64(2.0)
    three = wp.float64(3.0)
    rise = s * s * (three - two * s)
    left = s * (one - s) * (one - s)
    right = s * s * (s - one)
    return values[1] + (values[2] - values[1]) * rise + h * (slope_left * left + slope_right * right)


# not inlined: a kernel looks up many tables, each in several places
@wp.func(inline=False)
def tabled(nodes: wp.array(dtype=wp.float64), values: wp.array(dtype=wp.float64), x: wp.float64) -> wp.float64:
    """A table of one variable at x."""
    n = nodes.shape[0]
    window = window_of(nodes, x)
    at_nodes = wp.vec4d()
    for k in range(4):
        at_nodes[k] = values[window_row(window, k, n)]
    return pchip(window, at_nodes)

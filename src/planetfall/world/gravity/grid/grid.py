"""A gravity field baked into grids of potential: cubic splines whose exact gradient is the acceleration.

Nested boxes, each twice as coarse as the one inside it, hold the coefficients of uniform cubic B-splines. Toward
the rim of a box its share w falls from 1 to 0 and the next box takes over, the last one handing on to harmonics:

    U = w_0 S_0 + (1 - w_0) (w_1 S_1 + (1 - w_1) (... U_harmonics))

The acceleration is the exact gradient of this sum, shares included. It is continuously differentiable everywhere, so
that energy is conserved to the integrator's tolerance, across rims too.
"""

import warp as wp

from planetfall.compute.fused import fma, minus
from planetfall.world.gravity.harmonics.harmonics import HarmonicsParams, harmonics_sums
from planetfall.world.gravity.model import GravityModel

SIXTH = wp.constant(wp.float64(1.0 / 6.0))
TWO_THIRDS = wp.constant(wp.float64(2.0 / 3.0))


@wp.struct
class GridLevel:
    """One box: node (0, 0, 0) at `origin` [m] from the field's centre, `inverse` [1/m] one over the spacing of nodes.

    It reaches `half` [m] from its `middle` [m], and has `n_x`, `n_y`, `n_z` nodes. `per_rim` [1/m]: one over how far
    from its faces its share falls; `start`: where its coefficients begin, in rows of `row`, a multiple of four. They
    are two more than nodes along each axis: coefficient (i + 1, j + 1, k + 1) belongs to node (i, j, k).
    """

    origin: wp.vec3d
    middle: wp.vec3d
    half: wp.vec3d
    inverse: wp.float64
    per_rim: wp.float64
    n_x: wp.int32
    n_y: wp.int32
    n_z: wp.int32
    start: wp.int32
    row: wp.int32


@wp.struct
class GridParams:
    """Boxes from the finest, their spline `coefficients` [m^2] one after the other, and the field `far` beyond them.

    All of it is the field of G rho = 1, to be multiplied by `strength` G rho [1/s^2]; `center` [m], surface frame.
    """

    center: wp.vec3d
    strength: wp.float64
    levels: wp.array(dtype=GridLevel)
    coefficients: wp.array(dtype=wp.float32)
    far: HarmonicsParams


@wp.struct
class Sloped:
    """A value and its gradient."""

    value: wp.float64
    slope: wp.vec3d


@wp.func
def spline_weights(t: wp.float64) -> wp.vec4d:
    """The four cubic B-splines over a cell, at 0 <= t <= 1."""
    s = wp.float64(1.0) - t
    tt = t * t
    ss = s * s
    half = wp.float64(0.5)
    least = wp.float64(-1.0)
    return wp.vec4d(
        ss * (s * SIXTH),
        fma(tt, fma(t, half, least), TWO_THIRDS),
        fma(ss, fma(s, half, least), TWO_THIRDS),
        tt * (t * SIXTH),
    )


@wp.func
def spline_slopes(t: wp.float64) -> wp.vec4d:
    """Their derivatives."""
    s = wp.float64(1.0) - t
    half = wp.float64(0.5)
    two = wp.float64(2.0)
    middle = wp.float64(1.5)
    return wp.vec4d(minus(s * s * half), t * fma(middle, t, minus(two)), s * fma(minus(middle), s, two), t * t * half)


@wp.func
def dotted4(a: wp.vec4d, b: wp.vec4d) -> wp.float64:
    """The dot product."""
    return fma(a[0], b[0], fma(a[1], b[1], fma(a[2], b[2], a[3] * b[3])))


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    const float4* quads = reinterpret_cast<const float4*>(values.data + (first & ~3));
    const float4 a = quads[0], b = quads[1];
    const bool by_two = first & 2, by_one = first & 1;
    const float c0 = by_two ? a.z : a.x, c1 = by_two ? a.w : a.y, c2 = by_two ? b.x : a.z;
    const float c3 = by_two ? b.y : a.w, c4 = by_two ? b.z : b.x;
    return wp::vec_t<4, double>(by_one ? c1 : c0, by_one ? c2 : c1, by_one ? c3 : c2, by_one ? c4 : c3);
#else
    const float* at = values.data + first;
    return wp::vec_t<4, double>(at[0], at[1], at[2], at[3]);
#endif
    """
)
def four_from(values: wp.array(dtype=wp.float32), first: int) -> wp.vec4d:  # pyright: ignore
    """Four neighbours in memory, on a GPU out of two loads of four each: its threads read all over the grid."""
    ...


@wp.func
def level_potential(grid: wp.ref[GridParams], level: GridLevel, p: wp.vec3d) -> Sloped:
    """The spline of a box and its gradient at a point of it."""
    u = (p - level.origin) * level.inverse
    i = wp.clamp(wp.int32(u[0]), 0, level.n_x - 2)
    j = wp.clamp(wp.int32(u[1]), 0, level.n_y - 2)
    k = wp.clamp(wp.int32(u[2]), 0, level.n_z - 2)
    w_x = spline_weights(u[0] - wp.float64(i))
    w_y = spline_weights(u[1] - wp.float64(j))
    w_z = spline_weights(u[2] - wp.float64(k))
    d_x = spline_slopes(u[0] - wp.float64(i))
    d_y = spline_slopes(u[1] - wp.float64(j))
    d_z = spline_slopes(u[2] - wp.float64(k))
    row = level.row
    plane = (level.n_y + 2) * row
    first = level.start + i * plane + j * row + k
    out = Sloped()
    a = int(0)
    while a < 4:
        value = wp.float64(0.0)
        by_y = wp.float64(0.0)
        by_z = wp.float64(0.0)
        for b in range(4):
            c = four_from(grid.coefficients, first + b * row)
            along = dotted4(c, w_z)
            value = fma(w_y[b], along, value)
            by_y = fma(d_y[b], along, by_y)
            by_z = fma(w_y[b], dotted4(c, d_z), by_z)
        out.value = fma(w_x[a], value, out.value)
        out.slope = wp.vec3d(
            fma(d_x[a], value, out.slope[0]), fma(w_x[a], by_y, out.slope[1]), fma(w_x[a], by_z, out.slope[2])
        )
        first += plane
        a += 1
    out.slope = out.slope * level.inverse
    return out


@wp.func
def fade(t: wp.float64) -> wp.vec2d:
    """A step from 0 to 1 over 0 <= t <= 1 with two continuous derivatives, and its derivative."""
    if t >= wp.float64(1.0):
        return wp.vec2d(wp.float64(1.0), wp.float64(0.0))
    if t > wp.float64(0.0):
        s = wp.float64(1.0) - t
        rise = t * t * t * (wp.float64(10.0) - wp.float64(15.0) * t + wp.float64(6.0) * t * t)
        return wp.vec2d(rise, wp.float64(30.0) * t * t * s * s)
    return wp.vec2d()


@wp.func
def level_share(level: GridLevel, p: wp.vec3d) -> Sloped:
    """Share w of a box at a point, 0 outside it."""
    away = p - level.middle
    out = Sloped()
    depth = wp.vec3d(
        (level.half[0] - wp.abs(away[0])) * level.per_rim,
        (level.half[1] - wp.abs(away[1])) * level.per_rim,
        (level.half[2] - wp.abs(away[2])) * level.per_rim,
    )
    out.value = wp.float64(1.0)
    if depth[0] >= out.value and depth[1] >= out.value and depth[2] >= out.value:
        return out
    x = fade(depth[0])
    y = fade(depth[1])
    z = fade(depth[2])
    out.value = x[0] * y[0] * z[0]
    out.slope = wp.vec3d(
        -wp.sign(away[0]) * x[1] * y[0] * z[0],
        -wp.sign(away[1]) * x[0] * y[1] * z[0],
        -wp.sign(away[2]) * x[0] * y[0] * z[1],
    ) * level.per_rim  # fmt: skip
    return out


@wp.func
def grid_sums(grid: wp.ref[GridParams], position: wp.vec3d) -> Sloped:
    """Potential [m^2] and its gradient [m] for G rho = 1."""
    p = position - grid.center
    out = Sloped()
    rest = Sloped()
    rest.value = wp.float64(1.0)
    one = wp.float64(1.0)
    i = int(0)
    while i < grid.levels.shape[0] and rest.value > wp.float64(0.0):
        level = grid.levels[i]
        share = level_share(level, p)
        if share.value > wp.float64(0.0):
            here = level_potential(grid, level, p)
            if share.value == one and rest.value == one:  # all of it is this box's, as nearly everywhere
                return here
            part = rest.value * share.value
            part_slope = rest.slope * share.value + share.slope * rest.value
            out.value += part * here.value
            out.slope += here.slope * part + part_slope * here.value
            rest.slope = rest.slope * (one - share.value) - share.slope * rest.value
            rest.value = rest.value * (one - share.value)
        i += 1
    if rest.value > wp.float64(0.0):
        far = harmonics_sums(grid.far, position)
        out.value += rest.value * far.potential
        out.slope += rest.slope * far.potential - far.acceleration * rest.value
    return out


@wp.func
def grid_acceleration(grid: wp.ref[GridParams], position: wp.vec3d) -> wp.vec3d:
    """Acceleration [m/s^2] at a position [m] of the surface frame."""
    return grid_sums(grid, position).slope * (-grid.strength)


@wp.func
def grid_potential(grid: wp.ref[GridParams], position: wp.vec3d) -> wp.float64:
    """Potential [m^2/s^2], zero at infinity."""
    return grid_sums(grid, position).value * grid.strength


GRAVITY_GRID = GravityModel("grid", GridParams, grid_acceleration, grid_potential)

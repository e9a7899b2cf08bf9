"""Fractional Brownian motion on the fly: octaves of gradient noise with exact derivatives (VanWal2017, Section 3).

    n(p) = sum_i gain^i N_i(lacunarity^i p/wavelength),   height = amplitude(p) n(p)

N is gradient noise on a lattice (Perlin2002: random slopes at the nodes, blended by the fade 6t^5 - 15t^4 + 10t^3),
here with slopes (+-1, +-1, +-1) from a hash of node and seed, and scaled to unit variance. Each octave has a lattice of
its own, turned and shifted at random, so that no direction is special and the octaves do not vanish together at nodes.
The derivatives are those of the formula, not differences. The amplitude is a trilinear grid, constant beyond its edges.
"""

import warp as wp

from planetfall.compute.fused import fma, minus, plus_scaled, plus_turned, turned_back
from planetfall.world.terrain.noise.at_once import octaves_at_once
from planetfall.world.terrain.noise.lattice import LATTICE_FACTOR, LATTICE_SHIFT, MIXED, WHOLE

FaceSlopes = wp.types.matrix(shape=(3, 4), dtype=wp.float64)
"""Of the four nodes of a face, a column each, the first axis first: 00, 10, 01, 11."""


@wp.struct
class NoiseParams:
    """A field of noise.

    `octaves` [octave]: three rows of a lattice's rotation times frequency [1/m], each with the lattice's shift [-] at
    its end; in the fourth the weight, gain^i over the standard deviation of N, and the seed, plus `WHOLE`.
    `amplitude` [m] where it is the same everywhere, else -1; `amplitudes` [i, j, k] [m], from `origin` [m] in steps of
    one over `per_step` [1/m], axis by axis; `bound` [m] of the height and `slope` [-] of its gradient, never exceeded.
    """

    octaves: wp.array(dtype=wp.mat44d)
    amplitude: wp.float64
    amplitudes: wp.array3d(dtype=wp.float64)
    origin: wp.vec3d
    per_step: wp.vec3d
    bound: wp.float64
    slope: wp.float64


@wp.struct
class Height:
    """A height [m], or another value, and its gradient."""

    value: wp.float64
    slope: wp.vec3d


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    return __dadd_rd(u, whole);
#else
    return ::floor(u) + whole;
#endif
    """
)
def down_from(whole: wp.float64, u: wp.float64) -> wp.float64:  # pyright: ignore[reportReturnType]
    """`WHOLE` plus u rounded down: on a GPU one addition, where a floor and a conversion to integers take long."""
    ...


@wp.func_native("union { double number; unsigned int words[2]; } u; u.number = whole; return u.words[0];")
def low_word(whole: wp.float64) -> wp.uint32:  # pyright: ignore[reportReturnType]
    """The integer, modulo 2^32, that was added to `WHOLE`."""
    ...


@wp.func_native(
    f"""
    wp::mat_t<3, 4, double> out;
#if defined(__CUDA_ARCH__)
#pragma unroll
#else
#pragma clang loop vectorize(enable) interleave(disable) unroll(disable)
#endif
    for (unsigned int node = 0; node < 4; ++node) {{
        unsigned int x = x_low + (node & 1u) * step;
        unsigned int y = y_low + (node >> 1) * step;
        unsigned int z = z_low;
        {MIXED}
        const unsigned int bits = z ^ (x >> 16);
        out.data[0][node] = bits & 0x100u ? 1.0 : -1.0;
        out.data[1][node] = bits & 0x200u ? 1.0 : -1.0;
        out.data[2][node] = bits & 0x400u ? 1.0 : -1.0;
    }}
    return out;
    """
)
def face_slopes(x_low: wp.uint32, y_low: wp.uint32, z_low: wp.uint32, step: wp.uint32) -> FaceSlopes:  # pyright: ignore
    """Random slopes (+-1, +-1, +-1) from three well mixed bits of each node (Jarzynski2020 pcg3d, its last word).

    The arguments are the first node's indices after the generator's first line, and what that makes of one node more.
    Native, since a CPU can do the turns of this loop at once, and its compiler does so only if told.
    """
    ...


@wp.func
def toward(slope: wp.vec3d, x: wp.float64, y: wp.float64, z: wp.float64) -> wp.float64:
    """The slope of a node times a way from it; its products are exact, so that fusing them moves no bit of the sum."""
    return fma(slope[2], z, fma(slope[1], y, slope[0] * x))


@wp.func
def mean_slope(slopes: wp.vec4d, w: wp.vec4d) -> wp.float64:
    """One component of the slopes of four nodes, weighed."""
    return fma(slopes[3], w[3], fma(slopes[2], w[2], fma(slopes[1], w[1], slopes[0] * w[0])))


@wp.func
def fade_in(t: wp.float64) -> wp.float64:
    """The step 6t^5 - 15t^4 + 10t^3: two continuous derivatives at nodes."""
    return t * t * t * fma(t, fma(t, wp.float64(6.0), minus(wp.float64(15.0))), wp.float64(10.0))


@wp.func
def fade_rate(t: wp.float64) -> wp.float64:
    """Its derivative."""
    s = t * (t - wp.float64(1.0))
    return wp.float64(30.0) * s * s


@wp.struct
class Layer:
    """Gradient noise of one face of a cell, across its third axis: value, derivatives along the face, mean slope."""

    value: wp.float64
    by_x: wp.float64
    by_y: wp.float64
    slope: wp.vec3d


@wp.func
def noise_layer(x: wp.uint32, y: wp.uint32, z: wp.uint32, t: wp.vec3d, high: wp.vec3d, weights: wp.vec4d) -> Layer:
    """A face whose first node hashes from x, y, z; `t` is the way from that node, `high` the fades along the face."""
    one = wp.float64(1.0)
    slopes = face_slopes(x, y, z, wp.uint32(LATTICE_FACTOR))
    v00 = toward(slopes[:, 0], t[0], t[1], t[2])
    v10 = toward(slopes[:, 1], t[0] - one, t[1], t[2])
    v01 = toward(slopes[:, 2], t[0], t[1] - one, t[2])
    v11 = toward(slopes[:, 3], t[0] - one, t[1] - one, t[2])
    out = Layer()
    near = v10 - v00
    far = v11 - v01
    low = fma(near, high[0], v00)
    top = fma(far, high[0], v01)
    out.value = fma(top - low, high[1], low)
    out.by_x = fma(far - near, high[1], near)
    out.by_y = top - low
    out.slope = wp.vec3d(mean_slope(slopes[0], weights), mean_slope(slopes[1], weights), mean_slope(slopes[2], weights))
    return out


@wp.func
def gradient_noise(u: wp.vec3d, seed: wp.uint32) -> Height:
    """Gradient noise at lattice coordinates u, with its gradient.

    The blend of eight nodes is taken face by face: the same sum as of eight products, with a third of the arithmetic.
    """
    one = wp.float64(1.0)
    factor = wp.uint32(LATTICE_FACTOR)
    shift = wp.uint32(LATTICE_SHIFT)
    node = wp.vec3d(down_from(WHOLE, u[0]), down_from(WHOLE, u[1]), down_from(WHOLE, u[2]))
    x = low_word(node[0]) * factor + shift + seed
    y = low_word(node[1]) * factor + shift + seed * factor
    z = low_word(node[2]) * factor + shift
    t = wp.vec3d(u[0] - (node[0] - WHOLE), u[1] - (node[1] - WHOLE), u[2] - (node[2] - WHOLE))
    high = wp.vec3d(fade_in(t[0]), fade_in(t[1]), fade_in(t[2]))
    rest_x = one - high[0]
    rest_y = one - high[1]
    weights = wp.vec4d(rest_x * rest_y, high[0] * rest_y, rest_x * high[1], high[0] * high[1])
    below = noise_layer(x, y, z, t, high, weights)
    above = noise_layer(x, y, z + factor, wp.vec3d(t[0], t[1], t[2] - one), high, weights)
    rise = above.value - below.value
    out = Height()
    mean = plus_scaled(below.slope, above.slope - below.slope, high[2])
    out.value = fma(rise, high[2], below.value)
    out.slope = wp.vec3d(
        fma(fade_rate(t[0]), fma(above.by_x - below.by_x, high[2], below.by_x), mean[0]),
        fma(fade_rate(t[1]), fma(above.by_y - below.by_y, high[2], below.by_y), mean[1]),
        fma(fade_rate(t[2]), rise, mean[2]),
    )
    return out


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    const double2* pairs = reinterpret_cast<const double2*>(items.data + i);
    wp::mat_t<4, 4, double> out;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const double2 pair = pairs[k];
        out.data[k / 2][k % 2 * 2] = pair.x;
        out.data[k / 2][k % 2 * 2 + 1] = pair.y;
    }
    return out;
#else
    return items.data[i];
#endif
    """
)
def matrix_at(items: wp.array(dtype=wp.mat44d), i: int) -> wp.mat44d:  # pyright: ignore
    """A matrix of an array, on a GPU in half the loads: its compiler does not know that arrays begin at 16 bytes."""
    ...


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    return 0;
#else
    return 1;
#endif
    """
)
def on_cpu() -> int:  # pyright: ignore[reportReturnType]
    """1 on a CPU, 0 on a GPU, and known to the compiler."""
    ...


@wp.func
def noise_sum(noise: wp.ref[NoiseParams], p: wp.vec3d) -> Height:
    """The sum of octaves, without the amplitude [-], and its gradient [1/m]; on a CPU several octaves are done at once.

    Four take it as long as two one by one.
    """
    n_at_once = int(0)
    if on_cpu() == 1:
        n = noise.octaves.shape[0]
        n_at_once = wp.where(n % 4 == 1, n - 1, n)
    return sum_from(noise, p, n_at_once)


@wp.func
def sum_from(noise: wp.ref[NoiseParams], p: wp.vec3d, n_at_once: int) -> Height:
    """The same, with the first octaves at once and the others one by one."""
    out = Height()
    if n_at_once > 0:
        first = octaves_at_once(noise.octaves, n_at_once, p)
        out.value = first[0]
        out.slope = wp.vec3d(first[1], first[2], first[3])
    i = int(n_at_once)
    while i < noise.octaves.shape[0]:
        m = matrix_at(noise.octaves, i)
        frame = wp.mat33d(m[0, 0], m[0, 1], m[0, 2], m[1, 0], m[1, 1], m[1, 2], m[2, 0], m[2, 1], m[2, 2])
        weight = m[3, 0]
        one = gradient_noise(plus_turned(wp.vec3d(m[0, 3], m[1, 3], m[2, 3]), frame, p), low_word(m[3, 1]))
        out.value = fma(one.value, weight, out.value)
        out.slope = plus_scaled(out.slope, turned_back(frame, one.slope), weight)
        i += 1
    return out


@wp.func
def amplitude_at(noise: wp.ref[NoiseParams], p: wp.vec3d) -> Height:
    """The amplitude [m] and its gradient [-]; constant beyond the edges of its grid."""
    out = Height()
    if noise.amplitude >= wp.float64(0.0):
        out.value = noise.amplitude
        return out
    n_x = noise.amplitudes.shape[0]
    n_y = noise.amplitudes.shape[1]
    n_z = noise.amplitudes.shape[2]
    u = wp.cw_mul(p - noise.origin, noise.per_step)
    zero = wp.float64(0.0)
    x = wp.clamp(u[0], zero, wp.float64(n_x - 1))
    y = wp.clamp(u[1], zero, wp.float64(n_y - 1))
    z = wp.clamp(u[2], zero, wp.float64(n_z - 1))
    i = wp.min(wp.int32(x), n_x - 2)
    j = wp.min(wp.int32(y), n_y - 2)
    k = wp.min(wp.int32(z), n_z - 2)
    a = x - wp.float64(i)
    b = y - wp.float64(j)
    c = z - wp.float64(k)
    grid = noise.amplitudes
    z00 = wp.lerp(grid[i, j, k], grid[i, j, k + 1], c)
    z01 = wp.lerp(grid[i, j + 1, k], grid[i, j + 1, k + 1], c)
    z10 = wp.lerp(grid[i + 1, j, k], grid[i + 1, j, k + 1], c)
    z11 = wp.lerp(grid[i + 1, j + 1, k], grid[i + 1, j + 1, k + 1], c)
    y0 = wp.lerp(z00, z01, b)
    y1 = wp.lerp(z10, z11, b)
    low = wp.lerp(wp.lerp(grid[i, j, k], grid[i, j + 1, k], b), wp.lerp(grid[i + 1, j, k], grid[i + 1, j + 1, k], b), a)
    top = wp.lerp(
        wp.lerp(grid[i, j, k + 1], grid[i, j + 1, k + 1], b),
        wp.lerp(grid[i + 1, j, k + 1], grid[i + 1, j + 1, k + 1], b),
        a,
    )
    out.value = wp.lerp(y0, y1, a)
    if x == u[0]:
        out.slope[0] = (y1 - y0) * noise.per_step[0]
    if y == u[1]:
        out.slope[1] = wp.lerp(z01 - z00, z11 - z10, a) * noise.per_step[1]
    if z == u[2]:
        out.slope[2] = (top - low) * noise.per_step[2]
    return out


@wp.func
def noise_height(noise: wp.ref[NoiseParams], p: wp.vec3d) -> Height:
    """The height of the noise [m] and its exact gradient [-] at a point of the body's frame."""
    out = Height()
    amplitude = amplitude_at(noise, p)
    sum = noise_sum(noise, p)
    out.value = amplitude.value * sum.value
    out.slope = plus_scaled(sum.slope * amplitude.value, amplitude.slope, sum.value)
    return out

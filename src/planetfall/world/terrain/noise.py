"""Fractional Brownian motion on the fly: octaves of gradient noise with exact derivatives (VanWal2017, Section 3).

    n(p) = sum_i gain^i N_i(lacunarity^i p/wavelength),   height = amplitude(p) n(p)

N is gradient noise on a lattice (Perlin2002: random slopes at the nodes, blended by the fade 6t^5 - 15t^4 + 10t^3),
here with slopes (+-1, +-1, +-1) from a hash of node and seed, and scaled to unit variance. Each octave has a lattice of
its own, turned and shifted at random, so that no direction is special and the octaves do not vanish together at nodes.
The derivatives are those of the formula, not differences. The amplitude is a trilinear grid, constant beyond its edges.
"""

import warp as wp

from planetfall.world.fused import fma, minus, plus_scaled, plus_turned, turned_back

LATTICE_FACTOR = wp.constant(1664525)
LATTICE_SHIFT = wp.constant(1013904223)
"""Of the generator's first line."""


@wp.struct
class NoiseParams:
    """A field of noise.

    `frames` [octave] [1/m]: rotation times frequency; `offsets` [octave] [-]: shift of the lattice; `weights` [octave]:
    gain^i over the standard deviation of N; `seeds` [octave]; `amplitude` [m] where it is the same everywhere, else -1;
    `amplitudes` [i, j, k] [m], from `origin` [m] in steps of one over `per_step` [1/m], axis by axis; `bound` [m] of
    the height and `slope` [-] of its gradient, never exceeded.
    """

    frames: wp.array(dtype=wp.mat33d)
    offsets: wp.array(dtype=wp.vec3d)
    weights: wp.array(dtype=wp.float64)
    seeds: wp.array(dtype=wp.uint32)
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


@wp.func
def mixed_bits(x_in: wp.uint32, y_in: wp.uint32, z_in: wp.uint32) -> wp.uint32:
    """Thirty-two well mixed bits for a node of a lattice (Jarzynski2020 pcg3d, its last word).

    The arguments are the node's indices after the generator's first line, which a cell's corners share.
    """
    half = wp.uint32(16)
    x = x_in + y_in * z_in
    y = y_in + z_in * x
    z = z_in + x * y
    x = x ^ (x >> half)
    y = y ^ (y >> half)
    z = z ^ (z >> half)
    x += y * z
    y += z * x
    z += x * y
    return z ^ (x >> half)


@wp.func_native(
    """
    union { double number; unsigned long long bits; } out;
    out.number = value;
    out.bits ^= (unsigned long long)(~(bits << (31u - place)) & 0x80000000u) << 32;
    return out.number;
    """
)
def signed(bits: wp.uint32, place: wp.uint32, value: wp.float64) -> wp.float64:  # pyright: ignore[reportReturnType]
    """A number, or less it where a bit is zero: a random slope of a node is (+-1, +-1, +-1)."""
    ...


@wp.func
def toward(bits: wp.uint32, away: wp.vec3d) -> wp.float64:
    """The slope of a node, of these bits, times a way from it."""
    x = signed(bits, wp.uint32(8), away[0])
    y = signed(bits, wp.uint32(9), away[1])
    return x + y + signed(bits, wp.uint32(10), away[2])


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
def mean_slope(
    b00: wp.uint32, b10: wp.uint32, b01: wp.uint32, b11: wp.uint32, w: wp.vec4d, place: wp.uint32
) -> wp.float64:
    """One component of the slopes of four nodes, weighed."""
    low = signed(b00, place, w[0]) + signed(b10, place, w[1])
    return low + signed(b01, place, w[2]) + signed(b11, place, w[3])


@wp.func
def noise_layer(x: wp.uint32, y: wp.uint32, z: wp.uint32, t: wp.vec3d, high: wp.vec3d, weights: wp.vec4d) -> Layer:
    """A face whose first node hashes from x, y, z; `t` is the way from that node, `high` the fades along the face."""
    factor = wp.uint32(LATTICE_FACTOR)
    one = wp.float64(1.0)
    b00 = mixed_bits(x, y, z)
    b10 = mixed_bits(x + factor, y, z)
    b01 = mixed_bits(x, y + factor, z)
    b11 = mixed_bits(x + factor, y + factor, z)
    v00 = toward(b00, t)
    v10 = toward(b10, wp.vec3d(t[0] - one, t[1], t[2]))
    v01 = toward(b01, wp.vec3d(t[0], t[1] - one, t[2]))
    v11 = toward(b11, wp.vec3d(t[0] - one, t[1] - one, t[2]))
    out = Layer()
    near = v10 - v00
    far = v11 - v01
    low = fma(near, high[0], v00)
    top = fma(far, high[0], v01)
    out.value = fma(top - low, high[1], low)
    out.by_x = fma(far - near, high[1], near)
    out.by_y = top - low
    out.slope = wp.vec3d(
        mean_slope(b00, b10, b01, b11, weights, wp.uint32(8)),
        mean_slope(b00, b10, b01, b11, weights, wp.uint32(9)),
        mean_slope(b00, b10, b01, b11, weights, wp.uint32(10)),
    )
    return out


@wp.func
def gradient_noise(u: wp.vec3d, seed: wp.uint32) -> Height:
    """Gradient noise at lattice coordinates u, with its gradient.

    The blend of eight nodes is taken face by face: the same sum as of eight products, with a third of the arithmetic.
    """
    one = wp.float64(1.0)
    factor = wp.uint32(LATTICE_FACTOR)
    shift = wp.uint32(LATTICE_SHIFT)
    f = wp.vec3d(wp.floor(u[0]), wp.floor(u[1]), wp.floor(u[2]))
    x = wp.uint32(wp.int32(f[0])) * factor + shift + seed
    y = wp.uint32(wp.int32(f[1])) * factor + shift + seed * factor
    z = wp.uint32(wp.int32(f[2])) * factor + shift
    t = u - f
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


@wp.func
def noise_sum(noise: wp.ref[NoiseParams], p: wp.vec3d) -> Height:
    """The sum of octaves, without the amplitude [-], and its gradient [1/m]."""
    out = Height()
    i = int(0)
    while i < noise.weights.shape[0]:
        frame = noise.frames[i]
        weight = noise.weights[i]
        one = gradient_noise(plus_turned(noise.offsets[i], frame, p), noise.seeds[i])
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

"""Fractional Brownian motion on the fly: octaves of gradient noise with exact derivatives (VanWal2017, Section 3).

    n(p) = sum_i gain^i N_i(lacunarity^i p/wavelength),   height = amplitude(p) n(p)

N is gradient noise on a lattice (Perlin2002: random slopes at the nodes, blended by the fade 6t^5 - 15t^4 + 10t^3),
here with slopes (+-1, +-1, +-1) from a hash of node and seed, and scaled to unit variance. Each octave has a lattice of
its own, turned and shifted at random, so that no direction is special and the octaves do not vanish together at nodes.
The derivatives are those of the formula, not differences. The amplitude is a trilinear grid, constant beyond its edges.
"""

import warp as wp


@wp.struct
class NoiseParams:
    """A field of noise.

    `frames` [octave] [1/m]: rotation times frequency; `offsets` [octave] [-]: shift of the lattice; `weights` [octave]:
    gain^i over the standard deviation of N; `seeds` [octave]; `amplitudes` [i, j, k] [m], from `origin` [m] in steps of
    `spacing` [m], axis by axis; `bound` [m] of the height and `slope` [-] of its gradient, never exceeded.
    """

    frames: wp.array(dtype=wp.mat33d)
    offsets: wp.array(dtype=wp.vec3d)
    weights: wp.array(dtype=wp.float64)
    seeds: wp.array(dtype=wp.uint32)
    amplitudes: wp.array3d(dtype=wp.float64)
    origin: wp.vec3d
    spacing: wp.vec3d
    bound: wp.float64
    slope: wp.float64


@wp.struct
class Height:
    """A height [m], or another value, and its gradient."""

    value: wp.float64
    slope: wp.vec3d


@wp.func
def lattice_hash(i: int, j: int, k: int, seed: wp.uint32) -> wp.uint32:
    """Thirty-two well mixed bits for a node of a lattice (Jarzynski2020 pcg3d, its last word)."""
    factor = wp.uint32(1664525)
    shift = wp.uint32(1013904223)
    half = wp.uint32(16)
    x = wp.uint32(i) * factor + shift + seed
    y = wp.uint32(j) * factor + shift + seed * factor
    z = wp.uint32(k) * factor + shift
    x += y * z
    y += z * x
    z += x * y
    x = x ^ (x >> half)
    y = y ^ (y >> half)
    z = z ^ (z >> half)
    x += y * z
    y += z * x
    z += x * y
    return z ^ (x >> half)


@wp.func
def node_slope(i: int, j: int, k: int, seed: wp.uint32) -> wp.vec3d:
    """The random slope of a node: (+-1, +-1, +-1)."""
    bits = lattice_hash(i, j, k, seed)
    one = wp.uint32(1)
    return wp.vec3d(
        wp.float64(wp.int32((bits >> wp.uint32(8)) & one) * 2 - 1),
        wp.float64(wp.int32((bits >> wp.uint32(9)) & one) * 2 - 1),
        wp.float64(wp.int32((bits >> wp.uint32(10)) & one) * 2 - 1),
    )


@wp.func
def fade_in(t: wp.float64) -> wp.float64:
    """The step 6t^5 - 15t^4 + 10t^3: two continuous derivatives at nodes."""
    return t * t * t * (t * (t * wp.float64(6.0) - wp.float64(15.0)) + wp.float64(10.0))


@wp.func
def fade_rate(t: wp.float64) -> wp.float64:
    """Its derivative."""
    s = t * (t - wp.float64(1.0))
    return wp.float64(30.0) * s * s


@wp.func
def gradient_noise(u: wp.vec3d, seed: wp.uint32) -> Height:
    """Gradient noise at lattice coordinates u, with its gradient."""
    one = wp.float64(1.0)
    f = wp.vec3d(wp.floor(u[0]), wp.floor(u[1]), wp.floor(u[2]))
    i = wp.int32(f[0])
    j = wp.int32(f[1])
    k = wp.int32(f[2])
    t = u - f
    high = wp.vec3d(fade_in(t[0]), fade_in(t[1]), fade_in(t[2]))
    rate = wp.vec3d(fade_rate(t[0]), fade_rate(t[1]), fade_rate(t[2]))
    out = Height()
    corner = int(0)
    while corner < 8:
        a = corner & 1
        b = (corner >> 1) & 1
        c = corner >> 2
        slope = node_slope(i + a, j + b, k + c, seed)
        away = t - wp.vec3d(wp.float64(a), wp.float64(b), wp.float64(c))
        value = wp.dot(slope, away)
        w_x = wp.where(a == 1, high[0], one - high[0])
        w_y = wp.where(b == 1, high[1], one - high[1])
        w_z = wp.where(c == 1, high[2], one - high[2])
        r_x = wp.where(a == 1, rate[0], -rate[0])
        r_y = wp.where(b == 1, rate[1], -rate[1])
        r_z = wp.where(c == 1, rate[2], -rate[2])
        weight = w_x * w_y * w_z
        out.value += weight * value
        out.slope += slope * weight + wp.vec3d(r_x * w_y * w_z, w_x * r_y * w_z, w_x * w_y * r_z) * value
        corner += 1
    return out


@wp.func
def noise_sum(noise: NoiseParams, p: wp.vec3d) -> Height:
    """The sum of octaves, without the amplitude [-], and its gradient [1/m]."""
    out = Height()
    i = int(0)
    while i < noise.weights.shape[0]:
        frame = noise.frames[i]
        one = gradient_noise(frame * p + noise.offsets[i], noise.seeds[i])
        out.value += one.value * noise.weights[i]
        out.slope += wp.transpose(frame) * one.slope * noise.weights[i]
        i += 1
    return out


@wp.func
def amplitude_at(noise: NoiseParams, p: wp.vec3d) -> Height:
    """The amplitude [m] and its gradient [-]; constant beyond the edges of its grid."""
    n_x = noise.amplitudes.shape[0]
    n_y = noise.amplitudes.shape[1]
    n_z = noise.amplitudes.shape[2]
    u = wp.cw_div(p - noise.origin, noise.spacing)
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
    out = Height()
    out.value = wp.lerp(y0, y1, a)
    if x == u[0]:
        out.slope[0] = (y1 - y0) / noise.spacing[0]
    if y == u[1]:
        out.slope[1] = wp.lerp(z01 - z00, z11 - z10, a) / noise.spacing[1]
    if z == u[2]:
        out.slope[2] = (top - low) / noise.spacing[2]
    return out


@wp.func
def noise_height(noise: NoiseParams, p: wp.vec3d) -> Height:
    """The height of the noise [m] and its exact gradient [-] at a point of the body's frame."""
    out = Height()
    amplitude = amplitude_at(noise, p)
    sum = noise_sum(noise, p)
    out.value = amplitude.value * sum.value
    out.slope = sum.slope * amplitude.value + amplitude.slope * sum.value
    return out

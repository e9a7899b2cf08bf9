"""Gradient noise of a cell's eight corners: the textbook's sum of eight products in NumPy, and plain sums in Warp.

The second is how the noise was first written: a number's sign bit is flipped where a hash bit is zero, and then added.
"""

from functools import lru_cache
from itertools import product

import numpy as np
import warp as wp

from planetfall.compute.fused import fma
from planetfall.world.terrain.noise.noise import Height, fade_in, fade_rate, gradient_noise


def hashed(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The last word of pcg3d (Jarzynski2020) of three words."""
    x, y, z = (word * np.uint32(1664525) + np.uint32(1013904223) for word in (x, y, z))
    for is_last in (False, True):
        x = x + y * z
        y = y + z * x
        z = z + x * y
        if not is_last:
            x, y = x ^ (x >> np.uint32(16)), y ^ (y >> np.uint32(16))
            z = z ^ (z >> np.uint32(16))
    return z ^ (x >> np.uint32(16))


def noise_of_products(u: np.ndarray, seeds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Value [n] and gradient [n, 3] at lattice coordinates u [n, 3]."""
    first = np.floor(u)
    node = first.astype(np.int64).astype(np.uint32)
    value, gradient = np.zeros(len(u)), np.zeros_like(u)
    # the seed is added to x after the generator's first line, and to y before it
    inverse = np.uint32(pow(1664525, -1, 2**32))
    for corner in product((0, 1), repeat=3):
        x, y, z = (node[:, k] + np.uint32(corner[k]) for k in range(3))
        bits = hashed(x + seeds * inverse, y + seeds, z)
        slope = np.column_stack([np.where(bits >> np.uint32(place) & np.uint32(1), 1.0, -1.0) for place in (8, 9, 10)])
        away = u - first - np.array(corner)
        near = np.abs(away)
        fall = 1.0 - near**3 * (near * (6.0 * near - 15.0) + 10.0)
        rate = -30.0 * (near * (near - 1.0)) ** 2 * np.where(np.array(corner), -1.0, 1.0)
        along, weight = np.sum(slope * away, axis=1), fall.prod(axis=1)
        value += weight * along
        by_place = np.column_stack([rate[:, k] * np.delete(fall, k, axis=1).prod(axis=1) for k in range(3)])
        gradient += weight[:, None] * slope + along[:, None] * by_place
    return value, gradient


@wp.func
def plain_bits(x_in: wp.uint32, y_in: wp.uint32, z_in: wp.uint32) -> wp.uint32:
    """The bits of one node."""
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
def plain_signed(bits: wp.uint32, place: wp.uint32, value: wp.float64) -> wp.float64:  # pyright: ignore[reportReturnType]
    """A number, or less it where a bit is zero."""
    ...


@wp.func
def plain_toward(bits: wp.uint32, x: wp.float64, y: wp.float64, z: wp.float64) -> wp.float64:
    """The slope of a node times a way from it."""
    across = plain_signed(bits, wp.uint32(8), x) + plain_signed(bits, wp.uint32(9), y)
    return across + plain_signed(bits, wp.uint32(10), z)


@wp.func
def plain_mean(bits: wp.vec4ui, w: wp.vec4d, place: wp.uint32) -> wp.float64:
    """One component of the slopes of four nodes, weighed."""
    low = plain_signed(bits[0], place, w[0]) + plain_signed(bits[1], place, w[1])
    return low + plain_signed(bits[2], place, w[2]) + plain_signed(bits[3], place, w[3])


@wp.struct
class PlainLayer:
    """A face: value, derivatives along it, mean slope."""

    value: wp.float64
    by_x: wp.float64
    by_y: wp.float64
    slope: wp.vec3d


@wp.func
def plain_layer(x: wp.uint32, y: wp.uint32, z: wp.uint32, t: wp.vec3d, high: wp.vec3d) -> PlainLayer:
    """A face whose first node hashes from x, y, z."""
    step = wp.uint32(1664525)
    one = wp.float64(1.0)
    bits = wp.vec4ui(
        plain_bits(x, y, z), plain_bits(x + step, y, z), plain_bits(x, y + step, z), plain_bits(x + step, y + step, z)
    )
    v00 = plain_toward(bits[0], t[0], t[1], t[2])
    v10 = plain_toward(bits[1], t[0] - one, t[1], t[2])
    v01 = plain_toward(bits[2], t[0], t[1] - one, t[2])
    v11 = plain_toward(bits[3], t[0] - one, t[1] - one, t[2])
    low = fma(v10 - v00, high[0], v00)
    top = fma(v11 - v01, high[0], v01)
    rest_x = one - high[0]
    rest_y = one - high[1]
    w = wp.vec4d(rest_x * rest_y, high[0] * rest_y, rest_x * high[1], high[0] * high[1])
    out = PlainLayer()
    out.value = fma(top - low, high[1], low)
    out.by_x = fma((v11 - v01) - (v10 - v00), high[1], v10 - v00)
    out.by_y = top - low
    out.slope = wp.vec3d(
        plain_mean(bits, w, wp.uint32(8)), plain_mean(bits, w, wp.uint32(9)), plain_mean(bits, w, wp.uint32(10))
    )
    return out


@wp.func
def plain_noise(u: wp.vec3d, seed: wp.uint32) -> Height:
    """Gradient noise at lattice coordinates u, with its gradient."""
    step = wp.uint32(1664525)
    shift = wp.uint32(1013904223)
    x = wp.uint32(wp.int32(wp.floor(u[0]))) * step + shift + seed
    y = wp.uint32(wp.int32(wp.floor(u[1]))) * step + shift + seed * step
    z = wp.uint32(wp.int32(wp.floor(u[2]))) * step + shift
    t = wp.vec3d(u[0] - wp.floor(u[0]), u[1] - wp.floor(u[1]), u[2] - wp.floor(u[2]))
    high = wp.vec3d(fade_in(t[0]), fade_in(t[1]), fade_in(t[2]))
    below = plain_layer(x, y, z, t, high)
    above = plain_layer(x, y, z + step, wp.vec3d(t[0], t[1], t[2] - wp.float64(1.0)), high)
    rise = above.value - below.value
    out = Height()
    out.value = fma(rise, high[2], below.value)
    for k in range(3):
        out.slope[k] = fma(above.slope[k] - below.slope[k], high[2], below.slope[k])
    out.slope[0] = fma(fade_rate(t[0]), fma(above.by_x - below.by_x, high[2], below.by_x), out.slope[0])
    out.slope[1] = fma(fade_rate(t[1]), fma(above.by_y - below.by_y, high[2], below.by_y), out.slope[1])
    out.slope[2] = fma(fade_rate(t[2]), rise, out.slope[2])
    return out


@lru_cache
def _kernel() -> wp.Kernel:
    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def ask(
        places: wp.array(dtype=wp.vec3d),
        seeds: wp.array(dtype=wp.uint32),
        found_out: wp.array(dtype=Height),
        plain_out: wp.array(dtype=Height),
    ):
        i = wp.tid()
        found_out[i] = gradient_noise(places[i], seeds[i])
        plain_out[i] = plain_noise(places[i], seeds[i])

    return ask


def ours_and_plain(u: np.ndarray, seeds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Value and gradient [n, 4] at lattice coordinates u [n, 3], of the package and of the plain sums."""
    outputs = [wp.zeros(len(u), dtype=Height, device="cpu") for _ in range(2)]
    inputs = [wp.array(u, dtype=wp.vec3d, device="cpu"), wp.array(seeds, dtype=wp.uint32, device="cpu")]
    wp.launch(_kernel(), len(u), inputs=inputs, outputs=outputs, device="cpu")
    ours, plain = (np.column_stack([rows["value"], rows["slope"]]) for rows in (out.numpy() for out in outputs))
    return ours, plain

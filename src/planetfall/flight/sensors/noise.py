"""Normal deviates from a counter: the same number for the same key, whoever asks and in whatever order.

Philox4x32-10 (Salmon2011) turns a 128-bit counter and a 64-bit key into 128 random bits; two uniform numbers of 53 bits
are cut from them and make one normal deviate (BoxMuller1958). The key is the seed; the counter is (tick, stream, run,
channel), so that no state has to be kept and a run has the same noise in every batch.
"""

from typing import Any

import warp as wp

MULTIPLIER_0 = wp.constant(wp.uint64(0xD2511F53))
MULTIPLIER_1 = wp.constant(wp.uint64(0xCD9E8D57))
WEYL_0 = wp.constant(wp.uint32(0x9E3779B9))
WEYL_1 = wp.constant(wp.uint32(0xBB67AE85))
N_ROUNDS = 10
HALF_WORD = wp.constant(wp.uint64(32))
TO_UNIT = wp.constant(wp.float64(2.0**-53))
HIGH_BITS = wp.constant(wp.float64(2.0**26))
TWO_PI = wp.constant(wp.float64(6.283185307179586))


@wp.func
def philox(counter: wp.vec4ui, key: wp.vec2ui) -> wp.vec4ui:
    """128 random bits: ten rounds of two 32 x 32 bit products, crossed and keyed (Salmon2011)."""
    a = counter[0]
    b = counter[1]
    c = counter[2]
    d = counter[3]
    key_0 = key[0]
    key_1 = key[1]
    n = int(0)
    while n < wp.static(N_ROUNDS):
        first = wp.uint64(a) * MULTIPLIER_0
        second = wp.uint64(c) * MULTIPLIER_1
        a = wp.uint32(second >> HALF_WORD) ^ b ^ key_0
        c = wp.uint32(first >> HALF_WORD) ^ d ^ key_1
        b = wp.uint32(second)
        d = wp.uint32(first)
        key_0 = key_0 + WEYL_0
        key_1 = key_1 + WEYL_1
        n += 1
    return wp.vec4ui(a, b, c, d)


@wp.func
def unit_interval(high: wp.uint32, low: wp.uint32) -> wp.float64:
    """A multiple of 2^-53 in [0, 1) from 27 and 26 random bits."""
    return (wp.float64(high >> wp.uint32(5)) * HIGH_BITS + wp.float64(low >> wp.uint32(6))) * TO_UNIT


@wp.func(inline=False)  # called for every channel of every sensor
def normal(key: wp.vec2ui, counter: wp.vec4ui) -> wp.float64:
    """A normal deviate of mean 0 and variance 1; never beyond 8.6, which is sqrt(-2 log 2^-53)."""
    bits = philox(counter, key)
    above_zero = unit_interval(bits[0], bits[1]) + TO_UNIT
    angle = TWO_PI * unit_interval(bits[2], bits[3])
    return wp.sqrt(wp.float64(-2.0) * wp.log(above_zero)) * wp.cos(angle)


def noise_key(seed: int) -> Any:
    """A seed of 64 bits as Philox takes it, low word first."""
    return wp.vec2ui(seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF)

"""Philox4x32-10 in plain Python integers, after the definition in Salmon2011, and normal deviates from its bits."""

from __future__ import annotations

import math

WORD = 0xFFFFFFFF


def philox4x32(counter: tuple[int, ...], key: tuple[int, ...]) -> tuple[int, ...]:
    """Four words from four words and a key of two: ten rounds of a product network."""
    left_0, right_0, left_1, right_1 = counter
    first, second = key
    for _ in range(10):
        high_0, low_0 = divmod(0xD2511F53 * left_0, WORD + 1)
        high_1, low_1 = divmod(0xCD9E8D57 * left_1, WORD + 1)
        left_0, right_0, left_1, right_1 = high_1 ^ right_0 ^ first, low_1, high_0 ^ right_1 ^ second, low_0
        first, second = (first + 0x9E3779B9) & WORD, (second + 0xBB67AE85) & WORD
    return left_0, right_0, left_1, right_1


def normal_deviate(counter: tuple[int, ...], key: tuple[int, ...]) -> float:
    """One normal deviate from two uniform numbers of 53 bits (BoxMuller1958)."""
    a, b, c, d = philox4x32(counter, key)
    radius_bits, angle_bits = (a << 21 & ~((1 << 26) - 1)) + (b >> 6), (c << 21 & ~((1 << 26) - 1)) + (d >> 6)
    return math.sqrt(-2.0 * math.log((radius_bits + 1) * 2.0**-53)) * math.cos(2.0 * math.pi * angle_bits * 2.0**-53)

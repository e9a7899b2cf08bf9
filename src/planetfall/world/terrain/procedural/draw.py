"""Random numbers for terrain: a counter-based generator keyed by seed and stream, and uniform numbers from it.

Each ingredient has a stream of its own, so that more rocks leave the craters where they are. Only uniform numbers are
taken from NumPy, and turned into others by inverting distributions: NumPy keeps the bits of the former from version to
version, not those of its own samplers.
"""

from enum import IntEnum

import numpy as np
from scipy.special import pdtr, pdtrik


class Stream(IntEnum):
    """What is drawn."""

    noise = 1
    craters = 2
    hills = 3
    rocks = 4
    rock_places = 5
    rock_shapes = 6


def uniforms(seed: int, stream: Stream, index: int, shape: tuple[int, ...]) -> np.ndarray:
    """Uniform numbers in [0, 1), always the same for a seed, a stream and an index in it.

    Args:
        seed: From the scenario, 0 to 2^63 - 1.
        stream: What they are for.
        index: Part of the stream, from 0: the octave, the round of placing.
        shape: Shape of the array.
    """
    key = np.array([seed, (int(stream) << 32) + index], dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=key)).random(shape)


def poisson_count(mean: float, u: float) -> int:
    """The Poisson number of a uniform number `u`: the least n with P(N <= n) > u."""
    if mean == 0.0:
        return 0
    n = int(np.ceil(pdtrik(u, mean)))
    while n > 0 and pdtr(n - 1, mean) > u:  # pdtrik is inexact by an ulp or so
        n -= 1
    while pdtr(n, mean) <= u:
        n += 1
    return n

"""The counter-based generator: published answers, an independent implementation, and the statistics of its deviates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from oracles.philox import normal_deviate, philox4x32
from planetfall.flight.sensors.noise import noise_key
from support.flight_probes import normals, philox_bits

ALL_ONES = 0xFFFFFFFF
KNOWN_ANSWERS = [  # of the authors' library Random123, tests/kat_vectors: philox4x32 10
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((ALL_ONES,) * 4, (ALL_ONES,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]
N = 200_000


def counters(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2**32, (n, 4), dtype=np.uint32)


def grid(column: int, n: int = N) -> np.ndarray:
    """Counters that differ in one word only, as successive ticks, runs or channels do."""
    out = np.tile(np.array([7, 123456789, 3, 1], np.uint32), (n, 1))
    out[:, column] = np.arange(n)
    return out


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN_ANSWERS)
def test_known_answers(counter: tuple[int, ...], key: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert tuple(philox_bits([counter], [key])[0].tolist()) == expected
    assert philox4x32(counter, key) == expected


def test_bits_are_those_of_plain_integers() -> None:
    words, keys = counters(500, 0), counters(500, 1)[:, :2]
    expected = [philox4x32(tuple(map(int, c)), tuple(map(int, k))) for c, k in zip(words, keys, strict=True)]
    np.testing.assert_array_equal(philox_bits(words, keys), expected)


def test_deviates_are_those_of_the_bits() -> None:
    """A logarithm, a root and a cosine, each within an ulp of its own size; none exceeds 8.6."""
    words, keys = counters(2000, 2), counters(2000, 3)[:, :2]
    expected = [normal_deviate(tuple(map(int, c)), tuple(map(int, k))) for c, k in zip(words, keys, strict=True)]
    np.testing.assert_allclose(normals(words, keys), expected, rtol=1e-14, atol=8.6 * 1e-15)


def test_seed_fills_the_key_low_word_first() -> None:
    assert list(noise_key(5)) == [5, 0]
    assert list(noise_key(2**63 - 1)) == [0xFFFFFFFF, 0x7FFFFFFF]


@pytest.mark.parametrize("column", range(4), ids=["tick", "stream", "run", "channel"])
def test_deviates_are_normal_along_every_word_of_the_counter(column: int) -> None:
    """Moments within five standard errors; the distribution by Kolmogorov and Smirnov, which 1 of 1e4 fails."""
    found = normals(grid(column), np.tile([11, 12], (N, 1)))
    assert abs(found.mean()) < 5.0 / np.sqrt(N)
    assert abs(found.var() - 1.0) < 5.0 * np.sqrt(2.0 / N)
    assert abs((found**3).mean()) < 5.0 * np.sqrt(15.0 / N)
    assert abs((found**4).mean() - 3.0) < 5.0 * np.sqrt(96.0 / N)
    assert stats.kstest(found, "norm").pvalue > 1e-4


@pytest.mark.parametrize("column", range(4), ids=["tick", "stream", "run", "channel"])
def test_neighbours_are_not_correlated(column: int) -> None:
    """Along every word, at lags of 1 to 5: five standard errors."""
    found = normals(grid(column), np.tile([11, 12], (N, 1)))
    for lag in range(1, 6):
        assert abs(np.mean(found[lag:] * found[:-lag])) < 5.0 / np.sqrt(N - lag)


def test_every_word_of_key_and_counter_matters() -> None:
    """One bit anywhere, and half of all bits change: 64 of 128 on average, five standard errors of 2000 trials."""
    words, keys = counters(2000, 4), counters(2000, 5)[:, :2]
    before = philox_bits(words, keys)
    for column in range(6):
        bit = np.random.default_rng(column).integers(0, 32, 2000).astype(np.uint32)
        other, other_keys = words.copy(), keys.copy()
        place = other[:, column] if column < 4 else other_keys[:, column - 4]
        place ^= np.uint32(1) << bit
        flips = np.unpackbits((before ^ philox_bits(other, other_keys)).view(np.uint8), axis=1).sum(axis=1)
        assert abs(flips.mean() - 64.0) < 5.0 * np.sqrt(32.0 / 2000)

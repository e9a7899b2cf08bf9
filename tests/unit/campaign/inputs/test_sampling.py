"""Uniform numbers: the same for a run whoever asks for it, and as even as their method promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planetfall import InputError
from planetfall.campaign.inputs.sampling import METHODS, Sampling
from support.few import few

INPUTS = (("a", 1), ("b", 3), ("c", 2))
N = 200


def sampled(method: str, n: int = N, seed: int = 5) -> Sampling:
    return Sampling(method, seed, n, INPUTS)


@pytest.mark.parametrize("method", METHODS)
@few(15)
@given(data=st.data())
def test_a_run_has_its_numbers_whatever_is_drawn_with_it(method: str, data: st.DataObject) -> None:
    whole = sampled(method).uniforms(0, N)
    first = data.draw(st.integers(0, N - 1))
    last = data.draw(st.integers(first + 1, N))
    part = sampled(method).uniforms(first, last)
    for name, width in INPUTS:
        assert part[name].shape == (last - first, width)
        np.testing.assert_array_equal(part[name], whole[name][first:last])


@pytest.mark.parametrize("method", METHODS)
def test_numbers_lie_between_zero_and_one(method: str) -> None:
    for numbers in sampled(method, 2000).uniforms(0, 2000).values():
        assert numbers.min() > 0.0
        assert numbers.max() < 1.0


@pytest.mark.parametrize("method", METHODS)
def test_seeds_differ(method: str) -> None:
    one, other = (sampled(method, seed=seed).uniforms(0, N)["b"] for seed in (1, 2))
    assert not np.any(one == other)


def test_random_numbers_are_those_of_philox() -> None:
    """Keyed by seed and input, counted by run: NumPy's own generator, one run at a time."""
    import hashlib

    digest = int.from_bytes(hashlib.sha256(b"b").digest()[:8], "little")
    for run in (0, 1, 17, 10**12):
        raw = np.random.Philox(key=[5, digest], counter=[run, 0, 0, 0]).random_raw(4)
        expected = ((raw >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53
        np.testing.assert_array_equal(Sampling("random", 5, N, INPUTS).uniforms(run, run + 1)["b"][0], expected[:3])


def test_inputs_leave_each_other_alone() -> None:
    alone = Sampling("random", 5, N, (("b", 3),)).uniforms(0, N)
    np.testing.assert_array_equal(alone["b"], sampled("random").uniforms(0, N)["b"])


def test_random_numbers_are_independent_and_even() -> None:
    """100,000 numbers: mean within 5 standard errors of 1/2, correlations within 5 of 0."""
    n = 100_000
    numbers = np.column_stack(list(Sampling("random", 1, n, INPUTS).uniforms(0, n).values()))
    assert np.abs(numbers.mean(axis=0) - 0.5).max() < 5 / np.sqrt(12 * n)
    assert np.abs(np.corrcoef(numbers.T) - np.eye(6)).max() < 5 / np.sqrt(n)
    assert np.abs(np.corrcoef(numbers[:-1].T, numbers[1:].T)[:6, 6:]).max() < 5 / np.sqrt(n)


def test_a_latin_hypercube_meets_every_stratum_once() -> None:
    for numbers in sampled("latin-hypercube").uniforms(0, N).values():
        for column in numbers.T:
            assert sorted((column * N).astype(int)) == list(range(N))


def test_sobol_points_are_evener_than_random_ones() -> None:
    from scipy.stats import qmc

    even, random = (np.column_stack(list(sampled(m, 256).uniforms(0, 256).values())) for m in ("sobol", "random"))
    assert qmc.discrepancy(even) < 0.5 * qmc.discrepancy(random)
    for column in even.T:
        assert sorted((column * 256).astype(int)) == list(range(256))


def test_saltelli_blocks_mix_two_points() -> None:
    numbers = sampled("saltelli").uniforms(0, N)
    blocks = {name: values.reshape(-1, 5, values.shape[1]) for name, values in numbers.items()}
    for i, values in enumerate(blocks.values()):
        a, b = values[:, 0], values[:, -1]
        assert not np.any(a == b)
        for j in range(3):
            np.testing.assert_array_equal(values[:, 1 + j], b if i == j else a)


def test_saltelli_needs_whole_blocks() -> None:
    with pytest.raises(InputError, match=r"101 runs do not make whole blocks of 5.*use -n 100"):
        sampled("saltelli", 101).check()


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(InputError, match=r"unknown 'halton'; expected one of random, latin-hypercube, sobol, saltelli"):
        sampled("halton").check()

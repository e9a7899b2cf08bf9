"""Intervals of confidence against their definitions: inverted tests, binomial sums, coverage counted out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from planetfall.analysis.campaign.intervals import bootstrap, of_mean, of_quantile, runs_needed, wilson
from support.few import few


@few(50)
@given(n=st.integers(1, 5000), data=st.data())
def test_wilson_inverts_the_score_test(n: int, data: st.DataObject) -> None:
    """At its ends p the score (share - p)/sqrt(p(1-p)/n) is plus or minus z."""
    count = data.draw(st.integers(0, n))
    found = wilson(count, n, 0.95)
    z = stats.norm.ppf(0.975)
    for end in (found.low, found.high):
        if 0.0 < end < 1.0:
            assert abs(found.value - end) == pytest.approx(z * np.sqrt(end * (1 - end) / n), rel=1e-9)
    assert 0.0 <= found.low <= found.value <= found.high <= 1.0
    assert (found.low == 0.0) == (count == 0)
    assert (found.high == 1.0) == (count == n)


def test_wilson_is_scipys() -> None:
    """To rounding; SciPy has it as a method of a test of a share."""
    for count in range(0, 101, 7):
        found, expected = wilson(count, 100), stats.binomtest(count, 100).proportion_ci(method="wilson")
        np.testing.assert_allclose([found.low, found.high], [expected.low, expected.high], atol=4e-16)


def test_wilson_without_runs_knows_nothing() -> None:
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)


def test_mean_is_students() -> None:
    values = np.random.Generator(np.random.Philox(key=1)).normal(size=20)
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.9)
    found = of_mean(np.append(values, np.nan), 0.9)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)
    assert found.n == 20


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_values_leave_everything_open(n: int) -> None:
    assert of_mean(np.ones(n)).half_width == np.inf
    assert of_quantile(np.ones(n), 0.5).half_width == np.inf


@pytest.mark.parametrize("shape", [(0,), (0, 2)])
def test_a_bootstrap_of_nothing_knows_nothing(shape: tuple[int, ...]) -> None:
    found = bootstrap(np.empty(shape), np.mean)
    assert (found.n, found.half_width) == (0, np.inf)
    assert np.isnan(found.value)


def test_a_bootstrap_leaves_out_runs_with_a_value_that_is_no_number() -> None:
    places = np.array([[1.0, 2.0], [np.nan, 3.0], [4.0, 5.0], [6.0, np.inf]])
    assert bootstrap(places, np.mean).n == 2
    assert bootstrap(places, np.mean).value == pytest.approx(3.0)


@pytest.mark.parametrize("n", [1, 5, 30, 200])
@pytest.mark.parametrize("p", [0.05, 0.5, 0.9])
def test_quantile_intervals_cover_by_the_binomial_law(n: int, p: float) -> None:
    """The ends are order statistics i and j: they hold the quantile with P(i <= B < j), B binomial(n, p).

    That has to reach 95 %, with no more than 2.5 % missed on either side, and the next narrower end would miss more.
    """
    found = of_quantile(np.arange(1.0, n + 1), p, 0.95)
    i = 0 if np.isinf(found.low) else int(found.low)
    j = n + 1 if np.isinf(found.high) else int(found.high)
    law = stats.binom(n, p)
    assert law.cdf(i - 1) <= 0.025 + 1e-12
    assert law.sf(j - 1) <= 0.025 + 1e-12
    assert i == n or law.cdf(i) > 0.025 or i == 0
    assert j <= 1 or law.sf(j - 2) > 0.025


def test_bootstrap_agrees_with_student_on_a_mean() -> None:
    """400 values: the two differ by the bootstrap's own noise, about 1.4 sigma/sqrt(n)/sqrt(1000) at 2.5 %, times 3."""
    values = np.random.Generator(np.random.Philox(key=4)).normal(2.0, 1.0, 400)
    boot, student = bootstrap(values, np.mean), of_mean(values)
    error = values.std() / 20
    assert abs(boot.low - student.low) < 3 * 2.7 * error / np.sqrt(1000)
    assert abs(boot.high - student.high) < 3 * 2.7 * error / np.sqrt(1000)
    assert bootstrap(values, np.mean) == boot


@pytest.mark.parametrize(("probability", "needed"), [(0.5, 6), (0.95, 72), (0.05, 72), (0.99, 368), (0.01, 368)])
def test_a_quantile_needs_runs_beyond_it(probability: float, needed: int) -> None:
    """The interval has two ends from p^n <= 0.025 on, and not with one run less."""
    assert runs_needed(probability) == needed
    for n, is_known in ((needed, True), (needed - 1, False)):
        found = of_quantile(np.arange(float(n)), probability)
        assert np.isfinite([found.low, found.high]).all() == is_known


def test_a_mean_stays_within_what_is_possible() -> None:
    """Two times of 4.7 and 5.8 s: Student's interval would begin before the start of the runs."""
    found = of_mean(np.array([4.743, 5.788]), bounds=(0.0, np.inf))
    assert found.low == 0.0
    assert found.high > 11.0

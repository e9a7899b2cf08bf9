"""Comparing campaigns: differences are found where there are some, and elsewhere no more often than by chance."""

from __future__ import annotations

import numpy as np
import xarray as xr
from scipy import stats

from planetfall.analysis.campaign.comparison import column_difference, compare, share_differences
from planetfall.analysis.campaign.intervals import (
    converging_mean,
    converging_quantile,
    converging_share,
    ladder,
    wilson,
)


def drawn(shift: float, n: int, key: int) -> np.ndarray:
    return np.random.Generator(np.random.Philox(key=key)).normal(shift, 1.0, n)


def test_means_differ_by_welch() -> None:
    a, b = drawn(0.0, 300, 1), drawn(0.5, 200, 2)
    found = column_difference(a, b)
    expected = stats.ttest_ind(b, a, equal_var=False).confidence_interval(0.95)
    assert found is not None
    np.testing.assert_allclose([found.mean.low, found.mean.high], [expected.low, expected.high], rtol=1e-9)
    assert (found.distance, found.chance) == tuple(stats.ks_2samp(a, b))


def test_nothing_is_found_where_nothing_is() -> None:
    """200 pairs of equal campaigns: 95 % of the intervals hold zero, within 5 sigma of the count."""
    holds = 0
    for key in range(200):
        found = column_difference(drawn(0.0, 60, 2 * key), drawn(0.0, 60, 2 * key + 1))
        assert found is not None
        holds += found.mean.low <= 0.0 <= found.mean.high
    assert abs(holds - 190) < 5 * np.sqrt(200 * 0.95 * 0.05)


def test_shares_differ_by_newcombe() -> None:
    """Newcombe1998, Table II(a): 56/70 less 48/80 is 0.2, from 0.0524 to 0.3339."""
    first = np.array(["settled"] * 48 + ["sliding"] * 32)
    second = np.array(["settled"] * 56 + ["sliding"] * 14)
    found = share_differences(first, second)["settled"]
    np.testing.assert_allclose([found.value, found.low, found.high], [0.2, 0.0524, 0.3339], atol=5e-5)


def test_columns_that_both_have_are_compared() -> None:
    a = xr.Dataset({"x_m": ("run", np.arange(9.0)), "seed": ("run", np.ones(9, int)), "in.a": ("run", np.ones(9))})
    b = a.assign(y_m=("run", np.arange(9.0)))
    assert list(compare(a, b)) == ["x_m"]
    assert column_difference(np.array([1.0, np.nan]), np.arange(3.0)) is None


def test_a_difference_says_how_many_runs_have_a_number() -> None:
    found = column_difference(np.array([1.0, np.nan, 2.0]), np.arange(5.0))
    assert found is not None
    assert found.counts == (2, 5)


def test_convergence_ends_in_the_whole() -> None:
    values, at = drawn(3.0, 500, 4), ladder(500)
    assert at[0] == 10
    assert at[-1] == 500
    assert np.all(np.diff(at) > 0)
    assert converging_mean(values, at)[-1].value == values.mean()
    assert converging_quantile(values, 0.9, at)[-1].value == np.quantile(values, 0.9)
    assert converging_share(values > 3.0, at)[-1] == wilson(int((values > 3.0).sum()), 500)
    assert converging_share(values > 3.0, at)[0] == wilson(int((values[:10] > 3.0).sum()), 10)
    assert ladder(4).tolist() == [1, 2, 3, 4]

"""Slopes in a few numbers, against all of them at once."""

from __future__ import annotations

import numpy as np
import pytest

from planetfall.analysis.terrain.slope_tally import SlopeTally

BIN = np.radians(1e-3)


def test_nothing_has_no_slope() -> None:
    tally = SlopeTally()
    tally.add(np.array([np.nan, np.nan]))
    tally.add(np.array([0.1]), np.array([0.0]))
    tally.add(np.empty(0))
    assert tally.result() is None


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.3, np.pi / 2, np.pi])
def test_one_slope_everywhere_is_that_slope(angle: float) -> None:
    """Bins know the mean of what fell into them, so that nothing is lost to their width."""
    tally = SlopeTally()
    tally.add(np.full(1000, angle))
    found = tally.result()
    assert found is not None
    assert (found.rms, found.median, found.most, found.largest) == pytest.approx((angle,) * 4, rel=1e-13)


def test_pieces_are_as_good_as_the_whole() -> None:
    """Quantiles to the width of a bin, the rest to rounding."""
    rng = np.random.default_rng(5)
    angles = np.abs(rng.normal(scale=0.2, size=20001))
    tally = SlopeTally()
    for part in np.array_split(angles, 7):
        tally.add(part)
    found = tally.result()
    assert found is not None
    assert found.rms == pytest.approx(np.sqrt(np.mean(angles**2)), rel=1e-12)
    assert found.largest == angles.max()
    assert found.median == pytest.approx(np.quantile(angles, 0.5), abs=BIN)
    assert found.most == pytest.approx(np.quantile(angles, 0.95), abs=BIN)


def test_weights_are_shares_of_the_ground() -> None:
    """Four facets that cover 50, 44, 5 and 1 %: the median is the first's, 95 % lie below the third's."""
    tally = SlopeTally()
    tally.add(np.array([0.1, 0.2, 0.3, 0.4]), np.array([51.0, 43.0, 5.0, 1.0]))
    found = tally.result()
    assert found is not None
    assert (found.median, found.most, found.largest) == pytest.approx((0.1, 0.3, 0.4), rel=1e-13)
    assert found.rms == pytest.approx(np.sqrt(0.51 * 0.01 + 0.43 * 0.04 + 0.05 * 0.09 + 0.01 * 0.16), rel=1e-12)

"""How widely runs ended, for clouds whose spread has a closed form."""

from __future__ import annotations

import numpy as np
import pytest

from planetfall.analysis.campaign.intervals import bootstrap
from planetfall.analysis.campaign.landing_ellipse import RADII, landing_spread, radius_of


def cloud(n: int, key: int, sigma: float = 3.0) -> np.ndarray:
    """A round normal cloud: its radii follow Rayleigh's law, sigma sqrt(-2 ln(1 - share))."""
    return np.array([40.0, -7.0]) + np.random.Generator(np.random.Philox(key=key)).normal(0.0, sigma, (n, 2))


@pytest.mark.parametrize("share", RADII)
def test_radii_follow_rayleighs_law(share: float) -> None:
    """A quantile of n values is off by sqrt(p (1 - p)/n) over the density, r/sigma^2 exp(-r^2/(2 sigma^2)); times 5."""
    n, sigma = 20_000, 3.0
    expected = sigma * np.sqrt(-2.0 * np.log(1.0 - share))
    density = expected / sigma**2 * (1.0 - share)
    assert abs(radius_of(cloud(n, 1), share) - expected) < 5 * np.sqrt(share * (1 - share) / n) / density


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_intervals_hold_the_truth_as_often_as_they_say(share: float) -> None:
    """Of 60 clouds of 300; percentile intervals at 95 % are a little short: 90 %, less 3 deviations of that."""
    truth, held = 3.0 * np.sqrt(-2.0 * np.log(1.0 - share)), 0
    for key in range(60):
        found = bootstrap(cloud(300, key), lambda some: radius_of(some, share), resamples=200)
        held += found.low <= truth <= found.high
    assert held >= 60 * 0.9 - 3 * np.sqrt(60 * 0.9 * 0.1)


def test_axes_are_those_of_a_long_cloud() -> None:
    """Standard deviations are known to 1/sqrt(2 n), times 5; each lies inside its own interval."""
    points = cloud(4000, 3, 1.0) * [8.0, 2.0]
    found = landing_spread(points)
    for name, sigma in (("larger standard deviation", 8.0), ("smaller standard deviation", 2.0)):
        assert abs(found[name].value / sigma - 1.0) < 5 / np.sqrt(8000)
        assert found[name].low < found[name].value < found[name].high


def test_two_places_have_no_spread() -> None:
    assert landing_spread(np.zeros((2, 2))) == {}

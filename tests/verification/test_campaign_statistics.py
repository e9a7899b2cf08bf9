"""Campaigns of a case whose answer is known: a point launched at a normal speed slides v^2/(2 mu g) and stops.

One large campaign is cut into many small ones, which is the same as running those: run i depends on nothing but the
scenario, the seed and i. The thousand campaigns run one by one are in the long tier.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import planetfall
from planetfall.analysis.campaign.intervals import of_mean, of_quantile, wilson
from support.dispersed import FRICTION_DEG, GRAVITY, SPEED, SPREAD, V1, sliding_point, stopping_distance

SIZE, CAMPAIGNS = 100, 300
N = SIZE * CAMPAIGNS
FAR = 0.5
"""Distance [m] whose probability to be passed is asked for."""
BRAKING = 2.0 * np.tan(np.radians(FRICTION_DEG)) * GRAVITY
MEAN = (SPEED**2 + SPREAD**2 + V1**2) / BRAKING
VARIANCE = (4.0 * SPEED**2 * SPREAD**2 + 2.0 * SPREAD**4) / BRAKING**2
SHARE = float(stats.norm(SPEED, SPREAD).sf(np.sqrt(FAR * BRAKING - V1**2)))
MEDIAN = float(stopping_distance(np.array(SPEED)))


@lru_cache
def slides() -> xr.Dataset:
    return planetfall.montecarlo(sliding_point(), N, 42, shard_size=N).data


def distances() -> np.ndarray:
    return slides().distance_m.values.reshape(CAMPAIGNS, SIZE)


def test_every_run_goes_as_far_as_it_must() -> None:
    """The step that crosses the kink of friction at V1 misses about (mu g h)^2/(8 V1) of speed, 6e-4 m/s at 4 ms, which
    then decays over V1/(mu g), 5.5 ms: 3.4e-6 m. Twice that is allowed."""
    expected = stopping_distance(slides()["in.initial.velocity.0"].values)
    np.testing.assert_allclose(slides().distance_m.values, expected, rtol=0, atol=7e-6)
    assert set(slides().outcome.values) == {"settled"}


def test_moments_are_those_of_the_closed_form() -> None:
    """Five standard errors: sigma/sqrt(n) for the mean, and for the variance that of its estimate."""
    found = distances().ravel()
    assert abs(found.mean() - MEAN) < 5 * np.sqrt(VARIANCE / N)
    fourth = np.mean((found - found.mean()) ** 4)
    assert abs(found.var() - VARIANCE) < 5 * np.sqrt((fourth - VARIANCE**2) / N)
    assert abs(np.mean(found > FAR) - SHARE) < 5 * np.sqrt(SHARE * (1 - SHARE) / N)


def within(hits: int, n: int, probability: float) -> bool:
    """Whether a count is within five standard deviations of what its probability makes likely."""
    return abs(hits - n * probability) < 5 * np.sqrt(n * probability * (1 - probability))


def wilson_coverage() -> float:
    """How often a Wilson interval from SIZE runs holds the truth: the binomial sum over all counts."""
    counts = np.arange(SIZE + 1)
    holds = [wilson(int(k), SIZE).low <= SHARE <= wilson(int(k), SIZE).high for k in counts]
    return float(stats.binom(SIZE, SHARE).pmf(counts)[holds].sum())


def test_wilson_intervals_cover_as_often_as_they_should() -> None:
    assert abs(wilson_coverage() - 0.95) < 0.02
    intervals = [wilson(int(np.count_nonzero(campaign > FAR)), SIZE) for campaign in distances()]
    hits = sum(interval.low <= SHARE <= interval.high for interval in intervals)
    assert within(hits, CAMPAIGNS, wilson_coverage())


def test_intervals_of_mean_and_median_cover_as_often_as_they_should() -> None:
    """Nominal 95 % for the mean of 100 nearly normal values; for the median what the binomial law gives."""
    means, medians = [of_mean(c) for c in distances()], [of_quantile(c, 0.5) for c in distances()]
    assert within(sum(m.low <= MEAN <= m.high for m in means), CAMPAIGNS, 0.95)
    law = stats.binom(SIZE, 0.5)
    i = int(stats.binom(SIZE, 0.5).ppf(0.025))
    assert within(sum(m.low <= MEDIAN <= m.high for m in medians), CAMPAIGNS, float(law.cdf(SIZE - i) - law.cdf(i - 1)))


def test_even_samples_know_the_mean_better() -> None:
    """512 Sobol or hypercube runs of one input: an error many times below the random one of sigma/sqrt(n)."""
    for sampling in ("sobol", "latin-hypercube"):
        found = planetfall.montecarlo(sliding_point(), 512, 3, sampling=sampling).data.distance_m.values
        assert abs(found.mean() - MEAN) < 0.05 * np.sqrt(VARIANCE / 512)


def test_a_stop_rule_stops_where_it_promised() -> None:
    """Wilson's half-width at n is within a shard of the promised one, and what it knows is right."""
    rule = f"P(distance_m > {FAR}) +- 0.03 at 99%"
    found = planetfall.montecarlo(sliding_point(), 100_000, 8, until=rule, shard_size=50).summary["estimate"]
    assert found["is_met"]
    assert found["half_width"] <= 0.03
    z = stats.norm.ppf(0.995)
    needed = SHARE * (1 - SHARE) * (z / 0.03) ** 2
    assert abs(found["n_runs"] - needed) < 0.3 * needed
    assert found["low"] <= SHARE <= found["high"]


@pytest.mark.long
def test_a_thousand_campaigns_cover_as_often_as_they_should() -> None:
    """The same with campaigns that are really run one by one, each with its own seed."""
    shares, means = [], []
    for seed in range(1000):
        found = planetfall.montecarlo(sliding_point(), SIZE, seed).data.distance_m.values
        shares.append(wilson(int(np.count_nonzero(found > FAR)), SIZE))
        means.append(of_mean(found))
    assert within(sum(s.low <= SHARE <= s.high for s in shares), 1000, wilson_coverage())
    assert within(sum(m.low <= MEAN <= m.high for m in means), 1000, 0.95)

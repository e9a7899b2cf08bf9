"""How well a finite number of runs knows something: intervals of confidence for shares, means and quantiles.

Also how such estimates settle as runs are added.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special


@dataclass(frozen=True)
class Interval:
    """An estimate with its interval of confidence.

    Attributes:
        value: The estimate; NaN without any runs.
        low: Lower end.
        high: Upper end.
        n: Runs that it rests on.
        confidence: How often such an interval holds the truth.
    """

    value: float
    low: float
    high: float
    n: int
    confidence: float

    @property
    def half_width(self) -> float:
        """Half of the interval's length."""
        return 0.5 * (self.high - self.low)


def wilson(count: int, n: int, confidence: float = 0.95) -> Interval:
    """A share of `count` out of `n` (Wilson1927)."""
    if n == 0:
        return Interval(np.nan, 0.0, 1.0, 0, confidence)
    z = float(special.ndtri(0.5 + 0.5 * confidence))
    share = count / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4.0 * n * n))
    low, high = 0.0 if count == 0 else middle - reach, 1.0 if count == n else middle + reach
    return Interval(share, float(low), float(high), n, confidence)


def of_mean(values: np.ndarray, confidence: float = 0.95, bounds: tuple[float, float] = (-np.inf, np.inf)) -> Interval:
    """A mean, by Student's distribution (Student1908); values that are not numbers do not count.

    The interval ends at the `bounds` of what the quantity can be, where the mean must lie, too.
    """
    kept = values[np.isfinite(values)]
    n = len(kept)
    if n < 2:
        return Interval(float(kept.mean()) if n else np.nan, -np.inf, np.inf, n, confidence)
    mean, error = float(kept.mean()), float(kept.std(ddof=1)) / np.sqrt(n)
    reach = float(special.stdtrit(n - 1, 0.5 + 0.5 * confidence)) * error
    return Interval(mean, max(mean - reach, bounds[0]), min(mean + reach, bounds[1]), n, confidence)


def runs_needed(probability: float, confidence: float = 0.95) -> int:
    """Fewest runs from which a quantile has an interval with two ends: 6 for a median, 72 for 95 %, 368 for 99 %.

    With fewer, it is too likely that no run lies beyond the true quantile.
    """
    return int(np.ceil(np.log(0.5 * (1.0 - confidence)) / np.log(max(probability, 1.0 - probability))))


def of_quantile(values: np.ndarray, probability: float, confidence: float = 0.95) -> Interval:
    """A quantile between two order statistics, whatever the distribution is; NaN does not count.

    The number of values below the true quantile is binomial; the interval leaves at most half of what may be missed on
    each side. Where too few values lie beyond the quantile, an end is infinite.
    """
    return of_sorted_quantile(np.sort(values[np.isfinite(values)]), probability, confidence)


def of_sorted_quantile(kept: np.ndarray, probability: float, confidence: float = 0.95) -> Interval:
    """The same for values in rising order, all of them numbers."""
    n = len(kept)
    if n == 0:
        return Interval(np.nan, -np.inf, np.inf, 0, confidence)
    missed = 0.5 * (1.0 - confidence)
    reach = 20.0 * np.sqrt(n * probability * (1.0 - probability)) + 20.0  # beyond, nothing of the law is left
    first, last = max(0, int(n * probability - reach)), min(n, int(n * probability + reach))
    below = special.bdtr(np.arange(first, last + 1), n, probability)  # P(at most k values lie below the quantile)
    low = first + int(np.searchsorted(below, missed, side="right"))  # first k whose tail is too heavy
    high = first + int(np.searchsorted(below, 1.0 - missed, side="left")) + 1
    ends = kept[low - 1] if low > 0 else -np.inf, kept[high - 1] if high <= n else np.inf
    place = probability * (n - 1)  # between the two values around it, as NumPy's quantiles are by default
    at = int(place)
    value = kept[at] + (place - at) * (kept[min(at + 1, n - 1)] - kept[at])
    return Interval(float(value), float(ends[0]), float(ends[1]), n, confidence)


def bootstrap(
    values: np.ndarray,
    statistic: Callable[[np.ndarray], float],
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Interval:
    """Any statistic of runs [run] or [run, number], from percentiles over resampled runs (Efron1979).

    For what no formula covers: a radius that holds so many of the runs, an axis of an ellipse. The same interval for
    the same seed. Runs with a value that is not a number do not count.
    """
    kept = values[np.isfinite(values).all(axis=tuple(range(1, values.ndim)))]
    n = len(kept)
    if n == 0:
        return Interval(np.nan, -np.inf, np.inf, 0, confidence)
    rng = np.random.Generator(np.random.Philox(key=seed))
    found = np.array([statistic(kept[rng.integers(0, n, n)]) for _ in range(resamples)])
    low, high = np.quantile(found, [0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence])
    return Interval(float(statistic(kept)), float(low), float(high), n, confidence)


def ladder(n: int, first: int = 10, steps: int = 60) -> np.ndarray:
    """Numbers of runs at which to look: evenly spaced on a logarithmic scale, the last one all of them."""
    if n <= first:
        return np.arange(1, n + 1)
    return np.unique(np.geomspace(first, n, steps).round().astype(int))


def converging_share(is_so: np.ndarray, at: np.ndarray) -> list[Interval]:
    """A share, from the first runs only."""
    counts = np.cumsum(is_so)
    return [wilson(int(counts[n - 1]), int(n)) for n in at]


def converging_mean(values: np.ndarray, at: np.ndarray) -> list[Interval]:
    """A mean, from the first runs only."""
    return _along(values, at, of_mean)


def converging_quantile(values: np.ndarray, probability: float, at: np.ndarray) -> list[Interval]:
    """A quantile, from the first runs only."""
    return _along(values, at, lambda part: of_quantile(part, probability))


def _along(values: np.ndarray, at: np.ndarray, estimate: Callable[[np.ndarray], Interval]) -> list[Interval]:
    return [estimate(np.asarray(values[:n], dtype=float)) for n in at]

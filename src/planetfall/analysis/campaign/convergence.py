"""How estimates settle as runs are added."""

from collections.abc import Callable

import numpy as np

from planetfall.analysis.campaign.intervals import Interval, of_mean, of_quantile, wilson


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

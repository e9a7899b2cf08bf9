"""Slopes of any number of facets in a few numbers, in bounded memory."""

import math
from dataclasses import dataclass

import numpy as np

_BIN = math.radians(1e-3)
"""Width of a bin [rad]: a quantile is known to a thousandth of a degree."""


@dataclass(frozen=True)
class Slopes:
    """How steep the ground is: each facet's angle counts with the area it covers.

    Attributes:
        rms: Root mean square of the angles [rad].
        median: Half of the area is no steeper [rad].
        most: 95 % of the area is no steeper [rad].
        largest: The steepest facet of all, however small [rad].
    """

    rms: float
    median: float
    most: float
    largest: float


class SlopeTally:
    """Collects angles from 0 to pi, piece by piece: a histogram whose bins know the mean of what fell into them."""

    def __init__(self) -> None:
        """Start empty."""
        n_bins = math.ceil(math.pi / _BIN) + 1
        self._weights, self._moments = np.zeros(n_bins), np.zeros(n_bins)
        self._squares, self._largest = 0.0, -math.inf

    def add(self, angles: np.ndarray, weights: np.ndarray | None = None) -> None:
        """Counts angles [rad] with their weights, 1 for each if not given; NaN and what weighs nothing do not count."""
        is_counted = ~np.isnan(angles) if weights is None else weights > 0.0
        angles = angles[is_counted]
        weights = np.ones(len(angles)) if weights is None else weights[is_counted]
        if len(angles) == 0:
            return
        bins, n_bins = (angles / _BIN).astype(np.int64), len(self._weights)
        self._weights += np.bincount(bins, weights, n_bins)
        self._moments += np.bincount(bins, weights * angles, n_bins)
        self._squares += float(weights @ angles**2)
        self._largest = max(self._largest, float(angles.max()))

    def result(self) -> Slopes | None:
        """What was counted; None where nothing was."""
        total = float(self._weights.sum())
        if total <= 0.0:
            return None
        rms = math.sqrt(self._squares / total)
        return Slopes(rms, self._quantile(0.5), self._quantile(0.95), self._largest)

    def _quantile(self, share: float) -> float:
        """The angle that a share of the weight does not exceed: the mean of the bin in which that share is reached."""
        reached = np.cumsum(self._weights)
        i = int(np.searchsorted(reached, share * reached[-1]))
        return float(self._moments[i] / self._weights[i])

"""Two campaigns side by side: do they differ, by how much, and could it be chance?"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from scipy import special, stats

from planetfall.analysis.campaign.intervals import Interval, wilson
from planetfall.record.rows import ATTITUDE


@dataclass(frozen=True)
class Difference:
    """Of one column between two campaigns.

    Attributes:
        mean: Second mean less the first, with Welch's interval.
        distance: Largest distance between the two distribution functions (Kolmogorov-Smirnov).
        chance: How often chance alone makes it as large.
        counts: Runs of the first and of the second that have a number in the column; the others do not count.
    """

    mean: Interval
    distance: float
    chance: float
    counts: tuple[int, int]


def share_differences(first: np.ndarray, second: np.ndarray, confidence: float = 0.95) -> dict[str, Interval]:
    """Share of every outcome in the second campaign less that in the first (Newcombe1998, method 10)."""
    out = {}
    for name in sorted(set(np.unique(first)) | set(np.unique(second))):
        a, b = (wilson(int(np.count_nonzero(each == name)), len(each), confidence) for each in (first, second))
        out[str(name)] = share_difference(a, b)
    return out


def share_difference(first: Interval, second: Interval) -> Interval:
    """Second share less the first, both with Wilson's intervals (Newcombe1998, method 10)."""
    value = second.value - first.value
    low = value - np.hypot(second.value - second.low, first.high - first.value)
    high = value + np.hypot(second.high - second.value, first.value - first.low)
    return Interval(value, float(low), float(high), first.n + second.n, first.confidence)


def column_difference(first: np.ndarray, second: np.ndarray, confidence: float = 0.95) -> Difference | None:
    """How a column differs; None where one of the campaigns has fewer than two numbers in it."""
    a, b = (np.asarray(values, dtype=float)[np.isfinite(values)] for values in (first, second))
    if min(len(a), len(b)) < 2:
        return None
    errors = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
    value, total = float(b.mean() - a.mean()), sum(errors)
    parts = [error / total if total > 0 else 0.5 for error in errors]
    freedom = 1.0 / (parts[0] ** 2 / (len(a) - 1) + parts[1] ** 2 / (len(b) - 1))
    reach = float(special.stdtrit(freedom, 0.5 + 0.5 * confidence)) * np.sqrt(total)
    found: Any = stats.ks_2samp(a, b)
    mean = Interval(value, value - float(reach), value + float(reach), len(a) + len(b), confidence)
    return Difference(mean, float(found.statistic), float(found.pvalue), (len(a), len(b)))


def compare(first: xr.Dataset, second: xr.Dataset) -> dict[str, Difference]:
    """Every column of numbers that both have, but for what was drawn and the parts of quaternions."""
    out = {}
    for name in first.data_vars:
        is_drawn = str(name).startswith("in.")
        is_number = first[name].dtype.kind in "fi" and not is_drawn and name not in ("seed", *ATTITUDE)
        if is_number and name in second:
            found = column_difference(first[name].values, second[name].values)
            if found is not None:
                out[str(name)] = found
    return out

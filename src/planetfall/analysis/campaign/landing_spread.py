"""How widely the runs of a campaign ended: radii and axes, with intervals from resampled runs."""

import numpy as np

from planetfall.analysis.campaign.intervals import Interval, bootstrap
from planetfall.analysis.campaign.landing_ellipse import landing_ellipse

RADII = (0.5, 0.9, 0.99)
"""Shares of the runs that a circle about their mean is to hold; the first is the circular error probable."""
RESAMPLES = 400


def landing_spread(points: np.ndarray, confidence: float = 0.95) -> dict[str, Interval]:
    """Axes of one standard deviation and radii about the mean [m] of places [run, 2]; nothing for fewer than three.

    The mean is that of each resample too, so that not knowing it is part of the intervals.
    """
    if len(points) < 3:
        return {}
    statistics = {
        "larger standard deviation": lambda some: _semi_axis(some, 0),
        "smaller standard deviation": lambda some: _semi_axis(some, 1),
        **{f"radius that holds {share:.0%}": lambda some, share=share: radius_of(some, share) for share in RADII},
    }
    return {name: bootstrap(points, statistic, confidence, RESAMPLES) for name, statistic in statistics.items()}


def radius_of(points: np.ndarray, share: float) -> float:
    """Radius of the circle about the mean of places [run, 2] that holds a share of them [m]."""
    away = points - points.mean(axis=0)
    return float(np.quantile(np.hypot(away[:, 0], away[:, 1]), share))


def _semi_axis(points: np.ndarray, which: int) -> float:
    ellipse = landing_ellipse(points)
    return float("nan") if ellipse is None else float(ellipse.semi_axes[which])

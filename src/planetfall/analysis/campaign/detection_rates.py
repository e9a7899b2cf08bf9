"""A landing detector over a campaign: false and missed landings, delays, and how often the vehicle tipped over."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from planetfall.analysis.campaign.intervals import Interval, wilson

DELAY, CONTACT, FALSE, MISSED = "out.delay_s", "out.contact_s", "out.is_false", "out.is_missed"
OVERTURN, SLOPE, CASE = "out.overturn_s", "out.slope_deg", "case"
NEEDED = (DELAY, CONTACT, FALSE, MISSED, OVERTURN)
"""Columns that rates are made of; cases if there are any."""
Columns = Mapping[str, np.ndarray]
"""Values [run] by column."""
ALL = "all"
"""Name of the line that counts every run."""
QUANTILES = (0.05, 0.5, 0.95)
SLOPE_STEP = 2.5
"""Width of a class of slopes [deg]."""


@dataclass(frozen=True)
class DetectionRates:
    """What a detector made of some landings, and what became of them.

    Attributes:
        n: Runs that were simulated.
        false: Share of these in which a landing was declared before contact, or without any.
        missed: Share of those that touched the ground in which none was declared.
        tipped: Share of those that touched the ground in which the vehicle tilted too far.
        delays: 5 %, 50 % and 95 % quantile [s] of the delay of true declarations; NaN without any.
        latest: Longest delay [s]; NaN without any.
    """

    n: int
    false: Interval
    missed: Interval
    tipped: Interval
    delays: tuple[float, ...]
    latest: float


def has_detections(data: xr.Dataset) -> bool:
    """Whether a campaign's table says what a landing detector did."""
    return DELAY in data


def detection_rates(data: xr.Dataset, confidence: float = 0.95) -> dict[str, DetectionRates]:
    """Of all runs, and of each case where there are cases."""
    return rates_of({name: data[name].values for name in (*NEEDED, CASE) if name in data}, confidence)


def rates_of(columns: Columns, confidence: float = 0.95) -> dict[str, DetectionRates]:
    """The same from the columns `NEEDED`, and `CASE` if there are cases."""
    every = np.isfinite(columns[FALSE])
    parts = {ALL: every}
    if CASE in columns:
        parts |= {str(name): every & (columns[CASE] == name) for name in _in_order(columns[CASE])}
    return {name: _rates(columns, kept, confidence) for name, kept in parts.items()}


def _in_order(cases: np.ndarray) -> list[str]:
    """Cases, the most frequent first."""
    names, counts = np.unique(cases, return_counts=True)
    return [str(names[i]) for i in np.lexsort((names, -counts))]


def _rates(columns: Columns, kept: np.ndarray, confidence: float) -> DetectionRates:
    touched = kept & np.isfinite(columns[CONTACT])
    delays = columns[DELAY][kept]
    delays = delays[delays >= 0.0]  # neither declared in flight nor NaN
    return DetectionRates(
        n=int(kept.sum()),
        false=_share(columns[FALSE][kept] == 1.0, confidence),
        missed=_share(columns[MISSED][touched] == 1.0, confidence),
        tipped=_share(np.isfinite(columns[OVERTURN][touched]), confidence),
        delays=tuple(float(np.quantile(delays, p)) if len(delays) else np.nan for p in QUANTILES),
        latest=float(delays.max()) if len(delays) else np.nan,
    )


def _share(is_one: np.ndarray, confidence: float) -> Interval:
    return wilson(int(np.count_nonzero(is_one)), len(is_one), confidence)


def tip_over_by_slope(
    data: xr.Dataset, step_deg: float = SLOPE_STEP, confidence: float = 0.95, kept: np.ndarray | None = None
) -> dict[tuple[float, float], Interval]:
    """Share of landings that tipped over, by classes of slope [deg], from and to; empty classes are left out.

    Args:
        data: Of a campaign.
        step_deg: Width of a class.
        confidence: Of the intervals.
        kept: [run] which runs to count; all that touched the ground if not given.
    """
    slope, tipped = data[SLOPE].values, np.isfinite(data[OVERTURN].values)
    counted = np.isfinite(data[CONTACT].values) & np.isfinite(slope)
    counted = counted if kept is None else counted & kept
    classes = np.where(counted, np.floor(np.nan_to_num(slope) / step_deg), -1).astype(int)
    return {
        (k * step_deg, (k + 1) * step_deg): _share(tipped[classes == k], confidence)
        for k in range(classes.max(initial=-1) + 1)
        if np.any(classes == k)
    }


def summarise_rates(rates: Mapping[str, DetectionRates]) -> dict[str, Any]:
    """The rates as JSON can hold them."""

    def plain(share: Interval) -> dict[str, Any]:
        known = {name: float(getattr(share, name)) for name in ("value", "low", "high") if share.n}
        return {"n": share.n, "count": round(share.value * share.n) if share.n else 0, **known}

    def number(value: float) -> float | None:
        return float(value) if np.isfinite(value) else None

    return {
        name: {
            "n": item.n,
            **{kind: plain(getattr(item, kind)) for kind in ("false", "missed", "tipped")},
            "delay_s": {f"{p:g}": number(value) for p, value in zip(QUANTILES, item.delays, strict=True)},
            "latest_s": number(item.latest),
        }
        for name, item in rates.items()
    }

"""A campaign in a few numbers: what its `summary.json` holds."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from planetfall.analysis.campaign.detection_rates import FALSE, MISSED, detection_rates, has_detections, summarise_rates
from planetfall.analysis.campaign.energy_rises import BOUND, RISE, energy_rises
from planetfall.analysis.campaign.intervals import Interval, of_mean, of_sorted_quantile, runs_needed, wilson
from planetfall.analysis.campaign.limits import PREFIX
from planetfall.outcome import Outcome
from planetfall.record.rows import ATTITUDE

QUANTILES = (0.01, 0.05, 0.5, 0.95, 0.99)
NOT_NEGATIVE = (
    "n_", "peak_", "max_", "speed", "distance", "slide", "miss", "steps", "energy_rise", "heat_load", "propellant",
    "touchdown_horizontal", "solar_incidence", "slope", "loosest",
)  # fmt: skip
"""How names begin of what cannot be negative; times cannot, either."""
SIGNED_TIMES = ("delay",)
"""But for these, which count from another event."""


def outcome_shares(outcomes: np.ndarray, confidence: float = 0.95) -> dict[str, Interval]:
    """The share of every outcome that occurred, the most frequent first."""
    names, counts = np.unique(outcomes, return_counts=True)
    return shares_of(dict(zip(names.tolist(), counts.tolist(), strict=True)), confidence)


def shares_of(counts: Mapping[str, int], confidence: float = 0.95) -> dict[str, Interval]:
    """The same from the number of runs of each outcome."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    n = sum(counts.values())
    return {name: wilson(count, n, confidence) for name, count in ranked}


def summarise_ensemble(data: xr.Dataset) -> dict[str, Any]:
    """Outcomes with their intervals, and every column that came of the runs with its distribution."""
    names, counts = np.unique(data.outcome.values, return_counts=True)
    columns = (
        (str(name), item.attrs["units"], item.values) for name, item in data.data_vars.items() if is_result(str(name))
    )
    summary = summarise_columns(dict(zip(names.tolist(), counts.tolist(), strict=True)), columns)
    if BOUND in data:  # those made before there was one have none
        summary["energy"] = energy_rises(data.run.values, data[RISE].values, data[BOUND].values)
    return {**summary, "detection": summarise_rates(detection_rates(data))} if has_detections(data) else summary


def summarise_columns(counts: Mapping[str, int], columns: Iterable[tuple[str, str, np.ndarray]]) -> dict[str, Any]:
    """The same from the number of runs of each outcome, and name, unit and values of one column after the other."""
    found, n_started_in_ground = {}, 0
    for name, unit, values in columns:
        if name == "first_touch_s":
            n_started_in_ground = int(np.count_nonzero(values == 0.0))
        found[name] = column_summary(values, unit, bounds_of(name, unit))
    return {
        "n_runs": sum(counts.values()),
        "n_started_in_ground": n_started_in_ground,
        "outcomes": {
            name: {"count": round(share.value * share.n), "sentence": Outcome[name].sentence, **as_dict(share)}
            for name, share in shares_of(counts).items()
        },
        "columns": {name: column for name, column in found.items() if column["n"]},
    }


def is_result(column: str) -> bool:
    """Whether a column holds numbers that came of the runs and have a distribution of their own.

    Those that only say yes or no are counted elsewhere; the parts of a quaternion mean nothing alone.
    """
    counted = ("run", "seed", "outcome", "case", FALSE, MISSED, *ATTITUDE)
    return column not in counted and not column.startswith(("in.", PREFIX))


def bounds_of(name: str, unit: str) -> tuple[float, float]:
    """Between what a column can lie, as far as its name says."""
    stem = name.removeprefix("out.")
    if stem.startswith("is_"):
        return 0.0, 1.0
    is_time = unit == "s" and not stem.startswith(SIGNED_TIMES)
    return 0.0 if is_time or stem.startswith(NOT_NEGATIVE) else -np.inf, np.inf


def column_summary(values: np.ndarray, unit: str, bounds: tuple[float, float] = (-np.inf, np.inf)) -> dict[str, Any]:
    """Mean, spread and quantiles of what is a number; infinite ends of intervals are None."""
    kept = np.asarray(values, dtype=float)
    kept = np.sort(kept[np.isfinite(kept)])
    if not len(kept):
        return {"unit": unit, "n": 0}
    return {
        "unit": unit,
        "n": len(kept),
        "mean": as_dict(of_mean(kept, bounds=bounds)),
        "standard_deviation": float(kept.std(ddof=1)) if len(kept) > 1 else None,
        "smallest": float(kept[0]),
        "largest": float(kept[-1]),
        "quantiles": {f"{p:g}": as_dict(of_sorted_quantile(kept, p)) for p in QUANTILES},
    }


def is_supported(quantile: Mapping[str, Any]) -> bool:
    """Whether there are runs enough for a quantile of a summary: its interval has two ends."""
    return quantile["low"] is not None and quantile["high"] is not None


def runs_sentence(quantiles: Iterable[float]) -> str:
    """How many runs quantiles need that have no interval, for those who miss them; nothing if there are none."""
    needed = sorted({runs_needed(p) for p in quantiles})
    names = {n: " and ".join(f"{100 * p:g} %" for p in QUANTILES if runs_needed(p) == n) for n in needed}
    parts = [f"{'the median' if name == '50 %' else name} at least {n} runs" for n, name in names.items()]
    return f"Quantiles are given where they have a 95 % interval: {', '.join(parts)}." if parts else ""


def estimate_words(estimate: Mapping[str, Any]) -> str:
    """Estimate and interval of a stop rule, and from how many runs they are where others have no such number."""
    n_runs = estimate["n_runs"]
    n = estimate.get("n", n_runs)  # earlier versions did not write it
    if estimate["value"] is None:
        return f"none of {n_runs} runs has a value"
    is_known = is_supported(estimate)
    interval = f"[{estimate['low']:.5g}, {estimate['high']:.5g}]" if is_known else "(too few runs for an interval)"
    known = "" if n == n_runs else f" from the {n} of {n_runs} runs that have a value"
    return f"with {estimate['value']:.5g} {interval}{known}"


def as_dict(interval: Interval) -> dict[str, float | None]:
    """Value and ends, as JSON can hold them."""
    return {name: _finite(getattr(interval, name)) for name in ("value", "low", "high", "confidence")}


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None

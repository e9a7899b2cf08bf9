"""A campaign in a few numbers: what its `summary.json` holds."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from planetfall.analysis.campaign.detection_rates import FALSE, MISSED, detection_rates, has_detections, summarise_rates
from planetfall.analysis.campaign.energy_rises import BOUND, RISE, energy_rises
from planetfall.analysis.campaign.intervals import Interval, of_mean, of_sorted_quantile, wilson
from planetfall.analysis.campaign.limits import PREFIX
from planetfall.outcome import Outcome

QUANTILES = (0.01, 0.05, 0.5, 0.95, 0.99)


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
        found[name] = column_summary(values, unit)
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
    """Whether a column holds numbers that came of the runs; those that only say yes or no are counted elsewhere."""
    counted = ("run", "seed", "outcome", "case", FALSE, MISSED)
    return column not in counted and not column.startswith(("in.", PREFIX))


def column_summary(values: np.ndarray, unit: str) -> dict[str, Any]:
    """Mean, spread and quantiles of what is a number; infinite ends of intervals are None."""
    kept = np.asarray(values, dtype=float)
    kept = np.sort(kept[np.isfinite(kept)])
    if not len(kept):
        return {"unit": unit, "n": 0}
    return {
        "unit": unit,
        "n": len(kept),
        "mean": as_dict(of_mean(kept)),
        "standard_deviation": float(kept.std(ddof=1)) if len(kept) > 1 else None,
        "smallest": float(kept[0]),
        "largest": float(kept[-1]),
        "quantiles": {f"{p:g}": as_dict(of_sorted_quantile(kept, p)) for p in QUANTILES},
    }


def as_dict(interval: Interval) -> dict[str, float | None]:
    """Value and ends, as JSON can hold them."""
    return {name: _finite(getattr(interval, name)) for name in ("value", "low", "high", "confidence")}


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None

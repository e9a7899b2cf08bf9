"""A campaign in a few numbers: what its `summary.json` holds."""

from typing import Any

import numpy as np
import xarray as xr

from planetfall.analysis.intervals import Interval, of_mean, of_sorted_quantile, wilson
from planetfall.outcome import Outcome

QUANTILES = (0.01, 0.05, 0.5, 0.95, 0.99)


def outcome_shares(outcomes: np.ndarray, confidence: float = 0.95) -> dict[str, Interval]:
    """The share of every outcome that occurred, the most frequent first."""
    names, counts = np.unique(outcomes, return_counts=True)
    order = np.lexsort((names, -counts))
    return {str(names[i]): wilson(int(counts[i]), len(outcomes), confidence) for i in order}


def summarise_ensemble(data: xr.Dataset) -> dict[str, Any]:
    """Outcomes with their intervals, and every column that came of the runs with its distribution."""
    columns = {
        str(name): column_summary(item.values, item.attrs["units"])
        for name, item in data.data_vars.items()
        if item.dtype.kind in "fi" and name != "seed" and not str(name).startswith("in.")
    }
    return {
        "n_runs": int(data.sizes["run"]),
        "n_started_in_ground": int(np.count_nonzero(data.first_touch_s.values == 0.0)),
        "outcomes": {
            name: {"count": round(share.value * share.n), "sentence": Outcome[name].sentence, **as_dict(share)}
            for name, share in outcome_shares(data.outcome.values).items()
        },
        "columns": {name: column for name, column in columns.items() if column["n"]},
    }


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

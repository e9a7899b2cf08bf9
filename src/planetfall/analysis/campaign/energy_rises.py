"""Whether energy behaved in the runs of a campaign: its largest rise, and the runs above their error bounds."""

from typing import Any

import numpy as np

RISE, BOUND = "energy_rise_J", "out.energy_rise_bound_J"
MOST_LISTED = 100
"""Runs above their bounds that are named, those with the largest rises; all are counted."""


def energy_rises(runs: np.ndarray, rise: np.ndarray, bound: np.ndarray) -> dict[str, Any]:
    """From each run's index, its rise of energy and the rise that integration errors explain [J].

    Runs that were not simulated have neither. One whose rise is not finite is above any bound.
    """
    counted = ~np.isnan(bound)
    runs, rise, bound = runs[counted], rise[counted], bound[counted]
    if not len(runs):
        return {"n": 0, "n_above": 0, "above": []}
    size = np.where(np.isnan(rise), np.inf, rise)
    above = np.flatnonzero(size > bound)
    listed = above[np.lexsort((runs[above], -size[above]))][:MOST_LISTED]
    worst, closest = int(np.argmax(size)), int(np.argmax(_shares(size, bound)))
    return {
        "n": len(runs),
        "largest_rise_J": _finite(size[worst]),
        "largest_rise_run": int(runs[worst]),
        "its_bound_J": _finite(bound[worst]),
        "largest_share_of_bound": _finite(_shares(size, bound)[closest]),
        "largest_share_run": int(runs[closest]),
        "n_above": len(above),
        "above": [
            {"run": int(runs[i]), "energy_rise_J": _finite(float(size[i])), "bound_J": _finite(float(bound[i]))}
            for i in listed
        ],
    }


def sentence_of(found: dict[str, Any]) -> str:
    """The same for people."""
    if not found["n"]:
        return "No run was simulated, so none has an account of energy."
    largest = "without limit" if found["largest_rise_J"] is None else f"by {found['largest_rise_J']:.3g} J"
    bound = "-" if found["its_bound_J"] is None else f"{found['its_bound_J']:.3g} J"
    head = f"Energy rose {largest} at most (run {found['largest_rise_run']}, error bound {bound})"
    if not found["n_above"]:
        return f"{head}; no run is above its error bound."
    named = ", ".join(str(item["run"]) for item in found["above"][:10])
    more = ", ..." if found["n_above"] > 10 else ""
    return f"{head}; {found['n_above']} of {found['n']} runs are above their error bounds: {named}{more}."


def _shares(rise: np.ndarray, bound: np.ndarray) -> np.ndarray:
    return np.divide(rise, bound, out=np.where(rise > 0, np.inf, 0.0), where=bound > 0)


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None

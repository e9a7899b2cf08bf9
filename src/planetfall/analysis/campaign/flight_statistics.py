"""A campaign of flights in a few numbers: its timeline, failures by phase and cause, its misses and its ellipse."""

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

import numpy as np
import xarray as xr
from scipy.stats import chi2

from planetfall.analysis.campaign.intervals import Interval, of_sorted_quantile, runs_needed, wilson
from planetfall.analysis.campaign.landing_ellipse import Ellipse, came_down, landing_ellipse
from planetfall.analysis.campaign.limits import PREFIX, boxed
from planetfall.flight.mount_flight import phase_names
from planetfall.outcome import Outcome
from planetfall.record.flight_numbers import LAST_PHASE, MISS, PHASES
from planetfall.record.rows import OUTCOME, RUN
from planetfall.scenario.scenario import Scenario

HOLDS = 0.99
"""Share of a normal distribution that the ellipse of a campaign is to hold, as is usual for landing ellipses."""
SIGMAS = float(np.sqrt(-2.0 * np.log(1.0 - HOLDS)))
"""Semi-axes of that ellipse in standard deviations: 1 - exp(-k^2/2) of a normal distribution lie inside."""
QUANTILES = (0.01, 0.5, 0.99)
LINE = 1e-3
"""Width over length of an ellipse below which it is called a line (assumed)."""
MOST_NAMED = 5
"""Runs that are named for a replay, of each kind of failure."""


def has_flights(data: xr.Dataset) -> bool:
    """Whether the runs of a campaign were flights to a site."""
    return f"out.{MISS}" in data


def timeline(data: xr.Dataset, scenario: Scenario) -> list[dict[str, Any]]:
    """Each phase that a run came to: how many did, and quantiles of when, how high and how fast it began.

    `lasts_s` is the time to the phase that follows in the scenario, of runs that came to both.
    """
    names, rows = phase_names(scenario)[0], []
    for name, following in zip_longest(names, names[1:]):
        began = _phase(data, name, "begins_s")
        if not np.isfinite(began).any():
            continue
        lasts = np.full(len(began), np.nan) if following is None else _phase(data, following, "begins_s") - began
        columns = {"begins_s": began, "lasts_s": lasts}
        columns |= {what: _phase(data, name, what) for what in ("altitude_m", "velocity_m_s", "mach")}
        kept = {what: quantiles_of(values) for what, values in columns.items()}
        rows.append({"phase": name, "n": int(np.isfinite(began).sum()), **kept})
    return rows


def _phase(data: xr.Dataset, phase: str, number: str) -> np.ndarray:
    name = f"out.{PHASES}{phase}.{number}"
    return data[name].values if name in data else np.full(data.sizes[RUN], np.nan)


def quantiles_of(values: np.ndarray) -> list[float] | None:
    """Median of what is a number, between 1 % and 99 %; None where nothing is.

    Of fewer runs than these two quantiles need, the smallest and the largest stand in their place.
    """
    kept = values[np.isfinite(values)]
    if not len(kept):
        return None
    ends = QUANTILES if len(kept) >= runs_needed(QUANTILES[0]) else (0.0, 0.5, 1.0)
    return [float(one) for one in np.quantile(kept, ends)]


def failures(data: xr.Dataset, scenario: Scenario) -> list[dict[str, Any]]:
    """Runs that did not end well, by phase and outcome; of the others broken limits, and vehicles that met again.

    Each with its share of all runs, its interval, and the first runs of its kind.
    """
    outcomes, runs = data[OUTCOME].values, data[RUN].values
    is_lost = np.array([_is_lost(Outcome[str(name)]) for name in outcomes])
    phases = _last_phases(data, scenario)
    kinds = [(phase, str(name), is_lost & (phases == phase) & (outcomes == name))
             for phase in dict.fromkeys(phases[is_lost]) for name in np.unique(outcomes[is_lost])]  # fmt: skip
    at = {name: limit.at or "" for name, limit in scenario.limits.items()} | dict.fromkeys(boxed(scenario), "")
    for name, phase in at.items():
        if PREFIX + name in data:
            broken = ~is_lost & (data[PREFIX + name].values == 0.0)
            kinds.append((phase, f"limit {name}", broken))
    for name in scenario.attached_names:
        column = f"out.separations.{name}_recontact_s"
        if column in data:
            kinds.append(("", f"{name} met what had carried it", ~is_lost & np.isfinite(data[column].values)))
    found = [_kind(phase, cause, chosen, runs) for phase, cause, chosen in kinds if chosen.any()]
    return sorted(found, key=lambda item: -item["count"])


def _is_lost(outcome: Outcome) -> bool:
    return outcome.is_failure or outcome in (Outcome.timed_out, Outcome.sliding)


def _last_phases(data: xr.Dataset, scenario: Scenario) -> np.ndarray:
    """Name of the phase in which each run ended; empty where that is not known."""
    names, n_runs = phase_names(scenario)[0], data.sizes[RUN]
    if f"out.{LAST_PHASE}" not in data:
        return np.full(n_runs, "", dtype=object)
    places = data[f"out.{LAST_PHASE}"].values
    return np.array([names[int(place)] if np.isfinite(place) else "" for place in places], dtype=object)


def _kind(phase: str, cause: str, chosen: np.ndarray, runs: np.ndarray) -> dict[str, Any]:
    share = wilson(int(chosen.sum()), len(chosen))
    return {
        "phase": phase, "cause": cause, "count": int(chosen.sum()), "value": share.value, "low": share.low,
        "high": share.high, "runs": [int(run) for run in runs[chosen][:MOST_NAMED]],
    }  # fmt: skip


def places_of(data: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """East and north of the site [run, 2] [m] of runs that came down, and which of all runs those are."""
    places = np.column_stack([data.x_m.values, data.y_m.values])
    is_down = came_down(data)
    return places[is_down], np.flatnonzero(is_down)


def published_ellipse(scenario: Scenario) -> Ellipse | None:
    """That of `[comparison]`, about the site, its semi-axes as one standard deviation; None where none is given."""
    given = scenario.comparison
    if given is None or given.ellipse_length is None or given.ellipse_width is None:
        return None
    axes = np.array([given.ellipse_length, given.ellipse_width]) / 2.0
    return Ellipse(np.zeros(2), axes, float(np.radians(90.0 - given.ellipse_azimuth_deg)) % np.pi)


def size_error(n: int, confidence: float = 0.95) -> float:
    """Relative half width of the interval of a standard deviation from n runs of a normal distribution."""
    chances = (0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence)
    low, high = (float(np.sqrt((n - 1) / chi2.ppf(chance, n - 1))) for chance in reversed(chances))
    return 0.5 * (high - low)


def ellipse_text(ellipse: Mapping[str, Any]) -> tuple[str, str]:
    """Size of the ellipse of a summary, and from how many runs it is: what these allow to say."""
    length, width = 1e-3 * ellipse["length_m"], 1e-3 * ellipse["width_m"]
    n, holds = ellipse["n_runs"], f"holds {ellipse['holds']:.2%} of the runs"
    if width < LINE * length:
        return f"a line of {length:.3g} km", f"from {n} runs, {holds}"
    note = f"its axes are known to about {ellipse['relative_error']:.0%}"
    if n < runs_needed(HOLDS):
        note += f"; whether it holds {HOLDS:.0%}, fewer than {runs_needed(HOLDS)} runs cannot tell"
    return f"{length:.3g} x {width:.3g} km", f"from {n} runs, {holds}; {note}"


def summarise_flights(data: xr.Dataset, scenario: Scenario) -> dict[str, Any]:
    """All of this, as `summary.json` holds it; distances in m."""
    places, _ = places_of(data)
    own, published = landing_ellipse(places), published_ellipse(scenario)
    out: dict[str, Any] = {"timeline": timeline(data, scenario), "failures": failures(data, scenario)}
    misses = np.sort(data[f"out.{MISS}"].values)
    misses = misses[np.isfinite(misses)]
    if len(misses):
        out["miss_m"] = {f"{p:g}": _plain(of_sorted_quantile(misses, p)) for p in (0.5, 0.9, 0.99)}
    if own is not None:
        out["ellipse"] = {
            "length_m": 2.0 * SIGMAS * own.semi_axes[0], "width_m": 2.0 * SIGMAS * own.semi_axes[1],
            "azimuth_deg": float((90.0 - np.degrees(own.angle)) % 180.0), "center_east_m": own.center[0],
            "center_north_m": own.center[1], "holds": own.share_inside(places, SIGMAS), "of_a_normal": HOLDS,
            "n_runs": len(places), "relative_error": size_error(len(places)),
        }  # fmt: skip
    if published is not None and len(places):
        inside = published.share_inside(places, 1.0)
        out["published_ellipse"] = {
            "length_m": 2.0 * published.semi_axes[0], "width_m": 2.0 * published.semi_axes[1],
            "holds": _plain(wilson(round(inside * len(places)), len(places))),
        }  # fmt: skip
    flown = None if scenario.comparison is None else scenario.comparison.miss
    if flown is not None and len(misses):
        share = wilson(int(np.count_nonzero(misses <= flown)), len(misses))
        out["flown_miss"] = {"miss_m": flown, "share_of_runs_nearer": _plain(share)}
    return out


def _plain(interval: Interval) -> Mapping[str, float | None]:
    ends = {name: float(getattr(interval, name)) for name in ("value", "low", "high")}
    return {name: value if np.isfinite(value) else None for name, value in ends.items()}

"""How many runs of a campaign keep to the limits of its scenario, with intervals."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from planetfall.analysis.campaign.intervals import wilson
from planetfall.analysis.run.limits import NUMBERS, OUTCOMES_AT, result_names
from planetfall.engine.mechanisms.air.tracked import END, ENDS, LARGEST, LEAST, TRACKABLE, Tracked
from planetfall.record.flight_numbers import OF_VARIABLE, PHASES, phase_numbers
from planetfall.record.rows import KEPT
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.limits import Limit

if TYPE_CHECKING:
    from planetfall.scenario.tables.vehicle.parachutes import Parachute

PREFIX = KEPT


def limits_by_record(scenario: Scenario) -> list[str]:
    """Names of the limits that no number of a campaign's row tells: on histories, at events, of a run's own summary."""
    return [name for name, limit in scenario.limits.items() if not _is_in_rows(scenario, limit)]


def twice(scenario: Scenario) -> list[str]:
    """A sentence on what that costs, where there are such limits."""
    names = ", ".join(f"limits.{name}" for name in limits_by_record(scenario))
    said = "rows do not tell, so each run is simulated twice, the second time with its record"
    return [f"{names}: {said}"] if names else []


def _is_in_rows(scenario: Scenario, limit: Limit) -> bool:
    results = result_names(scenario)
    if limit.of in (*NUMBERS, *results):
        return True
    if limit.at is not None and limit.of in OF_VARIABLE and _at_phase(limit) in phase_numbers(scenario):
        return True
    is_kept = limit.of in TRACKABLE and any(one in results for one in _kept_names(limit))
    return is_kept and (limit.at is None or limit.at in ENDS)


def columns_by_record(scenario: Scenario, judged: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """By column, whether a run keeps to the limits that need its record, from how they are `judged` in its summary."""
    kept = {name: judged[name]["kept"] for name in limits_by_record(scenario)}
    return {PREFIX + name: np.nan if value is None else float(value) for name, value in kept.items()}


def _kept_names(limit: Limit) -> list[str]:
    kinds = (END,) if limit.at in ENDS else (LEAST, LARGEST)
    return [Tracked(limit.of, kind).name for kind in kinds]


def _at_phase(limit: Limit) -> str:
    """Name of the number that a limit at a phase is on."""
    return f"{PHASES}{limit.at}.{OF_VARIABLE[limit.of]}"


def kept_columns(scenario: Scenario, columns: Mapping[str, np.ndarray], status: np.ndarray) -> dict[str, np.ndarray]:
    """Whether each run keeps to each limit [run], by column, from the columns of what came of the runs.

    Without those of `limits_by_record`; with the boxes in which parachutes are to be fired.
    """
    out, others = {}, limits_by_record(scenario)
    for name, limit in scenario.limits.items():
        if name in others:
            continue
        least, largest = _ends(limit, columns, status)
        ok = np.ones(len(status), dtype=bool)
        if limit.min is not None:
            ok &= least >= limit.min
        if limit.max is not None:
            ok &= largest <= limit.max
        is_judged = np.isfinite(least) & np.isfinite(largest)
        out[PREFIX + name] = np.where(is_judged, ok.astype(float), np.nan)
    for name, (place, parachute) in boxed(scenario).items():
        box, fired = parachute.box, (columns.get(f"out.{place}.deploy_{what}") for what in BOXED)
        mach, pressure = fired
        if box is None or mach is None or pressure is None:
            continue
        ok = [not box.violations(*pair) for pair in zip(mach, pressure, strict=True)]
        out[PREFIX + name] = np.where(np.isfinite(mach), np.array(ok, dtype=float), np.nan)
    return out


BOXED = ("mach", "dynamic_pressure_Pa")
"""What a parachute's box is on: numbers of its deployment."""


def boxed(scenario: Scenario) -> "dict[str, tuple[str, Parachute]]":
    """By name of the limit, the parachutes that are to be fired within a box, each with its place in summaries."""
    if not any(parachute.box is not None for vehicle in scenario.vehicles for parachute in vehicle.parachutes):
        return {}
    from planetfall.engine.mechanisms.air.parachute import mounted, places_of_parachutes  # here, or all would wait

    places = zip(places_of_parachutes(scenario), mounted(scenario), strict=True)
    return {f"{place}.box": (place, parachute) for place, (_, parachute) in places if parachute.box is not None}


def limit_columns(scenario: Scenario) -> list[str]:
    """Names of the columns that say whether limits, and boxes of parachutes, were kept."""
    return [PREFIX + name for name in (*scenario.limits, *boxed(scenario))]


def _ends(limit: Limit, columns: Mapping[str, np.ndarray], status: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if limit.of in NUMBERS:
        return columns[NUMBERS[limit.of]], columns[NUMBERS[limit.of]]
    if limit.at is not None and limit.of in OF_VARIABLE and f"out.{_at_phase(limit)}" in columns:
        return columns[f"out.{_at_phase(limit)}"], columns[f"out.{_at_phase(limit)}"]
    if f"out.{limit.of}" in columns:
        return columns[f"out.{limit.of}"], columns[f"out.{limit.of}"]
    if limit.at in ENDS:
        values = columns[f"out.{Tracked(limit.of, END).name}"]
        if limit.at != "end":
            values = np.where(status == int(OUTCOMES_AT[str(limit.at)]), values, np.nan)
        return values, values
    found = [columns.get(f"out.{Tracked(limit.of, kind).name}") for kind in (LEAST, LARGEST)]
    least, largest = (one if one is not None else other for one, other in zip(found, reversed(found), strict=True))
    assert least is not None and largest is not None
    return least, largest


def summarise_limits(scenario: Scenario, columns: Mapping[str, np.ndarray]) -> dict[str, dict[str, Any]]:
    """Each limit, and each box of a parachute, with the share of the runs judged by it that do not keep to it."""
    terms = {
        name: {key: getattr(limit, key) for key in ("of", "at", "min", "max")}
        for name, limit in scenario.limits.items()
    }
    for name, (place, parachute) in boxed(scenario).items():
        assert parachute.box is not None
        terms[name] = {
            "of": f"{place} at deployment",
            "at": None,
            "min": None,
            "max": None,
            "allowed": parachute.box.text,
        }
    out = {}
    for name, of_limit in terms.items():
        values = columns.get(PREFIX + name)
        if values is None:
            continue
        n, broken = int(np.count_nonzero(np.isfinite(values))), int(np.count_nonzero(values == 0.0))
        share = wilson(broken, n)
        out[name] = {
            **of_limit, "n": n, "broken": broken,
            "value": share.value if n else None, "low": share.low, "high": share.high, "confidence": share.confidence,
        }  # fmt: skip
    return out

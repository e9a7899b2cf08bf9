"""How many runs of a campaign keep to the limits of its scenario, with intervals."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from planetfall.analysis.campaign.intervals import wilson
from planetfall.analysis.run.limits import NUMBERS, OUTCOMES_AT, check_limits, result_names
from planetfall.engine.mechanisms.air.tracked import END, ENDS, LARGEST, LEAST, TRACKABLE, Tracked
from planetfall.errors import InputError
from planetfall.record.flight_numbers import OF_VARIABLE, PHASES, phase_numbers
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.limits import Limit

PREFIX = "out.kept."
"""Of the column of a limit: 1 where it was kept, 0 where not, NaN where its instant never came."""


def check_campaign_limits(scenario: Scenario) -> None:
    """Refuses limits that only a recorded run can be judged by.

    Raises:
        InputError: The message says what a campaign keeps.
    """
    check_limits(scenario)
    results = result_names(scenario)
    for name, limit in scenario.limits.items():
        if limit.of in (*NUMBERS, *results):
            continue
        if limit.at is not None and limit.of in OF_VARIABLE and _at_phase(limit) in phase_numbers(scenario):
            continue
        is_kept = limit.of in TRACKABLE and any(one in results for one in _kept_names(limit))
        if not is_kept or (limit.at is not None and limit.at not in ENDS):
            raise InputError(
                f"limits.{name}", f"the runs of a campaign keep no history by which {limit.of} could be judged"
                + (f" at {limit.at}" if limit.at else ""),
                f"a number ({', '.join((*NUMBERS, *results))}), or of a flight one of {', '.join(TRACKABLE)}, over the "
                f"run or at its end ({', '.join(ENDS)}); or {', '.join(OF_VARIABLE)} when a phase begins",
                "change `of` or `at`, or leave the limit out of the campaign",
            )  # fmt: skip


def _kept_names(limit: Limit) -> list[str]:
    kinds = (END,) if limit.at in ENDS else (LEAST, LARGEST)
    return [Tracked(limit.of, kind).name for kind in kinds]


def _at_phase(limit: Limit) -> str:
    """Name of the number that a limit at a phase is on."""
    return f"{PHASES}{limit.at}.{OF_VARIABLE[limit.of]}"


def kept_columns(scenario: Scenario, columns: Mapping[str, np.ndarray], status: np.ndarray) -> dict[str, np.ndarray]:
    """Whether each run keeps to each limit [run], by column, from the columns of what came of the runs."""
    out = {}
    for name, limit in scenario.limits.items():
        least, largest = _ends(limit, columns, status)
        ok = np.ones(len(status), dtype=bool)
        if limit.min is not None:
            ok &= least >= limit.min
        if limit.max is not None:
            ok &= largest <= limit.max
        is_judged = np.isfinite(least) & np.isfinite(largest)
        out[PREFIX + name] = np.where(is_judged, ok.astype(float), np.nan)
    return out


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
    """Each limit with the share of runs that do not keep to it, of those that it could be judged by."""
    out = {}
    for name, limit in scenario.limits.items():
        values = columns.get(PREFIX + name)
        if values is None:
            continue
        n, broken = int(np.count_nonzero(np.isfinite(values))), int(np.count_nonzero(values == 0.0))
        share = wilson(broken, n)
        out[name] = {
            "of": limit.of, "at": limit.at, "min": limit.min, "max": limit.max, "n": n, "broken": broken,
            "value": share.value if n else None, "low": share.low, "high": share.high, "confidence": share.confidence,
        }  # fmt: skip
    return out

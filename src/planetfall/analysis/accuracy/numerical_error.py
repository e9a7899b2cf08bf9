"""A run against a finer one: each number of the summary with its difference, and what has to be said of them.

What the difference of two runs can say: how much a number still depends on the step or the tolerance. What it cannot
say: how far the model is from the world.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import xarray as xr

from planetfall.analysis.accuracy.finer import Finer
from planetfall.analysis.accuracy.true_digits import error_digit, is_converged
from planetfall.analysis.run.validity import turned_over
from planetfall.engine.state.result import RunEvent
from planetfall.record.files.plain_json import plain_json
from planetfall.record.trajectory import Trajectory

NOT_COMPARED = (
    "scenario", "outcome", "outcome_sentence", "points", "steps", "method", "device", "versions", "schema", "changes",
    "started_in_ground", "beyond_samples", "ground", "gravity", "replay", "poses", "poses_by_fall_back", "speed_m_s",
    "check", "loosest_tolerance",
)  # fmt: skip
"""What is an input, or says how much was computed."""
LOOSEST, LOOSENED = "loosest_tolerance", "loosened"
"""Number and events that say how a run was computed, not what happened."""
ERRORS = ("energy_closure_J", "energy_rise_J", "energy_rise_bound_J", "largest_residual_m", "motor_work_error_J")
"""Numbers that are errors themselves: they should shrink, not stay."""
UNITS = ("m_s", "N_m", "N", "m", "s", "J")
NOTHING = 1e-5
"""Of the largest length, speed, .. of a run: a number below it is zero (assumed)."""
SAME_TIME = 1e-9
"""By how much of themselves instants of two runs may differ and be the same: neither n * step is exact."""
MOST_NAMED = 4
"""Points that a sentence names."""


def check_of(run: Trajectory[Any], finer: Trajectory[Any], how: Finer) -> dict[str, Any]:
    """The table `check` of a summary: plain numbers, lists and words."""
    outcome = {"value": run.summary["outcome"], "finer": finer.summary["outcome"]}
    differences = dict(compared(run.summary, finer.summary))
    also = finer.summary.get("beyond_samples", {})
    for key, beyond in run.summary.get("beyond_samples", {}).items():
        differences[key]["difference"] = _more(differences[key]["difference"], beyond, also.get(key, beyond))
    check: dict[str, Any] = {
        "by": how.by,
        **how.keys,
        "outcome": outcome,
        "differences": differences,
        "events": _events(run.events, finer.events),
        "position": _positions(run.data, finer.data),
        "scales": _scales(run.data, run.summary),
    }
    loosest = {"value": run.summary.get(LOOSEST), "finer": finer.summary.get(LOOSEST)}
    if any(value is not None for value in loosest.values()):
        check[LOOSEST] = loosest
    points = [str(name) for name in run.summary.get("points") or ()]
    check["not_converged"] = {key: rows for key, rows in _not_converged(differences, check["scales"], points) if rows}
    check["sentences"] = [*_sentences(check, how)]
    return plain_json(check)


def compared(value: Any, finer: Any, key: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Numbers of two summaries under dotted keys, lists of numbers as lists; words only where they differ."""
    if isinstance(value, dict) and isinstance(finer, dict):
        names = [name for name in value if name not in NOT_COMPARED and name in finer]
        for name in names:
            yield from compared(value[name], finer[name], f"{key}.{name}" if key else name)
    elif isinstance(value, list) and isinstance(finer, list):
        yield from _lists(value, finer, key)
    elif _is_number(value) or _is_number(finer):
        yield key, {"value": value, "finer": finer, "difference": _difference(value, finer)}
    elif value != finer:
        yield key, {"value": value, "finer": finer, "difference": None}


def _lists(value: list[Any], finer: list[Any], key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if len(value) != len(finer):
        count = {"value": len(value), "finer": len(finer), "difference": abs(len(value) - len(finer))}
        yield f"{key}.count", count
    elif value and all(item is None or _is_number(item) for item in (*value, *finer)):
        apart = [_difference(a, b) for a, b in zip(value, finer, strict=True)]
        yield key, {"value": value, "finer": finer, "difference": apart}
        return
    for i, (a, b) in enumerate(zip(value, finer, strict=False)):
        yield from compared(a, b, f"{key}.{i}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _difference(value: Any, finer: Any) -> float | int | None:
    """None where only one of them exists."""
    return abs(value - finer) if _is_number(value) and _is_number(finer) else 0.0 if value == finer else None


def _more(difference: Any, beyond: Any, also: Any) -> Any:
    """A difference with what samples miss, here or in the finer run, the larger: two runs can miss it by the same."""
    if isinstance(difference, list):
        return [_more(*each) for each in zip(difference, beyond, also, strict=True)]
    return None if difference is None else difference + max(beyond, also)


def unit_of(key: str) -> str:
    """The unit at the end of a summary's name; of a list of changes of phase, that of times."""
    last = key.rpartition(".")[2]
    return next((unit for unit in UNITS if last.endswith(f"_{unit}")), "s" if last == "time" else "")


def is_nothing(value: float, finer: float, unit: str, scales: dict[str, float]) -> bool:
    """Whether a number is zero beside what the run is about."""
    return max(abs(value), abs(finer)) <= NOTHING * (scales.get(unit) or 0.0)


def _not_converged(
    differences: dict[str, Any], scales: dict[str, float], points: list[str]
) -> Iterator[tuple[str, bool | list[str]]]:
    """Keys of the numbers of which no digit is true; of lists, the points."""
    for key, pair in differences.items():
        if key in ERRORS:
            continue
        if not isinstance(pair["value"], list):
            yield key, not _has_digits(pair, key, scales)
            continue
        rows = _rows(pair)
        names = points if len(rows) == len(points) else [str(i) for i in range(len(rows))]
        yield key, [name for name, row in zip(names, rows, strict=True) if not _has_digits(row, key, scales)]


def _has_digits(row: dict[str, Any], key: str, scales: dict[str, float]) -> bool:
    """Whether a number has a true digit, or is nothing beside others; counts have to be the same."""
    value, finer = row["value"], row["finer"]
    if row["difference"] is None or (isinstance(value, int) and isinstance(finer, int)):
        return row["difference"] == 0
    return value is None or is_converged(value, finer) or is_nothing(value, finer, unit_of(key), scales)


def _rows(pair: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(pair, values, strict=True)) for values in zip(*pair.values(), strict=True)]


def _events(events: Sequence[RunEvent], finer: Sequence[RunEvent]) -> dict[str, dict[str, float | int | None]]:
    """By kind: how many there are, and the largest differences of those that both runs have.

    The first touch of a point is held against its first touch, and so on.
    """
    ours, theirs = _numbered(events), _numbered(finer)
    count, finer_count = (Counter(event.kind for event in both) for both in (events, finer))
    out: dict[str, dict[str, float | int | None]] = {}
    for kind in dict.fromkeys(event.kind for event in (*events, *finer)):
        both = [(ours[name], theirs[name]) for name in ours if name[0] == kind and name in theirs]
        out[kind] = {
            "value": count[kind],
            "finer": finer_count[kind],
            "time_difference_s": max((abs(a.time - b.time) for a, b in both), default=None),
            "value_difference": max((abs(a.value - b.value) for a, b in both), default=None),
        }
    return out


def _numbered(events: Sequence[RunEvent]) -> dict[tuple[str, int, int], RunEvent]:
    """Events by kind, point and how many of these came before."""
    seen: Counter[tuple[str, int]] = Counter()
    out = {}
    for event in events:
        out[event.kind, event.point, seen[event.kind, event.point]] = event
        seen[event.kind, event.point] += 1
    return out


def _positions(data: xr.Dataset, finer: xr.Dataset) -> dict[str, float] | None:
    """How far apart the centres of mass ever are [m] at instants that both runs recorded, and when."""
    times, others = data.time.values, finer.time.values
    near = np.clip(np.searchsorted(others, times), 0, len(others) - 1)
    before = np.maximum(near - 1, 0)
    near = np.where(np.abs(others[before] - times) < np.abs(others[near] - times), before, near)
    is_same = np.abs(others[near] - times) <= SAME_TIME * (1.0 + np.abs(times))
    apart = np.linalg.norm(data.position.values[is_same] - finer.position.values[near[is_same]], axis=-1).max(axis=-1)
    known = np.flatnonzero(np.isfinite(apart))
    if len(known) < 2:
        return None
    most = known[int(np.argmax(apart[known]))]
    return {"largest_m": float(apart[most]), "at_s": float(times[is_same][most]), "last_m": float(apart[known[-1]]),
            "last_s": float(times[is_same][known[-1]])}  # fmt: skip


def _scales(data: xr.Dataset, summary: dict[str, Any]) -> dict[str, float]:
    """The largest length, speed, force, energy and time of a run, by unit."""
    way = np.linalg.norm(data.position.values - data.position.values[:1], axis=-1)
    found = {
        "m": way, "m_s": np.linalg.norm(data.velocity.values, axis=-1), "N": data.contact_normal_force.values,
        "s": data.time.values, "J": np.array([turned_over(data), *_numbers(summary, "J")]),
    }  # fmt: skip
    return {unit: float(np.max(np.abs(x[np.isfinite(x)]), initial=0.0)) for unit, x in found.items()}


def _numbers(summary: dict[str, Any], unit: str) -> list[float]:
    return [v for name, v in summary.items() if isinstance(v, float) and unit_of(name) == unit]


def _listed(check: dict[str, Any]) -> str:
    """What has not converged, the first points by name."""
    out = []
    for key, rows in check["not_converged"].items():
        names = [] if rows is True else rows
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        out.append(key + (f" of {', '.join(names[:MOST_NAMED])}{more}" if names else ""))
    return "; ".join(out)


def _loosened(check: dict[str, Any], how: Finer) -> Iterator[str]:
    """How the tolerance was loosened on the way: part of the method, and no result that could converge."""
    if (loosest := check.get(LOOSEST)) is None:
        return
    here, there = ("kept" if value is None else f"loosened to {value:.2g} in parts" for value in loosest.values())
    yield (
        f"The tolerance was {here} here and {there} at {how.where}, where a point crept along a jump of its force; the "
        "results are compared as they are."
    )


def _sentences(check: dict[str, Any], how: Finer) -> Iterator[str]:
    """What has to be said, the worst first."""
    outcome = check["outcome"]
    if outcome["value"] != outcome["finer"]:
        yield (
            f"The outcome is not certain: {outcome['value']} here, but {outcome['finer']} at {how.where}. It depends "
            "on the numerical method, and so may every number below; compare with finer runs still."
        )
    if check["not_converged"]:
        yield (
            f"Not converged: {_listed(check)}. They differ by more than a tenth from those at {how.where}, or count or "
            f"exist differently there: none of their digits is true. {how.advice}"
        )
    counts = [
        f"{kind.replace('_', ' ')} {found['value']} and {found['finer']} times"
        for kind, found in check["events"].items() if found["value"] != found["finer"] and kind != LOOSENED
    ]  # fmt: skip
    if counts:
        yield f"Events happen another number of times at {how.where}: {', '.join(counts)}."
    yield from _loosened(check, how)
    position, way = check["position"], check["scales"]["m"]
    if position is not None and position["largest_m"] > 0.0:
        share = f", {position['largest_m'] / way:.1g} of the {way:.3g} m it went" if way > 0.0 else ""
        most = error_digit(position["largest_m"])
        yield f"The centre of mass is never more than {most} m from where it is at {how.where}{share}."

"""`planetfall steepen`: V1 as the MSL paper chooses it."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from planetfall.cli.terminal.console import progress_bar
from planetfall.cli.terminal.inputs import scenario_with_sets
from planetfall.errors import InputError
from planetfall.scenario import Scenario
from planetfall.scenario.tables.contact.marker import ContactMarker


def steepen_table(name: str, sets: list[str], within: float, halvings: int, as_json: bool) -> None:
    """Halves V1 until slide and peak forces change by less than `within`, and prints every step of the way."""
    rows: list[dict[str, Any]] = []
    scenario = scenario_with_sets(name, sets)
    contact = scenario.contact
    if not isinstance(contact, ContactMarker):
        raise InputError("contact.law", f"{contact.law!r} has no breakaway speed to steepen", "'marker'")
    if not scenario.vehicle.points:
        raise InputError("vehicle.points", "there are none, so there is no friction to steepen", "at least one")
    method = scenario.integrator.method
    scenario = _adaptive(scenario)
    with progress_bar("steepening") as progress:
        for row in _rows(scenario, contact, halvings):
            rows.append(row)
            progress(len(rows) / (halvings + 1))
            if row["change"] is not None and row["change"] <= within:
                break
    settled = rows[-1]["change"] is not None and rows[-1]["change"] <= within
    choice = rows[-2]["breakaway_speed_m_s"] if settled else None
    if as_json:
        results = {"rows": rows, "within": within, "method": "adaptive", "breakaway_speed_m_s": choice}
        print(json.dumps(results, indent=2))
        return
    if method != "adaptive":
        print(
            f"Runs with integrator.method = 'adaptive' in place of {method!r}: a steeper table would need a new step."
        )
    print(f"{'V1 [m/s]':>12}{'slide distance [m]':>20}{'peak N [N]':>14}{'change':>10}  outcome")
    for row in rows:
        slide = "-" if row["slide_distance_m"] is None else f"{row['slide_distance_m']:.5f}"
        change = "-" if row["change"] is None else f"{row['change']:.2%}"
        print(f"{row['breakaway_speed_m_s']:>12.6g}{slide:>20}{row['peak_N']:>14.2f}{change:>10}  {row['outcome']}")
    if choice is not None:
        print(f"\nFrom V1 = {choice:.6g} m/s on, a steeper table changes the result by no more than {within:.2%}:")
        print(
            f"  --set contact.breakaway_speed={choice:g} --set contact.sliding_speed={rows[-2]['sliding_speed_m_s']:g}"
        )
    else:
        print(f"\nThe result still changed by more than {within:.2%}; allow more with --halvings.")


def _adaptive(scenario: Scenario) -> Scenario:
    """The scenario with the adaptive method, which needs no step to be chosen as the table steepens."""
    if scenario.integrator.method == "adaptive":
        return scenario
    try:
        return scenario.with_values({"integrator.method": "adaptive"})
    except InputError as error:
        reason = error.problem.partition(";")[0]
        problem = f"steepen needs the adaptive method, which this scenario does not allow ({reason})"
        raise InputError(error.where, problem, advice="steepen on a plane of the same slope") from None


def _rows(scenario: Scenario, contact: ContactMarker, halvings: int) -> Iterator[dict[str, Any]]:
    """One row per V1, halved each time with V2 in proportion."""
    from planetfall.simulate import run

    v1, v2 = contact.breakaway_speed, contact.sliding_speed
    before: np.ndarray | None = None
    for k in range(halvings + 1):
        speeds = {"contact.breakaway_speed": v1 / 2**k, "contact.sliding_speed": v2 / 2**k}
        summary = run(scenario.with_values(speeds)).summary
        slide, peaks = summary["slide_distance_m"], summary["peak_normal_force_N"]
        unknown = np.nan if summary["stop_s"] is None else 0.0  # of a flight that stopped peaks alone count
        result = np.array([unknown if slide is None else slide, *peaks])
        change = None if before is None else float(np.max(np.abs(result - before) / np.maximum(np.abs(before), 1e-12)))
        yield {
            "breakaway_speed_m_s": v1 / 2**k,
            "sliding_speed_m_s": v2 / 2**k,
            "slide_distance_m": slide,
            "peak_N": max(peaks),
            "outcome": summary["outcome"],
            "change": None if change is None or np.isnan(change) else change,
        }
        before = result

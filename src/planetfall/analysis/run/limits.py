"""Whether a run keeps to its limits: numbers of the summary, histories over the run or at an instant."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import xarray as xr

from planetfall.engine.mechanisms.air.tracked import END, ENDS, LARGEST, LEAST, TRACKABLE, Tracked
from planetfall.engine.mechanisms.registry import mechanisms_of
from planetfall.engine.state.batch import EVENT_NAMES
from planetfall.engine.state.result import RecordedRun
from planetfall.engine.structure.work_accounts import ACCOUNTS
from planetfall.errors import InputError
from planetfall.outcome import Outcome
from planetfall.record.flight_numbers import flight_numbers
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.limits import Limit

NUMBERS = {
    "end_s": "out.end_s", "first_touch_s": "first_touch_s", "rest_s": "rest_s", "final_speed_m_s": "speed_m_s",
    "max_penetration_m": "max_penetration_m", "peak_normal_force_N": "peak_force_N", "landed_s": "out.detected_s",
    "energy_rise_J": "energy_rise_J", "touchdowns": "n_contacts",
}  # fmt: skip
"""Numbers of a run's summary, with the column of a campaign that holds the same; of lists, see `OF_POINTS`."""
OF_POINTS: dict[str, Callable[[np.ndarray], float]] = {
    "first_touch_s": lambda values: float(np.fmin.reduce(values, initial=np.nan)),
    "touchdowns": lambda values: float(values.sum()),
    "peak_normal_force_N": lambda values: float(values.max(initial=0.0)),
}
"""What a limit is on where a summary lists the contact points: one number of all points of judged vehicles, as rows."""
ONLY_OF_RUNS = ("stop_s", "slide_distance_m", "slide_after_last_bounce_m", "energy_closure_J")
"""Numbers of a run's summary that no column of a campaign holds."""
HISTORIES = (
    "position", "velocity", "angular_velocity", "mass", "contact_gap", "contact_force", "contact_normal_force",
    "contact_friction_force", "energy_kinetic", "energy_gravity", "energy_elastic", "energy_total", "latitude",
    "longitude", "tether_tension", "tether_length", "tether_rest_length", "tether_damper_work", "tether_reel_work",
    "throttle", "thrust", "propellant", "flywheel_speed", "arm_angle", "arm_speed", "body_energy_kinetic",
    "body_energy_gravity", "body_energy_elastic",
)  # fmt: skip
"""Variables of a record that limits may be on, beside those of mechanisms, accounts of work and sensors."""
NO_QUANTITIES = ("_status", "_quaternion")
"""How readings end that have no size."""
OUTCOMES_AT = {
    "descended": Outcome.descended, "skip_out": Outcome.escaped, "escape": Outcome.escaped,
    "time_out": Outcome.timed_out,
}  # fmt: skip
"""With which outcome a run ends at an event."""


def result_names(scenario: Scenario) -> list[str]:
    """Numbers that the mechanisms of a scenario, and a flight, tell of a finished run."""
    told = (result.name for mechanism in mechanisms_of(scenario) for result in mechanism.results)
    return [*flight_numbers(scenario), *told]


def history_names(scenario: Scenario) -> list[str]:
    """Variables of a scenario's record that limits may be on."""
    mechanisms = mechanisms_of(scenario)
    own = [variable.name for mechanism in mechanisms for variable in mechanism.variables]
    accounts = [*ACCOUNTS, *(mechanism.account for mechanism in mechanisms if mechanism.account is not None)]
    told = [name for sensor in scenario.sensors for name in getattr(sensor, "variables", (sensor.name,))]
    readings = [name for name in told if not name.endswith(NO_QUANTITIES)]
    return list(dict.fromkeys((*HISTORIES, *own, *(account.name for account in accounts), *readings)))


def check_limits(scenario: Scenario) -> None:
    """Refuses limits on what there is not, before a run.

    Raises:
        InputError: `of` or `at` names nothing; the message lists what there is.
    """
    numbers, histories = [*NUMBERS, *ONLY_OF_RUNS, *result_names(scenario)], history_names(scenario)
    phases = [phase.name for phase in getattr(scenario.flight, "phases", ())]
    for name, limit in scenario.limits.items():
        if limit.of not in (*numbers, *histories):
            raise InputError(
                f"limits.{name}.of", f"nothing is called {limit.of!r}",
                f"a number of the summary ({', '.join(numbers)}) or a variable ({', '.join(histories)})",
            )  # fmt: skip
        if limit.at is not None and limit.of in numbers:
            said = f"{limit.of} is one number of the whole run"
            raise InputError(f"limits.{name}.at", said, "no `at`", "leave it out, or name a variable in `of`")
        if limit.at is not None and limit.at not in ("end", *EVENT_NAMES, *phases):
            known = ", ".join(("end", *EVENT_NAMES, *phases))
            raise InputError(f"limits.{name}.at", f"nothing is called {limit.at!r}", f"an event or a phase: {known}")


def limits_of_run(
    scenario: Scenario, run: RecordedRun, data: xr.Dataset, summary: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Each limit with the values that it is on; `kept` is None where its instant never came."""
    out = {}
    outcome = Outcome(int(run.end.status[0]))
    for name, limit in scenario.limits.items():
        least, largest = _values(limit, run, data, {**summary, **_of_judged_points(scenario, data, summary)}, outcome)
        is_judged = np.isfinite(least) and np.isfinite(largest)
        kept = limit.is_kept(least, largest) if is_judged else None
        out[name] = {**_terms(limit), "least": least, "largest": largest, "kept": kept}
    return out


def _of_judged_points(scenario: Scenario, data: xr.Dataset, summary: Mapping[str, Any]) -> dict[str, float | None]:
    """The numbers of `OF_POINTS`; None for a first touch that never was."""
    judged = data.point_body.values < scenario.n_judged
    found = {name: one(np.asarray(summary[name], dtype=float)[judged]) for name, one in OF_POINTS.items()}
    return {name: value if np.isfinite(value) else None for name, value in found.items()}


def _terms(limit: Limit) -> dict[str, Any]:
    return {"of": limit.of, "at": limit.at, "min": limit.min, "max": limit.max}


def _values(
    limit: Limit, run: RecordedRun, data: xr.Dataset, summary: Mapping[str, Any], outcome: Outcome
) -> tuple[float, float]:
    """Least and largest value that a limit is on; NaN where there is none."""
    if limit.at is None and (told := _number(summary, limit.of)) is not None:
        values = np.asarray([told], dtype=float).ravel()
        return (float(values.min()), float(values.max())) if values.size else (np.nan, np.nan)
    if (begun := _at_phase(limit, run)) is not None:
        return begun, begun
    tracked = dict(_tracked(limit, summary, outcome))
    if tracked:
        return tracked.get(LEAST, tracked.get(LARGEST, np.nan)), tracked.get(LARGEST, tracked.get(LEAST, np.nan))
    if limit.of not in data:
        return np.nan, np.nan
    times, values = _history(data, limit.of)
    if not np.isfinite(values).any():
        return np.nan, np.nan
    if limit.at is None:
        return float(np.nanmin(values)), float(np.nanmax(values))
    time = _instant(limit.at, run, data)
    if time is None:
        return np.nan, np.nan
    if str(data[limit.of].dims[0]) != "time":  # a sensor holds its last reading
        place = values[max(int(np.searchsorted(times, time, side="right")) - 1, 0)]
    else:
        place = np.array([np.interp(time, times, column) for column in values.T])
    return float(place.min()), float(place.max())


def _number(summary: Mapping[str, Any], name: str) -> Any:
    """A number of a summary, or of a table in it where its name has a dot; None where there is none."""
    table, _, own = name.rpartition(".")
    found = summary.get(table, {}) if table else summary
    return found.get(own) if isinstance(found, Mapping) else None


def _at_phase(limit: Limit, run: RecordedRun) -> float | None:
    """A variable of the vehicle that is flown when a phase first began, as campaigns keep it; None if not kept."""
    transitions = run.end.transitions[0] if len(run.end.transitions) else ()
    return next((change.flight.get(limit.of) for change in transitions if change.phase == limit.at), None)


def _tracked(limit: Limit, summary: Mapping[str, Any], outcome: Outcome) -> Iterator[tuple[str, float]]:
    """The values of a flight that every run keeps, located between steps."""
    if limit.of not in TRACKABLE:
        return
    kinds = (END,) if limit.at in ENDS else (LEAST, LARGEST) if limit.at is None else ()
    for kind in kinds:
        if (value := summary.get(Tracked(limit.of, kind).name)) is not None:
            is_there = limit.at in (None, "end") or OUTCOMES_AT[str(limit.at)] == outcome
            yield LARGEST if kind == END else kind, float(value) if is_there else np.nan


def _history(data: xr.Dataset, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Times [frame] and values [frame, column] of a variable or reading, a vector by its length.

    Of the first vehicle that has it, or of all points, beams or parts.
    """
    found = data[name]
    times = data[str(found.dims[0])].values
    if "body" in found.dims:
        has_it = np.isfinite(found.values.reshape(len(data.time), len(data.body), -1)).any(axis=(0, 2))
        found = found.isel(body=int(np.argmax(has_it)))
    values = np.linalg.norm(found.values, axis=-1) if "axis" in found.dims else found.values
    return times, values.reshape(len(times), -1)


def _instant(at: str, run: RecordedRun, data: xr.Dataset) -> float | None:
    """When an event or a phase first was [s]; None where it never was."""
    if at == "end":
        return float(data.time.values[-1])
    times = [event.time for event in run.events if event.kind == at]
    transitions = run.end.transitions[0] if len(run.end.transitions) else ()
    times += [change.time for change in transitions if change.phase == at]
    return min(times, default=None)

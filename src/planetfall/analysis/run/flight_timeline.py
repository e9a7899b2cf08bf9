"""A flight in a summary: its phases, what it was still waiting for, what the controller did wrong, what it burnt.

When and how each phase began is there as numbers of runs, too, by which limits and campaigns go.
"""

from typing import Any

import numpy as np
import xarray as xr

from planetfall.engine.state.result import BatchResult, RecordedRun, Transition
from planetfall.flight.mount_flight import flown_body, phase_names
from planetfall.outcome import Outcome
from planetfall.record.flight_numbers import LAST_PHASE, OF_VARIABLE, PHASES, numbers_of_phases, phase_numbers
from planetfall.scenario.scenario import Scenario


def flight_summary(scenario: Scenario, run: RecordedRun, data: xr.Dataset) -> dict[str, Any]:
    """What the controller did, and what was left."""
    end = run.end
    phases = [
        {"name": change.phase, "begins_s": change.time, "cause": change.cause, **of_transition(scenario, change)}
        for change in end.transitions[0]
    ]
    return {
        "phases": phases,
        "waiting_for": waiting_for(scenario, phases[-1]["name"] if phases else None, Outcome(int(end.status[0]))),
        "controller_fault": end.faults[0],
        "thrust_shortfall_N": end.shortfall[0],
        **_propellant(scenario, data),
    }


def waiting_for(scenario: Scenario, phase: str | None, outcome: Outcome = Outcome.timed_out) -> str | None:
    """A sentence with advice where the last phase has triggers of which none fired; None where it has none."""
    sequence = None if scenario.flight is None else scenario.flight.sequence
    last = next((p for p in sequence.phases if p.name == phase), None) if sequence is not None else None
    if last is None or not last.ends:
        return None
    asked = "; or ".join(end.said for end in last.ends)
    advice = "Change the trigger in flight.phases, or what leads to it."
    if outcome is Outcome.timed_out:
        advice = "Give a longer scenario.duration if it was on its way, or change the trigger in flight.phases."
    return f"The run ended in the phase {last.name!r}, before one of its triggers fired ({asked}). {advice}"


def _propellant(scenario: Scenario, data: xr.Dataset) -> dict[str, float | None]:
    """What is left at the end, and from when on there was none."""
    body = flown_body(scenario)
    if "propellant" not in data or scenario.vehicles[body].propellant is None:
        return {}
    left = data.propellant.values[:, body]
    gone = data.time.values[left <= 0.0]
    return {
        "propellant_left_kg": max(float(left[-1]), 0.0),
        "propellant_gone_s": float(gone[0]) if len(gone) else None,
    }


def phase_results(scenario: Scenario, end: BatchResult) -> dict[str, np.ndarray]:
    """The numbers of `phase_numbers` [run] of runs that ended."""
    names = phase_names(scenario)[0]
    out = {name: np.full(len(end.time), np.nan) for name in phase_numbers(scenario)}
    for run, transitions in enumerate(end.transitions if names else ()):
        if transitions:
            out[LAST_PHASE][run] = names.index(transitions[-1].phase)
        for change in reversed(transitions):  # of a phase that was entered again, the first time counts
            for number, value in of_transition(scenario, change).items():
                out[f"{PHASES}{change.phase}.{number}"][run] = value
    return out


def of_transition(scenario: Scenario, change: Transition) -> dict[str, float]:
    """The numbers of a change of phase."""
    every = {"begins_s": change.time, **{OF_VARIABLE[name]: value for name, value in change.flight.items()}}
    return {name: every[name] for name in numbers_of_phases(scenario) if name in every}

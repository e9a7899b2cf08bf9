"""When and how each phase of a flight began, as numbers of runs: what limits at phases and campaigns go by."""

import numpy as np

from planetfall.engine.state.result import BatchResult, Transition
from planetfall.flight.mount_flight import phase_names
from planetfall.record.flight_numbers import LAST_PHASE, OF_VARIABLE, PHASES, numbers_of_phases, phase_numbers
from planetfall.scenario.scenario import Scenario


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

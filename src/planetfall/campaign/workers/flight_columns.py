"""How the runs of a campaign flew: touchdown, miss, propellant, and when and how each phase began, as columns."""

from collections.abc import Sequence

import numpy as np

from planetfall.analysis.run.phase_numbers import phase_results
from planetfall.analysis.run.touchdown import flight_results
from planetfall.engine.build import Model
from planetfall.engine.state.result import BatchResult
from planetfall.outcome import Outcome
from planetfall.record.flight_numbers import MISS, flight_numbers, phase_numbers
from planetfall.scenario.scenario import Scenario

NOWHERE = (Outcome.escaped, Outcome.orbiting, Outcome.diverged, Outcome.step_refused, Outcome.controller_error)
"""Outcomes whose last place says nothing of a miss."""


def flight_names(scenario: Scenario) -> tuple[str, ...]:
    """Columns of a scenario's campaigns."""
    return tuple(f"out.{name}" for name in (*flight_numbers(scenario), *phase_numbers(scenario)))


def flight_columns(model: Model, end: BatchResult, own: Sequence[Scenario] | None = None) -> dict[str, np.ndarray]:
    """The columns `flight_names` of runs that were simulated; `own` are their scenarios where those differ."""
    found = {**flight_results(model.scenario, end, own), **phase_results(model.scenario, end)}
    if MISS in found:
        is_lost = np.isin(end.status, [int(outcome) for outcome in NOWHERE])
        found[MISS] = np.where(is_lost, np.nan, found[MISS])
    return {f"out.{name}": values for name, values in found.items()}

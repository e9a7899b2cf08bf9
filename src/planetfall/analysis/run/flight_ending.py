"""How a flight ended that went wrong, in a sentence that knows its phase, its parachutes and its steps."""

from typing import Any

import numpy as np

from planetfall.engine.state.result import RecordedRun
from planetfall.flight.sequence.phase_steps import phase_steps, shortest_step
from planetfall.outcome import Outcome
from planetfall.scenario.scenario import Scenario


def flight_ending(
    scenario: Scenario, run: RecordedRun, results: dict[str, Any], propellant_gone: float | None = None
) -> dict[str, str]:
    """`outcome_sentence` of the summary, where the flight says more than the outcome.

    `results` of the mechanisms; `propellant_gone` [s]: from when on there was none.
    """
    sequence = None if scenario.flight is None else scenario.flight.sequence
    changes = run.end.transitions[0]
    if sequence is None or not changes:
        return {}
    outcome, phase = Outcome(int(run.end.status[0])), changes[-1].phase
    i = [one.name for one in sequence.phases].index(phase)
    if outcome is Outcome.step_refused and _is_coarse(scenario, i):
        step, fine = phase_steps(scenario)[i], shortest_step(scenario)
        return _sentence(
            f"The vehicle touched the ground in the phase {phase!r}, whose step of {step:g} s is made for flight. Give "
            f"flight.phases.{i}.step = {fine:g}, or change what ends the phase."
        )
    if outcome is Outcome.crashed:
        return _sentence(f"{_crash(scenario, run, phase)}{_unopened(results)}{_starved(propellant_gone)}")
    return {}


def _sentence(text: str) -> dict[str, str]:
    return {"outcome_sentence": text}


def _is_coarse(scenario: Scenario, i: int) -> bool:
    """Whether contact was refused in a phase."""
    return scenario.integrator.method == "rk4" and phase_steps(scenario)[i] > shortest_step(scenario)


def _crash(scenario: Scenario, run: RecordedRun, phase: str) -> str:
    hit = [event for event in run.events if event.kind == "crash"]
    speed = f" with {hit[-1].value:.3g} m/s" if hit else ""
    return (
        f"The vehicle hit the ground{speed} in the phase {phase!r}, faster than outcome.crash_speed, "
        f"{scenario.outcome.crash_speed:g} m/s."
    )


def _starved(gone: float | None) -> str:
    """Of engines without propellant."""
    if gone is None:
        return ""
    return (
        f" The propellant was gone at {gone:.4g} s, and the engines with it: load more (vehicle.propellant.mass), or "
        "begin the powered descent lower or slower."
    )


def _unopened(results: dict[str, Any]) -> str:
    """Of parachutes that were never fired."""
    waiting = [
        name for name, table in results.items()
        if isinstance(table, dict) and "deploy_s" in table and not np.isfinite(table["deploy_s"])
    ]  # fmt: skip
    if not waiting:
        return ""
    return (
        " The parachute was not fired: its phase never began. See what ends the phase before (a speed or a height that "
        "it never had, an `after` that is too long), or enter at a shallower angle."
    )

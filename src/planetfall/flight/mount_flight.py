"""From a scenario's `[flight]` to what the kernel takes."""

import numpy as np

from planetfall.compute.draft import Draft
from planetfall.errors import InputError
from planetfall.flight.model import FLIGHT_NONE, FLIGHT_PYTHON, FlightModel
from planetfall.flight.sequence.phase_steps import check_phase_steps, has_steps, phase_steps, phases_after_ignition
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.flight.flight import FlightSequence

STEP_SLACK = 1e-9
"""Relative error that the number of steps between two calls may have."""


def flight_model(scenario: Scenario) -> FlightModel:
    """The controller that a scenario asks for."""
    if scenario.flight is None:
        return FLIGHT_NONE
    sequence = scenario.flight.sequence
    if sequence is None:
        return FLIGHT_PYTHON
    from planetfall.flight.sequence.mount_steering import laws_of  # here, or runs without a sequence would wait for it
    from planetfall.flight.sequence.steering import sequence_model

    return sequence_model(laws_of(sequence), has_steps(sequence))


def phase_names(scenario: Scenario) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Phases and causes that are known before the run."""
    sequence = None if scenario.flight is None else scenario.flight.sequence
    if sequence is None:
        return (), ()
    causes = (end.cause_said for phase in sequence.phases for end in phase.ends)
    return tuple(phase.name for phase in sequence.phases), ("start", *causes)


def flown_body(scenario: Scenario) -> int:
    """Index of the vehicle whose start the controller knows; the first where that is not said."""
    sequence = None if scenario.flight is None else scenario.flight.sequence
    if sequence is None or sequence.body is None:
        return 0
    if sequence.body not in scenario.body_names:
        names = ", ".join(scenario.body_names)
        raise InputError("flight.body", f"no vehicle is called {sequence.body!r}", f"one of {names}")
    return scenario.body_index(sequence.body)


def check_flight(scenario: Scenario) -> None:
    """Refuses a step that does not divide the time between two calls, or is too long for the engines' lag."""
    flight, method = scenario.flight, scenario.integrator
    check_phase_steps(scenario)
    if flight is None or method.method != "rk4":
        return
    sequence = flight.sequence
    if sequence is not None and has_steps(sequence):
        _check_lags(scenario, sequence)
        return
    steps = 1.0 / (flight.rate * method.step)
    if steps < 1.0 - STEP_SLACK or abs(steps - round(steps)) > STEP_SLACK * steps:
        use = 1.0 / (flight.rate * max(1, int(np.ceil(steps - STEP_SLACK))))
        raise InputError(
            "integrator.step",
            f"{method.step:.9g} s does not divide the {1.0 / flight.rate:.9g} s between two calls of the controller",
            advice=f"use integrator.step = {use!r}, which does {round(1.0 / (flight.rate * use))} times",
        )
    for engine in (engine for vehicle in scenario.vehicles for engine in vehicle.engines):
        if method.step > 2.0 * engine.lag:
            raise InputError(
                "integrator.step", f"{method.step:g} s is too long for the lag of {engine.name}",
                f"at most {2.0 * engine.lag:g} s, twice the lag",
            )  # fmt: skip


def _check_lags(scenario: Scenario, sequence: FlightSequence) -> None:
    """Refuses steps of phases that are too long for the lag of an engine that may give thrust in them."""
    lag = min((e.lag for vehicle in scenario.vehicles for e in vehicle.engines), default=np.inf)
    for i, step in enumerate(phase_steps(scenario)):
        if step > 2.0 * lag and i in phases_after_ignition(sequence):
            raise InputError(
                f"flight.phases.{i}.step", f"{step:g} s is too long for the lag of the engines",
                f"at most {2.0 * lag:g} s, twice the lag",
            )  # fmt: skip


def mount_flight(scenario: Scenario, start: np.ndarray) -> Draft:
    """The parameters of a compiled controller; `start`: state (13,) at time zero of the vehicle that is flown."""
    sequence = None if scenario.flight is None else scenario.flight.sequence
    if sequence is None:
        return Draft(flight_model(scenario).params)
    from planetfall.flight.sequence.mount_steering import steering_params

    return steering_params(scenario, sequence, flown_body(scenario), start)

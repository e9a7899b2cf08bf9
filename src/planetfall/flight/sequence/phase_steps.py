"""Rates and steps of phases: how often the controller is called in each, and how far the integrator steps."""

from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.flight.flight import FlightSequence

RATE_SLACK = 1e-9
"""Relative error that the number of ticks between two calls, or of steps between them, may have."""


def own_step(scenario: Scenario) -> float:
    """The integrator's fixed step, or its longest [s]."""
    method = scenario.integrator
    return method.step if method.method == "rk4" else method.max_step


def phase_steps(scenario: Scenario) -> list[float]:
    """The step of each phase [s]; empty without a sequence."""
    sequence, usual = _sequence(scenario), own_step(scenario)
    return [] if sequence is None else [usual if phase.step is None else phase.step for phase in sequence.phases]


def shortest_step(scenario: Scenario) -> float:
    """The shortest step that a phase has [s], which contact has to do with; the integrator's without phases."""
    return min(phase_steps(scenario), default=own_step(scenario))


def has_steps(sequence: FlightSequence) -> bool:
    """Whether a phase has a step of its own."""
    return any(phase.step is not None for phase in sequence.phases)


def strides(sequence: FlightSequence) -> list[int]:
    """Ticks of flight.rate from one call to the next, for each phase."""
    return [1 if phase.rate is None else round(sequence.rate / phase.rate) for phase in sequence.phases]


def phases_after_ignition(sequence: FlightSequence) -> set[int]:
    """Phases in which an engine may give thrust: those that run engines, and all that can follow them."""
    from planetfall.flight.guidance.laws import GUIDANCE_LAWS  # here, or runs without a flight would wait for it

    names = [phase.name for phase in sequence.phases]
    new = [i for i, phase in enumerate(sequence.phases) if GUIDANCE_LAWS[phase.guidance.law].runs_engines]
    reached = set(new)
    while new:
        i = new.pop()
        leads = {i + 1 if end.to is None else names.index(end.to) for end in sequence.phases[i].ends} - reached
        reached |= leads
        new += leads
    return reached


def check_phase_steps(scenario: Scenario) -> None:
    """Refuses rates that are no whole fraction of the controller's, and steps that are too long."""
    sequence, method = _sequence(scenario), scenario.integrator
    if sequence is None:
        return
    key = "integrator.step" if method.method == "rk4" else "integrator.max_step"
    for i, (phase, stride, step) in enumerate(
        zip(sequence.phases, strides(sequence), phase_steps(scenario), strict=True)
    ):
        where = f"flight.phases.{i}"
        if phase.rate is not None and (
            stride < 1 or abs(stride * phase.rate - sequence.rate) > RATE_SLACK * sequence.rate
        ):
            whole = sequence.rate / max(1, stride)
            raise InputError(
                f"{where}.rate", f"{phase.rate:g} Hz is not a whole fraction of flight.rate, {sequence.rate:g} Hz",
                advice=f"use {whole:g} Hz, every {_nth(max(1, stride))} tick",
            )  # fmt: skip
        if step > own_step(scenario) * (1.0 + RATE_SLACK):
            raise InputError(
                f"{where}.step", f"{step:g} s is longer than {key}, {own_step(scenario):g} s",
                advice=f"use a shorter one here, or {key} = {step:g}",
            )  # fmt: skip
        if method.method == "rk4" and phase.step is not None:
            _check_divides(f"{where}.step", phase.step, stride / sequence.rate)


def _check_divides(where: str, step: float, period: float) -> None:
    steps = period / step
    if steps < 1.0 - RATE_SLACK or abs(steps - round(steps)) > RATE_SLACK * steps:
        n = max(1, round(steps))
        raise InputError(
            where, f"{step:.9g} s does not divide the {period:.9g} s between two calls of the controller in this phase",
            advice=f"use {period / n!r}, or a lower rate",
        )  # fmt: skip


def _sequence(scenario: Scenario) -> FlightSequence | None:
    return None if scenario.flight is None else scenario.flight.sequence


def _nth(n: int) -> str:
    return {1: "", 2: "second", 3: "third"}.get(n, f"{n}th")

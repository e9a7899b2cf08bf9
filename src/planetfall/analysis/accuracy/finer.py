"""The same scenario with a smaller error: half the step, or a tenth of the tolerance."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from planetfall.engine.state.result import ParameterChange
from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.integrator import IntegratorRk4

if TYPE_CHECKING:  # landings do without the rovers' modules
    from planetfall.scenario.drive import DriveScenario

LEAST_TOLERANCE = 1e-14
"""That the adaptive method takes; below it rounding errors are larger."""
CHAOS = (
    "Either step or tolerance is too coarse for them, which a finer run still shows; or bounces and tumbling make any "
    "difference grow, and then they have a distribution (planetfall montecarlo) and no value."
)
SPARSE = "Poses are too far apart to meet the edges that decide them: shorten path.step."


@dataclass(frozen=True)
class Finer:
    """How a run is repeated with a smaller error.

    Attributes:
        by: In words, after "at".
        keys: By name as in `summary.json`, the value of the run and the finer one.
        values: Keys of the scenario with their finer values.
        advice: On numbers that differ by their own size.
    """

    by: str
    keys: dict[str, dict[str, float]]
    values: dict[str, float]
    advice: str = CHAOS

    @property
    def where(self) -> str:
        """In words, with the numbers."""
        units = {"step_s": " s", "path_step_m": " m", "tolerance": ""}
        numbers = [f"{self.keys[name]['finer']:g}{unit}" for name, unit in units.items() if name in self.keys]
        return f"{self.by} ({', '.join(numbers)})"


def finer_run(scenario: Scenario) -> Finer:
    """How a landing is repeated: RK4 at half the step; adaptive at a tenth of the tolerance, at most half the step.

    Controllers and sensors keep their instants, which do not come from the step, and with them their noise.

    Raises:
        InputError: There is nothing finer.
    """
    method = scenario.integrator
    if isinstance(method, IntegratorRk4):
        return _finer(
            "half the step", {"step_s": ("integrator.step", method.step, method.step / 2), **_phases(scenario)}
        )
    if method.tolerance < 10 * LEAST_TOLERANCE:
        raise InputError(
            "integrator.tolerance",
            f"{method.tolerance:g} cannot be checked: a tenth of it is below what the method takes",
            f"at least {10 * LEAST_TOLERANCE:g} with the check",
            "use a larger tolerance, or leave out the check",
        )
    return _finer(
        "a tenth of the tolerance",
        {
            "tolerance": ("integrator.tolerance", method.tolerance, method.tolerance / 10),
            "max_step_s": ("integrator.max_step", method.max_step, method.max_step / 2),
            **_phases(scenario),
        },
    )


def _phases(scenario: Scenario) -> dict[str, tuple[str, float, float]]:
    """Half the steps of the phases that have one of their own."""
    sequence = None if scenario.flight is None else scenario.flight.sequence
    steps = {} if sequence is None else {i: phase.step for i, phase in enumerate(sequence.phases)}
    return {
        f"phase_{i}_step_s": (f"flight.phases.{i}.step", step, step / 2)
        for i, step in steps.items()
        if step is not None
    }


def finer_drive(scenario: "DriveScenario") -> Finer:
    """How a rover's drive is repeated: poses half as far apart."""
    step = scenario.path.step
    return _finer("half the distance between poses", {"path_step_m": ("path.step", step, step / 2)}, SPARSE)


def _finer(by: str, keys: dict[str, tuple[str, float, float]], advice: str = CHAOS) -> Finer:
    pairs = {name: {"value": value, "finer": finer} for name, (_, value, finer) in keys.items()}
    return Finer(by, pairs, {key: finer for key, _, finer in keys.values()}, advice)


def finer_changes(scenario: Scenario, changes: Sequence[ParameterChange]) -> list[ParameterChange]:
    """Changes during a run, after twice as many steps: at the same instants.

    Raises:
        InputError: The method chooses its steps, so that there is no such number.
    """
    if not isinstance(scenario.integrator, IntegratorRk4):
        raise InputError(
            "check", "changes during a run are made between steps, and at a tenth of the tolerance those lie elsewhere",
            "integrator.method = 'rk4' for a run with changes", "leave out the check, or the changes",
        )  # fmt: skip
    return [replace(change, step=2 * change.step) for change in changes]


def failed_check(finer: Finer, problem: str) -> dict[str, Any]:
    """What the summary holds where the finer run could not be made: the run itself is as good as without a check."""
    sentence = f"The run at {finer.where} could not be made ({problem}): how true the digits are is not known."
    return {"by": finer.by, **finer.keys, "failed": problem, "sentences": [sentence]}

"""What the parameters of a run take from its start."""

from dataclasses import dataclass
from typing import assert_never

import numpy as np

from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.integrator import IntegratorAdaptive, IntegratorRk4


@dataclass(frozen=True)
class Start:
    """What the parameters of a run take from its start.

    Attributes:
        state: Of all bodies, (13 * bodies or more,).
        gravity: Its magnitude [m/s^2] where the first vehicle is.
    """

    state: np.ndarray
    gravity: float


def end_of_step_at(scenario: Scenario, instant: float | None) -> float:
    """When a step ends that an instant [s] ends; infinite without an instant.

    A fixed one: its end nearest to the instant, to the bit as the kernel has it, so that no step sees both sides. An
    adaptive one ends at the instant itself.
    """
    if instant is None:
        return np.inf
    match scenario.integrator:
        case IntegratorRk4(step=step):
            return float(np.rint(instant / step)) * step
        case IntegratorAdaptive():
            return instant
        case other:
            assert_never(other)

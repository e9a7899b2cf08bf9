"""What a controller is to the kernel builder."""

from dataclasses import dataclass
from typing import Any

import warp as wp


@wp.struct
class NoFlight:
    """No compiled controller has no numbers."""

    count: wp.int32


@dataclass(frozen=True)
class FlightModel:
    """A controller as the kernel builder takes it.

    Attributes:
        kind: Name in scenario files; also part of the kernel cache key.
        params: `@wp.struct` class that holds every number of a compiled controller.
        steer: `@wp.func (params, readings, landed [s], commands, t, run)` that writes commands; None where the kernel
            waits for a controller in Python.
        n_memory: Numbers that a compiled controller keeps between calls; NaN before the first.
        has_steps: Whether it sets the step of the integrator.
    """

    kind: str
    params: Any
    steer: Any = None
    n_memory: int = 1
    has_steps: bool = False

    @property
    def is_flown(self) -> bool:
        """Whether there is a controller at all."""
        return self.kind != "none"


FLIGHT_NONE = FlightModel("none", NoFlight)
FLIGHT_PYTHON = FlightModel("python", NoFlight)

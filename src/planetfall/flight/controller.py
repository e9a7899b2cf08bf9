"""Controllers in Python: what they are given, what they give back, and how to write one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np


@dataclass(frozen=True)
class Seen:
    """All that a controller sees at one call.

    Attributes:
        time: Of the call [s].
        sensors: The latest reading of each sensor by name, one number per channel, in the sensor's unit; NaN where a
            beam had no return.
        throttles: [engine] commanded last, share of the largest thrust.
        engine_works: [engine] whether the engine's own telemetry calls it healthy.
        landed: Whether the landing detector has declared a landing.
    """

    time: float
    sensors: dict[str, np.ndarray]
    throttles: np.ndarray
    engine_works: np.ndarray
    landed: bool


@dataclass(frozen=True)
class Command:
    """What a controller commands; it is held until the next call.

    With a fixed step it acts from the end of the next step on, with the adaptive method at the instant of the call.

    Attributes:
        throttles: [engine] share of the largest thrust: 0 for off, else from thrust_min/thrust_max to 1.
        release: Names of tethers whose held reels are let go.
        cut: Names of tethers that are cut.
        switch: What is commanded once: "deploy NAME" and "release NAME" of a parachute, "separate NAME" of an attached
            vehicle; it cannot be taken back.
        bank: Angle [rad] to which the entering vehicle, in trim and without a bank plan, is to turn its lift: 0 is up,
            positive to the right; None leaves it at what was commanded last.
        phase: What the controller is doing; a change is logged.
        cause: Why it went into this phase.
        is_armed: Whether the landing detector may declare.
        shortfall: What the engines could not give of a force or moment [N], for the summary.
    """

    throttles: Sequence[float] | np.ndarray
    release: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    switch: tuple[str, ...] = ()
    bank: float | None = None
    phase: str = ""
    cause: str = ""
    is_armed: bool = True
    shortfall: float = 0.0


class Controller(Protocol):
    """Any object with this method; what it keeps between calls is its own.

    It is called at every tick of `flight.rate`, the first at time zero. In a batch every run has a deep copy of it.
    """

    def command(self, seen: Seen) -> Command:
        """What to do until the next call."""
        ...

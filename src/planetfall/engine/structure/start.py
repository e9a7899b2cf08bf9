"""What the parameters of a run take from its start."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Start:
    """What the parameters of a run take from its start.

    Attributes:
        state: Of all bodies, (13 * bodies or more,).
        gravity: Its magnitude [m/s^2] where the first vehicle is.
    """

    state: np.ndarray
    gravity: float


def nearest_step_end(instant: float, step: float) -> float:
    """The end of a fixed step nearest to an instant [s], to the bit as the kernel has it; with step 0 the instant."""
    return float(np.rint(instant / step)) * step if step > 0.0 else instant

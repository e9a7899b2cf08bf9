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

"""How late, how early and how often a landing detector declares, over many landings."""

from dataclasses import dataclass

import numpy as np

from planetfall.engine.result import BatchResult


@dataclass(frozen=True)
class Detection:
    """A landing detector's record over a batch.

    Attributes:
        delay: [run] from the first touch of any contact point to the declaration [s]; negative where the landing was
            declared in flight, NaN where it was not declared or the vehicle never touched.
        n_early: Runs in which it was declared before the first touch, or without any.
        n_missed: Runs that touched the ground and in which it was not declared.
    """

    delay: np.ndarray
    n_early: int
    n_missed: int

    def quantile(self, fraction: float) -> float:
        """Delay [s] that this fraction of the declared landings does not exceed; NaN if there is none."""
        known = self.delay[np.isfinite(self.delay)]
        return float(np.quantile(known, fraction)) if len(known) else float("nan")


def detection(result: BatchResult) -> Detection:
    """Compares a detector's declarations with the true first touches."""
    touches = np.where(np.isnan(result.first_touch), np.inf, result.first_touch)
    touch = touches.min(axis=1, initial=np.inf)
    touched, declared = np.isfinite(touch), np.isfinite(result.detected)
    delay = np.full(len(touch), np.nan)
    both = touched & declared
    delay[both] = result.detected[both] - touch[both]
    return Detection(
        delay=delay,
        n_early=int(np.sum(declared & ~(result.detected >= touch))),
        n_missed=int(np.sum(touched & ~declared)),
    )

"""How late, how early and how often a landing detector declares, over many landings."""

from dataclasses import dataclass

import numpy as np

from planetfall.engine.state.result import BatchResult


@dataclass(frozen=True)
class Detection:
    """A landing detector's record over some landings.

    Attributes:
        contact: [run] first touch of any contact point of the vehicle that lands [s]; NaN if it never touched.
        delay: [run] from there to the declaration [s]; negative where the landing was declared in flight, NaN where it
            was not declared or the vehicle never touched.
        is_false: [run] whether it was declared before the first touch, or without any.
        is_missed: [run] whether the vehicle touched the ground and it was not declared.
    """

    contact: np.ndarray
    delay: np.ndarray
    is_false: np.ndarray
    is_missed: np.ndarray

    @property
    def n_early(self) -> int:
        """Runs in which it was declared before the first touch, or without any."""
        return int(self.is_false.sum())

    @property
    def n_missed(self) -> int:
        """Runs that touched the ground and in which it was not declared."""
        return int(self.is_missed.sum())

    def quantile(self, fraction: float) -> float:
        """Delay [s] that this fraction of the declared landings does not exceed; NaN if there is none."""
        known = self.delay[np.isfinite(self.delay)]
        return float(np.quantile(known, fraction)) if len(known) else float("nan")


def detection(result: BatchResult, n_points: int | None = None) -> Detection:
    """Compares a detector's declarations with the true first touches of the first `n_points` contact points; all."""
    touches = np.where(np.isnan(result.first_touch), np.inf, result.first_touch)[:, :n_points]
    return of_times(touches.min(axis=1, initial=np.inf), result.detected)


def of_times(contact: np.ndarray, declared: np.ndarray) -> Detection:
    """The same of instants [run] [s]; what never happened is NaN or infinite."""
    touched, was_declared = np.isfinite(contact), np.isfinite(declared)
    both = touched & was_declared
    delay = np.full(len(contact), np.nan)
    delay[both] = declared[both] - contact[both]
    return Detection(
        contact=np.where(touched, contact, np.nan),
        delay=delay,
        is_false=was_declared & ~(both & (delay >= 0.0)),
        is_missed=touched & ~was_declared,
    )

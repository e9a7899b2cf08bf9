"""Convergence orders by fitted slope."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def order(sizes: ArrayLike, errors: ArrayLike) -> float:
    """Exponent p of error ~ size^p by least squares on the logarithms; several rows of errors are fitted together."""
    logs = np.log(np.atleast_2d(np.asarray(errors, dtype=float))).mean(axis=0)
    return float(np.polyfit(np.log(np.asarray(sizes, dtype=float)), logs, 1)[0])

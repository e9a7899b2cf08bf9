"""From uniform numbers to deviates, directions and attitudes, each run by itself.

What a run gets depends on its own uniform numbers alone, to the last bit, whatever other runs are drawn with it.
Functions of the C library are therefore called number by number, and sums are written out: array functions may take
other instructions for the last numbers of an array than for its first.
"""

import math
from collections.abc import Callable

import numpy as np

HALF_STEP = 2.0**-54
"""Uniform numbers are kept this far from 0 and 1, where normal deviates are infinite."""


def each(function: Callable[[float], float], values: np.ndarray) -> np.ndarray:
    """A function of the C library, number by number."""
    return np.fromiter(map(function, values.tolist()), dtype=float, count=len(values))


def exponential(value: float) -> float:
    """As `math.exp`, and infinite where that overflows."""
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def normal_deviates(uniforms: np.ndarray) -> np.ndarray:
    """Standard normal deviates of uniform numbers between 0 and 1."""
    from scipy.special import ndtri  # an array function that works number by number

    return ndtri(np.clip(uniforms, HALF_STEP, 1.0 - 2.0 * HALF_STEP))


def cut_normal(u: np.ndarray, mean: float, sigma: float, low: float | None, high: float | None) -> np.ndarray:
    """Quantiles of a normal distribution of which only what lies between two bounds is left."""
    if low is None and high is None:
        return mean + sigma * normal_deviates(u)
    from scipy.special import ndtr, ndtri

    a, b = (-np.inf if low is None else (low - mean) / sigma), (np.inf if high is None else (high - mean) / sigma)
    is_upper = a > 0  # in the upper tail, probabilities are counted from above, where they are small and exact
    below, above = (ndtr(-b), ndtr(-a)) if is_upper else (ndtr(a), ndtr(b))
    if not above > below:
        raise ValueError(f"low: nothing of the distribution lies between low and high (mean {mean:g}, sigma {sigma:g})")
    share = (1.0 - u) if is_upper else u
    deviates = ndtri(np.maximum(below + share * (above - below), np.finfo(float).tiny))
    values = mean + sigma * (-deviates if is_upper else deviates)
    return np.clip(values, low, high)  # against rounding at the very ends


def symmetric_root(covariance: np.ndarray) -> np.ndarray:
    """The symmetric square root of a positive semidefinite matrix."""
    variances, axes = np.linalg.eigh(covariance)
    return (axes * np.sqrt(np.maximum(variances, 0.0))) @ axes.T


def perpendicular(direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors across a unit vector and each other."""
    helper = np.eye(3)[int(np.argmin(np.abs(direction)))]
    across = np.cross(direction, helper)
    across = across / math.sqrt(float(np.sum(across * across)))
    return across, np.cross(direction, across)


def unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors [run, n] scaled to length 1."""
    squares = sum(vectors[:, i] * vectors[:, i] for i in range(vectors.shape[1]))
    return vectors / np.sqrt(squares)[:, None]


def quaternion_product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The rotations q, then p; x y z w, of any common shape."""
    (px, py, pz, pw), (qx, qy, qz, qw) = (np.moveaxis(np.atleast_2d(a), -1, 0) for a in (p, q))
    return np.column_stack(
        [
            pw * qx + qw * px + (py * qz - pz * qy),
            pw * qy + qw * py + (pz * qx - px * qz),
            pw * qz + qw * pz + (px * qy - py * qx),
            pw * qw - (px * qx + py * qy + pz * qz),
        ]
    )

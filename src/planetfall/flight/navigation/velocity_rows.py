"""Least squares of a few directions, kept: they are asked for in every run of a campaign."""

from functools import lru_cache

import numpy as np


def rank_of(rows: np.ndarray) -> int:
    """How many of some rows [n, m] are independent."""
    return _rank_of(np.ascontiguousarray(rows).tobytes(), rows.shape)


def velocity_rows(beams: np.ndarray) -> np.ndarray:
    """What to multiply the speed along each beam [beam, 3] with, [beam, 3], so that the sum is the velocity."""
    return _velocity_rows(np.ascontiguousarray(beams).tobytes())


@lru_cache  # by bytes, because -0.0 equals 0.0
def _rank_of(content: bytes, shape: tuple[int, ...]) -> int:
    return int(np.linalg.matrix_rank(np.frombuffer(content).reshape(shape)))


@lru_cache
def _velocity_rows(beams: bytes) -> np.ndarray:
    return np.linalg.pinv(np.frombuffer(beams).reshape(-1, 3)).T.copy()

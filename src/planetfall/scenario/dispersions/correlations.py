"""Correlated dispersions: a Gaussian copula over groups of keys."""

from collections.abc import Mapping

import numpy as np

from planetfall.scenario.dispersions.deviates import HALF_STEP, normal_deviates
from planetfall.scenario.dispersions.distributions import (
    Dispersion,
    DispersionLogNormal,
    DispersionNormal,
    DispersionTriangular,
    DispersionUniform,
)

CONTINUOUS = (DispersionNormal, DispersionLogNormal, DispersionUniform, DispersionTriangular)


def correlated_groups(dispersions: Mapping[str, Dispersion]) -> list[tuple[tuple[str, ...], np.ndarray]]:
    """Keys that hang together, and the lower root L of each group's correlation matrix, L L^T."""
    pairs = _pairs(dispersions)
    groups = []
    for keys in _connected(pairs):
        matrix = np.array([[1.0 if a == b else pairs.get(frozenset((a, b)), 0.0) for b in keys] for a in keys])
        try:
            groups.append((keys, np.linalg.cholesky(matrix)))
        except np.linalg.LinAlgError:
            raise ValueError(
                f"dispersions.{keys[0]}.correlated: the correlations of {', '.join(keys)} contradict each other "
                "(their matrix is not positive definite); weaken them"
            ) from None
    return groups


def correlate(uniforms: np.ndarray, root: np.ndarray) -> np.ndarray:
    """Uniform numbers [run, key] that hang together, of independent ones."""
    from scipy.special import ndtr

    deviates = normal_deviates(uniforms)
    mixed = [sum(root[i, j] * deviates[:, j] for j in range(i + 1)) for i in range(len(root))]
    return np.clip(np.column_stack([ndtr(column) for column in mixed]), HALF_STEP, 1.0 - 2.0 * HALF_STEP)


def _pairs(dispersions: Mapping[str, Dispersion]) -> dict[frozenset[str], float]:
    pairs: dict[frozenset[str], float] = {}
    for key, dispersion in dispersions.items():
        for other, value in (getattr(dispersion, "correlated", None) or {}).items():
            where = f"dispersions.{key}.correlated"
            if other == key or other not in dispersions:
                raise ValueError(f"{where}: {other} is not another dispersed key; dispersed: {', '.join(dispersions)}")
            for name in (key, other):
                if not isinstance(dispersions[name], CONTINUOUS):
                    raise ValueError(f"{where}: {name} is not a continuous distribution of one number")
            if not -1.0 < value < 1.0:
                raise ValueError(f"{where}: a correlation lies between -1 and 1, this one is {value:g}")
            pair = frozenset((key, other))
            if pairs.setdefault(pair, value) != value:
                raise ValueError(f"{where}: {key} and {other} have two different correlations")
    return pairs


def _connected(pairs: Mapping[frozenset[str], float]) -> list[tuple[str, ...]]:
    groups: list[set[str]] = []
    for pair in pairs:
        touching = [group for group in groups if group & pair]
        groups = [group for group in groups if not group & pair] + [set(pair).union(*touching)]
    return [tuple(sorted(group)) for group in groups]

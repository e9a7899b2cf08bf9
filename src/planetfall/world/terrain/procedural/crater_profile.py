"""The profile of a crater, fresh or worn down by diffusion, in units of its diameter over s = r/R.

Fresh: a paraboloid of depth 0.2 D from crest to floor, a crest 0.036 D above the plain (Pike1977), and ejecta that
fall as s^-3 (McGetchin1973), shifted so that they end at a finite reach. Worn: the same after linear diffusion of the
topography (FassettThomson2014) for a time kappa t / R^2, by the eigenfunctions J0 of the Laplacian in a wide disc.
"""

from functools import lru_cache

import numpy as np
from scipy.special import j0, j1, jn_zeros, jv

from planetfall.scenario.tables.world.terrain_procedural import TerrainCraters

FINEST = 250.0
"""Largest wavenumber of the eigenfunctions [1/R]."""
STEP = 0.01
"""Distance of the samples of a worn profile [R]."""


def fresh_profile(table: TerrainCraters, s: np.ndarray) -> np.ndarray:
    """Heights above the plain over the diameter, at distances `s` [R] from the centre."""
    s = np.asarray(s, dtype=np.float64)
    bowl = table.rim_ratio - table.depth_ratio * (1.0 - s**2)
    return np.where(s <= 1.0, bowl, table.rim_ratio * _ejecta(s, table.ejecta_exponent, table.ejecta_reach))


def _ejecta(s: np.ndarray, exponent: float, reach: float) -> np.ndarray:
    """Thickness of the ejecta over that at the crest: s^-exponent, less what is left of it at the reach."""
    end = reach**-exponent
    return np.maximum((np.maximum(s, 1.0) ** -exponent - end) / (1.0 - end), 0.0)


def support(table: TerrainCraters, degradation: float) -> float:
    """Distance [R] beyond which a crater has no relief to speak of: five standard deviations of the diffusion."""
    return table.ejecta_reach + 5.0 * float(np.sqrt(2.0 * degradation))


def samples(table: TerrainCraters) -> np.ndarray:
    """Distances [R] at which worn profiles are given; their last is the support of the most worn crater."""
    worst = max([table.degradation, *(crater.degradation for crater in table.placed)])
    return np.arange(0.0, support(table, worst) + STEP, STEP)


def worn_profiles(table: TerrainCraters, degradation: np.ndarray) -> np.ndarray:
    """Heights over the diameter, [crater, sample], after diffusion for `degradation` = kappa t / R^2, > 0."""
    s = samples(table)
    k, bowl, rim = _modes(table.ejecta_exponent, table.ejecta_reach, float(s[-1]) * 1.25)
    weights = table.rim_ratio * rim - table.depth_ratio * bowl
    decay = np.exp(-np.multiply.outer(np.asarray(degradation), k**2))
    # what the modes cannot resolve has decayed, or else is left as it was when the crater was fresh
    is_sharp = decay[:, -1] > 1e-6
    worn = ((decay - is_sharp[:, None]) * weights) @ j0(np.multiply.outer(k, s))
    return worn + np.where(is_sharp[:, None], fresh_profile(table, s), 0.0)


@lru_cache(maxsize=8)
def _modes(exponent: float, reach: float, radius: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Wavenumbers [1/R] of J0 in a disc, and the coefficients of the bowl 1 - s^2 and of the raised plain with ejecta.

    The disc is so wide that its rim, held at zero, is never reached.
    """
    zeros = jn_zeros(0, int(np.ceil(FINEST * radius / np.pi)))
    k = zeros / radius
    nodes, gauss = np.polynomial.legendre.leggauss(64)
    panels = np.linspace(1.0, reach, int(np.ceil((reach - 1.0) * FINEST / 20.0)) + 1)
    middle, half = 0.5 * (panels[1:] + panels[:-1]), 0.5 * np.diff(panels)
    s = (middle[:, None] + half[:, None] * nodes).ravel()
    measure = (half[:, None] * gauss).ravel() * s * _ejecta(s, exponent, reach)
    norm = 2.0 / (radius * j1(zeros)) ** 2
    rim = j1(k) / k + j0(np.multiply.outer(k, s)) @ measure
    return k, norm * 2.0 * jv(2, k) / k**2, norm * rim

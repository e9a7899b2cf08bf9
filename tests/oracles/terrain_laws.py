"""The laws of generated terrain, worked out again by quadrature: nothing here is taken from the package."""

from itertools import pairwise

import numpy as np
from scipy.integrate import quad
from scipy.special import ive, j0


def rock_number(cover: float, low: float, high: float) -> float:
    """Rocks per m^2 between two diameters, from the covered area: dN = -4/(pi D^2) dF, F = k exp(-q D)."""
    q = 1.79 + 0.152 / cover
    return quad(lambda d: 4.0 / (np.pi * d**2) * cover * q * np.exp(-q * d), low, high, epsabs=0.0, epsrel=1e-11)[0]


def structure_function(noise, distances: np.ndarray) -> np.ndarray:
    """Mean square height difference [m^2] of isotropic roughness: spectrum k^(-2 H) d(log k), cut at both ends."""
    k0 = 2.0 * np.pi / noise.wavelength
    ends = np.log(k0), np.log(k0) + noise.octaves * np.log(noise.lacunarity)
    log_k, step = np.linspace(*ends, 40_001, retstep=True)
    weight = np.exp(-2.0 * noise.hurst * (log_k - ends[0])) * step
    weight[[0, -1]] *= 0.5
    weight /= weight.sum()
    return 2.0 * noise.amplitude**2 * np.array([np.sum(weight * (1.0 - j0(np.exp(log_k) * r))) for r in distances])


def diffused(profile, s: float, tau: float, reach: float) -> float:
    """A profile of revolution over s = r/R after diffusion for tau = kappa t / R^2: the heat kernel's integral."""

    def integrand(t: float) -> float:
        kernel = t / (2.0 * tau) * np.exp(-((s - t) ** 2) / (4.0 * tau)) * ive(0, s * t / (2.0 * tau))
        return float(kernel * profile(np.array(t)))

    width = 12.0 * np.sqrt(2.0 * tau)
    parts = sorted({0.0, 1.0, reach, *(float(np.clip(s + c * width / 12, 0.0, reach)) for c in (-12, -3, 0, 3, 12))})
    return sum(quad(integrand, a, b, epsabs=1e-12, epsrel=1e-10)[0] for a, b in pairwise(parts))

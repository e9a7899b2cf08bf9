"""Making a field of noise, and what is known of it beforehand: variance, slope, and bounds that hold everywhere."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import warp as wp

from planetfall.errors import InputError
from planetfall.world.terrain.noise.lattice import WHOLE
from planetfall.world.terrain.noise.noise import NoiseParams


@dataclass(frozen=True)
class Noise:
    """Fractional Brownian motion over a body.

    Attributes:
        amplitude: Standard deviation of the first octave [m]; or of grid nodes [i, j, k] where it varies.
        wavelength: Of the first octave [m]: the distance of its lattice's nodes.
        octaves: How many.
        gain: Amplitude of an octave over that of the one before it.
        lacunarity: Frequency of an octave over that of the one before it.
        seed: Of the random slopes, turns and shifts.
        origin: Of an amplitude grid [m].
        spacing: Of an amplitude grid, axis by axis [m].
    """

    amplitude: float | np.ndarray
    wavelength: float
    octaves: int = 1
    gain: float = 0.5
    lacunarity: float = 2.0
    seed: int = 0
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    spacing: tuple[float, float, float] = (1.0, 1.0, 1.0)

    @property
    def amplitudes(self) -> np.ndarray:
        """The grid of amplitudes [m]; one value is a grid of eight equal nodes."""
        grid = np.asarray(self.amplitude, dtype=np.float64)
        return np.full((2, 2, 2), float(grid)) if grid.ndim == 0 else grid


@dataclass(frozen=True)
class NoiseStatistics:
    """What a field of noise has where its amplitude is largest.

    Attributes:
        deviation: Standard deviation of the height [m].
        slope_deviation: Root mean square of the gradient [-].
        bound: Largest height [m], never exceeded.
        slope_bound: Largest gradient [-], never exceeded.
    """

    deviation: float
    slope_deviation: float
    bound: float
    slope_bound: float


@lru_cache
def lattice_constants() -> tuple[float, float, float, float]:
    """Of gradient noise N with slopes (+-1, +-1, +-1): variance, mean square of the gradient, largest |N| and |grad N|.

    Means over a cell by Gauss's rule, exact for these polynomials. |N| is largest in the middle of a cell, 3/2. The
    gradient's largest is searched on a grid of a cell, over all signs of the slopes, with a percent to spare.
    """
    x, weight = np.polynomial.legendre.leggauss(16)
    t, w = 0.5 * (x + 1.0), 0.5 * weight
    high = 1.0 - t**3 * (t * (6.0 * t - 15.0) + 10.0)
    rate = -30.0 * (t * (t - 1.0)) ** 2
    i0, i2 = w @ high**2, w @ (t * high) ** 2
    d0, d2, cross = w @ rate**2, w @ (t * rate) ** 2, w @ (high * rate * t)
    variance = 24.0 * i2 * i0**2
    # |w g + grad w (g . r)|^2 over the signs: 3 w^2 + 2 w grad w . r + |grad w|^2 |r|^2, for each of eight corners
    squared = 8.0 * (3.0 * i0**3 + 6.0 * cross * i0**2 + 3.0 * (d2 * i0**2 + 2.0 * d0 * i2 * i0))
    return float(variance), float(squared), 1.5, 1.01 * _steepest()


def _steepest() -> float:
    """Largest gradient of N on a grid of points of an eighth of a cell, along a set of directions; 37/8, in the middle.

    Along a direction d a corner of weight w at r adds g . (w d + (d . grad w) r), which is largest where the signs of
    its slope g are those of the bracket.
    """
    t = np.linspace(0.0, 0.5, 6)
    places = np.stack(np.meshgrid(t, t, t, indexing="ij"), -1).reshape(-1, 3)
    whole = np.array([way for way in np.ndindex(5, 5, 5) if way > (2, 2, 2)]) - 2.0  # one of each pair of opposites
    directions = whole / np.linalg.norm(whole, axis=1)[:, None]
    total = np.zeros((len(places), len(directions)))
    for corner in np.ndindex(2, 2, 2):
        away = places - np.array(corner)
        near = np.abs(away)
        fall = 1.0 - near**3 * (near * (6.0 * near - 15.0) + 10.0)
        rate = -30.0 * (near * (near - 1.0)) ** 2 * np.sign(away)
        gradient = np.column_stack([rate[:, k] * np.delete(fall, k, axis=1).prod(axis=1) for k in range(3)])
        along = gradient @ directions.T
        for k in range(3):
            total += np.abs(np.outer(fall.prod(axis=1), directions[:, k]) + along * away[:, k, None])
    return float(total.max())


def noise_statistics(noise: Noise) -> NoiseStatistics:
    """Deviation, slope and bounds of a field of noise."""
    variance, squared, largest, steepest = lattice_constants()
    i = np.arange(noise.octaves)
    gains, rates = noise.gain**i, (noise.gain * noise.lacunarity) ** i / noise.wavelength
    grid = noise.amplitudes
    top, unit = float(np.abs(grid).max()), np.sqrt(variance)
    tilt = np.sqrt(sum(float(np.abs(np.diff(grid, axis=k)).max()) ** 2 / noise.spacing[k] ** 2 for k in range(3)))
    bound = float(largest / unit * gains.sum())
    return NoiseStatistics(
        deviation=top * float(np.sqrt(np.sum(gains**2))),
        slope_deviation=top * float(np.sqrt(squared / variance * np.sum(rates**2))),
        bound=top * bound,
        slope_bound=top * float(steepest / unit * rates.sum()) + float(tilt) * bound,
    )


def check_noise(noise: Noise, where: str = "terrain.noise") -> None:
    """Refuses what is no field of noise."""
    grid = noise.amplitudes
    if grid.ndim != 3 or min(grid.shape) < 2 or not np.isfinite(grid).all() or grid.min() < 0.0:
        raise InputError(f"{where}.amplitude", "no grid of finite heights", "one number, or at least 2 x 2 x 2, >= 0 m")
    if not (noise.octaves >= 1 and noise.wavelength > 0.0 and noise.gain > 0.0 and noise.lacunarity >= 1.0):
        raise InputError(where, f"{noise}", "octaves >= 1, wavelength and gain > 0, lacunarity >= 1")
    if min(noise.spacing) <= 0.0:
        raise InputError(f"{where}.spacing", f"{noise.spacing} m", "> 0")


def noise_params(noise: Noise, device: str) -> NoiseParams:
    """The parameter struct, filled."""
    check_noise(noise)
    found = noise_statistics(noise)
    params = NoiseParams()
    params.octaves = wp.array(_octaves(noise), dtype=wp.mat44d, device=device)
    params.amplitudes = wp.array(np.ascontiguousarray(noise.amplitudes), dtype=wp.float64, device=device)
    params.origin, params.per_step = wp.vec3d(*noise.origin), wp.vec3d(*(1.0 / step for step in noise.spacing))
    params.amplitude = float(noise.amplitude) if np.ndim(noise.amplitude) == 0 else -1.0
    params.bound, params.slope = found.bound, found.slope_bound
    return params


def _octaves(noise: Noise) -> np.ndarray:
    """A matrix for each octave; turns and shifts come from the seed."""
    found = np.zeros((noise.octaves, 4, 4))
    for i, octave in enumerate(found):
        rng = np.random.Generator(np.random.Philox(key=[noise.seed, i]))
        octave[:3, :3] = _turn(rng) * noise.lacunarity**i / noise.wavelength
        octave[:3, 3] = rng.uniform(0.0, 256.0, 3)
        octave[3, 1] = WHOLE.value + float(rng.integers(2**32))
    found[:, 3, 0] = noise.gain ** np.arange(noise.octaves) / np.sqrt(lattice_constants()[0])
    return found


def _turn(rng: np.random.Generator) -> np.ndarray:
    """A random rotation, all equally likely."""
    x, y, z, w = (q := rng.normal(size=4)) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )

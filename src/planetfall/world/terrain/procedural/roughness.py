"""Fractional Brownian motion as a sum of plane waves.

The spectrum is a power law, so that the structure function, the mean square height difference at distance r, grows as
r^(2 H) between the shortest and the longest wavelength (Shepard2001). Waves have no lattice: the ground is the same
function of position whatever the resolution and the extent of the map.
"""

from dataclasses import dataclass

import numpy as np

from planetfall.scenario.tables.world.terrain_procedural import TerrainNoise
from planetfall.world.terrain.procedural.draw import Stream, uniforms
from planetfall.world.terrain.procedural.grid import Grid

WAVES_PER_DOUBLING = 64
"""Plane waves for each factor of two in wavelength, in as many directions: enough to look and count as Gaussian."""
ROWS_AT_ONCE = 1024


@dataclass(frozen=True)
class Waves:
    """Plane waves: the height is the sum of amplitude cos(k_x x + k_y y + phase).

    Attributes:
        k_x: East component of the wave vectors [rad/m].
        k_y: North component [rad/m].
        phase: Phases at the origin [rad].
        amplitude: Amplitudes [m].
    """

    k_x: np.ndarray
    k_y: np.ndarray
    phase: np.ndarray
    amplitude: np.ndarray


def draw_waves(noise: TerrainNoise, seed: int) -> Waves:
    """The waves of all octaves; their mean squares sum to the square of `noise.amplitude`.

    Wavenumbers are drawn one from each of equal steps in log k, directions one from each of equal sectors, and a wave
    has the variance that the law k^(-2 H) d(log k) gives its step.
    """
    n = int(np.ceil(WAVES_PER_DOUBLING * np.log2(noise.lacunarity)))
    octaves = [_octave(noise, seed, i, n) for i in range(noise.octaves)]
    k, angle, phase, variance = (np.concatenate(parts) for parts in zip(*octaves, strict=True))
    amplitude = noise.amplitude * np.sqrt(2.0 * variance / variance.sum())
    return Waves(k * np.cos(angle), k * np.sin(angle), phase, amplitude)


def _octave(noise: TerrainNoise, seed: int, i: int, n: int) -> tuple[np.ndarray, ...]:
    """Wavenumbers [rad/m], directions [rad], phases [rad] and relative variances of the waves of one octave."""
    u = uniforms(seed, Stream.noise, i, (4, n))
    step = np.log(noise.lacunarity) / n
    start = np.log(2.0 * np.pi / noise.wavelength) + i * np.log(noise.lacunarity) + step * np.arange(n)
    # shares of the integral of exp(-2 H log k) over each step, relative to the first wavenumber of all
    depth = -2.0 * noise.hurst * (start + np.log(noise.wavelength / (2.0 * np.pi)))
    sectors = np.argsort(u[1])
    return (
        np.exp(start + step * u[0]),
        np.pi * (sectors + u[2]) / n,
        2.0 * np.pi * u[3],
        np.exp(depth) * -np.expm1(-2.0 * noise.hurst * step),
    )


def roughness(noise: TerrainNoise, seed: int, grid: Grid) -> np.ndarray:
    """Heights of the roughness [row, column] [m]."""
    heights = np.zeros((grid.n_y, grid.n_x))
    if noise.amplitude == 0.0:
        return heights
    waves = draw_waves(noise, seed)
    # cos(a + b) = cos a cos b - sin a sin b: one matrix product instead of a cosine for each wave and node
    east = waves.k_x[:, None] * grid.x[None, :]
    columns = np.concatenate([np.cos(east), np.sin(east)])
    columns *= np.tile(waves.amplitude, 2)[:, None]
    for first in range(0, grid.n_y, ROWS_AT_ONCE):
        north = grid.y[first : first + ROWS_AT_ONCE, None] * waves.k_y[None, :] + waves.phase[None, :]
        heights[first : first + ROWS_AT_ONCE] = np.hstack([np.cos(north), -np.sin(north)]) @ columns
    return heights

"""What is laid over an atmosphere in one run: a density factor and wave, a temperature factor, wind over height.

    rho -> rho e^s (1 + w A(h) sin(2 pi h/lambda + psi))
    T -> T F,   p -> p (rho'/rho) F,   a -> a sqrt(F),   F = 1 + (f - 1) B(h)
    wind -> wind + steady(h) + added * scale(h)

Pressure and speed of sound follow by the gas law; a perturbed profile is no longer in hydrostatic balance.
"""

from functools import lru_cache

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.scenario.tables.world.atmosphere import Described
from planetfall.world.atmosphere.model import Air, AtmosphereModel


@wp.struct
class PerturbationParams:
    """What is laid over the air of one run.

    `density` e^s; wave: `wave` w, `wave_profile` (h [m], A), `wave_number` 2 pi/lambda [1/m], `wave_phase` [rad];
    `warming` f - 1 of the temperature times `temperature_profile` (h [m], B); `wind` rows (h [m], east, north [m/s]);
    `added_east`, `added_north` [m/s] times `wind_profile` (h [m], scale).
    """

    density: wp.float64
    wave: wp.float64
    wave_number: wp.float64
    wave_phase: wp.float64
    warming: wp.float64
    added_east: wp.float64
    added_north: wp.float64
    wave_profile: wp.array(dtype=wp.vec2d)
    temperature_profile: wp.array(dtype=wp.vec2d)
    wind_profile: wp.array(dtype=wp.vec2d)
    wind: wp.array(dtype=wp.vec3d)


@wp.func
def profile_at(rows: wp.array(dtype=wp.vec2d), height: wp.float64) -> wp.float64:
    """Value at a height [m] of rows (height, value), straight lines between them, held beyond."""
    value = rows[0][1]
    for i in range(1, rows.shape[0]):
        low = rows[i - 1]
        high = rows[i]
        if height >= low[0]:
            part = wp.min((height - low[0]) / (high[0] - low[0]), wp.float64(1.0))
            value = low[1] + (high[1] - low[1]) * part
    return value


@wp.func
def wind_at(rows: wp.array(dtype=wp.vec3d), height: wp.float64) -> wp.vec2d:
    """Wind (east, north) [m/s] at a height [m] of rows (height, east, north), as `profile_at`."""
    value = wp.vec2d(rows[0][1], rows[0][2])
    for i in range(1, rows.shape[0]):
        low = rows[i - 1]
        high = rows[i]
        if height >= low[0]:
            part = wp.min((height - low[0]) / (high[0] - low[0]), wp.float64(1.0))
            value = wp.vec2d(low[1] + (high[1] - low[1]) * part, low[2] + (high[2] - low[2]) * part)
    return value


@wp.func
def perturbed_air(change: PerturbationParams, air: Air, altitude: wp.float64) -> Air:
    """Air at an altitude [m] with everything laid over it."""
    factor = change.density
    if change.wave != wp.float64(0.0):
        amplitude = change.wave * profile_at(change.wave_profile, altitude)
        factor *= wp.float64(1.0) + amplitude * wp.sin(change.wave_number * altitude + change.wave_phase)
    warmth = wp.float64(1.0)
    if change.warming != wp.float64(0.0):
        warmth += change.warming * profile_at(change.temperature_profile, altitude)
    out = Air()
    out.density = air.density * factor
    out.temperature = air.temperature * warmth
    out.pressure = air.pressure * factor * warmth
    out.sound_speed = air.sound_speed * wp.sqrt(warmth)
    steady = wind_at(change.wind, altitude)
    scale = profile_at(change.wind_profile, altitude)
    out.wind_east = air.wind_east + steady[0] + change.added_east * scale
    out.wind_north = air.wind_north + steady[1] + change.added_north * scale
    return out


@lru_cache
def perturbed(base: AtmosphereModel) -> AtmosphereModel:
    """An atmosphere with a perturbation laid over it; its parameters hold `base` and `change`."""
    base_params, base_air = base.params, base.air

    @wp.struct
    class PerturbedParams:
        base: base_params
        change: PerturbationParams

    @wp.func
    def air(params: PerturbedParams, altitude: wp.float64) -> Air:
        return perturbed_air(params.change, base_air(params.base, altitude), altitude)

    return AtmosphereModel(base.kind, PerturbedParams, air, base.rounds_alike)


def perturbed_params(model: AtmosphereModel, base: Draft, table: Described) -> Draft:
    """The parameters of `perturbed(...)`, from those of the model under it and a scenario's table."""
    params, change, given = Draft(model.params), Draft(PerturbationParams), table.perturbation
    change.density, change.warming = float(np.exp(given.density_shift)), given.temperature_factor - 1.0
    change.temperature_profile = _rows(given.temperature_heights, given.temperature_scales)
    change.wave, change.wave_number = given.wave, 2.0 * np.pi / given.wave_length
    change.wave_phase = float(np.radians(given.wave_phase_deg))
    change.wave_profile = _rows(given.wave_heights, given.wave_amplitudes)
    change.added_east, change.added_north = given.wind_east, given.wind_north
    change.wind_profile = _rows(given.wind_heights, given.wind_scales)
    change.wind = _rows(table.wind.heights, table.wind.east, table.wind.north)
    params.base, params.change = base, change
    return params


def _rows(*columns: tuple[float, ...]) -> np.ndarray:
    """Columns side by side [n, column]; one number is the same in all rows."""
    return np.stack(np.broadcast_arrays(*columns), axis=1)

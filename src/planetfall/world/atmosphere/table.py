"""Air from a table over height.

Density is a cubic in every interval, of ln rho or of rho itself; it serves for straight lines as for a monotone C1
curve (Fritsch and Carlson's, as SciPy's PchipInterpolator). Temperature, speed of sound and wind are straight lines,
ln p likewise. Beyond its ends, where the scenario asks for it by name, ln rho goes on with its last slope and all else
stays; where it does not, density is not a number there: a vehicle alone that climbs out of its table has escaped, and
any other run that comes there ends as diverged.
"""

from dataclasses import dataclass

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.world.atmosphere.model import Air, AtmosphereModel

vec5d = wp.types.vector(length=5, dtype=wp.float64)
EDGE = wp.constant(wp.float64(1.0e-6))
"""How far [m] beyond its ends a table still holds: rounding of an altitude, some thousand ulps of a planet's radius."""
LINEAR_COLUMNS = ("temperature", "sound_speed", "wind_east", "wind_north", "log_pressure")


@dataclass(frozen=True)
class AirColumns:
    """A table of air over height, complete and in SI.

    Attributes:
        heights: [n] [m] over the ellipsoid, increasing.
        density: [n] [kg/m^3].
        temperature: [n] [K].
        pressure: [n] [Pa].
        sound_speed: [n] [m/s], sqrt(gamma p/rho) at the heights where the table has none.
        wind_east: [n] [m/s], towards the east.
        wind_north: [n] [m/s], towards the north.
        gas_constant: [J/(kg K)] of p = rho R T; 0 where pressure is given, and interpolated.
    """

    heights: np.ndarray
    density: np.ndarray
    temperature: np.ndarray
    pressure: np.ndarray
    sound_speed: np.ndarray
    wind_east: np.ndarray
    wind_north: np.ndarray
    gas_constant: float


@wp.struct
class TableParams:
    """A table on a device.

    `heights` [n] [m]; of each interval `cubic` (c0 to c3 of ln rho or rho over h - h_i), `value` and `slope` of
    temperature, sound speed, wind east, wind north, ln p; `is_log`: 1 where the cubic is of ln rho; `ends`: ln rho and
    its slope [1/m] at the lowest and at the highest height; `goes_below`, `goes_above`: 1 where it goes on beyond;
    `gas_constant` [J/(kg K)], 0 where pressure is in the table.
    """

    heights: wp.array(dtype=wp.float64)
    cubic: wp.array(dtype=wp.vec4d)
    value: wp.array(dtype=vec5d)
    slope: wp.array(dtype=vec5d)
    ends: wp.vec4d
    is_log: wp.int32
    goes_below: wp.int32
    goes_above: wp.int32
    gas_constant: wp.float64


@wp.func
def interval_of(heights: wp.array(dtype=wp.float64), altitude: wp.float64) -> int:
    """Index of the interval that holds an altitude; the first or the last one beyond the ends."""
    low = int(0)
    high = heights.shape[0] - 1
    while high - low > 1:
        middle = (low + high) // 2
        if altitude >= heights[middle]:
            low = middle
        else:
            high = middle
    return low


@wp.func
def table_air(params: TableParams, altitude: wp.float64) -> Air:
    """Air at an altitude [m]."""
    n = params.heights.shape[0]
    lowest = params.heights[0]
    highest = params.heights[n - 1]
    inside = wp.min(wp.max(altitude, lowest), highest)
    i = interval_of(params.heights, inside)
    d = inside - params.heights[i]
    c = params.cubic[i]
    density = c[0] + d * (c[1] + d * (c[2] + d * c[3]))
    if params.is_log == 1:
        density = wp.exp(density)
    missing = wp.float64(wp.nan)
    if altitude < lowest:
        if params.goes_below == 1:
            density = wp.exp(params.ends[0] + params.ends[1] * (altitude - lowest))
        elif altitude < lowest - EDGE:
            density = missing
    if altitude > highest:
        if params.goes_above == 1:
            density = wp.exp(params.ends[2] + params.ends[3] * (altitude - highest))
        elif altitude > highest + EDGE:
            density = missing
    if wp.isnan(altitude):
        density = missing
    row = params.value[i] + params.slope[i] * d
    air = Air()
    air.density = density
    air.temperature = row[0]
    air.sound_speed = row[1]
    air.wind_east = row[2]
    air.wind_north = row[3]
    if params.gas_constant > wp.float64(0.0):
        air.pressure = density * params.gas_constant * row[0]
    elif altitude >= lowest and altitude <= highest:
        air.pressure = wp.exp(row[4])
    else:  # the gas of the last row, as thin as the density has become
        edge = params.ends[2]
        if altitude < lowest:
            edge = params.ends[0]
        air.pressure = wp.exp(row[4] - edge) * density
    return air


ATMOSPHERE_TABLE = AtmosphereModel("table", TableParams, table_air)


def table_params(columns: AirColumns, interpolation: str, goes_below: bool, goes_above: bool) -> Draft:
    """`TableParams` of a table; `interpolation` as in `AtmosphereTable`."""
    h, rho = columns.heights, columns.density
    params = Draft(TableParams)
    params.is_log = int(interpolation != "linear")
    params.cubic = _cubics(h, np.log(rho) if params.is_log else rho, interpolation == "log-cubic")
    rows = np.stack([*(getattr(columns, name) for name in LINEAR_COLUMNS[:-1]), np.log(columns.pressure)], axis=1)
    params.heights, params.value = h, rows[:-1]
    params.slope = np.diff(rows, axis=0) / np.diff(h)[:, None]
    params.ends = (np.log(rho[0]), _log_slope(params, 0, h, rho), np.log(rho[-1]), _log_slope(params, -1, h, rho))
    params.goes_below, params.goes_above = int(goes_below), int(goes_above)
    params.gas_constant = columns.gas_constant
    return params


def _cubics(h: np.ndarray, y: np.ndarray, is_cubic: bool) -> np.ndarray:
    """Coefficients c0 to c3 [n - 1, 4] of each interval's polynomial in h - h_i."""
    if is_cubic and len(h) > 2:
        from scipy.interpolate import PchipInterpolator

        return np.ascontiguousarray(PchipInterpolator(h, y).c[::-1].T)
    zero = np.zeros(len(h) - 1)
    return np.stack([y[:-1], np.diff(y) / np.diff(h), zero, zero], axis=1)


def _log_slope(params: Draft, end: int, h: np.ndarray, rho: np.ndarray) -> float:
    """Slope of ln rho [1/m] at the first or last height; a straight line of rho goes on as its ends' logarithms do."""
    if not params.is_log:
        i = 0 if end == 0 else len(h) - 2
        return float(np.log(rho[i + 1] / rho[i]) / (h[i + 1] - h[i]))
    c, d = params.cubic[end], 0.0 if end == 0 else h[-1] - h[-2]
    return float(c[1] + d * (2.0 * c[2] + 3.0 * d * c[3]))

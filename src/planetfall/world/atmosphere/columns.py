"""A table of air, checked and completed: from a file or from lists in the scenario to `AirColumns`."""

import numpy as np

from planetfall.errors import InputError
from planetfall.scenario.tables.world.atmosphere import AtmosphereTable
from planetfall.world.atmosphere.table import AirColumns
from planetfall.world.atmosphere.table_file import read_air_file

COLUMNS = ("heights", "density", "temperature", "pressure", "sound_speed", "wind_east", "wind_north")
POSITIVE = {"density": "kg/m^3", "temperature": "K", "pressure": "Pa", "sound_speed": "m/s"}
SCALE_HEIGHTS = (100.0, 1e6)
"""m; known atmospheres have 5 to 60 km, thin upper ones some hundred. Metres taken for kilometres lie outside."""
GAS_CONSTANTS = (20.0, 1e4)
"""J/(kg K); uranium hexafluoride has 24, air 287, atomic hydrogen 8249. Prefixes that are mixed up lie outside."""
HEAT_RATIOS = (0.5, 5.0)
"""Of any gas between 1 and 5/3; the rest is for columns that were rounded or measured apart."""


def columns_of(table: AtmosphereTable) -> AirColumns:
    """The table of a scenario, complete; `density_factor` is in density and pressure."""
    if table.file is not None:
        where, found = f"atmosphere.file {table.file}", dict(read_air_file(table.file))
    else:
        lists = {name: getattr(table, name) for name in COLUMNS}
        where, found = "atmosphere", {key: np.array(value) for key, value in lists.items() if value is not None}
    check_columns(where, found)
    return _completed(where, table, found)


def check_columns(where: str, columns: dict[str, np.ndarray]) -> None:
    """Refuses columns of different lengths, heights out of order, and what must be positive and is not."""
    heights = columns["heights"]
    for name, column in columns.items():
        if len(column) != len(heights):
            raise InputError(f"{where}.{name}", f"has {len(column)} numbers for {len(heights)} heights", "as many")
        if not np.all(np.isfinite(column)):
            at = heights[int(np.argmin(np.isfinite(column)))]
            raise InputError(where, f"{name} at {at:g} m is not finite", "a number at every height: no gaps")
    if len(heights) < 2:
        raise InputError(where, f"has {len(heights)} rows", "two heights or more")
    steps = np.diff(heights)
    if not np.all(steps > 0):
        i = int(np.argmin(steps > 0))
        raise InputError(
            where, f"{heights[i + 1]:g} m follows {heights[i]:g} m in row {i + 2}", "heights that increase row by row",
            "sort the rows, and take out heights that come twice",
        )  # fmt: skip
    for name, unit in POSITIVE.items():
        if name in columns and not np.all(columns[name] > 0):
            i = int(np.argmin(columns[name] > 0))
            raise InputError(
                where, f"{name} is {columns[name][i]:g} {unit} at {heights[i]:g} m", f"{name} greater than 0",
                "end the table below that height, and say by atmosphere.above how it goes on" if name == "density"
                else "",
            )  # fmt: skip
    _check_scale_height(where, heights, columns["density"])


def _check_scale_height(where: str, heights: np.ndarray, density: np.ndarray) -> None:
    """Refuses heights in a wrong unit: where density falls to a tenth or less, it does so over some scale height."""
    folds = np.log(density[0] / density[-1])
    if folds < np.log(10.0):
        return
    scale_height = (heights[-1] - heights[0]) / folds
    if not SCALE_HEIGHTS[0] <= scale_height <= SCALE_HEIGHTS[1]:
        raise InputError(
            where, f"density falls by a factor e every {scale_height:g} m, from {heights[0]:g} to {heights[-1]:g} m",
            f"a scale height of {SCALE_HEIGHTS[0]:g} to {SCALE_HEIGHTS[1]:g} m",
            "look at the unit of the heights: m and km may be mixed up",
        )  # fmt: skip


def _completed(where: str, table: AtmosphereTable, found: dict[str, np.ndarray]) -> AirColumns:
    """Fills in what follows by p = rho R T and a^2 = gamma p/rho."""
    density, gas, ratio = found["density"] * table.density_factor, table.gas_constant, table.heat_ratio
    pressure = found["pressure"] * table.density_factor if "pressure" in found else None
    temperature, sound = found.get("temperature"), found.get("sound_speed")
    if temperature is None:
        if pressure is not None and gas is not None:
            temperature = pressure / (density * gas)
        elif sound is not None and gas is not None and ratio is not None:
            temperature = sound**2 / (ratio * gas)
        else:
            raise _lacking(where, "temperature", "give that column, or pressure and atmosphere.gas_constant")
    if pressure is None:
        if gas is None:
            raise _lacking(where, "pressure", "give that column, or atmosphere.gas_constant (287.05 air, 191.4 Mars)")
        pressure = density * gas * temperature
    if sound is None:
        if ratio is None:
            raise _lacking(where, "speed of sound", "give that column, or atmosphere.heat_ratio (1.4 air, 1.33 Mars)")
        sound = np.sqrt(ratio * pressure / density)
    _check_gas(where, found["heights"], pressure / (density * temperature), sound**2 * density / pressure)
    still = np.zeros_like(density)
    return AirColumns(
        heights=found["heights"], density=density, temperature=temperature, pressure=pressure, sound_speed=sound,
        wind_east=found.get("wind_east", still), wind_north=found.get("wind_north", still),
        gas_constant=0.0 if "pressure" in found else float(gas or 0.0),
    )  # fmt: skip


def _check_gas(where: str, heights: np.ndarray, constant: np.ndarray, ratio: np.ndarray) -> None:
    """Refuses columns that belong to no gas: one of them is in another unit than its header or its key says."""
    for values, name, unit, (low, high), columns in (
        (constant, "gas constant p/(rho T)", " J/(kg K)", GAS_CONSTANTS, "pressure, density and temperature"),
        (ratio, "heat ratio a^2 rho/p", "", HEAT_RATIOS, "speed of sound, density and pressure"),
    ):
        is_wrong = (values < low) | (values > high)
        if np.any(is_wrong):
            i = int(np.argmax(is_wrong))
            raise InputError(
                where, f"the {name} is {values[i]:g}{unit} at {heights[i]:g} m", f"{low:g} to {high:g}{unit}",
                f"look at the units of {columns}",
            )  # fmt: skip


def _lacking(where: str, what: str, advice: str) -> InputError:
    return InputError(where, f"has no column of {what}, and nothing that it follows from", advice=advice)

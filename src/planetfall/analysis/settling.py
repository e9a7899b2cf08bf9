"""What one input of a campaign does to settling: time to rest and distance at each of its values."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from planetfall.errors import InputError

Quartiles = tuple[float, float, float]
"""Lower quartile, median, upper quartile."""


@dataclass(frozen=True)
class Settling:
    """Settling at one value of an input.

    Attributes:
        value: Of the input, in its own unit.
        n: Runs.
        n_at_rest: Those that came to rest.
        rest_s: Quartiles of the time to rest [s]; NaN where none came to rest.
        distance_m: Quartiles of the horizontal distance from the start [m], of all runs.
    """

    value: float
    n: int
    n_at_rest: int
    rest_s: Quartiles
    distance_m: Quartiles


def settling_by(data: xr.Dataset, key: str) -> list[Settling]:
    """Settling of a campaign's runs for each value of a swept key, ascending.

    Args:
        data: `Ensemble.data`.
        key: Dotted key of a `grid`, such as `contact.restitution`.
    """
    name = f"in.{key}"
    if name not in data:
        swept = [str(column)[3:] for column in data.data_vars if str(column).startswith("in.")]
        raise InputError(key, "this campaign did not vary it", f"one of {', '.join(sorted(swept))}")
    values = data[name].values
    return [_at(data, float(value), values == value) for value in np.unique(values)]


def _at(data: xr.Dataset, value: float, chosen: np.ndarray) -> Settling:
    rest, distance = data.rest_s.values[chosen], data.distance_m.values[chosen]
    came = np.isfinite(rest)
    return Settling(value, int(chosen.sum()), int(came.sum()), _quartiles(rest[came]), _quartiles(distance))


def _quartiles(values: np.ndarray) -> Quartiles:
    if len(values) == 0:
        return (np.nan, np.nan, np.nan)
    low, middle, high = np.percentile(values, [25.0, 50.0, 75.0])
    return (float(low), float(middle), float(high))

"""Every recorded variable as curves that a page can plot."""

from typing import Any

import numpy as np
import xarray as xr

from planetfall.record.labels import words_and_unit

LARGE = 100.0
"""Magnitude over range beyond which a column travels as differences, so that float32 keeps its digits."""
TOO_LARGE = 1e30
"""Numbers that float32 or a plot cannot hold, such as the gap beside a map; left out as infinite ones are."""
MOST_CURVES = 64
"""Columns of one variable that a page offers."""


def plotted_variables(
    data: xr.Dataset, frames: np.ndarray, most: int, *, is_growing: bool = False
) -> tuple[list[dict[str, Any]], dict[str, np.ndarray]]:
    """What can be plotted: descriptions for the header, and float32 arrays [frame, column] named `var.NAME`.

    A column is `offset` + the array's. Variables over times of their own (readings) bring these as `time.NAME`. Of a
    run that is still growing, variables without a value so far are among them.
    """
    described, arrays = [], {}
    for name in data.data_vars:
        variable = data[name]
        times = str(variable.dims[0]) if variable.dims else ""
        if not times.startswith("time") or variable.dtype.kind not in "fiub":
            continue
        rows = frames if times == "time" else _evenly(variable.shape[0], most)
        columns = columns_of(variable, rows)
        if not is_growing and (not columns.size or not np.isfinite(columns).any()):
            continue
        offsets = _offsets(columns)
        arrays[f"var.{name}"] = (columns - offsets).astype(np.float32)
        if times != "time":
            arrays[f"time.{times}"] = data[times].values[rows].astype(np.float64)
        described.append(
            {
                "name": str(name),
                "label": words_and_unit(str(name))[0],
                "meaning": variable.attrs.get("long_name", ""),
                "unit": variable.attrs.get("units", ""),
                "frame": variable.attrs.get("frame", "none"),
                "time": times,
                "columns": _column_names(data, variable)[:MOST_CURVES],
                "offsets": offsets.tolist(),
                **({"states": variable.attrs["phases"].split(", ")} if "phases" in variable.attrs else {}),
            }
        )
    return described, arrays


def columns_of(variable: xr.DataArray, rows: np.ndarray) -> np.ndarray:
    """Some rows of a variable over time, [row, column]; what float32 cannot hold is NaN."""
    width = int(np.prod(variable.shape[1:]))
    columns = variable.values[rows].reshape(len(rows), width).astype(np.float64)[:, :MOST_CURVES]
    return np.where(np.abs(columns) < TOO_LARGE, columns, np.nan)


def _evenly(count: int, most: int) -> np.ndarray:
    return np.arange(count) if count <= most else np.unique(np.linspace(0, count - 1, most).astype(int))


def _offsets(columns: np.ndarray) -> np.ndarray:
    """First finite value of each column whose range is small against its size; else 0."""
    out = np.zeros(columns.shape[1])
    for k, column in enumerate(columns.T):
        known = column[np.isfinite(column)]
        if len(known) and np.abs(known).max() > LARGE * np.ptp(known):
            out[k] = known[0]
    return out


def _column_names(data: xr.Dataset, variable: xr.DataArray) -> list[str]:
    """Names of the columns: the labels along the further dimensions, those of length 1 left out."""
    names = [""]
    for dim in variable.dims[1:]:
        size = data.sizes[dim]
        labels = [str(label) for label in data[dim].values] if dim in data.coords else [str(i + 1) for i in range(size)]
        if size > 1 or (len(variable.dims) == 2 and dim != "body"):
            names = [f"{name} {label}".strip() for name in names for label in labels]
    return names

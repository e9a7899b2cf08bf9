"""Comma-separated values: one row per run of a campaign, or per instant of a run."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from planetfall.exports.places import landing_places, map_ground
from planetfall.record.ensemble import Ensemble
from planetfall.record.trajectory import Trajectory


def write_campaign_csv(ensemble: Ensemble, out: Path) -> list[Path]:
    """Every column of a campaign, and where its runs ended on the coordinate system of their ground."""
    data, ground = ensemble.data, map_ground(ensemble.scenario)
    columns = {"run": data.run.values, **{str(name): data[name].values for name in data.data_vars}}
    for name, values in zip(ground.names, landing_places(ensemble, ground).T, strict=True):
        columns[f"place.{name}"] = values
    _write(out, columns)
    return [out]


def write_run_csv(trajectory: Trajectory[Any], out: Path) -> list[Path]:
    """Every history of a run: the name of the variable, then those of its body, point or axis, then its unit."""
    data = trajectory.data
    columns: dict[str, np.ndarray] = {"time [s]": data.time.values}
    for name, variable in data.data_vars.items():
        if variable.dims[:1] == ("time",):
            columns |= dict(_columns(str(name), variable))
    _write(out, columns)
    return [out]


def _columns(name: str, variable: xr.DataArray) -> Iterable[tuple[str, np.ndarray]]:
    """The columns of one history."""
    unit = variable.attrs.get("units", "1")
    values = variable.values.reshape(len(variable), -1)
    for i, index in enumerate(np.ndindex(*variable.shape[1:])):
        labels = [
            str(variable.coords[dim].values[k]) if dim in variable.coords else str(k)
            for dim, k in zip(variable.dims[1:], index, strict=True)
        ]
        yield f"{'.'.join([name, *labels])} [{unit}]", values[:, i]


def _write(out: Path, columns: dict[str, np.ndarray]) -> None:
    """Numbers with all their digits; what is not a number is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(_cells(values) for values in columns.values()), strict=True))
    out.write_text(text.getvalue(), encoding="utf-8")


def _cells(values: np.ndarray) -> list[str]:
    if values.dtype.kind == "f":
        return ["" if np.isnan(value) else repr(float(value)) for value in values]
    return [str(value) for value in values.tolist()]

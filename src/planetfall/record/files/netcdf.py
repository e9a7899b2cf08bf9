"""Datasets in NetCDF files, without the packages that xarray looks for when it writes one.

xarray asks Dask, where that is installed, before it writes a file: to load Dask takes longer than many runs do.
"""

from pathlib import Path

import h5py
import numpy as np
import xarray as xr


def write_netcdf(data: xr.Dataset, path: Path) -> None:
    """Writes a dataset as `data.to_netcdf(path, engine="h5netcdf")` would: the same variables, kinds and attributes."""
    if not all(_is_plain(variable) for variable in data.variables.values()) or _odd_coordinates(data):
        data.to_netcdf(path, engine="h5netcdf")  # somebody put other things into it; xarray knows how to write those
        return
    import h5netcdf

    with h5netcdf.File(path, "w") as file:
        file.dimensions = {str(name): size for name, size in data.sizes.items()}
        file.attrs.update(data.attrs)
        for name, variable in data.variables.items():
            _write(file, str(name), variable)


def _write(file, name: str, variable: xr.Variable) -> None:
    """Numbers as they are, with NaN for what is missing; names as texts of any length."""
    values, is_text = variable.values, variable.dtype.kind == "U"
    kind = h5py.string_dtype() if is_text else values.dtype
    missing = values.dtype.type(np.nan) if values.dtype.kind == "f" else None
    target = file.create_variable(name, variable.dims, dtype=kind, fillvalue=missing)
    target.attrs.update(variable.attrs)
    target[...] = values.astype(object) if is_text else values


def _is_plain(variable: xr.Variable) -> bool:
    """Numbers or names in memory, as the recorders make them."""
    words = all(isinstance(value, str) for value in variable.attrs.values())
    return variable.dtype.kind in "fiuU" and not variable.encoding and words and "_FillValue" not in variable.attrs


def _odd_coordinates(data: xr.Dataset) -> list[str]:
    """Coordinates that are not those of a dimension: xarray marks them with attributes of its own."""
    return [str(name) for name in data.coords if name not in data.dims]

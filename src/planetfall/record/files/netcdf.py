"""Datasets in NetCDF files, without the packages that xarray uses to write one.

A NetCDF file is an HDF5 file whose dimensions are dimension scales. xarray asks Dask first, where that is installed,
and h5netcdf looks up every dimension again for every variable: both take longer than many runs do.
"""

from pathlib import Path

import h5py
import numpy as np
import xarray as xr


def write_netcdf(data: xr.Dataset, path: Path) -> None:
    """Writes a dataset as `data.to_netcdf(path, engine="h5netcdf")` would: the same variables, kinds and attributes."""
    variables = {str(name): variable for name, variable in data.variables.items()}
    if not _has_plain_dimensions(data) or not all(_is_plain(variable) for variable in variables.values()):
        data.to_netcdf(path, engine="h5netcdf")  # somebody put other things into it; xarray knows how to write those
        return
    with h5py.File(path, "w", track_order=True) as file:
        file.attrs.update(data.attrs)
        written = {name: _write(file, name, variable) for name, variable in variables.items()}
        for i, name in enumerate(data.sizes):
            written[str(name)].make_scale(str(name))
            written[str(name)].attrs["_Netcdf4Dimid"] = np.int32(i)
        for name, variable in variables.items():
            for i, dim in enumerate(variable.dims if name not in data.sizes else ()):
                written[name].dims[i].attach_scale(written[str(dim)])


def _write(file: h5py.File, name: str, variable: xr.Variable) -> h5py.Dataset:
    """Numbers as they are, with NaN for what is missing; names as texts of any length."""
    values = variable.values
    if values.dtype.kind == "U":
        written = file.create_dataset(name, data=values.astype(object), dtype=h5py.string_dtype())
    elif values.dtype.kind == "f":
        missing = values.dtype.type(np.nan)
        written = file.create_dataset(name, data=values, fillvalue=missing)
        written.attrs["_FillValue"] = np.array([missing])
    else:
        written = file.create_dataset(name, data=values)
    written.attrs.update(variable.attrs)
    return written


def _has_plain_dimensions(data: xr.Dataset) -> bool:
    """Each with coordinates and nothing else with them; one of no length is an unlimited one in NetCDF."""
    return set(data.coords) == set(data.sizes) and all(data.sizes.values())


def _is_plain(variable: xr.Variable) -> bool:
    """Numbers or names in memory, as the recorders make them."""
    words = all(isinstance(value, str) for value in variable.attrs.values())
    return variable.dtype.kind in "fiuU" and not variable.encoding and words and "_FillValue" not in variable.attrs

"""What every variable of a dataset says of itself."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from xarray.indexes import PandasIndex

from planetfall.world.terrain.surface_axes import axes_of


def variable_attrs(unit: str, meaning: str, frame: str) -> dict[str, str]:
    """Attributes of a variable; a quantity without direction has no frame."""
    return {"units": unit, "long_name": meaning, "frame": frame or "none"}


def axes_attribute(terrain: Any) -> dict[str, str]:
    """What x and y of frame L are, where they are not east and north: an attribute of the dataset."""
    note = axes_of(terrain).note
    return {"surface_axes": note} if note else {}


def variable(dims: str | tuple[str, ...], values: np.ndarray, unit: str, meaning: str, frame: str = "") -> xr.Variable:
    """A variable of an array that is NumPy's own: `fastpath` tells xarray not to look whether it may be Dask's."""
    return xr.Variable(dims, np.asarray(values), variable_attrs(unit, meaning, frame), fastpath=True)


def name_coordinates(**names: Sequence[str]) -> dict[str, xr.Variable]:
    """Coordinates of names, by dimension."""
    return {
        dim: xr.Variable(dim, np.array(list(values), dtype=np.str_), fastpath=True) for dim, values in names.items()
    }


def indexed(variables: Mapping[str, xr.Variable]) -> xr.Coordinates:
    """Coordinates of a dataset, each with the index of its dimension: made here, they need no look for Dask either."""
    indexes = {
        dim: PandasIndex(pd.Index(variable.values), dim, coord_dtype=variable.dtype)
        for dim, variable in variables.items()
    }
    own = {dim: index.create_variables({dim: variables[dim]})[dim] for dim, index in indexes.items()}
    return xr.Coordinates(own, indexes)


def history(unit: str, meaning: str, frame: str, dims: tuple[str, ...], values: np.ndarray) -> xr.Variable:
    """A variable over time, with further dimensions."""
    return variable(("time", *dims), values, unit, meaning, frame)

"""What every variable of a dataset says of itself."""

from collections.abc import Sequence

import numpy as np
import xarray as xr


def variable_attrs(unit: str, meaning: str, frame: str) -> dict[str, str]:
    """Attributes of a variable; a quantity without direction has no frame."""
    return {"units": unit, "long_name": meaning, "frame": frame or "none"}


def variable(dims: str | tuple[str, ...], values: np.ndarray, unit: str, meaning: str, frame: str = "") -> xr.Variable:
    """A variable of an array that is NumPy's own: `fastpath` tells xarray not to look whether it may be Dask's."""
    return xr.Variable(dims, np.asarray(values), variable_attrs(unit, meaning, frame), fastpath=True)


def name_coordinates(**names: Sequence[str]) -> dict[str, xr.Variable]:
    """Coordinates of names, by dimension."""
    return {
        dim: xr.Variable(dim, np.array(list(values), dtype=np.str_), fastpath=True) for dim, values in names.items()
    }


def history(unit: str, meaning: str, frame: str, dims: tuple[str, ...], values: np.ndarray) -> xr.Variable:
    """A variable over time, with further dimensions."""
    return variable(("time", *dims), values, unit, meaning, frame)

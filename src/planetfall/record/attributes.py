"""What every variable of a dataset says of itself."""

import numpy as np
import xarray as xr


def variable_attrs(unit: str, meaning: str, frame: str) -> dict[str, str]:
    """Attributes of a variable; a quantity without direction has no frame."""
    return {"units": unit, "long_name": meaning, "frame": frame or "none"}


def history(unit: str, meaning: str, frame: str, dims: tuple[str, ...], values: np.ndarray) -> xr.Variable:
    """A variable over time, with further dimensions."""
    return xr.Variable(("time", *dims), values, variable_attrs(unit, meaning, frame))

"""Which part of a run a figure of motors and brakes shows."""

import xarray as xr

FEWEST = 20
"""Frames about a plan from which on it can be seen; with fewer the whole run is shown."""


def around_plan(data: xr.Dataset, first: float, last: float) -> tuple[xr.Dataset, str]:
    """The frames from before a plan's first instant [s] to after its last, or all where these are few, and a remark."""
    span = last - first
    near = data.sel(time=slice(first - 0.5 * span, last + 1.5 * span))
    if near.sizes["time"] >= FEWEST:
        return near, ""
    return data, " (whole run)"

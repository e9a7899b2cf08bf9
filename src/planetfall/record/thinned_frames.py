"""Which frames of a run a page gets: all, or so many that it stays quick, with every peak among them."""

from itertools import pairwise

import numpy as np
import xarray as xr

MOST = 20_000
"""Frames that a page gets at most (assumed)."""
DIVERGED = 1e15
"""Metres beyond which a frame is not worth drawing."""


def shown_frames(data: xr.Dataset, most: int = MOST) -> np.ndarray:
    """Indices of the frames to show, rising.

    Frames without a finite place of every body are left out. Of too many, each interval of equal count keeps its first
    frame and that with the largest normal force; each point keeps the frame of its own largest force, each change of a
    mode the frame in which it shows, as far as there is room.
    """
    places = data.position.values
    usable = np.flatnonzero(np.isfinite(places).all(axis=(1, 2)) & (np.abs(places) < DIVERGED).all(axis=(1, 2)))
    if len(usable) <= most:
        return usable
    forces = np.nan_to_num(data.contact_normal_force.values[usable])
    keep = {0, len(usable) - 1, *(np.argmax(forces, axis=0) if forces.size else ())}
    bounds = np.linspace(0, len(usable), most // 3 + 1).astype(int)
    strongest = forces.max(axis=1, initial=0.0)
    for first, end in pairwise(bounds):
        keep |= {int(first), int(first + np.argmax(strongest[first:end]))}
    modes = data.contact_mode.values[usable]
    changes = 1 + np.flatnonzero((np.diff(modes, axis=0) != 0).any(axis=1))
    room = max(most - len(keep), 0)
    keep |= set(changes[:: max(1, -(-len(changes) // max(room, 1)))].tolist()) if room else set()
    return usable[sorted(int(i) for i in keep)]

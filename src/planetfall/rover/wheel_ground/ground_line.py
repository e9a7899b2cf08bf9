"""Heights of the ground along lines, for pictures of a rover from the side."""

import numpy as np

from planetfall.rover.wheel_ground.footing import ABOVE, EXACT
from planetfall.world.terrain.surface import Surface


def heights_below(surface: Surface, xy: np.ndarray) -> np.ndarray:
    """Height [m] of the highest ground at places [n, 2] [m], surface frame; NaN where there is none."""
    low, high = (0.0, 0.0) if surface.box is None else (float(z) for z in surface.box[:, 2])
    above = np.column_stack([xy, np.full(len(xy), high + ABOVE)])
    if surface.model.name in EXACT:
        gaps, normals, statuses = surface.ask(above)
        return np.where(statuses == 0, above[:, 2] - gaps / normals[:, 2], np.nan)
    down = np.tile([0.0, 0.0, -1.0], (len(xy), 1))  # elsewhere a gap is not that to the ground straight below
    return above[:, 2] - surface.cast(above, down, high - low + 2 * ABOVE)[0]

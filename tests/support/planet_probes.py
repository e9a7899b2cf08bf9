"""`planetfall.world.planet.altitude` over arrays of positions, called from NumPy."""

from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.world.planet import LocalLevel, PlanetParams, altitude

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.kernel
def _levels(planet: PlanetParams, positions: wp.array(dtype=wp.vec3d), out: wp.array(dtype=LocalLevel)):
    i = wp.tid()
    out[i] = altitude(planet, positions[i])


def levels_at(planet: Any, positions_S: np.ndarray) -> np.ndarray:
    """A structured array [n] with altitude [m], east, north and up at positions [n, 3] [m], surface frame."""
    start_warp()
    positions = wp.array(np.atleast_2d(positions_S), dtype=wp.vec3d, device="cpu")
    out = wp.zeros(len(positions), dtype=LocalLevel, device="cpu")
    wp.launch(_levels, len(positions), inputs=[planet, positions], outputs=[out], device="cpu")
    return out.numpy()

"""Putting a grid of heights on a device."""

import math

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.errors import InputError
from planetfall.world.terrain.dem.dem import TERRAIN_DEM_COLUMN, TERRAIN_DEM_COLUMN_GPU, DemParams
from planetfall.world.terrain.dem.nearest_gap import TERRAIN_DEM, TERRAIN_DEM_GPU
from planetfall.world.terrain.facets.triangle import ROUNDOFF
from planetfall.world.terrain.model import TerrainModel
from planetfall.world.terrain.surface import Surface

ROWS_AT_ONCE = 256
"""Rows of a map whose differences are in memory at a time."""


MODELS: dict[str, tuple[TerrainModel, TerrainModel]] = {
    "nearest": (TERRAIN_DEM, TERRAIN_DEM_GPU),
    "column": (TERRAIN_DEM_COLUMN, TERRAIN_DEM_COLUMN_GPU),
}
"""Terrains by how gaps are measured in the ground, on a CPU and on a GPU."""


def dem_surface(
    heights: np.ndarray,
    origin_S: np.ndarray,
    spacing: tuple[float, float],
    device: str,
    *,
    gap: str = "nearest",
    **facts: object,
) -> Surface:
    """A terrain of two facets per cell.

    Args:
        heights: [row, column] [m], row to the north, column to the east, NaN where unknown.
        origin_S: Position [m] of node (0, 0) at height zero, surface frame.
        spacing: East and north [m].
        device: Warp device.
        gap: How gaps are measured in the ground: to the "nearest" point, or in the "column" (Raiszadeh2012 Eq. 2).
        facts: What is known of the map, for people.
    """
    start_warp()
    heights = np.ascontiguousarray(heights, dtype=np.float64)
    if heights.ndim != 2 or min(heights.shape) < 2:
        raise InputError(
            "terrain", f"a map of {' x '.join(map(str, heights.shape))} nodes has no cell", "at least 2 x 2"
        )
    if not np.any(np.isfinite(heights)):
        raise InputError("terrain", "the map has no known height")
    params = DemParams()
    params.origin, (params.spacing_x, params.spacing_y) = wp.vec3d(*origin_S), spacing
    params.diagonal = spacing[0] * spacing[1] / math.sqrt(spacing[0] * spacing[0] + spacing[1] * spacing[1])
    sine = params.diagonal / max(spacing)
    params.across = wp.vec3d(params.diagonal / spacing[0], -params.diagonal / spacing[1], sine * sine)
    params.heights = wp.array(heights, dtype=wp.float64, device=device)
    params.lowest, params.highest = float(np.nanmin(heights)), float(np.nanmax(heights))
    params.steepest = _steepest(heights, spacing)
    params.list_radius = min(spacing) / 8
    params.grain = float(ROUNDOFF) * float(np.hypot(*spacing) * np.hypot(1.0, params.steepest))
    n_y, n_x = heights.shape
    reach = np.array([(n_x - 1) * spacing[0], (n_y - 1) * spacing[1], params.highest])
    box = np.asarray(origin_S) + np.array([[0.0, 0.0, params.lowest], reach])
    params.blur = 1e-13 * float(np.abs(box).max())
    n_facets = 2 * (n_x - 1) * (n_y - 1)
    model = MODELS[gap][0 if device == "cpu" else 1]
    return Surface(model, params, device, facts=dict(facts), n_facets=n_facets, box=box)


def _steepest(heights: np.ndarray, spacing: tuple[float, float]) -> float:
    """A slope [m/m] that no facet exceeds: the largest along each axis, taken together; what is unknown is no facet."""
    east, north = 0.0, 0.0
    for first in range(0, len(heights), ROWS_AT_ONCE):
        rows = heights[first : first + ROWS_AT_ONCE + 1]
        east = max(east, _largest(np.diff(rows, axis=1)))
        north = max(north, _largest(np.diff(rows, axis=0)))
    return float(np.hypot(east / spacing[0], north / spacing[1]))


def _largest(differences: np.ndarray) -> float:
    known = np.abs(differences[np.isfinite(differences)])
    return float(known.max(initial=0.0))

"""Which disc query belongs to which terrain, and, for pictures from the side, how high the ground is along a line."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from planetfall.errors import InputError
from planetfall.rover.wheel_ground.disc import disc_on_bounded_plane, disc_on_plane
from planetfall.rover.wheel_ground.disc_dem import disc_on_dem
from planetfall.rover.wheel_ground.disc_rays import ray_footing
from planetfall.world.terrain.dem.dem import DemParams
from planetfall.world.terrain.model import TerrainModel
from planetfall.world.terrain.plane import PlaneParams
from planetfall.world.terrain.surface import Surface

ABOVE = 100.0
"""How far above all that is bounded in a terrain rays start [m]."""


@dataclass(frozen=True)
class Footing:
    """A terrain as the rover's kernels take it.

    Attributes:
        name: Name of the terrain; part of the kernel cache key.
        params: `@wp.struct` class that holds the terrain.
        rest: `@wp.func (params, Disc) -> Rest`.
    """

    name: str
    params: Any
    rest: Any


EXACT = {
    footing.name: footing
    for footing in (
        Footing("plane", PlaneParams, disc_on_plane),
        Footing("disc", PlaneParams, disc_on_bounded_plane),
        Footing("dem", DemParams, disc_on_dem),
    )
}
"""Terrains whose facets are all known along the rim; the others are asked by rays."""


@lru_cache
def _by_rays(model: TerrainModel) -> Footing:
    asked = ray_footing(model)
    return Footing(model.name, asked.params, asked.rest)


def footing_of(surface: Surface) -> Footing:
    """The disc query of a terrain."""
    name = surface.model.name
    if "sdf" in name:
        raise InputError(
            "terrain.model", "a rover cannot drive on 'sdf', a whole body", "plane, dem, mesh or procedural"
        )
    return EXACT[name] if name in EXACT else _by_rays(surface.model)


def ground_of(surface: Surface) -> Any:
    """The terrain's numbers as its footing takes them."""
    footing = footing_of(surface)
    if footing.name in EXACT:
        return surface.params
    low, high = (0.0, 0.0) if surface.box is None else (float(z) for z in surface.box[:, 2])
    ground = footing.params()
    ground.terrain, ground.top, ground.depth = surface.params, high + ABOVE, high - low + 2 * ABOVE
    return ground


def heights_below(surface: Surface, xy: np.ndarray) -> np.ndarray:
    """Height [m] of the highest ground at places [n, 2] [m], surface frame; NaN where there is none."""
    low, high = (0.0, 0.0) if surface.box is None else (float(z) for z in surface.box[:, 2])
    above = np.column_stack([xy, np.full(len(xy), high + ABOVE)])
    if surface.model.name in EXACT:
        gaps, normals, statuses = surface.ask(above)
        return np.where(statuses == 0, above[:, 2] - gaps / normals[:, 2], np.nan)
    down = np.tile([0.0, 0.0, -1.0], (len(xy), 1))  # elsewhere a gap is not that to the ground straight below
    return above[:, 2] - surface.cast(above, down, high - low + 2 * ABOVE)[0]

"""A terrain's queries as functions that are called, not inlined.

A large kernel asks for the ground in many places. With a copy of the queries in each, its code does not fit the
instruction cache of a GPU, and the time goes into fetching it.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.world.terrain.model import Ground, RayHit, TerrainModel


@lru_cache
def called_gap(terrain: TerrainModel) -> Any:
    """The terrain's `gap`, called."""
    params, gap_of = terrain.params, terrain.gap

    @wp.func(inline=False)
    def gap(ground: wp.ref[params], position: wp.vec3d, point: int, run: int) -> Ground:
        return gap_of(ground, position, point, run)

    return gap


@lru_cache
def called_ray(terrain: TerrainModel) -> Any:
    """The terrain's `ray`, called."""
    params, ray_of = terrain.params, terrain.ray

    @wp.func(inline=False)
    def ray(ground: wp.ref[params], origin: wp.vec3d, direction: wp.vec3d, range_max: wp.float64) -> RayHit:
        return ray_of(ground, origin, direction, range_max)

    return ray

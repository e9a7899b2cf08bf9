"""A map on a planet: far from it nothing is off the map, and beyond its edge the planet goes on.

A vehicle on its way from orbit is hundreds of kilometres from a map of a few. The map lies on a plane, the planet falls
away from that plane by s^2/2R, so the map is queried in a box about it alone, as high over it and as deep below it as
it is wide. Anywhere else a point is far: apart, its gap a lower bound of its distance from the ground. Beyond the
map's edges the ground goes on at the altitude that it has at the nearest place of the edge, and a point that comes down
to it is off the map: it came down where nothing is known of the ground, or left the map. Where a map does not fill its
box (a disc in a square), what is beside it in the box is far as long as it is over the highest ground of the map.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.scenario.tables.world.target import Target
from planetfall.world.planet import PlanetParams, altitude, planet_params
from planetfall.world.terrain.model import GROUND_FAR, GROUND_OFF_MAP, GROUND_OK, Ground, RayHit, TerrainModel

INSIDE = wp.constant(wp.float64(1.0e-9))
"""How far inside the map's edge, in widths of it, the place is taken that stands for ground beyond (assumed)."""


@lru_cache
def on_planet(base: TerrainModel) -> TerrainModel:
    """A terrain as a map on a planet; its parameters hold `base`, `planet`, and the corners `low` and `high` [m]."""
    base_params = base.params

    @wp.struct
    class MapParams:
        base: base_params
        planet: PlanetParams
        origin_height: wp.float64  # altitude of the frame's origin [m]
        low: wp.vec3d  # corners of the map [m]
        high: wp.vec3d
        reach: wp.float64  # how far over and below these it is queried [m]

    gap = _bounded(base.gap, MapParams)
    ray_of = base.ray

    @wp.func
    def ray(over: wp.ref[MapParams], origin: wp.vec3d, direction: wp.vec3d, range_max: wp.float64) -> RayHit:
        return ray_of(over.base, origin, direction, range_max)

    kept: Any = {"is_called": base.is_called, "is_register_bound": base.is_register_bound}
    if base.make_memory is not None:
        kept["make_memory"] = _of_base(base.make_memory)
    if base.look_ahead is not None:
        kept["look_ahead"] = _of_base(base.look_ahead)
    if base.column is not None:
        kept["column"] = _bounded(base.column, MapParams)
    if base.closing is not None:
        kept["closing"] = _closing(base.closing, MapParams)
    kept["has_unit_normals"] = base.has_unit_normals
    return TerrainModel(f"{base.name} on a planet", MapParams, gap, ray, **kept)


def _bounded(gap_of: Any, params: Any) -> Any:
    """A map's `gap`, queried near the map alone."""

    @wp.func
    def gap(over: wp.ref[params], position: wp.vec3d, point: int, run: int) -> Ground:
        beside = wp.vec3d()
        for i in range(2):
            beside[i] = position[i] - wp.clamp(position[i], over.low[i], over.high[i])
        low = over.low[2] - over.reach
        high = over.high[2] + over.reach
        beside[2] = position[2] - wp.clamp(position[2], low, high)
        distance = wp.length(beside)
        ground = Ground()
        if distance == wp.float64(0.0):
            ground = gap_of(over.base, position, point, run)
            clear = position[2] - over.high[2]
            if ground.status == GROUND_OFF_MAP and clear > wp.float64(0.0):  # beside a map that does not fill its box
                ground.gap = clear
                ground.status = GROUND_FAR
            return ground
        level = altitude(over.planet, position)
        z = level.altitude - over.origin_height
        over_ground = z - over.high[2]  # less than its height over whatever ground goes on beyond the map
        if over_ground < over.reach:
            inset = (over.high - over.low) * INSIDE
            edge = wp.vec3d(
                wp.clamp(position[0], over.low[0] + inset[0], over.high[0] - inset[0]),
                wp.clamp(position[1], over.low[1] + inset[1], over.high[1] - inset[1]),
                wp.max(z, low),
            )
            nearest = gap_of(over.base, edge, -1, -1)
            over_ground = z - over.low[2]
            if nearest.status == GROUND_OK:
                over_ground = nearest.gap
        ground.gap = wp.min(distance, over_ground)
        ground.normal = level.up
        ground.facet = wp.int32(-1)
        ground.status = GROUND_FAR
        if over_ground < wp.float64(0.0):
            ground.status = GROUND_OFF_MAP
        return ground

    return gap


def _of_base(call: Any) -> Any:
    """A function of a terrain's parameters, called for the map's."""
    return lambda params, *others: call(params.base, *others)


def _closing(of_base: Any, params: Any) -> Any:
    """A gap far away is a distance; near the map it is the map's."""

    @wp.func
    def closing(over: wp.ref[params]) -> wp.float64:
        return wp.max(of_base(over.base), wp.float64(1.0))

    return closing


def map_params(model: TerrainModel, base: Any, target: Target, box: np.ndarray) -> Draft:
    """The parameters of `on_planet(...)`: those of the map, a struct or a draft, and its corners [2, 3] [m]."""
    params = Draft(model.params)
    params.base, params.planet = base, planet_params(target)
    params.origin_height = 0.0 if target.site is None else target.site.height
    params.low, params.high = box
    params.reach = float(np.linalg.norm(box[1, :2] - box[0, :2]))
    return params

"""From a scenario's terrain table to a terrain on a device."""

import numpy as np
import warp as wp

from planetfall.scenario.scenario import Scenario
from planetfall.scenario.terrain import TerrainPlane
from planetfall.world.terrain.plane import TERRAIN_DISC, TERRAIN_PLANE
from planetfall.world.terrain.surface import Surface


def make_surface(scenario: Scenario, device: str) -> Surface:
    """The terrain that a scenario asks for, on a device."""
    return _plane(scenario.terrain, device)


def _plane(plane: TerrainPlane, device: str) -> Surface:
    model = TERRAIN_PLANE if plane.radius is None else TERRAIN_DISC
    params = model.params()
    params.point, params.normal = wp.vec3d(*plane.point), wp.vec3d(*plane.outward)
    params.radius = np.inf if plane.radius is None else plane.radius
    return Surface(model, params, device)

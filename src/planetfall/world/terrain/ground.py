"""From a scenario's terrain table to a terrain on a device."""

from typing import Any

import numpy as np
import warp as wp

from planetfall.scenario.scenario import Scenario
from planetfall.world.device import start_warp
from planetfall.world.terrain.model import TerrainModel
from planetfall.world.terrain.plane import TERRAIN_DISC, TERRAIN_PLANE


def terrain_model(scenario: Scenario) -> TerrainModel:
    """The terrain that a scenario asks for."""
    return TERRAIN_PLANE if scenario.terrain.radius is None else TERRAIN_DISC


def terrain_params(scenario: Scenario) -> Any:
    """The terrain's parameter struct, filled."""
    plane, params = scenario.terrain, TERRAIN_PLANE.params()
    params.point, params.normal = wp.vec3d(*plane.point), wp.vec3d(*plane.outward)
    params.radius = np.inf if plane.radius is None else plane.radius
    return params


def gap_at(scenario: Scenario, position_S: np.ndarray) -> tuple[float, np.ndarray]:
    """Gap [m] and outward normal at a point of the surface frame, evaluated with the engine's own function."""
    start_warp()
    ground = terrain_model(scenario).gap(terrain_params(scenario), wp.vec3d(*position_S))
    return float(ground.gap), np.array(ground.normal)

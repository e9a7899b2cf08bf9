"""From a scenario's gravity table to a field on a device."""

from typing import Any

import numpy as np
import warp as wp

from planetfall.scenario.scenario import Scenario
from planetfall.world.device import start_warp
from planetfall.world.gravity.j2 import GRAVITY_J2
from planetfall.world.gravity.model import GravityModel
from planetfall.world.gravity.point import GRAVITY_POINT
from planetfall.world.gravity.uniform import GRAVITY_UNIFORM

MODELS = {"uniform": GRAVITY_UNIFORM, "none": GRAVITY_UNIFORM, "point": GRAVITY_POINT, "j2": GRAVITY_J2}


def gravity_model(scenario: Scenario) -> GravityModel:
    """The field that a scenario asks for; none at all is a uniform field of zero."""
    return MODELS[scenario.gravity.model]


def gravity_params(scenario: Scenario) -> Any:
    """The field's parameter struct, filled."""
    gravity, target = scenario.gravity, scenario.target
    params = gravity_model(scenario).params()
    if gravity.model == "uniform":
        params.acceleration = wp.vec3d(*(gravity.acceleration * np.asarray(gravity.direction)))
    if gravity.model in ("point", "j2"):
        params.gm, params.center = target.gm, wp.vec3d(*target.center_S)
    if gravity.model == "j2":
        params.j2, params.radius, params.axis = target.j2, target.radius, wp.vec3d(*target.spin_axis)
    return params


def acceleration_at(scenario: Scenario, position_S: np.ndarray) -> np.ndarray:
    """Gravity [m/s^2] at a point of the surface frame, evaluated with the engine's own function."""
    start_warp()
    return np.array(gravity_model(scenario).acceleration(gravity_params(scenario), wp.vec3d(*position_S)))

"""`minerva-67p` on ground of coarser cells, and releases of it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

import planetfall
from planetfall.engine.build import Model, build
from planetfall.engine.launch.per_run_parameters import PerRunParameters, per_run_parameters

COARSE = {
    "terrain.resolution": 50.0,
    "record.interval": 1000.0,
    "terrain.noise.amplitude": 0.0,
    "contact.rolling_resistance": 0.008,  # or some would roll on for hours
    "contact.slip_speed": 3e-4,
    "integrator.tolerance": 1e-8,
}


@lru_cache
def hopper() -> Model:
    """Until some seconds after the first touches; runs without a history, as a campaign has them."""
    scenario = planetfall.load("minerva-67p").with_values({**COARSE, "scenario.duration": 1650.0})
    return build(scenario, is_recorded=False)


def releases(model: Model, n: int = 4) -> np.ndarray:
    """Starts [run, 13], 20 mm/s apart."""
    states = np.tile(model.initial_state, (n, 1))
    states[:, 3] += 0.02 * np.arange(n)
    return states


def own_sizes(model: Model, n: int) -> PerRunParameters:
    """Parameters of hoppers of different sizes, hence with points of their own, of which each lasts 5 s less."""
    keys = ["vehicle.shape.diameter", "scenario.duration"]
    drawn = [(0.18 - 0.001 * i, 1650.0 - 5.0 * i) for i in range(n)]
    scenarios = [model.scenario.with_values(dict(zip(keys, values, strict=True))) for values in drawn]
    return per_run_parameters(model, keys, scenarios, releases(model, n))

"""Rovers and grounds for the tests of the rocker-bogie."""

from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.rover.model import RoverModel, rover_model
from planetfall.scenario.files.built_in import read_library
from planetfall.scenario.tables.rover import Rover
from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.plane import TERRAIN_PLANE
from planetfall.world.terrain.surface import Surface

TEST_LINKS = {
    "form": "points", "axis": (0.0, 0.30), "pivot": (0.20, 0.20), "rear": (-0.4, 0.1), "middle": (0.0, 0.1),
    "front": (0.4, 0.1),
}  # fmt: skip
"""The test geometry: assumed links of the LSR-1 as points over the ground, wheels of 0.10 m."""


def bench_rover(**changes: Any) -> RoverModel:
    """The LSR-1 with its centre of mass on the differential's axis and a weight of 98.1 N at 9.81 m/s^2."""
    table = {**read_library("rovers", "lsr-1"), "mass": 10.0, "center_of_mass": [0.0, 0.0, 0.0], **changes}
    return rover_model(Rover.model_validate(table))


def plane_surface(normal: Any) -> Surface:
    """An unbounded plane through the origin."""
    start_warp()
    params = TERRAIN_PLANE.params()
    unit = np.asarray(normal, float) / np.linalg.norm(normal)
    params.normal, params.radius = wp.vec3d(*unit), np.inf
    return Surface(TERRAIN_PLANE, params, "cpu")


def slope_surface(slope: float, uphill: float) -> Surface:
    """A plane that rises by a slope [rad] towards an azimuth [rad], anticlockwise from x."""
    return plane_surface([-np.sin(slope) * np.cos(uphill), -np.sin(slope) * np.sin(uphill), np.cos(slope)])


def grid_surface(heights: np.ndarray, spacing: float) -> Surface:
    """A map [row, column] about the origin."""
    n_y, n_x = heights.shape
    return dem_surface(
        heights, np.array([-(n_x - 1) * spacing / 2, -(n_y - 1) * spacing / 2, 0.0]), (spacing, spacing), "cpu"
    )


def waves(n: int, spacing: float, amplitude: float, shortest: float, seed: int) -> np.ndarray:
    """Smooth random ground [n, n] [m]: forty plane waves, none shorter than `shortest` [m]; rms `amplitude` [m]."""
    rng = np.random.default_rng(seed)
    along = (np.arange(n) - (n - 1) / 2) * spacing
    x, y = np.meshgrid(along, along)
    k = 2 * np.pi / (shortest * rng.uniform(1.0, 4.0, 40))
    angle, phase = rng.uniform(0, 2 * np.pi, (2, 40))
    heights = sum(np.cos(k[i] * (np.cos(angle[i]) * x + np.sin(angle[i]) * y) + phase[i]) for i in range(40))
    return np.asarray(heights) * amplitude / np.sqrt(20.0)


def random_places(n: int, half_width: float, seed: int) -> np.ndarray:
    """Places (x, y, yaw) within a square."""
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.uniform(-half_width, half_width, (n, 2)), rng.uniform(-np.pi, np.pi, n)])

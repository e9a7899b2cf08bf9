"""Scenes with dispersions, small and quick: a point that slides to a stop, a block that is dropped."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

import planetfall
from support.block_scene import block

GRAVITY, FRICTION_DEG, V1 = 3.7, 26.0, 0.01
SPEED, SPREAD = 1.2, 0.15
"""Launch speed of the sliding point: mean and standard deviation [m/s]."""


def sliding_point(**values: Any) -> planetfall.Scenario:
    """A mass with one contact point at its centre, at its rest depth, launched along level ground.

    Friction is tan(angle) m g down to V1 and falls linearly below, so that it goes (v^2 + V1^2) / (2 mu g) in all.
    """
    return planetfall.load("sink-flat").with_values(
        {
            "scenario.duration": 2.0,
            "gravity.acceleration": GRAVITY,
            "vehicle": {
                "name": "point", "mass": 10.0, "inertia": [1.0, 1.0, 1.0],
                "points": [{"name": "foot", "position": [0.0, 0.0, 0.0]}],
            },
            "contact.mass_share": "whole",
            "contact.breakaway_angle_deg": FRICTION_DEG,
            "contact.sliding_angle_deg": FRICTION_DEG,
            "contact.breakaway_speed": V1,
            "contact.sliding_speed": 2 * V1,
            "initial": {"position": [0.0, 0.0, -0.01], "velocity": [SPEED, 0.0, 0.0]},
            "integrator.method": "rk4",
            "integrator.step": 4e-3,
            "dispersions": {"initial.velocity.0": {"distribution": "normal", "sigma": SPREAD}},
            **{key.replace("__", "."): value for key, value in values.items()},
        }
    )  # fmt: skip


def stopping_distance(speed: np.ndarray, friction_deg: float | np.ndarray = FRICTION_DEG) -> np.ndarray:
    """How far the sliding point goes [m]."""
    return (speed**2 + V1**2) / (2.0 * np.tan(np.radians(friction_deg)) * GRAVITY)


def dropped_block(method: str = "rk4", **values: Any) -> planetfall.Scenario:
    """The block over a slope, with states and parameters of every kind dispersed."""
    return block(
        method,
        **{
            "scenario__duration": 1.1,
            "initial__height": 0.6,
            "outcome__rest_speed": 0.02,
            "outcome__rest_rate": 0.02,
            "outcome__rest_hold": 0.1,
            "dispersions": {
                "terrain.slope_deg": {"distribution": "normal", "sigma": 2.0, "low": 6.0, "high": 18.0},
                "contact.breakaway_angle_deg": {"distribution": "triangular", "low": 29.0, "high": 35.0},
                "contact.sliding_angle_deg": {
                    "distribution": "uniform", "low": 25.0, "high": 28.0,
                    "correlated": {"contact.breakaway_angle_deg": 0.6},
                },
                "initial.attitude": {"distribution": "cone", "half_angle_deg": 10.0, "twist_deg": 30.0},
                "initial.height": {"distribution": "uniform", "low": 0.5, "high": 0.7},
                "initial.velocity": {"distribution": "multivariate-normal", "sigma": [0.3, 0.2, 0.1]},
                "vehicle.mass": {"distribution": "log-normal", "sigma_log": 0.05},
            },
        }
        | values,
    )  # fmt: skip


def assert_same_tables(found: xr.Dataset, expected: xr.Dataset) -> None:
    """Every bit of two tables; NaN equals NaN."""
    assert list(found.variables) == list(expected.variables)
    for name in expected.variables:
        np.testing.assert_array_equal(found[name].values, expected[name].values, err_msg=str(name), strict=True)

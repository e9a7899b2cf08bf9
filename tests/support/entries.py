"""Scenarios of flights through air, made of a few numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from planetfall.scenario.files.load import scenario_from_dict
from planetfall.scenario.scenario import Scenario

CONTACT = {
    "law": "marker", "rest_penetration": 0.01, "damping_ratio": 0.3, "breakaway_angle_deg": 30.0,
    "sliding_angle_deg": 25.0, "breakaway_speed": 0.01, "sliding_speed": 0.02,
}  # fmt: skip
"""Of vehicles that touch nothing."""
MARS = {
    "name": "mars", "gm": 4.282837e13, "radius": 3389500.0, "flattening": 0.0, "j2": 1.96045e-3,
    "spin_rate": 7.088253e-5, "site": {"latitude_deg": 0.0, "longitude_deg": 0.0},
}  # fmt: skip
"""The sphere of the reference entries."""


def flight(**tables: Any) -> Scenario:
    """A flight without contact points, by its tables."""
    vehicle = {"name": "capsule", "mass": 1000.0, "inertia": [1000.0, 800.0, 800.0], "points": []}
    basis = {
        "scenario": {"name": "flight", "duration": 600.0},
        "gravity": {"model": "none"},
        "terrain": {"model": "plane"},
        "contact": CONTACT,
        "integrator": {"method": "rk4", "step": 0.05},
        "record": {"interval": 1.0},
    }
    return scenario_from_dict({**basis, **tables, "vehicle": {**vehicle, **tables["vehicle"]}}, "test")


def mars_point_mass(inputs: dict[str, Any], air: Path, step: float) -> Scenario:
    """An entry by mass, ballistic coefficient, L/D and bank (to the left), heading from east, over a sphere."""
    drag = inputs["m"] / (inputs["beta"] * np.pi)
    return flight(
        target=MARS,
        gravity={"model": "j2"},
        atmosphere={"model": "table", "file": str(air), "interpolation": "linear"},
        vehicle={
            "mass": inputs["m"],
            "aerodynamics": {
                "model": "drag", "area": float(np.pi), "drag_coefficient": drag, "attitude": "trim",
                "lift_to_drag": inputs["LD"], "bank_deg": -inputs["bank"], "nose_radius": inputs["RN"],
            },
        },
        initial={
            "altitude": 1e3 * inputs["h"], "altitude_over": "sphere",
            "latitude_deg": inputs["lat"], "latitude_kind": "planetocentric", "longitude_deg": inputs["lon"],
            "speed": inputs["v"], "flight_path_deg": inputs["g"], "azimuth_deg": 90.0 - inputs["az_e"],
        },
        integrator={"method": "rk4", "step": step},
        outcome={"stop_altitude": 10e3},
    )  # fmt: skip

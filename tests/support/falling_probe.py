"""A probe that falls through exponential air with a parachute: what tests of canopies and of loads fly."""

import numpy as np
import pytest

from planetfall import Scenario

GAS, HEAT_RATIO, TEMPERATURE = 191.4, 1.33, 210.0
SOUND = float(np.sqrt(HEAT_RATIO * GAS * TEMPERATURE))
DIAMETER, PROBE_DIAMETER, PROBE_DRAG, MASS = 11.8, 2.65, 1.6, 600.0
MAIN = {
    "name": "main", "canopy": "disk-gap-band", "diameter": DIAMETER, "attachment": [0.0, 0.0, 1.0],
    "deploy": {"speed_below": 400.0},
}  # fmt: skip
RK4 = {"method": "rk4", "step": 2e-3, "accept_step": True}
ADAPTIVE = {"method": "adaptive", "tolerance": 1e-10, "max_step": 1.0}
METHODS = pytest.mark.parametrize("integrator", [RK4, ADAPTIVE], ids=["rk4", "adaptive"])


def falling_probe(integrator, **values):
    """A probe that falls at 420 m/s through exponential air, with a parachute that opens below 400 m/s."""
    tables = {
        "scenario": {"name": "chute", "duration": 12.0},
        "gravity": {"model": "uniform", "acceleration": 3.71},
        "terrain": {"model": "plane"},
        "atmosphere": {
            "model": "exponential", "density": 0.02, "scale_height": 11100.0, "temperature": TEMPERATURE,
            "gas_constant": GAS, "heat_ratio": HEAT_RATIO,
        },
        "vehicle": {
            "name": "probe", "mass": MASS, "inertia": [200.0, 200.0, 200.0],
            "points": [{"name": "foot", "position": [0.0, 0.0, -0.5]}],
            "aerodynamics": {"model": "drag", "drag_coefficient": PROBE_DRAG, "diameter": PROBE_DIAMETER},
            "parachutes": [MAIN],
        },
        "contact": {
            "law": "marker", "rest_penetration": 0.01, "damping_ratio": 0.1, "breakaway_angle_deg": 32.0,
            "sliding_angle_deg": 27.0, "breakaway_speed": 0.05, "sliding_speed": 0.1,
        },
        "initial": {"position": [0.0, 0.0, 10000.0], "velocity": [0.0, 0.0, -420.0]},
        "integrator": integrator,
    }  # fmt: skip
    return Scenario.from_dict(tables).with_values(values)

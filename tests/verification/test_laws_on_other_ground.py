"""The laws that stiffen or keep dents on ground that is no plane: their loops over points, and their accounts.

A small lander falls aslant on a mesh with ridges and on a distance field. Whatever the path, dampers, friction and
dents explain what is lost. RK4 at h = 1e-4 s misses the turn of a point by (w h)^2 of the energy at most, 4e-5 with w =
sqrt(K_u/m) = 63/s; error control at 1e-8 is better than that. Energy does not rise beyond the run's own bound.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import planetfall

FRICTION = {
    "breakaway_angle_deg": 35.0, "sliding_angle_deg": 30.0, "breakaway_speed": 0.02, "sliding_speed": 0.05,
}  # fmt: skip
LAWS: dict[str, dict[str, Any]] = {
    "plastic": {"stiffness": 4e3, "unloading_stiffness": 4e4, "damping": 60.0},
    "hunt-crossley": {"stiffness": 3e4, "dissipation": 0.4},
}
METHODS = {"rk4": {"method": "rk4", "step": 1e-4}, "adaptive": {"method": "adaptive", "tolerance": 1e-8}}


@lru_cache
def ridges() -> dict[str, Any]:
    """A mesh of a metre's spacing whose heights go up and down by 0.1 m."""
    axis = np.linspace(-5.0, 5.0, 11)
    vertices = [[x, y, 0.1 * np.sin(x) * np.cos(y)] for x in axis for y in axis]
    cells = [(11 * i + j, 11 * (i + 1) + j, 11 * (i + 1) + j + 1, 11 * i + j + 1) for i in range(10) for j in range(10)]
    facets = [facet for a, b, c, d in cells for facet in ([a, b, d], [b, c, d])]
    return {
        "terrain": {"model": "mesh", "vertices": vertices, "facets": facets},
        "initial": {"position": [0.3, 0.2, 1.0], "velocity": [0.3, 0.0, -0.5], "angular_velocity": [0.1, 0.2, 0.0]},
    }


FIELD = {
    "terrain": {"model": "sdf", "shape": "ellipsoid", "half_sizes": [30.0, 25.0, 20.0], "resolution": 2.0},
    "target": {"frame": "P"},
    "initial": {"position": [1.0, 2.0, 20.6], "velocity": [0.2, 0.0, -0.5], "angular_velocity": [0.1, 0.2, 0.0]},
}
CASES = [
    pytest.param("plastic", "field", "rk4"),
    pytest.param("plastic", "mesh", "adaptive"),
    pytest.param("plastic", "field", "adaptive", marks=pytest.mark.long),
    pytest.param("plastic", "mesh", "rk4", marks=pytest.mark.long),
    pytest.param("hunt-crossley", "field", "adaptive", marks=pytest.mark.long),
    pytest.param("hunt-crossley", "mesh", "rk4", marks=pytest.mark.long),
]


@pytest.mark.parametrize(("law", "ground", "method"), CASES)
def test_the_account_closes(law: str, ground: str, method: str) -> None:
    values = ridges() if ground == "mesh" else FIELD
    contact = {"law": law, **LAWS[law], **FRICTION}
    scenario = planetfall.load("regolith-dent").with_values(
        {**values, "contact": contact, "integrator": METHODS[method], "scenario.duration": 1.2}
    )
    run = planetfall.run(scenario)
    turned_over = float(np.ptp(run.data.energy_kinetic.values))
    assert sum(run.summary["touchdowns"]) >= 1
    assert run.summary["energy_closure_J"] < 4e-5 * turned_over
    assert run.summary["energy_rise_J"] <= run.summary["energy_rise_bound_J"]
    if law == "plastic":
        assert run.data.work_plastic.values[-1] < -0.01 * turned_over

"""Two bodies and the lines between them, far over the ground."""

from __future__ import annotations

from typing import Any

import numpy as np

import planetfall
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.scenario.tables.run.attitude import rotation_matrix

CENTRES = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]


def body(name: str, mass: float, inertia: list[float] | None = None, **keys: Any) -> dict[str, Any]:
    """A vehicle without contact points."""
    return {"name": name, "mass": mass, "inertia": inertia or [0.5 * mass] * 3, **keys}


def line(name: str = "line", points: list[list[float]] | None = None, **keys: Any) -> dict[str, Any]:
    """A tether from `low` to `high`, between their centres of mass unless `points` are given."""
    return {"name": name, "bodies": ["low", "high"], "points": points or CENTRES, **keys}


def tethered(
    low: tuple[dict[str, Any], dict[str, Any]], high: tuple[dict[str, Any], dict[str, Any]],
    tethers: list[dict[str, Any]], **tables: Any,
) -> planetfall.Scenario:  # fmt: skip
    """The vehicle `low` and the companion `high`, each with its start."""
    return scenario_from_dict(
        {
            "scenario": {"name": "test", "duration": 1.0},
            "gravity": {"model": "none"},
            "terrain": {"model": "plane", "point": [0.0, 0.0, -1e6]},
            "vehicle": low[0],
            "initial": low[1],
            "companions": [{"vehicle": high[0], "initial": high[1]}],
            "tethers": tethers,
            "contact": {"law": "distributed", "stiffness": 250.0, "damping": 1.0, "friction": 0.5},
            "integrator": {"method": "rk4", "step": 1e-3},
            "record": {"interval": 0.01},
            **tables,
        }
    )


def hung(
    mass: float, support: float, gravity: float, tethers: list[dict[str, Any]], drop: float, **tables: Any
) -> planetfall.Scenario:
    """A mass `drop` metres below a support that a force holds up against the weight of both."""
    hold = {
        "kind": "push", "body": "high", "direction": [0.0, 0.0, 1.0], "times": [0.0, 1e6],
        "magnitudes": [(mass + support) * gravity] * 2,
    }  # fmt: skip
    return tethered(
        (body("low", mass), {"position": [0.0, 0.0, -drop]}),
        (body("high", support), {}),
        tethers,
        **{"gravity": {"model": "uniform", "acceleration": gravity}, "forces": [hold], **tables},
    )


def momenta(data: Any, inertias: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Linear [kg m/s] and angular momentum about the origin [N m s] of all bodies along the run [time, 3].

    `inertias`: principal moments [body, 3] [kg m^2].
    """
    mass, velocity, position = data.mass.values[:, :, None], data.velocity.values, data.position.values
    attitude = np.stack([rotation_matrix(data.quaternion.values[:, b]) for b in range(len(inertias))], axis=1)
    spin = np.einsum("tbij,tbj->tbi", attitude, data.angular_velocity.values * inertias)
    return (mass * velocity).sum(axis=1), (np.cross(position, mass * velocity) + spin).sum(axis=1)

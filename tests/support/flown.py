"""Vehicles with engines far over the ground, and controllers in Python to fly them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import planetfall
from planetfall.flight.controller import Command, Seen
from planetfall.scenario.files.load import scenario_from_dict

ENGINE = {"position": [0.0, 0.0, -0.5], "direction": [0.0, 0.0, 1.0], "thrust_max": 3000.0, "lag": 0.05, "isp": 210.0}


class Scripted:
    """Commands by a function of what is seen; keeps the times of its calls."""

    def __init__(self, command: Callable[[Seen], Command]) -> None:
        self.rule, self.times = command, []

    def command(self, seen: Seen) -> Command:
        self.times.append(seen.time)
        return self.rule(seen)


def steady(*throttles: float) -> Scripted:
    """The same throttles always."""
    return Scripted(lambda seen: Command(throttles=throttles))


def engine(name: str = "main", **keys: Any) -> dict[str, Any]:
    """An engine under the centre of mass that pushes up, with some keys changed."""
    return {"name": name, **ENGINE, **keys}


def flown(
    engines: list[dict[str, Any]], propellant: dict[str, Any] | None = None, vehicle: dict[str, Any] | None = None,
    **tables: Any,
) -> planetfall.Scenario:  # fmt: skip
    """A vehicle of 1000 kg with 200 kg of propellant, no gravity, step 1/1024 s, controller called at 64 Hz."""
    return scenario_from_dict(
        {
            "scenario": {"name": "test", "duration": 1.0},
            "gravity": {"model": "none"},
            "terrain": {"model": "plane", "point": [0.0, 0.0, -1e6]},
            "vehicle": {
                "name": "ship", "mass": 1000.0, "inertia": [600.0, 700.0, 900.0], "engines": engines,
                "propellant": propellant or {"mass": 200.0}, **(vehicle or {}),
            },
            "contact": {
                "law": "marker", "rest_penetration": 0.01, "damping_ratio": 0.1, "breakaway_angle_deg": 32.0,
                "sliding_angle_deg": 27.0, "breakaway_speed": 0.05, "sliding_speed": 0.1,
            },
            "flight": {"controller": "own", "rate": 64.0},
            "integrator": {"method": "rk4", "step": 1.0 / 1024.0},
            "record": {"interval": 1.0 / 64.0},
            **tables,
        }
    )  # fmt: skip


def masses_left(
    mass: float, inertia: np.ndarray, burnt: float, tanks: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass and inertia about it, from points that are taken away one by one."""
    share = burnt / len(tanks)
    left, first, second = mass, np.zeros(3), np.array(inertia, dtype=float)
    for r in tanks:
        left -= share
        first -= share * r
        second -= share * (r @ r * np.eye(3) - np.outer(r, r))
    c = first / left
    return left, c, second - left * (c @ c * np.eye(3) - np.outer(c, c))

"""One short run of each kind that the viewer shows."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import planetfall
from planetfall.scenario.files.load import scenario_from_dict
from support.tethered import body, line

CUBE_ON_BALL: dict[str, Any] = {
    "scenario": {"name": "cube-on-ball", "title": "A cube falls onto a ball of 40 m", "duration": 90.0},
    "target": {
        "name": "none",
        "gm": 0.5,
        "frame": "P",
        "spin_rate": 1e-4,
        "attitude": [0.0, 0.0, 0.28, 0.96],
        "sun_direction": [0.6, 0.0, 0.8],
    },
    "gravity": {"model": "point"},
    "terrain": {"model": "sdf", "shape": "sphere", "half_sizes": [40.0, 40.0, 40.0], "resolution": 1.0},
    "vehicle": {"name": "cube"},
    "contact": {"law": "distributed", "stiffness": 250.0, "damping": 14.0, "friction": 0.5},
    "initial": {"position": [0.0, 0.0, 41.0], "velocity": [0.02, 0.0, -0.05], "angular_velocity": [0.1, 0.05, 0.0]},
    "integrator": {"method": "adaptive", "tolerance": 1e-7},
    "record": {"interval": 0.5},
}


def drop() -> planetfall.Scenario:
    return planetfall.load("msl-drop").with_values({"scenario.duration": 1.5})


def crater() -> planetfall.Scenario:
    return planetfall.load("morpheus-crater").with_values({"scenario.duration": 3.0})


def mesh() -> planetfall.Scenario:
    return planetfall.load("morpheus-static-kinetic").with_values({"scenario.duration": 1.0})


def fine_mesh() -> planetfall.Scenario:
    """The same vehicle and kernel on more facets than a page gets: those far away are merged."""
    import trimesh

    n, spacing = 281, 0.25
    x, y = np.meshgrid(*(spacing * (np.arange(n) - (n - 1) / 2),) * 2)
    places = np.column_stack([x.ravel(), y.ravel(), (0.04 * np.sin(2.1 * x) * np.cos(1.7 * y)).ravel()])
    first = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    facets = np.concatenate([first[:, None] + [0, 1, n + 1], first[:, None] + [0, n + 1, n]])
    path = Path(tempfile.mkdtemp(prefix="planetfall-mesh-")) / "ground.ply"
    trimesh.Trimesh(places, facets, process=False).export(path)
    tables = mesh().model_dump(mode="json", exclude_none=True)
    tables["terrain"] = {"model": "mesh", "file": str(path)}
    return scenario_from_dict(tables)


def crane() -> planetfall.Scenario:
    """Down to the ground, the bridles cut, and the stage on its way."""
    return planetfall.load("msl-skycrane").with_values({"scenario.duration": 24.5})


def comet() -> planetfall.Scenario:
    """A hopper on a whole comet, to its first bounce."""
    return planetfall.load("minerva-67p").with_values({"scenario.duration": 1700.0})


def ball() -> planetfall.Scenario:
    return scenario_from_dict(CUBE_ON_BALL)


def ring() -> planetfall.Scenario:
    """A vehicle drawn from its own mesh, with a hole; as many points as the cube, so that their kernel is one."""
    import trimesh

    path = Path(tempfile.mkdtemp(prefix="planetfall-ring-")) / "ring.stl"
    trimesh.creation.torus(0.11, 0.04, major_sections=48, minor_sections=24).export(path)
    shape = {"kind": "mesh", "file": str(path), "points": 8}
    vehicle = {"name": "ring", "mass": 1.0, "shape": shape}
    return scenario_from_dict({**CUBE_ON_BALL, "scenario": {"name": "ring", "duration": 60.0}, "vehicle": vehicle})


def bridles() -> planetfall.Scenario:
    """A load on three lines below a carrier that lets it down, goes slack on the ground."""
    corners = [[0.6, 0.0, 0.3], [-0.3, 0.5, 0.3], [-0.3, -0.5, 0.3]]
    feet = [
        {"name": f"foot {i + 1}", "position": [x, y, -0.4]}
        for i, (x, y) in enumerate([(0.6, 0.6), (-0.6, 0.6), (-0.6, -0.6), (0.6, -0.6)])
    ]
    pull = {
        "kind": "push", "body": "high", "direction": [0.0, 0.0, 1.0],
        "times": [0.0, 0.6, 0.7, 1.6, 1.7, 1e3], "magnitudes": [1110.0, 1110.0, 950.0, 950.0, 740.0, 740.0],
    }  # fmt: skip
    return scenario_from_dict(
        {
            "scenario": {"name": "let-down", "title": "A load of 100 kg let down on three lines", "duration": 3.0},
            "gravity": {"model": "uniform", "acceleration": 3.7},
            "terrain": {"model": "plane"},
            "vehicle": body("low", 100.0, points=feet),
            "initial": {"position": [0.0, 0.0, 0.6]},
            "companions": [{"vehicle": body("high", 200.0), "initial": {"position": [0.0, 0.0, 3.6]}}],
            "tethers": [
                line(f"line {i + 1}", [corner, [0.4 * corner[0], 0.4 * corner[1], 0.0]], length=2.68, stiffness=2e4,
                     damping=400.0, cut_time=2.5 if i == 2 else None)
                for i, corner in enumerate(corners)
            ],
            "forces": [pull],
            "contact": {"law": "marker", "rest_penetration": 0.01, "damping_ratio": 0.4, "breakaway_angle_deg": 32.0,
                        "sliding_angle_deg": 27.0, "breakaway_speed": 0.05, "sliding_speed": 0.1,
                        "mass_share": "whole", "clamp": True},
            "integrator": {"method": "rk4", "step": 1e-3},
            "record": {"interval": 0.02},
        }
    )  # fmt: skip


def sensed() -> planetfall.Scenario:
    return planetfall.load("sensed-landing").with_values({"scenario.duration": 2.0})


def entry() -> Any:
    """From 126 km at Mars, without the ground."""
    return planetfall.load("mars-entry-lifting").with_values({"scenario.duration": 60.0})


RUNS: dict[str, Callable[[], Any]] = {
    "drop": drop, "crater": crater, "mesh": mesh, "ball": ball, "ring": ring, "bridles": bridles,
    "sensed": sensed, "fine-mesh": fine_mesh, "crane": crane, "comet": comet,
    "entry": entry,
}  # fmt: skip

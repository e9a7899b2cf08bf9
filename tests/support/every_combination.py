"""Every method with every ground, law and frame, and every feature of a vehicle: scenarios of a second of contact.

A bar with two feet, 2 kg, starts with its feet 2 mm over the ground and falls at 0.3 m/s in a gravity of 1.6 m/s^2.
What goes together is in the scenario of a `Combination`; what does not is refused by Planetfall, not left out here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from planetfall.errors import InputError
from planetfall.scenario.combinations import REFUSALS, Refusal
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.scenario.scenario import Scenario
from support.made_ground import grid_mesh
from support.mesh_queries import ball

G = 1.6
"""Gravity at the ground [m/s^2]."""
RADIUS = 20.0
"""Of the whole body that is a distance field [m]."""
HEIGHT = 0.202
"""Of the bar's middle over the ground at the start [m]; its feet are 0.2 m below it."""
RATE = 32.0
"""Of sensors and controllers [Hz]; 1/32 s is 64 fixed steps."""
STEP = 1.0 / 2048.0
"""Fixed step [s]."""

FRICTION = {
    "breakaway_angle_deg": 35.0, "sliding_angle_deg": 30.0, "breakaway_speed": 0.05, "sliding_speed": 0.1,
}  # fmt: skip
LAWS: dict[str, dict[str, Any]] = {
    "marker": {"rest_penetration": 0.002, "damping_ratio": 0.3, "mass_share": "per-point", **FRICTION},
    "anchor": {
        "rest_penetration": 0.002, "damping_ratio": 0.3, "friction_static": 0.7, "friction_kinetic": 0.6,
        "anchor_rule": "drag",
    },
    "distributed": {
        "stiffness": 800.0, "damping": 20.0, "friction": 0.6, "rolling_resistance": 1e-4, "slip_speed": 0.05,
        "roll_rate": 0.2,
    },
    "hertz": {"stiffness": 2e4, **FRICTION},
    "hunt-crossley": {"stiffness": 2e4, "dissipation": 0.4, **FRICTION},
    "plastic": {"stiffness": 800.0, "unloading_stiffness": 2400.0, **FRICTION},
}  # fmt: skip
METHODS: dict[str, dict[str, Any]] = {
    "rk4": {"method": "rk4", "step": STEP, "accept_step": True},
    "adaptive": {"method": "adaptive", "tolerance": 1e-8},
}
FRAMES = {"fixed": 0.0, "turning": 0.02}
"""Spin rate of the surface frame [rad/s]."""
N_NODES, SPACING = 9, 0.5
"""Of maps and meshes, along a side, and their distance [m]."""


def heights() -> np.ndarray:
    """Of rough ground [m], steepest about 11 degrees; zero where the bar comes down."""
    along = np.arange(N_NODES) - N_NODES // 2
    return 0.05 * np.sin(2.1 * along)[:, None] * np.cos(1.7 * along)[None, :] * SPACING


def elevation_map(folder: Path) -> dict[str, Any]:
    file = folder / "map.npy"
    if not file.exists():
        np.save(file, heights())
    return {"model": "dem", "file": str(file), "spacing": SPACING, "height_scale": 1.0}


def mesh(folder: Path) -> dict[str, Any]:
    along = (np.arange(N_NODES) - N_NODES // 2) * SPACING
    vertices, facets = grid_mesh(along, heights())
    return {"model": "mesh", "vertices": vertices.tolist(), "facets": facets.tolist()}


def made(folder: Path) -> dict[str, Any]:
    noise = {"amplitude": 0.02, "wavelength": 2.0, "octaves": 2}
    rocks = {"cover": 0.0, "placed": [{"position": [0.45, 0.1], "diameter": 0.3}]}
    return {
        "model": "procedural", "extent": [4.0, 4.0], "resolution": 0.25, "seed": 3, "noise": noise, "rocks": rocks,
    }  # fmt: skip


def combined(folder: Path) -> dict[str, Any]:
    """The map with a flat stone under one of the feet."""
    stone = ball().vertices * [0.3, 0.3, 0.03] + [0.4, 0.0, -0.005]
    return elevation_map(folder) | {
        "added": [{"model": "mesh", "vertices": stone.tolist(), "facets": ball().facets.tolist()}]
    }


def distance_field(folder: Path) -> dict[str, Any]:
    return {"model": "sdf", "shape": "sphere", "half_sizes": [RADIUS] * 3, "resolution": 1.0}


GROUNDS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "plane": lambda folder: {"model": "plane", "slope_deg": 5.0},
    "map": elevation_map,
    "mesh": mesh,
    "field": distance_field,
    "made": made,
    "combined": combined,
}

IMU = {"kind": "imu", "name": "imu", "rate": RATE}
ALTIMETER = {"kind": "altimeter", "name": "altimeter", "rate": RATE, "range_max": 50.0, "beam": [0.0, 0.0, -1.0]}
SWITCH = {"kind": "switch", "name": "feet", "rate": RATE, "points": ["left", "right"], "threshold": 0.1}
ABOVE = {"name": "partner", "mass": 1.0, "inertia": [0.1, 0.1, 0.1]}


def with_force(tables: dict[str, Any]) -> None:
    push = {"kind": "push", "direction": [1.0, 0.0, 0.0], "times": [0.1, 0.3, 0.6], "magnitudes": [0.0, 1.0, 0.0]}
    tables.setdefault("forces", []).append(push)


def with_flywheel(tables: dict[str, Any]) -> None:
    wheel = {"name": "wheel", "axis": [0.0, 1.0, 0.0], "inertia": 1e-3, "speed": 20.0}
    tables["vehicle"]["flywheels"] = [wheel | {"brake_time": 0.3, "brake_torque": 0.1, "brake_end": 0.6}]


def with_arm(tables: dict[str, Any]) -> None:
    tables["vehicle"]["arm"] = {
        "pivot": [0.0, 0.0, 0.05], "axis": [0.0, 1.0, 0.0], "direction": [1.0, 0.0, 0.0], "length": 0.05, "mass": 0.1,
        "times": [0.2, 0.5], "angles_deg": [0.0, 40.0], "stiffness": 0.2, "damping": 0.01, "torque_max": 0.5,
    }  # fmt: skip


def with_sensors(tables: dict[str, Any]) -> None:
    there = tables.setdefault("sensors", [])
    there += [sensor for sensor in (IMU, ALTIMETER, SWITCH) if sensor not in there]


def with_detector(tables: dict[str, Any]) -> None:
    with_sensors(tables)
    tables["detector"] = {"kind": "leg-switch", "switch": "feet", "count": 2, "hold": 0.1}


def with_engines(tables: dict[str, Any]) -> None:
    """Four canted engines, a tank, and the controller without which there is nobody to throttle them."""
    with_sensors(tables)
    up, place = tables["initial"]["up"], tables["initial"]["site"]
    tables["flight"] = {
        "controller": "sequence", "rate": RATE, "imu": "imu", "altimeter": "altimeter", "up": up, "site": place,
        "gravity": G, "phases": [
            {"name": "down", "guidance": {"law": "attitude-hold", "share": 0.1}, "ends": [{"after": 0.4}]},
            {"name": "off", "guidance": {"law": "off"}},
        ],
    }  # fmt: skip
    tables["vehicle"]["engines"] = [
        {
            "name": f"engine {i}", "position": [0.2 * x, 0.1 * y, 0.0], "direction": [0.0, 0.28 * y, 0.96],
            "thrust_max": 1.0, "isp": 200.0, "lag": 0.02,
        }
        for i, (x, y) in enumerate(product((-1.0, 1.0), (-1.0, 1.0)))
    ]  # fmt: skip
    tables["vehicle"]["propellant"] = {"mass": 0.2, "positions": [[0.0, 0.0, 0.02]]}


def with_companion(tables: dict[str, Any]) -> None:
    """Another body without contact points that flies beside."""
    initial = tables["initial"]
    place = np.array(initial["position"]) + np.array(initial["up"])
    tables["companions"] = [{"vehicle": dict(ABOVE), "initial": {"position": place.tolist()}}]


def with_tether(tables: dict[str, Any]) -> None:
    with_companion(tables)
    tables["tethers"] = [
        {
            "name": "line", "bodies": ["bar", "partner"], "points": [[0.0, 0.0, 0.1], [0.0, 0.0, 0.0]],
            "length": 0.95, "stiffness": 100.0, "damping": 2.0, "cut_time": 0.7,
        }
    ]  # fmt: skip


FEATURES: dict[str, Callable[[dict[str, Any]], None]] = {
    "force": with_force, "flywheel": with_flywheel, "arm": with_arm, "sensors": with_sensors,
    "detector": with_detector, "engines": with_engines, "companion": with_companion,
    "tether": with_tether,
}  # fmt: skip


@dataclass(frozen=True)
class Combination:
    """A cell of the table."""

    method: str
    ground: str
    law: str
    frame: str
    features: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        return ", ".join((self.method, self.ground, self.law, self.frame, *self.features))

    def tables(self, folder: Path) -> dict[str, Any]:
        """As they stand in a file; files of the ground are written to the folder."""
        is_whole, spin = self.ground == "field", FRAMES[self.frame]
        up = [0.0, 0.0, 1.0]
        middle = [0.0, 0.0, RADIUS if is_whole else 0.0]
        target: dict[str, Any] = {"frame": "P" if is_whole else "L"}
        if is_whole:
            target |= {"gm": G * RADIUS**2, "radius": RADIUS}
        if spin:
            target |= {"spin_rate": spin, "spin_axis": [0.6, 0.0, 0.8]}
        tables: dict[str, Any] = {
            "scenario": {"name": "combination", "title": str(self), "duration": 1.0},
            "target": target,
            "gravity": {"model": "point"} if is_whole else {"model": "uniform", "acceleration": G},
            "terrain": GROUNDS[self.ground](folder),
            "vehicle": {
                "name": "bar", "mass": 2.0, "inertia": [0.02, 0.1, 0.1],
                "points": [
                    {"name": "left", "position": [-0.4, 0.0, -0.2]}, {"name": "right", "position": [0.4, 0.0, -0.2]},
                ],
            },
            "contact": {"law": self.law, **LAWS[self.law]},
            "initial": {"position": middle, "height": HEIGHT, "velocity": [0.1, 0.02, -0.3], "up": up, "site": middle},
            "integrator": dict(METHODS[self.method]),
            "record": {"interval": 0.01},
            "outcome": {"stop_at_rest": False, "overturn_angle_deg": 180.0},
        }  # fmt: skip
        for name in self.features:
            FEATURES[name](tables)
        del tables["initial"]["up"], tables["initial"]["site"]
        return tables

    def scenario(self, folder: Path) -> Scenario:
        """Validated; an InputError says why not."""
        return scenario_from_dict(self.tables(folder))

    @cached_property
    def refusal(self) -> Refusal | None:
        """By which it is refused; any other complaint is raised, as an error of this table or of Planetfall."""
        with TemporaryDirectory() as folder:
            try:
                self.scenario(Path(folder))
            except InputError as error:
                found = [refusal for refusal in REFUSALS if refusal.reason in str(error)]
                if len(found) != 1 or found[0].instead not in str(error):
                    raise
                return found[0]
        return None


TOGETHER = tuple(FEATURES)
"""All features at once."""
EVERY = tuple(
    Combination(*choice, features)
    for choice in product(METHODS, GROUNDS, LAWS, FRAMES)
    for features in ((), *((name,) for name in FEATURES), TOGETHER)
)
"""The whole table."""


def in_pairs() -> tuple[Combination, ...]:
    """36 cells in which every two of method, ground, law and frame meet, and six with all features.

    Each ground meets each law once; methods and frames alternate. Where a cell is refused adaptively it is the fixed
    step's.
    """
    cells = [
        Combination(("rk4", "adaptive")[(i + j) % 2], ground, law, ("fixed", "turning")[(i + (j + 1) // 2) % 2])
        for i, ground in enumerate(GROUNDS)
        for j, law in enumerate(LAWS)
    ]
    accepted = [cell if cell.refusal is None else replace(cell, method="rk4") for cell in cells]
    full = [accepted[len(LAWS) * i + j] for i, j in enumerate((2, 1, 3, 4, 5, 0))]  # with both methods and frames
    return tuple(replace(cell, features=TOGETHER) if cell in full else cell for cell in accepted)


def overview() -> list[tuple[str, ...]]:
    """Rows of a table: each law, and on each ground the methods that take it, in both frames and with all features."""

    def methods(law: str, ground: str) -> str:
        cells = [Combination(method, ground, law, frame, TOGETHER) for method in METHODS for frame in FRAMES]
        return ", ".join(dict.fromkeys(cell.method for cell in cells if cell.refusal is None))

    return [(f"`{law}`", *(methods(law, ground) for ground in GROUNDS)) for law in LAWS]

"""The Morpheus vehicle and its numbers, for the tests of the anchor law; the scenes on a plane share their kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import planetfall
from oracles.anchored_body import AnchoredBody
from planetfall.record.trajectory import Trajectory
from planetfall.report.run.contact_figures import applied_force, lateral_force

MASS, GRAVITY = 1552.8, 9.80665
WEIGHT = MASS * GRAVITY
HALF_STANCE, HEIGHT = 1.837, 1.3  # b and H [m]
SINK = 0.02
STIFFNESS = WEIGHT / 4.0 / SINK
DAMPING = 2.0 * 0.1 * np.sqrt(MASS / 4.0 * STIFFNESS)
MU_S, MU_K = 0.8, 0.3
RAMP = 11480.4 / 36.0  # [N/s]
UPRIGHT = Rotation.from_quat([-0.5, -0.5, -0.5, 0.5])  # body x up, y east, z north
LEGS = slice(0, 4)
NORTH_LEGS, SOUTH_LEGS = [0, 3], [1, 2]
KINETIC = 2
"""Mode of a point that slides."""


def standing(**values: Any) -> planetfall.Scenario:
    """On level ground, legs at their rest depth, contact by the gap. `values`: further keys, `__` for the dot."""
    return planetfall.load("morpheus-static-kinetic").with_values(
        {
            "terrain": {"model": "plane"},
            "contact.detection": "gap",
            "initial.position": [0.0, 0.0, HEIGHT - SINK],
            **{key.replace("__", "."): value for key, value in values.items()},
        }
    )


def push(times: list[float], magnitudes: list[float], point: list[float] | None = None) -> list[dict[str, Any]]:
    """A push to the north."""
    return [
        {
            "kind": "push", "direction": [0.0, 1.0, 0.0], "times": times, "magnitudes": magnitudes,
            "point": point or [0.0, 0.0, 0.0],
        }
    ]  # fmt: skip


def on_slope(slope_deg: float, **values: Any) -> planetfall.Scenario:
    """Aligned with a slope that descends to the east, legs 1.5 cm in the ground along the normal, at rest."""
    tilt = Rotation.from_rotvec([0.0, np.radians(slope_deg), 0.0])
    return planetfall.load("morpheus-incline").with_values(
        {
            "terrain.slope_deg": slope_deg,
            "initial": {
                "position": tilt.apply([0.0, 0.0, 1.285]).tolist(),
                "attitude": (tilt * UPRIGHT).as_quat().tolist(),
            },
            **{key.replace("__", "."): value for key, value in values.items()},
        }
    )


def oracle_body(scenario: planetfall.Scenario, **changed: Any) -> AnchoredBody:
    """The scenario's vehicle and law for the independent oracle, on its four legs."""
    contact = scenario.contact
    given = {
        "mass": MASS,
        "inertia": np.diag([1800.0, 1700.0, 1700.0]),
        "points": np.array([[-1.3, e * HALF_STANCE, n * HALF_STANCE] for e, n in ((1, 1), (1, -1), (-1, -1), (-1, 1))]),
        "normal": scenario.terrain.outward,
        "gravity": np.array([0.0, 0.0, -GRAVITY]),
        "stiffness": STIFFNESS,
        "damping": DAMPING,
        "friction_static": MU_S,
        "friction_kinetic": MU_K,
        "rule": contact.anchor_rule,
    }
    return AnchoredBody(**{**given, **changed})


def first_time(time: np.ndarray, modes: np.ndarray) -> np.ndarray:
    """When each leg was first seen sliding [s], NaN if never."""
    slides = modes[:, LEGS] == KINETIC
    return np.where(slides.any(axis=0), time[slides.argmax(axis=0)], np.nan)


class Pushed:
    """What the paper's figures show of a run."""

    def __init__(self, run: Trajectory) -> None:
        data = run.data
        self.time, self.modes = data.time.values, data.contact_mode.values[:, LEGS]
        self.push = applied_force(run.scenario, data)[:, 1]
        self.friction = -lateral_force(data)[:, LEGS, 1].sum(axis=1)
        self.breaks = first_time(self.time, data.contact_mode.values)
        turn = Rotation.from_quat(data.quaternion.values[:, 0])
        self.lean_deg = np.degrees(np.arccos(np.clip(turn.apply([1.0, 0.0, 0.0])[:, 2], -1.0, 1.0)))
        north = turn.apply([0.0, 0.0, 1.0])
        self.heading_deg = np.degrees(np.arctan2(north[:, 0], north[:, 1]))
        self.first = int(np.searchsorted(self.time, np.nanmin(self.breaks)))

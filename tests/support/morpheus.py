"""The Morpheus vehicle and its numbers, for the tests of the anchor law; the scenes on a plane share their kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import planetfall
from oracles.anchored_body import AnchoredBody

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

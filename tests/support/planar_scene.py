"""The planar oracle's cases as scenarios of the package, and the package's states as the oracle writes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import planetfall
from oracles.planar_drop import PlanarCase
from oracles.planar_law import Array
from planetfall.record.trajectory import Trajectory


def scenario_of(case: PlanarCase, **values: Any) -> planetfall.Scenario:
    """The rover scene of a planar case: two equal wheels, left and right, for each wheel of the oracle.

    Args:
        case: A case with `n_sides` = 2.
        values: Further keys, with `__` for the dot: `integrator__tolerance=1e-8`.
    """
    base = planetfall.load("msl-drop")
    inertia = [774.84, case.inertia, 405.09]  # only the moment about body y has a say in the plane
    points = [
        {"name": f"{side} {i}", "position": [down, y, west]}
        for side, y in (("left", -1.0625), ("right", 1.0625))
        for i, (down, west) in enumerate(case.wheels)
    ]
    level = Rotation.from_quat(base.initial.quaternion)
    attitude = Rotation.from_rotvec([0.0, -case.pitch, 0.0]) * level  # pitch turns about body y, which points south
    return base.with_values(
        {
            "scenario.duration": case.duration,
            "gravity.acceleration": case.gravity,
            "terrain.slope_deg": float(np.degrees(case.slope)),
            "vehicle.mass": case.mass,
            "vehicle.inertia": inertia,
            "vehicle.points": points,
            "contact.rest_penetration": case.sink_at_rest,
            "contact.damping_ratio": case.damping_ratio,
            "contact.breakaway_angle_deg": float(np.degrees(case.angle_stick)),
            "contact.sliding_angle_deg": float(np.degrees(case.angle_slide)),
            "contact.breakaway_speed": case.speed_stick,
            "contact.sliding_speed": case.speed_slide,
            "contact.mass_share": case.mass_share,
            "contact.clamp": case.is_clamped,
            "initial": {
                "height": case.height,
                "height_along": case.height_along,
                "velocity": [case.velocity_east, 0.0, case.velocity_up],
                "attitude": attitude.as_quat().tolist(),
                "angular_velocity": [0.0, case.pitch_rate, 0.0],
            },
            **{key.replace("__", "."): value for key, value in values.items()},
        }
    )


def planar_states(run: Trajectory) -> Array:
    """Every frame as the oracle writes it, shape (n_frames, 6): east, up, pitch and their rates."""
    data = run.data
    body = Rotation.from_quat(data.quaternion.values[:, 0])
    level = Rotation.from_quat(planetfall.load("msl-drop").initial.quaternion)
    pitch = -(body * level.inv()).as_rotvec()[:, 1]
    position, velocity = data.position.values[:, 0], data.velocity.values[:, 0]
    rate = data.angular_velocity.values[:, 0, 1]
    return np.column_stack([position[:, 0], position[:, 2], pitch, velocity[:, 0], velocity[:, 2], rate])


def event_times(run: Trajectory, kind: str, n_wheels: int = 2) -> list[list[float]]:
    """Instants [s] of a kind of event at each wheel of the oracle, from the left wheel that stands for it."""
    return [[event.time for event in run.events if event.kind == kind and event.point == i] for i in range(n_wheels)]

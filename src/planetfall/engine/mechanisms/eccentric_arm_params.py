"""From a scenario's eccentric arms to what the kernel takes."""

from typing import Any

import numpy as np

from planetfall.compute.draft import Draft
from planetfall.scenario.tables.vehicle.eccentric_arm import EccentricArm
from planetfall.scenario.tables.vehicle.vehicle import Vehicle
from planetfall.vehicle.arms import ArmParams


def arm_params(vehicles: tuple[Vehicle, ...]) -> Draft:
    """`ArmParams` of all vehicles."""
    p, arms = Draft(ArmParams), [vehicle.arm for vehicle in vehicles]
    if not any(arms):
        return p

    def each(key: str, none: Any = 0.0) -> list[Any]:
        return [none if arm is None or getattr(arm, key) is None else getattr(arm, key) for arm in arms]

    p.mass, p.length, p.inertia = each("mass"), each("length"), each("inertia")
    nowhere = (0.0, 0.0, 0.0)
    p.pivot_B, p.axis_B, p.direction_B = (each(key, nowhere) for key in ("pivot", "axis", "direction"))
    p.stiffness, p.damping, p.torque_max = each("stiffness"), each("damping"), each("torque_max", np.inf)
    p.rows = [0 if arm is None else len(arm.times) for arm in arms]
    p.times, p.torques, p.angles = _plans(arms)
    return p


def arm_states(vehicles: tuple[Vehicle, ...]) -> np.ndarray:
    """Angle [rad] and speed [rad/s] of each arm at time zero, one after the other."""
    pairs = [(np.radians(vehicle.arm.angle_deg), vehicle.arm.speed) for vehicle in vehicles if vehicle.arm is not None]
    return np.array(pairs).reshape(-1)


def _plans(arms: list[EccentricArm | None]) -> np.ndarray:
    """Times [s], torques [N m] and angles [rad] of the plans [3, row, body], zero where nothing is planned."""
    n_rows = max(1, *(len(arm.times) for arm in arms if arm is not None))
    out = np.zeros((3, n_rows, len(arms)))
    for i, arm in enumerate(arms):
        for k, column in enumerate(() if arm is None else (arm.times, arm.torques, np.radians(arm.angles_deg))):
            out[k, : len(column), i] = column
    return out

"""From a scenario's eccentric arms to what the kernel takes."""

from typing import Any

import numpy as np
import warp as wp

from planetfall.scenario.arm import EccentricArm
from planetfall.scenario.vehicle import Vehicle
from planetfall.vehicle.arms import ArmParams


def arm_params(vehicles: tuple[Vehicle, ...], device: str) -> ArmParams:
    """The arms of all vehicles, on a device."""
    p, arms = ArmParams(), [vehicle.arm for vehicle in vehicles]
    if not any(arms):
        return p

    def each(key: str, dtype: Any = wp.float64, none: Any = 0.0) -> Any:
        found = [none if arm is None or getattr(arm, key) is None else getattr(arm, key) for arm in arms]
        return wp.array(found, dtype=dtype, device=device)

    p.mass, p.length, p.inertia = each("mass"), each("length"), each("inertia")
    nowhere = (0.0, 0.0, 0.0)
    p.pivot_B, p.axis_B = each("pivot", wp.vec3d, nowhere), each("axis", wp.vec3d, nowhere)
    p.direction_B = each("direction", wp.vec3d, nowhere)
    p.stiffness, p.damping, p.torque_max = each("stiffness"), each("damping"), each("torque_max", none=np.inf)
    p.rows = wp.array([0 if arm is None else len(arm.times) for arm in arms], dtype=wp.int32, device=device)
    p.times, p.torques, p.angles = (wp.array(columns, dtype=wp.float64, device=device) for columns in _plans(arms))
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

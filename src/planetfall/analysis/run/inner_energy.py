"""Energy that turns inside a vehicle: its kinetic energy less that of the same motion with rotors and arms locked.

The same motion is that of the centre of mass and the turning omega of the body. With s the speed relative to the body,

    flywheel of inertia J about a      J s a.omega + J s^2/2
    arm (symbols of `vehicle.arms`)    s b.omega + d s^2/2
"""

import numpy as np
import xarray as xr

from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.vehicle.eccentric_arm import EccentricArm


def inner_energy(scenario: Scenario, data: xr.Dataset) -> np.ndarray:
    """Of all flywheels and arms [time] [J], relative to the surface frame as `energy_kinetic` is."""
    out = np.zeros(data.sizes["time"])
    wheels = [(b, wheel) for b, vehicle in enumerate(scenario.vehicles) for wheel in vehicle.flywheels]
    rate = data.angular_velocity.values
    for i, (b, wheel) in enumerate(wheels):
        speed = data.flywheel_speed.values[:, i]
        out += wheel.inertia * speed * (rate[:, b] @ np.asarray(wheel.axis) + 0.5 * speed)
    swung = [(b, vehicle) for b, vehicle in enumerate(scenario.vehicles) if vehicle.arm is not None]
    for i, (b, vehicle) in enumerate(swung):
        if vehicle.arm is not None:
            out += _swing_energy(
                vehicle.arm, vehicle.mass, data.arm_angle.values[:, i], data.arm_speed.values[:, i], rate[:, b]
            )
    return out


def _swing_energy(arm: EccentricArm, mass: float, angle: np.ndarray, speed: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Of an arm in a vehicle of a mass [kg], at angles [rad] and speeds [rad/s] [time], turning at rates [time, 3]."""
    axis, first = np.asarray(arm.axis), arm.length * np.asarray(arm.direction)
    reach = np.cos(angle)[:, None] * first + np.sin(angle)[:, None] * np.cross(axis, first)
    place = np.asarray(arm.pivot) + reach
    center = arm.mass / mass * (place - arm.tip)
    offset = arm.inertia * axis + arm.mass * np.cross(place - center, np.cross(axis, reach))
    resistance = arm.inertia + arm.mass * (mass - arm.mass) / mass * arm.length**2
    return speed * (np.sum(offset * rate, axis=1) + 0.5 * resistance * speed)

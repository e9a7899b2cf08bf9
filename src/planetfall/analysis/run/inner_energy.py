"""Energy that turns inside a vehicle: its kinetic energy less that of the same motion with rotors and arms locked.

The same motion is that of the centre of mass and the turning omega of the body. With s the speed relative to the body,

    flywheel of inertia J about a      J s a.omega + J s^2/2
    arm (symbols of `vehicle.arms`)    s b.omega + d s^2/2
"""

import numpy as np
import xarray as xr

from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.vehicle.eccentric_arm import EccentricArm
from planetfall.scenario.tables.vehicle.vehicle import Vehicle


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
                vehicle.arm, data.mass.values[:, b], _first_center(vehicle, data.mass.values[:, b]),
                data.arm_angle.values[:, i], data.arm_speed.values[:, i], rate[:, b],
            )  # fmt: skip
    return out


def _first_center(vehicle: Vehicle, mass: np.ndarray) -> np.ndarray:
    """Centre of mass [time, 3] [m] of a vehicle of a mass [time] [kg] that is left, its arm at angle zero."""
    tank = np.zeros(3) if vehicle.propellant is None else vehicle.propellant.center
    return -((vehicle.mass - mass) / mass)[:, None] * tank


def _swing_energy(
    arm: EccentricArm, mass: np.ndarray, first: np.ndarray, angle: np.ndarray, speed: np.ndarray, rate: np.ndarray
) -> np.ndarray:
    """Of an arm in a vehicle of a mass [time] [kg], at angles [rad] and speeds [rad/s] [time] and rates [time, 3].

    `first` [time, 3] [m]: where the centre of mass would be with the arm at angle zero.
    """
    axis, place = np.asarray(arm.axis), arm.tips_at(angle)
    center = first + (arm.mass / mass)[:, None] * (place - arm.tip)
    offset = arm.inertia * axis + arm.mass * np.cross(place - center, np.cross(axis, place - np.asarray(arm.pivot)))
    resistance = arm.inertia + arm.mass * (mass - arm.mass) / mass * arm.length**2
    return speed * (np.sum(offset * rate, axis=1) + 0.5 * resistance * speed)

"""From a scenario's flywheels to what the kernel takes."""

import numpy as np

from planetfall.compute.draft import Draft, padded
from planetfall.scenario.tables.vehicle.vehicle import Vehicle
from planetfall.vehicle.flywheels import FlywheelParams


def wheel_params(vehicles: tuple[Vehicle, ...]) -> Draft:
    """`FlywheelParams` of all vehicles."""
    wheels = [wheel for vehicle in vehicles for wheel in vehicle.flywheels]
    p = Draft(FlywheelParams)
    if not wheels:
        return p
    p.body = [b for b, vehicle in enumerate(vehicles) for _ in vehicle.flywheels]
    p.axis_B, p.inertia = [wheel.axis for wheel in wheels], [wheel.inertia for wheel in wheels]
    p.rows = [len(wheel.times) for wheel in wheels]
    p.times, p.torques = padded([wheel.times for wheel in wheels]), padded([wheel.torques for wheel in wheels])
    p.brake_time = [np.inf if wheel.brake_time is None else wheel.brake_time for wheel in wheels]
    p.brake_end = [np.inf if wheel.brake_end is None else wheel.brake_end for wheel in wheels]
    p.brake_torque, p.brake_speed = [wheel.brake_torque for wheel in wheels], [wheel.brake_speed for wheel in wheels]
    return p

"""Flywheels inside a body: rotors that exchange angular momentum with it through their motors and brakes.

A rotor of axial inertia J turns at s relative to the body about a fixed axis a. With I the inertia of everything,
rotors locked, and omega* the body's inertial rate:

    H = I omega* + J s a                              angular momentum
    J (s' + a . omega*') = tau                        the motor drives the rotor
    (I - J a a^T) omega*' = L - omega* x H - tau a    and turns the body the other way

The motor's torque follows a table over time, linear between its rows and zero outside it. From `brake_time` on a brake
of constant torque stops the rotor, until `brake_end`; below `brake_speed` its torque falls linearly to zero.
"""

import warp as wp


@wp.struct
class FlywheelParams:
    """The rotors of a vehicle; arrays [wheel] or, for the tables, [row, wheel], padded with their last instant."""

    body: wp.array(dtype=wp.int32)
    axis_B: wp.array(dtype=wp.vec3d)
    inertia: wp.array(dtype=wp.float64)  # J [kg m^2]
    times: wp.array2d(dtype=wp.float64)  # [s]
    torques: wp.array2d(dtype=wp.float64)  # [N m] on the rotor
    rows: wp.array(dtype=wp.int32)
    brake_time: wp.array(dtype=wp.float64)  # [s], or infinite
    brake_end: wp.array(dtype=wp.float64)  # [s], or infinite
    brake_torque: wp.array(dtype=wp.float64)  # [N m]
    brake_speed: wp.array(dtype=wp.float64)  # [rad/s]


@wp.func
def motor_torque(wheels: FlywheelParams, i: int, t: wp.float64, t_branch: wp.float64) -> wp.float64:
    """Torque [N m] of the motor on rotor i at time t, on the line of the table on both sides of t_branch."""
    n = wheels.rows[i]
    if n < 2:
        return wp.float64(0.0)
    if t_branch < wheels.times[0, i] or t_branch > wheels.times[n - 1, i]:
        return wp.float64(0.0)
    row = int(0)
    while row < n - 2 and t_branch > wheels.times[row + 1, i]:
        row += 1
    along = (t - wheels.times[row, i]) / (wheels.times[row + 1, i] - wheels.times[row, i])
    return wheels.torques[row, i] + along * (wheels.torques[row + 1, i] - wheels.torques[row, i])


@wp.func
def wheel_torque(wheels: FlywheelParams, i: int, t: wp.float64, t_branch: wp.float64, speed: wp.float64) -> wp.float64:
    """Torque [N m] of motor and brake on rotor i, turning at `speed` [rad/s] relative to the body."""
    torque = motor_torque(wheels, i, t, t_branch)
    if t_branch > wheels.brake_time[i] and t_branch < wheels.brake_end[i]:
        share = wp.clamp(speed / wheels.brake_speed[i], wp.float64(-1.0), wp.float64(1.0))
        torque -= wheels.brake_torque[i] * share
    return torque


@wp.func
def wheel_break(wheels: FlywheelParams, i: int, t: wp.float64) -> wp.float64:
    """First instant after t [s] at which the torque on rotor i has a kink, or a time far beyond any run."""
    first = wp.float64(1.0e300)
    row = int(0)
    while row < wheels.rows[i]:
        if wheels.times[row, i] > t:
            first = wp.min(first, wheels.times[row, i])
        row += 1
    if wheels.brake_time[i] > t:
        first = wp.min(first, wheels.brake_time[i])
    if wheels.brake_end[i] > t:
        first = wp.min(first, wheels.brake_end[i])
    return first

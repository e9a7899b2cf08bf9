"""Inertial measurement unit: specific force and angular rate at a point of the vehicle.

An accelerometer measures acceleration against the stars less gravitation. The engine knows the rate a of the velocity
v relative to the surface frame, which turns at the constant rate Omega about the target's centre; with r measured from
there, the centre of mass has

    f = a + Omega x (Omega x r) + 2 Omega x v - g(x)

so free fall reads zero in every frame, and a vehicle at rest on a turning planet reads minus effective gravity,
Omega x (Omega x r) - g. At a point p of the body come, in body components,

    omega* = omega + R^T Omega,   omega*' = omega' - omega x R^T Omega
    f_p = R^T f + omega*' x p + omega* x (omega* x p)

and the gyroscopes read omega*.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.flight.sensors.model import Motion, SensorModel, channels
from planetfall.world.gravity.model import GravityModel
from planetfall.world.terrain.model import TerrainModel


@wp.struct
class ImuParams:
    """Where it is mounted: `position_B` [m] from the centre of mass, along body axes."""

    position_B: wp.vec3d


@wp.func
def specific_force(motion: Motion, g_S: wp.vec3d, position_B: wp.vec3d) -> wp.vec3d:
    """Specific force [m/s^2] at a point of the body, body components; `g_S` is gravitation at the centre of mass."""
    body = motion.body
    R_BS = wp.transpose(body.R_SB)
    r = body.position - motion.center
    carried = wp.cross(motion.spin, wp.cross(motion.spin, r) + body.velocity * wp.float64(2.0))
    spin_B = R_BS * motion.spin
    omega = body.omega_B + spin_B
    omega_rate = motion.turning - wp.cross(body.omega_B, spin_B)
    lever = wp.cross(omega_rate, position_B) + wp.cross(omega, wp.cross(omega, position_B))
    return R_BS * (motion.acceleration + carried - g_S) + lever


@lru_cache
def imu_read(terrain: TerrainModel, gravity: GravityModel) -> Any:
    """`@wp.func` that reads specific force [m/s^2] and angular rate [rad/s], three channels each, body axes."""
    acceleration, ground_params, field_params = gravity.acceleration, terrain.params, gravity.params
    values = channels(6)

    @wp.func
    def read(
        sensor: wp.ref[ImuParams], ground: wp.ref[ground_params], field: wp.ref[field_params], motion: Motion
    ) -> values:
        body = motion.body
        force = specific_force(motion, acceleration(field, body.position), sensor.position_B)
        rate = body.omega_B + wp.transpose(body.R_SB) * motion.spin
        out = values()
        for i in range(3):
            out[i] = force[i]
            out[3 + i] = rate[i]
        return out

    return read


IMU = SensorModel("imu", 6, ImuParams, imu_read)

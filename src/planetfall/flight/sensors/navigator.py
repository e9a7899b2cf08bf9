"""Navigator: position, velocity and attitude as a vehicle's navigation knows them, with errors of knowledge.

It stands for an inertial navigation that begins with errors (of orbit determination, of star trackers) and carries them
on. With a small error of attitude phi, fixed in the surface frame, the sensed specific force f is taken for one that
points elsewhere, and what is integrated from it drifts:

    dv = dv_0 + phi x int f dt          dr = dr_0 + int dv dt

Integrals are by trapezoids from sample to sample. That gravity is taken at a place that is not quite the true one, and
that the surface frame turns by a degree or two during an entry, is left out. Without errors it gives the truth.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.flight.sensors.imu import specific_force
from planetfall.flight.sensors.model import Motion, SensorModel, channels
from planetfall.world.gravity.model import GravityModel
from planetfall.world.terrain.model import TerrainModel

LAST, FORCE, VELOCITY_DRIFT, POSITION_DRIFT = (wp.constant(i) for i in (0, 1, 4, 7))
"""What is kept: time of the last sample [s], specific force [m/s^2] then, drifts of velocity [m/s] and position [m]."""
N_KEPT = 10


@wp.struct
class NavigatorParams:
    """Errors at the start, surface frame.

    `error`: rotation from the true to the known attitude, and the same as `rotation` [rad]; `velocity_error` [m/s].
    """

    error: wp.quatd
    rotation: wp.vec3d
    velocity_error: wp.vec3d


@wp.func
def kept(motion: Motion, i: int) -> wp.vec3d:
    """Three numbers of the sensor's memory."""
    o = motion.slot + i
    return wp.vec3d(motion.memory[o, motion.run], motion.memory[o + 1, motion.run], motion.memory[o + 2, motion.run])


@wp.func
def keep_three(motion: Motion, i: int, value: wp.vec3d):
    """Puts three numbers into the sensor's memory."""
    for k in range(3):
        motion.memory[motion.slot + i + k, motion.run] = value[k]


@wp.func
def carry_on(sensor: wp.ref[NavigatorParams], force: wp.vec3d, motion: Motion):
    """Brings the drifts up to the instant of a sample; `force` [m/s^2]: specific force, surface frame."""
    last = motion.memory[motion.slot + LAST, motion.run]
    if wp.isnan(last):
        keep_three(motion, VELOCITY_DRIFT, wp.vec3d())
        keep_three(motion, POSITION_DRIFT, wp.vec3d())
    else:
        half = wp.float64(0.5) * (motion.time - last)
        before = kept(motion, VELOCITY_DRIFT)
        drift = before + wp.cross(sensor.rotation, kept(motion, FORCE) + force) * half
        keep_three(motion, VELOCITY_DRIFT, drift)
        way = (before + drift + sensor.velocity_error * wp.float64(2.0)) * half
        keep_three(motion, POSITION_DRIFT, kept(motion, POSITION_DRIFT) + way)
    keep_three(motion, FORCE, force)
    motion.memory[motion.slot + LAST, motion.run] = motion.time


@lru_cache
def navigator_read(terrain: TerrainModel, gravity: GravityModel) -> Any:
    """`@wp.func` that reads position [m], velocity [m/s], surface frame, and the quaternion x y z w to that frame."""
    ground_params, field_params, values = terrain.params, gravity.params, channels(10)
    acceleration = gravity.acceleration

    @wp.func
    def read(
        sensor: wp.ref[NavigatorParams], ground: wp.ref[ground_params], field: wp.ref[field_params], motion: Motion
    ) -> values:
        body = motion.body
        force_B = specific_force(motion, acceleration(field, body.position), wp.vec3d())
        carry_on(sensor, body.R_SB * force_B, motion)
        velocity = body.velocity + kept(motion, VELOCITY_DRIFT)
        position = body.position + kept(motion, POSITION_DRIFT)
        q = sensor.error * wp.quat_from_matrix(body.R_SB)
        out = values()
        for i in range(3):
            out[i] = position[i]
            out[3 + i] = velocity[i]
        for i in range(4):
            out[6 + i] = q[i]
        return out

    return read


NAVIGATOR = SensorModel("navigator", 10, NavigatorParams, navigator_read, N_KEPT)

"""Navigator: position, velocity and attitude as a vehicle's navigation knows them, with errors of knowledge.

It stands for a filter that is not modelled (orbit determination, star trackers, an IMU carried through the entry): what
it gives is the truth, turned by a constant error of attitude and shifted by constant errors of position and velocity,
which campaigns disperse.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.flight.sensors.model import Motion, SensorModel, channels
from planetfall.world.gravity.model import GravityModel
from planetfall.world.terrain.model import TerrainModel


@wp.struct
class NavigatorParams:
    """`error`: small rotation from the true to the known attitude, in body components."""

    error: wp.quatd


@lru_cache
def navigator_read(terrain: TerrainModel, gravity: GravityModel) -> Any:
    """`@wp.func` that reads position [m], velocity [m/s], surface frame, and the quaternion x y z w to that frame."""
    ground_params, field_params, values = terrain.params, gravity.params, channels(10)

    @wp.func
    def read(
        sensor: wp.ref[NavigatorParams], ground: wp.ref[ground_params], field: wp.ref[field_params], motion: Motion
    ) -> values:
        q = wp.quat_from_matrix(motion.body.R_SB) * sensor.error
        out = values()
        for i in range(3):
            out[i] = motion.body.position[i]
            out[3 + i] = motion.body.velocity[i]
        for i in range(4):
            out[6 + i] = q[i]
        return out

    return read


NAVIGATOR = SensorModel("navigator", 10, NavigatorParams, navigator_read)

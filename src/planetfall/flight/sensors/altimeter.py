"""Altimeter: range along one beam, by a ray on the terrain that the vehicle lands on (Cordova2014, Conclusion)."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.flight.sensors.beam import returns
from planetfall.flight.sensors.model import Motion, SensorModel, channels
from planetfall.world.gravity.model import GravityModel
from planetfall.world.terrain.apart import called_ray
from planetfall.world.terrain.model import TerrainModel


@wp.struct
class AltimeterParams:
    """A beam: origin `position_B` [m] from the centre of mass, unit direction `beam_B`; `range_max` [m].

    `least_cosine` of the angle between the beam and the ground's normal.
    """

    position_B: wp.vec3d
    beam_B: wp.vec3d
    range_max: wp.float64
    least_cosine: wp.float64


@lru_cache
def altimeter_read(terrain: TerrainModel, gravity: GravityModel) -> Any:
    """`@wp.func` that reads the range [m]; NaN where no front face lies within `range_max`, or too slant."""
    ray, ground_params, field_params, values = called_ray(terrain), terrain.params, gravity.params, channels(1)

    @wp.func
    def read(
        sensor: wp.ref[AltimeterParams], ground: wp.ref[ground_params], field: wp.ref[field_params], motion: Motion
    ) -> values:
        R_SB = motion.body.R_SB
        origin = motion.body.position + R_SB * sensor.position_B
        direction = R_SB * sensor.beam_B
        hit = ray(ground, origin, direction, sensor.range_max)
        out = values()
        out[0] = hit.range
        if not returns(hit, direction, sensor.least_cosine):
            out[0] = wp.float64(wp.nan)
        return out

    return read


ALTIMETER = SensorModel("altimeter", 1, AltimeterParams, altimeter_read)

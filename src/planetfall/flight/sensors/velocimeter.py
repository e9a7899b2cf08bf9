"""Velocimeter: range rate along several beams, on the terrain that the vehicle lands on (Cordova2014, Conclusion).

A beam from x along the unit vector d meets a facet with normal n at the range r, (x + r d - P) . n = 0. The facet is
fixed, the beam moves and turns with the body, so

    r' = -(x' . n + r d' . n)/(d . n)          x' = v + R (omega x p),  d' = R (omega x d_B)

which is what differences of the range tend to, as long as the beam stays on one facet. A Doppler instrument measures
something else: the speed of the sensor against the ground along the beam, -x' . d. Over ground square to the beam, and
without turning, they agree.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.flight.sensors.beam import returns
from planetfall.flight.sensors.model import Motion, SensorModel, channels
from planetfall.world.gravity.model import GravityModel
from planetfall.world.terrain.apart import called_ray
from planetfall.world.terrain.model import TerrainModel


@wp.struct
class VelocimeterParams:
    """Beams from `position_B` [m] along the unit vectors `beams_B` [beam]; `range_max` [m]; `is_doppler`: 0 or 1.

    `least_cosine` of the angle between a beam and the ground's normal.
    """

    position_B: wp.vec3d
    beams_B: wp.array(dtype=wp.vec3d)
    range_max: wp.float64
    least_cosine: wp.float64
    is_doppler: wp.int32


@wp.func
def range_rate(
    reach: wp.float64, direction: wp.vec3d, direction_rate: wp.vec3d, velocity: wp.vec3d, normal: wp.vec3d
) -> wp.float64:
    """Rate [m/s] of the range `reach` [m] to a fixed facet, along a beam that moves and turns."""
    return -(wp.dot(velocity, normal) + reach * wp.dot(direction_rate, normal)) / wp.dot(direction, normal)


@lru_cache
def velocimeter(n_beams: int) -> SensorModel:
    """A velocimeter with a number of beams."""
    values = channels(n_beams)

    @lru_cache
    def velocimeter_read(terrain: TerrainModel, gravity: GravityModel) -> Any:
        ray, ground_params, field_params = called_ray(terrain), terrain.params, gravity.params

        @wp.func
        def read(
            sensor: wp.ref[VelocimeterParams],
            ground: wp.ref[ground_params],
            field: wp.ref[field_params],
            motion: Motion,
        ) -> values:
            body = motion.body
            origin = body.position + body.R_SB * sensor.position_B
            velocity = body.velocity + body.R_SB * wp.cross(body.omega_B, sensor.position_B)
            out = values()
            i = int(0)
            while i < wp.static(n_beams):
                beam_B = sensor.beams_B[i]
                direction = body.R_SB * beam_B
                hit = ray(ground, origin, direction, sensor.range_max)
                out[i] = wp.float64(wp.nan)
                if returns(hit, direction, sensor.least_cosine):
                    if sensor.is_doppler == 1:
                        out[i] = -wp.dot(velocity, direction)
                    else:
                        turning = body.R_SB * wp.cross(body.omega_B, beam_B)
                        out[i] = range_rate(hit.range, direction, turning, velocity, hit.normal)
                i += 1
            return out

        return read

    return SensorModel("velocimeter", n_beams, VelocimeterParams, velocimeter_read)

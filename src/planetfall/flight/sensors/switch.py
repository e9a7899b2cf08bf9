"""Touchdown switch: closed while the ground presses on a contact point hard enough (as on Viking and Phoenix)."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.flight.sensors.model import Motion, SensorModel, channels
from planetfall.world.gravity.model import GravityModel
from planetfall.world.terrain.model import TerrainModel


@wp.struct
class SwitchParams:
    """`points`: indices of the contact points, one switch each; `threshold` [N] of the normal force that closes it."""

    points: wp.array(dtype=wp.int32)
    threshold: wp.float64


@lru_cache
def switch(n_points: int) -> SensorModel:
    """Switches on a number of contact points."""
    values = channels(n_points)

    @lru_cache
    def switch_read(terrain: TerrainModel, gravity: GravityModel) -> Any:
        ground_params, field_params = terrain.params, gravity.params

        @wp.func
        def read(
            sensor: wp.ref[SwitchParams], ground: wp.ref[ground_params], field: wp.ref[field_params], motion: Motion
        ) -> values:
            out = values()
            i = int(0)
            while i < wp.static(n_points):
                if motion.force[sensor.points[i], motion.run] > sensor.threshold:
                    out[i] = wp.float64(1.0)
                i += 1
            return out

        return read

    return SensorModel("switch", n_points, SwitchParams, switch_read, reads_forces=True)

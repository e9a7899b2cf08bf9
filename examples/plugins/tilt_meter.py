"""A sensor of one's own: the angle between the body's z axis and the vertical of the site.

Named in a scenario by `plugins = ["tilt_meter.py"]`, it is added by `[[sensors]] kind = "tilt-meter"`.
"""

from functools import lru_cache
from typing import Any, Literal

import numpy as np
import warp as wp

from planetfall.plugins import (
    Motion,
    SensorModel,
    SensorPart,
    SensorTable,
    UnitVec3,
    channels,
    choice,
    quantity,
    register,
)


class TiltMeterKeys(SensorTable):
    """What a scenario gives under `[[sensors]]`: `kind`, `name`, `body` and `rate` have all sensors."""

    kind: Literal["tilt-meter"] = choice("name of the sensor")
    name: str = choice("name of its readings")
    body: str | None = choice("name of the vehicle that carries it; the first if not given", None)
    rate: float = quantity("Hz", "samples a second", gt=0)
    up: UnitVec3 = quantity("-", "vertical of the site, surface frame", (0.0, 0.0, 1.0))
    bias: float = quantity("rad", "added to every reading", 0.0)
    noise: float = quantity("rad", "standard deviation of one sample", 0.0, ge=0)


@wp.struct
class TiltMeterParams:
    """`up`: unit vector, surface frame."""

    up: wp.vec3d


@lru_cache
def read(terrain: Any, gravity: Any) -> Any:
    """Clean values, from how a body moves; when they are sampled, and their errors, are not the sensor's business."""
    ground, field, values = terrain.params, gravity.params, channels(1)

    @wp.func
    def tilt(sensor: wp.ref[TiltMeterParams], ground: wp.ref[ground], field: wp.ref[field], motion: Motion) -> values:
        z = motion.body.R_SB * wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0))
        out = values()
        out[0] = wp.atan2(wp.length(wp.cross(z, sensor.up)), wp.dot(z, sensor.up))
        return out

    return tilt


register(
    SensorPart(
        TiltMeterKeys,
        SensorModel("tilt-meter", 1, TiltMeterParams, read),
        fill=lambda keys: {"up": keys.up},
        unit="rad",
        meaning="angle between the body's z axis and the vertical",
        errors=lambda keys: np.array([[keys.bias, keys.noise]]),
    )
)

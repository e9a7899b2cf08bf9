"""What a sensor is to the engine.

A sensor says what it would read at an instant without any error: `read(params, terrain, gravity, motion) -> values`,
one number per channel, NaN on a channel that has nothing to say. When it is sampled, and what bias and noise are added,
is the same for all (`engine.control.sensor_sampling`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.draft import chained_params
from planetfall.vehicle.body import BodyState
from planetfall.world.gravity.model import GravityModel
from planetfall.world.terrain.model import TerrainModel


@wp.struct
class Motion:
    """How a body moves at the instant of a sample.

    `body`: its state; `acceleration` [m/s^2]: rate of its velocity relative to S, surface components; `turning`
    [rad/s^2]: rate of its `omega_B`; `spin` [rad/s] and `center` [m]: angular velocity of S, which is constant, and the
    target's centre, surface components; `force` [point, run] [N]: normal forces at the last evaluation, and the `run`;
    `time` [s] of the sample; `memory` [slot, run]: what sensors keep from sample to sample, this one from `slot` on,
    NaN before its first.
    """

    body: BodyState
    acceleration: wp.vec3d
    turning: wp.vec3d
    spin: wp.vec3d
    center: wp.vec3d
    force: wp.array2d(dtype=wp.float64)
    run: wp.int32
    time: wp.float64
    memory: wp.array2d(dtype=wp.float64)
    slot: wp.int32


@dataclass(frozen=True)
class SensorModel:
    """A kind of sensor as the kernel builder takes it.

    Attributes:
        kind: Name in scenario files; also part of the kernel cache key.
        n_channels: How many numbers one reading has.
        params: `@wp.struct` class that holds every number of the sensor.
        read: Function from terrain and gravity model to
            `@wp.func (params, terrain params, gravity params, Motion) -> channels(n_channels)`.
        n_memory: How many numbers it keeps from sample to sample.
        reads_forces: Whether it reads the forces on contact points, which are kept for it (`Motion.force`).
    """

    kind: str
    n_channels: int
    params: Any
    read: Callable[[TerrainModel, GravityModel], Any]
    n_memory: int = 0
    reads_forces: bool = False


@lru_cache
def channels(n_channels: int) -> Any:
    """Vector type of one reading."""
    return wp.types.vector(length=n_channels, dtype=wp.float64)


@wp.struct
class SensorSetup:
    """When a sensor samples, what errors it has, and where its readings are kept.

    `rate` [Hz]; `body` that it is mounted on; `stream` of its noise; `errors` [channel]: bias, and standard deviation
    of one sample, in the channel's unit; `index` among the sensors; `channel`, `sample`, `row`, `memory`: the
    first ones of its own in the arrays of `flight.readings`.
    """

    rate: wp.float64
    body: wp.int32
    stream: wp.uint32
    errors: wp.array(dtype=wp.vec2d)
    index: wp.int32
    channel: wp.int32
    sample: wp.int32
    row: wp.int32
    memory: wp.int32


@lru_cache
def mounted_params(own: Any) -> Any:
    """`@wp.struct` class of a sensor on a vehicle: its `setup`, and the numbers of its kind."""

    @wp.struct
    class MountedParams:
        setup: SensorSetup
        sensor: own

    return MountedParams


def suite_params(models: tuple[SensorModel, ...]) -> Any:
    """`@wp.struct` class of all sensors of a scenario, chained."""
    return chained_params(tuple(mounted_params(model.params) for model in models))

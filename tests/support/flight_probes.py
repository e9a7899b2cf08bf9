"""Warp functions of `planetfall.flight` over arrays of inputs, called from NumPy. One Warp module, compiled once."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike

from planetfall.compute.device import start_warp
from planetfall.flight.detectors.detector import StillnessParams, stillness_declares
from planetfall.flight.readings import DetectorMemory, Readings
from planetfall.flight.sensors.imu import specific_force
from planetfall.flight.sensors.model import Motion
from planetfall.flight.sensors.noise import normal, philox
from planetfall.flight.sensors.velocimeter import range_rate

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

Array = np.ndarray


@wp.kernel
def _philox(counter: wp.array(dtype=wp.vec4ui), key: wp.array(dtype=wp.vec2ui), bits_out: wp.array(dtype=wp.vec4ui)):
    i = wp.tid()
    bits_out[i] = philox(counter[i], key[i])


@wp.kernel
def _normal(counter: wp.array(dtype=wp.vec4ui), key: wp.array(dtype=wp.vec2ui), normal_out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    normal_out[i] = normal(key[i], counter[i])


@wp.kernel
def _specific_force(
    motion: wp.array(dtype=Motion), g_S: wp.array(dtype=wp.vec3d), position_B: wp.array(dtype=wp.vec3d),
    force_out: wp.array(dtype=wp.vec3d),
):  # fmt: skip
    i = wp.tid()
    force_out[i] = specific_force(motion[i], g_S[i], position_B[i])


@wp.kernel
def _range_rate(
    reach: wp.array(dtype=wp.float64), direction: wp.array(dtype=wp.vec3d), turning: wp.array(dtype=wp.vec3d),
    velocity: wp.array(dtype=wp.vec3d), normal_S: wp.array(dtype=wp.vec3d), rate_out: wp.array(dtype=wp.float64),
):  # fmt: skip
    i = wp.tid()
    rate_out[i] = range_rate(reach[i], direction[i], turning[i], velocity[i], normal_S[i])


@wp.kernel
def _declare(
    detector: StillnessParams, readings: Readings, memory: DetectorMemory, t: wp.float64,
    declared_out: wp.array(dtype=wp.int32),
):  # fmt: skip
    run = wp.tid()
    declared_out[run] = stillness_declares(detector, readings, memory, t, run)


def philox_bits(counters: ArrayLike, keys: ArrayLike) -> Array:
    """Random words [n, 4] of counters [n, 4] and keys [n, 2]."""
    out = wp.zeros(len(np.asarray(counters)), dtype=wp.vec4ui, device="cpu")
    wp.launch(_philox, len(out), inputs=_words(counters, keys), outputs=[out], device="cpu")
    return out.numpy()


def normals(counters: ArrayLike, keys: ArrayLike) -> Array:
    """Normal deviates [n] of counters [n, 4] and keys [n, 2]."""
    out = wp.zeros(len(np.asarray(counters)), dtype=wp.float64, device="cpu")
    wp.launch(_normal, len(out), inputs=_words(counters, keys), outputs=[out], device="cpu")
    return out.numpy()


def specific_forces(motions: list[dict[str, Any]], g_S: ArrayLike, position_B: ArrayLike) -> Array:
    """`specific_force` [n, 3]; each motion gives the fields of `Motion`, those of its body under their own names."""
    start_warp()
    rows = np.zeros(len(motions), dtype=Motion.numpy_dtype())
    for row, motion in zip(rows, motions, strict=True):
        for name, value in motion.items():
            place = row if name in rows.dtype.names else row["body"]
            place[name] = value
    out = wp.zeros(len(rows), dtype=wp.vec3d, device="cpu")
    inputs = [wp.array(rows, dtype=Motion, device="cpu"), _vectors(g_S), _vectors(position_B)]
    wp.launch(_specific_force, len(out), inputs=inputs, outputs=[out], device="cpu")
    return out.numpy()


def range_rates(
    reach: ArrayLike, direction: ArrayLike, turning: ArrayLike, velocity: ArrayLike, normal_S: ArrayLike
) -> Array:
    """`range_rate` [n]."""
    start_warp()
    out = wp.zeros(len(np.asarray(reach)), dtype=wp.float64, device="cpu")
    vectors = [_vectors(values) for values in (direction, turning, velocity, normal_S)]
    inputs = [wp.array(np.asarray(reach, float), dtype=wp.float64, device="cpu"), *vectors]
    wp.launch(_range_rate, len(out), inputs=inputs, outputs=[out], device="cpu")
    return out.numpy()


@dataclass
class Watchman:
    """The built-in detector, fed by hand. Channels: 0 range, 1 to 3 range rates, 4 to 6 specific force.

    Attributes:
        settings: Fields of `StillnessParams` that differ from the usual ones.
        is_armed: Whether a controller lets it declare.
    """

    settings: dict[str, Any] = field(default_factory=dict)
    is_armed: bool = True

    def __post_init__(self) -> None:
        start_warp()
        usual = {
            "altimeter": 0, "velocimeter": 1, "imu": 4, "n_beams": 3, "range_below": 0.5, "speed_below": 0.1,
            "gravity": 3.7, "force_band": 0.3, "hold": 0.5,
        }  # fmt: skip
        self.detector = StillnessParams()
        for name, value in {**usual, **self.settings}.items():
            setattr(self.detector, name, value)
        self.memory = DetectorMemory()
        self.memory.since, self.memory.landed = (wp.full(1, np.nan, dtype=wp.float64, device="cpu") for _ in range(2))

    def tell(self, t: float, values: ArrayLike) -> bool:
        """Whether it declares a landing at t [s] on seeing seven values."""
        readings = Readings()
        readings.value = wp.array(np.asarray(values, float).reshape(7, 1), dtype=wp.float64, device="cpu")
        readings.time = wp.zeros((3, 1), dtype=wp.float64, device="cpu")
        readings.armed = wp.full(1, int(self.is_armed), dtype=wp.int32, device="cpu")
        out = wp.zeros(1, dtype=wp.int32, device="cpu")
        inputs = [self.detector, readings, self.memory, wp.float64(t)]
        wp.launch(_declare, 1, inputs=inputs, outputs=[out], device="cpu")
        return bool(out.numpy()[0])

    @property
    def landed(self) -> float:
        """When it declared a landing [s]; NaN if it did not."""
        return float(self.memory.landed.numpy()[0])


def _words(counters: ArrayLike, keys: ArrayLike) -> list[wp.array]:
    start_warp()
    return [
        wp.array(np.asarray(counters, np.uint32), dtype=wp.vec4ui, device="cpu"),
        wp.array(np.asarray(keys, np.uint32), dtype=wp.vec2ui, device="cpu"),
    ]


def _vectors(values: ArrayLike) -> wp.array:
    return wp.array(np.atleast_2d(np.asarray(values, float)), dtype=wp.vec3d, device="cpu")

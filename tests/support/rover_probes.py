"""The rover's Warp functions over arrays of inputs, called from NumPy."""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.rover.soil.bekker import (
    BekkerParams,
    bekker_grip,
    bekker_resistance,
    bekker_sinkage,
    bekker_slip,
    bekker_traction,
)
from planetfall.rover.soil.model import Grip
from planetfall.rover.statics.plane_program import Program, bounds_type, shortest
from planetfall.rover.traversability.survey import KERNEL_OPTIONS
from planetfall.rover.wheel_ground.disc import Disc, Rest
from planetfall.rover.wheel_ground.footing import Footing, footing_of, ground_of
from planetfall.world.terrain.surface import Surface


@lru_cache
def _rest_kernel(footing: Footing) -> Any:
    params, rest = footing.params, footing.rest

    @wp.kernel(**KERNEL_OPTIONS)
    def kernel(ground: params, discs: wp.array(dtype=Disc), rest_out: wp.array(dtype=Rest)):
        i = wp.tid()
        rest_out[i] = rest(ground, discs[i])

    return kernel


@wp.kernel(**KERNEL_OPTIONS)
def _shortest(bounds: wp.array(dtype=bounds_type), slack: wp.float64, program_out: wp.array(dtype=Program)):
    i = wp.tid()
    program_out[i] = shortest(bounds[i], slack)


@wp.kernel(**KERNEL_OPTIONS)
def _bekker(
    law: BekkerParams, loads: wp.array(dtype=wp.float64), slips: wp.array(dtype=wp.float64),
    curves_out: wp.array2d(dtype=wp.float64), grip_out: wp.array(dtype=Grip),
):  # fmt: skip
    i = wp.tid()
    traction = bekker_traction(law, loads[i], slips[i])
    curves_out[i, 0] = bekker_sinkage(law, loads[i])
    curves_out[i, 1] = bekker_resistance(law, loads[i])
    curves_out[i, 2] = traction
    curves_out[i, 3] = bekker_slip(law, loads[i], traction)
    grip_out[i] = bekker_grip(law, wp.float64(0.0), wp.float64(0.0), loads[i])


def discs(x: Any, y: Any, yaw: Any, roll: Any, radius: float) -> np.ndarray:
    """Discs as a structured array."""
    rows: Any = np.zeros(len(np.asarray(x)), dtype=Disc.numpy_dtype())
    rows["x"], rows["y"], rows["radius"] = x, y, radius
    rows["heading"] = np.column_stack([np.cos(yaw), np.sin(yaw)])
    rows["left"] = np.column_stack([-np.sin(yaw), np.cos(yaw)])
    rows["lean"], rows["up"] = np.sin(roll), np.cos(roll)
    return rows


def rests(surface: Surface, rows: np.ndarray) -> np.ndarray:
    """Where discs rest, fields of `Rest`."""
    start_warp()
    out = wp.zeros(len(rows), dtype=Rest, device="cpu")
    inputs = [ground_of(surface), wp.array(rows, dtype=Disc, device="cpu")]
    wp.launch(_rest_kernel(footing_of(surface)), len(rows), inputs=inputs, outputs=[out], device="cpu")
    return out.numpy()


def shortest_points(bounds: np.ndarray, slack: float) -> np.ndarray:
    """`plane_program.shortest`, fields of `Program`."""
    start_warp()
    out = wp.zeros(len(bounds), dtype=Program, device="cpu")
    inputs = [wp.array(bounds, dtype=bounds_type, device="cpu"), slack]
    wp.launch(_shortest, len(bounds), inputs=inputs, outputs=[out], device="cpu")
    return out.numpy()


def bekker_curves(law: BekkerParams, loads: np.ndarray, slips: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sinkage, resistance, traction and the slip it takes [n, 4], and the tangents, fields of `Grip`."""
    start_warp()
    n = len(loads)
    curves, grips = wp.zeros((n, 4), dtype=wp.float64, device="cpu"), wp.zeros(n, dtype=Grip, device="cpu")
    inputs = [law, *(wp.array(a, dtype=wp.float64, device="cpu") for a in (loads, slips))]
    wp.launch(_bekker, n, inputs=inputs, outputs=[curves, grips], device="cpu")
    return curves.numpy(), grips.numpy()

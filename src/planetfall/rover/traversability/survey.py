"""The kernels: one thread per place, and how they are launched."""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.rover.kinematics.decoupled import decoupled_func
from planetfall.rover.kinematics.newton import POSE_HOLE, POSE_NONE, POSE_OFF_MAP, POSE_OK, Pose, newton_funcs
from planetfall.rover.kinematics.stance import largest_excess, place_at
from planetfall.rover.params import LinkParams, vec5d
from planetfall.rover.soil.model import SoilLaw
from planetfall.rover.statics.balance import BodyParams
from planetfall.rover.statics.margins import PolygonParams
from planetfall.rover.statics.verdict import Loads
from planetfall.rover.statics.wheel_loads import Task, forces_func
from planetfall.rover.wheel_ground.footing import Footing
from planetfall.world.terrain.model import GROUND_OFF_MAP, GROUND_OK

# Functions that are long and called from several places are kept apart (`inline=False`): the CUDA compiler would
# otherwise copy the walk along a rim some thousand times into one kernel, and work at it for longer than ten minutes.
KERNEL_OPTIONS: dict[str, Any] = {
    "enable_backward": False,
    "module": "unique",
    "module_options": {"fuse_fp": False},  # the same bits alone and in any batch
}


@lru_cache
def newton_kernel(footing: Footing) -> Any:
    """Newton with its fall-back; places are (x, y, yaw) of the middle right wheel."""
    ground_params, pose_of = footing.params, newton_funcs(footing).pose

    @wp.kernel(**KERNEL_OPTIONS)
    def newton(
        ground: ground_params,
        links: LinkParams,
        tolerance: wp.float64,
        places: wp.array(dtype=wp.vec3d),
        poses_out: wp.array(dtype=Pose),
    ):
        i = wp.tid()
        place = place_at(places[i][0], places[i][1], places[i][2])
        poses_out[i] = pose_of(ground, links, place, tolerance)

    return newton


@lru_cache
def start_kernel(footing: Footing) -> Any:
    """Newton alone, from starts that are given."""
    ground_params, refined = footing.params, newton_funcs(footing).refined

    @wp.kernel(**KERNEL_OPTIONS)
    def start(
        ground: ground_params,
        links: LinkParams,
        tolerance: wp.float64,
        places: wp.array(dtype=wp.vec3d),
        starts: wp.array(dtype=vec5d),
        poses_out: wp.array(dtype=Pose),
    ):
        i = wp.tid()
        place = place_at(places[i][0], places[i][1], places[i][2])
        poses_out[i] = refined(ground, links, place, starts[i], tolerance)

    return start


@lru_cache
def decoupled_kernel(footing: Footing) -> Any:
    """The decoupled method, with a number of passes over the roll and of repetitions in each."""
    ground_params, decoupled = footing.params, decoupled_func(footing)

    @wp.kernel(**KERNEL_OPTIONS)
    def solve(
        ground: ground_params,
        links: LinkParams,
        passes: int,
        repeats: int,
        places: wp.array(dtype=wp.vec3d),
        poses_out: wp.array(dtype=Pose),
    ):
        i = wp.tid()
        found = decoupled(ground, links, place_at(places[i][0], places[i][1], places[i][2]), passes, repeats)
        pose = Pose()
        pose.q = found.q
        pose.stance = found.stance
        pose.iterations = found.iterations
        pose.residual = largest_excess(found.stance)
        pose.status = POSE_OK
        if found.status == GROUND_OFF_MAP:
            pose.status = POSE_OFF_MAP
        elif found.status != GROUND_OK:
            pose.status = POSE_HOLE
        elif wp.isnan(pose.residual):
            pose.status = POSE_NONE
        poses_out[i] = pose

    return solve


@lru_cache
def forces_kernel(law: SoilLaw) -> Any:
    """Forces of poses that have been found."""
    soil_params, forces_of = law.params, forces_func(law)

    @wp.kernel(**KERNEL_OPTIONS)
    def forces(
        links: LinkParams,
        polygon: PolygonParams,
        body: BodyParams,
        soil: soil_params,
        places: wp.array(dtype=wp.vec3d),
        poses: wp.array(dtype=Pose),
        tasks: wp.array(dtype=Task),
        loads_out: wp.array(dtype=Loads),
    ):
        i = wp.tid()
        place = place_at(places[i][0], places[i][1], places[i][2])
        task = tasks[wp.min(i, tasks.shape[0] - 1)]  # one task may serve all places
        loads_out[i] = forces_of(links, polygon, body, soil, place, poses[i], task)

    return forces


def launch(kernel: Any, n: int, inputs: list[Any], dtype: Any, device: str) -> np.ndarray:
    """Runs a kernel over n places; its output as a structured array."""
    out = wp.zeros(n, dtype=dtype, device=device)
    wp.launch(kernel, n, inputs=inputs, outputs=[out], device=device)
    return out.numpy()

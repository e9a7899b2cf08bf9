"""A place in a few numbers: pose and best forces in one thread, for maps of many million places."""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.rover.balance import BodyParams
from planetfall.rover.footing import Footing, footing_of, ground_of
from planetfall.rover.forces import GOALS, Loads, Task, forces_func, worst_of
from planetfall.rover.margins import PolygonParams
from planetfall.rover.model import RoverModel
from planetfall.rover.newton import Pose, newton_funcs
from planetfall.rover.params import LinkParams
from planetfall.rover.poses import checked_places, contact_tolerance
from planetfall.rover.soil.model import SoilLaw
from planetfall.rover.stance import place_at
from planetfall.rover.statics import Soil
from planetfall.rover.survey import KERNEL_OPTIONS
from planetfall.world.terrain.surface import Surface

SLICE = 4096
"""Places per launch and thread on a CPU."""


@wp.struct
class Score:
    """What a place is worth.

    `slip_ratio`, `saturation`, `friction_needed`: of the worst wheel; `stability`, `unloading` [rad]: margins; `roll`,
    `pitch` [rad]; `verdict`, one of `forces.VERDICTS`; `culprit`: the wheel that decides it, in the kernels' order, -1
    if none; `status` of the pose. Without a pose all numbers are NaN.
    """

    slip_ratio: wp.float64
    saturation: wp.float64
    friction_needed: wp.float64
    stability: wp.float64
    unloading: wp.float64
    roll: wp.float64
    pitch: wp.float64
    verdict: wp.int32
    culprit: wp.int32
    status: wp.int32


@wp.func
def scored(pose: Pose, loads: Loads) -> Score:
    """The worst of everything."""
    out = Score()
    out.status = pose.status
    out.verdict = loads.verdict
    out.culprit = loads.culprit
    nan = wp.float64(wp.nan)
    out.slip_ratio = nan
    out.saturation = nan
    out.friction_needed = nan
    out.stability = nan
    out.unloading = nan
    out.roll = nan
    out.pitch = nan
    if pose.status <= 1:
        out.slip_ratio = loads.slip_ratio[worst_of(loads.slip_ratio)]
        out.saturation = loads.saturation[worst_of(loads.saturation)]
        out.friction_needed = loads.friction_needed[worst_of(loads.friction_needed)]
        out.stability = loads.stability.angle
        out.unloading = loads.unloading.angle
        out.roll = pose.q[0]
        out.pitch = (pose.q[1] + pose.q[3]) * wp.float64(0.5)
    return out


@lru_cache
def score_kernel(footing: Footing, law: SoilLaw) -> Any:
    """Pose and best forces of one place per thread."""
    ground_params, pose_of = footing.params, newton_funcs(footing).pose
    soil_params, forces_of = law.params, forces_func(law)

    @wp.kernel(**KERNEL_OPTIONS)
    def score(
        ground: ground_params,
        links: LinkParams,
        polygon: PolygonParams,
        body: BodyParams,
        soil: soil_params,
        task: Task,
        tolerance: wp.float64,
        places: wp.array(dtype=wp.vec3d),
        scores_out: wp.array(dtype=Score),
    ):
        i = wp.tid()
        place = place_at(places[i][0], places[i][1], places[i][2])
        pose = pose_of(ground, links, place, tolerance)
        scores_out[i] = scored(pose, forces_of(links, polygon, body, soil, place, pose, task))

    return score


def scores(
    rover: RoverModel, surface: Surface, soil: Soil, gravity: float, places: Any, goal: str = "least slip",
    threads: int | None = None,
) -> np.ndarray:  # fmt: skip
    """Scores of places (x, y, yaw) of the middle right wheel, fields of `Score`.

    Args:
        rover: From `model.rover_model`.
        surface: The terrain; its device is used.
        soil: On the same device.
        gravity: [m/s^2].
        places: [n, 3], as in `poses.find_poses`.
        goal: "least slip" or "least effort".
        threads: CPU threads; all cores by default. Has no effect on the result.
    """
    given, device = checked_places(places), surface.device
    task = Task()
    task.goal, task.motor = GOALS[goal], rover.table.wheels.torque_max / rover.table.wheels.radius
    fixed = [
        ground_of(surface),
        rover.links,
        rover.polygon,
        rover.body(gravity),
        soil.params,
        task,
        contact_tolerance(surface),
    ]
    kernel = score_kernel(footing_of(surface), soil.law)
    on_device = wp.array(given, dtype=wp.vec3d, device=device)
    out = wp.zeros(len(given), dtype=Score, device=device)
    if device != "cpu":
        wp.launch(kernel, len(given), inputs=[*fixed, on_device], outputs=[out], device=device)
        return out.numpy()
    wp.load_module(kernel.module, device=device)  # once, before threads would each compile it

    def one_slice(start: int) -> None:
        end = min(start + SLICE, len(given))
        wp.launch(kernel, end - start, inputs=[*fixed, on_device[start:end]], outputs=[out[start:end]], device=device)

    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        list(pool.map(one_slice, range(0, len(given), SLICE)))
    return out.numpy()

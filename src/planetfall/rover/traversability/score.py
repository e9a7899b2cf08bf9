"""A place in a few numbers, pose and best forces, for maps of many million places."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.rover.kinematics.newton import AGAIN, Pose, newton_funcs
from planetfall.rover.kinematics.poses import checked_places, contact_tolerance
from planetfall.rover.kinematics.stance import place_at
from planetfall.rover.model import RoverModel
from planetfall.rover.params import LinkParams
from planetfall.rover.soil.model import SoilLaw
from planetfall.rover.statics.balance import BodyParams
from planetfall.rover.statics.margins import PolygonParams
from planetfall.rover.statics.statics import Soil
from planetfall.rover.statics.verdict import Loads, worst_of
from planetfall.rover.statics.wheel_loads import GOALS, Task, forces_func
from planetfall.rover.traversability.survey import KERNEL_OPTIONS
from planetfall.rover.wheel_ground.footing import Footing, footing_of, ground_of
from planetfall.world.terrain.surface import Surface

SLICE = 4096
"""Places per launch and thread on a CPU."""


@wp.struct
class Score:
    """What a place is worth.

    `slip_ratio`, `saturation`, `friction_needed`, `friction_used`: of the worst wheel; `drive_force` [N]: work of the
    motors that drive per metre of the path; `stability`, `unloading` [rad]: margins; `roll`, `pitch` [rad]; `verdict`,
    one of `verdict.VERDICTS`; `culprit`: the wheel that decides it, in the kernels' order, -1 if none; `status` of the
    pose. Without a pose all numbers are NaN.
    """

    slip_ratio: wp.float64
    saturation: wp.float64
    friction_needed: wp.float64
    friction_used: wp.float64
    drive_force: wp.float64
    stability: wp.float64
    unloading: wp.float64
    roll: wp.float64
    pitch: wp.float64
    verdict: wp.int32
    culprit: wp.int32
    status: wp.int32


@wp.func
def driving_force(pose: Pose, loads: Loads) -> wp.float64:
    """Work per metre of path [N] of the motors that drive; a wheel's centre goes along the rim where it touches."""
    out = wp.float64(0.0)
    for i in range(6):
        if loads.gross[i] > wp.float64(0.0):
            t = pose.stance.t[i]
            out += loads.gross[i] * (wp.float64(1.0) + t * t) / (wp.float64(1.0) - t * t)
    return out


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
    out.friction_used = nan
    out.drive_force = nan
    out.stability = nan
    out.unloading = nan
    out.roll = nan
    out.pitch = nan
    if pose.status <= 1:
        out.slip_ratio = loads.slip_ratio[worst_of(loads.slip_ratio)]
        out.saturation = loads.saturation[worst_of(loads.saturation)]
        out.friction_needed = loads.friction_needed[worst_of(loads.friction_needed)]
        out.friction_used = loads.friction_used[worst_of(loads.friction_used)]
        out.drive_force = driving_force(pose, loads)
        out.stability = loads.stability.angle
        out.unloading = loads.unloading.angle
        out.roll = pose.q[0]
        out.pitch = (pose.q[1] + pose.q[3]) * wp.float64(0.5)
    return out


@lru_cache
def first_kernel(footing: Footing) -> Any:
    """Poses as Newton finds them at first, one place per thread, and which of them are worth another try."""
    ground_params, pose_of = footing.params, newton_funcs(footing).first

    @wp.kernel(**KERNEL_OPTIONS)
    def first(
        ground: ground_params,
        links: LinkParams,
        tolerance: wp.float64,
        places: wp.array(dtype=wp.vec3d),
        poses_out: wp.array(dtype=Pose),
        again_out: wp.array(dtype=wp.int8),
    ):
        i = wp.tid()
        pose = pose_of(ground, links, place_at(places[i][0], places[i][1], places[i][2]), tolerance)
        poses_out[i] = pose
        if pose.status >= AGAIN:
            again_out[i] = wp.int8(1)

    return first


@lru_cache
def again_kernel(footing: Footing) -> Any:
    """The fall-backs, one of the places that need them per thread."""
    ground_params, again_of = footing.params, newton_funcs(footing).again

    @wp.kernel(**KERNEL_OPTIONS)
    def again(
        ground: ground_params,
        links: LinkParams,
        tolerance: wp.float64,
        places: wp.array(dtype=wp.vec3d),
        which: wp.array(dtype=wp.int32),
        poses_out: wp.array(dtype=Pose),
    ):
        i = which[wp.tid()]
        place = place_at(places[i][0], places[i][1], places[i][2])
        poses_out[i] = again_of(ground, links, place, poses_out[i], tolerance)

    return again


@lru_cache
def judge_kernel(law: SoilLaw) -> Any:
    """The best forces of each pose, in a few numbers."""
    soil_params, forces_of = law.params, forces_func(law)

    @wp.kernel(**KERNEL_OPTIONS)
    def judge(
        links: LinkParams,
        polygon: PolygonParams,
        body: BodyParams,
        soil: soil_params,
        task: Task,
        places: wp.array(dtype=wp.vec3d),
        poses: wp.array(dtype=Pose),
        scores_out: wp.array(dtype=Score),
    ):
        i = wp.tid()
        place = place_at(places[i][0], places[i][1], places[i][2])
        scores_out[i] = scored(poses[i], forces_of(links, polygon, body, soil, place, poses[i], task))

    return judge


@dataclass(frozen=True)
class Scorer:
    """The three kernels with all that stays the same from slice to slice.

    They are apart because few places need the fall-backs, which would hold up the other threads of a CUDA warp, and
    because smaller kernels keep more of their values in registers.
    """

    rover: RoverModel
    surface: Surface
    soil: Soil
    gravity: float
    task: Any

    def load(self) -> None:
        """Compiles what is not compiled yet."""
        footing = footing_of(self.surface)
        for kernel in (first_kernel(footing), again_kernel(footing), judge_kernel(self.soil.law)):
            wp.load_module(kernel.module, device=self.surface.device)

    def score(self, places: Any, out: Any) -> None:
        """Scores a slice of places, both arrays on the device."""
        n, device, footing, links = len(places), self.surface.device, footing_of(self.surface), self.rover.links
        poses, flags = wp.empty(n, dtype=Pose, device=device), wp.zeros(n, dtype=wp.int8, device=device)
        fixed = [ground_of(self.surface), links, contact_tolerance(self.surface), places]
        wp.launch(first_kernel(footing), n, inputs=fixed, outputs=[poses, flags], device=device)
        which = np.flatnonzero(flags.numpy()).astype(np.int32)
        if len(which):
            inputs = [*fixed, wp.array(which, dtype=wp.int32, device=device)]
            wp.launch(again_kernel(footing), len(which), inputs=inputs, outputs=[poses], device=device)
        body = [links, self.rover.polygon, self.rover.body(self.gravity), self.soil.params, self.task, places, poses]
        wp.launch(judge_kernel(self.soil.law), n, inputs=body, outputs=[out], device=device)


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
    scorer = Scorer(rover, surface, soil, gravity, task)
    on_device = wp.array(given, dtype=wp.vec3d, device=device)
    out = wp.zeros(len(given), dtype=Score, device=device)
    scorer.load()  # once, before threads would each compile it
    if device != "cpu":
        scorer.score(on_device, out)
        return out.numpy()

    def one_slice(start: int) -> None:
        end = min(start + SLICE, len(given))
        scorer.score(on_device[start:end], out[start:end])

    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        list(pool.map(one_slice, range(0, len(given), SLICE)))
    return out.numpy()

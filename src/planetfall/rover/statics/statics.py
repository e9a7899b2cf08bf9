"""Wheel loads, tractions and margins of standing rovers, from Python."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike

from planetfall.errors import InputError
from planetfall.rover.kinematics.newton import Pose
from planetfall.rover.kinematics.poses import Poses
from planetfall.rover.model import WHEEL_NAMES, RoverModel
from planetfall.rover.soil.bekker import SOIL_BEKKER, bekker_params
from planetfall.rover.soil.coulomb import SOIL_COULOMB, coulomb_of
from planetfall.rover.soil.model import SoilLaw
from planetfall.rover.statics.verdict import VERDICTS, Loads
from planetfall.rover.statics.wheel_loads import GOALS, Task
from planetfall.rover.traversability.survey import forces_kernel, launch
from planetfall.scenario.tables.rover import SoilBekker, SoilCoulomb


@dataclass(frozen=True)
class Soil:
    """A wheel-soil law with its numbers on a device."""

    law: SoilLaw
    params: Any

    @property
    def slip_max(self) -> float:
        """Slip at which traction counts as available; 0 on ground on which a wheel that holds does not slip."""
        return float(getattr(self.params, "slip_max", 0.0))


def soil_of(table: SoilCoulomb | SoilBekker, rover: RoverModel, device: str = "cpu") -> Soil:
    """The law that a scenario's table asks for."""
    if isinstance(table, SoilCoulomb):
        return Soil(SOIL_COULOMB, coulomb_of(table, device))
    return Soil(SOIL_BEKKER, bekker_params(table, rover.table.wheels))


@dataclass(frozen=True)
class Forces:
    """Forces and measures at n poses; wheels in the order of `model.WHEEL_NAMES`.

    Attributes:
        rover: Whose forces they are.
        raw: What the kernel gave, [n], fields of `forces.Loads`.
    """

    rover: RoverModel
    raw: np.ndarray

    def _wheels(self, name: str) -> np.ndarray:
        return self.raw[name][:, self.rover.order]

    @property
    def normal(self) -> np.ndarray:
        """N [N], [n, 6]."""
        return self._wheels("normal")

    @property
    def traction(self) -> np.ndarray:
        """T [N], forward along the rim, [n, 6]."""
        return self._wheels("traction")

    @property
    def torque(self) -> np.ndarray:
        """Torque of each motor [N m], rolling resistance included, [n, 6]."""
        return self._wheels("gross") * self.rover.table.wheels.radius

    @property
    def slip_ratio(self) -> np.ndarray:
        """Use of the grip: |T|/(mu N) of Hacot1998, |T + R|/H on soil, [n, 6]."""
        return self._wheels("slip_ratio")

    @property
    def saturation(self) -> np.ndarray:
        """Torque over its largest value, [n, 6]."""
        return self._wheels("saturation")

    @property
    def friction_needed(self) -> np.ndarray:
        """Tangential over normal force in space, lateral force included, [n, 6]."""
        return self._wheels("friction_needed")

    @property
    def friction_used(self) -> np.ndarray:
        """Friction needed over that of the ground; on soil hypot(T + R, lateral force)/H, [n, 6]."""
        return self._wheels("friction_used")

    @property
    def sinkage(self) -> np.ndarray:
        """Depth of the wheels in the soil [m], [n, 6]; the pose does not know of it."""
        return self._wheels("sinkage")

    @property
    def slip(self) -> np.ndarray:
        """Slip of the wheels [-], [n, 6]."""
        return self._wheels("slip")

    @property
    def lateral(self) -> np.ndarray:
        """Lateral force of each wheel [N], positive to the left, in proportion to its load, [n, 6]."""
        return self._wheels("lateral")

    @property
    def thrust(self) -> np.ndarray:
        """Forward force that is left unbalanced [N], [n]: what would accelerate the rover."""
        return self.raw["thrust"]

    @property
    def yaw(self) -> np.ndarray:
        """Yawing moment that is left unbalanced [N m], about the rover's up axis, [n]."""
        return self.raw["yaw"]

    @property
    def stability_margin(self) -> np.ndarray:
        """Least angle to tipping over its value on flat ground, [n]."""
        return self.raw["stability"]["angle"] / self.rover.flat_margins[0]

    @property
    def unloading_margin(self) -> np.ndarray:
        """Least angle to the unloading of a wheel over its value on flat ground, [n]."""
        return self.raw["unloading"]["angle"] / self.rover.flat_margins[1]

    @property
    def verdict(self) -> np.ndarray:
        """What becomes of the rover, a key of `verdict.VERDICTS`, [n]."""
        return self.raw["verdict"]

    @property
    def culprit(self) -> np.ndarray:
        """Index of the wheel that decides the verdict, -1 if none does, [n]."""
        found = self.raw["culprit"]
        return np.where(found < 0, -1, np.argsort(self.rover.order)[found])

    def says(self, i: int = 0) -> str:
        """The verdict over one pose in words, with the wheel that decides it."""
        wheel = int(self.culprit[i])
        return VERDICTS[int(self.verdict[i])] + ("" if wheel < 0 else f" ({WHEEL_NAMES[wheel]} wheel)")


def find_forces(
    poses: Poses,
    soil: Soil,
    gravity: float,
    goal: str = "least slip",
    torques: ArrayLike | None = None,
    device: str = "cpu",
) -> Forces:
    """Forces of poses that have been found.

    Args:
        poses: From `poses.find_poses`.
        soil: From `soil_of`.
        gravity: [m/s^2], along minus z of the surface frame.
        goal: "commanded" torques; "least slip" for the least worst slip ratio, "least effort" for the least sum of
            squared tractions, "equal" torques on each side, or the "fuzzy" controller; all but the first without
            unbalanced thrust and yaw.
        torques: Commanded torques [N m], forward, [6] or [n, 6].
        device: Warp device.
    """
    rover, n = poses.rover, len(poses)
    if goal not in GOALS:
        raise InputError("goal", f"unknown {goal!r}", f"one of {', '.join(GOALS)}")
    if (torques is None) == (goal == "commanded"):
        raise InputError("torques", f"the goal is {goal!r}", "torques with 'commanded', and only with it")
    if not 0 < gravity < np.inf:
        raise InputError("gravity", f"{gravity:g} m/s^2", "positive")
    radius = rover.table.wheels.radius
    tasks: Any = np.zeros(1 if torques is None else n, dtype=Task.numpy_dtype())
    tasks["goal"], tasks["motor"] = GOALS[goal], rover.table.wheels.torque_max / radius
    if torques is not None:
        given = np.broadcast_to(np.asarray(torques, dtype=float), (n, 6)) / radius
        if not np.all(np.isfinite(given)):
            raise InputError("torques", "not finite", "numbers [N m]")
        tasks["command"][:, rover.order] = given
    inputs = [
        rover.links, rover.polygon, rover.body(gravity), soil.params,
        wp.array(poses.places, dtype=wp.vec3d, device=device), wp.array(poses.raw, dtype=Pose, device=device),
        wp.array(tasks, dtype=Task, device=device),
    ]  # fmt: skip
    return Forces(rover, launch(forces_kernel(soil.law), n, inputs, Loads, device))

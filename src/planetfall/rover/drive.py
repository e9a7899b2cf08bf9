"""A drive along a path: a pose and forces at every sample, the work of the motors between them, and how it ends.

Quasi-static: samples do not depend on each other. Between two of them a motor's work is that of its gross traction over
the way of the wheel's centre along the rim, plus what the turn of the link that carries the motor adds,

    dW = (T + R) (dc . t + r (d pitch + sin roll d yaw))

since motor and wheel turn against each other. On curves and on side slopes wheels are also carried sideways, against
the lateral force. What the motors spend is weight times rise of the centre of mass, and what resistance and skidding
take; where a contact jumps, the work at the contacts holds the error of the step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planetfall.errors import InputError
from planetfall.rover.forward import Joints, joints_of, lean_axes
from planetfall.rover.model import RoverModel
from planetfall.rover.path import DrivePath
from planetfall.rover.poses import Poses, find_poses
from planetfall.rover.statics import Forces, Soil, find_forces
from planetfall.world.terrain.surface import Surface


@dataclass(frozen=True)
class Stretch:
    """Part of a drive with one rover and one soil.

    Attributes:
        start: Distance along the path from which on they hold [m].
        rover: The rover from there on.
        soil: The soil from there on.
    """

    start: float
    rover: RoverModel
    soil: Soil


@dataclass(frozen=True)
class Part:
    """Samples of one stretch with their poses and forces.

    Attributes:
        stretch: What drives on what.
        first: Index of its first sample in the path.
        n: How many samples are its own. One more follows, unless the path ends: where the next stretch takes over, this
            one has arrived, and the work up to there is its own.
        poses: Of those n samples, and of the one more.
        forces: The same.
    """

    stretch: Stretch
    first: int
    n: int
    poses: Poses
    forces: Forces


@dataclass(frozen=True)
class Drive:
    """A drive along a path, [n] samples; wheels in the order of `model.WHEEL_NAMES`.

    Attributes:
        path: The path of the rover's middle.
        parts: Samples by stretch.
        gravity: [m/s^2].
        goal: How torques were chosen.
    """

    path: DrivePath
    parts: tuple[Part, ...]
    gravity: float
    goal: str

    def __len__(self) -> int:
        return len(self.path.distance)

    @cached_property
    def time(self) -> np.ndarray:
        """Since the start [s], at the rover's speed."""
        speed = np.concatenate([np.full(part.n, part.stretch.rover.table.speed) for part in self.parts])
        return np.append(0.0, np.cumsum(np.diff(self.path.distance) / speed[:-1]))

    @cached_property
    def is_driven(self) -> np.ndarray:
        """Whether the rover stands at each sample: a pose, and every wheel holds."""
        return self.of_forces("verdict") == 0

    @property
    def stop(self) -> int | None:
        """The first sample that is not driven, if any."""
        return None if self.is_driven.all() else int(np.argmin(self.is_driven))

    def says(self, is_ended: bool = True) -> str:
        """How the drive ends, in words.

        Args:
            is_ended: Whether it ends where the rover does not stand (`drive.stop`), or goes on as if it did.
        """
        whole = f"{self.path.distance[-1]:.6g} m"
        if self.stop is None:
            return f"drives all of the {whole}"
        part = next(part for part in reversed(self.parts) if part.first <= self.stop)
        i = self.stop - part.first
        why = part.forces.says(i) if part.poses.is_found[i] else part.poses.says(i)
        at = f"{self.path.distance[self.stop]:.6g} m"
        if is_ended:
            return f"stops after {at}: {why}"
        n = f"{int(self.is_driven.sum())} of {len(self)} poses"
        return f"is shown over all of the {whole}, but stands at {n} only, first not after {at}: {why}"

    def of_forces(self, name: str) -> np.ndarray:
        """A property of `statics.Forces` over all samples."""
        return np.concatenate([getattr(part.forces, name)[: part.n] for part in self.parts])

    def of_poses(self, name: str) -> np.ndarray:
        """A property of `poses.Poses` over all samples."""
        return np.concatenate([getattr(part.poses, name)[: part.n] for part in self.parts])

    @cached_property
    def joints(self) -> tuple[Joints, ...]:
        """Where everything is, per part; as `Part.poses`, one sample more than its own where another part follows."""
        return tuple(joints_of(part.poses) for part in self.parts)

    def of_joints(self, name: str) -> np.ndarray:
        """An attribute of `forward.Joints` over all samples."""
        pairs = zip(self.parts, self.joints, strict=True)
        return np.concatenate([getattr(joints, name)[: part.n] for part, joints in pairs])

    @cached_property
    def mass(self) -> np.ndarray:
        """Mass with the manipulator [kg], [n]."""
        return np.concatenate([np.full(part.n, part.stretch.rover.mass) for part in self.parts])

    @cached_property
    def motor_work(self) -> np.ndarray:
        """Work of each motor since the start [J], [n, 6]; NaN from the first sample without a pose on."""
        return self._work("torque")

    @cached_property
    def resistance_work(self) -> np.ndarray:
        """Work taken by rolling resistance since the start [J], [n, 6]."""
        return self._work("resistance")

    @cached_property
    def skid_work(self) -> np.ndarray:
        """Work taken by wheels that are carried sideways since the start [J], [n, 6]."""
        parts = zip(self.parts, self.joints, strict=True)
        return self._summed([_skidded(part.poses, joints, part.forces) for part, joints in parts])

    @cached_property
    def rise_work(self) -> np.ndarray:
        """Weight times rise of the centre of mass since the start [J], [n]; a change in place counts as none."""
        steps = [
            part.stretch.rover.mass * self.gravity * np.diff(joints.center_L[:, 2])
            for part, joints in zip(self.parts, self.joints, strict=True)
        ]
        return self._summed([step[:, None] for step in steps])[:, 0]

    def _work(self, kind: str) -> np.ndarray:
        steps = []
        for part, joints in zip(self.parts, self.joints, strict=True):
            radius = part.stretch.rover.table.wheels.radius
            force = part.forces.torque / radius
            if kind == "resistance":
                force = force - part.forces.traction
            steps.append(_rolled(part.poses, joints, force, radius))
        return self._summed(steps)

    def _summed(self, steps: list[np.ndarray]) -> np.ndarray:
        """Running sums over parts; a rover without a pose where the next takes over adds nothing on its last step."""
        for step in steps[:-1]:
            step[-1:] = np.where(np.isfinite(step[-1:]), step[-1:], 0.0)
        start = np.zeros((1, steps[0].shape[1]))
        return np.concatenate([start, np.cumsum(np.concatenate(steps), axis=0)])


def _rolled(poses: Poses, joints: Joints, force: np.ndarray, radius: float) -> np.ndarray:
    """Work of forces [N] at the rims between samples [J], [n - 1, 6], by the trapezium rule."""
    order = poses.rover.order
    angle, lean = poses.contact_angle, lean_axes(poses.places[:, 2], poses.roll)
    tangent = np.cos(angle)[..., None] * lean[:, None, :, 0] + np.sin(angle)[..., None] * lean[:, None, :, 2]
    push = force[..., None] * tangent
    way = np.diff(joints.wheel_L, axis=0)
    carrier = np.array([2 * (k // 3) + (k % 3 > 0) for k in range(6)])[order]
    leaned = np.sin((poses.roll[:-1] + poses.roll[1:]) / 2) * np.diff(poses.places[:, 2])
    turn = (np.diff(poses.joint_pitch[:, carrier], axis=0) + leaned[:, None]) * radius
    return np.sum((push[:-1] + push[1:]) / 2 * way, axis=-1) + (force[:-1] + force[1:]) / 2 * turn


def _skidded(poses: Poses, joints: Joints, forces: Forces) -> np.ndarray:
    """Work against loads and lateral forces at the contacts between samples [J], [n - 1, 6], by the trapezium rule.

    A wheel that is carried sideways over ground that slopes across it moves along its normal as well.
    """
    lean, angle = lean_axes(poses.places[:, 2], poses.roll), poses.contact_angle
    rim = poses.rover.table.wheels.radius * np.stack([np.sin(angle), np.zeros_like(angle), -np.cos(angle)], axis=-1)
    rim[..., 1] += poses.raw["stance"]["off"][:, poses.rover.order]
    # the point of the wheel that touches, carried along by the wheel's plane
    way = np.diff(joints.wheel_L, axis=0) + np.einsum("nij,nwj->nwi", np.diff(lean, axis=0), (rim[:-1] + rim[1:]) / 2)
    inward = np.cos(angle)[..., None] * lean[:, None, :, 2] - np.sin(angle)[..., None] * lean[:, None, :, 0]
    push = forces.normal[..., None] * inward + forces.lateral[..., None] * lean[:, None, :, 1]
    return -np.sum(way * (push[:-1] + push[1:]) / 2, axis=-1)


def drive(
    surface: Surface, path: DrivePath, stretches: Sequence[Stretch], gravity: float, goal: str = "least slip"
) -> Drive:
    """Drives a path.

    Args:
        surface: The terrain.
        path: From `path.sample_path`.
        stretches: What drives on what, by distance; the first starts at 0. More than one where links, mass, torques or
            soil change on the way.
        gravity: [m/s^2].
        goal: As in `statics.find_forces`, but not "commanded".
    """
    starts = [stretch.start for stretch in stretches]
    if not starts or starts[0] != 0.0 or np.any(np.diff(starts) <= 0) or starts[-1] >= path.distance[-1]:
        raise InputError("stretches", f"start at {starts} m", "the first at 0, the others later, before the end")
    if goal == "commanded":
        raise InputError("goal", "'commanded' needs torques for every sample", "least slip, least effort, equal, fuzzy")
    firsts = np.searchsorted(path.distance, starts, side="left")
    parts = []
    for stretch, first, last in zip(stretches, firsts, [*firsts[1:], len(path.distance)], strict=True):
        poses = find_poses(stretch.rover, surface, path.places(stretch.rover)[first : last + 1])
        forces = find_forces(poses, stretch.soil, gravity, goal, device=surface.device)
        parts.append(Part(stretch, int(first), int(last - first), poses, forces))
    return Drive(path, tuple(parts), gravity, goal)

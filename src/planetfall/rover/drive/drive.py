"""A drive along a path: a pose and forces at every sample, the work of the motors between them, and how it ends.

Quasi-static: samples do not depend on each other. On curves and on side slopes wheels are also carried sideways,
against the lateral force. What the motors spend is weight times rise of the centre of mass, and what resistance and
skidding take.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from planetfall.errors import InputError
from planetfall.rover.drive.path import DrivePath
from planetfall.rover.drive.work import DriveState, StepWork, step_work
from planetfall.rover.kinematics.forward import Joints, joints_of
from planetfall.rover.kinematics.poses import Poses, find_poses
from planetfall.rover.model import RoverModel
from planetfall.rover.statics.statics import Forces, Soil, find_forces
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
        surface: The terrain.
        gravity: [m/s^2].
        goal: How torques were chosen.
    """

    path: DrivePath
    parts: tuple[Part, ...]
    surface: Surface
    gravity: float
    goal: str

    def __len__(self) -> int:
        return len(self.path.distance)

    @cached_property
    def time(self) -> np.ndarray:
        """Since the start [s], at the rover's speed."""
        distance, first, start = self.path.distance, self.parts[0], 0.0
        time = np.empty(len(distance))
        for part in self.parts:  # from where the speed last changed: no sum over steps, so the same with any step
            if part.stretch.rover.table.speed != first.stretch.rover.table.speed:
                start, first = start + _way_time(distance[part.first] - distance[first.first], first), part
            own = slice(part.first, part.first + part.n)
            time[own] = start + _way_time(distance[own] - distance[first.first], first)
        return time

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
        return self.driving_work + self.returned_work

    @cached_property
    def driving_work(self) -> np.ndarray:
        """Work of each motor since the start while it drives [J], [n, 6]: what it takes without regeneration."""
        return self._summed([step.driving for step in self._steps])

    @cached_property
    def returned_work(self) -> np.ndarray:
        """Work of each motor since the start while it brakes [J], zero or less, [n, 6]: what could be regenerated."""
        return self._summed([step.returned for step in self._steps])

    @cached_property
    def resistance_work(self) -> np.ndarray:
        """Work taken by rolling resistance since the start [J], [n, 6]."""
        return self._summed([step.resistance for step in self._steps])

    @cached_property
    def skid_work(self) -> np.ndarray:
        """Work taken by wheels that are carried sideways since the start [J], [n, 6]."""
        return self._summed([step.skid for step in self._steps])

    @cached_property
    def slip_work(self) -> np.ndarray:
        """Work lost by wheels that turn further than they come on soil, since the start [J], [n, 6]."""
        return self._summed([step.slip for step in self._steps])

    @cached_property
    def work_error(self) -> np.ndarray:
        """Estimate of what the motors' work since the start is off by [J], [n]: the errors of steps have any sign."""
        return np.sqrt(self._summed([step.error_squared[:, None] for step in self._steps])[:, 0])

    @cached_property
    def peak_power(self) -> np.ndarray:
        """Largest power of all motors that drive, on the way to each sample from the one before [W], [n]."""
        pairs = zip(self.parts, self._steps, strict=True)
        return np.concatenate([[0.0], *(step.power * part.stretch.rover.table.speed for part, step in pairs)])

    @cached_property
    def rise_work(self) -> np.ndarray:
        """Weight times rise of the centre of mass since the start [J], [n]; a change in place counts as none."""
        steps = [
            part.stretch.rover.mass * self.gravity * np.diff(joints.center_L[:, 2])
            for part, joints in zip(self.parts, self.joints, strict=True)
        ]
        return self._summed([step[:, None] for step in steps])[:, 0]

    @cached_property
    def _steps(self) -> tuple[StepWork, ...]:
        """Work between the samples of each part."""
        return tuple(self._step_work(part) for part in self.parts)

    def _step_work(self, part: Part) -> StepWork:
        rover, soil = part.stretch.rover, part.stretch.soil

        def sampled(distance: np.ndarray) -> DriveState:
            return _standing(self.surface, self.path.at(distance), rover, soil, self.gravity, self.goal)

        distance = self.path.distance[part.first : part.first + len(part.poses)]
        return step_work(
            distance, DriveState(part.poses, part.forces, soil.slip_max), rover.mass * self.gravity, sampled
        )

    def _summed(self, steps: list[np.ndarray]) -> np.ndarray:
        """Running sums over parts; a rover without a pose where the next takes over adds nothing on its last step."""
        for step in steps[:-1]:
            step[-1:] = np.where(np.isfinite(step[-1:]), step[-1:], 0.0)
        start = np.zeros((1, steps[0].shape[1]))
        return np.concatenate([start, np.cumsum(np.concatenate(steps), axis=0)])


def _way_time(way: Any, part: Part) -> Any:
    """How long a rover takes [s] for ways [m]."""
    return way / part.stretch.rover.table.speed


def _standing(
    surface: Surface, path: DrivePath, rover: RoverModel, soil: Soil, gravity: float, goal: str
) -> DriveState:
    """A rover at every sample of a path."""
    poses = find_poses(rover, surface, path.places(rover))
    return DriveState(poses, find_forces(poses, soil, gravity, goal, device=surface.device), soil.slip_max)


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
        own = path.at(path.distance[first : last + 1])
        standing = _standing(surface, own, stretch.rover, stretch.soil, gravity, goal)
        parts.append(Part(stretch, int(first), int(last - first), standing.poses, standing.forces))
    return Drive(path, tuple(parts), surface, gravity, goal)

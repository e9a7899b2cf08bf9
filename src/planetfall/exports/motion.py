"""Places, velocities and attitudes of a run in the frame that a file is to have."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from planetfall.errors import InputError
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.world.terrain.surface_axes import axes_of

FRAMES = ("surface", "inertial")


@dataclass(frozen=True)
class BodyMotion:
    """One body of a run in one frame.

    Attributes:
        time: [frame] [s], rising.
        position: [frame, 3] [m], from the frame's origin.
        velocity: [frame, 3] [m/s], relative to the frame.
        quaternion: [frame, 4], x y z w, body to frame.
        name: Of the body.
        frame: Name of the frame.
        center: Name of its origin.
        says: What the frame is, in sentences.
    """

    time: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    quaternion: np.ndarray
    name: str
    frame: str
    center: str
    says: tuple[str, ...]


def motion_of(
    trajectory: Trajectory[Any], frame: str, frame_name: str | None = None, body: str | None = None
) -> BodyMotion:
    """The motion of one body of a run.

    Args:
        trajectory: The run.
        frame: "surface", as it is recorded, or "inertial", from the centre of the target.
        frame_name: What other programs call this frame; a name of ours, or of the scenario, if not given.
        body: Name of the vehicle; may be left out where there is only one.

    Raises:
        InputError: The frame has no meaning for this run, or no frame of it is finite.
    """
    if frame not in FRAMES:
        raise InputError("--frame", f"{frame!r} is not known", f"one of {', '.join(FRAMES)}")
    scenario, data = trajectory.scenario, trajectory.data
    if not isinstance(scenario, Scenario):
        raise InputError(scenario.name, "is a drive of a rover, which is a sequence of poses", "a run of a scenario")
    kept = _usable(data)
    name = _chosen(scenario, body)
    time, i = data.time.values[kept], scenario.body_names.index(name)
    states = [data[key].values[kept, i] for key in ("position", "velocity", "quaternion")]
    if frame == "inertial":
        return _inertial(scenario, time, states, name, frame_name)
    letter = data.attrs["surface_frame"]
    if letter == "P":
        says, center = "Frame P: fixed to the turning body, its origin at the body's centre.", scenario.target.name
    else:
        x, y = axes_of(scenario.ground).names
        axes = f"x {x}, y {y}" if x == "east" else "x and y along the map"
        says = f"Frame L: local site, {axes}, z up; its origin is the origin of the terrain."
        center = f"{scenario.target.name} site"
    turns = "Velocities are relative to this frame, which turns with the ground."
    called = frame_name or f"PLANETFALL_{letter}"
    position, velocity, quaternion = states
    return BodyMotion(time, position, velocity, quaternion, name, called, center.upper(), (says, turns))


def _usable(data: Any) -> np.ndarray:
    """Frames whose numbers are finite and whose times rise by more than a stamp can tell."""
    is_finite = np.isfinite(data.position.values).all(axis=(1, 2)) & np.isfinite(data.velocity.values).all(axis=(1, 2))
    is_finite &= np.isfinite(data.quaternion.values).all(axis=(1, 2))
    kept = np.flatnonzero(is_finite)
    if not len(kept):
        raise InputError("the run", "no frame of it has finite numbers", advice="run it again with a shorter step")
    ticks = np.round(data.time.values[kept] * 1e9).astype(np.int64)
    return kept[np.append(True, np.diff(np.maximum.accumulate(ticks)) > 0)]


def _chosen(scenario: Scenario, body: str | None) -> str:
    """The vehicle that is asked for: these messages are about one object."""
    names = scenario.body_names
    if body is None and len(names) == 1:
        return names[0]
    if body not in names:
        problem = f"{body!r} is no vehicle of this run" if body else f"the run has {len(names)} vehicles"
        raise InputError("--body", problem, f"one of {', '.join(names)}")
    return body


def _inertial(
    scenario: Scenario, time: np.ndarray, states: list[np.ndarray], name: str, frame_name: str | None
) -> BodyMotion:
    """The same from the target's centre, in axes that do not turn."""
    target, (position, velocity, quaternion) = scenario.target, states
    if target.frame == "L" and target.radius == 0.0 and target.center is None:
        raise InputError(
            "--frame inertial", "the scenario does not say where the centre of its target is",
            "a target with a radius or a center", "give target.name or target.center, or use --frame surface",
        )  # fmt: skip
    turn = target.attitude_at(time)
    R_IS = rotation_matrix(turn)
    arm = position - target.center_S
    carried = velocity + np.cross(target.omega, arm)
    says = (
        "Axes do not turn; their origin is the target's centre.",
        "They are those of target.attitude: "
        + (target.inertial_frame or "no frame of an almanac is named, so they are the scenario's own."),
    )
    return BodyMotion(
        time,
        np.einsum("tij,tj->ti", R_IS, arm),
        np.einsum("tij,tj->ti", R_IS, carried),
        _product(turn, quaternion),
        name,
        frame_name or target.inertial_frame or "PLANETFALL_I",
        target.name.upper(),
        says,
    )


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Hamilton products of quaternions [n, 4] x y z w: b first, then a."""
    vector = a[..., 3:] * b[..., :3] + b[..., 3:] * a[..., :3] + np.cross(a[..., :3], b[..., :3])
    scalar = a[..., 3] * b[..., 3] - np.sum(a[..., :3] * b[..., :3], axis=-1)
    return np.concatenate([vector, scalar[..., None]], axis=-1)

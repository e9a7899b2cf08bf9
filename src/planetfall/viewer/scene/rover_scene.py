"""What a page needs to show a rover's drive beside the scene: links, wheels, stretches, the ground along the path."""

from typing import Any

import numpy as np

from planetfall.record.trajectory import Trajectory
from planetfall.rover.drive.path import DrivePath, sample_path
from planetfall.rover.model import RoverModel, rover_model
from planetfall.rover.statics.verdict import VERDICTS
from planetfall.rover.wheel_ground.footing import heights_below
from planetfall.scenario.drive import DriveScenario
from planetfall.scenario.tables.drawing import DrawnPart
from planetfall.scenario.tables.rover import Rover
from planetfall.viewer.scene.bodies import drawing_arrays
from planetfall.world.terrain.surface import Surface

MOST_PROFILE = 2000
"""Places along the path at which a page knows the height of the ground (assumed)."""


def described_rover(trajectory: Trajectory[DriveScenario]) -> dict[str, Any]:
    """The rover of a drive for the page's header.

    `links` join recorded places (array, index, array, index); `stretches` say from which time [s] and distance [m] on
    which wheels [m], torque [N m] and changed keys hold.
    """
    scenario, data = trajectory.scenario, trajectory.data
    distance, time = data.distance.values, data.time.values
    stretches = []
    for i, (start, rover, _) in enumerate(scenario.stretches()):
        first = int(np.searchsorted(distance, start, side="left"))
        if first < len(distance):
            changed = scenario.changes[i - 1].values if i else {}
            stretches.append({"time": float(time[first]), "distance": start, "changed": changed, **_wheels(rover)})
    return {
        "links": _links(rover_model(scenario.rover)),
        "stretches": stretches,
        "verdicts": [text.partition(":")[0] for text in VERDICTS.values()],
        "says": trajectory.summary["says"],
        "path_m": trajectory.summary["path_m"],
        "goal": scenario.drive.goal,
    }


def rover_arrays(
    trajectory: Trajectory[DriveScenario], frames: np.ndarray, surface: Surface, origin: np.ndarray
) -> dict[str, np.ndarray]:
    """Joints, wheels and contacts per frame; the path [n, 2]; the ground along it [n, 3], as `ground_profile` gives it.

    All in metres, places from the origin.
    """
    scenario, data = trajectory.scenario, trajectory.data
    path = sample_path(scenario.path.waypoints, scenario.path.step, scenario.path.corner_radius)
    thinned = np.unique(np.linspace(0, len(path.distance) - 1, min(MOST_PROFILE, len(path.distance))).astype(int))
    profile = ground_profile(scenario, path, surface)
    profile[:, 1:] -= origin[2]
    return {
        **drawing_arrays(rover_body(scenario.rover), 0),
        "joint": (data.joint_position.values[frames] - origin).astype(np.float32),
        "wheel": (data.wheel_position.values[frames] - origin).astype(np.float32),
        "point_position": (data.contact_position.values[frames] - origin).astype(np.float32),
        "path": (path.xy[thinned] - origin[:2]).astype(np.float32),
        "profile": profile.astype(np.float32),
    }


def rover_body(rover: Rover) -> tuple[DrawnPart, ...]:
    """The parts of a rover's body, from the middle of the differential's axis: its drawing, else a box."""
    if rover.drawing:
        return rover.drawing
    model = rover_model(rover)
    size = (0.5 * model.length, 0.65 * rover.track, 1.1 * rover.wheels.radius)
    return (DrawnPart(kind="box", position=(0.0, 0.0, 0.3 * rover.wheels.radius), size=size),)


def ground_profile(scenario: DriveScenario, path: DrivePath, surface: Surface) -> np.ndarray:
    """Distance along the path and height of the ground under the right and the left middle wheel [m], [n, 3].

    The path is continued straight at both ends by the rover's length, so that all wheels have ground.
    """
    stretches = [(start, rover_model(rover)) for start, rover, _ in scenario.stretches()]
    total, beyond = float(path.distance[-1]), max(rover.length for _, rover in stretches)
    n = int(min(MOST_PROFILE, np.ceil((total + 2 * beyond) / scenario.path.step) + 1))
    along = np.linspace(-beyond, total + beyond, n)
    inside = np.clip(along, 0.0, total)
    at = np.clip(np.searchsorted(path.distance, inside), 0, len(path.distance) - 1)
    yaw = path.yaw[at]
    ahead = np.column_stack([np.cos(yaw), np.sin(yaw)])
    middle = path.xy[at] + (along - path.distance[at])[:, None] * ahead
    left = np.column_stack([-ahead[:, 1], ahead[:, 0]])
    which = np.searchsorted([start for start, _ in stretches], inside, side="right") - 1
    asides = np.array([[rover.aside[1], rover.aside[4]] for _, rover in stretches])[which]
    lines = [heights_below(surface, middle + aside[:, None] * left) for aside in asides.T]
    return np.column_stack([along, *lines])


def _wheels(rover: Rover) -> dict[str, float]:
    wheels = rover.wheels
    width = wheels.width or 0.7 * wheels.radius
    return {"wheel_radius": wheels.radius, "wheel_width": width, "torque_max": wheels.torque_max}


def _links(rover: RoverModel) -> list[list[Any]]:
    order = rover.order % 3
    links: list[list[Any]] = [["joint", 0, "joint", 2], ["position", 0, "joint", 0], ["position", 0, "joint", 2]]
    for side in (0, 1):
        axis, pivot = 2 * side, 2 * side + 1
        links.append(["joint", axis, "joint", pivot])
        for k in range(3):
            is_rocker = order[3 * side + k] == 0
            links.append(["joint", axis if is_rocker else pivot, "wheel", 3 * side + k])
    return links

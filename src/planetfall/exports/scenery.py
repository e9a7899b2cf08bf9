"""What files for 3-D programs show of a run: its bodies, its contact points, the ground."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from planetfall.errors import InputError
from planetfall.record.thinned_frames import shown_frames
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.drive import DriveScenario
from planetfall.scenario.tables.drawing import DrawnPart
from planetfall.scenario.tables.vehicle.solid import box
from planetfall.vehicle.drawing import Drawn, drawn_parts, plain
from planetfall.viewer.ground.ground import Triangles, drawn_ground
from planetfall.viewer.ground.mesh import merged
from planetfall.viewer.scene.bodies import body_triangles, inertia_box
from planetfall.viewer.scene.rover_scene import rover_body
from planetfall.viewer.scene.scene import detail_of, ground_of, plain_mesh, point_positions, vehicle_size
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData

WIDTH = 0.7
"""Width of a drawn wheel over its radius where the rover gives none, as in the viewer (assumed)."""
GROUND_FACETS = 150_000
"""Triangles of the ground that a file gets at most, about; exact where the vehicle touched (as in the viewer)."""


@dataclass(frozen=True)
class MovingSolid:
    """Triangles that move as one.

    Attributes:
        name: What it is.
        drawn: The triangles, in a frame of their own.
        position: [frame, 3] [m] Origin of that frame, surface frame.
        quaternion: [frame, 4] x y z w, that frame to the surface frame.
    """

    name: str
    drawn: Drawn
    position: np.ndarray
    quaternion: np.ndarray


@dataclass(frozen=True)
class Scenery:
    """A run as it is drawn, surface frame.

    Attributes:
        frames: [frame] Which recorded frames are drawn.
        time: [frame] [s].
        position: [frame, body, 3] [m] Centres of mass.
        velocity: [frame, body, 3] [m/s].
        points: [frame, point, 3] [m] Contact points.
        solids: What is drawn and moves: the bodies, and the wheels of a rover.
        ground: Triangles of the ground.
    """

    frames: np.ndarray
    time: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    points: np.ndarray
    solids: tuple[MovingSolid, ...]
    ground: Triangles


def scenery_of(trajectory: Trajectory[Any], most_frames: int, budget: int = GROUND_FACETS) -> Scenery:
    """What is drawn of a run or of a drive; of too many frames, those with peaks of force are kept.

    Raises:
        InputError: No frame of it has a finite place.
    """
    data, scenario = trajectory.data, trajectory.scenario
    frames = shown_frames(data, most_frames)
    if not len(frames):
        raise InputError(scenario.name, "no frame of this run has a finite place", advice="run it with a shorter step")
    position, points = data.position.values[frames], point_positions(data, frames)
    detail = detail_of(position, points, data.contact_mode.values[frames], vehicle_size(data))
    surface = plain_mesh(scenario) or ground_of(scenario)
    if isinstance(surface, MeshData):
        ground = merged(surface.vertices, surface.facets, detail, budget)
    else:
        ground = drawn_ground(surface, detail, budget)
    solids = _rover(trajectory, frames) if isinstance(scenario, DriveScenario) else _vehicles(trajectory, frames)
    return Scenery(frames, data.time.values[frames], position, data.velocity.values[frames], points, solids, ground)


def _vehicles(trajectory: Trajectory[Any], frames: np.ndarray) -> tuple[MovingSolid, ...]:
    """The vehicles of a run; one without a drawing or an outline is the box of its inertia."""
    position, quaternion = (trajectory.data[name].values[frames] for name in ("position", "quaternion"))
    return tuple(
        MovingSolid(vehicle.name, body_triangles(vehicle) or _box(vehicle), position[:, i], quaternion[:, i])
        for i, vehicle in enumerate(trajectory.scenario.vehicles)
    )


def _rover(trajectory: Trajectory[DriveScenario], frames: np.ndarray) -> tuple[MovingSolid, ...]:
    """A rover's body, which is drawn from the middle of the differential's axis, and its wheels."""
    data, rover = trajectory.data, trajectory.scenario.rover
    joints, wheels = data.joint_position.values[frames], data.wheel_position.values[frames]
    quaternion, radius = data.quaternion.values[frames, 0], rover.wheels.radius
    half = 0.5 * (rover.wheels.width or WIDTH * radius)
    rim = DrawnPart(kind="cylinder", ends=((0.0, -half, 0.0), (0.0, half, 0.0)), diameter=2.0 * radius)
    body = MovingSolid(rover.name, drawn_parts(rover_body(rover)), joints[:, [0, 2]].mean(axis=1), quaternion)
    names = [str(name) for name in data.wheel.values]
    return body, *(
        MovingSolid(f"wheel {name}", drawn_parts([rim]), wheels[:, i], quaternion) for i, name in enumerate(names)
    )


def _box(vehicle: Any) -> Drawn:
    found = inertia_box(np.asarray(vehicle.inertia), vehicle.mass)
    solid = box(tuple(max(edge, 1e-3) for edge in found["edges"]))
    return plain(solid.vertices @ np.array(found["axes"]), np.asarray(solid.facets))

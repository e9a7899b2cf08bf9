"""From a run to what the page needs to replay it."""

from typing import Any

import numpy as np
import xarray as xr

from planetfall.engine.state.result import RunEvent
from planetfall.record.thinned_frames import MOST, shown_frames
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.drive import DriveScenario
from planetfall.scenario.files.changed_keys import full_title
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.scenario.tables.world.terrain import TerrainMesh
from planetfall.viewer.ground.ground import BUDGET, Detail, Triangles, drawn_ground, plane_grid, spread_out
from planetfall.viewer.ground.mesh import merged
from planetfall.viewer.pack import Pack
from planetfall.viewer.scene.bodies import described_bodies, shape_arrays
from planetfall.viewer.scene.parachutes import canopy_arrays, described_parachutes
from planetfall.viewer.scene.rover_scene import described_rover, rover_arrays
from planetfall.viewer.scene.variables import plotted_variables
from planetfall.world.gravity.field import acceleration_at
from planetfall.world.terrain.ground import make_surface, mesh_of, surface_of
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData
from planetfall.world.terrain.surface import Surface
from planetfall.world.terrain.surface_axes import SurfaceAxes, axes_of

MODES = ("in the air", "gripping", "sliding")
"""What contact_mode 0, 1, 2 are called in a picture."""
MOST_EVENTS = 5000
SMALLEST = 1e-3
"""Least size of a vehicle [m]: that of one whose points all lie in its centre of mass."""


def scene_of(
    trajectory: Trajectory[Any],
    *,
    most_frames: int = MOST,
    budget: int = BUDGET,
    on: Pack | None = None,
    is_growing: bool = False,
) -> Pack:
    """The replay of a run.

    Args:
        trajectory: The run.
        most_frames: Frames that the page gets; peaks are kept when there are more.
        budget: Triangles of the ground.
        on: An earlier scene on the same ground: the ground is taken from it, and places count from its origin.
        is_growing: Whether the run is still under way, so that more will follow.
    """
    data, scenario = trajectory.data, trajectory.scenario
    frames = shown_frames(data, most_frames)
    if not len(frames):
        return Pack({**_heading(trajectory), "kind": "empty", "problem": "no frame of this run has a finite place"})
    origin = np.array(on.header["origin"]) if on else data.position.values[frames[-1], 0].copy()
    points = point_positions(data, frames)
    modes = data.contact_mode.values[frames]
    size = vehicle_size(data)
    variables, arrays = plotted_variables(data, frames, most_frames, is_growing=is_growing)
    detail = detail_of(data.position.values[frames], points, modes, size)
    mesh = None if is_growing or on else plain_mesh(scenario)
    surface = mesh or ground_of(scenario)
    if on is None:
        if is_growing and isinstance(surface, Surface):
            detail = detail_ahead(detail, surface, origin)
        grid, ground = _drawn(surface, detail, budget, origin)
    else:
        grid = on.header["grid"]
        ground = {name: values for name, values in on.arrays.items() if name.startswith("ground_")}
    arrays |= ground | shape_arrays(scenario)
    arrays |= {
        "time": data.time.values[frames].astype(np.float64),
        "position": (data.position.values[frames] - origin).astype(np.float32),
        "quaternion": data.quaternion.values[frames].astype(np.float32),
        "mode": modes.astype(np.uint8),
        **canopy_arrays(scenario, data, frames, trajectory.summary),
    }
    bodies = described_bodies(scenario, data)
    header = {
        **_heading(trajectory),
        "kind": "run",
        "frame": data.attrs["surface_frame"],
        "turn": turn_of(scenario),
        "origin": origin.tolist(),
        "up": up_at(scenario, origin).tolist(),
        "size": size,
        "n_frames_recorded": data.sizes["time"],
        "bodies": bodies,
        "points": [
            {"name": str(name), "body": int(body)}
            for name, body in zip(data.point.values, data.point_body.values, strict=True)
        ],
        "tethers": _tethers(scenario, data),
        "parachutes": described_parachutes(scenario, data),
        "modes": list(MODES),
        "events": described_events(trajectory.events, data),
        "variables": variables,
        "sun": _sun(scenario),
        "grid": grid,
        "n_facets": len(ground["ground_facet"]),
        "n_facets_terrain": surface.n_facets if isinstance(surface, Surface) else len(surface.facets),
        "sensors": _sensors(scenario),
    }
    if isinstance(scenario, DriveScenario) and isinstance(surface, Surface):
        header["rover"] = described_rover(trajectory)
        arrays |= rover_arrays(trajectory, frames, surface, origin)
    return Pack(header, arrays)


def _drawn(
    surface: Surface | MeshData, detail: Detail, budget: int, origin: np.ndarray
) -> tuple[Any, dict[str, np.ndarray]]:
    """What is drawn of the ground: its grid for the header, and arrays."""
    if isinstance(surface, MeshData):
        return [], ground_arrays(merged(surface.vertices, surface.facets, detail, budget), origin)
    grid, lines = grid_of(surface, origin, detail)
    return grid, lines | ground_arrays(drawn_ground(surface, detail, budget), origin)


def ground_arrays(drawn: Triangles, origin: np.ndarray) -> dict[str, np.ndarray]:
    """Triangles of the ground as the page reads them."""
    return {
        "ground_vertex": (drawn.vertices - origin).astype(np.float32),
        "ground_facet": drawn.facets.astype(np.uint32),
    }


def plain_mesh(scenario: Scenario | DriveScenario) -> MeshData | None:
    """The mesh of a run whose ground is one: drawing it needs no tree, which takes as long to build as to read it."""
    if isinstance(scenario, DriveScenario) or not isinstance(scenario.ground, TerrainMesh) or scenario.ground.added:
        return None
    return mesh_of(scenario.ground)


def ground_of(scenario: Scenario | DriveScenario) -> Surface:
    """The terrain of a run or of a drive."""
    if isinstance(scenario, DriveScenario):
        return surface_of(scenario.terrain, scenario.rover.wheels.radius, "cpu")
    return make_surface(scenario, "cpu").alone


def grid_of(
    surface: Surface, origin: np.ndarray, detail: Detail
) -> tuple[list[dict[str, float]], dict[str, np.ndarray]]:
    """Lines on flat ground about `origin`: their levels for the header, and where they are."""
    if not surface.model.is_flat:
        return [], {}
    levels = plane_grid(surface, origin, detail)
    described = [{"step": float(step), "count": len(lines)} for step, lines in levels]
    return described, {"ground_line": (np.concatenate([lines for _, lines in levels]) - origin).astype(np.float32)}


def _heading(trajectory: Trajectory[Any]) -> dict[str, Any]:
    summary = trajectory.summary
    return {
        "format": "planetfall-view",
        "version": 1,
        "planetfall": summary.get("versions", {}).get("planetfall", ""),
        "name": trajectory.scenario.name,
        "title": full_title(trajectory.scenario),
        "outcome": summary.get("outcome", ""),
        "outcome_sentence": summary.get("outcome_sentence", ""),
    }


def point_positions(data: xr.Dataset, frames: np.ndarray) -> np.ndarray:
    """Places [frame, point, 3] [m] of the contact points, surface frame; a rover records them itself."""
    if "contact_position" in data:
        return data.contact_position.values[frames]
    out = np.empty((len(frames), data.sizes["point"], 3))
    for body in range(data.sizes["body"]):
        own = np.flatnonzero(data.point_body.values == body)
        turned = rotation_matrix(data.quaternion.values[frames, body])
        arms = np.einsum("tij,pj->tpi", turned, data.point_position.values[own])
        out[:, own] = data.position.values[frames, body][:, None] + arms
    return out


def vehicle_size(data: xr.Dataset) -> float:
    """Largest distance of a contact point from its centre of mass [m]; 1 for a vehicle without points."""
    if not data.sizes["point"]:
        return 1.0
    return float(max(np.linalg.norm(data.point_position.values, axis=1).max(), SMALLEST))


def detail_of(positions: np.ndarray, points: np.ndarray, modes: np.ndarray, size: float) -> Detail:
    """Where the ground has to be exact: where points touched, or below the end of a run that never did."""
    touched = points[modes > 0]
    touched = touched[np.isfinite(touched).all(axis=1)]
    places = touched if len(touched) else positions[-1]
    path = positions.reshape(-1, 3)
    reach = float(np.linalg.norm(path - path[-1], axis=1).max()) if len(path) else 0.0
    return Detail(spread_out(places, 0.25 * size), 0.5 * size, max(12.0 * size, 1.6 * reach))


def detail_ahead(detail: Detail, surface: Surface, at: np.ndarray) -> Detail:
    """The same with the ground nearest to a vehicle at a place [m], which may be on its way there."""
    gap, normal, is_ground = surface.ground_at(at)
    if not is_ground or not np.isfinite(gap):
        return detail
    foot = at - gap * normal / np.linalg.norm(normal)
    radius = max(detail.radius, min(0.5 * gap, 8.0 * detail.radius))
    return Detail(np.vstack([detail.places, foot]), radius, max(detail.extent, 3.0 * gap))


def up_at(scenario: Scenario | DriveScenario, at: np.ndarray) -> np.ndarray:
    """Unit vector against gravity at a place [m]; the z axis of a site, and where there is no gravity."""
    up = np.array([0.0, 0.0, 1.0])
    if isinstance(scenario, DriveScenario) or scenario.target.frame == "L":
        return up
    gravity = acceleration_at(scenario, at)
    return -gravity / np.linalg.norm(gravity) if np.any(gravity) else up


def turn_of(scenario: Scenario | DriveScenario) -> float:
    """Azimuth of y of a site's frame, clockwise from true north [rad]; 0 where y is taken as north."""
    if isinstance(scenario, DriveScenario):
        axes = axes_of(scenario.terrain)
    else:
        axes = axes_of(scenario.ground) if scenario.target.frame == "L" else SurfaceAxes()
    return axes.turn or 0.0 if axes.is_turned else 0.0


def _tethers(scenario: Any, data: xr.Dataset) -> list[dict[str, Any]]:
    if "tether" not in data.dims:
        return []
    index = {name: i for i, name in enumerate(scenario.body_names)}
    return [
        {
            "name": tether.name,
            "bodies": [index[name] for name in tether.bodies],
            "points": [list(point) for point in tether.points],
        }
        for tether in scenario.tethers
    ]


def _sensors(scenario: Any) -> list[dict[str, Any]]:
    """Sensors with a place of their own: where they sit and look, body frame."""
    out = []
    for sensor in getattr(scenario, "sensors", ()):
        if not hasattr(sensor, "position"):  # switches sit on contact points
            continue
        beams = getattr(sensor, "beams", None) or ([sensor.beam] if hasattr(sensor, "beam") else [])
        out.append(
            {
                "name": sensor.name,
                "kind": sensor.kind,
                "body": scenario.body_index(sensor.body),
                "position": list(sensor.position),
                "beams": [list(beam) for beam in beams],
            }
        )
    return out


def described_events(events: list[RunEvent], data: xr.Dataset) -> list[dict[str, Any]]:
    """What happened when, for the header."""
    names = [str(name) for name in data.point.values]
    return [
        {
            "time": event.time,
            "kind": event.kind,
            "point": names[event.point] if 0 <= event.point < len(names) else "",
            "value": event.value if np.isfinite(event.value) else None,
        }
        for event in events[:MOST_EVENTS]
    ]


def _sun(scenario: Scenario | DriveScenario) -> dict[str, Any] | None:
    """Direction to the sun at time zero and the frame's rotation, where the scenario has a sun."""
    if isinstance(scenario, DriveScenario) or scenario.target.sun_S is None:
        return None
    return {"direction": scenario.target.sun_S.tolist(), "omega": scenario.target.omega.tolist()}

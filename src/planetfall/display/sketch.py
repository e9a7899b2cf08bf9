"""A small picture of what a scenario is about, before anything is run: the vehicle, or a rover's path."""

import numpy as np
from matplotlib.figure import Figure

from planetfall.report.silhouettes import draw_seen, seen_from_side
from planetfall.report.style import COLORS, label_axes, new_figure
from planetfall.scenario.drive import DriveScenario
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.vehicle.vehicle import Vehicle
from planetfall.viewer.scene.bodies import body_triangles
from planetfall.world.terrain.surface_axes import axes_of

PALE = 0.25
"""Share of white in a vehicle's colours."""


def sketch_of(scenario: Scenario | DriveScenario) -> Figure:
    """The vehicle that is judged, in its own axes, or the path of a drive from above."""
    return _path(scenario) if isinstance(scenario, DriveScenario) else _vehicle(scenario.vehicle)


def _vehicle(vehicle: Vehicle) -> Figure:
    """Its longer side as it stands, with its contact points; nothing says which way it goes."""
    up = np.asarray(vehicle.up, dtype=float)
    lengths = np.ptp(vehicle.tips, axis=0) if vehicle.points else np.zeros(3)
    axis = max((i for i in range(3) if abs(up[i]) < 0.9), key=lambda i: lengths[i])
    ahead = np.eye(3)[axis]
    ahead -= (ahead @ up) * up
    ahead /= np.linalg.norm(ahead)
    turn = np.array([ahead, np.cross(up, ahead), up])  # from body axes to right, away, up
    figure, axes = new_figure(4.6, 3.0)
    drawn = body_triangles(vehicle)
    if drawn is not None:
        seen = seen_from_side(drawn, np.zeros(3), turn, np.array([1.0, 0, 0]), np.array([0, -1.0, 0]))
        draw_seen(axes, seen, PALE)
        axes.update_datalim(seen.triangles.reshape(-1, 2))
    points = vehicle.tips @ turn.T if vehicle.points else np.zeros((0, 3))
    if len(points):
        axes.plot(points[:, 0], points[:, 2], "o", color=COLORS[1], markersize=4, label="contact points")
    axes.plot([0.0], [0.0], "+", color=COLORS[5], markersize=9, label="centre of mass")
    axes.set_aspect("equal", adjustable="datalim")
    axes.autoscale_view()
    label_axes(axes, f"along its {'xyz'[axis]} axis [m]", "up [m]", f"{vehicle.name} from the side")
    return figure


def _path(scenario: DriveScenario) -> Figure:
    points = np.array(scenario.path.waypoints)
    figure, axes = new_figure(4.6, 3.0)
    axes.plot(points[:, 0], points[:, 1], "-", color=COLORS[0])
    axes.plot(*points[0], "o", color=COLORS[2], label="start")
    axes.plot(*points[-1], "s", color=COLORS[1], label="end")
    axes.set_aspect("equal", adjustable="datalim")
    label_axes(axes, *axes_of(scenario.terrain).labels, "path from above")
    return figure

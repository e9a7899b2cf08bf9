"""The way of a vehicle over a whole body, and its last part from nearby (VanWal2017, Figure 11)."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from planetfall.record.trajectory import Trajectory
from planetfall.report.ground.distance_figures import section
from planetfall.report.style import curve, label_axes, new_panels, save_figure
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.surface import Surface

VIEWS = (((0, "x"), (2, "z")), ((0, "x"), (1, "y")))
N_ACROSS, N_DEPTHS = 161, 33
"""Points along each side of a view, and sections through the body that make its outline."""
N_RELIEF = 100
"""Points along each side of the view from nearby."""
LEVEL = 1e-6
"""Relief, as a share of what is seen, below which there is none to draw."""
RELEASE = {"marker": "o", "color": curve(2)["color"], "linestyle": "none"}
FIRST_TOUCH = {"marker": "^", "color": curve(3)["color"], "linestyle": "none", "markersize": 8}
END = {"marker": "s", "color": curve(1)["color"], "linestyle": "none"}
"""Marks that mean one thing in all views."""
NEARBY = 0.15
"""Room around the way there, as a share of its extent."""


def draw_way_over_body(trajectory: Trajectory, folder: Path) -> Path:
    """The centre of mass over the outline of the body, in two views; from the first touch on, seen from above."""
    surface = make_surface(trajectory.scenario, "cpu")
    path, landed = trajectory.data.position.values[:, 0], _since_first_touch(trajectory)
    assert surface.box is not None
    half = 1.05 * float(max(np.abs(surface.box).max(), np.abs(path[[0, -1]]).max()))
    figure, panels = new_panels(3 if len(landed) > 1 else 2, 14.0 if len(landed) > 1 else 9.6)
    figure.subplots_adjust(wspace=0.3)
    for axes, ((i, right), (j, up)) in zip(panels, VIEWS, strict=False):
        _draw_outline(axes, surface, i, j, half)
        axes.plot(path[:, i], path[:, j], **curve(0))
        _mark_ends(axes, path[:, [i, j]])
        axes.set_aspect("equal")
        axes.locator_params(nbins=7)
        title = f"{trajectory.scenario.name}: the way over the body" if up == "z" else ""
        is_last = axes is panels[-1]  # between panels there is no room for a legend
        label_axes(axes, f"{right} [m]", f"{up} [m]", title, has_legend=is_last)
    if len(landed) > 1:
        _draw_from_above(panels[2], surface, landed, _touches(trajectory))
    return save_figure(figure, folder, "way")


def _since_first_touch(trajectory: Trajectory) -> np.ndarray:
    """Positions [frame, 3] [m] of the centre of mass from its first touch on; none if there was none."""
    touches = [event.time for event in trajectory.events if event.kind == "touch"]
    data = trajectory.data
    return data.position.values[data.time.values >= min(touches, default=np.inf), 0]


def _touches(trajectory: Trajectory) -> np.ndarray:
    """Positions [touch, 3] [m] of the centre of mass at every touch of a point."""
    return np.array([event.position for event in trajectory.events if event.kind == "touch"]).reshape(-1, 3)


def _draw_outline(axes: Axes, surface: Surface, i: int, j: int, half: float) -> None:
    """The body seen along the axis that is neither i nor j."""
    assert surface.box is not None
    across, seen_along = np.linspace(-half, half, N_ACROSS), 3 - i - j
    low, high = surface.box[:, seen_along]
    depths = np.linspace(low, high, N_DEPTHS)[:, None] * np.eye(3)[seen_along]
    gaps = np.min([section(surface, depth, np.eye(3)[i], np.eye(3)[j], half, N_ACROSS) for depth in depths], axis=0)
    axes.contourf(across, across, gaps, levels=[-1e9, 0.0], colors=["0.85"])
    axes.contour(across, across, gaps, levels=[0.0], colors="0.35", linewidths=0.8)


def _mark_ends(axes: Axes, path: np.ndarray) -> None:
    axes.plot(*path[0], label="release", **RELEASE)
    axes.plot(*path[-1], label="end", **END)


def _draw_from_above(axes: Axes, surface: Surface, path: np.ndarray, touches: np.ndarray) -> None:
    """The last part of the way in the plane that touches the ground at its end, over contour lines of the ground."""
    plane = _level_at(surface, path[-1])
    seen, touched = (path - path[-1]) @ plane, (touches - path[-1]) @ plane
    middle = 0.5 * (seen[:, :2].min(axis=0) + seen[:, :2].max(axis=0))
    half = (0.5 + NEARBY) * max(float(np.ptp(seen[:, :2], axis=0).max()), 1e-3)
    every = _draw_contours(axes, surface, path[-1], plane, middle, half)
    title = "since the first touch" + (f"; contours: {every:.2g} m" if every else "")
    axes.plot(seen[:, 0], seen[:, 1], **curve(0))
    axes.plot(touched[:, 0], touched[:, 1], ".", color="0.2", markersize=3, label="touches")
    axes.plot(*seen[0, :2], label="first touch", **FIRST_TOUCH)
    axes.plot(*seen[-1, :2], label="end", **END)
    axes.plot([], [], label="release, on the left", **RELEASE)
    axes.set_aspect("equal")
    label_axes(axes, "along the ground at the end [m]", "across [m]", title)


def _draw_contours(
    axes: Axes, surface: Surface, origin: np.ndarray, plane: np.ndarray, middle: np.ndarray, half: float
) -> float:
    """Lines of equal height over a plane through a place; returns how far apart they are [m], 0 where it is level."""
    across, high = np.linspace(-half, half, N_RELIEF), 4.0 * half
    first, second = np.meshgrid(middle[0] + across, middle[1] + across)
    starts = origin + np.column_stack([first.ravel(), second.ravel(), np.full(first.size, high)]) @ plane.T
    ranges, _ = surface.cast(starts, np.tile(-plane[:, 2], (len(starts), 1)), 2.0 * high)
    heights = high - ranges.reshape(first.shape)
    known = heights[np.isfinite(heights)]
    if not len(known) or np.ptp(known) < LEVEL * half:
        return 0.0
    levels = np.asarray(axes.contour(first, second, heights, 12, colors="0.75", linewidths=0.6).levels)
    return float(levels[1] - levels[0])


def _level_at(surface: Surface, place: np.ndarray) -> np.ndarray:
    """Two directions along the ground below a place, and its normal, as columns [3, 3]."""
    normal = surface.ask(place[None])[1][0]
    up = normal / np.linalg.norm(normal)
    along = np.cross([0.0, 1.0, 0.0] if abs(up[1]) < 0.9 else [0.0, 0.0, 1.0], up)
    along /= np.linalg.norm(along)
    return np.column_stack([along, np.cross(up, along), up])

"""A path from above: the ground it crosses, and what becomes of the rover along it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from planetfall.record.trajectory import Trajectory
from planetfall.report.north_arrow import north_arrow
from planetfall.report.rover.pose_figures import VERDICT_COLORS, shaded
from planetfall.report.style import as_written, new_figure, save_figure
from planetfall.rover.drive.prepare import PreparedDrive
from planetfall.rover.model import RoverModel
from planetfall.rover.statics.verdict import VERDICTS
from planetfall.rover.traversability.route import Route
from planetfall.rover.traversability.traverse import MapScores
from planetfall.rover.wheel_ground.footing import heights_below
from planetfall.scenario.drive import DriveScenario
from planetfall.scenario.files.changed_keys import title_of
from planetfall.world.terrain.surface import Surface
from planetfall.world.terrain.surface_axes import axes_of_surface

STANDS_COLOR = "#009E73"
SOME_COLOR, NONE_COLOR = "#E69F00", "#5E3C99"
"""Places at which a rover stands at some of the headings, or at none."""
GROUND_NODES = 240
"""Nodes of the shaded ground along the longer side of the picture (assumed)."""
WALL = 1.0
"""Rise over run of ground that is not level, from which on all its lines lie on one another and have no labels."""
MARGIN = 0.12
"""Room around the path, over the longer side of its box; at least the rover's length."""


@dataclass(frozen=True)
class SeenPath:
    """What is drawn over the ground.

    Attributes:
        xy: The whole path of the rover's middle [m], surface frame, [n, 2].
        verdict: Keys of `verdict.VERDICTS` at its first samples, as far as it was driven, [m].
        waypoints: [m], [k, 2].
    """

    xy: np.ndarray
    verdict: np.ndarray
    waypoints: np.ndarray


def draw_plan(trajectory: Trajectory[DriveScenario], ready: PreparedDrive, folder: Path) -> Path:
    """The path of a drive over shaded ground, coloured by the verdict; what was not driven is dashed."""
    verdict = trajectory.data.verdict.values.astype(int)
    seen = SeenPath(ready.path.xy, verdict, np.array(trajectory.scenario.path.waypoints))
    return draw_path(
        seen, ready.surface, ready.rover, folder, "plan", f"{title_of(trajectory.scenario)}: path from above"
    )


def draw_route(ready: PreparedDrive, route: Route, found: MapScores, folder: Path, title: str) -> Path:
    """A route over shaded ground, with the places at which the rover stands at few headings or none."""
    seen = SeenPath(route.run.path.xy, route.run.of_forces("verdict"), route.waypoints)
    return draw_path(seen, ready.surface, ready.rover, folder, "route", title, found)


def draw_path(
    seen: SeenPath, surface: Surface, rover: RoverModel, folder: Path, name: str, title: str,
    found: MapScores | None = None,
) -> Path:  # fmt: skip
    """Draws a path over shaded ground, and over where the rover does not stand if that is known, as PNG and SVG."""
    low, high = _window(seen.xy, rover)
    figure, axes = _new_plan(high - low)
    _draw_ground(axes, surface, low, high)
    if found is not None:
        _draw_closed(axes, found)
    rest = seen.xy[max(len(seen.verdict) - 1, 0) :]
    if len(rest) > 1:
        axes.plot(*rest.T, color="white", linewidth=2.6, zorder=3)
        axes.plot(*rest.T, "--", color="0.15", linewidth=1.3, zorder=3, label="not driven")
    _draw_verdicts(axes, seen)
    _draw_rover(axes, seen, rover)
    axes.plot(*seen.waypoints.T, "o", color="white", markeredgecolor="0.1", markersize=4, zorder=6, label="waypoint")
    for place, mark, label in ((seen.xy[0], "^", "start"), (seen.xy[-1], "*", "end")):
        axes.plot(*place, mark, color="#F0E442", markeredgecolor="0.1", markersize=10, zorder=7, label=label)
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_aspect("equal")
    ground = axes_of_surface(surface)
    axes.set_xlabel(ground.labels[0])
    axes.set_ylabel(ground.labels[1])
    if ground.north is not None:
        north_arrow(axes, ground.north)
    axes.set_title(as_written(title), loc="left")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=8)
    return save_figure(figure, folder, name)


def _new_plan(extent: np.ndarray) -> tuple[Figure, Axes]:
    """A figure with axes in the shape of what is shown, and room for a legend beside them [inch]."""
    size = 5.6 * extent / extent.max()
    width, height = np.maximum(size, 1.6)
    figure, axes = new_figure(width + 3.0, height + 0.95)
    axes.set_position((0.85 / (width + 3.0), 0.5 / (height + 0.95), width / (width + 3.0), height / (height + 0.95)))
    axes.grid(False)
    return figure, axes


def _window(xy: np.ndarray, rover: RoverModel) -> tuple[np.ndarray, np.ndarray]:
    """Corners of what is shown [m]: the path with room for the rover around it."""
    low, high = xy.min(axis=0), xy.max(axis=0)
    room = max(MARGIN * float((high - low).max()), rover.length)
    return low - room, high + room


def _draw_ground(axes: Axes, surface: Surface, low: np.ndarray, high: np.ndarray) -> None:
    """Ground lit from the upper left, with lines of equal height where it is not level; white beyond its edge."""
    step = float((high - low).max()) / GROUND_NODES
    x, y = (np.arange(low[k], high[k] + step, step) for k in (0, 1))
    xy = np.stack(np.meshgrid(x, y), axis=-1)
    heights = heights_below(surface, xy.reshape(-1, 2)).reshape(xy.shape[:2])
    extent = (x[0] - step / 2, x[-1] + step / 2, y[0] - step / 2, y[-1] + step / 2)
    light = shaded(heights, step, step)
    axes.imshow(light, cmap="gray", vmin=0, vmax=1, origin="lower", extent=extent, interpolation="nearest", zorder=1)
    if np.nanmax(heights) - np.nanmin(heights) > 1e-6 * float((high - low).max()):
        lines = axes.contour(x, y, heights, levels=8, colors="0.35", linewidths=0.5, zorder=2)
        slopes = np.hypot(*np.gradient(heights, step))
        if np.nanmedian(slopes[slopes > 1e-3 * np.nanmax(slopes)]) < WALL:
            axes.clabel(lines, fontsize=6, fmt="%g m")


def _draw_closed(axes: Axes, found: MapScores) -> None:
    """Places at which the rover stands at some headings only, or at none."""
    dx, dy = found.x[1] - found.x[0], found.y[1] - found.y[0]
    extent = (found.x[0] - dx / 2, found.x[-1] + dx / 2, found.y[0] - dy / 2, found.y[-1] + dy / 2)
    level = np.where(found.stands == 0, 2.0, np.where(found.stands < 1, 1.0, np.nan))
    colors = ListedColormap([SOME_COLOR, NONE_COLOR])
    axes.imshow(
        level, cmap=colors, vmin=0.5, vmax=2.5, alpha=0.55, origin="lower", extent=extent, interpolation="nearest",
        zorder=2.5,
    )  # fmt: skip
    for color, label in ((SOME_COLOR, "stands at some headings"), (NONE_COLOR, "stands at none")):
        axes.plot([], [], "s", color=color, alpha=0.55, label=label)


def _draw_verdicts(axes: Axes, seen: SeenPath) -> None:
    """The driven part, one colour per verdict."""
    n = len(seen.verdict)
    for code, text in VERDICTS.items():
        at = seen.verdict == code
        if not at.any():
            continue
        color = VERDICT_COLORS.get(code, STANDS_COLOR)
        # each sample draws the way to the next one; the last one a point
        starts = np.flatnonzero(at[: n - 1]) if n > 1 else np.zeros(0, int)
        ways = np.stack([seen.xy[starts], seen.xy[starts + 1], np.full((len(starts), 2), np.nan)], axis=1).reshape(
            -1, 2
        )
        wide = 2.6 if code == 0 else 5.0  # failures are few, and what one looks for
        axes.plot(*ways.T, color="white", linewidth=wide + 1.8, zorder=4, solid_capstyle="round")
        axes.plot(*ways.T, color=color, linewidth=wide, zorder=5, solid_capstyle="round", label=text.partition(":")[0])
        if at[n - 1]:
            axes.plot(*seen.xy[n - 1], "s" if code else ".", color=color, markeredgecolor="0.1", markersize=7, zorder=6)


def _draw_rover(axes: Axes, seen: SeenPath, rover: RoverModel) -> None:
    """The outline of the wheels at the last driven place, to scale."""
    i = max(len(seen.verdict) - 1, 0)
    ends = (seen.xy[max(i - 1, 0)], seen.xy[min(i + 1, len(seen.xy) - 1)])
    ahead = (ends[1] - ends[0]) / max(float(np.linalg.norm(ends[1] - ends[0])), 1e-300)
    left, (back, front, half) = np.array([-ahead[1], ahead[0]]), rover.footprint
    corners = [seen.xy[i] + a * ahead + b * half * left for a, b in ((front, 1), (front, -1), (-back, -1), (-back, 1))]
    outline = np.array([*corners, corners[0]])
    axes.plot(*outline.T, color="0.1", linewidth=1.0, zorder=6, label="rover, to scale")

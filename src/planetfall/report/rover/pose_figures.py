"""Figures of a rover: how it stands, and what its wheels carry and pull."""

import textwrap
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from planetfall.report.north_arrow import north_arrow
from planetfall.report.silhouettes import draw_seen, seen_from_side
from planetfall.report.style import COLORS, label_axes, new_figure, save_figure
from planetfall.rover.kinematics.forward import Joints, joints_of
from planetfall.rover.kinematics.poses import Poses
from planetfall.rover.model import SIDES, WHEELS
from planetfall.rover.statics.statics import Forces
from planetfall.rover.statics.verdict import VERDICTS
from planetfall.rover.traversability.traverse import MapScores
from planetfall.rover.wheel_ground.footing import heights_below
from planetfall.vehicle.drawing import drawn_parts
from planetfall.viewer.scene.rover_scene import rover_body
from planetfall.world.terrain.surface import Surface
from planetfall.world.terrain.surface_axes import axes_of_site

LONGEST_ARROW = 0.45
"""Length of the longest force arrow, in wheelbases."""
ROOM_FOR_TEXT = 0.32
"""Depth of the ground that is drawn, in wheelbases: what stands below each wheel has five lines."""
VERDICT_COLORS = {1: "#56B4E9", 2: "#E69F00", 3: "#D55E00", 4: "#CC79A7", 5: "#000000", 6: "#5E3C99", 7: "#E8DFC8"}
"""Colours of what stops a rover, by the keys of `verdict.VERDICTS` and OFF_MAP."""
OFF_MAP = 7
"""In the picture of a map, where a wheel would leave it."""
MEANINGS = {
    **VERDICTS,
    6: "no pose: the mechanism cannot follow the ground, or it is unknown",
    OFF_MAP: "off the map: a wheel would leave it",
}


def draw_side_view(
    poses: Poses, forces: Forces, surface: Surface, folder: Path, name: str = "side_view", i: int = 0, title: str = ""
) -> Path:
    """One pose seen from each side, along the axles: ground, mechanism, load and traction of every wheel."""
    figure, first = new_figure(7.6, 7.4)
    first.remove()
    joints = joints_of(poses)
    base = float(np.ptp(_along(joints, poses, i)(joints.wheel_L[i])[:, 0]))
    scale = LONGEST_ARROW * base / max(float(np.nanmax(np.abs(forces.normal[i]))), 1e-12)
    for row, side in enumerate(SIDES):
        axes = figure.add_subplot(2, 1, row + 1)
        axes.grid(True, color="0.92", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        _draw_side(axes, poses, forces, surface, joints, i, row, scale)
        label_axes(axes, "along the heading [m]", "height [m]", f"{title or poses.rover.table.name}: {side} side")
        axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, fontsize=8)
        axes.set_aspect("equal", adjustable="datalim")
    figure.subplots_adjust(left=0.1, right=0.98, bottom=0.08, top=0.95, hspace=0.3)
    return save_figure(figure, folder, name)


def _along(joints: Joints, poses: Poses, i: int):
    """Takes points of the surface frame to (along the heading from the middle of the axis, height)."""
    yaw = poses.places[i, 2]
    heading, origin = np.array([np.cos(yaw), np.sin(yaw), 0.0]), joints.axis_L[i].mean(axis=0)
    return lambda points: np.stack([(points - origin) @ heading, np.asarray(points)[..., 2]], axis=-1)


def _draw_side(
    axes: Axes, poses: Poses, forces: Forces, surface: Surface, joints: Joints, i: int, side: int, scale: float
) -> None:
    seen, one, radius = _along(joints, poses, i), slice(3 * side, 3 * side + 3), poses.rover.table.wheels.radius
    wheels, contacts = seen(joints.wheel_L[i][one]), seen(joints.contact_L[i][one])
    axis, pivot, center = seen(joints.axis_L[i][side]), seen(joints.pivot_L[i][side]), seen(joints.center_L[i])
    ground = _profile(surface, poses, joints, i, side, wheels[:, 0].min() - 3 * radius, wheels[:, 0].max() + 3 * radius)
    _draw_body(axes, poses, joints, i, side)
    axes.plot(*ground, color="0.35", linewidth=1.0, zorder=1.5)
    depth = max(1.8 * radius, ROOM_FOR_TEXT * np.ptp(wheels[:, 0]))
    axes.fill_between(ground[0], ground[1], np.nanmin(ground[1]) - depth, color="0.93", zorder=1)
    rocker, inner, outer = (wheels[k] for k in np.argsort(poses.rover.order[:3]))
    for link in ((rocker, axis, pivot), (inner, pivot, outer)):
        axes.plot(*np.transpose(link), color="0.2", linewidth=2.2, solid_capstyle="round", zorder=3)
    axes.plot(*np.transpose([axis, pivot]), "o", color="white", markeredgecolor="0.2", markersize=5, zorder=4)
    axes.plot(*center, "P", color=COLORS[5], markersize=7, zorder=4, label="centre of mass")
    turn = np.linspace(0, 2 * np.pi, 61)
    for k, wheel in enumerate(WHEELS):
        axes.plot(wheels[k, 0] + radius * np.cos(turn), wheels[k, 1] + radius * np.sin(turn), color="0.45", zorder=2)
        near = ground[1][np.abs(ground[0] - contacts[k, 0]) < 1.5 * radius]
        _draw_forces(axes, poses, forces, contacts[k], i, 3 * side + k, scale, wheel, np.nanmin(near) - 0.3 * radius)


def _draw_body(axes: Axes, poses: Poses, joints: Joints, i: int, side: int) -> None:
    """The rover's body behind the mechanism."""
    yaw, middle = poses.places[i, 2], joints.axis_L[i].mean(axis=0)
    heading = np.array([np.cos(yaw), np.sin(yaw), 0.0])
    toward = np.cross(heading, [0.0, 0.0, 1.0]) * (1.0 if side == 0 else -1.0)
    at = np.array([0.0, 0.0, middle[2]])  # the picture's abscissa begins in the middle of the axis
    body = seen_from_side(drawn_parts(rover_body(poses.rover.table)), at, joints.R_LB[i], heading, toward)
    draw_seen(axes, body)
    axes.update_datalim(body.triangles.reshape(-1, 2))


def _draw_forces(
    axes: Axes, poses: Poses, forces: Forces, contact: np.ndarray, i: int, wheel: int, scale: float, name: str,
    below: float,
) -> None:  # fmt: skip
    angle = poses.contact_angle[i, wheel]
    normal, traction = forces.normal[i, wheel], forces.traction[i, wheel]
    directions = (np.array([-np.sin(angle), np.cos(angle)]), np.array([np.cos(angle), np.sin(angle)]))
    for value, direction, color, meaning in zip(
        (normal, traction), directions, COLORS[:2], ("load N", "traction T"), strict=True
    ):
        end = contact + value * scale * direction
        axes.plot([], [], color=color, label=meaning if wheel % 3 == 0 else None)
        if abs(value) * scale < 0.1 * poses.rover.table.wheels.radius:
            continue  # shorter than the head of its arrow
        arrow = {"arrowstyle": "-|>", "color": color, "linewidth": 1.6}
        axes.annotate("", tuple(end), tuple(contact), arrowprops=arrow, annotation_clip=False, zorder=5)
        axes.update_datalim([end])
    text = f"{name}\nN {_shown(normal)} N\nT {_shown(traction)} N\nslip ratio {forces.slip_ratio[i, wheel]:.2f}"
    text += f"\nfriction used {forces.friction_used[i, wheel]:.2f}"
    axes.annotate(text, (contact[0], below), ha="center", va="top", fontsize=7, zorder=6)


def _shown(force: float) -> str:
    """One digit after the point, and no minus before nought."""
    return f"{round(float(force), 1) + 0.0:.1f}"


def _profile(
    surface: Surface, poses: Poses, joints: Joints, i: int, side: int, low: float, high: float
) -> tuple[np.ndarray, np.ndarray]:
    """The ground along the heading, straight below each wheel, which may stand in a plane of its own."""
    yaw, along = poses.places[i, 2], np.linspace(low, high, 400)
    heading, origin = np.array([np.cos(yaw), np.sin(yaw), 0.0]), joints.axis_L[i].mean(axis=0)
    leftward = np.array([-heading[1], heading[0], 0.0])
    contacts = joints.contact_L[i][3 * side : 3 * side + 3] - origin
    wheels = (joints.wheel_L[i][3 * side : 3 * side + 3] - origin) @ heading
    reach = min(poses.rover.table.wheels.radius, np.diff(wheels).min() / 2)
    under = np.ravel([wheels - reach, wheels + reach], order="F")
    aside = np.interp(along, under, np.repeat(contacts @ leftward, 2))
    line = origin + along[:, None] * heading + aside[:, None] * leftward
    return along, heights_below(surface, line[:, :2])


def draw_map(
    found: MapScores, heights: np.ndarray, folder: Path, name: str = "traversability", title: str = ""
) -> Path:
    """Where a rover can stand: share of headings over shaded ground, and what stops it most often elsewhere.

    Args:
        found: Scores of the map.
        heights: The same nodes' heights [m], row to the north.
        folder: Where to write.
        name: Name of the files.
        title: Title of the figure; the rover's name if not given.
    """
    figure, first = new_figure(11.6, 4.8)
    first.remove()
    dx, dy = found.x[1] - found.x[0], found.y[1] - found.y[0]
    extent = (found.x[0] - dx / 2, found.x[-1] + dx / 2, found.y[0] - dy / 2, found.y[-1] + dy / 2)
    options: dict[str, Any] = {"origin": "lower", "extent": extent, "interpolation": "nearest"}
    left, right = (figure.add_axes((x, 0.11, 0.36, 0.81)) for x in (0.055, 0.52))
    shade = shaded(heights, float(dx), float(dy))
    inside = np.where(found.is_off_map.all(axis=0), np.nan, found.stands)
    share = left.imshow(inside, cmap="cividis", vmin=0, vmax=1, **options)
    bar = figure.add_axes((0.425, 0.11, 0.012, 0.81))
    figure.colorbar(share, cax=bar, label="share of headings at which it stands")
    worst, shown = _worst(found)
    colors = ListedColormap(["#ffffff00", *(VERDICT_COLORS[code] for code in shown)])
    right.imshow(shade, cmap="gray", vmin=0, vmax=1, **options)
    right.imshow(worst, cmap=colors, vmin=-0.5, vmax=len(shown) + 0.5, alpha=0.85, **options)
    for code in shown:
        label = "\n".join(textwrap.wrap(MEANINGS[code], 30))
        right.plot([], [], "s", color=VERDICT_COLORS[code], label=label)
    ground = axes_of_site(found.site)
    for axes, meaning in ((left, "where it stands"), (right, "what stops it most often")):
        axes.set_title(f"{title or found.rover.table.name}: {meaning}", loc="left")
        axes.set_xlabel(ground.labels[0])
        axes.set_aspect("equal")
    left.set_ylabel(ground.labels[1])
    if ground.north is not None:
        north_arrow(left, ground.north)
    if shown:
        right.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return save_figure(figure, folder, name)


def shaded(heights: np.ndarray, dx: float, dy: float) -> np.ndarray:
    """Ground lit from the upper left at 45 degrees, 0 to 1."""
    slope_y, slope_x = np.gradient(heights, dy, dx)
    lit = (0.5 * slope_x - 0.5 * slope_y + np.sqrt(0.5)) / np.sqrt(1 + slope_x**2 + slope_y**2)
    return np.clip(lit, 0.0, 1.0)


def _worst(found: MapScores) -> tuple[np.ndarray, list[int]]:
    """Most frequent verdict among the headings that fail, as an index into those shown plus one; 0 where most stand."""
    kind = np.where(found.is_off_map, OFF_MAP, found.verdict)
    counts = np.array([(kind == code).sum(axis=0) for code in MEANINGS])
    most = counts[1:].argmax(axis=0) + 1
    shown = [code for code in MEANINGS if code and np.any((most == code) & (found.stands < 0.5))]
    index = np.zeros(most.shape, dtype=int)
    for k, code in enumerate(shown, start=1):
        index[(most == code) & (found.stands < 0.5)] = k
    return index, shown

"""Figures of landings on small bodies: paths, speeds with contact shaded, the way over it (VanWal2017, 8, 9, 11)."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from planetfall.record.trajectory import Trajectory
from planetfall.report.distance_figures import section
from planetfall.report.style import curve, label_axes, new_figure, new_panels, new_rows, save_figure
from planetfall.scenario.attitude import rotation_matrix
from planetfall.world.terrain.ground import make_surface

VIEWS = (((0, "x"), (2, "z")), ((0, "x"), (1, "y")))
N_ACROSS, N_DEPTHS = 161, 33
"""Points along each side of a view, and sections through the body that make its outline."""
SLOWEST = 1e-9
"""Speeds and rates below this [m/s, rad/s] are drawn as this."""
SHORTEST = 1e-3
"""Share of the time axis that a contact phase is at least wide, so that an impact is seen (drawn, not computed)."""


def contact_phases(trajectory: Trajectory) -> list[tuple[float, float]]:
    """Spans [s] in which some point was in contact, from touchdowns and lift-offs."""
    end = float(trajectory.data.time.values[-1])
    count, since, spans = 0, 0.0, []
    for event in trajectory.events:
        if event.kind == "touch":
            count += 1
            since = event.time if count == 1 else since
        elif event.kind == "lift_off" and count > 0:
            count -= 1
            if count == 0:
                spans.append((since, event.time))
    return [*spans, (since, end)] if count else spans


def sliding_speed(trajectory: Trajectory) -> np.ndarray:
    """Speed [time] [m/s] over the ground of the point where friction acts on the first vehicle; NaN without contact."""
    data = trajectory.data
    arm = data.application_point.values[:, 0] - data.position.values[:, 0]
    turning_S = np.einsum(
        "tij,tj->ti", rotation_matrix(data.quaternion.values[:, 0]), data.angular_velocity.values[:, 0]
    )
    velocity = data.velocity.values[:, 0] + np.cross(turning_S, arm)
    out, touching = np.full(len(velocity), np.nan), np.isfinite(arm).all(axis=1)
    if touching.any():
        _, normal, _ = make_surface(trajectory.scenario, "cpu").ask(data.application_point.values[touching, 0])
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        along = np.sum(velocity[touching] * normal, axis=1, keepdims=True) * normal
        out[touching] = np.linalg.norm(velocity[touching] - along, axis=1)
    return out


def draw_velocities(trajectory: Trajectory, folder: Path) -> Path:
    """Speed of the centre of mass, rate of turning and sliding speed over time, contact phases shaded (Figure 9)."""
    data = trajectory.data
    time = data.time.values
    figure, rows = new_rows(3, row=1.9)
    shown = (
        ("speed [m/s]", np.linalg.norm(data.velocity.values[:, 0], axis=1)),
        ("rate [rad/s]", np.linalg.norm(data.angular_velocity.values[:, 0], axis=1)),
        ("sliding [m/s]", sliding_speed(trajectory)),
    )
    for i, (axes, (label, values)) in enumerate(zip(rows, shown, strict=True)):
        shade_contact(axes, trajectory)
        axes.plot(time, np.maximum(values, SLOWEST), **{**curve(0), "linewidth": 1.0})
        axes.set_yscale("log")
        title = f"{trajectory.scenario.name}: contact is shaded" if i == 0 else ""
        label_axes(axes, "time [s]" if i == 2 else "", label, title, has_legend=False)
    figure.align_ylabels(rows)
    return save_figure(figure, folder, "velocities")


def shade_contact(axes: Axes, trajectory: Trajectory) -> None:
    """Greys the spans in which some point was in contact."""
    time = trajectory.data.time.values
    least = SHORTEST * float(time[-1] - time[0])
    for start, end in contact_phases(trajectory):
        axes.axvspan(start, max(end, start + least), color="0.85", linewidth=0.0)


def draw_sliding(runs: dict[str, Trajectory], folder: Path) -> Path:
    """Sliding speed of runs that differ in one parameter, over time, contact of the first shaded (Figure 9, below)."""
    figure, axes = new_figure()
    shade_contact(axes, next(iter(runs.values())))
    for i, (label, trajectory) in enumerate(runs.items()):
        axes.plot(trajectory.data.time.values, np.maximum(sliding_speed(trajectory), SLOWEST), label=label, **curve(i))
    axes.set_yscale("log")
    name = next(iter(runs.values())).scenario.name
    label_axes(axes, "time [s]", "sliding at the application point [m/s]", f"{name}: from slip to stick", columns=2)
    return save_figure(figure, folder, "sliding")


def draw_hops(runs: dict[str, Trajectory], folder: Path) -> Path:
    """Height over horizontal distance from the start, one row per run, each to its own scale (Figure 8)."""
    figure, rows = new_rows(len(runs), row=1.9, is_shared=False)
    for i, (axes, (label, trajectory)) in enumerate(zip(rows, runs.items(), strict=True)):
        path = trajectory.data.position.values[:, 0]
        axes.plot(np.linalg.norm(path[:, :2] - path[0, :2], axis=1), path[:, 2], **curve(i))
        x = "horizontal distance [m]" if i == len(runs) - 1 else ""
        label_axes(axes, x, "height [m]", label, has_legend=False)
    figure.align_ylabels(rows)
    return save_figure(figure, folder, "hops")


def draw_way_over_body(trajectory: Trajectory, folder: Path) -> Path:
    """The centre of mass over the outline of the body, in two views along its axes."""
    surface = make_surface(trajectory.scenario, "cpu")
    path = trajectory.data.position.values[:, 0]
    assert surface.box is not None
    half = 1.05 * float(max(np.abs(surface.box).max(), np.abs(path[[0, -1]]).max()))
    across = np.linspace(-half, half, N_ACROSS)
    figure, panels = new_panels(2)
    for axes, ((i, right), (j, up)) in zip(panels, VIEWS, strict=True):
        low, high = surface.box[:, 3 - i - j]
        depths = np.linspace(low, high, N_DEPTHS)[:, None] * np.eye(3)[3 - i - j]
        cuts = [section(surface, depth, np.eye(3)[i], np.eye(3)[j], half, N_ACROSS) for depth in depths]
        gaps = np.min(cuts, axis=0)
        axes.contourf(across, across, gaps, levels=[-1e9, 0.0], colors=["0.85"])
        axes.contour(across, across, gaps, levels=[0.0], colors="0.35", linewidths=0.8)
        axes.plot(path[:, i], path[:, j], **curve(0))
        axes.plot(*path[0, [i, j]], "o", color=curve(2)["color"], label="start")
        axes.plot(*path[-1, [i, j]], "s", color=curve(1)["color"], label="end")
        axes.set_aspect("equal")
        title = f"{trajectory.scenario.name}: the way over the body" if up == "z" else ""
        label_axes(axes, f"{right} [m]", f"{up} [m]", title)
    return save_figure(figure, folder, "way")

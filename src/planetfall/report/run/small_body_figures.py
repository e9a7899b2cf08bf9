"""Figures of landings on small bodies: paths, and speeds with contact shaded (VanWal2017, 8, 9)."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from planetfall.record.trajectory import Trajectory
from planetfall.report.style import curve, label_axes, new_figure, new_rows, save_figure
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.world.terrain.ground import make_surface

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


def pieces_in_contact(trajectory: Trajectory) -> list[np.ndarray]:
    """Indices of the frames of each contact phase that have any: curves that belong together."""
    time, point = trajectory.data.time.values, trajectory.data.application_point.values[:, 0]
    touching = np.isfinite(point).all(axis=1)
    phases = contact_phases(trajectory)
    inside = [np.flatnonzero(touching & (time >= start) & (time <= end)) for start, end in phases]
    return [piece for piece in inside if len(piece)]


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
    pieces = pieces_in_contact(trajectory)
    title = f"{trajectory.scenario.name}: contact is shaded"
    if any(len(piece) == 1 for piece in pieces):
        title += "; dots: impacts with one frame"
    for i, (axes, (label, values)) in enumerate(zip(rows, shown, strict=True)):
        shade_contact(axes, trajectory)
        for piece in pieces if i == 2 else [slice(None)]:
            marker = "." if len(time[piece]) == 1 else ""
            axes.plot(time[piece], np.maximum(values[piece], SLOWEST), marker=marker, **{**curve(0), "linewidth": 1.0})
        axes.set_yscale("log")
        label_axes(axes, "time [s]" if i == 2 else "", label, title if i == 0 else "", has_legend=False)
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
    label_axes(axes, "time [s]", "sliding at the application point [m/s]", f"{name}: from slip to stick")
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

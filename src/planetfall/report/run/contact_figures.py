"""Figures of contact with memory: modes, lateral and vertical forces, as in Cordova2014 Figures 2 to 7."""

from pathlib import Path

import numpy as np
import xarray as xr

from planetfall.record.trajectory import Trajectory
from planetfall.report.style import as_written, curve, label_axes, new_figure, new_rows, save_figure
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.attitude import rotation_matrix

MODES = ("none", "static", "kinetic")
SLOW = 0.1
"""Speed [m/s] below which the axis of speeds is linear, and above which it is logarithmic."""


def draw_contact_figures(trajectory: Trajectory, folder: Path) -> list[Path]:
    """The figures of a run with a remembering law; those of lateral forces only where something pushes."""
    drawn = [draw_modes(trajectory, folder), draw_height(trajectory, folder)]
    if trajectory.scenario.forces:
        drawn += [draw_lateral_force(trajectory, folder), draw_friction_and_speed(trajectory, folder)]
    return drawn


def draw_modes(trajectory: Trajectory, folder: Path) -> Path:
    """One row per contact point that ever touched (Figures 4 and 7)."""
    data = trajectory.data
    time, modes = data.time.values, data.contact_mode.values
    touched = [j for j in range(modes.shape[1]) if modes[:, j].any()] or list(range(modes.shape[1]))
    figure, axes = new_figure(7.2, 1.1 + 0.75 * len(touched))
    for row, j in enumerate(reversed(touched)):
        at = change_points(modes[:, j])
        color = curve((len(touched) - 1 - row) % 4)["color"]
        axes.fill_between(time[at], row, row + 0.3 * modes[at, j], step="post", linewidth=0.8, color=color, alpha=0.75)
        axes.text(0.008, row + 0.78, as_written(str(data.point.values[j])), transform=axes.get_yaxis_transform(),
                  fontsize=9, va="center")  # fmt: skip
    ticks = [(row + 0.3 * mode, MODES[mode]) for row in range(len(touched)) for mode in range(3)]
    axes.set_yticks([place for place, _ in ticks], [name for _, name in ticks], fontsize=7)
    axes.grid(False, axis="y")
    axes.set_ylim(-0.05, len(touched))
    axes.set_xlim(time[0], max(time[-1], time[0] + 1e-3))
    label_axes(axes, "time [s]", "", f"{trajectory.scenario.name}: friction modes", has_legend=False)
    return save_figure(figure, folder, "modes")


def draw_height(trajectory: Trajectory, folder: Path) -> Path:
    """Height of the centre of mass, and below it the sum of the normal forces (Figure 6)."""
    data = trajectory.data
    figure, (above, below) = new_rows(2, row=2.2)
    above.plot(data.time.values, data.position_lframe.sel(nen="normal").values, **curve(0))
    total = data.contact_normal_force.values.sum(axis=1)
    below.plot(data.time.values, total / 1000.0, color=curve(1)["color"], linewidth=1.4)
    title = f"{trajectory.scenario.name}: height in LFRAME and ground force"
    label_axes(above, "", "height [m]", title, has_legend=False)
    label_axes(below, "time [s]", "normal force, all points [kN]", "", has_legend=False)
    figure.align_ylabels([above, below])
    return save_figure(figure, folder, "height")


def draw_lateral_force(trajectory: Trajectory, folder: Path) -> Path:
    """The push, the friction that answers it, and each point's share (Figures 2 and 5)."""
    data = trajectory.data
    figure, axes = new_figure()
    push = applied_force(trajectory.scenario, data)
    along = _direction(push)
    friction = -lateral_force(data)
    axes.plot(data.time.values, push @ along / 1000.0, label="applied", **curve(0))
    axes.plot(data.time.values, friction.sum(axis=1) @ along / 1000.0, label="friction, all points", **curve(1))
    for i, j in enumerate(np.flatnonzero(data.contact_mode.values.any(axis=0))):
        name = as_written(str(data.point.values[j]))
        axes.plot(data.time.values, friction[:, j] @ along / 1000.0, label=name, **curve(i + 2))
    label_axes(axes, "time [s]", "force along the push [kN]", f"{trajectory.scenario.name}: push and friction")
    return save_figure(figure, folder, "lateral_force")


def draw_friction_and_speed(trajectory: Trajectory, folder: Path) -> Path:
    """Friction of all points over the speed of the centre of mass along the push (Figure 3)."""
    data = trajectory.data
    figure, axes = new_figure()
    along = _direction(applied_force(trajectory.scenario, data))
    speed = data.velocity.values[:, 0] @ along
    friction = -lateral_force(data).sum(axis=1) @ along
    axes.plot(speed, friction / 1000.0, color=curve(0)["color"], linewidth=0.9)
    axes.axvline(0.0, color="0.6", linewidth=0.8, zorder=1)
    if np.abs(speed).max() > SLOW:  # a body that swings in place and one that slides, in one picture
        axes.set_xscale("symlog", linthresh=SLOW)
    label_axes(
        axes, f"speed along the push [m/s], linear below {SLOW:g}", "friction along the push [kN]",
        f"{trajectory.scenario.name}: friction over speed", has_legend=False,
    )  # fmt: skip
    return save_figure(figure, folder, "friction_speed")


def change_points(values: np.ndarray) -> np.ndarray:
    """Indices of the first value, of every one that differs from the one before, and of the last."""
    changes = np.flatnonzero(np.diff(values)) + 1
    return np.unique(np.concatenate([[0], changes, [len(values) - 1]]))


def lateral_force(data: xr.Dataset) -> np.ndarray:
    """The part of each point's ground force that lies in its facet [time, point, 3] [N], surface frame."""
    normal = np.nan_to_num(data.contact_normal.values)
    return data.contact_force.values - normal * data.contact_normal_force.values[:, :, None]


def applied_force(scenario: Scenario, data: xr.Dataset) -> np.ndarray:
    """The scenario's forces on the first vehicle along the run [time, 3] [N], surface frame."""
    attitude, time = rotation_matrix(data.quaternion.values[:, 0]), data.time.values
    total = np.zeros((len(time), 3))
    for force in (force for force in scenario.forces if scenario.body_index(force.body) == 0):
        size = np.interp(time, force.times, force.magnitudes, left=0.0, right=0.0)[:, None]
        direction = np.asarray(force.direction)
        total += size * (direction if force.kind == "push" else attitude @ direction)
    return total


def _direction(force: np.ndarray) -> np.ndarray:
    """Unit direction of a force's largest value [3]."""
    largest = force[np.argmax(np.linalg.norm(force, axis=1))]
    return largest / max(float(np.linalg.norm(largest)), 1e-300)

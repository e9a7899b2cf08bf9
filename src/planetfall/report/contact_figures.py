"""Figures of contact with memory: modes, lateral and vertical forces, as in Cordova2014 Figures 2 to 7."""

from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from planetfall.record.trajectory import Trajectory
from planetfall.report.style import as_written, curve, label_axes, new_figure, save_figure
from planetfall.scenario.attitude import rotation_matrix
from planetfall.scenario.scenario import Scenario

MODES = ("none", "static", "kinetic")


def draw_contact_figures(trajectory: Trajectory, folder: Path) -> list[Path]:
    """The figures of a run with a remembering law; those of lateral forces only where something pushes."""
    drawn = [draw_modes(trajectory, folder), draw_height(trajectory, folder)]
    if trajectory.scenario.forces:
        drawn += [draw_lateral_force(trajectory, folder), draw_friction_and_speed(trajectory, folder)]
    return drawn


def draw_modes(trajectory: Trajectory, folder: Path) -> Path:
    """One row per contact point that ever touched (Figures 4 and 7)."""
    data = trajectory.data
    modes = data.contact_mode.values
    touched = [j for j in range(modes.shape[1]) if modes[:, j].any()] or list(range(modes.shape[1]))
    figure, axes = new_figure(7.2, 1.2 + 0.7 * len(touched))
    for row, j in enumerate(reversed(touched)):
        axes.fill_between(
            data.time.values, row, row + 0.4 * modes[:, j], step="post", linewidth=1.0, **_shade(row, len(touched))
        )
    axes.set_yticks(
        [row + 0.4 * mode for row in range(len(touched)) for mode in range(3)],
        [f"{as_written(str(data.point.values[j]))}  none" if mode == 0 else MODES[mode]
         for j in reversed(touched) for mode in range(3)],
        fontsize=7,
    )  # fmt: skip
    axes.set_ylim(-0.1, len(touched))
    label_axes(axes, "time [s]", "", f"{trajectory.scenario.name}: friction modes", has_legend=False)
    return save_figure(figure, folder, "modes")


def draw_height(trajectory: Trajectory, folder: Path) -> Path:
    """Height of the centre of mass and the sum of the normal forces (Figure 6)."""
    data = trajectory.data
    figure, axes = new_figure()
    height = data.position_lframe.sel(nen="normal").values
    axes.plot(data.time.values, height, label="height of the centre of mass, LFRAME", **curve(0))
    figure.subplots_adjust(right=1 - 0.75 / figure.get_figwidth())
    right = axes.twinx()
    right.plot(
        data.time.values,
        data.contact_normal_force.values.sum(axis=1) / 1000.0,
        label="normal force, all points",
        **curve(1),
    )
    right.set_ylabel("normal force [kN]")
    handles = [*axes.get_lines(), *right.get_lines()]
    label_axes(axes, "time [s]", "height [m]", f"{trajectory.scenario.name}: height and ground force", has_legend=False)
    axes.legend(handles=handles, frameon=False, loc="upper right")
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
    label_axes(
        axes, "time [s]", "force along the push [kN]", f"{trajectory.scenario.name}: push and friction", columns=2
    )
    return save_figure(figure, folder, "lateral_force")


def draw_friction_and_speed(trajectory: Trajectory, folder: Path) -> Path:
    """Friction of all points over the speed of the centre of mass along the push (Figure 3)."""
    data = trajectory.data
    figure, axes = new_figure()
    along = _direction(applied_force(trajectory.scenario, data))
    speed = data.velocity.values[:, 0] @ along
    axes.plot(speed, -lateral_force(data).sum(axis=1) @ along / 1000.0, label="friction, all points", **curve(0))
    label_axes(
        axes, "speed along the push [m/s]", "friction [kN]", f"{trajectory.scenario.name}: friction over speed",
        has_legend=False,
    )  # fmt: skip
    return save_figure(figure, folder, "friction_speed")


def lateral_force(data: xr.Dataset) -> np.ndarray:
    """The part of each point's ground force that lies in its facet [time, point, 3] [N], surface frame."""
    normal = np.nan_to_num(data.contact_normal.values)
    return data.contact_force.values - normal * data.contact_normal_force.values[:, :, None]


def applied_force(scenario: Scenario, data: xr.Dataset) -> np.ndarray:
    """The scenario's own forces along the run [time, 3] [N], surface frame."""
    attitude, time = rotation_matrix(data.quaternion.values[:, 0]), data.time.values
    total = np.zeros((len(time), 3))
    for force in scenario.forces:
        size = np.interp(time, force.times, force.magnitudes, left=0.0, right=0.0)[:, None]
        direction = np.asarray(force.direction)
        total += size * (direction if force.kind == "push" else attitude @ direction)
    return total


def _direction(force: np.ndarray) -> np.ndarray:
    """Unit direction of a force's largest value [3]."""
    largest = force[np.argmax(np.linalg.norm(force, axis=1))]
    return largest / max(float(np.linalg.norm(largest)), 1e-300)


def _shade(row: int, n_rows: int) -> dict[str, Any]:
    return {"color": curve((n_rows - 1 - row) % 4)["color"], "alpha": 0.75}

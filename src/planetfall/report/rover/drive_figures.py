"""Figures of a rover's drive: from above, the worst pose from the side, the wheels, margins and energy, loads."""

from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from planetfall.record.trajectory import Trajectory
from planetfall.report.rover.plan_view import draw_plan
from planetfall.report.rover.pose_figures import draw_side_view
from planetfall.report.style import (
    COLORS,
    as_written,
    below_figures,
    curve,
    label_axes,
    new_panels,
    new_rows,
    save_figure,
)
from planetfall.rover.drive.prepare import PreparedDrive, prepare
from planetfall.rover.kinematics.poses import Poses, find_poses
from planetfall.rover.model import SIDES, WHEELS
from planetfall.rover.statics.statics import Soil, find_forces
from planetfall.scenario.drive import DriveScenario
from planetfall.scenario.files.changed_keys import changes_text, title_of

SIDE_DASHES = {"right": "-", "left": "--"}
"""Right and left wheels of the same place share a colour."""
FRICTION_USED = "wheel_friction_used"
"""Drives that were saved before there was such a variable are drawn without it."""
SWEPT = 801
"""Torques of a motor for which the loads are computed, of which those that no wheel lifts at are shown."""


def draw_drive(trajectory: Trajectory[DriveScenario], folder: Path) -> list[Path]:
    """Draws every figure of a drive, as PNG and SVG; returns the PNG files."""
    ready = prepare(trajectory.scenario)
    first = find_poses(ready.rover, ready.surface, ready.path.places(ready.rover)[:1])
    with below_figures(changes_text(trajectory.scenario)):
        return [
            draw_plan(trajectory, ready, folder),
            draw_worst(trajectory, ready, folder),
            draw_wheels(trajectory, folder),
            draw_margins(trajectory, folder),
            draw_load_torque(first, ready.soil, ready.gravity, folder, f"{title_of(trajectory.scenario)}, 0 m"),
        ]


def draw_worst(trajectory: Trajectory[DriveScenario], ready: PreparedDrive, folder: Path) -> Path:
    """The pose that uses most of the friction, seen from both sides; the steepest one where nothing pulls."""
    data, goal = trajectory.data, trajectory.scenario.drive.goal
    measure = data[FRICTION_USED if FRICTION_USED in data else "wheel_slip_ratio"].max("wheel").values
    if not np.nanmax(measure) > 0:
        measure = np.abs(data.rover_pitch.values)
    i = int(np.nanargmax(measure))
    distance = float(data.distance.values[i])
    stretch = ready.stretch_at(distance)
    poses = find_poses(stretch.rover, ready.surface, ready.path.places(stretch.rover)[i : i + 1])
    forces = find_forces(poses, stretch.soil, ready.gravity, goal)
    return draw_side_view(
        poses, forces, ready.surface, folder, title=f"{title_of(trajectory.scenario)}, {distance:.2f} m"
    )


def draw_wheels(trajectory: Trajectory[DriveScenario], folder: Path) -> Path:
    """Loads, torques, slip ratios and friction used of the six wheels over the distance."""
    data, name = trajectory.data, title_of(trajectory.scenario)
    shown = {"load [N]": "contact_normal_force", "torque [N m]": "wheel_torque", "slip ratio [-]": "wheel_slip_ratio"}
    if FRICTION_USED in data:
        shown["friction used [-]"] = FRICTION_USED
    figure, rows = new_rows(len(shown), row=2.0 if len(shown) == 3 else 1.7)
    for axes, (label, key) in zip(rows, shown.items(), strict=True):
        _six(axes, data.distance.values, data[key].values)
        axes.set_ylabel(label)
        if axes in rows[2:]:
            axes.axhline(1.0, color="0.5", linewidth=0.8)
            top = float(np.nanmax(data[key].values))
            axes.set_ylim(0.0, 1.1 if top <= 1.05 else min(1.1 * top, 3.0))  # beyond, a wheel spins
    rows[0].set_title(as_written(f"{name}: wheels, torques for {trajectory.scenario.drive.goal}"), loc="left", pad=22)
    rows[0].legend(frameon=False, ncols=6, fontsize=7, loc="lower left", bbox_to_anchor=(0.0, 1.0))
    rows[-1].set_xlabel("distance [m]")
    return save_figure(figure, folder, "wheels")


def draw_margins(trajectory: Trajectory[DriveScenario], folder: Path) -> Path:
    """Margins, attitude, and where the motors' work went, over the distance."""
    data, name = trajectory.data, title_of(trajectory.scenario)
    figure, rows = new_rows(3, row=2.0)
    along = data.distance.values
    for i, (label, key) in enumerate({"stability": "margin_stability", "unloading": "margin_unloading"}.items()):
        rows[0].plot(along, data[key].values, label=label, **curve(i))
    rows[0].axhline(0.0, color="0.5", linewidth=0.8)
    for i, (label, key) in enumerate({"roll": "rover_roll", "pitch": "rover_pitch"}.items()):
        rows[1].plot(along, np.degrees(data[key].values), label=label, **curve(i))
    for i, (label, values) in enumerate(_account(data).items()):
        rows[2].plot(along, values, label=label, **curve(i))
    labels = ("margin over flat [-]", "angle [deg]", "work [J]")
    for axes, label in zip(rows, labels, strict=True):
        axes.set_ylabel(label)
        axes.legend(frameon=False, fontsize=7, ncols=4, loc="lower right", bbox_to_anchor=(1.0, 0.98))
    rows[0].set_title(as_written(f"{name}: margins, attitude, energy"), loc="left", pad=18)
    rows[2].set_xlabel("distance [m]")
    return save_figure(figure, folder, "margins_energy")


def draw_load_torque(poses: Poses, soil: Soil, gravity: float, folder: Path, title: str = "") -> Path:
    """Change of the loads of the right side with the torque of one motor, the others off (Hacot1998 Figure 4).

    A motor's curves end where a wheel of the side would lift; they are thin where the driven wheel would slide, since
    the ground does not carry that torque.
    """
    idle = find_forces(poses, soil, gravity, "commanded", np.zeros(6)).normal[0]
    figure, panels = new_panels(3, width=10.4, height=3.8)
    figure.subplots_adjust(top=1 - 0.75 / 3.8)
    for k, (axes, motor) in enumerate(zip(panels, WHEELS, strict=True)):
        sweep, loads, holds = _swept(poses, soil, gravity, k)
        for wheel, label in enumerate(WHEELS):
            change, look = loads[:, wheel] - idle[wheel], curve(wheel)
            (thin,) = axes.plot(sweep, np.where(holds, np.nan, change), **look)
            (bold,) = axes.plot(sweep, np.where(holds, change, np.nan), label=f"{label} wheel", **look)
            thin.set_linewidth(0.7)
            bold.set_linewidth(2.0)
        label_axes(axes, f"torque of the {motor} motor [N m]", "", f"{motor} motor", has_legend=k == 2)
        axes.sharey(panels[0])
        axes.tick_params(labelleft=k == 0)
    panels[0].set_ylabel("change of the load [N]")
    name = title or poses.rover.table.name
    figure.suptitle(
        as_written(f"{name}: loads of the right side, with one of its motors on and the others off\n")
        + "bold: the driven wheel holds; thin: it would slide; each curve ends where a wheel would lift",
        x=0.8 / 10.4, y=0.995, ha="left", va="top", fontsize=9,
    )  # fmt: skip
    return save_figure(figure, folder, "load_torque")


def _swept(poses: Poses, soil: Soil, gravity: float, motor: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Torques of one motor of the right side at which no wheel lifts [N m], the loads, and whether its wheel holds."""
    largest = poses.rover.table.wheels.torque_max
    sweep = np.linspace(-largest, largest, SWEPT)
    repeated = Poses(poses.rover, np.repeat(poses.places[:1], SWEPT, axis=0), np.repeat(poses.raw[:1], SWEPT))
    torques = np.zeros((SWEPT, 6))
    torques[:, motor] = sweep
    forces = find_forces(repeated, soil, gravity, "commanded", torques)
    lifts = np.flatnonzero(forces.normal[:, :3].min(axis=1) < 0.0)
    middle = SWEPT // 2
    first, last = lifts[lifts < middle].max(initial=-1) + 1, lifts[lifts > middle].min(initial=SWEPT)
    kept = slice(int(first), int(last))
    return sweep[kept], forces.normal[kept, :3], forces.slip_ratio[kept, motor] <= 1.0


def _six(axes: Axes, along: np.ndarray, values: np.ndarray) -> None:
    for i, side in enumerate(SIDES):
        for k, wheel in enumerate(WHEELS):
            style = {"color": COLORS[k], "linestyle": SIDE_DASHES[side], "linewidth": 1.3}
            axes.plot(along, values[:, 3 * i + k], label=f"{wheel} {side}", **style)


def _account(data: xr.Dataset) -> dict[str, np.ndarray]:
    """Work that the motors did, and what became of it; losses only where there are any."""
    main = {"motors": data.work_motor.sum("wheel", skipna=False).values}
    driving = data.work_motor_positive.sum("wheel", skipna=False).values
    if np.nanmax(driving - main["motors"]) > 1e-3 * max(np.nanmax(driving), 1e-300):
        main = {"motors, net": main["motors"], "motors that drive": driving}
    main["rise of the centre of mass"] = data.energy_gravity.values
    lost = {
        "rolling resistance": -data.work_rolling.sum("wheel", skipna=False).values,
        "at the contacts": -data.work_contact.sum("wheel", skipna=False).values,
    }
    if "work_slip" in data:  # drives of earlier versions reckoned without
        lost["slip in the soil"] = -data.work_slip.sum("wheel", skipna=False).values
    largest = max(float(np.nanmax(np.abs(values))) for values in main.values())
    return main | {label: values for label, values in lost.items() if np.nanmax(np.abs(values)) > 1e-3 * largest}

"""Figures of a vehicle that is lowered by a flying one (Raiszadeh2012 Figures 11 to 13)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from planetfall.record.trajectory import Trajectory
from planetfall.record.variables.places import heights
from planetfall.report.run.flight_timeline import FAR_UP, mark_phases
from planetfall.report.style import as_written, curve, label_axes, new_figure, save_figure
from planetfall.world.terrain.ground import make_surface

AFTER_TOUCH = 0.55
"""Time shown after the first touch in the figure of the wheels' forces [s]."""
AROUND_TOUCH = (1.0, 4.0)
"""Time shown before and after it in the figure of the sums [s]."""
FEW = 20
"""Frames of the record in the time shown from which on lines between them tell how a force went."""
HIGH = 1e4
"""Height from which the ground under the landing place is looked for [m]."""


def draw_landing(trajectory: Trajectory, folder: Path) -> list[Path]:
    """Altitudes, forces after the first touch, and sums of tether and ground forces; the last two if there was one."""
    drawn = [draw_altitudes(trajectory, folder)]
    touch = first_touch(trajectory)
    if touch is not None:
        drawn += [draw_touchdown(trajectory, folder, touch), draw_load_transfer(trajectory, folder, touch)]
    return drawn


def first_touch(trajectory: Trajectory) -> float | None:
    """When the first vehicle touched the ground [s]."""
    own = np.flatnonzero(trajectory.data.point_body.values == 0)
    times = [event.time for event in trajectory.events if event.kind == "touch" and event.point in own]
    return min(times, default=None)


def draw_touchdown(trajectory: Trajectory, folder: Path, touch: float) -> Path:
    """Normal forces on the first vehicle's points for half a second after the first touch."""
    data = trajectory.data
    shown = (data.time.values >= touch - 0.05) & (data.time.values <= touch + AFTER_TOUCH)
    data = data.isel(time=shown, point=data.point_body.values == 0)
    figure, axes = new_figure()
    drawn, what = _as_recorded(trajectory, AFTER_TOUCH)
    force, i = data.contact_normal_force.values / 1000.0, 0
    for j, name in enumerate(data.point.values):
        if force[:, j].any():
            axes.plot(data.time.values, force[:, j], label=as_written(str(name)), **drawn(curve(i)))
            i += 1
    idle = [str(name) for j, name in enumerate(data.point.values) if not force[:, j].any()]
    title = f"{trajectory.scenario.name}: normal forces after the first touch{what}"
    label_axes(axes, "time [s]", "normal force [kN]", title)
    if idle:
        axes.text(
            0.99, 0.4, as_written("no contact: " + ", ".join(idle)), transform=axes.transAxes, ha="right",
            fontsize="small", color="0.35",
        )  # fmt: skip
    return save_figure(figure, folder, "touchdown_forces")


def _as_recorded(trajectory: Trajectory, span: float) -> tuple[Callable[[dict[str, Any]], dict[str, Any]], str]:
    """How curves over a time [s] are drawn, and what a title adds: frames alone where these are few."""
    interval = trajectory.scenario.record.interval
    if span >= FEW * interval:
        return lambda look: look, ""
    alone = {"linestyle": "none", "marker": "o", "markersize": 4.0}
    return lambda look: {**look, **alone}, f", frames every {interval:g} s and of peaks"


def draw_altitudes(trajectory: Trajectory, folder: Path) -> Path:
    """Heights of all vehicles over the ground at the first one's last place, with the controller's phases."""
    data = trajectory.data
    place = data.position.values[-1, 0] * [1.0, 1.0, 0.0] + [0.0, 0.0, HIGH]
    depth, _ = make_surface(trajectory.scenario, "cpu").cast(place[None], np.array([[0.0, 0.0, -1.0]]), 2.0 * HIGH)
    below = data.position.values[-1, 0, 2] - (HIGH - float(depth[0]))
    where = "over the landing place" if np.isfinite(below) else "over the end, where no ground is known"
    height = heights(trajectory.scenario, data.position.values)
    height = height - height[-1, 0] + (below if np.isfinite(below) else 0.0)
    scale, unit = (1e3, "km") if np.nanmax(height) > FAR_UP else (1.0, "m")
    figure, axes = new_figure()
    for b, name in enumerate(data.body.values):
        axes.plot(data.time.values, height[:, b] / scale, label=as_written(str(name)), **curve(b))
    mark_phases(axes, trajectory, float(np.nanmax(height)) / scale)
    label_axes(axes, "time [s]", f"altitude [{unit}]", f"{trajectory.scenario.name}: altitudes {where}")
    return save_figure(figure, folder, "altitudes")


def draw_load_transfer(trajectory: Trajectory, folder: Path, touch: float) -> Path:
    """Sum of the tethers' tensions and of the ground's normal forces on the first vehicle, about the first touch."""
    data = trajectory.data
    time = data.time.values
    shown = (time >= touch - AROUND_TOUCH[0]) & (time <= touch + AROUND_TOUCH[1])
    own = data.point_body.values == 0
    pull = data.tether_tension.values[shown].sum(axis=1) / 1000.0
    push = data.contact_normal_force.values[shown][:, own].sum(axis=1) / 1000.0
    figure, axes = new_figure()
    drawn, what = _as_recorded(trajectory, sum(AROUND_TOUCH))
    axes.plot(time[shown], push, label="ground, sum of normal forces", **drawn(curve(1)))
    axes.plot(time[shown], pull, label="tethers, sum of tensions", **drawn(curve(0)))
    landed = trajectory.summary.get("landed_s")
    if landed is not None and time[shown][0] <= landed <= time[shown][-1]:
        axes.axvline(landed, color="0.5", linewidth=0.8, linestyle=":", label="landing declared")
    label_axes(axes, "time [s]", "force [kN]", f"{trajectory.scenario.name}: tether and ground forces{what}")
    return save_figure(figure, folder, "load_transfer")

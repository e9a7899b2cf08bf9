"""The timeline of a flight: all its phases, and height, speed and thrust of the vehicle that is flown."""

from pathlib import Path
from typing import Any

import numpy as np

from planetfall.flight.mount_flight import flown_body
from planetfall.record.trajectory import Trajectory
from planetfall.record.variables.places import heights
from planetfall.report.style import COLORS, as_written, curve, label_axes, new_rows, save_figure

CLOSE = 0.025
"""Of the time shown: phases that begin closer together than a letter is wide share a label."""
FAR_UP, STRONG = 1e4, 1e4
"""Height [m] and force [N] from which on an axis is in kilometres and kilonewtons."""
PHASE_ROW = 0.17
"""Height of a phase's bar with its name [inch]."""


def begin_of(change: dict[str, Any]) -> tuple[str, float]:
    """Name and beginning [s] of a phase; runs of version 0.1 call them `phase` and `time`."""
    return (change["name"], change["begins_s"]) if "begins_s" in change else (change["phase"], change["time"])


def mark_phases(axes: Any, trajectory: Trajectory, top: float, is_named: bool = True) -> None:
    """A line where each phase begins, named at the height `top` of the ordinate."""
    span, last = float(np.ptp(trajectory.data.time.values)), -np.inf
    for name, begins in [begin_of(change) for change in trajectory.summary.get("phases", [])][1:]:
        axes.axvline(begins, color="0.75", linewidth=0.7, zorder=1)
        if is_named and begins - last > CLOSE * span:
            axes.text(
                begins, top, as_written(f" {name}"), rotation=90, va="top", ha="right", fontsize="x-small", color="0.35"
            )
            last = begins


def draw_phases(axes: Any, trajectory: Trajectory) -> None:
    """A bar for each phase, one below the other, with its name beside it."""
    time = trajectory.data.time.values
    begun = [begin_of(change) for change in trajectory.summary.get("phases", [])]
    ends = [begins for _, begins in begun[1:]] + [float(time[-1])]
    middle = 0.5 * (float(time[0]) + float(time[-1]))
    for i, ((name, begins), end) in enumerate(zip(begun, ends, strict=True)):
        axes.barh(i, end - begins, left=begins, height=0.7, color=COLORS[0], edgecolor=COLORS[0], linewidth=0.8)
        is_left = begins > middle
        axes.annotate(
            as_written(name), (begins if is_left else end, i), xytext=(-4 if is_left else 4, 0),
            textcoords="offset points", ha="right" if is_left else "left", va="center", fontsize="x-small",
        )  # fmt: skip
    axes.set_ylim(len(begun) - 0.5, -0.5)
    axes.set_yticks([])
    axes.grid(False)
    axes.spines["left"].set_visible(False)


def draw_timeline(trajectory: Trajectory, folder: Path) -> Path:
    """Phases, height over the place where the vehicle ends, speed, and the sum of its thrusts."""
    data, scenario = trajectory.data, trajectory.scenario
    body, time = flown_body(scenario), data.time.values
    sequence = None if scenario.flight is None else scenario.flight.sequence
    up = np.array((0.0, 0.0, 1.0) if sequence is None else sequence.up)
    height = (data.position.values[:, body] - data.position.values[-1, body]) @ up
    if "latitude" in data:  # far from the site its vertical is another
        height = heights(scenario, data.position.values[:, body])
        height = height - height[-1]
    is_high, thrust = np.nanmax(height) > FAR_UP, data.thrust.values.sum(axis=1)
    is_strong = np.nanmax(thrust) > STRONG
    rows = {
        f"height [{'km' if is_high else 'm'}]": height / (1e3 if is_high else 1.0),
        "speed [m/s]": np.linalg.norm(data.velocity.values[:, body], axis=1),
        f"thrust [{'kN' if is_strong else 'N'}]": thrust / (1e3 if is_strong else 1.0),
    }
    figure, axes = new_rows(len(rows) + 1, first=0.3 + PHASE_ROW * len(trajectory.summary.get("phases", [])))
    draw_phases(axes[0], trajectory)
    label_axes(axes[0], "", "phases", f"{scenario.name}: phases, and the flight to where it ends", has_legend=False)
    for i, (row, (label, values)) in enumerate(zip(axes[1:], rows.items(), strict=True)):
        row.plot(time, values, **curve(i))
        mark_phases(row, trajectory, float(np.nanmax(values)), is_named=False)
        label_axes(row, "time [s]" if i + 1 == len(rows) else "", label, "", has_legend=False)
    return save_figure(figure, folder, "flight_timeline")

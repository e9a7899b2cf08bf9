"""The figure of sink height against vibration against step."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from planetfall.analysis.run.vibration import VibrationTrade, vibration_trade
from planetfall.report.style import as_written, curve, new_panels, save_figure
from planetfall.scenario.scenario import Scenario

FLOOR = 1e-6
"""Vibration [m/s^2] at which weaker ones are drawn: a tenth of a millionth of g, less than any IMU feels."""
MARKS = "osD^vP"


def vibration_figure(
    scenario: Scenario, sinks: Sequence[float], steps: Sequence[float], folder: Path, **options: Any
) -> Path:
    """Runs the grid and draws it; `options` are those of `analysis.vibration.vibration_trade`."""
    return draw_vibration(vibration_trade(scenario, sinks, steps, **options), folder)


def draw_vibration(trade: VibrationTrade, folder: Path) -> Path:
    """Two panels over sink height, one curve per step: just after touchdown, and at the end of the run."""
    figure, (left, right) = new_panels(2)
    _draw_panel(left, trade, trade.landing)
    _draw_panel(right, trade, trade.standing)
    _mark_lost(right, trade)
    left.set_ylabel("rms of specific force [m/s²]")
    left.set_title(as_written(f"{trade.scenario}, landing: first {trade.window:g} s after touch"), loc="left")
    right.set_title(f"standing: last {trade.window:g} s", loc="left")
    right.legend(frameon=False)
    for axes in (left, right):
        axes.set_xlabel("sink height [mm]")
    return save_figure(figure, folder, "vibration")


def _draw_panel(axes: Axes, trade: VibrationTrade, values: np.ndarray) -> None:
    for j, step in enumerate(trade.steps):
        drawn = np.maximum(values[:, j], FLOOR)  # NaN stays, and is not drawn
        style = {"marker": MARKS[j % len(MARKS)], "markersize": 4, "label": f"step {step * 1e3:g} ms", **curve(j)}
        axes.plot(trade.sinks * 1e3, drawn, **style)
    axes.set_xscale("log")
    axes.set_yscale("log")
    shown = np.maximum(values[np.isfinite(values)], FLOOR)
    axes.set_ylim(0.5 * np.min(shown, initial=1.0), 2.0 * np.max(shown, initial=1.0))
    if np.any(shown == FLOOR):
        place = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom"}
        axes.annotate(f"{FLOOR:g} or less", (1.0, FLOOR), color="0.4", fontsize="small", **place)


def _mark_lost(axes: Axes, trade: VibrationTrade) -> None:
    """Crosses above the curves, one row per step, where the vehicle does not stand at the end."""
    if not trade.lost.any():
        return
    low, top = axes.get_ylim()
    axes.plot([], [], "x", color="0.3", label="not standing at the end")
    for j in range(len(trade.steps)):
        sinks = trade.sinks[trade.lost[:, j]] * 1e3
        axes.plot(sinks, np.full(len(sinks), top * 2.0 ** (len(trade.steps) - 1 - j)), "x", color=curve(j)["color"])
    axes.set_ylim(low, top * 2.0 ** len(trade.steps))

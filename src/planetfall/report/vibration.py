"""The figure of sink height against vibration against step."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from planetfall.analysis.vibration import VibrationTrade, vibration_trade
from planetfall.report.style import curve, label_axes, new_panels, save_figure
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
    panels = ((left, trade.landing, "landing"), (right, trade.standing, "standing"))
    for axes, values, _ in panels:
        _draw_panel(axes, trade, values)
    spans = (f"first {trade.window:g} s after touch", f"last {trade.window:g} s of the run")
    for (axes, _, title), span in zip(panels, spans, strict=True):
        label_axes(axes, "sink height [mm]", "rms of specific force [m/s²]", f"{trade.scenario}, {title}: {span}")
    left.get_legend().remove()
    right.set_ylabel("")
    return save_figure(figure, folder, "vibration")


def _draw_panel(axes: Axes, trade: VibrationTrade, values: np.ndarray) -> None:
    sinks = trade.sinks * 1e3
    shown = np.maximum(values[np.isfinite(values)], FLOOR)
    low, top = 0.5 * np.min(shown, initial=1.0), 2.0 * np.max(shown, initial=1.0)
    for j, step in enumerate(trade.steps):
        drawn = np.maximum(values[:, j], FLOOR)  # NaN stays
        axes.plot(sinks, drawn, marker=MARKS[j % len(MARKS)], markersize=4, label=f"step {step * 1e3:g} ms", **curve(j))
    lost = sinks[trade.diverged.any(axis=1)]
    if len(lost):
        axes.plot(lost, np.full(len(lost), top / 1.5), "x", color="0.3", label="a step diverged")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(low, top)
    if low < FLOOR:
        place = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom"}
        axes.annotate(f"{FLOOR:g} or less", (1.0, FLOOR), color="0.4", fontsize="small", **place)

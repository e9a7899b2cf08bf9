"""The figure of what the sensors read."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from planetfall.record.labels import unit_text, words_and_unit
from planetfall.record.trajectory import Trajectory
from planetfall.record.variables.readings import SWITCH_MEANING
from planetfall.report.style import COLORS, as_written, curve, new_rows, save_figure
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.flight.sensors import SensorSwitch

AXES = ("x", "y", "z")
DIVERGED = 1e15
"""Readings beyond this are those of a run that blew up, and not drawn."""


def draw_readings(trajectory: Trajectory, folder: Path) -> Path:
    """One row per quantity, over time; lines at the first touch of what is judged, and where it says that it landed."""
    data = trajectory.data
    sensors = trajectory.scenario.sensors
    names = [name for s in sensors for name in (s.variables if s.kind == "imu" else s.variables[:1])]
    figure, rows = new_rows(len(names))
    for axes, name in zip(rows, names, strict=True):
        values = data[name].values.reshape(data[name].shape[0], -1)
        values = np.where(np.abs(values) < DIVERGED, values, np.nan)
        parts = parts_of(trajectory.scenario, data[name])
        for i, part in enumerate(parts):
            label = as_written(part) if len(parts) > 1 else None
            axes.plot(data[data[name].dims[0]].values, values[:, i], label=label, **{**curve(i), "linewidth": 1.0})
        axes.set_ylabel(_scale(axes, data[name]))
        axes.set_title(as_written(words_and_unit(name)[0]), loc="left", fontsize="medium", pad=3.0)
        if values.shape[1] > 1:
            axes.legend(
                frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize="small", borderaxespad=0.0
            )
    _mark_instants(rows, trajectory)
    rows[-1].set_xlabel("time [s]")
    _head(figure, f"{trajectory.scenario.name}: readings", trajectory)
    return save_figure(figure, folder, "readings")


def parts_of(scenario: Scenario, reading: xr.DataArray) -> Sequence[str]:
    """What each column of a reading belongs to: an axis, the contact point that a switch is on, or a beam."""
    if "axis" in reading.dims:
        return AXES
    for sensor in scenario.sensors:
        if isinstance(sensor, SensorSwitch) and sensor.name == reading.name:
            return sensor.points
    n = reading.shape[1] if reading.ndim > 1 else 1
    return [f"beam {i + 1}" for i in range(n)]


def _scale(axes: Axes, reading: xr.DataArray) -> str:
    """The label of a row's axis; that of switches has words for its two values."""
    if reading.attrs.get("long_name") == SWITCH_MEANING:
        axes.set_yticks([0, 1], ["open", "closed"])
        axes.set_ylim(-0.15, 1.15)
        return ""
    unit = unit_text(reading.attrs["units"])
    return f"[{unit}]" if unit else "[-]"


def _instants(trajectory: Trajectory) -> dict[str, float]:
    judged = trajectory.data.point_body.values < trajectory.scenario.n_judged
    first = zip(trajectory.summary["first_touch_s"], judged, strict=True)  # what is discarded comes down on its own
    touches = [time for time, is_judged in first if time is not None and is_judged]
    marks = {"first touch": min(touches, default=np.nan), "landing detected": trajectory.summary.get("landed_s")}
    return {name: float(time) for name, time in marks.items() if time is not None and np.isfinite(time)}


def _mark_instants(rows: list[Axes], trajectory: Trajectory) -> None:
    for axes in rows:
        for name, time in _instants(trajectory).items():
            axes.axvline(time, color="0.45", linewidth=1.0, linestyle=":" if name == "first touch" else "-", zorder=1.5)


def _head(figure: Figure, title: str, trajectory: Trajectory) -> None:
    marks = [f"{'dotted' if name == 'first touch' else 'solid'}: {name}" for name in _instants(trajectory)]
    width, height = figure.get_size_inches()
    left, top = 0.95 / width, 1 - 0.28 / height
    figure.text(left, top, as_written(title), fontsize="large", ha="left")
    figure.text(1 - 0.15 / width, top, ", ".join(marks), fontsize="small", ha="right", color=COLORS[-1])

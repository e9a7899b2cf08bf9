"""The figure of the tethers: tensions and their sum, distances of the ends and rest lengths."""

from pathlib import Path

import numpy as np

from planetfall.record.trajectory import Trajectory
from planetfall.report.style import as_written, curve, new_rows, save_figure

MAX_LINES = 6
"""Tethers that a figure can tell apart; of more only the sum is drawn."""


def draw_tethers(trajectory: Trajectory, folder: Path) -> Path:
    """Tension of each tether and their sum, and below it each one's length, until it is cut, with its rest length."""
    data = trajectory.data
    time, tension = data.time.values, data.tether_tension.values / 1000.0
    figure, (pull, reach) = new_rows(2, row=2.3)
    shown = range(tension.shape[1] if tension.shape[1] <= MAX_LINES else 0)
    for i in shown:
        label = as_written(str(data.tether.values[i]))
        pull.plot(time, tension[:, i], label=label, **curve(i))
        holds = data.tether_cut.values[:, i] == 0  # the ends of what is cut part by hundreds of metres
        lengths = (data.tether_length.values[:, i], data.tether_rest_length.values[:, i])
        length, rest = (np.where(holds, values, np.nan) for values in lengths)
        reach.plot(time, length, label=label, **curve(i))
        reach.plot(time, rest, color="0.45", linewidth=0.8, linestyle=":")
    if tension.shape[1] > 1:
        pull.plot(time, tension.sum(axis=1), color="0.1", linewidth=1.4, label="sum")
    pull.set_ylabel("tension [kN]")
    reach.set_ylabel("length [m]")
    title = "distance of the ends, until a tether is cut; dotted: rest length"
    reach.set_title(title, loc="left", fontsize="medium", pad=3.0)
    if tension.shape[1] > 1:
        pull.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
    reach.set_xlabel("time [s]")
    pull.set_title(as_written(f"{trajectory.scenario.name}: tethers"), loc="left")
    return save_figure(figure, folder, "tethers")

"""Time to rest, distance and touches over a swept parameter: medians and quartiles."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from planetfall.analysis.campaign.settling import Settling, Sweep
from planetfall.report.style import COLORS, as_written, label_axes, open_frame, save_figure

PANELS = (("rest_s", "time to rest [s]"), ("distance_m", "distance [m]"), ("touches", "touches"))
ROW, ROW_OF_MANY = 3.2, 2.7
"""Height of a sweep [inch]: alone, or one of several."""


def draw_settling(sweeps: Sequence[Sweep], folder: Path, name: str = "settling") -> Path:
    """Draws what swept parameters do to settling, one row each."""
    height = (ROW if len(sweeps) == 1 else ROW_OF_MANY) * len(sweeps) + 0.2
    figure = Figure(figsize=(10.4, height))
    FigureCanvasAgg(figure)
    figure.subplots_adjust(left=0.08, right=0.985, wspace=0.28, hspace=0.55, top=1 - 0.4 / height, bottom=0.55 / height)
    for i, sweep in enumerate(sweeps):
        for j, (part, label) in enumerate(PANELS):
            axes = figure.add_subplot(len(sweeps), len(PANELS), i * len(PANELS) + j + 1)
            open_frame(axes)
            _draw_quartiles(axes, sweep.steps, part, COLORS[j])
            unit = f" [{sweep.unit}]" if sweep.unit else ""
            label_axes(axes, as_written(sweep.key) + unit, label, _title(sweep) if j == 0 else "", has_legend=False)
    return save_figure(figure, folder, name)


def _draw_quartiles(axes: Axes, steps: Sequence[Settling], part: str, color: str) -> None:
    low, middle, high = np.array([getattr(step, part) for step in steps]).T
    values, is_sized = [step.value for step in steps], not any(isinstance(step.value, str) for step in steps)
    at = np.array(values, dtype=float) if is_sized else np.arange(len(steps))
    axes.errorbar(at, middle, yerr=[middle - low, high - middle], fmt="o-" if is_sized else "o", color=color,
                  capsize=4, linewidth=1.2, markersize=5)  # fmt: skip
    axes.set_ylim(bottom=0.0)
    axes.locator_params(axis="y", nbins=6)
    if is_sized:
        axes.margins(x=0.08)
        axes.locator_params(axis="x", nbins=6)
    else:
        axes.set_xticks(at, [as_written(str(value)) for value in values])
        axes.set_xlim(-0.5, len(steps) - 0.5)


def _title(sweep: Sweep) -> str:
    n, n_at_rest = (sum(getattr(step, name) for step in sweep.steps) for name in ("n", "n_at_rest"))
    came = "all" if n_at_rest == n else f"{n_at_rest}"
    return f"{n} runs, {came} came to rest: medians and quartiles"

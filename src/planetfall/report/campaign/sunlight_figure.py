"""How the sun stood where the runs of a campaign ended."""

from pathlib import Path

import numpy as np

from planetfall.record.ensemble import Ensemble
from planetfall.record.rows import INCIDENCE, IS_LIT
from planetfall.report.style import COLORS, DASHES, label_axes, new_figure, save_figure

BINS = np.arange(0.0, 181.0, 10.0)
"""Edges of the angles of incidence [deg]: 0 is overhead, beyond 90 the ground faces away."""
HATCHES = {"lit": "", "shadow or night": "//"}


def draw_sunlight(ensemble: Ensemble, folder: Path) -> Path:
    """Incidence on the ground at the end of the runs that came down, in the light and out of it."""
    incidence, is_lit = (ensemble.data[name].values for name in (INCIDENCE, IS_LIT))
    is_down = np.isfinite(incidence)
    figure, axes = new_figure()
    below = np.zeros(len(BINS) - 1)
    for i, (name, kind) in enumerate((("lit", is_lit == 1.0), ("shadow or night", is_lit == 0.0))):
        counts, _ = np.histogram(incidence[kind & is_down], BINS)
        label, color = f"{name}: {counts.sum()}", (COLORS[6], COLORS[0])[i]
        axes.bar(BINS[:-1], counts, np.diff(BINS), below, align="edge", color=color, edgecolor="white",
                 hatch=HATCHES[name], label=label)  # fmt: skip
        below += counts
    axes.axvline(90.0, color="0.3", linestyle=DASHES[1], linewidth=1.0)
    axes.set_xlim(BINS[0], BINS[-1])
    axes.set_xticks(np.arange(0.0, 181.0, 30.0))
    title = f"{ensemble.scenario.name}: the sun where {is_down.sum()} runs ended"
    label_axes(axes, "solar incidence on the ground [deg]", "runs", title)
    return save_figure(figure, folder, "sunlight")

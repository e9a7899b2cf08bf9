"""Time to rest and distance over a swept input: medians and quartiles."""

from pathlib import Path

import numpy as np
import xarray as xr

from planetfall.analysis.settling import settling_by
from planetfall.report.style import curve, label_axes, new_panels, save_figure


def draw_settling(data: xr.Dataset, key: str, folder: Path) -> Path:
    """Draws what a swept key of a campaign does to settling."""
    rows = settling_by(data, key)
    values = np.array([row.value for row in rows])
    figure, panels = new_panels(2)
    drawn = (("time to rest [s]", [row.rest_s for row in rows]), ("distance [m]", [row.distance_m for row in rows]))
    title = f"{sum(row.n for row in rows)} runs: medians and quartiles"
    for i, (axes, (label, quartiles)) in enumerate(zip(panels, drawn, strict=True)):
        low, middle, high = np.array(quartiles).T
        axes.errorbar(values, middle, yerr=[middle - low, high - middle], fmt="o", capsize=4, **curve(i))
        axes.set_ylim(bottom=0.0)
        label_axes(axes, key, label, title if i == 0 else "", has_legend=False)
    return save_figure(figure, folder, "settling")

"""Draws docs/assets/lsr1-ditch.svg: can the LSR-1 cross a ditch without being trapped, over width and friction.

python tools/rover_ditch_figure.py
"""

from pathlib import Path

import numpy as np

from planetfall.report.style import curve, label_axes, new_figure
from planetfall.rover.drive import Stretch, drive
from planetfall.rover.model import rover_model
from planetfall.rover.path import sample_path
from planetfall.rover.statics import soil_of
from planetfall.scenario.rover import SoilCoulomb
from planetfall.scenario.rover_library import load_rover
from planetfall.world.terrain.dem_build import dem_surface

CELL, DEPTHS = 0.01, (0.05, 0.10, 0.30)
WIDTHS = np.arange(0.02, 0.82, 0.02)


def least_friction(width: float, depth: float) -> float:
    """Least friction with which every pose across a ditch holds, with any motors; NaN where the rover has no pose."""
    rover = rover_model(load_rover("lsr-1", {"wheels.torque_max": 1e3}))
    along = (np.arange(401) - 200) * CELL
    heights = np.tile(np.where(np.abs(along) < width / 2 - CELL / 2, -depth, 0.0), (401, 1))
    ground = dem_surface(heights, np.array([-2.0, -2.0, 0.0]), (CELL, CELL), "cpu")
    path = sample_path([(-1.3, 0.0), (1.3, 0.0)], CELL / 2)
    run = drive(ground, path, [Stretch(0.0, rover, soil_of(SoilCoulomb(law="coulomb", friction=1.0), rover))], 9.81)
    if not (run.of_poses("status") <= 1).all():
        return np.nan
    return float(run.of_forces("slip_ratio").max())


def main() -> None:
    """Draws the chart."""
    figure, axes = new_figure(7.2, 4.2)
    for i, depth in enumerate(DEPTHS):
        needed = np.array([least_friction(width, depth) for width in WIDTHS])
        axes.plot(WIDTHS, np.minimum(needed, 2.0), label=f"{depth:g} m deep", **curve(i))
        print(depth, np.round(needed, 3).tolist())
    axes.set_ylim(0.0, 1.5)
    label_axes(
        axes,
        "width of the ditch [m]",
        "least friction to cross it [-]",
        "LSR-1 across a ditch: above the line it crosses",
    )
    figure.savefig(Path(__file__).parent.parent / "docs" / "assets" / "lsr1-ditch.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()

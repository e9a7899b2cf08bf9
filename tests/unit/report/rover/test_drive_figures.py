"""Figures of a drive: what they are titled, and loads over torques that the ground can carry."""

from pathlib import Path

import numpy as np
import pytest

import planetfall
from planetfall.report.rover.drive_figures import draw_drive, draw_load_torque
from planetfall.report.style import kept_figures
from planetfall.rover.kinematics.poses import find_poses
from planetfall.rover.statics.statics import soil_of
from planetfall.scenario.tables.rover import SoilCoulomb
from support.rovers import bench_rover, slope_surface


def test_loads_over_torque_end_where_a_wheel_lifts(tmp_path: Path) -> None:
    """16.35 N on each wheel of the bench rover; a traction of 1 N changes them by Figure 4's shares of Hacot1998.

    The rear wheel holds up to T = 0.8 (16.35 + T/2), which is 21.8 N, and forward the bogie lifts at 65.4 N.
    """
    rover = bench_rover(wheels={"radius": 0.1, "torque_max": 20.0})
    poses = find_poses(rover, slope_surface(0.0, 0.0), [0.0, 0.0, 0.0])
    with kept_figures() as kept:
        draw_load_torque(poses, soil_of(SoilCoulomb(law="coulomb", friction=0.8), rover), 9.81, tmp_path, "Bench, 1 m")
    figure, step = kept["load_torque"], 2 * 20.0 / 800
    assert "Bench, 1 m: loads of the right side" in figure.get_suptitle()
    (line, bold) = figure.axes[0].lines[:2]
    assert np.max(line.get_xdata()) == pytest.approx(6.54, abs=step)
    loads = 16.35 + np.concatenate([np.asarray(curve.get_ydata()) for curve in figure.axes[0].lines])
    assert np.nanmin(loads) >= -1e-9
    holds = np.asarray(bold.get_xdata())[np.isfinite(np.asarray(bold.get_ydata()))]
    assert holds.max() == pytest.approx(2.18, abs=step)


def test_figures_have_the_title_of_the_drive_and_friction_used(tmp_path: Path) -> None:
    flat = planetfall.load_drive("lsr1-flat").with_values({"path.step": 0.2, "scenario.title": "Across the flat"})
    with kept_figures() as kept:
        draw_drive(planetfall.drive(flat), tmp_path)
    for name, figure in kept.items():
        said = [figure.get_suptitle(), *(axes.get_title(loc="left") for axes in figure.axes)]
        assert any(title.startswith("Across the flat") for title in said), name
    assert [axes.get_ylabel() for axes in kept["wheels"].axes][2:] == ["slip ratio [-]", "friction used [-]"]

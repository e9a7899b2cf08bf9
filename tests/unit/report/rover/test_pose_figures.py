"""Figures of a rover: arrows as long as the forces, and files that exist."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from planetfall.report.rover import pose_figures as figures
from planetfall.rover.kinematics.forward import joints_of
from planetfall.rover.kinematics.poses import find_poses
from planetfall.rover.statics.statics import find_forces, soil_of
from planetfall.rover.traversability.traverse import score_map
from planetfall.scenario.tables.rover import SoilCoulomb
from support.rovers import bench_rover, grid_surface, slope_surface, waves


def kept_figures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    kept: list[Figure] = []

    def keep(figure: Figure, folder: Path, name: str) -> Path:
        kept.append(figure)
        return save(figure, folder, name)

    save = figures.save_figure
    monkeypatch.setattr(figures, "save_figure", keep)
    return kept


def test_arrows_are_as_long_as_forces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Seen along the axles of a rover without roll, lengths are true; the longest load has the length set."""
    rover, surface = bench_rover(), slope_surface(0.3, 0.0)
    poses = find_poses(rover, surface, [0.0, 0.0, 0.0])
    forces = find_forces(poses, soil_of(SoilCoulomb(law="coulomb", friction=0.8), rover), 9.81)
    kept = kept_figures(monkeypatch)
    path = figures.draw_side_view(poses, forces, surface, tmp_path)
    assert path.is_file()
    assert path.with_suffix(".svg").is_file()
    notes = [note for axes in kept[0].axes for note in axes.texts if isinstance(note, Annotation)]
    arrows = [np.hypot(*np.subtract(note.xy, note.xyann)) for note in notes if note.arrowprops]
    values = np.column_stack([forces.normal[0], np.abs(forces.traction[0])]).ravel()
    np.testing.assert_allclose(np.array(arrows) / arrows[0], values / values[0], rtol=1e-9)
    assert sum("slip ratio" in note.get_text() for note in notes) == 6


def test_every_wheel_touches_the_ground_that_is_drawn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Across a slope the ground is higher below wheels that stand further up, as the middle ones of Perseverance do."""
    rover = bench_rover(wheels={"radius": 0.1, "torque_max": 4.0, "offset": (0.0, 0.12, 0.0)})
    surface = slope_surface(0.3, np.pi / 2)
    poses = find_poses(rover, surface, [0.0, 0.0, 0.0])
    forces = find_forces(poses, soil_of(SoilCoulomb(law="coulomb", friction=0.8), rover), 3.71)
    kept = kept_figures(monkeypatch)
    figures.draw_side_view(poses, forces, surface, tmp_path)
    joints = joints_of(poses)
    for side, axes in enumerate(kept[0].axes):
        along, height = (np.asarray(values, float) for values in axes.lines[0].get_data())
        contacts = joints.contact_L[0][3 * side : 3 * side + 3]
        x = contacts[:, 0] - joints.axis_L[0, :, 0].mean()
        np.testing.assert_allclose(np.interp(x, along, height), contacts[:, 2], atol=1e-9)
        assert np.ptp(contacts[:, 2]) > 0.03


def test_a_map_is_drawn_with_what_stops_the_rover(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rover, heights = bench_rover(), waves(41, 0.1, 0.15, 1.0, 1)
    soil = soil_of(SoilCoulomb(law="coulomb", friction=0.3), rover)
    found = score_map(rover, grid_surface(heights, 0.1), soil, 3.71, [0.0, 90.0])
    kept = kept_figures(monkeypatch)
    assert figures.draw_map(found, heights, tmp_path).is_file()
    legend = kept[0].axes[1].get_legend()
    assert legend is not None
    shown = {text.get_text().partition(":")[0] for text in legend.get_texts()}
    assert "off the map" in shown
    assert "no pose" not in shown  # only at the rim a wheel cannot be put down
    assert shown & {"slides", "slides aside"}

"""The path of a drive from above: every sample in the colour of its verdict, where it is."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import same_color
from matplotlib.figure import Figure

from planetfall.report.rover import plan_view
from planetfall.report.rover.plan_view import STANDS_COLOR, SeenPath, draw_path
from planetfall.report.rover.pose_figures import VERDICT_COLORS
from support.rovers import bench_rover, grid_surface, waves


def drawn(verdict: list[int], n: int, monkeypatch: pytest.MonkeyPatch, folder: Path) -> tuple[SeenPath, Figure]:
    kept: list[Figure] = []
    save = plan_view.save_figure

    def keep(figure: Figure, folder: Path, name: str) -> Path:
        kept.append(figure)
        return save(figure, folder, name)

    monkeypatch.setattr(plan_view, "save_figure", keep)
    xy = np.column_stack([np.linspace(-2.0, 2.0, n), np.linspace(-0.5, 0.5, n)])
    seen = SeenPath(xy, np.array(verdict), xy[[0, -1]])
    ground = grid_surface(waves(101, 0.1, 0.05, 1.0, 1), 0.1)
    path = draw_path(seen, ground, bench_rover(), folder, "plan", "a path")
    assert path.is_file()
    assert path.with_suffix(".svg").is_file()
    return seen, kept[0]


def coloured(figure: Figure, color: str) -> np.ndarray:
    """Starts of the stretches that have a colour [m], [n, 2]."""
    lines = [
        line for line in figure.axes[0].lines if same_color(line.get_color(), color) and np.size(line.get_xdata()) > 2
    ]
    return np.concatenate([np.column_stack(line.get_data())[::3] for line in lines] or [np.zeros((0, 2))])


def test_each_stretch_has_the_colour_of_its_verdict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    verdict = [0, 0, 0, 3, 3, 2, 0, 0]
    seen, figure = drawn(verdict, len(verdict), monkeypatch, tmp_path)
    for code, color in ((0, STANDS_COLOR), (2, VERDICT_COLORS[2]), (3, VERDICT_COLORS[3])):
        expected = seen.xy[:-1][np.array(verdict[:-1]) == code]
        np.testing.assert_allclose(coloured(figure, color), expected)
    legend = figure.axes[0].get_legend()
    assert legend is not None
    said = [text.get_text() for text in legend.get_texts()]
    assert {"stands", "slides aside", "slides"} <= set(said)
    assert "not driven" not in said


def test_what_was_not_driven_is_told_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen, figure = drawn([0, 0, 0, 6], 8, monkeypatch, tmp_path)
    rest = next(line for line in figure.axes[0].lines if line.get_label() == "not driven")
    np.testing.assert_allclose(np.column_stack(rest.get_data()), seen.xy[3:])
    outline = next(line for line in figure.axes[0].lines if line.get_label() == "rover, to scale")
    corners = np.column_stack(outline.get_data())
    sides = np.linalg.norm(np.diff(corners, axis=0), axis=1)
    rover = bench_rover()
    assert sides[1] == pytest.approx(rover.length)  # 0.8 m between the axles and two radii
    assert rover.length == pytest.approx(1.0)
    assert sides[0] == pytest.approx(2 * rover.footprint[2])

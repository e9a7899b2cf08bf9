"""Figures name what they show with its unit and can be read in grey: curves by their dash, scales by lightness."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

import planetfall
from planetfall.engine.state.result import Samples
from planetfall.outcome import Outcome
from planetfall.record.ensemble import Ensemble
from planetfall.record.variables.readings import reading_variables
from planetfall.report.campaign.ensemble_figures import (
    FAILURE_COLOR,
    FAILURE_MARKS,
    MARKS,
    OTHER_MARKS,
    draw_ensemble,
    draw_landing,
)
from planetfall.report.run.readings import parts_of
from planetfall.report.run.run_figures import draw_figures, draw_track, point_paths
from planetfall.report.style import COLORS, DASHES
from support.view_runs import RUNS

PAGE = Path(__file__).parents[3] / "page" / "src"
COUNTS = re.compile(r"runs|share|rank correlation|$")
"""What has no unit: counts, shares, ranks; and axes that share the label of their neighbour."""


def luminance(color: str | tuple[float, float, float]) -> float:
    """Relative luminance of sRGB, 0 to 1 (WCAG 2.2)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """Figures that are drawn from now on, kept instead of written."""
    out: list[Figure] = []

    def keep(figure: Figure, *_args: Any, **_options: Any) -> None:
        out.extend([figure] if figure not in out else [])

    monkeypatch.setattr(Figure, "savefig", keep)
    return out


def check_labels(figures: list[Figure]) -> None:
    assert figures
    for figure in figures:
        for axes in figure.axes:
            for label in (axes.get_xlabel(), axes.get_ylabel()):
                assert re.search(r"\[.+\]", label) or COUNTS.match(label), label
        assert any(axes.get_xlabel() for axes in figure.axes)


@pytest.mark.parametrize("kind", ["drop", "bridles", "sensed"])
def test_every_axis_of_a_run_has_its_unit(kind: str, drawn: list[Figure], tmp_path: Path) -> None:
    draw_figures(planetfall.run(RUNS[kind]()), tmp_path)
    check_labels(drawn)


def thrown(n: int, folder: Path) -> Ensemble:
    """A short campaign of a vehicle with dispersed speed."""
    scenario = planetfall.load("sink-flat").with_values(
        {"scenario.duration": 0.3, "dispersions.initial.velocity.0": {"distribution": "normal", "sigma": 0.5}}
    )
    return planetfall.montecarlo(scenario, n=n, seed=2, out=folder)


def test_every_axis_of_a_campaign_has_its_unit(drawn: list[Figure], tmp_path: Path) -> None:
    draw_ensemble(thrown(24, tmp_path / "c"), tmp_path)
    check_labels(drawn)


def test_places_of_many_runs_are_counted(drawn: list[Figure], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than can be told apart as dots: cells, in which every run of the most frequent outcome is counted once."""
    monkeypatch.setattr("planetfall.report.campaign.ensemble_figures.MANY_DOTS", 2)
    ensemble = thrown(24, tmp_path / "c")
    draw_landing(ensemble, tmp_path)
    check_labels(drawn)
    _, counts = np.unique(ensemble.data.outcome.values, return_counts=True)
    assert np.asarray(drawn[0].axes[0].collections[0].get_array()).sum() == counts.max()


def failed(n: int, folder: Path) -> Ensemble:
    """The same in which every third run crashed, and one in five left the map."""
    ensemble = thrown(n, folder)
    names = ensemble.data.outcome.values.copy()
    names[::3], names[1::5] = "crashed", "off_map"
    return replace(ensemble, data=ensemble.data.assign(outcome=("run", names)))


def test_failures_stand_out_from_the_rest(drawn: list[Figure], tmp_path: Path) -> None:
    """Over all else, opaque, larger, in a colour that nothing else has, told apart by their marks, and counted."""
    ensemble = failed(24, tmp_path / "c")
    draw_landing(ensemble, tmp_path)
    axes = drawn[0].axes[0]
    legend = axes.get_legend()
    assert legend is not None
    lines = {str(line.get_label()): line for line in axes.get_lines() if line.get_marker() not in ("", "None", None)}
    names, counts = np.unique(ensemble.data.outcome.values, return_counts=True)
    assert set(lines) == {f"{name}: {n}" for name, n in zip(names, counts, strict=True)}
    assert set(lines) <= {text.get_text() for text in legend.get_texts()}
    bad = [line for name, line in lines.items() if Outcome[name.partition(":")[0]].is_failure]
    good = [line for line in axes.get_lines() if line not in bad]
    assert len(bad) == 2 and {line.get_color() for line in bad} == {FAILURE_COLOR}
    assert FAILURE_COLOR not in {line.get_color() for line in good}
    assert min(line.get_zorder() for line in bad) > max(line.get_zorder() for line in good)
    assert all(line.get_alpha() in (None, 1.0) for line in bad) and len({line.get_marker() for line in bad}) == 2
    assert min(line.get_markersize() for line in bad) > 2 * max(
        line.get_markersize() for line in lines.values() if line not in bad
    )


def test_the_page_marks_outcomes_as_the_figures_do() -> None:
    text = (PAGE / "campaign_points.ts").read_text(encoding="utf-8")
    for name, marks in (("FAILURE_MARKS", FAILURE_MARKS), ("OTHER_MARKS", OTHER_MARKS)):
        order = re.search(rf"const {name} = \[([\d, ]+)\]", text)
        assert order is not None and [MARKS[int(i)] for i in order[1].split(",")] == list(marks)
    assert f'FAILURE = "{FAILURE_COLOR}"' in (PAGE / "palette.ts").read_text(encoding="utf-8")


def test_switches_are_named_by_what_they_are_on() -> None:
    """In the data as in the figure."""
    scenario = planetfall.load("msl-skycrane-leg-switch")
    switches = next(sensor for sensor in scenario.sensors if sensor.kind == "switch")
    closed = np.zeros((3, len(switches.points)))
    found = reading_variables((switches,), {switches.name: Samples(time=np.arange(3.0), value=closed)})
    data = xr.Dataset(found)
    assert data[f"point_{switches.name}"].values.tolist() == list(switches.points)
    assert list(parts_of(scenario, data[switches.name])) == list(switches.points)


def test_figures_of_a_changed_run_say_what_was_changed(drawn: list[Figure], tmp_path: Path) -> None:
    scenario = planetfall.load("sink-flat").with_values({"scenario.duration": 0.05, "gravity.acceleration": 2.0})
    draw_figures(planetfall.run(scenario), tmp_path)
    for figure in drawn:
        texts = [text.get_text() for text in figure.texts]
        assert "changed: gravity.acceleration = 2, scenario.duration = 0.05" in texts


def test_a_vehicle_is_seen_where_it_was(drawn: list[Figure], tmp_path: Path) -> None:
    """In the side view of a drop, at the start, where the rover is level: its wheels end at its contact points."""
    trajectory = planetfall.run(RUNS["drop"]())
    draw_track(trajectory, tmp_path)
    seen = next(item for item in drawn[0].axes[0].collections if isinstance(item, PathCollection) and item.zorder > 1)
    heights = np.concatenate([np.asarray(path.vertices)[:, 1] for path in seen.get_paths()])
    lowest = min(path[0, 2] for path in point_paths(trajectory.data).values())
    assert heights.min() == pytest.approx(lowest, abs=0.263 * (1 - np.cos(np.pi / 24)))  # of wheels with 24 sides


def test_curves_are_told_apart_without_colour() -> None:
    """No two have the same dash; and all stand out from the paper, the lightest as 2 to 1 against white."""
    assert len(set(map(str, DASHES))) == len(DASHES) == len(COLORS) and len(set(MARKS)) == len(MARKS) == len(COLORS)
    for color in COLORS:
        assert 1.05 / (luminance(color) + 0.05) > 2.0, color


def test_contact_modes_differ_in_lightness_and_by_shape() -> None:
    """On the page: by 3 % of the way from black to white at least, and each with a form of its own."""
    text = (PAGE / "palette.ts").read_text(encoding="utf-8")
    modes = re.findall(r'"(#\w+)"', re.search(r"MODE_COLORS = \[(.*?)\]", text)[1])  # type: ignore[index]
    light = [luminance(color) ** (1 / 2.4) for color in modes]
    assert all(abs(a - b) > 0.03 for a, b in combinations(light, 2))
    shapes = re.findall(r"new (\w+Geometry)\(", (PAGE / "contacts.ts").read_text(encoding="utf-8"))
    assert len(set(shapes[:3])) == 3  # each mode has its own


def test_the_scale_of_numbers_rises_in_lightness() -> None:
    """The page's ramp, as matplotlib's cividis: the same order in grey."""
    text = (PAGE / "palette.ts").read_text(encoding="utf-8")
    stops = re.findall(r"\[([\d.]+), ([\d.]+), ([\d.]+)\],", text)
    levels = [luminance((float(r), float(g), float(b))) for r, g, b in stops]
    assert len(levels) == 5 and all(b > a for a, b in pairwise(levels))
    assert levels[-1] - levels[0] > 0.6


def test_the_page_draws_curves_with_as_many_dashes() -> None:
    text = (PAGE / "palette.ts").read_text(encoding="utf-8")
    rows = re.search(r"DASHES: number\[\]\[\] = \[(.*)\];", text)
    assert rows is not None
    dashes = re.findall(r"\[([^\]]*)\]", rows[1])
    assert len(dashes) == len(COLORS) == len(set(dashes))

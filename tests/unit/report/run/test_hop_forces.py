"""The figures of a hopper: when its points touch, where, and from where distances count."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import planetfall
from planetfall.report.run import hop_forces, run_figures, way_figure
from planetfall.report.run.hop_forces import contact_intervals, draw_hop_forces, is_hop
from planetfall.scenario.files.load import scenario_from_dict


@pytest.fixture(scope="module")
def hop() -> planetfall.Trajectory:
    """A cube on its first bounces on the comet."""
    scenario = planetfall.load("cube-67p")
    return planetfall.run(scenario.with_values({"scenario.duration": 0.4 * scenario.scenario.duration}))


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """What figures are saved."""
    found: list[Figure] = []
    for module in (hop_forces, run_figures, way_figure):
        monkeypatch.setattr(module, "save_figure", lambda figure, folder, name: found.append(figure) or folder / name)
    return found


def test_intervals_join_touches_and_lift_offs_of_each_point(hop: planetfall.Trajectory) -> None:
    """As many as there are touches, none of them backwards, in the order of time."""
    spans = contact_intervals(hop)
    assert sum(map(len, spans.values())) == sum(event.kind == "touch" for event in hop.events) > 0
    for own in spans.values():
        assert all(start <= end for start, end in own)
        assert all(before[1] <= after[0] for before, after in pairwise(own))


def test_forces_begin_with_the_first_touch_and_every_point_has_a_row(
    hop: planetfall.Trajectory, kept: list[Figure], tmp_path: Path
) -> None:
    assert is_hop(hop)
    draw_hop_forces(hop, tmp_path)
    above, below = kept[0].axes
    first = min(event.time for event in hop.events if event.kind == "touch")
    assert 0.0 < first - below.get_xlim()[0] < 0.05 * np.ptp(below.get_xlim())
    assert above.get_yscale() == "log"
    assert len(below.get_yticks()) == len(contact_intervals(hop))
    assert not is_hop(planetfall.run(planetfall.load("msl-drop").with_values({"scenario.duration": 0.7})))


def test_a_side_view_counts_from_the_start_and_shows_touches(
    hop: planetfall.Trajectory, kept: list[Figure], tmp_path: Path
) -> None:
    run_figures.draw_track(hop, tmp_path)
    moved = planetfall.load("msl-drop").with_values({"scenario.duration": 0.3, "initial.position": [5.0, 2.0, 0.0]})
    run_figures.draw_track(planetfall.run(moved), tmp_path)
    assert "touches" in [line.get_label() for line in kept[0].axes[0].lines]
    for figure in kept:
        line = next(line for line in figure.axes[0].lines if line.get_label() == "centre of mass")
        assert np.asarray(line.get_xdata())[0] == 0.0
        assert "from the start" in figure.axes[0].get_xlabel()


def test_each_mark_of_the_way_means_one_thing(hop: planetfall.Trajectory, kept: list[Figure], tmp_path: Path) -> None:
    """The same motion above a ball."""
    values = hop.scenario.to_dict()
    values["target"] = {"name": "ball", "gm": 1.0, "frame": "P"}
    values["gravity"] = {"model": "point"}
    values["terrain"] = {"model": "sdf", "shape": "sphere", "half_sizes": [100.0] * 3, "resolution": 10.0}
    above = hop.data.assign(position=hop.data.position + np.array([0.0, 0.0, 101.0]))
    way_figure.draw_way_over_body(replace(hop, scenario=scenario_from_dict(values), data=above), tmp_path)
    legend = kept[0].axes[-1].get_legend()
    assert legend is not None
    words = [entry.get_text() for entry in legend.get_texts()]
    assert words == ["touches", "first touch", "end", "release, on the left"]

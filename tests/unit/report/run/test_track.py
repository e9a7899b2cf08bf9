"""Which paths the side view of a run shows."""

from __future__ import annotations

import numpy as np
import pytest

import planetfall
from planetfall.report.run.run_figures import (
    FLATTEST,
    SIDES,
    TALLEST,
    WIDTH,
    Level,
    frame_of,
    ground_profile,
    point_paths_shown,
)


def test_paths_of_points_are_shown_where_they_differ_from_that_of_the_vehicle() -> None:
    """Wheels of a rover that falls by a metre; not those of one that goes a thousand times as far."""
    data = planetfall.run(planetfall.load("msl-drop").with_values({"scenario.duration": 0.7})).data
    level, ahead = Level(np.zeros(3), np.eye(3)), np.array([1.0, 0.0, 0.0])
    assert list(point_paths_shown(data, level, ahead)) == ["wheel 1, wheel 3", "wheel 2, wheel 4"]
    assert point_paths_shown(data.assign(position=1e3 * data.position), level, ahead) == {}
    at_gale = data.assign(position=data.position + np.array([0.0, 0.0, -4460.0]))
    assert list(point_paths_shown(at_gale, level, ahead)) == ["wheel 1, wheel 3", "wheel 2, wheel 4"]


def test_ground_of_high_places_is_drawn() -> None:
    """Olympus Mons is 21 km high: rays start above the way, not above zero."""
    scenario = planetfall.load("msl-gale-drop")
    level, ahead = Level(np.array([0.0, 0.0, -21e3]), np.eye(3)), np.array([1.0, 0.0, 0.0])
    above = level.seen(np.array([0.0, 0.0, 10.0]))
    low = Level(np.zeros(3), np.eye(3))
    expected = ground_profile(scenario, low, ahead, np.array([0.0, 0.0, 10.0]), np.array([-2.0, 2.0]))
    found = ground_profile(scenario, level, ahead, above, np.array([-2.0, 2.0]))
    assert np.all(np.isfinite(expected[1]))
    assert found[1] == pytest.approx(expected[1] + 21e3, abs=1e-6)


@pytest.mark.parametrize(
    ("span", "heights"), [((0.0, 14.0), (0.0, 2.0)), ((-0.1, 0.1), (0.0, 400.0)), ((0.0, 10.0), (0.0, 0.0))],
    ids=["hops", "a fall", "a drive"],
)  # fmt: skip
def test_a_side_view_holds_the_way_and_little_more(span: tuple[float, float], heights: tuple[float, float]) -> None:
    """At one scale: what a page has room for; a fall gets ground to both sides, a flat way sky."""
    along, up = frame_of(np.array(span), np.array(heights))
    assert along[0] <= span[0] and along[1] >= span[1] and up[0] < heights[0] and up[1] > heights[1]
    inches = float(np.ptp(up) / np.ptp(along)) * (WIDTH - SIDES)
    assert FLATTEST * (1 - 1e-12) <= inches <= TALLEST * (1 + 1e-12)
    assert heights[0] - up[0] <= 0.1 * max(np.ptp(up), np.ptp(heights))

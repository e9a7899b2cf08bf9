"""Which paths the side view of a run shows."""

from __future__ import annotations

import numpy as np

import planetfall
from planetfall.report.figures import Level, point_paths_shown


def test_paths_of_points_are_shown_where_they_differ_from_that_of_the_vehicle() -> None:
    """Wheels of a rover that falls by a metre; not those of one that goes a thousand times as far."""
    data = planetfall.run(planetfall.load("msl-drop").with_values({"scenario.duration": 0.7})).data
    level, ahead = Level(np.zeros(3), np.eye(3)), np.array([1.0, 0.0, 0.0])
    assert list(point_paths_shown(data, level, ahead)) == ["wheel 1, wheel 3", "wheel 2, wheel 4"]
    assert point_paths_shown(data.assign(position=1e3 * data.position), level, ahead) == {}

"""Two runs that are exported: a rover that drops onto a slope, a cube that falls onto a turning ball."""

from __future__ import annotations

import pytest

import planetfall
from support.view_runs import ball, drop


@pytest.fixture(scope="module")
def drop_run() -> planetfall.Trajectory:
    """Frame L, one vehicle with a drawing, on a plane."""
    return planetfall.run(drop())


@pytest.fixture(scope="module")
def ball_run() -> planetfall.Trajectory:
    """Frame P, which turns and lies askew among the stars."""
    return planetfall.run(ball().with_values({"scenario.duration": 40.0, "target.spin_rate": 0.02}))

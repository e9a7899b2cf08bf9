"""One short run for all tests of what is kept of it."""

from __future__ import annotations

import pytest

import planetfall
from planetfall.record.trajectory import Trajectory


@pytest.fixture(scope="session")
def landing() -> Trajectory:
    """The rover's drop up to its first touches."""
    return planetfall.run(planetfall.load("msl-drop").with_values({"scenario.duration": 1.2}))


@pytest.fixture(scope="session")
def free_top() -> Trajectory:
    """A body without contact points."""
    return planetfall.run(planetfall.load("free-top").with_values({"scenario.duration": 1.0}))

"""One result of each kind, for all tests of how results are shown."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest
from matplotlib import pyplot

import planetfall


@pytest.fixture(scope="session")
def landing() -> planetfall.Trajectory:
    """The rover's drop up to its first touches."""
    return planetfall.run(planetfall.load("msl-drop").with_values({"scenario.duration": 1.2}))


@pytest.fixture(scope="session")
def driven() -> planetfall.Trajectory[Any]:
    """A rover's drive."""
    return planetfall.drive(planetfall.load_drive("lsr1-step").with_values({"path.step": 0.05}))


@pytest.fixture(scope="session")
def campaign() -> planetfall.Ensemble:
    """Dispersed drops, cut off early."""
    scenario = planetfall.load("msl-dispersed").with_values({"scenario.duration": 1.2})
    return planetfall.montecarlo(scenario, 24, 3)


class FakeHandle:
    """What IPython gives for a display that is changed later on."""

    def __init__(self, shown: list[str], first: Any) -> None:
        self.shown = shown
        self.shown.append(first)

    def update(self, text: Any) -> None:
        """Takes what is shown from now on."""
        self.shown.append(text)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Makes Planetfall think that it runs in a notebook; everything that is displayed there."""
    shown: list[str] = []
    ipython, display = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    display.HTML = str  # type: ignore[attr-defined]
    display.display = lambda text, display_id: FakeHandle(shown, text)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return shown


@pytest.fixture(autouse=True)
def no_figures_left() -> Iterator[None]:
    """pyplot keeps the figures that it is given until they are closed."""
    yield
    pyplot.close("all")

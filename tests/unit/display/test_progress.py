"""Progress by default: at a terminal and in a notebook, nowhere else; overridable."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest

import planetfall
from planetfall.display import progress
from planetfall.display.progress import shown_progress
from planetfall.world.preparations import listening, telling


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.0)
    monkeypatch.setenv("TERM", "xterm")


def said(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, wanted: Any) -> str:
    """What a job writes."""
    monkeypatch.setattr(sys, "stderr", stream)
    with shown_progress("a job", wanted) as tell:
        if tell is not None:
            tell(0.25)
            tell(0.5)
    return stream.getvalue()


def test_a_terminal_has_a_bar_and_a_file_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "50%" in said(monkeypatch, Terminal(), None)
    assert said(monkeypatch, io.StringIO(), None) == ""


def test_it_can_be_asked_for_and_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch, Terminal(), False) == ""
    assert said(monkeypatch, io.StringIO(), True) == "planetfall: a job: 20% done\nplanetfall: a job: 50% done\n"
    with (
        pytest.raises(planetfall.InputError, match="progress: got 'yes'"),
        shown_progress("a job", "yes"),  # type: ignore[arg-type]
    ):
        pass


def test_whoever_shows_progress_already_is_not_disturbed(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(lambda what, share: None):
        assert said(monkeypatch, Terminal(), None) == ""


def test_a_notebook_has_a_line_that_goes_away(notebook: list[str]) -> None:
    with shown_progress("a <job>") as tell:
        assert tell is not None
        telling("baking")(0.5)
        for share in (0.0, 0.25, 0.75):
            tell(share)
    assert "baking" in notebook[0] and "50%" in notebook[0]
    assert "a &lt;job&gt;" in notebook[-2] and "75%" in notebook[-2] and "left" in notebook[-2]
    assert notebook[-1] == ""


def test_runs_and_campaigns_show_it(notebook: list[str]) -> None:
    short = {"scenario.duration": 1.2}
    planetfall.run(planetfall.load("msl-drop").with_values(short))
    assert any("msl-drop" in text for text in notebook)
    notebook.clear()
    planetfall.run(planetfall.load("msl-drop").with_values(short), progress=False)
    assert not notebook
    planetfall.montecarlo(planetfall.load("msl-dispersed").with_values(short), 4, 3)
    assert any("msl-dispersed" in text for text in notebook)
    notebook.clear()
    heard: list[Any] = []
    planetfall.montecarlo(planetfall.load("msl-dispersed").with_values(short), 4, 3, report=heard.append)
    assert heard and not notebook

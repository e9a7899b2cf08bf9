"""`view` and `report`: inside a notebook, in a file, or in the browser."""

from __future__ import annotations

import html
import webbrowser
from pathlib import Path
from typing import Any

import pytest

import planetfall


def test_a_notebook_has_the_page_inside(landing: planetfall.Trajectory, notebook: list[str]) -> None:
    page = landing.view(height=400)
    frame = page._repr_html_()
    assert page.file is None and "not written" in repr(page)
    held = html.unescape(frame.partition('srcdoc="')[2].partition('" style=')[0])
    assert held == page.html and 'id="planetfall-data"' in held
    assert "height: 400px" in frame


def test_elsewhere_the_browser_opens_a_file(
    landing: planetfall.Trajectory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: bool(opened.append(address)) or True)
    page = landing.view()
    assert opened == [page.file.as_uri()] and page.file.read_text(encoding="utf-8") == page.html
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    assert str(landing.view().file) in capsys.readouterr().out


def test_a_named_file_is_written_and_not_replaced(
    landing: planetfall.Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda address: pytest.fail("nobody asked for a browser"))
    place = tmp_path / "pages" / "drop.html"
    assert landing.report(place).file == place
    text = place.read_text(encoding="utf-8")
    assert "trajectory.save(folder)" in text and "<h1>msl-drop</h1>" in text
    with pytest.raises(planetfall.InputError, match=r"exists.*overwrite=True"):
        landing.report(place)
    assert landing.view(place, overwrite=True).file == place
    with pytest.raises(planetfall.InputError, match="not the name of a page"):
        landing.view(tmp_path / "drop.pdf")


def test_drives_and_campaigns_have_both(
    driven: planetfall.Trajectory[Any], campaign: planetfall.Ensemble, notebook: list[str]
) -> None:
    for result in (driven, campaign):
        assert 'id="planetfall-data"' in result.view().html
        assert f"<h1>{result.scenario.name}</h1>" in result.report().html

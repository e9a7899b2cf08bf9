"""Pages that are served: what goes wrong is a sentence in the page, and two of them do not disturb each other."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

import planetfall
from planetfall.campaign.replay import replay
from planetfall.viewer.server import Door, bound_socket, serving
from planetfall.viewer.source import FolderSource
from support.browser_window import Exported, Window
from support.view_runs import CUBE_ON_BALL


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder's page, as `planetfall view` serves it."""
    listener = bound_socket()
    door = Door(port=listener.getsockname()[1])
    try:
        with serving(FolderSource(folder, replay), listener, door):
            yield door.address
    finally:
        listener.close()


@pytest.fixture
def run(exported: Callable[[str], Exported], tmp_path: Path) -> Path:
    exported("drop").trajectory.save(tmp_path / "run")
    return tmp_path / "run"


def said(window: Window, address: str) -> str:
    window.page.goto(address)
    window.wait("document.querySelector('#wait.bad')")
    return window.page.inner_text("#wait")


def test_a_folder_that_is_being_written_is_said_in_the_page_and_shown_later(run: Path, window: Window) -> None:
    (run / "trajectory.nc").rename(run / "not yet")
    with served(run) as address:
        assert "trajectory.nc missing" in said(window, address)
        (run / "not yet").rename(run / "trajectory.nc")
        window.open(address)
    # the browser itself notes the refused request; nothing else is wrong
    assert [error for error in window.errors if "409" not in error] == []


def test_a_truncated_file_is_said_in_the_page(run: Path, window: Window) -> None:
    whole = (run / "trajectory.nc").read_bytes()
    (run / "trajectory.nc").write_bytes(whole[: len(whole) // 2])
    with served(run) as address:
        text = said(window, address)
    assert "trajectory.nc" in text and "was changed or damaged" in text


def test_a_wrong_token_is_said_in_the_page(run: Path, window: Window) -> None:
    with served(run) as address:
        window.page.goto(address[:-3])
        assert "The token is wrong or missing" in window.page.inner_text("body")


def test_two_viewers_at_once(run: Path, window: Window, chromium: Browser, tmp_path: Path) -> None:
    """Two folders, two servers, two pages: each shows its own, and seeking in one leaves the other alone."""
    other = tmp_path / "other"
    shutil.copytree(run, other)
    page = chromium.new_page()
    second = Window(page)
    with served(run) as one, served(other) as two:
        window.open(one)
        second.open(two)
        window.value("planetfall.replay.playback.seek(1.0)")
        assert second.value("planetfall.replay.playback.time") == 0.0
        assert one.partition("?")[0] != two.partition("?")[0]
        page.goto(two.partition("?")[0] + "?" + one.partition("?")[2])  # the one's token at the other's door
        assert "The token is wrong or missing" in page.inner_text("body")
    page.close()


def test_a_campaign_on_a_whole_body(window: Window, tmp_path: Path) -> None:
    """Landing points lie on the drawn body; those on its far side are hidden; a run is replayed on a click."""
    tables: dict[str, Any] = {
        **CUBE_ON_BALL,
        "scenario": {"name": "ball-campaign", "duration": 30.0},
        "dispersions": {"initial": {"velocity": {"0": {"distribution": "normal", "sigma": 0.05}}}},
    }
    from planetfall.scenario.files.load import scenario_from_dict

    planetfall.montecarlo(scenario_from_dict(tables), n=6, seed=4, out=tmp_path / "c")
    with served(tmp_path / "c") as address:
        window.open(address)
        window.shot("campaign-ball")
        origin = np.array(window.value("planetfall.pack.header.origin"))
        places: Any = window.value("Array.from(planetfall.pack.arrays.place)")
        away = np.linalg.norm(np.reshape(places, (-1, 3)) + origin, axis=1)
        assert np.all(away > 40.0) and np.all(away < 42.0)  # a cube over a ball of 40 m
        assert window.value("planetfall.points.object.children[0].material.depthTest") is True
        window.page.keyboard.press("ArrowRight")
        window.page.click("#replay-run")
        window.wait("window.planetfall.replay && window.planetfall.replay.playback && planetfall.isReady")
        assert window.value("planetfall.replay.header.frame") == "P"
    assert window.errors == []

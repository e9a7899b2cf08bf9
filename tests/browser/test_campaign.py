"""A campaign in a real browser, served as `planetfall view` does: landing points, and a click that replays a run."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import uvicorn

import planetfall
from planetfall.campaign.replay import replay
from planetfall.viewer.scene.campaign_scene import campaign_scene
from planetfall.viewer.server import Door, bound_socket, make_app
from planetfall.viewer.source import FolderSource
from support.browser_window import Window
from support.command import inside


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cwd = tmp_path_factory.mktemp("campaign")
    words = ("montecarlo", "msl-dispersed", "-n", "12", "--seed", "3", "--out", "c", "--set", "scenario.duration=2.0")
    done = inside(*words, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return cwd / "c"


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    listener = bound_socket()
    door = Door(port=listener.getsockname()[1])
    app = make_app(door, FolderSource(folder, replay))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield door.address
    server.should_exit = True
    thread.join()
    listener.close()


def test_points_lie_where_the_runs_ended(folder: Path) -> None:
    ensemble = planetfall.open(folder)
    pack = campaign_scene(ensemble)  # type: ignore[arg-type]
    places = pack.arrays["place"].astype(float) + np.array(pack.header["origin"])
    assert np.abs(places - np.column_stack([ensemble.data[f"{axis}_m"].values for axis in "xyz"])).max() < 1e-5
    assert [pack.header["outcomes"][code] for code in pack.arrays["outcome"]] == ensemble.data.outcome.values.tolist()


def fits_a_phone(window: Window) -> None:
    """A page 390 px wide does not scroll sideways; tables that are wider do, each in its own place."""
    window.page.set_viewport_size({"width": 390, "height": 844})
    assert window.value("document.documentElement.scrollWidth") <= 390
    wide: Any = window.value(
        "[...document.querySelectorAll('table')].filter(t => t.getBoundingClientRect().width > 374)"
        ".map(t => getComputedStyle(t.parentElement).overflowX)"
    )
    assert wide and set(wide) == {"auto"}


def is_blue_or_orange(window: Window, x: float, y: float) -> bool:
    """Whether a run's mark, in a colour of the first two outcomes, is on the screen: no ground is as colourful."""
    from io import BytesIO

    from PIL import Image

    with Image.open(BytesIO(window.page.screenshot())) as picture:
        red, _, blue = picture.convert("RGB").getpixel((int(x), int(y)))  # type: ignore[misc]
    return abs(int(red) - int(blue)) > 100


def test_a_click_replays_a_run(folder: Path, address: str, window: Window) -> None:
    window.open(address)
    rows = planetfall.open(folder).data
    x, y = window.value("planetfall.placeOf(5)")
    box: Any = window.page.locator("#scene").bounding_box()
    window.page.mouse.click(box["x"] + x, box["y"] + y)
    chosen: Any = window.value("planetfall.chosen")
    assert chosen in range(12)
    window.shot("campaign")
    assert is_blue_or_orange(window, box["x"] + x, box["y"] + y)
    window.page.select_option("#color", "peak_force_N")
    window.page.click("#replay-run")
    window.wait("window.planetfall && window.planetfall.replay && window.planetfall.replay.playback")
    window.wait("planetfall.isReady")
    last: Any = window.value(
        "Array.from(planetfall.replay.arrays.position.slice(-3)).map((v, k) => v + planetfall.replay.header.origin[k])"
    )
    row = rows.isel(run=chosen)
    assert last == pytest.approx([float(row[f"{axis}_m"]) for axis in "xyz"], abs=1e-6)
    window.shot("campaign-replay")
    window.page.click("#back")
    window.wait("planetfall.placeOf && planetfall.isReady")
    assert window.errors == []
    own = address.partition("?")[0]
    assert [url for url in window.requests if not url.startswith((own, "data:", "blob:"))] == []


def test_ground_that_runs_did_not_share_is_named(folder: Path, address: str, window: Window) -> None:
    """Slopes are dispersed: the page and the report say that they show the nominal one."""
    window.open(address)
    assert "terrain.slope_deg dispersed" in str(window.page.inner_text("#notes"))
    from planetfall.report.page.ensemble_page import write_page

    report = write_page(planetfall.open(folder), folder.parent / "report.html")  # type: ignore[arg-type]
    window.page.goto(report.as_uri())
    assert "terrain.slope_deg dispersed" in window.page.inner_text("body")
    window.page.click("#replay button")
    window.page.frame_locator("#replay iframe").locator("#legend").wait_for()
    window.shot("campaign-report")
    assert window.errors == []
    fits_a_phone(window)


def test_outcomes_have_the_colours_of_the_figures_and_marks(folder: Path, address: str, window: Window) -> None:
    from planetfall.analysis.campaign.ensemble_summary import outcome_shares
    from planetfall.report.campaign.ensemble_figures import outcome_marks

    window.open(address)
    names = list(outcome_shares(planetfall.open(folder).data.outcome.values))
    signs: Any = window.value(
        "[...document.querySelectorAll('#legend svg')].map(s => [s.parentElement.textContent.split(' ')[0], "
        "s.firstChild.getAttribute('fill'), s.firstChild.getAttribute('points')])"
    )
    assert [(name, color) for name, color, _ in signs] == [(n, color) for n, (color, _) in outcome_marks(names).items()]
    assert len({points for _, _, points in signs}) == len(names)


def test_pointing_at_a_run_names_it_and_keys_take_the_next(address: str, window: Window) -> None:
    window.open(address)
    window.page.select_option("#color", "first_touch_s")
    x, y = window.value("planetfall.placeOf(3)")
    box: Any = window.page.locator("#scene").bounding_box()
    window.page.mouse.move(box["x"] + x, box["y"] + y)
    assert window.page.inner_text("#tip").startswith("run ")
    window.page.mouse.click(box["x"] + x, box["y"] + y)
    chosen: Any = window.value("planetfall.chosen")
    window.page.keyboard.press("ArrowRight")
    assert window.value("planetfall.chosen") == (chosen + 1) % 12
    for view in ("1", "2", "3"):
        window.page.keyboard.press(view)
    assert window.page.input_value("#camera") == "ground"
    assert window.errors == []

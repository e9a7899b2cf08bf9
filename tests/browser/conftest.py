"""A real Chromium without a window, and one run of each kind, exported as pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

import planetfall
from planetfall.viewer.headless.browser import FLAGS, find_browser
from planetfall.viewer.page import page_with
from planetfall.viewer.scene.scene import scene_of
from support.browser_window import Exported, Window
from support.view_runs import RUNS

PROGRAM = find_browser()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if PROGRAM is None:
        pytest.skip("no Chromium on this machine; make test installs one where it may")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=PROGRAM, args=[*FLAGS[1:], "--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def window(chromium: Browser) -> Iterator[Window]:
    page = chromium.new_page(viewport={"width": 1040, "height": 640})
    out = Window(page)
    page.on(
        "console", lambda message: out.errors.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: out.errors.append(str(error)))
    page.on("request", lambda request: out.requests.append(request.url))
    yield out
    page.close()


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Exported]:
    """Makes the run of a kind and its page, once."""
    folder, made = tmp_path_factory.mktemp("pages"), {}

    def make(kind: str) -> Exported:
        if kind not in made:
            trajectory = planetfall.run(RUNS[kind]())
            path = folder / f"{kind}.html"
            path.write_text(page_with(scene_of(trajectory)), encoding="utf-8")
            made[kind] = Exported(trajectory, path)
        return made[kind]

    return make

"""Pages follow the system's dark mode, and the documentation is searched without a server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from planetfall.report.page.run_page import run_page
from support.browser_window import Exported

ROOT = Path(__file__).parents[2]


@pytest.fixture
def dark(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page(viewport={"width": 1040, "height": 640}, color_scheme="dark")
    yield page
    page.close()


def lightness(page: Page, selector: str, what: str) -> float:
    """Mean of red, green and blue of a colour, 0 to 255."""
    color = page.eval_on_selector(selector, f"(element) => getComputedStyle(element).{what}")
    parts = [float(part) for part in re.findall(r"[\d.]+", color)[:3]]
    return sum(parts) / 3.0


def test_the_viewer_is_dark_where_the_system_is(dark: Page, exported: Callable[[str], Exported]) -> None:
    dark.goto(exported("drop").page.as_uri())
    dark.wait_for_selector(".plot canvas")
    assert lightness(dark, "#heading", "backgroundColor") < 64 < 192 < lightness(dark, "#heading h1", "color")
    dark.emulate_media(color_scheme="light")
    assert lightness(dark, "#heading h1", "color") < 64 < 192 < lightness(dark, "#heading", "backgroundColor")
    assert "in the air" in dark.inner_text("#legend")


def test_the_report_is_dark_on_a_screen_and_light_on_paper(
    dark: Page, exported: Callable[[str], Exported], tmp_path: Path
) -> None:
    place = tmp_path / "report.html"
    place.write_text(run_page(exported("drop").trajectory), encoding="utf-8")
    dark.goto(place.as_uri())
    assert lightness(dark, "html", "backgroundColor") < 64 < 192 < lightness(dark, "body", "color")
    dark.emulate_media(media="print")
    assert lightness(dark, "body", "color") < 64


@pytest.mark.slow
def test_the_documentation_is_searched_without_a_server(chromium: Browser, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path / "site")]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, check=True, timeout=300)
    page, asked = chromium.new_page(), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.goto((tmp_path / "site" / "models" / "terrain.html").as_uri())
    page.click("input.md-search__input")
    page.keyboard.type("parachute")
    page.wait_for_selector(".md-search-result__item")
    assert "Parachutes" in page.inner_text(".md-search-result__list")
    assert all(url.startswith(("file:", "data:", "about:")) for url in asked)
    page.close()

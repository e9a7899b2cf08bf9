"""Pages follow the system's dark mode and fit a phone; the documentation is searched without a server."""

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
from support.browser_window import Exported, Window

ROOT = Path(__file__).parents[2]


@pytest.fixture
def dark(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page(viewport={"width": 1040, "height": 640}, color_scheme="dark")
    yield page
    page.close()


@pytest.fixture(scope="module")
def report(exported: Callable[[str], Exported], tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("report") / "report.html"
    place.write_text(run_page(exported("drop").trajectory), encoding="utf-8")
    return place


def check_figures_on_a_phone(chromium: Browser, page_file: Path, figure: str, frame: str) -> None:
    """Letters of 10 points are at least 8 pixels high; a figure that is wider than the screen scrolls, not the page."""
    page = chromium.new_page(viewport={"width": 390, "height": 844})
    page.goto(page_file.as_uri())
    Window(page).wait(f"[...document.querySelectorAll({figure!r})].every((image) => image.complete)")
    shares = page.eval_on_selector_all(
        figure, "(all) => all.map((i) => i.getBoundingClientRect().width / i.naturalWidth)"
    )
    assert shares and min(shares) * 10.0 * 96.0 / 72.0 >= 8.0
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    fade = f"getComputedStyle(document.querySelector({frame!r})).maskImage"
    Window(page).wait(f"{fade}.includes('gradient')")
    page.eval_on_selector(frame, "(frame) => frame.scrollTo(frame.scrollWidth, 0)")
    Window(page).wait(f"{fade} === 'none'")
    right = "(element) => element.getBoundingClientRect().right"
    assert page.eval_on_selector(figure, right) == pytest.approx(page.eval_on_selector(frame, right), abs=1.0)
    page.set_viewport_size({"width": 1280, "height": 800})
    Window(page).wait(f"document.querySelector({frame!r}).scrollWidth <= document.querySelector({frame!r}).clientWidth")
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


def test_the_report_is_dark_on_a_screen_and_light_on_paper(dark: Page, report: Path) -> None:
    dark.goto(report.as_uri())
    assert lightness(dark, "html", "backgroundColor") < 64 < 192 < lightness(dark, "body", "color")
    dark.emulate_media(media="print")
    assert lightness(dark, "body", "color") < 64


def test_figures_of_a_report_are_legible_on_a_phone(chromium: Browser, report: Path) -> None:
    check_figures_on_a_phone(chromium, report, "figure img", "figure .scroll")


@pytest.mark.slow
def test_the_documentation_is_searched_without_a_server_and_fits_a_phone(chromium: Browser, tmp_path: Path) -> None:
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
    figure = 'img[src$=".svg"]'
    check_figures_on_a_phone(chromium, tmp_path / "site" / "campaigns.html", figure, f"p:has(> {figure})")

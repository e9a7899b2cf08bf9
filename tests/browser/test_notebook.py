"""What results put into a notebook, together in one page: cards, the replay and the report below each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from playwright.sync_api import FrameLocator

from planetfall.display.pages import ShownPage
from planetfall.report.page.run_page import run_page
from planetfall.report.style import new_figure
from planetfall.report.themed_svg import svg_text, themed
from support.browser_window import Exported, Window


def test_cards_replay_and_report_stand_in_one_page(
    window: Window, exported: Callable[[str], Exported], tmp_path: Path
) -> None:
    run, notebook = exported("drop").trajectory, tmp_path / "notebook.html"
    replay = ShownPage(exported("drop").page.read_text(encoding="utf-8"))
    cells = (run.scenario, run, replay, ShownPage(run_page(run)))
    notebook.write_text(
        f"<!doctype html><body>{''.join(cell._repr_html_() for cell in cells)}</body>", encoding="utf-8"
    )
    page = window.page
    page.goto(notebook.as_uri())
    assert page.locator(".planetfall-card svg").count() == 2
    first, second = (page.frame_locator("iframe").nth(i) for i in range(2))
    assert page.locator("iframe").first.bounding_box()["height"] == 640 + 2  # type: ignore[index]  # and its border
    check_replay(first)
    second.get_by_role("button", name="Replay this run here").click()
    check_replay(second.frame_locator("iframe"))
    window.shot("notebook")
    assert window.errors == []
    assert all(url.startswith(("file:", "data:", "blob:", "about:")) for url in window.requests)


def check_replay(viewer: FrameLocator) -> None:
    """It is drawn, and plays."""
    viewer.locator(".plot canvas").first.wait_for()
    viewer.locator("#play").click()
    viewer.locator("#time").filter(has_not_text="0.0000 /").wait_for()
    viewer.locator("#play").click()


def test_in_a_dark_notebook_words_are_light_and_those_on_a_map_stay_dark(window: Window) -> None:
    """The style of one figure holds for the whole page; a map stands on white."""
    (curves, axes), (heights, other) = new_figure(3.0, 2.0), new_figure(3.0, 2.0)
    axes.plot([0.0, 1.0], [0.0, 1.0])
    other.imshow(np.eye(3))
    figures = "".join(
        f"<div class=planetfall-figure>{themed(svg_text(each), 'text')}</div>" for each in (curves, heights)
    )
    window.page.set_content(f"<body style='background: #111; color: #eee'>{figures}</body>")
    of_text = "(all) => all.map((figure) => getComputedStyle(figure.querySelector('text')).fill)"
    inks = window.page.eval_on_selector_all(".planetfall-figure", of_text)
    assert inks == ["rgb(238, 238, 238)", "rgb(0, 0, 0)"]

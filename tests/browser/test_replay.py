"""Every kind of run replays in a real browser from one file: without faults, without asking anybody for anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.browser_window import Exported, Window
from support.view_runs import RUNS

CLOSE = 1e-3
"""The issue's millimetre."""


@pytest.mark.parametrize("kind", RUNS)
def test_it_replays(kind: str, window: Window, exported: Callable[[str], Exported]) -> None:
    made = exported(kind)
    window.open(made.page.as_uri())
    assert window.errors == []
    assert [url for url in window.requests if not url.startswith(("file:", "data:", "blob:"))] == []
    check_alignment(window, made)
    check_contact(window)
    check_readings(window, made)
    window.shot(f"{kind}-close")
    window.value("planetfall.view.cameras.go('overview')")
    check_play(window)
    window.shot(f"{kind}-overview")
    assert window.errors == []


def check_alignment(window: Window, made: Exported) -> None:
    """In the frame with the deepest contact, each point is its gap away from the ground that the page draws.

    The page's own raycaster looks along the normal of the simulation's ground, at the triangles that are drawn. The gap
    of a field with noise is no distance: its gradient says how it changes along the way.
    """
    data = made.trajectory.data
    if not data.sizes["point"]:
        return  # nothing of a flight touches
    gaps = data.contact_gap.values
    frame = int(np.argmin(np.where(data.contact_mode.values > 0, gaps, np.inf).min(axis=1)))
    times: Any = window.value("Array.from(planetfall.replay.arrays.time)")
    shown = int(np.argmin(np.abs(np.array(times) - data.time.values[frame])))
    window.value(f"planetfall.replay.playback.seek({times[shown]!r})")
    for point in np.flatnonzero(data.contact_mode.values[frame] > 0):
        normal = normal_at(made, frame, int(point))
        off: Any = window.value(f"planetfall.view.probe({point}, {normal.tolist()})")
        assert off == pytest.approx(gaps[frame, point] / np.linalg.norm(normal), abs=CLOSE)


def normal_at(made: Exported, frame: int, point: int) -> np.ndarray:
    """Gradient of the gap at a point, in a frame."""
    from planetfall.viewer.scene.scene import point_positions
    from planetfall.world.terrain.ground import make_surface

    place = point_positions(made.trajectory.data, np.array([frame]))[0, point]
    return make_surface(made.trajectory.scenario, "cpu").ask(place)[1][0]


def check_contact(window: Window) -> None:
    window.value("planetfall.replay.playback.seek(0)")
    contacts: Any = window.value("planetfall.replay.playback.contacts")
    window.page.click("#next-contact")
    if contacts and contacts[0] > 0:
        assert window.value("planetfall.replay.playback.time") == contacts[0]
        modes: Any = window.value("planetfall.replay.header.points.map((_, i) => planetfall.replay.mode(i))")
        assert max(modes) > 0
    window.page.click("#previous-contact")
    window.page.keyboard.press("1")
    window.page.keyboard.press("2")


def check_readings(window: Window, made: Exported) -> None:
    """The numbers beside the plots are those of the frame at the cursor, or 0 below a billionth of the largest."""
    data = made.trajectory.data
    times: Any = window.value("Array.from(planetfall.replay.arrays.time)")
    at = len(times) // 2
    window.value(f"planetfall.replay.playback.seek({times[at]!r})")
    frame = int(np.argmin(np.abs(data.time.values - times[at])))
    readings: Any = window.value("planetfall.plots.readings()")
    shown, of = ("contact_normal_force", "point") if data.sizes["point"] else ("altitude", "body")
    assert shown in readings
    values = data[shown].values
    least = 1e-9 * np.nanmax(np.abs(values))
    labels = [str(label) for label in data[of].values] if data.sizes[of] > 1 else [""]
    for name, value in readings[shown].items():
        assert number(value) == pytest.approx(values[frame, labels.index(name)], rel=1e-4, abs=least + 1e-12)
        assert not 0.0 < abs(number(value)) < 0.5 * least
    speed = np.linalg.norm(data.velocity.values[frame, 0])
    assert number(next(iter(readings["speed"].values()))) == pytest.approx(speed, rel=1e-4, abs=1e-12)


def number(text: str) -> float:
    return float("nan") if text == "-" else float(text)


def check_play(window: Window) -> None:
    window.value("planetfall.replay.playback.seek(0)")
    window.page.select_option("#speed", "0.1")
    window.page.click("#play")
    window.wait("planetfall.replay.playback.time > 0")
    window.page.click("#play")
    assert window.value("planetfall.replay.playback.playing") is False


def test_keys(window: Window, exported: Callable[[str], Exported]) -> None:
    window.open(exported("drop").page.as_uri())
    press, time = window.page.keyboard.press, "planetfall.replay.playback.time"
    times: Any = window.value("Array.from(planetfall.replay.arrays.time)")
    press("ArrowRight")
    assert window.value(time) == times[1]
    press("ArrowLeft")
    press("End")
    assert window.value(time) == times[-1]
    press("Home")
    press("n")
    first = window.value(time)
    press("n")
    assert isinstance(first, float) and window.value(time) > first
    press("p")
    assert window.value(time) == first
    press("]")
    assert window.value("planetfall.replay.playback.speed") == 2
    press("[")
    press("[")
    assert window.value("planetfall.replay.playback.speed") == 0.5
    press("v")
    assert window.value("planetfall.view.shown.forces") is False
    press("f")
    assert window.value("planetfall.view.cameras.isFollowing") is True
    press("h")
    assert window.page.is_visible("#help")
    window.shot("help")
    press("h")
    assert not window.page.is_visible("#help")
    press(" ")
    window.wait("planetfall.replay.playback.playing")


@pytest.mark.parametrize("size", [(390, 800), (2200, 1200)])
def test_narrow_and_wide(size: tuple[int, int], window: Window, exported: Callable[[str], Exported]) -> None:
    """Nothing sticks out, and the scene keeps a good part of the window."""
    window.page.set_viewport_size({"width": size[0], "height": size[1]})
    window.open(exported("drop").page.as_uri())
    window.shot(f"drop-{size[0]}")
    boxes: Any = window.value(
        "['#stage', '#plots', '#bar', '#play', '#slider', '#time'].map(s => {"
        "const b = document.querySelector(s).getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom] })"
    )
    for left, top, right, bottom in boxes:
        assert left >= 0 and top >= 0 and right <= size[0] + 1 and bottom <= size[1] + 1
        assert right - left > 10 and bottom - top > 5
    stage = boxes[0]
    assert (stage[2] - stage[0]) * (stage[3] - stage[1]) > 0.35 * size[0] * size[1]


def test_click_and_zoom_in_a_plot(window: Window, exported: Callable[[str], Exported]) -> None:
    window.open(exported("drop").page.as_uri())
    box = window.page.locator(".plot .u-over").first.bounding_box()
    assert box is not None
    window.page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    end: Any = window.value("planetfall.replay.playback.end")
    assert window.value("planetfall.replay.playback.time") == pytest.approx(0.5 * end, abs=0.02 * end)
    y = box["y"] + 0.5 * box["height"]
    window.page.mouse.move(box["x"] + 0.25 * box["width"], y)
    window.page.mouse.down()
    window.page.mouse.move(box["x"] + 0.5 * box["width"], y, steps=4)
    window.page.mouse.up()
    spans: Any = window.value("planetfall.plots.plots.map(p => [p.chart.scales.x.min, p.chart.scales.x.max])")
    assert len(spans) >= 3
    for low, high in spans:  # all plots together
        assert low == pytest.approx(0.25 * end, abs=0.02 * end) and high == pytest.approx(0.5 * end, abs=0.02 * end)


def test_a_curve_that_begins_without_a_value_is_drawn(window: Window, exported: Callable[[str], Exported]) -> None:
    """A heat shield has no load before it is released, an altimeter no return from on high."""
    window.open(exported("drop").page.as_uri())
    window.page.locator(".plot select").first.select_option("contact_gap")
    window.value("planetfall.replay.arrays['var.contact_gap'][0] = NaN, planetfall.plots.refresh()")
    highest: Any = window.value("planetfall.plots.plots[0].chart.scales.y.max")
    assert np.isfinite(highest)


def test_any_variable_can_be_chosen(window: Window, exported: Callable[[str], Exported]) -> None:
    made = exported("drop")
    window.open(made.page.as_uri())
    window.page.locator(".plot select").first.select_option("contact_gap")
    window.value("planetfall.replay.playback.seek(0)")
    readings: Any = window.value("planetfall.plots.readings()")
    assert number(readings["contact_gap"]["wheel 1"]) == pytest.approx(
        float(made.trajectory.data.contact_gap.values[0, 0]), rel=1e-4
    )
    names: Any = window.value("planetfall.plots.names()")
    assert {str(n) for n in made.trajectory.data.data_vars if "time" in made.trajectory.data[n].dims} <= set(names)

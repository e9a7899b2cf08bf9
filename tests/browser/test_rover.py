"""The rover's panel in a real browser: recorded drives, and a drive that is changed while it is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.record.trajectory import Trajectory
from planetfall.rover.model import WHEEL_NAMES
from planetfall.scenario.drive import DriveScenario
from planetfall.vehicle.drawing import drawn_parts
from planetfall.viewer.page import page_with
from planetfall.viewer.rover.choices import offered
from planetfall.viewer.rover.live import RoverLive
from planetfall.viewer.rover.session import RoverSession
from planetfall.viewer.scene.scene import scene_of
from support.browser_window import Exported, Window
from support.served import Served, served

STEP = "lsr1-step"
CLIMBING, ABOVE = 455, 950
"""Samples at which the middle wheels climb the step, and at which all are over it."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    run = planetfall.drive(planetfall.load_drive(STEP))
    page = tmp_path_factory.mktemp("rover") / "step.html"
    page.write_text(page_with(scene_of(run)), encoding="utf-8")
    return Exported(run, page)


@dataclass(frozen=True)
class Live:
    """A session, where it is served, and where it saves."""

    session: RoverLive
    served: Served
    folder: Path

    @property
    def run(self) -> Trajectory[DriveScenario]:
        return self.session.session.trajectory


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    folder = tmp_path / "saved"
    made = RoverSession(planetfall.load_drive(STEP), planetfall.drive, offered())
    session = RoverLive(made, lambda run: run.save(folder))
    with served(session) as where:
        yield Live(session, where, folder)


def open_paused(window: Window, live: Live, sample: int) -> None:
    """A live page that stands at a sample."""
    if window.page.viewport_size == {"width": 1280, "height": 760}:
        window.page.set_viewport_size({"width": 900, "height": 620})  # fewer pixels to be drawn without a graphics card
    window.open(live.served.door.address)
    window.wait("planetfall.replay.playback.playing")  # a live rover drives
    window.page.keyboard.press("Space")
    window.value(f"planetfall.replay.playback.seek({float(live.run.data.time.values[sample])!r})")


def check_panel(window: Window, run: Trajectory[DriveScenario], sample: int) -> None:
    """Every number of the panel is that of the drive at the cursor, to the digits that it shows."""
    window.value("planetfall.drawNow()")
    said: Any = window.value("planetfall.rover.readings()")
    at = run.data.isel(time=sample)
    for i, name in enumerate(WHEEL_NAMES):
        wheel = said["wheels"][name]
        assert float(wheel["torque"]) == pytest.approx(abs(float(at.wheel_saturation[i])), abs=0.00501)
        assert float(wheel["slip"]) == pytest.approx(float(at.wheel_slip_ratio[i]), abs=0.00501)
        assert float(wheel["friction"]) == pytest.approx(float(at.wheel_friction_used[i]), abs=0.00501)
        assert float(wheel["load"].removesuffix(" N")) == pytest.approx(float(at.contact_normal_force[i]), rel=5.01e-3)
    assert float(said["stability"]) == pytest.approx(float(at.margin_stability), abs=0.00501)
    assert float(said["unloading"]) == pytest.approx(float(at.margin_unloading), abs=0.00501)
    assert float(said["distance"].split()[0]) == pytest.approx(float(at.distance), abs=0.000501)
    assert float(said["time"].removesuffix(" s")) == pytest.approx(float(at.time), abs=0.0501)
    assert float(said["energy"].removesuffix(" J")) == pytest.approx(float(at.work_motor.sum()), rel=5.01e-4, abs=1e-9)
    speed = float(np.linalg.norm(at.velocity.values[0]))
    assert float(said["speed"].removesuffix(" m/s")) == pytest.approx(speed, rel=5.01e-3)


def check_plots(window: Window, run: Trajectory[DriveScenario], sample: int) -> None:
    window.wait("!planetfall.plots.growth")  # curves are drawn a few times a second
    readings: Any = window.value("planetfall.plots.readings()")
    assert {"contact_normal_force", "wheel_slip_ratio", "wheel_torque"} <= readings.keys()
    for variable in ("contact_normal_force", "wheel_slip_ratio"):
        for i, name in enumerate(WHEEL_NAMES):
            value = float(run.data[variable].values[sample, i])
            assert float(readings[variable][name]) == pytest.approx(value, rel=1e-4, abs=1e-6)


def test_a_recorded_drive(window: Window, recorded: Exported) -> None:
    run: Any = recorded.trajectory
    window.open(recorded.page.as_uri())
    assert window.page.locator("#controls").count() == 0
    window.value(f"planetfall.replay.playback.seek({float(run.data.time.values[CLIMBING])!r})")
    window.value("planetfall.view.cameras.go('close')")
    check_panel(window, run, CLIMBING)
    check_plots(window, run, CLIMBING)
    drawings = [window.page.locator(".drawing").nth(i) for i in range(2)]
    climbing = [drawing.screenshot() for drawing in drawings]
    window.shot("rover-recorded")
    window.value(f"planetfall.replay.playback.seek({float(run.data.time.values[ABOVE])!r})")
    check_panel(window, run, ABOVE)
    assert all(drawing.screenshot() != before for drawing, before in zip(drawings, climbing, strict=True))
    for i in range(6):  # wheels touch the ground that is drawn, within a millimetre
        off: Any = window.value(f"planetfall.view.probe({i}, [0, 0, 1])")
        assert off == pytest.approx(0.0, abs=1e-3)
    drawings[0].focus()
    window.page.keyboard.press("Enter")
    assert window.value("planetfall.rover.top.isWhole") is True
    window.page.click("#fast")
    assert window.value("planetfall.replay.playback.speed") == 10
    window.wait("planetfall.replay.playback.time >= planetfall.replay.playback.end")
    assert window.page.inner_text("#verdict") == "The rover drives all of the 2.2 m."
    assert window.errors == []
    assert [url for url in window.requests if not url.startswith(("file:", "data:", "blob:"))] == []


def test_sliders_change_the_live_rover(window: Window, live: Live) -> None:
    """A slider moved by keys: numbers at the cursor and after it follow, and so does the folder; undo, redo."""
    open_paused(window, live, CLIMBING)
    before = live.run
    check_panel(window, before, CLIMBING)
    window.page.focus("[id='set-rover.mass']")
    window.page.keyboard.press("End")
    window.wait("planetfall.replay.header.session.undo === 1")
    assert live.run.scenario.changes[0].values == {"rover.mass": 14.0}
    check_panel(window, live.run, CLIMBING)
    check_plots(window, live.run, CLIMBING)
    assert float(live.run.data.mass[CLIMBING, 0]) == 14.0 and float(live.run.data.mass[CLIMBING - 1, 0]) == 7.0
    window.shot("rover-live")
    window.value(f"planetfall.replay.playback.seek({float(live.run.data.time.values[CLIMBING - 1])!r})")
    assert window.page.inner_text("[id='set-rover.mass'] + output") == "7 kg"  # sliders show what holds at the cursor
    check_panel(window, before, CLIMBING - 1)
    window.page.click("#save")
    window.wait("document.getElementById('live-sentence').textContent.startsWith('Saved in')")
    opened: Any = planetfall.open(live.folder)
    assert opened.summary["changes"] and "changed" in (live.folder / "events.csv").read_text()
    check_panel(window, opened, CLIMBING - 1)
    window.page.keyboard.press("u")
    window.wait("planetfall.replay.header.session.undo === 0")
    window.value(f"planetfall.replay.playback.seek({float(before.data.time.values[CLIMBING])!r})")
    check_panel(window, before, CLIMBING)
    window.page.keyboard.press("r")
    window.wait("planetfall.replay.header.session.redo === 0")
    check_panel(window, live.run, CLIMBING)
    assert window.errors == []


def test_a_slider_dragged_while_it_drives(window: Window, live: Live) -> None:
    """The rover drives on; the bars follow the slider before it is let go; all of it is one step."""
    open_paused(window, live, 300)
    window.page.keyboard.press("Space")
    slider = window.page.locator("[id='set-soil.friction']")
    slider.scroll_into_view_if_needed()
    box: Any = slider.bounding_box()
    y = box["y"] + box["height"] / 2
    window.page.mouse.move(box["x"] + box["width"] * 0.58, y)
    window.page.mouse.down()
    window.page.mouse.move(box["x"] + box["width"] * 0.4, y, steps=6)
    window.wait("planetfall.replay.stretch.values['soil.friction'] < 0.7")
    assert window.value("planetfall.replay.playback.playing") is True
    window.page.mouse.move(box["x"] + 1, y, steps=6)
    window.page.mouse.up()
    window.wait("planetfall.replay.stretch.values['soil.friction'] < 0.1")
    assert window.value("planetfall.replay.header.session.undo") == 1
    window.page.click("#fast")
    window.wait("!planetfall.replay.playback.playing")
    assert window.page.inner_text("#heading .badge:not(#changed)") == "slipping"
    assert "slides" in window.page.inner_text("#verdict")
    check_panel(window, live.run, live.run.data.sizes["time"] - 1)
    window.shot("rover-live-stopped")
    assert window.errors == []


def test_what_is_refused_is_said_and_the_slider_goes_back(window: Window, live: Live) -> None:
    open_paused(window, live, -1)
    window.page.focus("[id='set-rover.payload']")
    window.page.keyboard.press("ArrowRight")
    window.wait("document.getElementById('live-problem').textContent")
    assert "the rover has arrived" in window.page.inner_text("#live-problem")
    assert window.page.input_value("[id='set-rover.payload']") == "0"
    assert window.page.inner_text("[id='set-rover.payload'] + output") == "0 kg"
    assert live.session.session.n_undo == 0


def test_another_terrain_and_path(window: Window, live: Live) -> None:
    """Chosen from the lists: the page starts anew, with the rover as it was; undo brings the step back."""
    open_paused(window, live, CLIMBING)
    window.page.select_option("#choose-terrain", "lsr1-flat")
    window.wait("planetfall.replay.header.session.chosen.terrain === 'lsr1-flat' && planetfall.isReady")
    assert window.value("planetfall.replay.playback.time") < 30
    window.page.select_option("#choose-path", "lsr1-flat")
    window.wait("planetfall.replay.header.session.chosen.path === 'lsr1-flat' && planetfall.isReady")
    assert window.value("planetfall.replay.header.rover.path_m") == pytest.approx(live.run.summary["path_m"])
    window.page.click("#play")
    window.value("planetfall.replay.playback.seek(0)")
    check_panel(window, live.run, 0)
    window.shot("rover-live-flat")
    window.page.click("#undo")
    window.wait("planetfall.replay.header.session.chosen.path === 'lsr1-step' && planetfall.isReady")
    assert window.errors == []
    own = live.served.door.address.partition("?")[0]
    allowed = (own, own.replace("http", "ws"), "data:", "blob:")
    assert [url for url in window.requests if not url.startswith(allowed)] == []


@pytest.mark.parametrize("size", [(500, 900), (1600, 900)])
def test_narrow_and_wide(size: tuple[int, int], window: Window, live: Live) -> None:
    """Nothing sticks out; scene and panel keep a good part of the window each; all controls can be reached."""
    window.page.set_viewport_size({"width": size[0], "height": size[1]})
    open_paused(window, live, CLIMBING)
    window.value("planetfall.drawNow()")
    window.shot(f"rover-live-{size[0]}")
    boxes: Any = window.value(
        "['#stage', '#panel', '#plots', '#bar', '#play', '#fast', '#slider', '#time'].map(s => {"
        "const b = document.querySelector(s).getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom] })"
    )
    for left, _, right, _ in boxes:
        assert left >= 0 and right <= size[0] + 1 and right - left > 10
    stage, bar = boxes[0], boxes[3]
    assert (stage[2] - stage[0]) * (stage[3] - stage[1]) > 0.3 * size[0] * size[1]
    assert bar[3] <= size[1] + 1
    overflow: Any = window.value(
        "[...document.querySelectorAll('#panel *')].filter(e => e.getBoundingClientRect().right > "
        "document.querySelector('#panel').getBoundingClientRect().right + 1).map(e => e.tagName + e.className)"
    )
    assert overflow == []
    last = window.page.locator("#choose-goal")
    last.scroll_into_view_if_needed()
    window.shot(f"rover-live-{size[0]}-below")
    box: Any = last.bounding_box()
    assert box["y"] >= 0 and box["y"] + box["height"] <= size[1]


def test_the_body_hangs_on_the_differential(window: Window, recorded: Exported) -> None:
    """Its origin is the middle of the axis, wherever the rover is; its facets are those of the rover's drawing."""
    window.open(recorded.page.as_uri())
    data = recorded.trajectory.data
    for sample in (0, CLIMBING, ABOVE):
        window.value(f"planetfall.replay.playback.seek({float(data.time[sample])!r}), planetfall.drawNow()")
        place: Any = window.value("planetfall.view.vehicles.rover.body.position.toArray()")
        origin: Any = window.value("planetfall.replay.header.origin")
        axis = data.joint_position.values[sample][[0, 2]].mean(axis=0) - origin
        assert place == pytest.approx(axis, abs=2.0**-21 * np.abs(axis).max())  # between frames in float32
    drawn = drawn_parts(recorded.trajectory.scenario.rover.drawing)
    count: Any = window.value(
        "planetfall.view.vehicles.rover.body.children[0].children[0].geometry.attributes.position.count"
    )
    assert count == 3 * len(drawn.facets)

"""A running simulation in a real browser: it grows, is held, stepped and changed there, and ends as a replay."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

from planetfall.record.run_folder import open_run
from support.browser_window import Window
from support.command import begin

KEY = "contact.sliding_angle_deg"
SLIDER = f'[id="set-{KEY}"]'
END = "planetfall.replay.playback.end"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command with a live run at a tenth of real time, and the page's address."""
    words = ("run", "msl-drop", "--live", "--no-browser", "--pace", "0.1", "--out", "live", "--no-figures")
    command = begin(*words, "--set", "scenario.duration=1.5", cwd=tmp_path)
    try:
        assert command.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\S+", command.stdout.readline())
        assert found is not None
        yield command, found[0]
    finally:
        command.kill()
        command.communicate()


def badge(text: str) -> str:
    return f"document.getElementById('live-badge').textContent === '{text}'"


def test_a_run_is_watched_changed_and_kept(
    running: tuple[subprocess.Popen[str], str], window: Window, chromium: Browser, tmp_path: Path
) -> None:
    command, address = running
    window.page.on("websocket", lambda socket: window.requests.append(socket.url))
    window.open(address)
    check_growth(window)
    check_hold(window)
    check_change(window, chromium, address)
    window.shot("live-changed")
    check_past(window)
    window.page.select_option("#live-pace", "")
    window.page.click("#live-hold")
    window.wait(badge("finished"))
    window.wait("!planetfall.replay.playback.isLive")
    window.page.set_viewport_size({"width": 560, "height": 900})
    window.shot("live-finished-narrow")
    check_numbers(window, tmp_path / "live")
    command.send_signal(signal.SIGINT)
    assert command.wait(60) == 0
    window.wait("!document.getElementById('live-hold').matches(':enabled')")
    assert window.errors == []
    own = re.match(r"http://127\.0\.0\.1:\d+/", address)
    assert own is not None
    sites = (own[0], own[0].replace("http", "ws"), "data:", "blob:")
    assert [url for url in window.requests if not url.startswith(sites)] == []


def check_growth(window: Window) -> None:
    window.wait(badge("live"))
    window.wait(f"{END} > 0.02")
    first: Any = window.value(END)
    window.wait(f"{END} > {first}")
    assert window.value(f"planetfall.replay.playback.time === {END}")  # it follows the newest frame


def check_hold(window: Window) -> None:
    window.page.click("#live-hold")
    window.wait(badge("paused"))
    window.wait(f"planetfall.link.state.time === {END}")
    held: Any = window.value(END)
    window.page.click("#live-step")
    window.wait(f"{END} > {held}")
    assert 0.0 < window.value(END) - held <= 0.01 * (1 + 1e-9)  # one interval of the record at most


def check_change(window: Window, chromium: Browser, address: str) -> None:
    """By the keyboard; what is not allowed is refused, and the slider goes back. Another page sees the same."""
    page, value = window.page, f"planetfall.link.state.values['{KEY}']"
    page.focus(SLIDER)
    page.keyboard.press("End")
    window.wait("document.getElementById('live-problem').textContent.includes('cannot exceed breakaway friction')")
    window.wait(f"document.querySelector('{SLIDER}').value === '27'")
    page.keyboard.press("Home")
    window.wait(f"{value} === 0")
    window.wait("!document.getElementById('changed').hidden")
    kinds: Any = window.value("planetfall.replay.header.events.map((event) => event.kind)")
    assert kinds.count(f"changed {KEY}") == 1
    other = Window(chromium.new_page())
    other.open(address)
    other.wait("planetfall.link.state")
    assert other.value(value) == 0
    other.wait(f"{END} === {window.value(END)}")
    other.page.close()


def check_past(window: Window) -> None:
    """One may look back while it is held, and come back to the newest frame by a key."""
    window.page.keyboard.press("Escape")
    window.page.click("#scene", position={"x": 60, "y": 300})
    window.page.keyboard.press("Home")
    assert window.value("planetfall.replay.playback.time") == 0
    assert not window.value("planetfall.replay.playback.atEnd")
    window.page.keyboard.press("End")
    assert window.value("planetfall.replay.playback.atEnd")


def check_numbers(window: Window, folder: Path) -> None:
    """What the page has at the end is what the folder holds."""
    made = open_run(folder)
    times: Any = window.value("Array.from(planetfall.replay.arrays.time)")
    np.testing.assert_array_equal(times, made.data.time.values)
    window.value(f"planetfall.replay.playback.seek({END})")
    shown: Any = window.value("[0, 1, 2].map((axis) => planetfall.replay.value('position', axis))")
    np.testing.assert_allclose(shown, made.data.position.values[-1, 0], atol=1e-5)
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert [(change["key"], change["from"], change["to"]) for change in summary["changes"]] == [(KEY, 27.0, 0.0)]
    assert window.value("document.querySelector('#heading .badge:last-child').textContent") == summary["outcome"]

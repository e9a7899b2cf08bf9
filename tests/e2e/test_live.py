"""`planetfall run --live`: the folder is that of a run without a viewer; what was changed on the way is on record."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import xarray as xr

from planetfall.record.run_folder import open_run
from planetfall.viewer.server import Door
from support.command import begin, inside, succeed
from support.served import Served

QUICK = ("--set", "scenario.duration=1.5", "--no-figures")


@contextmanager
def live_run(cwd: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], Served]]:
    """The command with a live run, once it can be met."""
    running = begin("run", "msl-drop", *QUICK, "--live", "--no-browser", *words, cwd=cwd)
    try:
        assert running.stdout is not None
        address = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)", running.stdout.readline())
        assert address is not None
        yield running, Served(Door(int(address[1]), address[2]))
    finally:
        running.kill()
        running.communicate()


@pytest.fixture(scope="module")
def cwd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("live")
    succeed("run", "msl-drop", *QUICK, "--out", "alone", cwd=folder)
    return folder


def test_the_folder_is_that_of_a_run_without_a_viewer(cwd: Path) -> None:
    with live_run(cwd, "--out", "watched", "--pace", "5") as (running, server), server.page() as page:
        assert page.wait_for("finished")["sentence"].endswith("Results are in watched.")
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 0
        said = running.communicate()
    assert "Outcome" in said[0] and said[1] == ""
    for name in ("events.csv", "summary.json", "scenario.toml"):
        assert (cwd / "watched" / name).read_bytes() == (cwd / "alone" / name).read_bytes()
    with xr.open_dataset(cwd / "watched/trajectory.nc") as found, xr.open_dataset(cwd / "alone/trajectory.nc") as other:
        xr.testing.assert_identical(found, other)


def test_changes_are_on_record_and_can_be_made_again(cwd: Path) -> None:
    with live_run(cwd, "--out", "changed", "--pace", "0.2") as (running, server), server.page() as page:
        page.wait_for("running")
        page.send({"do": "set", "key": "contact.sliding_angle_deg", "value": 10.0})
        page.send({"do": "pace", "value": None})
        page.wait_for("finished")
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 0
        said = running.communicate()[0]
    assert "Changed  contact.sliding_angle_deg from 27 to 10" in said
    assert "run it again: planetfall run changed/scenario.toml --changes changed" in said
    (change,) = json.loads((cwd / "changed/summary.json").read_text(encoding="utf-8"))["changes"]
    assert change["to"] == 10.0
    assert "changed contact.sliding_angle_deg" in (cwd / "changed/events.csv").read_text(encoding="utf-8")
    succeed("run", "changed/scenario.toml", "--changes", "changed", "--out", "again", "--no-figures", cwd=cwd)
    found, expected = open_run(cwd / "again"), open_run(cwd / "changed")
    xr.testing.assert_identical(found.data, expected.data)
    assert found.events == expected.events and found.summary == expected.summary
    page_text = cwd / "report.html"
    succeed("report", "changed", "--out", page_text.name, cwd=cwd)
    assert "Parameters were changed by hand while it ran" in page_text.read_text(encoding="utf-8")


def test_an_interrupt_before_the_end_writes_nothing(cwd: Path) -> None:
    with live_run(cwd, "--out", "given-up", "--pace", "0.01") as (running, server), server.page() as page:
        page.wait_for("running")
        running.send_signal(signal.SIGINT)
        assert "given up" in page.wait_for("failed")["sentence"]
        assert running.wait(60) == 130
        assert running.communicate()[1].strip() == "planetfall: interrupted; nothing was written"
    assert not (cwd / "given-up").exists()


def test_an_interrupt_once_it_is_saved_ends_it_well(cwd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages hear that the run has finished before they have the whole of it; who ends it then loses nothing."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("planetfall.viewer.live.live_run.LiveScene.finish", interrupt)
    said = succeed("run", "msl-drop", *QUICK, "--live", "--no-browser", "--pace", "max", "--out", "saved", cwd=cwd)
    assert "Outcome" in said
    assert (cwd / "saved/summary.json").read_bytes() == (cwd / "alone/summary.json").read_bytes()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("msl-drop", "--pace", "2"), "--pace: is only for live runs, and this is not one; add --live"),
        (("msl-drop", "--port", "0"), "--port: is only for live runs"),
        (("msl-drop", "--live", "--pace", "quick"), "0.001 to 1e6, or max"),
        (("msl-drop", "--live", "--changes", "alone"), "leave out --live or --changes"),
        (("msl-drop", "--changes", "alone"), "nothing was changed during that run"),
        (("lsr1-flat", "--live"), "this is a rover's drive"),
    ],
)
def test_what_does_not_go_together_is_refused(cwd: Path, words: tuple[str, ...], sentence: str) -> None:
    refused = inside("run", *words, cwd=cwd)
    assert refused.returncode == 2 and refused.stdout == ""
    assert sentence in refused.stderr

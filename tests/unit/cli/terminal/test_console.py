"""The progress bar: after two seconds, by the clock, and only where a person looks; what is prepared has its share."""

from __future__ import annotations

import io
import sys
import time

import pytest
import typer

from planetfall.cli.terminal import console
from planetfall.display import progress as progress_bars
from planetfall.world.preparations import telling


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, patience: float, fractions: list[float]) -> str:
    """What is written while a job of some time reports fractions."""
    monkeypatch.setattr(console, "PATIENCE", patience)
    monkeypatch.setattr(progress_bars, "PATIENCE", patience)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with console.progress_bar("a job") as progress:
        for fraction in fractions:
            progress(fraction)
        time.sleep(0.3)
    return stream.getvalue()


@pytest.mark.parametrize("fractions", [[], [0.25]])
def test_a_job_that_reports_nothing_has_a_bar_too(monkeypatch: pytest.MonkeyPatch, fractions: list[float]) -> None:
    """Reading a file in one piece, say."""
    said = shown(monkeypatch, Terminal(), 0.0, fractions)
    assert "a job" in said
    assert ("25%" in said) == bool(fractions)


def test_a_short_job_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "a job" not in shown(monkeypatch, Terminal(), 60.0, [0.5])


def test_a_file_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, io.StringIO(), 0.0, [0.5]) == ""


def prepared(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, patience: float) -> str:
    """What is written while something is prepared in two steps, before the job itself."""
    monkeypatch.setattr(console, "PATIENCE", patience)
    monkeypatch.setattr(progress_bars, "PATIENCE", patience)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with console.progress_bar("a job") as progress:
        for share in (0.0, 0.25, 0.5):
            telling("baking something")(share)
            time.sleep(0.15)
        telling("baking something")(1.0)
        progress(0.75)
        time.sleep(0.15)
    return stream.getvalue()


def test_a_preparation_has_the_bar_by_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    said = prepared(Terminal(), monkeypatch, 0.0)
    assert "baking something" in said and "25%" in said
    assert said.index("baking something") < said.rindex("a job") < said.rindex("75%")
    assert "a job" not in said[said.index("25%") : said.rindex("baking something")]


def test_a_preparation_has_one_line_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the time that is left by the pace so far."""
    line = "baking something, which takes a while; 25% done, about 1 s left; it is kept for the next time"
    assert prepared(io.StringIO(), monkeypatch, 0.1) == f"planetfall: note: {line}\n"
    assert prepared(io.StringIO(), monkeypatch, 60.0) == ""


def test_a_long_preparation_has_further_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """After 20 s, and from then on when twice the time has passed."""
    clock = iter([0.0, 3.0, 10.0, 31.0, 59.0, 300.0])
    monkeypatch.setattr(console.time, "monotonic", lambda: next(clock))
    hear = console.one_line_each()
    for share in (0.0, 0.01, 0.05, 0.1, 0.2, 0.9):
        hear("baking, about 7 min", share)  # what was reckoned before gives way to the pace of the work
    said = capsys.readouterr().err.splitlines()
    assert [line.partition("note: ")[2] for line in said] == [
        "baking, which takes a while; 1% done, about 5 min left; it is kept for the next time",
        "baking: 10% done, about 5 min left",
        "baking: 90% done, about 33 s left",
    ]


def test_a_preparation_that_says_nothing_has_its_line_by_the_clock(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a compiler does, from begin to end; a later one that is quick, when all is cached, has none."""
    monkeypatch.setattr(console, "PATIENCE", 0.1)
    hear = console.one_line_each()
    hear("compiling, about 2 to 20 s", 0.0)
    time.sleep(0.4)
    line = "planetfall: note: compiling, about 2 to 20 s, which takes a while; it is kept for the next time\n"
    assert capsys.readouterr().err == line
    for _ in range(3):
        hear("compiling, about 2 to 20 s", 1.0)
        time.sleep(0.15)
        hear("compiling, about 2 to 20 s", 0.0)
    hear("compiling, about 2 to 20 s", 1.0)
    time.sleep(0.3)
    assert capsys.readouterr().err == ""


def test_a_long_job_has_lines_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pace is that since the first word of the work, 1 % after 30 s: kernels were compiled before."""
    clock = iter([0.0, 30.0, 65.0, 100.0, 140.0])
    stream = io.StringIO()
    monkeypatch.setattr(console.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(sys, "stderr", stream)
    update = console.lines_now_and_then("a job")
    for fraction in (0.01, 0.1, 0.2, 0.5):
        update(fraction)
    assert stream.getvalue().splitlines() == [
        "planetfall: note: a job: 10% done, about 6 min left", "planetfall: note: a job: 50% done, about 2 min left"
    ]  # fmt: skip


@pytest.mark.parametrize(("share", "told"), [(0.6, "60% done, at most 60 s left"), (0.09, "9% done")])
def test_a_job_that_is_late_to_speak_has_a_bound_once_some_of_it_is_done(
    share: float, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first word comes after 90 s, at 60 %: the rest takes no more than 60 s, whatever was compiled before."""
    clock = iter([0.0, 90.0])
    monkeypatch.setattr(console.time, "monotonic", lambda: next(clock))
    console.lines_now_and_then("a job")(share)
    assert capsys.readouterr().err.splitlines() == [f"planetfall: note: a job: {told}"]


def test_without_a_listener_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    telling("baking something")(0.5)
    assert capsys.readouterr() == ("", "")


def test_an_interrupt_ends_with_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as caught, console.progress_bar("a job"):
        raise KeyboardInterrupt
    assert caught.value.exit_code == 130
    assert "interrupted; nothing was written" in capsys.readouterr().err

"""`planetfall run --check`: printed, saved, opened, reported; what cannot be checked is refused."""

from __future__ import annotations

import html
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import planetfall as package
from support.command import inside, refuse, succeed

CHECK = ("--check", "--no-figures")


def summary_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "summary.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def drop(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    cwd = tmp_path_factory.mktemp("check")
    said = succeed("run", "msl-drop", "--set", "scenario.duration=1.2", *CHECK, "--out", "drop", cwd=cwd)
    return cwd / "drop", said


def test_each_number_is_printed_with_its_difference(drop: tuple[Path, str]) -> None:
    folder, said = drop
    step = package.open(folder).scenario.integrator.step
    lines = {line[:30].strip(): line[30:].strip() for line in said.splitlines()}
    assert " ± " in lines["Deepest penetration"] and lines["Deepest penetration"].endswith(" m")
    assert "(finer: " in lines["Energy account closes to"]
    assert said.count(" ± ") >= 10
    assert f"half the step ({step / 2:g} s)" in said
    assert "not checked" not in said


def test_each_number_is_saved_with_its_difference_and_opens(drop: tuple[Path, str]) -> None:
    check = summary_of(drop[0])["check"]
    opened = package.open(drop[0])
    assert opened.summary["check"] == check
    assert check["by"] == "half the step"
    step = opened.scenario.integrator.step
    assert check["step_s"] == {"value": step, "finer": step / 2}
    for key in ("max_penetration_m", "peak_normal_force_N", "first_touch_s", "touchdowns", "energy_end_J"):
        assert set(check["differences"][key]) == {"value", "finer", "difference"}
        assert check["differences"][key]["value"] == opened.summary[key]
    opened.save(drop[0].parent / "again")
    assert summary_of(drop[0].parent / "again")["check"] == check


def test_json_has_it_too(tmp_path: Path) -> None:
    words = ("run", "msl-drop", "--set", "scenario.duration=0.7", *CHECK, "--out", "x", "--json")
    printed = json.loads(succeed(*words, cwd=tmp_path))
    assert printed["check"] == summary_of(tmp_path / "x")["check"]


def test_the_report_has_it_too(drop: tuple[Path, str]) -> None:
    succeed("report", "drop", "--out", "drop.html", cwd=drop[0].parent)
    page = (drop[0].parent / "drop.html").read_text(encoding="utf-8").partition('id="replay-page"')[0]
    assert "<h2>Numerical error</h2>" in page
    for sentence in summary_of(drop[0])["check"]["sentences"]:
        assert html.escape(sentence) in page
    assert page.count(" ± ") >= 10
    assert "class=warning" not in page


def test_a_run_without_a_check_says_so(tmp_path: Path) -> None:
    said = succeed("run", "msl-drop", "--set", "scenario.duration=0.7", "--no-figures", "--out", "x", cwd=tmp_path)
    assert "Digits   not checked" in said and "±" not in said
    assert "check" not in summary_of(tmp_path / "x")
    succeed("report", "x", "--out", "x.html", cwd=tmp_path)
    assert "planetfall run --check" in (tmp_path / "x.html").read_text(encoding="utf-8")


def test_another_outcome_is_said_first(tmp_path: Path) -> None:
    """The block on its springs turns at 19.3 1/s: RK4 is stable to some 2.8/19.3 s, so 0.16 s shakes it, 0.08 s not."""
    unstable = ("integrator.method=rk4", "integrator.step=0.16", "integrator.accept_step=true")
    sets = [word for text in unstable for word in ("--set", text)]
    done = inside("run", "sink-flat", *sets, *CHECK, "--out", "x", cwd=tmp_path)
    summary = summary_of(tmp_path / "x")
    outcome = summary["check"]["outcome"]
    assert outcome == {"value": "timed_out", "finer": "settled"} and done.returncode == 0
    assert done.stdout.startswith(f"WARNING  The outcome is not certain: {outcome['value']} here, but ")
    succeed("report", "x", "--out", "x.html", cwd=tmp_path)
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert page.index("<p class=warning>") < page.index("<p class=outcome>")


def test_a_drive_is_checked_by_half_the_distance_of_its_poses(tmp_path: Path) -> None:
    words = ("lsr1-flat", "--set", "path.step=0.1", *CHECK, "--out")
    said = succeed("rover", "drive", *words, "a", cwd=tmp_path)
    assert "half the distance between poses" in said
    check = summary_of(tmp_path / "a")["check"]
    assert check["path_step_m"] == {"value": 0.1, "finer": 0.05}
    assert check["differences"]["motor_work_J"]["difference"] is not None
    succeed("run", *words, "b", cwd=tmp_path)
    assert summary_of(tmp_path / "b")["check"] == check
    succeed("report", "a", "--out", "a.html", cwd=tmp_path)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("msl-drop", "--live"), "cannot be repeated"),
        (("sink-flat", "--set", "integrator.tolerance=5e-14"), "5e-14 cannot be checked"),
    ],
)
def test_what_cannot_be_checked_is_refused(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    assert said in refuse("run", *words, *CHECK, cwd=tmp_path)


@pytest.mark.parametrize(
    "words", [("msl-drop", "--set", "scenario.duration=0.7"), ("lsr1-flat",)], ids=["run", "drive"]
)
def test_an_interrupt_during_the_check_keeps_the_run(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("planetfall.simulate.check_of", interrupt)
    done = inside("run", *words, *CHECK, "--out", "x", cwd=tmp_path)
    assert done.returncode == 130
    assert "interrupted; the run, without its check, is in x" in done.stderr
    opened = package.open(tmp_path / "x")
    assert opened.summary["check"]["failed"] == "it was interrupted"
    assert opened.data.time.values[-1] > 0.0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, "changes.0.key is not text"),
        ({"key": "contact.clamp", "time_s": 1.0}, "changes.0.step is not a number"),
        ({"key": "a", "time_s": "soon", "step": 1, "from": 1.0, "to": 2.0, "energy_J": 0.0}, "changes.0.time_s"),
    ],
)
def test_damaged_changes_are_refused(change: dict[str, Any], said: str, drop: tuple[Path, str], tmp_path: Path) -> None:
    shutil.copytree(drop[0], tmp_path / "run")
    summary = {**summary_of(drop[0]), "changes": [change]}
    (tmp_path / "run" / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    told = refuse("run", "msl-drop", "--changes", "run", "--no-figures", cwd=tmp_path)
    assert f"summary.json: is damaged: {said}" in told

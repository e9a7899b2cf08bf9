"""A terminal that has ASCII alone: everything is said all the same, and JSON stays JSON."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from support.command import PLANETFALL

ASCII = {"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def in_ascii(*words: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [str(PLANETFALL), *words], cwd=cwd, env={**os.environ, **ASCII}, capture_output=True, timeout=300
    )


def test_a_checked_run_is_printed(tmp_path: Path) -> None:
    words = ("run", "msl-drop", "--set", "scenario.duration=0.7", "--check", "--no-figures", "--out", "r")
    done = in_ascii(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii() and b" +- " in done.stdout
    assert done.stderr == b""


def test_a_title_in_other_letters_is_printed_as_json(tmp_path: Path) -> None:
    title = '"scenario.title" = "Landung \u2192 Gr\u00fc\u00dfe"'
    text = f'based_on = "msl-drop"\n[changes]\n{title}\n"scenario.duration" = 0.1\n'
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    shown = in_ascii("show", "a.toml", cwd=tmp_path)
    assert shown.returncode == 0 and b"\\u2192" in shown.stdout, shown.stderr
    done = in_ascii("run", "a.toml", "--no-figures", "--json", "--out", "r", cwd=tmp_path)
    assert json.loads(done.stdout)["outcome"] == "timed_out", done.stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [(("--help",), 0), (("run", "no-such-\u00e9"), 2), (("run", "msl-drop", "--set", "scenario.title=\u00e9"), 2)],
    ids=["help", "a name", "a value"],
)
def test_other_words(words: tuple[str, ...], code: int, tmp_path: Path) -> None:
    done = in_ascii(*words, cwd=tmp_path)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr
    assert done.stdout.isascii() and done.stderr.isascii()


def test_what_a_terminal_obeys_is_told_and_not_sent(tmp_path: Path) -> None:
    done = subprocess.run([str(PLANETFALL), "show", "a\x1b[31m.toml"], cwd=tmp_path, capture_output=True, timeout=300)
    assert done.returncode == 2 and b"\x1b" not in done.stderr and rb"a\x1b[31m.toml: no such file" in done.stderr

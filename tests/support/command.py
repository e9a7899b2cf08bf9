"""The `planetfall` command as a user meets it, in a folder of its own: in another process, or in this one.

A process of its own costs seconds of imports. It is for what only a process has: its exit, its signals, its streams.
What a command says and writes is the same in this one.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock

from planetfall.cli import main

PLANETFALL = Path(sys.executable).with_name("planetfall")
QUIET = {"PYTHONWARNINGS": "error::RuntimeWarning", "COLUMNS": "120"}
"""A division by zero or an overflow on the way to a result is a fault, also when it is only warned about."""


def planetfall(*words: str, cwd: Path, timeout: float = 300.0) -> subprocess.CompletedProcess[str]:
    """Runs the command to its end."""
    return subprocess.run(
        [str(PLANETFALL), *words], cwd=cwd, env={**os.environ, **QUIET}, capture_output=True, text=True,
        encoding="utf-8", timeout=timeout,
    )  # fmt: skip


def begin(*words: str, cwd: Path, is_group: bool = False) -> subprocess.Popen[str]:
    """Starts the command, as from a terminal: also where the tests are a background job, which has no Ctrl-C.

    Args:
        words: After `planetfall`.
        cwd: Where it runs.
        is_group: Whether it leads a group of processes, all of which a terminal's Ctrl-C reaches.
    """
    return subprocess.Popen(
        [str(PLANETFALL), *words], cwd=cwd, env={**os.environ, **QUIET}, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        start_new_session=is_group,
    )  # fmt: skip


def succeed(*words: str, cwd: Path) -> str:
    """What a command prints that has to work, and to say nothing else."""
    done = inside(*words, cwd=cwd)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def refuse(*words: str, cwd: Path) -> str:
    """The one paragraph with which a command has to refuse bad input, leaving nothing behind."""
    before = {path: path.stat().st_mtime_ns for path in cwd.rglob("*")}
    done = inside(*words, cwd=cwd)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("planetfall: ")
    assert done.stderr.strip().count("\n") == 0
    assert {path: path.stat().st_mtime_ns for path in cwd.rglob("*")} == before
    return done.stderr


def inside(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs the command in this process, several times as fast as in another; what it does not catch is raised here."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "argv", ["planetfall", *words]),
        mock.patch.dict(os.environ, QUIET),
    ):
        try:
            main()
            code = 0
        except SystemExit as exit_:
            code = exit_.code if isinstance(exit_.code, int) else 0
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())

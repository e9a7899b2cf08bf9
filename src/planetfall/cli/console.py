"""What is written to stderr besides results: notes, and progress where a person looks at it."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from planetfall.cli.interrupts import interruptible

PATIENCE = 2.0
"""Seconds before a progress bar appears."""


def print_note(sentence: str) -> None:
    """Something that a user should know beside the results, one line of it."""
    if sys.stderr is not None:
        print(f"planetfall: note: {sentence}", file=sys.stderr)


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[float], None]]:
    """Gives a function that takes the finished fraction; draws nothing when stderr is not a terminal.

    An interrupt inside ends the command with a sentence and the customary exit code.
    """
    try:
        with interruptible(signal.SIGINT), _bar(label) as update:
            yield update
    except KeyboardInterrupt:
        print("planetfall: interrupted; nothing was written", file=sys.stderr)
        raise typer.Exit(130) from None


@contextmanager
def _bar(label: str) -> Iterator[Callable[[float], None]]:
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda fraction: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(label, total=None)  # it moves to and fro until a fraction is known
    # by the clock, not by the first call of `update`: reading a file in one piece reports nothing until it is done
    timer = threading.Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda fraction: bar.update(task, total=1.0, completed=fraction)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()

"""What is written to stderr besides results: notes, and progress where a person looks at it."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

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
        with _bar(label) as update:
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

    start = time.monotonic()
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(label, total=1.0)

    def update(fraction: float) -> None:
        if time.monotonic() - start > PATIENCE and not bar.live.is_started:
            bar.start()
        bar.update(task, completed=fraction)

    try:
        yield update
    finally:
        bar.stop()

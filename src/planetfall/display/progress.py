"""Progress of what takes long, by default where somebody looks: a bar at a terminal, a line in a notebook."""

import html
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from planetfall.display.surroundings import at_terminal, in_notebook
from planetfall.errors import InputError
from planetfall.world.preparations import Listener, duration_words, is_heard, listening

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

Share = Callable[[float], None]
"""Takes the finished fraction, 0 to 1."""
PATIENCE = 2.0
"""Seconds before anything is shown."""
EVERY = 0.25
"""Seconds between two changes of what a notebook shows."""


@contextmanager
def shown_progress(label: str, progress: Share | bool | None = None) -> Iterator[Share | None]:
    """Gives the function that a computation tells its finished fraction, or None where it need not.

    Args:
        label: What is computed.
        progress: A function: that one, and nothing is shown. False: nothing is shown. True: shown wherever Python runs,
            in a log as a line for each tenth.
            None: shown at a terminal and in a notebook, unless whoever calls shows progress already.
    """
    if callable(progress):
        yield progress
        return
    if progress not in (None, True, False):
        raise InputError("progress", f"got {progress!r}", "a function of the finished fraction, True, False or None")
    is_shown = progress or (progress is None and not is_heard() and (in_notebook() or at_terminal()))
    if not is_shown:
        yield None
        return
    if not in_notebook() and not at_terminal():
        yield tenths(label)
        return
    with (notebook_line if in_notebook() else terminal_bar)(label) as update:
        yield update


def tenths(label: str) -> Share:
    """For a log: a line on the standard error stream whenever another tenth is done."""
    told = [0]

    def hear(share: float) -> None:
        if int(10.0 * share) > told[0]:
            told[0] = int(10.0 * share)
            print(f"planetfall: {label}: {told[0]}0% done", file=sys.stderr)

    return hear


@contextmanager
def terminal_bar(label: str) -> Iterator[Share]:
    """A bar on the standard error stream, which goes when it is done; preparations that take long have it before."""
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
        with listening(in_place_of(bar, task)):
            yield lambda fraction: bar.update(task, total=1.0, completed=fraction)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


def in_place_of(bar: "Progress", task: "TaskID", **fields: Any) -> Listener:
    """Shows a preparation where a task of a bar is, until it is prepared; `fields`: what the bar's columns need."""
    shown: dict[str, TaskID] = {}

    def hear(what: str, share: float) -> None:
        if what not in shown:
            shown[what] = bar.add_task(what, total=1.0, **fields)
        bar.update(shown[what], completed=share, visible=share < 1.0)
        bar.update(task, visible=share >= 1.0)

    return hear


@contextmanager
def notebook_line(label: str) -> Iterator[Share]:
    """One line below the cell with a bar, the share that is done and the time that is left; it goes when it is done."""
    line = _Line(label)
    try:
        with listening(line.prepare):
            yield line.update
    finally:
        line.clear()


class _Line:
    """What a notebook shows of a computation; nothing before `PATIENCE` is over."""

    def __init__(self, label: str) -> None:
        self.label, self._begun, self._next = label, time.monotonic(), PATIENCE
        self._first: tuple[float, float] | None = None
        self._handle: Any = None

    def update(self, share: float) -> None:
        """Shows the finished fraction of the computation itself."""
        now = time.monotonic() - self._begun
        if self._first is None:
            self._first = now, share
        began, before = self._first
        left = (now - began) * (1.0 - share) / (share - before) if share > before else None
        self._show(self.label, share, left)

    def prepare(self, what: str, share: float) -> None:
        """Shows how far a preparation is."""
        self._show(what, share, None)

    def _show(self, what: str, share: float, left: float | None) -> None:
        now = time.monotonic() - self._begun
        if now < self._next:
            return
        self._next = now + EVERY
        tail = f", about {duration_words(left)} left" if left is not None else ""
        bar = f"<progress max='1' value='{share:.4f}' style='vertical-align: middle; width: 20em'></progress>"
        self._put(f"<span>{html.escape(what)} {bar} {share:.0%}{tail}</span>")

    def _put(self, text: str) -> None:
        from IPython.display import HTML, display  # type: ignore[import-not-found]  # a notebook has it

        if self._handle is None:
            self._handle = display(HTML(text), display_id=True)
        else:
            self._handle.update(HTML(text))

    def clear(self) -> None:
        """Takes the line away."""
        if self._handle is not None:
            self._put("")

"""What is written to stderr besides results: notes, and progress where a person looks at it."""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from planetfall.cli.terminal.interrupts import interruptible
from planetfall.display.progress import PATIENCE, terminal_bar
from planetfall.world.preparations import Listener, duration_words, listening, without_estimate

NEXT_LINE = 20.0
"""Seconds from the begin of a preparation, at least, to the second line that a log has of it."""
SILENCE = 2.0
"""Times the patience of a reader, after which a preparation has a line though it says nothing of itself."""
JOB_LINE = 60.0
"""Seconds before a log has a line of the job itself."""
LEAST_SHARE = 0.1
"""Of a job, below which a bound of the time that is left says nothing: kernels and ground were made before it."""


def print_note(sentence: str) -> None:
    """Something that a user should know beside the results, one line of it."""
    if sys.stderr is not None:
        print(f"planetfall: note: {sentence}", file=sys.stderr)


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[float], None]]:
    """Gives a function that takes the finished fraction; draws nothing when stderr is not a terminal.

    Preparations that take long have the bar, by their own names, before; without a terminal each of them has one line.
    An interrupt inside ends the command with a sentence and the customary exit code; where data are written already,
    the interrupt says so.
    """
    try:
        with interruptible(signal.SIGINT), _bar(label) as update:
            yield update
    except KeyboardInterrupt as interrupt:
        print(f"planetfall: interrupted; {str(interrupt) or 'nothing was written'}", file=sys.stderr)
        raise typer.Exit(130) from None


@contextmanager
def _bar(label: str) -> Iterator[Callable[[float], None]]:
    if sys.stderr is None or not sys.stderr.isatty():
        with listening(one_line_each()):
            yield lines_now_and_then(label)
        return
    with terminal_bar(label) as update:
        yield update


def lines_now_and_then(label: str) -> Callable[[float], None]:
    """For a log: takes the finished fraction, and has a line after a while, the next when twice the time has passed."""
    begun, due = time.monotonic(), JOB_LINE
    first: list[tuple[float, float]] = []  # when and where the work itself began: kernels may be compiled before it

    def hear(fraction: float) -> None:
        nonlocal due
        now = time.monotonic()
        if not first:
            first.append((now, fraction))
        if now - begun > due and 0.0 < fraction < 1.0:
            due = 2.0 * (now - begun)
            since, share = first[0]
            if fraction > share:
                left = f", about {duration_words((now - since) * (1.0 - fraction) / (fraction - share))} left"
            elif fraction < LEAST_SHARE:
                left = ""
            else:  # the first that is heard at all: what was compiled before counts as work
                left = f", at most {duration_words((now - begun) * (1.0 - fraction) / fraction)} left"
            print_note(f"{label}: {fraction:.0%} done{left}")

    return hear


def one_line_each() -> Listener:
    """For a log: a preparation that is not done within the patience of a reader has a line, later ones now and then.

    Each tells the time that is left by the pace so far; the time from one line to the next doubles. Of one that says
    nothing between its begin and its end, as a compiler, the first line comes by the clock. A preparation that is done
    is forgotten, so that the same one may come again and be short.
    """
    begun: dict[str, float] = {}
    due: dict[str, float] = {}
    timers: dict[str, threading.Timer] = {}

    def tell(what: str, left: str = "") -> None:
        print_note(f"{what}, which takes a while; {left}it is kept for the next time")

    def overdue(what: str) -> None:
        if due.setdefault(what, NEXT_LINE) == NEXT_LINE:
            tell(what)

    def done(what: str) -> None:
        for known in (begun, due):
            known.pop(what, None)
        if (timer := timers.pop(what, None)) is not None:
            timer.cancel()

    def hear(what: str, share: float) -> None:
        if share >= 1.0:
            done(what)
            return
        now = time.monotonic()
        if what not in begun:
            begun[what] = now
            timers[what] = threading.Timer(SILENCE * PATIENCE, overdue, (what,))
            timers[what].daemon = True
            timers[what].start()
        passed = now - begun[what]
        if passed <= due.get(what, PATIENCE):
            return
        timers[what].cancel()
        remaining = passed / share * (1.0 - share) if share > 0.0 else None
        left = "" if remaining is None else f"{share:.0%} done, about {duration_words(remaining)} left; "
        what_now = what if remaining is None else without_estimate(what)
        if what not in due:
            tell(what_now, left)
        elif left:
            print_note(f"{what_now}: {left.removesuffix('; ')}")
        due[what] = max(2.0 * passed, NEXT_LINE)

    return hear

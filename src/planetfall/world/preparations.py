"""Preparations that take long tell how far they are to whoever listens: a command does, a library need not."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, float], None]
"""Told what is being prepared, and the share that is done, 0 to 1; a preparation begins with 0."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """What is prepared inside is told to a listener, in place of any outside."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def is_heard() -> bool:
    """Whether somebody listens already, who then shows progress, too."""
    return _listener.get() is not None


def telling(what: str) -> Callable[[float], None]:
    """A function that takes the share that is done of a preparation, and passes it on to who listens then."""

    def tell(share: float) -> None:
        listener = _listener.get()
        if listener is not None:
            listener(what, share)

    return tell


ESTIMATE = ", about "
"""What stands before a time that was reckoned before the work began, at the end of what is being prepared."""


def without_estimate(what: str) -> str:
    """What is being prepared, without the time reckoned beforehand: the pace of the work tells better."""
    return what.partition(ESTIMATE)[0]


def duration_words(seconds: float) -> str:
    """A time that is only known about, in the words of a person: "20 s", "5 min", "2 h"."""
    if seconds < 100.0:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60.0)} min" if seconds < 6000.0 else f"{round(seconds / 3600.0)} h"

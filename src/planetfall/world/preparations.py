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


def telling(what: str) -> Callable[[float], None]:
    """A function that takes the share that is done of a preparation, and passes it on to who listens then."""

    def tell(share: float) -> None:
        listener = _listener.get()
        if listener is not None:
            listener(what, share)

    return tell

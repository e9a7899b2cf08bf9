"""Ctrl-C, whatever happens to it on its way."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interruptible(*numbers: signal.Signals) -> Iterator[None]:
    """Some signals raise `KeyboardInterrupt` inside, and leave it as such.

    An interrupt can come while a library catches every exception to say something of its own: Warp does so where it
    converts arrays. What comes out then is an error about an array, and nobody would know why.

    Args:
        numbers: Of the signals. One that is ignored, as Ctrl-C is in a background job, stays ignored.
    """
    asked: list[int] = []

    def ask(number: int, frame: object) -> None:
        asked.append(number)
        raise KeyboardInterrupt

    heard = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, ask) for number in heard}
    try:
        yield
    except Exception as error:
        if asked:
            raise KeyboardInterrupt from error
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

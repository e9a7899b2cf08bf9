"""Ctrl-C reaches the command as what it is."""

from __future__ import annotations

import signal

import pytest

from planetfall.cli.terminal.interrupts import interruptible


def misread() -> None:
    """What a library does that makes every exception its own."""
    try:
        signal.raise_signal(signal.SIGTERM)
    except BaseException as error:
        raise RuntimeError("this array cannot be converted") from error


def test_an_interrupt_stays_one_where_a_library_makes_it_its_own_error() -> None:
    with pytest.raises(KeyboardInterrupt), interruptible(signal.SIGTERM):
        misread()


def test_errors_without_an_interrupt_pass() -> None:
    with pytest.raises(ZeroDivisionError), interruptible(signal.SIGTERM):
        raise ZeroDivisionError


def test_handlers_are_put_back_and_ignored_signals_stay_ignored() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN), signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with interruptible(signal.SIGINT, signal.SIGTERM):
            signal.raise_signal(signal.SIGTERM)
            assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGTERM, before[0])
        signal.signal(signal.SIGINT, before[1])

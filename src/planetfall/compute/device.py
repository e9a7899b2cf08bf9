"""Starting Warp, quietly, and naming devices."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import warp as wp

from planetfall.errors import InputError

HOST = "cpu"


@lru_cache
def start_warp() -> None:
    """Initialises Warp once. Its greeting, and its note that there is no CUDA driver, are for Warp's developers."""
    wp.config.log_level = wp.LOG_WARNING
    if sys.stderr is None:  # closed at the start: nobody listens, and descriptor 2 may be anybody's by now
        with kernel_cache():
            wp.init()
        return
    sys.stderr.flush()
    saved, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, 2)  # the note is written by compiled code, past sys.stderr
        with kernel_cache():
            wp.init()
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(null)


@contextmanager
def kernel_cache() -> Iterator[None]:
    """Inside, compiled kernels are read and written; says what to do where their folder cannot be."""
    try:
        yield
    except OSError as error:
        place = error.filename or wp.config.kernel_cache_dir or "the user's cache folder"
        raise InputError(
            str(place), f"compiled kernels cannot be kept there ({error.strerror or error})",
            "a folder that can be written", "name one in the environment variable WARP_CACHE_PATH",
        ) from None  # fmt: skip


def check_device(device: str) -> None:
    """Refuses a device that is not here, with those that are."""
    start_warp()
    names = [str(known) for known in wp.get_devices()]
    if device not in names:
        raise InputError("device", f"no device {device!r} on this machine", f"one of {', '.join(names)}")

"""Starting Warp, quietly, and naming devices."""

import os
import sys
from functools import lru_cache

import warp as wp

from planetfall.errors import InputError

HOST = "cpu"


@lru_cache
def start_warp() -> None:
    """Initialises Warp once. Its greeting, and its note that there is no CUDA driver, are for Warp's developers."""
    wp.config.log_level = wp.LOG_WARNING
    if sys.stderr is None:  # closed at the start: nobody listens, and descriptor 2 may be anybody's by now
        wp.init()
        return
    sys.stderr.flush()
    saved, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, 2)  # the note is written by compiled code, past sys.stderr
        wp.init()
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(null)


def check_device(device: str) -> None:
    """Refuses a device that is not here, with those that are."""
    start_warp()
    names = [str(known) for known in wp.get_devices()]
    if device not in names:
        raise InputError("device", f"no device {device!r} on this machine", f"here: {', '.join(names)}")

"""One process at a time works on a campaign's folder.

The lock belongs to an open file: the system lets go of it when the process ends, however it ends, so that nothing has
to be cleaned up after a crash.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from planetfall.errors import InputError
from planetfall.record.files.shards import check_own

LOCK = "lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds the lock of a folder, or refuses with who has it."""
    check_own(folder / LOCK)
    handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not _take(handle):
            holder = os.read(handle, 200).decode(errors="replace").strip() or "another process"
            raise InputError(
                str(folder), f"is being worked on by {holder}", "one process at a time", "wait for it, or end it"
            )
        os.ftruncate(handle, 0)
        os.write(handle, f"process {os.getpid()} on {socket.gethostname()}\n".encode())
        yield
    finally:
        os.close(handle)


def _take(handle: int) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            os.lseek(handle, 1 << 20, os.SEEK_SET)  # beyond what is written, which others have to be able to read
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]  Windows only
            os.lseek(handle, 0, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.lseek(handle, 0, os.SEEK_SET)
        return False
    return True

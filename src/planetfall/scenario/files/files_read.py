"""Which files the numbers of a scenario come from: every reader reports what it opens, and whoever asks is told.

A file often pulls in others: the buffers of a glTF document, the image of a detached label, the `.aux.xml` beside a
map. Only the reader knows them, so the reader reports them, and nobody else has to keep a list.
"""

import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from planetfall.errors import InputError

P = ParamSpec("P")
R = TypeVar("R")
Stamp = tuple[int, ...]
"""What changes when a file is written anew; empty where there is no file."""


@dataclass
class FilesRead:
    """Files that were read, by absolute path, with the state that each had when its reading began.

    Files that were looked for and not there have no stamp: when one appears, what was read is no longer current.
    """

    stamps: dict[str, Stamp] = field(default_factory=dict)

    def is_current(self) -> bool:
        """Whether all of them are still as they were."""
        return all(stamp_of(path) == stamp for path, stamp in self.stamps.items())

    def digests(self) -> dict[str, str]:
        """SHA-256 of each that is there, in the order of their names.

        Raises:
            InputError: One of them was changed since its reading began, so that it is not known what was read.
        """
        found = {path: digest_of(path) for path, stamp in sorted(self.stamps.items()) if stamp}
        for path, stamp in self.stamps.items():
            if stamp_of(path) != stamp:
                raise InputError(path, "was changed while it was being read", advice="wait until it is written")
        return found


_accounts: ContextVar[tuple[FilesRead, ...]] = ContextVar("accounts", default=())


@contextmanager
def files_read() -> Iterator[FilesRead]:
    """Keeps account of the files that are read inside."""
    account = FilesRead()
    token = _accounts.set((*_accounts.get(), account))
    try:
        yield account
    finally:
        _accounts.reset(token)


def report_read(path: str | Path) -> None:
    """Called by every reader before it reads, or looks for, a file; costs nothing where nobody keeps account."""
    accounts = _accounts.get()
    if accounts:
        place = os.path.abspath(os.path.expanduser(path))
        stamp = stamp_of(place)
        for account in accounts:
            account.stamps.setdefault(place, stamp)


def remembered(maxsize: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Like `functools.lru_cache`, for what is made from files: made again when one of them was changed.

    Files that an earlier call read are reported again by a later one, so that no account lacks them.
    """

    def decorate(make: Callable[P, R]) -> Callable[P, R]:
        kept: OrderedDict[Hashable, tuple[R, FilesRead]] = OrderedDict()

        @wraps(make)
        def recall(*args: P.args, **kwargs: P.kwargs) -> R:
            key: Hashable = (os.getcwd(), args, tuple(sorted(kwargs.items())))  # paths may be relative
            found = kept.get(key)
            if found is None or not found[1].is_current():
                with files_read() as files:
                    found = make(*args, **kwargs), files
            else:
                for path in found[1].stamps:
                    report_read(path)
            kept[key] = found
            kept.move_to_end(key)
            while len(kept) > maxsize:
                kept.popitem(last=False)
            return found[0]

        return recall

    return decorate


def stamp_of(path: str | Path) -> Stamp:
    """What changes when a file is written anew."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return ()
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


def digest_of(path: str | Path) -> str:
    """SHA-256 of a file's content; empty where there is no file."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (FileNotFoundError, NotADirectoryError):
        return ""

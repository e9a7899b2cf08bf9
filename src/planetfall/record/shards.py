"""Shard files of a campaign: written whole or not at all, named after the runs they hold and the bytes they are.

`runs/000000000-000000999-6f1c0a2b9d3e4f50.parquet` holds runs 0 to 999; the last part of its name is the beginning of
the SHA-256 of its content, so that one rename puts rows and checksum in place together.
"""

import hashlib
import io
import os
import re
import shlex
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from planetfall.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

RUNS = "runs"
DIGITS = 16
NAME = re.compile(r"(\d{9,})-(\d{9,})-([0-9a-f]{16})\.parquet")
PART = ".part"
"""End of the name of a file that is being written."""


@dataclass(frozen=True, order=True)
class Shard:
    """The runs from `first` to before `last`."""

    first: int
    last: int

    @property
    def n(self) -> int:
        """Number of runs."""
        return self.last - self.first


def shards_of(n: int, size: int) -> list[Shard]:
    """All runs of a campaign, cut into shards."""
    return [Shard(first, min(first + size, n)) for first in range(0, n, size)]


def go_on(folder: Path) -> str:
    """The command that goes on with a campaign, ready for a shell."""
    return f"planetfall montecarlo --resume {shlex.quote(str(folder))}"


def write_shard(folder: Path, shard: Shard, table: "pa.Table") -> Path:
    """Puts the rows of a shard into a campaign's folder; after a crash the file is there whole, or not at all."""
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True, store_schema=True)
    content = sink.getvalue()
    name = f"{shard.first:09d}-{shard.last - 1:09d}-{_digest(content)}.parquet"
    write_whole(folder / RUNS / name, content)
    return folder / RUNS / name


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file beside its place, makes sure that it is on the disk, and renames it into place."""
    part = path.with_name(f".{path.name}{PART}")
    part.unlink(missing_ok=True)  # what a crash left, or a link to somewhere else
    try:
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def check_own(*paths: Path) -> None:
    """Refuses links: nothing is written outside a campaign's folder, whoever made the folder."""
    for path in paths:
        if path.is_symlink():
            raise InputError(str(path), "is a link to another place", advice="put what it points to in its place")


def found_shards(folder: Path) -> dict[Shard, Path]:
    """Shard files by what they hold, in order; their content is not looked at."""
    found = {}
    for path in (folder / RUNS).iterdir() if (folder / RUNS).is_dir() else ():
        match = NAME.fullmatch(path.name)
        if match:
            found[Shard(int(match[1]), int(match[2]) + 1)] = path
    return dict(sorted(found.items()))


def is_intact(path: Path) -> bool:
    """Whether a shard file still is what its name says."""
    match = NAME.fullmatch(path.name)
    return match is not None and _digest(path.read_bytes()) == match[3]


def read_shards(paths: Iterable[Path]) -> "pa.Table":
    """The rows of shard files, one after the other; refuses files that were changed."""
    import pyarrow as pa

    with ThreadPoolExecutor() as pool:  # digests and decoding leave the interpreter alone
        return pa.concat_tables(pool.map(_read, paths)).unify_dictionaries()


def read_column(paths: Iterable[Path], name: str) -> "pa.ChunkedArray":
    """One column of shard files that are known to be intact, one after the other: the least memory it can be had in."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts = [pq.read_table(path, columns=[name], use_threads=False).column(0) for path in paths]
    return pa.chunked_array([chunk for part in parts for chunk in part.chunks])


def column_names(path: Path) -> list[str]:
    """Names of the columns of a shard file, in order."""
    import pyarrow.parquet as pq

    return pq.read_schema(path).names


def _read(path: Path) -> "pa.Table":
    import pyarrow as pa
    import pyarrow.parquet as pq

    content = path.read_bytes()
    match = NAME.fullmatch(path.name)
    if match is None or _digest(content) != match[3]:
        problem, folder = "is damaged: its content does not fit its name", path.parent.parent
        raise InputError(str(path), problem, advice=f"run its shard again with {go_on(folder)}")
    return pq.read_table(pa.BufferReader(content), use_threads=False)


def remove_parts(folder: Path) -> None:
    """Removes what a crash left half written."""
    for place in (folder, folder / RUNS):
        for path in place.glob(f".*{PART}"):
            path.unlink(missing_ok=True)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:DIGITS]


def _sync_folder(folder: Path) -> None:
    """A rename is on the disk only when the folder is; not every system lets folders be opened."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

"""Shard files of a campaign: written whole or not at all, named after the runs they hold and the bytes they are.

`runs/000000000-000000999-6f1c0a2b9d3e4f50.parquet` holds runs 0 to 999; the last part of its name is the beginning of
the SHA-256 of its content, so that one rename puts rows and checksum in place together.
"""

import hashlib
import io
import os
import re
import shlex
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from planetfall.errors import InputError
from planetfall.record.files.schema import KEY, SCHEMA

if TYPE_CHECKING:
    import pyarrow as pa

RUNS = "runs"
DIGITS = 16
NAME = re.compile(r"(\d{9,})-(\d{9,})-([0-9a-f]{16})\.parquet")
PLAN_KEY = "plan"
"""Entry of a file's own description with the digest of the plan that its rows belong to."""
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


def go_on(folder: Path, options: Sequence[str] = ()) -> str:
    """The command that goes on with a campaign, ready for a shell; `options`: of who ran it."""
    return shlex.join(["planetfall", "montecarlo", "--resume", str(folder), *options])


@dataclass(frozen=True)
class Terms:
    """What all rows of a campaign have in common.

    Attributes:
        seed: Of the campaign.
        plan: Digest of its plan; empty where it has none, as those of the first release.
    """

    seed: int
    plan: str = ""


def write_shard(folder: Path, shard: Shard, table: "pa.Table", plan: str = "") -> Path:
    """Puts the rows of a shard into a campaign's folder; after a crash the file is there whole, or not at all.

    Args:
        folder: Of the campaign.
        shard: Which runs.
        table: Their rows.
        plan: Digest of the plan that they belong to, which goes into the file's own description.
    """
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    described = table.replace_schema_metadata({KEY: str(SCHEMA), PLAN_KEY: plan} if plan else None)
    pq.write_table(described, sink, compression="zstd", write_page_checksum=True, store_schema=True)
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
            raise InputError(str(path), "is a link to another place", advice="replace the link by the file")


def found_shards(folder: Path) -> dict[Shard, Path]:
    """Shard files by what they hold, in order; their content is not looked at."""
    found: dict[Shard, Path] = {}
    for path in sorted((folder / RUNS).iterdir()) if (folder / RUNS).is_dir() else ():
        match = NAME.fullmatch(path.name)
        if match is None:
            continue
        shard = Shard(int(match[1]), int(match[2]) + 1)
        if shard in found:
            raise InputError(
                str(path), f"holds the same runs as {found[shard].name}", "one file for each shard",
                "move the one that does not belong to this campaign out of the folder",
            )  # fmt: skip
        found[shard] = path
    return dict(sorted(found.items()))


def is_intact(path: Path) -> bool:
    """Whether a shard file still is what its name says."""
    match = NAME.fullmatch(path.name)
    return match is not None and _digest(path.read_bytes()) == match[3]


def read_shards(paths: Iterable[Path], terms: Terms | None = None) -> "pa.Table":
    """The rows of shard files, one after the other.

    Args:
        paths: The files.
        terms: Of the campaign that they have to belong to; any if not given.

    Raises:
        InputError: A file was changed, holds other runs than its name says, or belongs to another campaign.
    """
    import pyarrow as pa

    paths = list(paths)
    with ThreadPoolExecutor() as pool:  # digests and decoding leave the interpreter alone
        tables = list(pool.map(lambda path: _read(path, terms), paths))
    for path, table in zip(paths, tables, strict=True):
        if table.column_names != tables[0].column_names:
            others = sorted(set(table.column_names) ^ set(tables[0].column_names)) or ["in another order"]
            problem = f"has other columns than {paths[0].name} ({', '.join(others[:3])})"
            raise InputError(str(path), problem, "shards of one campaign", _apart(path))
    return pa.concat_tables(tables).unify_dictionaries()


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


def _read(path: Path, terms: Terms | None) -> "pa.Table":
    import pyarrow as pa
    import pyarrow.parquet as pq

    content = path.read_bytes()
    match = NAME.fullmatch(path.name)
    if match is None or _digest(content) != match[3]:
        problem, folder = "is damaged: its content does not fit its name", path.parent.parent
        raise InputError(str(path), problem, advice=f"run its shard again with {go_on(folder)}")
    try:
        table = pq.read_table(pa.BufferReader(content), use_threads=False)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(str(path), f"is not a table of runs ({error})", advice=_apart(path)) from None
    _check_rows(path, Shard(int(match[1]), int(match[2]) + 1), table)
    if terms is not None:
        _check_terms(path, table, terms)
    return table


def _check_rows(path: Path, shard: Shard, table: "pa.Table") -> None:
    """Refuses a file with other rows than its name says."""
    if table.num_rows != shard.n:
        raise InputError(str(path), f"has {table.num_rows} rows, its name says {shard.n}", advice=_apart(path))
    missing = [name for name in ("run", "seed", "outcome") if name not in table.column_names]
    if missing:
        raise InputError(str(path), f"has no column {missing[0]}", "a table of runs", _apart(path))
    if not np.array_equal(table.column("run").to_numpy(), np.arange(shard.first, shard.last)):
        raise InputError(str(path), "does not hold the runs that its name says", advice=_apart(path))


def _check_terms(path: Path, table: "pa.Table", terms: Terms) -> None:
    """Refuses a file of another campaign."""
    seeds = table.column("seed").unique().to_pylist()
    if seeds != [terms.seed]:
        problem = f"is of another campaign: its seed is {', '.join(map(str, seeds[:3]))} and not {terms.seed}"
        raise InputError(str(path), problem, advice=_apart(path))
    plan = (table.schema.metadata or {}).get(PLAN_KEY.encode(), b"").decode(errors="replace")
    if plan != terms.plan:
        raise InputError(
            str(path), "is of another campaign: it was written for another plan than campaign.json",
            advice=_apart(path),
        )  # fmt: skip


def _apart(path: Path) -> str:
    return f"move it out of the folder and run its shard again with {go_on(path.parent.parent)}"


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

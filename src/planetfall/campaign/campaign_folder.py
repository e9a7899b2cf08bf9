"""A campaign's folder while it is being worked on: a plan, shards that are safe, and a lock.

Whatever happens to the process, a shard is there whole or not at all. Rows are never changed; the campaign is what its
plan says, as far as its shards reach.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planetfall.campaign.plan import Plan, read_plan
from planetfall.errors import InputError, PlanetfallError
from planetfall.record.ensemble import ELSEWHERE, is_ensemble, write_scenario
from planetfall.record.files.campaign_file import (
    PLAN,
    missing_runs,
    read_json,
    shards_there,
    write_campaign,
    write_json,
)
from planetfall.record.files.schema import SCENARIO, SUMMARY
from planetfall.record.files.shards import (
    RUNS,
    Shard,
    check_own,
    go_on,
    is_intact,
    remove_parts,
    write_shard,
)

if TYPE_CHECKING:
    import pyarrow as pa


LOCK = "lock"
DAMAGED = "damaged"
"""Where shard files go that are no longer what they were."""


class StoreError(PlanetfallError):
    """The folder cannot take more: nothing that was finished is lost."""


@dataclass
class Store:
    """An open campaign folder.

    Attributes:
        folder: Where it is.
        plan: What is to be run.
        done: Finished shards and their files, in order.
        notes: What had to be put right when it was opened, for people.
        options: Of the command line, that ask for who runs it.
    """

    folder: Path
    plan: Plan
    done: dict[Shard, Path] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    options: tuple[str, ...] = ()

    @property
    def pending(self) -> list[Shard]:
        """Shards that are still to be run."""
        return [shard for shard in self.plan.shards if shard not in self.done]

    @property
    def n_done(self) -> int:
        """Finished runs."""
        return sum(shard.n for shard in self.done)

    def add(self, shard: Shard, table: "pa.Table") -> None:
        """Makes a finished shard safe."""
        try:
            self.done[shard] = write_shard(self.folder, shard, table, self.plan.row_terms.plan)
        except OSError as error:
            raise self._full(error) from None

    def write_summary(self, summary: dict[str, Any]) -> None:
        """Replaces `summary.json`."""
        try:
            write_json(self.folder / SUMMARY, summary)
        except OSError as error:
            raise self._full(error) from None

    def cut(self, n: int) -> None:
        """Takes out the shards beyond the first n runs, which a stop rule no longer needs."""
        for shard in [shard for shard in self.done if shard.first >= n]:
            self.done.pop(shard).unlink()

    def _full(self, error: OSError) -> StoreError:
        return StoreError(
            f"{self.folder}: cannot be written ({error.strerror or error}); {self.n_done} of {self.plan.n} runs are "
            f"safe; make room, then go on with {go_on(self.folder, self.options)}"
        )


@contextmanager
def new_store(folder: Path, plan: Plan) -> Iterator[Store]:
    """Begins a campaign in a folder that is new or empty."""
    folder = folder.expanduser()
    check_new(folder)
    try:
        (folder / RUNS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(str(folder), f"cannot be made ({error.strerror or error})", advice=ELSEWHERE) from None
    with locked(folder):
        try:
            write_scenario(folder, plan.scenario)
            digest = write_campaign(folder, plan.to_dict())
        except OSError as error:
            raise InputError(str(folder), f"cannot be written ({error.strerror or error})", advice=ELSEWHERE) from None
        yield Store(folder, replace(plan, digest=digest))


def check_new(folder: Path) -> None:
    """Refuses a folder that holds something, before any work is done."""
    folder = folder.expanduser()
    if is_ensemble(folder):
        raise InputError(str(folder), "holds a campaign", advice=f"go on with {go_on(folder)}, or {ELSEWHERE}")
    if folder.exists() and not folder.is_dir():
        raise InputError(str(folder), "is a file", "a folder for the campaign", ELSEWHERE)
    check_own(folder / RUNS, folder / LOCK)
    # a crash before the plan was written leaves an empty shell, which may be taken over
    others = [p.name for p in folder.iterdir() if not _is_shell(p)] if folder.exists() else []
    if others:
        raise InputError(str(folder), f"holds other files ({sorted(others)[0]})", "a new folder", ELSEWHERE)


def _is_shell(path: Path) -> bool:
    if path.name == RUNS:
        return path.is_dir() and not any(path.iterdir())
    return path.name in (LOCK, SCENARIO) or path.name.endswith(".part")


@contextmanager
def resumed_store(folder: Path) -> Iterator[Store]:
    """Opens a campaign that was begun; puts aside what is damaged, so that it is run again."""
    folder = folder.expanduser()
    if not is_ensemble(folder):
        raise InputError(str(folder), "holds no campaign", "a folder written by planetfall montecarlo")
    with locked(folder):
        store = Store(folder, read_plan(folder))
        check_own(folder / RUNS, folder / DAMAGED)
        remove_parts(folder)
        shards = shards_there(folder, vars(store.plan))
        store.notes += _notes(store, shards)
        for shard, path in shards.items():
            if is_intact(path):
                store.done[shard] = path
            else:
                store.notes.append(f"{path.name} is damaged and was put into {DAMAGED}/; its runs are done again")
                (folder / DAMAGED).mkdir(exist_ok=True)
                path.replace(folder / DAMAGED / path.name)
        yield store


def _notes(store: Store, shards: dict[Shard, Path]) -> list[str]:
    """What people should know of a campaign that is taken up again, before a file of it is looked into."""
    notes, summary = [], read_json(store.folder / SUMMARY)
    if summary.get("is_complete") is True:
        gaps = missing_runs(vars(store.plan), summary, shards)
        notes += [
            f"runs {gap.first} to {gap.last - 1} are missing though {SUMMARY} counts them; they are done again"
            for gap in gaps
        ]
    if not store.plan.schema and store.plan.files:
        notes.append(
            f"{PLAN} is of an earlier version, which took down the files that the scenario names and not those that "
            "they refer to: whether the latter were changed is not known"
        )
    return notes


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds the lock of a folder, or refuses with who has it.

    The lock belongs to an open file: the system lets go of it when the process ends, however it ends, so that nothing
    has to be cleaned up after a crash.
    """
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

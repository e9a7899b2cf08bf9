"""Who runs the shards of a campaign."""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol

from planetfall.campaign.workers.shard_run import ONE_AT_A_TIME, Work, prepare, simulate, workshop
from planetfall.record.files.shards import Shard

if TYPE_CHECKING:
    import pyarrow as pa

Within = Callable[[Shard, float], None]
"""Called along the way with a shard and how much of it is done, 0 to 1."""


def options_of(
    kind: str, scheduler: str | None = None, workers: int | None = None, threads: int | None = None
) -> tuple[str, ...]:
    """Options of the command line that ask for an executor; none for this process with all of its cores."""
    named = {"--scheduler": scheduler, "--workers": workers, "--threads": threads}
    given = [word for name, value in named.items() if value is not None for word in (name, str(value))]
    return (*(() if kind == "local" else ("--executor", kind)), *given)


class Executor(Protocol):
    """Runs shards, in any order, and hands their rows over one by one.

    Attributes:
        is_here: Whether the campaign's device is one of this machine.
        options: Of the command line, that ask for this executor.
    """

    is_here: bool
    options: tuple[str, ...]

    def run(self, work: Work, shards: Sequence[Shard], within: Within) -> "Generator[tuple[Shard, pa.Table]]":
        """Each shard once, with its rows; stops when the caller stops asking."""
        ...


class LocalExecutor:
    """This process, one shard after the other: all CPU cores, or a CUDA device.

    Args:
        threads: CPU threads; all cores by default. Has no effect on the rows.
    """

    is_here = True

    def __init__(self, threads: int | None = None) -> None:
        self.threads, self.options = threads, options_of("local", threads=threads)

    def run(self, work: Work, shards: Sequence[Shard], within: Within) -> "Generator[tuple[Shard, pa.Table]]":
        """See `Executor`; where that needs no device, the next shard is prepared while this one is simulated."""
        if not shards:
            return
        shop, ahead = workshop(work), None
        with ThreadPoolExecutor(1) as beside:
            for shard, following in zip(shards, [*shards[1:], None], strict=True):
                prepared = prepare(shop, shard) if ahead is None else ahead.result()
                ahead = beside.submit(prepare, shop, following) if following and shop.is_quiet else None
                with ONE_AT_A_TIME:
                    rows = simulate(shop, prepared, self.threads, lambda part, shard=shard: within(shard, part))
                yield shard, rows

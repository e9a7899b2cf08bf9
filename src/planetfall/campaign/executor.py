"""Who runs the shards of a campaign."""

from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Protocol

from planetfall.campaign.work import Work, run_shard
from planetfall.record.shards import Shard

if TYPE_CHECKING:
    import pyarrow as pa

Within = Callable[[Shard, float], None]
"""Called along the way with a shard and how much of it is done, 0 to 1."""


class Executor(Protocol):
    """Runs shards, in any order, and hands their rows over one by one.

    Attributes:
        is_here: Whether the campaign's device is one of this machine.
    """

    is_here: bool

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
        self.threads = threads

    def run(self, work: Work, shards: Sequence[Shard], within: Within) -> "Generator[tuple[Shard, pa.Table]]":
        """See `Executor`."""
        for shard in shards:
            yield shard, run_shard(work, shard, self.threads, lambda part, shard=shard: within(shard, part))

"""Shards on a cluster: Dask hands them to its workers, and gives those of a worker that dies to another.

Workers compute rows; only this process writes to the campaign's folder, so nothing has to be shared but the network.
"""

import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from planetfall.campaign.plan import terms_here
from planetfall.campaign.workers.executor import Within
from planetfall.campaign.workers.work import Work, run_shard
from planetfall.errors import InputError, PlanetfallError, RunError
from planetfall.record.files.shards import Shard

if TYPE_CHECKING:
    import pyarrow as pa
    from distributed import Client

CONNECT = 20.0
"""Seconds in which a scheduler has to answer."""
AHEAD = 3
"""Shards per worker thread that are handed out at a time: enough to keep all busy, few enough to stop soon."""


class DaskExecutor:
    """The workers of a Dask cluster.

    Args:
        client: Connected to the cluster.
        threads: CPU threads of a shard; by default those of its worker, which runs one shard at a time.
    """

    is_here = False

    def __init__(self, client: "Client", threads: int | None = None) -> None:
        self.client, self.threads = client, threads

    def run(self, work: Work, shards: Sequence[Shard], within: Within) -> "Generator[tuple[Shard, pa.Table]]":
        """See `Executor`."""
        from distributed import as_completed

        waiting, handed = list(reversed(shards)), {}
        tray = as_completed([])

        def hand_out() -> None:
            while waiting and len(handed) < AHEAD * max(self._n_threads(), 1):
                shard = waiting.pop()
                future = self.client.submit(rows_of_shard, work, shard, self.threads, pure=False, priority=-shard.first)
                handed[future] = shard
                tray.add(future)

        try:
            hand_out()
            while handed:
                future = next(tray)
                shard = handed.pop(future)
                table = _table(_result(future, shard))
                future.release()
                hand_out()
                yield shard, table
        finally:
            if handed:
                self.client.cancel(list(handed))

    def _n_threads(self) -> int:
        threads: Any = self.client.nthreads()  # a plain dictionary, as the client is not asynchronous
        return sum(threads.values())


def rows_of_shard(work: Work, shard: Shard, threads: int | None) -> bytes:
    """What a worker does: the rows of a shard as an Arrow stream."""
    import pyarrow as pa
    from distributed import get_worker

    worker = get_worker()
    if work.terms != terms_here():
        others = ", ".join(f"{b} and not {a}" for a, b in zip(work.terms, terms_here(), strict=True) if a != b)
        raise InputError(
            f"worker {worker.address}", f"would give different results: it has {others}",
            advice="install the same versions on all workers",
        )  # fmt: skip
    table = run_shard(work, shard, threads or worker.state.nthreads)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue().to_pybytes()


@contextmanager
def dask_executor(scheduler: str | None, workers: int | None, threads: int | None) -> Iterator[DaskExecutor]:
    """Connects to a scheduler, or starts a cluster on this machine."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise InputError("--executor", "dask is not installed", advice="pip install distributed") from None
    if scheduler is not None:
        if workers is not None:
            raise InputError("--workers", "is for a cluster on this machine, not for one at an address")
        try:
            client = Client(scheduler, timeout=CONNECT)
        except (OSError, ValueError, TimeoutError) as error:
            raise InputError("--scheduler", f"no Dask scheduler answers at {scheduler} ({error})") from None
        with client:
            yield DaskExecutor(client, threads)
        return
    count = workers or os.cpu_count() or 1
    with (
        LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
    ):
        yield DaskExecutor(client, threads)


def _result(future: Any, shard: Shard) -> bytes:
    from distributed import KilledWorker

    where = f"runs {shard.first} to {shard.last - 1}"
    try:
        return future.result()
    except PlanetfallError:
        raise
    except KilledWorker as error:
        raise RunError(
            f"{where}: {error.allowed_failures + 1} workers died one after the other on this shard (memory? use a "
            "smaller --shard-size); what was finished is safe"
        ) from None
    except Exception as error:
        raise RunError(
            f"{where}: the cluster gave up ({type(error).__name__}: {error}); what was finished is safe"
        ) from error


def _table(content: bytes) -> "pa.Table":
    import pyarrow as pa

    return pa.ipc.open_stream(content).read_all()

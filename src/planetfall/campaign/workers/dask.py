"""Shards on a cluster: Dask hands them to its workers, and gives those of a worker that dies to another.

Workers compute rows; only this process writes to the campaign's folder, so nothing has to be shared but the network. A
worker that cannot build the campaign's models is left out, and the others go on.
"""

import logging
import os
import queue
import signal
import warnings
from asyncio import CancelledError
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planetfall.campaign.plan import terms_here
from planetfall.campaign.workers.executor import Within, options_of
from planetfall.campaign.workers.shard_run import ONE_AT_A_TIME, Work, run_shard, workshop
from planetfall.errors import ClusterError, InputError, PlanetfallError, WorkerWarning
from planetfall.record.files.shards import Shard
from planetfall.scenario.files.plugins import plugin_faults, take_sent

if TYPE_CHECKING:
    import pyarrow as pa
    from distributed import Client

CONNECT = 20.0
"""Seconds in which a scheduler has to answer."""
AHEAD = 3
"""Shards per worker thread that are handed out at a time: enough to keep all busy, few enough to stop soon."""
LOOK = 2.0
"""Seconds between two looks at which workers are there, while none has finished a shard."""

NANNIES = "distributed.nanny"
"""Logger that tells of workers here which take their time to end: of no use to anybody once all rows are written."""
LOST = ("distributed.client", "distributed.core", "distributed.comm", "distributed.scheduler")
"""Loggers that tell of lost connections and of rows that nobody waits for any more, which our own one sentence does."""
WORKER, MEMORY = "distributed.worker", "distributed.worker.memory"
"""Logger of a worker, which tells of tasks and heartbeats that its end cuts off; and that of its memory, for people."""


@dataclass(frozen=True)
class Unfit:
    """What a worker gives in place of rows when it cannot build the campaign's models.

    Attributes:
        worker: Its address.
        reason: What it lacks, and what to do.
    """

    worker: str
    reason: str


class DaskExecutor:
    """The workers of a Dask cluster.

    Args:
        client: Connected to the cluster.
        threads: CPU threads of a shard; by default those of its worker, which runs one shard at a time.
        options: Of the command line, that ask for this cluster; by default those of its scheduler.
    """

    is_here = False

    def __init__(self, client: "Client", threads: int | None = None, options: tuple[str, ...] | None = None) -> None:
        self.client, self.threads = client, threads
        self.options = options or options_of("dask", scheduler=_address(client), threads=threads)

    def run(self, work: Work, shards: Sequence[Shard], within: Within) -> "Generator[tuple[Shard, pa.Table]]":
        """See `Executor`; of what is under way workers say nothing, but that each of them had time for a shard."""
        errand, n_done = _Errand(self, work, shards), 0
        try:
            errand.hand_out()
            while errand.handed:
                shard, rows = errand.next_rows()
                n_done += 1
                if n_done == errand.n_threads:
                    within(shard, 1.0)
                errand.hand_out()
                yield shard, rows
        finally:
            errand.give_up()


class _Errand:
    """Shards that are handed out to workers, and their rows.

    Args:
        executor: Whose workers.
        work: Of which campaign.
        shards: All that are to be run.
    """

    def __init__(self, executor: DaskExecutor, work: Work, shards: Sequence[Shard]) -> None:
        self._client, self._threads, self._work = executor.client, executor.threads, work
        self._address = _address(executor.client)
        self._waiting = list(reversed(shards))
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._unfit: dict[str, str] = {}
        self._sent_to: dict[Any, set[str]] = {}
        self.handed: dict[Any, Shard] = {}
        self.n_threads = 1

    def hand_out(self) -> None:
        """Gives the workers as many shards as keep them busy."""
        if not self._waiting:
            return
        fit = self._fit_workers()
        self.n_threads = max(sum(fit.values()), 1)
        while self._waiting and len(self.handed) < AHEAD * self.n_threads:
            shard = self._waiting.pop()
            chosen = list(fit) if self._unfit and fit else None
            with self._connected():
                future = self._client.submit(
                    rows_of_shard, self._work, shard, self._threads, pure=False, priority=-shard.first, workers=chosen
                )
                future.add_done_callback(self._done.put)
            self.handed[future] = shard
            if chosen:
                self._sent_to[future] = set(fit)

    def next_rows(self) -> "tuple[Shard, pa.Table]":
        """The rows of a shard that is done; waits for one."""
        while True:
            try:
                future = self._done.get(timeout=LOOK)
            except queue.Empty:
                self._take_back()
                continue
            if future not in self.handed:
                continue  # was taken back
            shard = self._forget(future)
            found = self._result(future, shard)
            future.release()
            if not isinstance(found, Unfit):
                return shard, _table(found)
            self._leave_out(found)
            self._waiting.append(shard)
            self.hand_out()

    def give_up(self) -> None:
        """Whatever is still handed out is not wanted any more."""
        if self.handed:
            with suppress(Exception):
                self._client.cancel(list(self.handed))

    def _fit_workers(self) -> dict[str, int]:
        """Threads of each worker that is there and was not left out.

        Raises:
            ClusterError: Workers are there, and all were left out.
        """
        with self._connected():
            threads: Any = self._client.nthreads()  # a plain dictionary, as the client is not asynchronous
        fit = {address: count for address, count in threads.items() if address not in self._unfit}
        if threads and not fit:
            reasons = "; ".join(f"worker {address}: {reason}" for address, reason in self._unfit.items())
            raise ClusterError(f"no worker can run this campaign: {reasons}")
        return fit

    def _take_back(self) -> None:
        """Hands out anew what only workers were to do that are no longer there."""
        fit = self._fit_workers()
        lost = [future for future, workers in self._sent_to.items() if fit and not workers & fit.keys()]
        for future in lost:
            self._waiting.append(self._forget(future))
        if lost:
            with self._connected():
                self._client.cancel(lost)
            self.hand_out()

    def _forget(self, future: Any) -> Shard:
        self._sent_to.pop(future, None)
        return self.handed.pop(future)

    def _leave_out(self, found: Unfit) -> None:
        if found.worker in self._unfit:
            return
        self._unfit[found.worker] = found.reason
        if self._fit_workers():
            warnings.warn(
                f"worker {found.worker} is left out of this campaign, the others go on: {found.reason}", WorkerWarning,
                stacklevel=2,
            )  # fmt: skip

    def _result(self, future: Any, shard: Shard) -> bytes | Unfit:
        from distributed import KilledWorker

        where = f"runs {shard.first} to {shard.last - 1}"
        try:
            return future.result()
        except PlanetfallError:
            raise
        except KilledWorker as error:
            raise ClusterError(
                f"{where}: {error.allowed_failures + 1} workers died one after the other on this shard (memory? use a "
                "smaller --shard-size)"
            ) from None
        except (Exception, CancelledError) as error:
            if self._client.status != "running" or future.status in ("cancelled", "lost"):
                raise self._lost() from error
            raise ClusterError(f"{where}: the cluster gave up ({type(error).__name__}: {error})") from error

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """Inside, whatever goes wrong means that the scheduler is gone."""
        try:
            yield
        except (Exception, CancelledError) as error:
            raise self._lost() from error

    def _lost(self) -> ClusterError:
        return ClusterError(f"the connection to the Dask scheduler at {self._address} is lost")


def _address(client: "Client") -> str:
    scheduler = client.scheduler
    return "" if scheduler is None else str(scheduler.address)


def rows_of_shard(work: Work, shard: Shard, threads: int | None) -> bytes | Unfit:
    """What a worker does: the rows of a shard as an Arrow stream, or why it cannot."""
    import pyarrow as pa
    from distributed import get_worker

    worker = get_worker()
    if work.terms != terms_here():
        others = ", ".join(f"{b} and not {a}" for a, b in zip(work.terms, terms_here(), strict=True) if a != b)
        return Unfit(
            worker.address,
            f"it would give different results: it has {others}; install the same versions on all workers",
        )
    take_sent(work.plugins)
    try:
        with ONE_AT_A_TIME, plugin_faults():
            workshop(work, is_here=False)
    except InputError as error:
        return Unfit(worker.address, str(error))
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
    options = options_of("dask", scheduler, workers, threads)
    if scheduler is not None:
        if workers is not None:
            raise InputError("--workers", "is for a cluster on this machine, not for one at an address")
        try:
            client = Client(scheduler, timeout=CONNECT)
        except (OSError, ValueError, TimeoutError) as error:
            raise InputError("--scheduler", f"no Dask scheduler answers at {scheduler} ({error})") from None
        with _no_words_of_its_own(), client:
            yield DaskExecutor(client, threads, options)
        return
    count = workers or os.cpu_count() or 1
    with (
        _no_words_of_its_own(),
        LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
    ):
        client.run(_leave_ending_to_the_campaign)
        try:
            yield DaskExecutor(client, threads, options)
        finally:
            _hush(NANNIES)


def _leave_ending_to_the_campaign() -> None:
    """On a worker here, which a terminal's Ctrl-C reaches, too: the campaign stops, and then ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger(MEMORY).setLevel(logging.WARNING)
    _hush(WORKER, *LOST)


def _hush(*names: str) -> None:
    """Takes from loggers what they have to say."""
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


@contextmanager
def _no_words_of_its_own() -> Iterator[None]:
    """Inside, a lost scheduler is told of by our one sentence alone; afterwards all is as it was."""
    loggers = [logging.getLogger(name) for name in (*LOST, NANNIES)]
    levels = [logger.level for logger in loggers]
    _hush(*LOST)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _table(content: bytes) -> "pa.Table":
    import pyarrow as pa

    return pa.ipc.open_stream(content).read_all()

"""Campaigns on a Dask cluster: the same table, whatever happens to the workers."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import planetfall
from planetfall import InputError, RunError
from planetfall.campaign.campaign import Standing
from planetfall.campaign.workers.dask import DaskExecutor, dask_executor
from planetfall.campaign.workers.executor import LocalExecutor
from support.dispersed import assert_same_tables, dropped_block, sliding_point

distributed = pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")
N = 60


@contextlib.contextmanager
def cluster(n_workers: int, processes: bool = False) -> Iterator[Any]:
    """Without a limit of memory: workers that are threads would count the whole test process, and pause for ever."""
    with (
        distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=processes, dashboard_address="127.0.0.1:0",
            silence_logs=50, memory_limit=0,
        ) as made,
        distributed.Client(made) as client,
    ):  # fmt: skip
        yield client


@pytest.mark.parametrize(("n_workers", "shard_size"), [(1, 7), (2, 1), (4, 13)])
def test_workers_leave_no_trace(n_workers: int, shard_size: int) -> None:
    alone = planetfall.montecarlo(dropped_block(), N, 11).data
    with cluster(n_workers) as client:
        found = planetfall.montecarlo(dropped_block(), N, 11, shard_size=shard_size, executor=DaskExecutor(client))
    assert_same_tables(found.data, alone)


@pytest.mark.long
@pytest.mark.parametrize("n_workers", [1, 2, 4])
def test_processes_and_threads_and_shards_leave_no_trace(n_workers: int) -> None:
    """Every number of workers with every size of shards, here and on worker processes."""
    alone = planetfall.montecarlo(dropped_block(), N, 11).data
    with cluster(n_workers, processes=True) as client:
        for executor in (LocalExecutor(n_workers), DaskExecutor(client)):
            for shard_size in (1, 7, 1000):
                found = planetfall.montecarlo(dropped_block(), N, 11, shard_size=shard_size, executor=executor)
                assert_same_tables(found.data, alone)


def test_a_stop_rule_does_not_see_who_was_first() -> None:
    """Shards come in any order; the campaign ends after the same run as one that went through them in turn."""
    rule = "mean(distance_m) +- 0.02"
    alone = planetfall.montecarlo(sliding_point(), 2000, 5, shard_size=20, until=rule)
    with cluster(3) as client:
        found = planetfall.montecarlo(
            sliding_point(), 2000, 5, shard_size=20, until=rule, executor=DaskExecutor(client)
        )
    assert found.summary["estimate"] == alone.summary["estimate"]
    assert_same_tables(found.data, alone.data)


def test_an_error_on_a_worker_is_told_and_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from planetfall.campaign.workers import dask as module

    honest = module.run_shard

    def failing(work: Any, shard: Any, threads: int) -> Any:
        if shard.first >= 30:
            raise MemoryError("out of memory")
        return honest(work, shard, threads)

    monkeypatch.setattr(module, "run_shard", failing)
    with cluster(1) as client, pytest.raises(RunError, match=r"runs 30 to 39: the cluster gave up \(MemoryError"):
        planetfall.montecarlo(sliding_point(), N, 3, shard_size=10, out=tmp_path / "c", executor=DaskExecutor(client))
    monkeypatch.undo()
    assert len(planetfall.open(tmp_path / "c").data.run) == 30
    assert_same_tables(planetfall.resume(tmp_path / "c").data, planetfall.montecarlo(sliding_point(), N, 3).data)


def test_a_worker_in_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planetfall.campaign.workers.dask.terms_here", lambda: ("planetfall 9", "b", "c", "d", "e"))
    with (
        cluster(1) as client,
        pytest.raises(InputError, match=r"would give different results: it has planetfall 9 and not"),
    ):
        planetfall.montecarlo(sliding_point(), N, 3, executor=DaskExecutor(client), out=tmp_path / "c")


def test_threads_of_one_worker_take_turns() -> None:
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=4, processes=False, dashboard_address="127.0.0.1:0", silence_logs=50,
            memory_limit=0,
        ) as made,
        distributed.Client(made) as client,
    ):  # fmt: skip
        found = planetfall.montecarlo(dropped_block(), N, 11, shard_size=3, executor=DaskExecutor(client))
    assert_same_tables(found.data, planetfall.montecarlo(dropped_block(), N, 11).data)


@pytest.mark.long
def test_a_worker_killed_in_mid_shard_costs_nothing(tmp_path: Path) -> None:
    """Two real worker processes; one gets SIGKILL while it works, its shards go to the other or to its successor."""
    killed: list[int] = []
    with cluster(2, processes=True) as client:
        pids = list(client.run(os.getpid).values())

        def kill_after_two(standing: Standing) -> None:
            if standing.finished is not None and standing.n_done >= 20 and not killed:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

        found = planetfall.montecarlo(
            dropped_block(), 120, 11, shard_size=10, out=tmp_path / "c", executor=DaskExecutor(client),
            report=kill_after_two,
        )  # fmt: skip
    assert killed
    assert_same_tables(found.data, planetfall.montecarlo(dropped_block(), 120, 11).data)


@pytest.mark.long
def test_a_lost_scheduler_costs_nothing_finished(tmp_path: Path) -> None:
    """Scheduler and worker in processes of their own; the scheduler is killed, started again, and the rest is run."""
    port = 18786
    address = f"tcp://127.0.0.1:{port}"

    def begin(*words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "distributed.cli." + words[0], *words[1:]]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path)

    def serve() -> list[subprocess.Popen[bytes]]:
        scheduler = begin("dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
        time.sleep(3)
        return [scheduler, begin("dask_worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny")]

    processes = serve()
    try:

        def kill(standing: Standing) -> None:
            if standing.finished is not None and standing.n_done == 20:
                threading.Thread(target=processes[0].kill).start()

        with pytest.raises(RunError, match="what was finished is safe"), dask_executor(address, None, None) as executor:
            planetfall.montecarlo(
                dropped_block(), 120, 11, shard_size=10, out=tmp_path / "c", executor=executor, report=kill
            )
        safe = len(planetfall.open(tmp_path / "c").data.run)
        assert 20 <= safe < 120
        for process in processes:
            process.kill()
            process.wait()
        processes = serve()
        with dask_executor(address, None, None) as executor:
            found = planetfall.resume(tmp_path / "c", executor=executor)
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert_same_tables(found.data, planetfall.montecarlo(dropped_block(), 120, 11).data)


def test_no_scheduler_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planetfall.campaign.workers.dask.CONNECT", 1.0)
    with (
        pytest.raises(planetfall.InputError, match=r"--scheduler: no Dask scheduler answers at tcp://127\.0\.0\.1:1"),
        dask_executor("tcp://127.0.0.1:1", None, None),
    ):
        pass

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
from planetfall import InputError
from planetfall.campaign.campaign import Standing
from planetfall.campaign.plan import make_plan
from planetfall.campaign.workers.dask import DaskExecutor, Unfit, dask_executor
from planetfall.campaign.workers.executor import LocalExecutor, options_of
from planetfall.campaign.workers.shard_run import Work, work_of
from planetfall.errors import ClusterError, WorkerWarning
from planetfall.record.files.shards import shards_of
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


def _work(scenario: planetfall.Scenario, n: int) -> Work:
    return work_of(make_plan(scenario, n, 0, "random", None, "cpu", ""), "cpu")


@pytest.mark.parametrize(("n_workers", "shard_size"), [(1, 7), (2, 1), (4, 13)])
def test_workers_leave_no_trace(n_workers: int, shard_size: int) -> None:
    alone = planetfall.montecarlo(dropped_block(), N, 11).data
    with cluster(n_workers) as client:
        found = planetfall.montecarlo(dropped_block(), N, 11, shard_size=shard_size, executor=DaskExecutor(client))
    assert_same_tables(found.data, alone)


def test_a_cluster_says_once_that_every_worker_had_time_for_a_shard() -> None:
    """From there on the rate is counted: two workers, so that it is after the second shard."""
    told: list[Standing] = []
    with cluster(2) as client:
        planetfall.montecarlo(sliding_point(), N, 3, shard_size=10, executor=DaskExecutor(client), report=told.append)
    assert [standing.finished is None for standing in told] == [False, True, *[False] * 5]
    assert [round(standing.fraction * N) for standing in told] == [10, 20, 20, 30, 40, 50, 60]


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
    safe = (
        r"runs 30 to 39: the cluster gave up \(MemoryError.*; 30 of 60 runs are safe; go on with planetfall montecarlo"
    )
    with cluster(1) as client, pytest.raises(ClusterError, match=safe):
        planetfall.montecarlo(sliding_point(), N, 3, shard_size=10, out=tmp_path / "c", executor=DaskExecutor(client))
    monkeypatch.undo()
    assert len(planetfall.open(tmp_path / "c").data.run) == 30
    assert_same_tables(planetfall.resume(tmp_path / "c").data, planetfall.montecarlo(sliding_point(), N, 3).data)


def test_a_worker_in_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planetfall.campaign.workers.dask.terms_here", lambda: ("planetfall 9", "b", "c", "d", "e"))
    with (
        cluster(1) as client,
        pytest.raises(ClusterError, match=r"would give different results: it has planetfall 9 and not"),
    ):
        planetfall.montecarlo(sliding_point(), N, 3, executor=DaskExecutor(client), out=tmp_path / "c")


def lacking(monkeypatch: pytest.MonkeyPatch, fit: set[str], after: int = 0) -> None:
    """All workers but some lack a map, from so many calls on."""
    from planetfall.campaign.workers import dask as module

    honest, calls = module.workshop, []

    def workshop(work: Any, is_here: bool) -> Any:
        calls.append(work)
        if distributed.get_worker().address not in fit and len(calls) > after:
            raise InputError("/data/crater.tif", "cannot be read (No such file or directory)")
        return honest(work, is_here)

    monkeypatch.setattr(module, "workshop", workshop)


def test_a_worker_that_lacks_something_is_left_out_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with cluster(3) as client:
        good, *others = client.nthreads()
        lacking(monkeypatch, {good})
        with pytest.warns(WorkerWarning) as warned:
            found = planetfall.montecarlo(
                sliding_point(), N, 3, shard_size=5, out=tmp_path / "c", executor=DaskExecutor(client)
            )
    said = [str(one.message) for one in warned if one.category is WorkerWarning]
    assert 1 <= len(said) <= len(others)
    assert all(any(f"worker {other} is left out of this campaign" in one for other in others) for one in said)
    assert all("/data/crater.tif: cannot be read" in one for one in said)
    monkeypatch.undo()
    assert_same_tables(found.data, planetfall.montecarlo(sliding_point(), N, 3).data)


@pytest.mark.parametrize(("after", "safe"), [(0, "no run was finished yet"), (2, "20 of 60 runs are safe")])
def test_without_any_fit_worker_it_says_what_is_safe_and_how_to_go_on(
    after: int, safe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with cluster(1) as client:
        lacking(monkeypatch, set(), after)
        (worker,) = client.nthreads()
        with pytest.raises(ClusterError) as caught:
            planetfall.montecarlo(
                sliding_point(), N, 3, shard_size=10, out=tmp_path / "c", executor=DaskExecutor(client)
            )
        scheduler = client.scheduler.address
    said = f"no worker can run this campaign: worker {worker}: /data/crater.tif: cannot be read"
    assert said in str(caught.value)
    again = f"go on with planetfall montecarlo --resume {tmp_path / 'c'} --executor dask --scheduler {scheduler}"
    assert str(caught.value).endswith(f"; {safe}; {again}")
    monkeypatch.undo()
    assert len(planetfall.resume(tmp_path / "c").data.run) == N


def test_what_only_a_lost_worker_was_to_do_is_handed_out_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """One worker is left out, so that the other has to do all; it goes away, and a third comes."""
    from planetfall.campaign.workers import dask as module

    monkeypatch.setattr(module, "LOOK", 0.2)
    with cluster(2) as client:
        bad, good = client.nthreads()
        fit = {good}
        lacking(monkeypatch, fit)
        errand = module._Errand(DaskExecutor(client), _work(sliding_point(), 20), shards_of(20, 10))
        errand._leave_out(Unfit(bad, "for a test"))
        gate = client.submit(time.sleep, 1.5, workers=[good], pure=False, priority=100)
        time.sleep(0.3)
        errand.hand_out()
        client.cluster.scale(3)
        client.wait_for_workers(3)
        (third,) = set(client.nthreads()) - {bad, good}
        fit.add(third)
        client.retire_workers([good])
        rows = [errand.next_rows()[0] for _ in range(2)]
        del gate
    assert sorted(rows) == shards_of(20, 10)


def test_a_scheduler_that_is_gone_before_the_first_shard_is_one_sentence(tmp_path: Path) -> None:
    with cluster(1) as client:
        executor = DaskExecutor(client, options=("--executor", "dask", "--scheduler", "tcp://head:8786"))

        def gone() -> Any:
            raise distributed.CommClosedError("ConnectionPool closing.")

        client.nthreads = gone
        with pytest.raises(ClusterError) as caught:
            planetfall.montecarlo(sliding_point(), N, 3, shard_size=10, out=tmp_path / "c", executor=executor)
    assert "the connection to the Dask scheduler at inproc://" in str(caught.value)
    again = f"planetfall montecarlo --resume {tmp_path / 'c'} --executor dask --scheduler tcp://head:8786"
    assert str(caught.value).endswith(f" is lost; no run was finished yet; go on with {again}")
    with pytest.raises(planetfall.InputError, match=f"holds no finished runs yet; go on with .*--resume {tmp_path}"):
        planetfall.open(tmp_path / "c")


def test_without_a_folder_nothing_is_said_to_be_safe() -> None:
    with cluster(1) as client:
        client.nthreads = lambda: 1 / 0
        with pytest.raises(ClusterError, match=r"is lost; give a folder \(out=\.\.\.\)"):
            planetfall.montecarlo(sliding_point(), N, 3, executor=DaskExecutor(client))


@pytest.mark.parametrize(
    ("asked", "options"),
    [
        ({"kind": "local"}, ()),
        ({"kind": "local", "threads": 2}, ("--threads", "2")),
        ({"kind": "dask", "workers": 8}, ("--executor", "dask", "--workers", "8")),
        (
            {"kind": "dask", "scheduler": "tcp://a:1", "threads": 4},
            ("--executor", "dask", "--scheduler", "tcp://a:1", "--threads", "4"),
        ),
    ],
)
def test_who_ran_a_campaign_can_be_asked_for_again(asked: dict[str, Any], options: tuple[str, ...]) -> None:
    assert options_of(**asked) == options


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

        with pytest.raises(ClusterError) as caught, dask_executor(address, None, None) as executor:
            planetfall.montecarlo(
                dropped_block(), 120, 11, shard_size=10, out=tmp_path / "c", executor=executor, report=kill
            )
        assert str(caught.value).startswith(f"the connection to the Dask scheduler at {address} is lost; ")
        assert str(caught.value).endswith(f"--resume {tmp_path / 'c'} --executor dask --scheduler {address}")
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

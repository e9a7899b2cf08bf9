"""Whole landings in a campaign are the same to the last bit: in any shards, on any workers, killed and resumed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
import xarray as xr

import planetfall
from planetfall.campaign.workers.executor import LocalExecutor
from planetfall.errors import IncompleteWarning
from support.dispersed import assert_same_tables

N, SEED = 6, 5
LONGEST = 600.0
"""Seconds that a process of its own may take, most of which is for compiling: its kernel may be new to it."""
KILLED = f"""
import os, signal
import planetfall

def kill(standing):
    if standing.n_done == 2 and standing.finished is None:
        os.kill(os.getpid(), signal.SIGKILL)

scenario = planetfall.load("msl-edl-dispersed")
planetfall.montecarlo(scenario, {N}, {SEED}, shard_size=1, out="campaign", report=kill)
"""
"""A campaign that is killed while its third shard is under way: computed, in part or whole, but not safe."""
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def whole() -> xr.Dataset:
    """All runs in one shard, on two threads."""
    return landings(N, 2)


def landings(shard_size: int, threads: int) -> xr.Dataset:
    scenario = planetfall.load("msl-edl-dispersed")
    return planetfall.montecarlo(scenario, N, SEED, shard_size=shard_size, executor=LocalExecutor(threads)).data


def test_the_landings_are_worth_comparing(whole: xr.Dataset) -> None:
    """All come down, each in a place of its own, by all phases."""
    assert set(whole.outcome.values) == {"settled"}
    assert len(set(whole.x_m.values)) == len(set(whole["out.phases.coast.begins_s"].values)) == N


@pytest.mark.parametrize(("shard_size", "threads"), [(1, 1), (1, 2), (2, 1), (2, 2), (N, 1)])
def test_shards_and_threads_leave_no_trace(shard_size: int, threads: int, whole: xr.Dataset) -> None:
    assert_same_tables(landings(shard_size, threads), whole)


@pytest.mark.filterwarnings("ignore")
def test_killed_and_resumed_by_others(whole: xr.Dataset, tmp_path: Path) -> None:
    """SIGKILL loses the shard that was under way and no other; two workers of a cluster do what is left."""
    distributed = pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    from planetfall.campaign.workers.dask import DaskExecutor

    done = subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, capture_output=True, timeout=LONGEST)
    assert done.returncode == -signal.SIGKILL, done.stderr
    with pytest.warns(IncompleteWarning, match="holds 2 of 6 runs"):
        assert_same_tables(planetfall.open(tmp_path / "campaign").data, whole.isel(run=slice(2)))
    written = {path: path.stat().st_mtime_ns for path in (tmp_path / "campaign" / "runs").glob("[0-9]*.parquet")}
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0", silence_logs=50,
            memory_limit=0,  # the workers are threads: each would count the whole test process
        ) as made,
        distributed.Client(made) as client,
    ):  # fmt: skip
        resumed = planetfall.resume(tmp_path / "campaign", executor=DaskExecutor(client))
    assert_same_tables(resumed.data, whole)
    assert len(written) == 2
    assert {path: path.stat().st_mtime_ns for path in written} == written

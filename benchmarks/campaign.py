"""What a campaign costs beside its engine: preparation and storage, a million rows, Dask workers.

    python benchmarks/campaign.py overhead [--runs 100000]   # msl-dispersed: all but the engine's launches
    python benchmarks/campaign.py prepare [--runs 5000]      # inputs, states and parameters of runs, without any launch
    python benchmarks/campaign.py million                    # a million rows: memory, opening, summing up
    python benchmarks/campaign.py dask [--runs 2000]         # two single-threaded workers against one

Compile time is apart. Prints `name.metric value`, and the load of the machine: on a busy one, look at the ratios.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import planetfall

SCENARIO, SEED = "msl-dispersed", 1
PREPARED = ("msl-dispersed", "settle-sweep", "minerva-67p", "msl-skycrane-dispersed")


def say(name: str, value: float, unit: str = "") -> None:
    """One line."""
    print(f"{name} {value:.4g}{f' {unit}' if unit else ''}", flush=True)


def overhead(n: int, out: str | None = None) -> None:
    """Wall clock and processor time of a campaign, and what of it the engine's launches take."""
    from planetfall.campaign.workers import executor
    from planetfall.engine import run as engine

    spent = [0.0, 0.0]
    advance, prepare = engine._advance, executor.prepare

    def prepared(*args: Any) -> Any:
        begin = time.thread_time()
        out = prepare(*args)
        spent[1] -= time.thread_time() - begin  # beside the launches, whose processor time it would be taken for
        return out

    def timed(*args: Any, **options: Any) -> None:
        begin = time.perf_counter(), time.process_time()
        advance(*args, **options)
        spent[0] += time.perf_counter() - begin[0]
        spent[1] += time.process_time() - begin[1]

    scenario = planetfall.load(SCENARIO)
    planetfall.montecarlo(scenario, 200, SEED)  # compiles
    engine._advance, executor.prepare = timed, prepared
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter(), time.process_time()
        ensemble = planetfall.montecarlo(scenario, n, SEED, out=out or Path(folder) / "c")
        whole = time.perf_counter() - begin[0], time.process_time() - begin[1]
    say("overhead.runs", n)
    for name, total, engine_time in zip(("wall", "processor"), whole, spent, strict=True):
        say(f"overhead.{name}", total, "s")
        say(f"overhead.{name}.engine", engine_time, "s")
        say(f"overhead.{name}.share", (total - engine_time) / total)
    say("overhead.per_run", 1e3 * (whole[1] - spent[1]) / n, "ms")
    print(f"overhead.outcomes {ensemble.summary['counts']}")


def preparation(n: int) -> None:
    """Processor time to draw runs, to check what they drew, and to fill their states and parameters."""
    from planetfall.campaign.plan import make_plan
    from planetfall.campaign.workers.shard_run import prepare, work_of, workshop
    from planetfall.record.files.shards import Shard

    for name in PREPARED:
        scenario = planetfall.load(name)
        shop = workshop(work_of(make_plan(scenario, n, SEED, "random", n, "cpu", ""), "cpu"))
        prepare(shop, Shard(0, min(n, 4)))  # compiles what asks the terrain
        begin = time.process_time()
        prepare(shop, Shard(0, n))
        say(f"prepare.{name}", 1e3 * (time.process_time() - begin) / n, "ms")


def million(n: int) -> None:
    """Rows of the right shape are made up; then each reader has a process of its own."""
    from planetfall.campaign.campaign_folder import new_store
    from planetfall.campaign.plan import make_plan
    from planetfall.campaign.workers.shard_run import columns_of, work_of, workshop
    from planetfall.record.rows import table_of

    plan = make_plan(planetfall.load(SCENARIO), n, SEED, "random", 10_000, "cpu", "")
    names = columns_of(workshop(work_of(plan, "cpu")))[3:]
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "c"
        with new_store(place, plan) as store:
            for shard in plan.shards:
                outcomes = rng.choice([1, 2, 9], shard.n, p=[0.9, 0.08, 0.02])
                columns = {name: rng.normal(size=shard.n) for name in names}
                store.add(shard, table_of(np.arange(shard.first, shard.last), SEED, outcomes, columns))
        size = sum(path.stat().st_size for path in (place / "runs").iterdir())
        say("million.rows", n)
        say("million.disk", size / 1e6, "MB")
        for reader in ("planetfall", "resume", "pandas", "polars", "duckdb"):
            subprocess.run([sys.executable, __file__, "read", "--reader", reader, "--folder", str(place)], check=True)


def read(reader: str, folder: str) -> None:
    """Opens a campaign's table with one tool; imports are apart."""
    import pyarrow.parquet  # noqa: F401

    runs = f"{folder}/runs"
    try:
        module: Any = planetfall if reader in ("planetfall", "resume") else __import__(reader)
    except ImportError:
        print(f"million.{reader} not installed")
        return
    from planetfall.campaign.campaign import take_up

    openers = {
        "planetfall": lambda: len(module.open(folder).data.run),
        "resume": lambda: take_up(Path(folder))["n_runs"],
        "pandas": lambda: len(module.read_parquet(runs)),
        "polars": lambda: module.scan_parquet(f"{runs}/*.parquet").collect().height,
        "duckdb": lambda: len(module.sql(f"SELECT * FROM '{runs}/*.parquet'").to_arrow_table()),
    }
    begin = time.perf_counter()
    assert openers[reader]() > 0
    say(f"million.{reader}", time.perf_counter() - begin, "s")
    say(f"million.{reader}.memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, "GiB")


def dask(n: int) -> None:
    """The same campaign on one and on two workers, turn by turn; the best of two each."""
    from planetfall.campaign.workers.dask import dask_executor

    scenario, walls = planetfall.load(SCENARIO), {1: [], 2: []}
    for _ in range(2):
        for workers in walls:
            with dask_executor(None, workers, None) as executor:
                planetfall.montecarlo(scenario, 20 * workers, SEED, shard_size=10, executor=executor)  # builds, loads
                begin = time.perf_counter()
                planetfall.montecarlo(scenario, n, SEED, shard_size=max(1, n // 20), executor=executor)
                walls[workers].append(time.perf_counter() - begin)
            say(f"dask.{workers}_workers", walls[workers][-1], "s")
    say("dask.ratio", min(walls[1]) / min(walls[2]))


def main() -> None:
    """Runs one of the measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["overhead", "prepare", "million", "dask", "read"])
    parser.add_argument("--runs", type=int)
    parser.add_argument("--out", help="overhead: folder to keep the campaign in")
    parser.add_argument("--reader", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.what == "read":
        read(options.reader, options.folder)
        return
    print(f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores")
    if options.what == "overhead":
        overhead(options.runs or 100_000, options.out)
    elif options.what == "prepare":
        preparation(options.runs or 5000)
    elif options.what == "million":
        million(options.runs or 1_000_000)
    else:
        dask(options.runs or 2000)
    print(f"load {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()

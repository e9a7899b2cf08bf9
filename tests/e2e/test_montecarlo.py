"""`planetfall montecarlo` and `planetfall replay` as a user meets them, with all that can befall a long campaign."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import tomli_w

import planetfall as package
from planetfall.errors import IncompleteWarning
from support.command import begin, inside, planetfall
from support.dispersed import assert_same_tables, dropped_block, sliding_point

N, SIZE = 90, 3


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A scenario of the sliding point in a file."""
    return write(tmp_path, sliding_point())


def write(folder: Path, scenario: package.Scenario) -> Path:
    path = folder / "scene.toml"
    path.write_text(tomli_w.dumps(scenario.to_dict()), encoding="utf-8")
    return path


def test_a_campaign_tells_what_came_of_it(file: Path, tmp_path: Path) -> None:
    done = planetfall("montecarlo", str(file), "-n", "200", "--seed", "4", "--out", "c", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "200 runs, seed 4, sampling random" in done.stdout
    assert "settled                 200   100.00%   98.12% to 100.00%" in done.stdout
    assert "distance_m" in done.stdout
    assert "runs 0 to 199 done: 200 of 200" in done.stderr
    lines = [line for line in done.stderr.splitlines() if not line.startswith("planetfall: note: ")]
    assert len(lines) == 1
    assert "P(outcome=settled) = 1 [0.9812, 1]" in done.stderr


def test_json_is_the_summary(file: Path, tmp_path: Path) -> None:
    done = inside("montecarlo", str(file), "-n", "50", "--out", "c", "--json", cwd=tmp_path)
    printed = json.loads(done.stdout)
    assert printed.pop("folder") == "c"
    assert printed == json.loads((tmp_path / "c" / "summary.json").read_text())
    assert printed["n_runs"] == 50
    assert printed["is_complete"]
    assert printed["columns"]["distance_m"]["unit"] == "m"


def test_folders_are_named_by_themselves(file: Path, tmp_path: Path) -> None:
    for name in ("scene-mc", "scene-mc-2"):
        assert inside("montecarlo", str(file), "-n", "3", cwd=tmp_path).returncode == 0
        assert (tmp_path / "runs" / name / "campaign.json").is_file()


def test_a_stop_rule_stops(file: Path, tmp_path: Path) -> None:
    """At the first shard after which the interval is narrow enough, whatever was promised at most."""
    rule = "mean(distance_m) +- 0.02"
    words = ("montecarlo", str(file), "-n", "5000", "--until", rule, "--shard-size", "50", "--out", "c", "--json")
    estimate = json.loads(inside(*words, cwd=tmp_path).stdout)["estimate"]
    assert estimate["is_met"]
    assert estimate["half_width"] <= 0.02
    data = package.open(tmp_path / "c").data
    assert len(data.run) == estimate["n_runs"] < 5000
    shorter = data.distance_m.values[:-50]
    assert len(shorter) < 100 or 1.96 * shorter.std(ddof=1) / len(shorter) ** 0.5 > 0.0199
    said = inside("montecarlo", "--resume", "c", cwd=tmp_path).stdout
    assert f"Stop rule {rule}: met" in said
    assert_same_tables(package.open(tmp_path / "c").data, data)


REFUSED: list[tuple[tuple[str, ...], str]] = [
    (("msl-drop", "-n", "10"), "dispersions: msl-drop has none, so that all runs would be the same"),
    (("msl-dispersed",), "-n: missing"),
    (("msl-dispersed", "-n", "10", "--sampling", "halton"), "--sampling: unknown 'halton'"),
    (("msl-dispersed", "-n", "10", "--seed", "-1"), "seed: got -1"),
    (("msl-dispersed", "-n", "10", "--shard-size", "0"), "shard_size: got 0"),
    (("msl-dispersed", "-n", "10", "--until", "soon"), "--until: 'soon' is not a stop rule"),
    (("msl-dispersed", "-n", "10", "--until", "mean(x_m) +- 1", "--sampling", "latin-hypercube"), "cannot stop"),
    (("msl-dispersed", "-n", "10", "--device", "tpu"), "device"),
    (("msl-dispersed", "-n", "10", "--executor", "slurm"), "--executor: unknown 'slurm'"),
    (("msl-dispersed", "-n", "10", "--scheduler", "tcp://x:1"), "--scheduler: needs --executor dask"),
    (("--resume", "nowhere"), "nowhere: holds no campaign"),
    (("msl-dispersed", "--resume", "nowhere"), "give either a scenario or --resume DIR"),
    ((), "give either a scenario or --resume DIR"),
    (("--resume", "nowhere", "-n", "5"), "-n: cannot be used with --resume"),
    (("--resume", "nowhere", "--set", "a=1"), "--set: cannot be used with --resume"),
    (("msl-dispersed", "-n", "10", "--set", "dispersions.terrain.slope_deg.sigma=-1"), "slope_deg.sigma: is -1"),
    (("msl-dispersed", "-n", "10", "--set", "integrator.step=0.005"), "integrator.step: in run "),
    (("msl-dispersed", "-n", "10", "--set", "dispersions.contact.sliding_angle_deg.high=40"), "contradict each other"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "said"), REFUSED)
def test_bad_input_is_refused(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = inside("montecarlo", *words, cwd=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stderr
    assert done.stderr.startswith("planetfall: ")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_column_that_is_not_there_is_named(file: Path, tmp_path: Path) -> None:
    done = inside("montecarlo", str(file), "-n", "10", "--until", "mean(height) +- 1", "--out", "c", cwd=tmp_path)
    assert done.returncode == 2
    assert "--until: there is no column height; expected one of run, seed, outcome" in done.stderr
    assert done.stderr.rstrip().endswith("out.steps, out.energy_rise_bound_J, in.initial.velocity.0")
    assert not (tmp_path / "c").exists()


def test_a_sweep_knows_its_number_of_runs(file: Path, tmp_path: Path) -> None:
    sets = ("--set", "dispersions={terrain.slope_deg={distribution='grid', steps=[0.0, 1.0, 2.0]}}", "--out", "c")
    done = inside("montecarlo", str(file), *sets, "-n", "7", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        2, "planetfall: -n: 7 runs are not whole sweeps of 3 combinations; use -n 6\n"
    )  # fmt: skip
    done = inside("montecarlo", str(file), *sets, "--until", "mean(x_m) +- 1", cwd=tmp_path)
    assert "--until: a sweep goes through all its combinations" in done.stderr
    assert inside("montecarlo", str(file), *sets, cwd=tmp_path).returncode == 0
    assert package.open(tmp_path / "c").data["in.terrain.slope_deg"].values.tolist() == [0.0, 1.0, 2.0]


def test_a_damaged_shard_is_told_of(file: Path, tmp_path: Path) -> None:
    inside("montecarlo", str(file), "-n", "9", "--shard-size", "3", "--out", "c", cwd=tmp_path)
    before = package.open(tmp_path / "c").data
    path = sorted((tmp_path / "c" / "runs").iterdir())[1]
    path.write_bytes(path.read_bytes()[:-1])
    refused = inside("report", "c", cwd=tmp_path)
    assert refused.returncode == 2
    assert "is damaged: its content does not fit its name; run its shard again with planetfall mont" in refused.stderr
    done = inside("montecarlo", "--resume", "c", cwd=tmp_path)
    assert done.returncode == 0
    note, line = done.stderr.splitlines()
    assert note == f"planetfall: note: {path.name} is damaged and was put into damaged/; its runs are done again"
    assert line.startswith("runs 3 to 5 done: 9 of 9")
    assert_same_tables(package.open(tmp_path / "c").data, before)


def test_replay_equals_its_row(file: Path, tmp_path: Path) -> None:
    inside("montecarlo", str(file), "-n", "20", "--out", "c", cwd=tmp_path)
    done = inside("replay", "c", "7", "--no-figures", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Identical to the campaign's row, bit for bit." in done.stdout
    row = package.open(tmp_path / "c").data.isel(run=7)
    again = package.open(tmp_path / "c" / "replays" / "7")
    assert again.summary["end_s"] == float(row["out.end_s"])
    assert again.data.position.values[-1, 0, 0] == float(row.x_m)
    done = inside("replay", "c", "20", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "planetfall: run 20: the campaign has runs 0 to 19\n")


def test_a_row_that_was_made_otherwise_is_noticed(file: Path, tmp_path: Path) -> None:
    """The replay compares itself with its row, and says so if they differ."""
    from planetfall.record.files.shards import found_shards, read_shards, write_shard

    inside("montecarlo", str(file), "-n", "4", "--out", "c", cwd=tmp_path)
    ((shard, path),) = found_shards(tmp_path / "c").items()
    table = read_shards([path])
    place = table.column_names.index("x_m")
    path.unlink()
    digest = json.loads((tmp_path / "c" / "campaign.json").read_text())["digest"]
    write_shard(tmp_path / "c", shard, table.set_column(place, "x_m", table.column("y_m")), digest)
    done = inside("replay", "c", "1", "--no-figures", cwd=tmp_path)
    assert done.returncode == 1
    assert "run 1 is not what its row says: x_m is" in done.stderr


def test_a_report_is_one_page_that_needs_nothing_else(file: Path, tmp_path: Path) -> None:
    for seed in ("1", "2"):
        inside("montecarlo", str(file), "-n", "60", "--seed", seed, "--out", f"c{seed}", cwd=tmp_path)
    done = inside("report", "c1", "--against", "c2", "--of", "max_penetration_m", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "Report   c1-report.html\n"), done.stderr
    page = (tmp_path / "c1-report.html").read_text(encoding="utf-8")
    assert page.count("data:image/svg+xml;base64,") == 6
    for part in (
        "Settling side by side",
        "sink-flat",
        "60 runs of 60 planned",
        "Against c2",
        "initial.velocity.0",
        "beyond chance",
        "KS distance",
    ):
        assert part in page
    assert not re.search(r"https?:", page.partition('id="replay-page"')[0])
    assert page.count("<script") == 2  # the viewer, and what starts it


def test_a_report_of_a_column_that_is_no_result_is_refused(file: Path, tmp_path: Path) -> None:
    inside("montecarlo", str(file), "-n", "4", "--out", "c", cwd=tmp_path)
    done = inside("report", "c", "--of", "in.initial.velocity.0", cwd=tmp_path)
    assert done.returncode == 2
    assert (
        "--of: in.initial.velocity.0 is not a result of this campaign; expected one of first_touch_s, rest_s, "
        in done.stderr
    )


def test_a_run_is_not_compared_with_a_campaign(tmp_path: Path) -> None:
    inside("run", "sink-flat", "--out", "r", "--no-figures", "--set", "scenario.duration=0.01", cwd=tmp_path)
    done = inside("report", "r", "--against", "r", cwd=tmp_path)
    assert done.returncode == 2
    assert "r is a single run" in done.stderr


def wait_for_shards(process: subprocess.Popen[str], folder: Path, n: int) -> None:
    """Until a campaign has made some shards safe, or has ended."""
    until = time.monotonic() + 120
    while process.poll() is None and len(list((folder / "runs").glob("[0-9]*.parquet"))) < n:
        assert time.monotonic() < until
        time.sleep(0.005)


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_an_interrupt_says_how_to_go_on(number: signal.Signals, tmp_path: Path) -> None:
    n = 8 * N  # seconds of work after the signal is due, however late this process is woken
    file, expected = write(tmp_path, dropped_block()), package.montecarlo(dropped_block(), n, 5).data
    process = begin(
        "montecarlo", str(file), "-n", str(n), "--seed", "5", "--shard-size", str(SIZE), "--out", "c", cwd=tmp_path
    )
    wait_for_shards(process, tmp_path / "c", 3)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    *lines, last = said.strip().splitlines()
    with pytest.warns(IncompleteWarning, match=rf"of {n} runs; the campaign is not finished"):
        safe = len(package.open(tmp_path / "c").data.run)
    assert last == (
        f"planetfall: interrupted; {safe} finished runs are safe; go on with: planetfall montecarlo --resume c"
    )
    assert all(line.startswith("runs ") for line in lines)
    assert json.loads((tmp_path / "c" / "summary.json").read_text())["is_complete"] is False
    done = inside("montecarlo", "--resume", "c", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"{n} runs" in done.stdout
    assert_same_tables(package.open(tmp_path / "c").data, expected)


@pytest.mark.slow
def test_an_interrupt_of_a_cluster_here_says_no_more(tmp_path: Path) -> None:
    """A terminal's Ctrl-C reaches the workers, too: they told tracebacks, and Dask that it had to end them."""
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    file, n = write(tmp_path, dropped_block()), 80 * N
    words = ("montecarlo", str(file), "-n", str(n), "--shard-size", "30", "--executor", "dask", "--workers", "2")
    process = begin(*words, "--out", "c", cwd=tmp_path, is_group=True)
    wait_for_shards(process, tmp_path / "c", 3)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    *lines, last = said.strip().splitlines()
    assert all(line.startswith(("runs ", "planetfall: ")) for line in lines), said
    assert last.endswith("safe; go on with: planetfall montecarlo --resume c --executor dask --workers 2")


WORKERS = (
    ("--threads", "1"), ("--threads", "2"), ("--threads", "3"), (), ("--executor", "dask", "--workers", "1"),
    ("--executor", "dask", "--workers", "2"),
)  # fmt: skip
"""Ways to share the work of a campaign, which change from one resumption to the next."""


def kill_again_and_again(
    tmp_path: Path, kills: int, n: int, seed: int, workers: tuple[tuple[str, ...], ...] = ((),)
) -> None:
    """SIGKILL at random instants, each time resumed; then the table of an uninterrupted one, nothing done twice.

    Half of the kills come soon after a shard was finished, the others any time after the process was started. Only a
    kill of a living process counts. A campaign that is finished before the last kill is checked, and another one begun.
    """
    luck, scenario = random.Random(seed), dropped_block()
    file, expected = write(tmp_path, scenario), package.montecarlo(scenario, n, 5).data
    options = ("-n", str(n), "--seed", "5", "--shard-size", str(SIZE))
    killed = 0
    while killed < kills:
        folder = tmp_path / f"c{killed}"
        written: dict[str, int] = {}
        while killed < kills and len(written) < n / SIZE:
            is_begun = (folder / "campaign.json").exists()
            words = ("--resume", folder.name) if is_begun else (str(file), *options, "--out", folder.name)
            process = begin("montecarlo", *words, *luck.choice(workers), cwd=tmp_path)
            if killed % 2 == 0:
                wait_for_shards(process, folder, len(written) + luck.randrange(1, 4))
                time.sleep(luck.uniform(0.0, 0.05))
            else:
                time.sleep(luck.uniform(0.0, 3.0))
            killed += process.poll() is None
            process.kill()
            process.communicate(timeout=60)
            written = kept_shards(folder, written)
        done = planetfall("montecarlo", "--resume", folder.name, *luck.choice(workers), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        kept_shards(folder, written)
        assert not list(folder.rglob("*.part"))
        assert_same_tables(package.open(folder).data, expected)


def kept_shards(folder: Path, before: dict[str, int]) -> dict[str, int]:
    """Names and times of the shards that are there; those that were there before are as they were."""
    found = {path.name: path.stat().st_mtime_ns for path in (folder / "runs").glob("[0-9]*.parquet")}
    assert {name: found.get(name) for name in before} == before
    return found


def test_sigkill_loses_nothing(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, kills=2, n=90, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_a_hundred_sigkills_lose_nothing(seed: int, tmp_path: Path) -> None:
    """Twenty over each of five campaigns, resumed with other numbers of threads and of workers."""
    kill_again_and_again(tmp_path, kills=20, n=400, seed=2 + seed, workers=WORKERS)


@pytest.mark.long
def test_a_second_process_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path, dropped_block())
    process = begin("montecarlo", str(file), "-n", "3000", "--shard-size", str(SIZE), "--out", "c", cwd=tmp_path)
    try:
        wait_for_shards(process, tmp_path / "c", 1)
        done = planetfall("montecarlo", "--resume", "c", cwd=tmp_path)
        assert done.returncode == 2
        assert f"c: is being worked on by process {process.pid} on " in done.stderr
        assert process.poll() is None
    finally:
        process.kill()
        process.communicate(timeout=60)


@pytest.mark.long
def test_a_disk_that_fills_up(tmp_path: Path) -> None:
    """A real one: 160 kB of memory, mounted as a disk."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160k", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip("mounting a small disk needs root")
    try:
        file = write(tmp_path, sliding_point())
        words = ("-n", "600", "--seed", "5", "--shard-size", "20", "--out", "disk/c")
        done = planetfall("montecarlo", str(file), *words, cwd=tmp_path)
        assert done.returncode == 1, done.stdout
        last = done.stderr.strip().splitlines()[-1]
        assert "No space left on device" in last
        safe = int(last.split("); ")[1].split()[0])
        assert 0 < safe < 600
        with pytest.warns(IncompleteWarning, match=f"holds {safe} of 600 runs; the campaign is not finished"):
            assert len(package.open(disk / "c").data.run) == safe
        subprocess.run(["mount", "-o", "remount,size=8m", str(disk)], check=True)
        done = planetfall("montecarlo", "--resume", "disk/c", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert_same_tables(package.open(disk / "c").data, package.montecarlo(sliding_point(), 600, 5).data)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_hostile_names_stay_in_their_folder(tmp_path: Path) -> None:
    """A scenario cannot make a campaign write anywhere but into the folder it was given."""
    scenario = sliding_point().with_values({"scenario.name": "a b;rm -rf [x]"})
    file = write(tmp_path, scenario)
    before = {path for path in tmp_path.rglob("*")}
    done = inside("montecarlo", str(file), "-n", "5", "--out", "in [here]; or $(there)", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    new = {path for path in tmp_path.rglob("*")} - before
    assert {path.relative_to(tmp_path).parts[0] for path in new} == {"in [here]; or $(there)"}


def settings(printed: dict[str, Any]) -> tuple[Any, ...]:
    return printed["n_runs"], printed["seed"], printed["sampling"]


@pytest.mark.parametrize("sampling", ["latin-hypercube", "sobol", "saltelli"])
def test_every_sampling_runs(sampling: str, file: Path, tmp_path: Path) -> None:
    words = ("montecarlo", str(file), "-n", "30", "--sampling", sampling, "--out", "c", "--json")
    assert settings(json.loads(inside(*words, cwd=tmp_path).stdout)) == (30, 0, sampling)

"""A campaign's folder: whole or not at all, one process at a time, and honest about what is wrong with it."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import planetfall
from planetfall import InputError
from planetfall.campaign.campaign_folder import DAMAGED, StoreError, locked, new_store, resumed_store
from planetfall.errors import IncompleteWarning
from planetfall.record.files import shards
from planetfall.record.files.campaign_file import with_digest
from planetfall.record.files.shards import Shard, found_shards, is_intact
from support.dispersed import assert_same_tables, sliding_point

N, SIZE = 24, 5
OPTIONS: dict[str, Any] = {"n": N, "seed": 3, "shard_size": SIZE}


class Death(BaseException):
    """The process is gone: nothing is tidied up."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path_factory.mktemp("whole") / "c").data


def test_a_folder_holds_what_is_promised(tmp_path: Path) -> None:
    ensemble = planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path / "c")
    names = {path.name for path in (tmp_path / "c").iterdir()}
    assert names == {"scenario.toml", "campaign.json", "summary.json", "runs", "lock"}
    assert list(found_shards(tmp_path / "c")) == [
        Shard(0, 5),
        Shard(5, 10),
        Shard(10, 15),
        Shard(15, 20),
        Shard(20, 24),
    ]
    assert all(is_intact(path) for path in found_shards(tmp_path / "c").values())
    opened = planetfall.open(tmp_path / "c")
    assert isinstance(opened, planetfall.Ensemble)
    assert opened.scenario == ensemble.scenario
    assert opened.summary == ensemble.summary
    assert_same_tables(opened.data, ensemble.data)
    assert opened.data.x_m.attrs == {"units": "m", "long_name": "centre of mass at the end, x", "frame": "L"}
    assert opened.data["in.initial.velocity.0"].attrs["units"] == "m/s"


def test_tables_open_with_plain_tools(tmp_path: Path) -> None:
    import pandas as pd

    ensemble = planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path / "c")
    table = pd.read_parquet(tmp_path / "c" / "runs")
    assert list(table.columns[:5]) == ["run", "seed", "outcome", "first_touch_s", "rest_s"]
    assert table.run.tolist() == list(range(N))
    assert table.distance_m.tolist() == ensemble.data.distance_m.values.tolist()


def test_saved_and_opened_is_the_same(tmp_path: Path) -> None:
    ensemble = planetfall.montecarlo(sliding_point(), **OPTIONS)
    ensemble.save(tmp_path / "copy")
    opened = planetfall.open(tmp_path / "copy")
    assert_same_tables(opened.data, ensemble.data)
    assert (opened.scenario, opened.summary) == (ensemble.scenario, ensemble.summary)
    with pytest.raises(InputError, match="is in use"):
        ensemble.save(tmp_path / "copy")
    assert_same_tables(planetfall.resume(tmp_path / "copy").data, ensemble.data)


def test_an_unfinished_campaign_is_saved_with_its_gaps(tmp_path: Path, whole: Any) -> None:
    planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path / "c")
    found_shards(tmp_path / "c")[Shard(5, 10)].unlink()
    with pytest.warns(IncompleteWarning, match="holds 19 of 24 runs; runs 5 to 9 are missing"):
        partly = planetfall.open(tmp_path / "c")
    partly.save(tmp_path / "copy")
    assert list(found_shards(tmp_path / "copy")) == list(found_shards(tmp_path / "c"))
    assert_same_tables(planetfall.resume(tmp_path / "copy").data, whole)
    assert isinstance(partly, planetfall.Ensemble)
    for runs in (slice(1, None), slice(0, 0), slice(None, None, -1)):
        part = planetfall.Ensemble(partly.scenario, partly.data.isel(run=runs), partly.summary, partly.campaign)
        with pytest.raises(InputError, match="does not hold whole shards"):
            part.save(tmp_path / "part")
    assert not (tmp_path / "part").exists()


@pytest.mark.parametrize("stage", ["half written", "before the rename", "after the rename"])
@pytest.mark.parametrize("count", [0, 1, 2, 4, 6])
def test_death_at_any_write_loses_nothing(
    stage: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: Any
) -> None:
    """The process dies in the middle of one of its writes: plan, shards or summary."""
    left, honest = [count], shards.write_whole

    def deadly(path: Path, content: bytes) -> None:
        if left[0] > 0:
            left[0] -= 1
            return honest(path, content)
        if stage == "after the rename":
            honest(path, content)
        else:
            part = content[: len(content) // 2] if stage == "half written" else content
            path.with_name(f".{path.name}.part").write_bytes(part)
        raise Death

    for module in (
        "planetfall.record.files.shards",
        "planetfall.record.ensemble",
        "planetfall.record.files.campaign_file",
    ):
        monkeypatch.setattr(f"{module}.write_whole", deadly)
    with pytest.raises(Death):
        planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path / "c")
    monkeypatch.undo()
    finished = found_shards(tmp_path / "c")
    stamps = {shard: path.stat().st_mtime_ns for shard, path in finished.items()}
    if (tmp_path / "c" / "campaign.json").exists():
        ensemble = planetfall.resume(tmp_path / "c")
    else:
        ensemble = planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path / "c")
    assert_same_tables(ensemble.data, whole)
    again = found_shards(tmp_path / "c")
    assert {shard: again[shard].stat().st_mtime_ns for shard in stamps} == stamps
    assert not list(tmp_path.rglob("*.part"))


def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: Any) -> None:
    calls, honest = [0], os.fsync

    def full(handle: int) -> None:
        calls[0] += 1
        if calls[0] > 7:  # scenario, plan, one shard and its folders; then the disk is full
            raise OSError(errno.ENOSPC, "No space left on device")
        honest(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(
        StoreError, match=r"No space left on device\); 5 of 24 runs are safe; make room, then .*--resume"
    ):
        planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path / "c")
    monkeypatch.undo()
    assert not list((tmp_path / "c").rglob("*.part"))
    assert_same_tables(planetfall.resume(tmp_path / "c").data, whole)


def test_a_damaged_shard_is_put_aside_and_run_again(tmp_path: Path, whole: Any) -> None:
    planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path / "c")
    path = found_shards(tmp_path / "c")[Shard(5, 10)]
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"is damaged.*--resume"):
        planetfall.open(tmp_path / "c")
    assert_same_tables(planetfall.resume(tmp_path / "c").data, whole)
    assert [item.name for item in (tmp_path / "c" / DAMAGED).iterdir()] == [path.name]
    with resumed_store(tmp_path / "c") as store:
        assert store.notes == []


def test_links_out_of_a_folder_are_refused(tmp_path: Path) -> None:
    """A folder from elsewhere cannot make a campaign write, cut or move anything outside it."""
    planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path / "c")
    outside = tmp_path / "mine"
    outside.mkdir()
    (outside / "thesis.txt").write_text("all of it", encoding="utf-8")
    (tmp_path / "c" / "lock").unlink()
    (tmp_path / "c" / "lock").symlink_to(outside / "thesis.txt")
    with pytest.raises(InputError, match="lock: is a link to another place"):
        planetfall.resume(tmp_path / "c")
    (tmp_path / "c" / "lock").unlink()
    (tmp_path / "c" / ".summary.json.part").symlink_to(outside / "thesis.txt")
    (tmp_path / "c" / "damaged").symlink_to(outside)
    with pytest.raises(InputError, match="damaged: is a link to another place"):
        planetfall.resume(tmp_path / "c")
    (tmp_path / "c" / "damaged").unlink()
    planetfall.resume(tmp_path / "c")
    assert (outside / "thesis.txt").read_text(encoding="utf-8") == "all of it"
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "runs").symlink_to(outside)
    with pytest.raises(InputError, match="runs: is a link to another place"):
        planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path / "d")
    assert [path.name for path in outside.iterdir()] == ["thesis.txt"]


def test_a_missing_shard_is_run_again(tmp_path: Path, whole: Any) -> None:
    planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path / "c")
    found_shards(tmp_path / "c")[Shard(20, 24)].unlink()
    with pytest.warns(IncompleteWarning, match="holds 20 of 24 runs; runs 20 to 23 are missing"):
        assert len(planetfall.open(tmp_path / "c").data.run) == 20
    assert_same_tables(planetfall.resume(tmp_path / "c").data, whole)


def test_a_strange_shard_is_refused(tmp_path: Path) -> None:
    planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path / "c")
    path = found_shards(tmp_path / "c")[Shard(5, 10)]
    path.rename(path.with_name(path.name.replace("000000005-", "000000004-")))
    with pytest.raises(InputError, match="is not a shard of this campaign"):
        planetfall.resume(tmp_path / "c")


def test_an_edited_scenario_is_refused(tmp_path: Path) -> None:
    planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path / "c")
    path = tmp_path / "c" / "scenario.toml"
    path.write_text(path.read_text().replace("sigma = 0.15", "sigma = 0.2"), encoding="utf-8")
    with pytest.raises(InputError, match=r"scenario\.toml: has been changed since the campaign began; restore it"):
        planetfall.resume(tmp_path / "c")


def test_a_changed_input_file_is_refused(tmp_path: Path) -> None:
    samples = tmp_path / "speeds.csv"
    samples.write_text("v\n" + "1.0\n1.1\n" * 20, encoding="utf-8")
    table = {"initial.velocity.0": {"distribution": "table", "file": str(samples), "column": "v"}}
    planetfall.montecarlo(sliding_point(dispersions=table), **OPTIONS, out=tmp_path / "c")
    samples.write_text("v\n" + "1.0\n1.2\n" * 20, encoding="utf-8")
    with pytest.raises(InputError, match=r"speeds\.csv: has been changed since the campaign began"):
        planetfall.resume(tmp_path / "c")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("versions", {"numpy": "1.0"}, r"begun with other versions .*numpy 1\.0, here"),
        ("machine", "abacus", r"was begun on cpu \(abacus\)"),
        ("device", "cuda:0", r"no CUDA|cuda|CUDA"),
        (
            "schema",
            99,
            r"campaign\.json: was written by a newer version of Planetfall \(schema 99\); expected a schema up to",
        ),
        ("until", 3, r"not a plan of a campaign that this version can read: until is not text"),
        ("versions", [], r"not a plan of a campaign that this version can read: versions is no table"),
        ("n", -4, r"not a plan of a campaign"),
        ("shard_size", "many", r"not a plan of a campaign"),
    ],
)
def test_other_terms_are_refused(key: str, value: Any, said: str, tmp_path: Path) -> None:
    planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path / "c")
    path = tmp_path / "c" / "campaign.json"
    path.write_text(json.dumps(with_digest({**json.loads(path.read_text()), key: value})), encoding="utf-8")
    found_shards(tmp_path / "c")[Shard(5, 10)].unlink()
    with pytest.raises(InputError, match=said):
        planetfall.resume(tmp_path / "c", device=None if key != "device" else "cpu")


def test_no_other_folder_is_touched(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("all of it", encoding="utf-8")
    with pytest.raises(InputError, match=r"holds other files \(thesis\.txt\)"):
        planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path / "mine")
    with pytest.raises(InputError, match="is a file"):
        planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path / "mine" / "thesis.txt")
    with pytest.raises(InputError, match="holds no campaign"):
        planetfall.resume(tmp_path / "mine")
    planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path / "c")
    with pytest.raises(InputError, match=r"holds a campaign; go on with planetfall montecarlo --resume"):
        planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path / "c")


def test_a_refused_campaign_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="step"):
        planetfall.montecarlo(sliding_point(integrator__step=0.5), **OPTIONS, out=tmp_path / "c")
    assert list(tmp_path.iterdir()) == []


def test_nothing_in_a_folder_is_ever_unpickled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pickle

    planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path / "c")

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("unpickled")

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    planetfall.open(tmp_path / "c")
    planetfall.resume(tmp_path / "c")


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    planetfall.montecarlo(sliding_point(), **OPTIONS, out=tmp_path / "c")
    code = f"import planetfall; planetfall.resume({str(tmp_path / 'c')!r})"
    with locked(tmp_path / "c"):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert f"is being worked on by process {os.getpid()} on " in done.stderr
        with pytest.raises(InputError, match="is being worked on by process"), resumed_store(tmp_path / "c"):
            pass
    with locked(tmp_path / "c"):
        pass


def test_a_lock_dies_with_its_process(tmp_path: Path) -> None:
    code = (
        "import os, signal, pathlib; from planetfall.campaign.campaign_folder import locked\n"
        f"with locked(pathlib.Path({str(tmp_path)!r})): os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == -9
    with locked(tmp_path):
        pass


def test_a_new_store_takes_over_an_empty_shell(tmp_path: Path) -> None:
    from planetfall.campaign.plan import make_plan

    plan = make_plan(sliding_point(), N, 3, "random", SIZE, "cpu", "")
    (tmp_path / "c" / "runs").mkdir(parents=True)
    (tmp_path / "c" / "lock").touch()
    with new_store(tmp_path / "c", plan) as store:
        assert store.pending == plan.shards

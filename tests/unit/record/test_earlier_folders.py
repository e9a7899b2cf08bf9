"""Folders that earlier versions wrote still open, and those of later versions are refused with a sentence."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import h5py
import pytest
import tomli_w

import planetfall
from planetfall import InputError
from planetfall.errors import IncompleteWarning
from planetfall.record.files.campaign_file import with_digest
from planetfall.record.files.schema import SCHEMA
from planetfall.record.files.shards import Shard, found_shards, read_shards, write_shard
from planetfall.record.trajectory import Trajectory
from support.command import inside
from support.dispersed import sliding_point

ARCHIVES = sorted((Path(__file__).parents[2] / "data").glob("folders-*.tar.xz"))
"""Written by `tools/earlier_folders.py`, one archive per version."""


@pytest.fixture(params=ARCHIVES, ids=lambda path: path.name.removesuffix(".tar.xz"))
def earlier(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path / "folders", filter="data")
    return tmp_path / "folders"


def expected(earlier: Path) -> dict[str, Any]:
    return json.loads((earlier / "numbers.json").read_text(encoding="utf-8"))


def test_archives_are_small() -> None:
    assert ARCHIVES
    assert sum(path.stat().st_size for path in ARCHIVES) < 200_000


@pytest.mark.parametrize("name", ["run", "free-top", "drive", "campaign/replays/7"])
def test_runs_of_earlier_versions_open(earlier: Path, name: str, tmp_path: Path) -> None:
    known = expected(earlier)[name]
    opened: Any = planetfall.open(earlier / name)
    assert opened.summary["outcome"] == known["outcome"]
    assert [[event.time, event.kind, event.point] for event in opened.events] == known["events"]
    assert opened.data.time.values[-1] == known["time"]
    assert opened.data.position.values[-1, 0].tolist() == known["position"]
    assert opened.data.mass.values[0, 0] == known["mass"]
    again = opened.save(tmp_path / "again")
    assert json.loads((again / "summary.json").read_text())["schema"] == SCHEMA
    assert planetfall.open(again).data.equals(opened.data)


def test_campaigns_of_earlier_versions_open(earlier: Path) -> None:
    for name in ("campaign", "stopped"):
        known, opened = expected(earlier)[name], planetfall.open(earlier / name)
        assert isinstance(opened, planetfall.Ensemble)
        assert opened.data.distance_m.values.tolist() == known["distance_m"]
        assert opened.campaign["seed"] == known["seed"]
        assert opened.summary["is_complete"]
        assert opened.gap == ""


def test_an_unfinished_campaign_of_an_earlier_version_opens(earlier: Path) -> None:
    with pytest.warns(IncompleteWarning, match=r"holds 15 of 20 runs; .* not finished \(missing: runs 10 to 14\)"):
        opened = planetfall.open(earlier / "unfinished")
    assert opened.data.distance_m.values.tolist() == expected(earlier)["unfinished"]["distance_m"]


def test_an_unfinished_campaign_of_an_earlier_version_is_not_gone_on_with(earlier: Path) -> None:
    """Its rows have other columns, and other bits; it stays as it is."""
    folder = earlier / "unfinished"
    before = {path: path.read_bytes() for path in folder.rglob("*.*") if path.is_file()}
    with pytest.raises(
        InputError, match=r"unfinished: was begun by an earlier version of Planetfall .* can still read it"
    ):
        planetfall.resume(folder)
    assert {path: path.read_bytes() for path in folder.rglob("*.*") if path.is_file()} == before


def test_a_finished_campaign_of_an_earlier_version_is_done(earlier: Path) -> None:
    again = planetfall.resume(earlier / "campaign")
    assert again.data.distance_m.values.tolist() == expected(earlier)["campaign"]["distance_m"]


@pytest.mark.parametrize("is_told_apart", [True, False], ids=["as it was", "scenario written anew"])
def test_a_campaign_begun_before_a_key_was_there(tmp_path: Path, is_told_apart: bool) -> None:
    """Nobody changed its scenario: it opens, and is not gone on with, since what the key decides may be another now."""
    folder = tmp_path / "c"
    planetfall.montecarlo(sliding_point(), n=10, seed=3, shard_size=5, out=folder)
    plan = json.loads((folder / "campaign.json").read_text())
    del plan["scenario"]["contact"]["clamp"]
    plan = with_digest(plan)
    (folder / "campaign.json").write_text(json.dumps(plan))
    if is_told_apart:
        (folder / "scenario.toml").write_text(tomli_w.dumps(plan["scenario"]))
    for shard, path in found_shards(folder).items():  # as that version wrote them
        rows = read_shards([path])
        path.unlink()
        write_shard(folder, shard, rows, plan["digest"])
    assert len(planetfall.open(folder).data.run) == 10  # type: ignore[union-attr]
    assert len(planetfall.resume(folder).data.run) == 10
    found_shards(folder)[Shard(5, 10)].unlink()
    with pytest.raises(InputError, match=r"earlier version of Planetfall \(it did not have the key contact\.clamp\)"):
        planetfall.resume(folder)
    with pytest.warns(IncompleteWarning):
        assert len(planetfall.open(folder).data.run) == 5  # type: ignore[union-attr]


def test_verbs_take_folders_of_earlier_versions(earlier: Path) -> None:
    for words in (
        ("report", "run"), ("report", "campaign"), ("view", "drive", "--export", "drive.html"),
        ("view", "campaign", "--export", "campaign.html"),
    ):  # fmt: skip
        done = inside(*words, cwd=earlier)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("key", "value"), [("seed", 4), ("n", 40), ("n", 23)])
def test_an_edited_plan_of_an_earlier_version_is_refused(earlier: Path, key: str, value: int) -> None:
    """It has no digest; its summary, its scenario and the names of its shards say what it was."""
    path = earlier / "campaign" / "campaign.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}), encoding="utf-8")
    for way in (planetfall.open, planetfall.resume):
        with pytest.raises(InputError, match=rf"campaign\.json: .*{key} is {value}"):
            way(earlier / "campaign")


def test_a_shard_of_another_seed_is_refused_in_a_campaign_of_an_earlier_version(earlier: Path, tmp_path: Path) -> None:
    planetfall.montecarlo(sliding_point(), n=20, seed=4, shard_size=5, out=tmp_path / "c")
    other = found_shards(tmp_path / "c")[Shard(5, 10)]
    found_shards(earlier / "campaign")[Shard(5, 10)].unlink()
    (earlier / "campaign" / "runs" / other.name).write_bytes(other.read_bytes())
    with pytest.raises(InputError, match=rf"{other.name}: is of another campaign: its seed is 4 and not 3"):
        planetfall.open(earlier / "campaign")


def test_newer_runs_are_refused(landing: Trajectory, tmp_path: Path) -> None:
    folder = landing.save(tmp_path / "run")
    path = folder / "summary.json"
    summary = json.loads(path.read_text(encoding="utf-8"))
    said = rf"was written by a newer version of Planetfall \(schema {SCHEMA + 1}\); expected a schema up to"
    path.write_text(json.dumps({**summary, "schema": SCHEMA + 1}), encoding="utf-8")
    with pytest.raises(InputError, match=rf"summary\.json: {said}"):
        planetfall.open(folder)
    path.write_text(json.dumps({**summary, "sha256": {}}), encoding="utf-8")
    with h5py.File(folder / "trajectory.nc", "r+") as file:
        file.attrs["schema"] = SCHEMA + 1
    with pytest.raises(InputError, match=rf"trajectory\.nc: {said}"):
        planetfall.open(folder)


def test_newer_campaigns_are_refused(tmp_path: Path) -> None:
    planetfall.montecarlo(sliding_point(), n=4, seed=3, out=tmp_path / "c")
    path = tmp_path / "c" / "campaign.json"
    plan = {**json.loads(path.read_text()), "schema": SCHEMA + 1}
    path.write_text(json.dumps(with_digest(plan)), encoding="utf-8")
    for way in (planetfall.open, planetfall.resume):
        with pytest.raises(InputError, match=r"campaign\.json: was written by a newer version of Planetfall"):
            way(tmp_path / "c")


def test_everything_that_is_written_says_its_schema(landing: Trajectory, tmp_path: Path) -> None:
    folder = landing.save(tmp_path / "run")
    assert json.loads((folder / "summary.json").read_text())["schema"] == SCHEMA
    with h5py.File(folder / "trajectory.nc") as file:
        assert file.attrs["schema"] == SCHEMA
    planetfall.montecarlo(sliding_point(), n=4, seed=3, out=tmp_path / "c")
    for name in ("summary.json", "campaign.json"):
        assert json.loads((tmp_path / "c" / name).read_text())["schema"] == SCHEMA

"""Run folders: the same run comes back, others' files are safe, and nothing is ever half written."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import xarray as xr

import planetfall
from planetfall import InputError
from planetfall.record.trajectory import Trajectory

FILES = {"scenario.toml", "trajectory.nc", "summary.json", "events.csv"}


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("kind", ["landing", "free_top"])
def test_a_run_comes_back_as_it_was(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    run: Trajectory = request.getfixturevalue(kind)
    folder = run.save(tmp_path / "run")
    back = planetfall.open(folder)
    xr.testing.assert_identical(back.data, run.data)
    assert back.scenario == run.scenario
    assert back.events == run.events
    assert back.summary == run.summary
    assert names(folder) == FILES


def test_the_scenario_of_a_folder_runs_to_the_same_bits(landing: Trajectory, tmp_path: Path) -> None:
    again = planetfall.run(planetfall.load(landing.save(tmp_path / "run") / "scenario.toml"))
    xr.testing.assert_identical(again.data, landing.data)
    assert again.summary == landing.summary


@pytest.mark.parametrize("name", ["", "a, b", 'say "x"', "two\nlines", "-1"])
def test_odd_names_of_points_do_not_confuse_events(name: str, tmp_path: Path) -> None:
    """Refused, or brought back as they were: an event of the whole vehicle never becomes one of a point."""
    values = {"scenario.duration": 0.7, "vehicle.points.0.name": name}
    try:
        scenario = planetfall.load("msl-drop").with_values(values)
    except InputError:
        return
    run = planetfall.run(scenario)
    assert planetfall.open(run.save(tmp_path / "run")).events == run.events


def test_files_are_what_their_names_say(landing: Trajectory, tmp_path: Path) -> None:
    folder = landing.save(tmp_path / "run")
    assert tomllib.loads((folder / "scenario.toml").read_text(encoding="utf-8"))["scenario"]["name"] == "msl-drop"
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert summary.pop("sha256") == {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in ("scenario.toml", "trajectory.nc", "events.csv")
    }
    assert summary == landing.summary
    assert summary["schema"] == 1
    with (folder / "events.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:6] == ["time", "run", "body", "point", "kind", "value"]
    assert [row["kind"] for row in rows] == [event.kind for event in landing.events]
    assert next(row["point"] for row in rows if row["kind"] == "touch") in {"wheel 1", "wheel 3"}
    assert rows[-1]["point"] == ""


def test_plain_xarray_opens_it(landing: Trajectory, tmp_path: Path) -> None:
    """No engine named, no decoding switched off."""
    with xr.open_dataset(landing.save(tmp_path / "run") / "trajectory.nc") as data:
        xr.testing.assert_identical(data.load(), landing.data)
        assert data.time.dtype == "float64"


def test_an_earlier_run_is_not_replaced_unasked(landing: Trajectory, tmp_path: Path) -> None:
    folder = landing.save(tmp_path / "run")
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    with pytest.raises(InputError, match=r"run: holds an earlier run; .* pass overwrite=True") as caught:
        landing.save(folder)
    assert "--" not in str(caught.value)
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_an_earlier_run_is_replaced_when_asked(landing: Trajectory, free_top: Trajectory, tmp_path: Path) -> None:
    folder = landing.save(tmp_path / "run")
    (folder / "track.png").write_bytes(b"of the earlier run")
    free_top.save(folder, overwrite=True)
    assert planetfall.open(folder).scenario.name == "free-top"
    assert names(folder) == FILES
    assert names(tmp_path) == {"run"}


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_of_other_things_is_never_touched(landing: Trajectory, tmp_path: Path, overwrite: bool) -> None:
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(InputError, match="holds other files"):
        landing.save(tmp_path, overwrite=overwrite)
    assert names(tmp_path) == {"thesis.txt"}


def test_a_folder_with_a_scenario_among_other_things_is_never_emptied(landing: Trajectory, tmp_path: Path) -> None:
    """People keep their scenario.toml beside their notes; that is no earlier run."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "thesis.txt").write_text("precious")
    (folder / "scenario.toml").write_text("# mine")
    with pytest.raises(InputError):
        landing.save(folder, overwrite=True)
    assert (folder / "thesis.txt").read_text() == "precious"
    assert (folder / "scenario.toml").read_text() == "# mine"


@pytest.mark.parametrize("held", [{"holiday.png"}, {"scenario.toml"}, {"scenario.toml", "sketch.svg"}])
def test_a_folder_of_someone_elses_pictures_or_inputs_is_no_earlier_run(
    landing: Trajectory, tmp_path: Path, held: set[str]
) -> None:
    """A run has all four files; without them nothing says that these are ours to replace."""
    for name in held:
        (tmp_path / name).write_text("precious")
    with pytest.raises(InputError):
        landing.save(tmp_path, overwrite=True)
    assert names(tmp_path) == held


def test_the_current_folder_is_never_emptied(
    landing: Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ "." cannot be moved into place, and by the time that is found out its files must still be there."""
    folder = landing.save(tmp_path / "run")
    before = names(folder)
    monkeypatch.chdir(folder)
    with contextlib.suppress(InputError):
        landing.save(".", overwrite=True)
    assert names(folder) >= before


def test_an_empty_folder_is_filled(landing: Trajectory, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert names(landing.save(tmp_path / "empty")) == FILES


def test_a_link_to_a_folder_is_followed_or_refused_with_a_reason(landing: Trajectory, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    try:
        landing.save(tmp_path / "link")
    except InputError as error:
        assert "None" not in str(error)
    else:
        assert planetfall.open(tmp_path / "link").scenario.name == "msl-drop"


def test_folders_on_the_way_are_made(landing: Trajectory, tmp_path: Path) -> None:
    assert names(landing.save(tmp_path / "a b" / "ünïcode 火星")) == FILES
    assert planetfall.open(tmp_path / "a b" / "ünïcode 火星").events == landing.events


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_file_in_the_way(landing: Trajectory, tmp_path: Path, overwrite: bool) -> None:
    (tmp_path / "run").write_text("precious")
    with pytest.raises(InputError, match="run: is a file"):
        landing.save(tmp_path / "run", overwrite=overwrite)
    assert (tmp_path / "run").read_text() == "precious"


def test_a_file_on_the_way(landing: Trajectory, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    with pytest.raises(InputError, match=r"file is not a folder that can be written; choose another folder$"):
        landing.save(tmp_path / "file" / "run")
    assert names(tmp_path) == {"file"}


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="no folder here that refuses root")
def test_a_folder_that_cannot_be_written(landing: Trajectory) -> None:
    with pytest.raises(InputError, match=r"/proc/planetfall-run: cannot be"):
        landing.save("/proc/planetfall-run")


def no_space(*_: Any, **__: Any) -> None:
    raise OSError(28, "No space left on device")


def interrupt(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(("fault", "raised"), [(no_space, InputError), (interrupt, KeyboardInterrupt)])
@pytest.mark.parametrize("where", ["planetfall.record.run_folder.write_netcdf", "csv.writer", "pathlib.Path.rename"])
def test_a_fault_in_the_middle_leaves_nothing(
    landing: Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, fault: Any, raised: type
) -> None:
    monkeypatch.setattr(where, fault)
    with pytest.raises(raised) as caught:
        landing.save(tmp_path / "run")
    if raised is InputError:
        assert "No space left on device" in str(caught.value)
    assert names(tmp_path) == set()


@pytest.mark.parametrize("where", ["planetfall.record.run_folder.write_netcdf", "csv.writer"])
def test_a_fault_in_the_middle_leaves_the_earlier_run(
    landing: Trajectory, free_top: Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    folder = landing.save(tmp_path / "run")
    monkeypatch.setattr(where, no_space)
    with pytest.raises(InputError):
        free_top.save(folder, overwrite=True)
    monkeypatch.undo()
    assert names(tmp_path) == {"run"}
    xr.testing.assert_identical(planetfall.open(folder).data, landing.data)


def test_a_fault_in_the_last_move_leaves_the_earlier_run(
    landing: Trajectory, free_top: Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The earlier run goes only when the new one is in its place."""
    folder = landing.save(tmp_path / "run")
    monkeypatch.setattr("pathlib.Path.rename", no_space)
    with pytest.raises(InputError):
        free_top.save(folder, overwrite=True)
    monkeypatch.undo()
    assert planetfall.open(folder).scenario.name == "msl-drop"


def test_a_fault_leaves_no_new_folders_on_the_way(
    landing: Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planetfall.record.run_folder.write_netcdf", no_space)
    with pytest.raises(InputError):
        landing.save(tmp_path / "new" / "newer" / "run")
    assert names(tmp_path) == set()


@pytest.mark.parametrize("missing", sorted(FILES))
def test_a_folder_that_lacks_a_file_is_no_run(landing: Trajectory, tmp_path: Path, missing: str) -> None:
    folder = landing.save(tmp_path / "run")
    (folder / missing).unlink()
    with pytest.raises(InputError, match=rf"run: is not a run folder: {missing} missing"):
        planetfall.open(folder)


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_damaged_file_is_named(landing: Trajectory, tmp_path: Path, name: str) -> None:
    folder = landing.save(tmp_path / "run")
    (folder / name).write_text("damaged {")
    with pytest.raises(InputError, match=name.replace(".", r"\.")):
        planetfall.open(folder)


def test_home_is_where_the_shell_says(landing: Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A quoted ~ is home for all files of a run or for none, and leaves no folder of that name about."""
    (tmp_path / "home").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "here")
    folder = landing.save("~/run")
    assert planetfall.open(folder).events == landing.events
    assert names(folder) == FILES

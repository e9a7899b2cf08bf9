"""Names of files in scenarios: beside the file that holds them, whole in memory, relative again when written."""

from __future__ import annotations

import shutil
import tomllib
import typing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomli_w

import planetfall
from planetfall.errors import FileElsewhereWarning, InputError
from planetfall.scenario.drive import DriveScenario, drive_from_dict, load_drive
from planetfall.scenario.files.load import read_values, scenario_from_dict
from planetfall.scenario.files.paths import IS_FILE, placed, placed_changes, relative_to
from planetfall.scenario.files.write import scenario_toml
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.table import Table
from support.terrain_files import stl_binary

FILES: dict[str, Any] = {
    "terrain": {"model": "mesh", "file": "NAME", "added": [{"model": "dem", "file": "NAME"}, {"model": "plane"}]},
    "gravity": {"model": "polyhedron", "shape": "NAME"},
    "target": {"name": "NAME", "shape": "NAME"},
    "vehicle": {"name": "box", "shape": {"kind": "mesh", "file": "NAME"}},
    "companions": [{"vehicle": {"name": "NAME", "shape": {"kind": "mesh", "file": "NAME"}}}],
    "dispersions": {
        "vehicle.mass": {"distribution": "table", "file": "NAME"},
        "contact": {"rest_penetration": {"distribution": "table", "file": "NAME", "column": "NAME"}},
    },
}
"""Every key that names a file, and some that do not though they look like it."""
N_FILES = 8


def test_every_name_of_a_file_is_found_and_nothing_else() -> None:
    found: list[str] = []
    out = placed(FILES, Scenario, lambda name: found.append(name) or f"/{name}")
    assert len(found) == N_FILES
    as_text = repr(out)
    assert as_text.count("'/NAME'") == N_FILES and as_text.count("'NAME'") == repr(FILES).count("'NAME'") - N_FILES
    assert out["target"] == {"name": "NAME", "shape": "/NAME"}
    assert out["dispersions"]["contact"]["rest_penetration"]["column"] == "NAME"


def test_names_of_files_are_found_by_dotted_key() -> None:
    changes = {
        "terrain.file": "a", "terrain.added.0.file": "b", "terrain.added": [{"file": "c"}], "gravity.file": "d",
        "companions.0.vehicle.shape.file": Path("e"), "dispersions.vehicle.mass.file": "f",
        "dispersions": {"vehicle": {"mass": {"file": "g"}}}, "dispersions.vehicle.mass": {"file": "h"},
        "scenario.title": "no file", "vehicle.name": "none", "no.such.key": "none",
    }  # fmt: skip
    found: list[str] = []
    placed_changes(changes, Scenario, lambda name: found.append(name) or name)
    assert found == list("abcdefgh")


def test_names_of_files_in_drives_are_found() -> None:
    changes = [{"soil": {"friction": "b"}}, {"soil.friction": "c", "rover.name": "d"}]
    drive = {
        "rover": {"name": "e"},
        "soil": {"law": "coulomb", "friction": "mu.npy"},
        "changes": [{"start": 1.0 + i, "values": values} for i, values in enumerate(changes)],
    }
    found: list[str] = []
    placed(drive, DriveScenario, lambda name: found.append(name) or name)
    assert found == ["mu.npy", "b", "c"]


def test_no_key_that_names_a_file_is_forgotten() -> None:
    """A key of text called `file`, or a `shape` that is no choice, has to be marked as the name of a file."""

    def tables(annotation: Any) -> set[type[Table]]:
        if isinstance(annotation, type) and issubclass(annotation, Table):
            below = (tables(field.annotation) for field in annotation.model_fields.values())
            return {annotation}.union(*below)
        return set().union(*map(tables, typing.get_args(annotation)))

    named = []
    for table in tables(Scenario) | tables(DriveScenario):
        for key in ("file", "shape", "mesh", "path", "urdf", "map"):
            field = table.model_fields.get(key)
            # where None is allowed too, the mark stands in the annotation, and no plain `str` beside it
            plain = field and str in (field.annotation, *typing.get_args(field.annotation))
            if field and plain and IS_FILE not in field.metadata:
                named.append(f"{table.__name__}.{key}")
    assert not named


def test_a_scenario_holds_whole_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for given in ("maps/a.tif", Path("maps/a.tif"), "./maps/../maps/a.tif", tmp_path / "maps" / "a.tif"):
        scenario = planetfall.load("msl-drop").with_values({"terrain.file": given})
        assert scenario.to_dict()["terrain"]["file"] == str(tmp_path / "maps" / "a.tif")
        assert scenario.terrain.model == "dem"
    home = planetfall.load("msl-drop").with_values({"terrain.file": "~/a.stl"}).to_dict()["terrain"]
    assert home == {**home, "model": "mesh", "file": str(Path.home() / "a.stl")}


def test_made_shapes_are_no_files() -> None:
    assert planetfall.load("cube-67p").target.shape in (None, "bilobed-comet")
    assert planetfall.load("minerva-67p").target.shape == "bilobed-comet"


def test_a_detour_over_a_link_is_kept(tmp_path: Path) -> None:
    """`link/../a` is not `a` where the link leads elsewhere."""
    (tmp_path / "far" / "deep").mkdir(parents=True)
    (tmp_path / "far" / "a.npy").write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "far" / "deep")
    scenario = planetfall.load("msl-drop").with_values({"terrain.file": tmp_path / "link" / ".." / "a.npy"})
    assert Path(scenario.to_dict()["terrain"]["file"]).samefile(tmp_path / "far" / "a.npy")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a scenario below it, and files that the scenario names from where it lies."""
    project = tmp_path / "project"
    (project / "scenarios").mkdir(parents=True)
    (project / "data").mkdir()
    np.save(project / "data" / "map.npy", np.zeros((4, 4), np.float32))
    (project / "data" / "box.stl").write_bytes(stl_binary())
    (project / "data" / "mass.csv").write_text("vehicle.mass\n900\n910\n")
    values = planetfall.load("msl-drop").to_dict()
    values["terrain"] = {"model": "dem", "file": "../data/map.npy", "spacing": 1.0,
                         "added": [{"model": "mesh", "file": "../data/box.stl"}]}  # fmt: skip
    values["vehicle"] = {"name": "mine", "mass": 900.0, "shape": {"kind": "mesh", "file": "../data/box.stl"}}
    values["dispersions"] = {"vehicle": {"mass": {"distribution": "table", "file": "../data/mass.csv"}}}
    (project / "scenarios" / "a.toml").write_text(tomli_w.dumps(values))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return project


def files_of(scenario: Scenario) -> list[str]:
    found: list[str] = []
    placed(scenario.to_dict(), Scenario, lambda name: found.append(name) or name)
    return found


def test_files_are_beside_the_scenario_that_names_them(project: Path) -> None:
    data = project / "data"
    expected = [str(data / name) for name in ("map.npy", "box.stl", "box.stl", "mass.csv")]
    for name in (
        str(project / "scenarios" / "a.toml"),
        project / "scenarios" / "a.toml",
        "../project/scenarios/a.toml",
    ):
        assert sorted(files_of(planetfall.load(name))) == sorted(expected)


def test_what_is_given_over_a_file_is_in_the_working_folder(project: Path) -> None:
    found = planetfall.load(project / "scenarios" / "a.toml", {"terrain.file": "own.npy"}).to_dict()["terrain"]
    assert found["file"] == str(Path.cwd() / "own.npy")
    assert found["added"][0]["file"] == str(project / "data" / "box.stl")


def test_a_variant_is_beside_its_base_and_its_files_beside_it(project: Path) -> None:
    (project / "variants").mkdir()
    (project / "variants" / "map.npy").write_bytes((project / "data" / "map.npy").read_bytes())
    text = 'based_on = "../scenarios/a.toml"\n[changes]\n"terrain.file" = "map.npy"\n"terrain.spacing" = 2.0\n'
    (project / "variants" / "b.toml").write_text(text)
    found = planetfall.load(project / "variants" / "b.toml")
    assert str(project / "variants" / "map.npy") in files_of(found)
    assert str(project / "data" / "mass.csv") in files_of(found)


def test_the_working_folder_is_the_second_choice_and_says_so(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project / "data")
    (project / "old").mkdir()
    values = planetfall.load("msl-drop").to_dict()
    values["terrain"] = {"model": "dem", "file": "map.npy", "spacing": 1.0}
    (project / "old" / "scenario.toml").write_text(tomli_w.dumps(values))
    with pytest.warns(
        FileElsewhereWarning, match=r'map\.npy does not lead.*working folder.*: write "\.\./data/map\.npy"$'
    ):
        found = planetfall.load(project / "old" / "scenario.toml")
    assert files_of(found) == [str(project / "data" / "map.npy")]
    np.save(project / "old" / "map.npy", np.ones((3, 3), np.float32))
    assert files_of(planetfall.load(project / "old" / "scenario.toml")) == [str(project / "old" / "map.npy")]


def test_a_file_that_is_nowhere_is_named_where_it_should_be(project: Path) -> None:
    (project / "data" / "mass.csv").unlink()
    with pytest.raises(InputError, match=rf"no such file {project}/data/mass\.csv"):
        planetfall.load(project / "scenarios" / "a.toml")


def test_a_written_scenario_is_the_same_wherever_one_stands(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = planetfall.load(project / "scenarios" / "a.toml")
    out = project / "runs" / "first" / "scenario.toml"
    out.parent.mkdir(parents=True)
    out.write_bytes(scenario_toml(scenario, out.parent))
    written = tomllib.loads(out.read_text())
    assert written["terrain"]["file"] == "../../data/map.npy"
    assert written["files"]["../../data/map.npy"] == str(project / "data" / "map.npy")
    monkeypatch.chdir("/")
    assert planetfall.load(out) == scenario


def test_a_written_scenario_that_goes_alone_finds_its_files_where_they_were(project: Path, tmp_path: Path) -> None:
    scenario = planetfall.load(project / "scenarios" / "a.toml")
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "alone.toml").write_bytes(scenario_toml(scenario, project / "runs" / "first"))
    with pytest.warns(FileElsewhereWarning, match="is taken from where it was when that was written"):
        assert planetfall.load(tmp_path / "archive" / "alone.toml") == scenario
    (project / "data" / "mass.csv").unlink()
    message = rf"no such file {tmp_path.parent}/data/mass\.csv"
    with pytest.warns(FileElsewhereWarning), pytest.raises(InputError, match=message):
        planetfall.load(tmp_path / "archive" / "alone.toml")


def test_a_project_is_moved_as_a_whole(project: Path) -> None:
    scenario = planetfall.load(project / "scenarios" / "a.toml")
    (project / "runs").mkdir()
    (project / "runs" / "scenario.toml").write_bytes(scenario_toml(scenario, project / "runs"))
    shutil.move(project, project.parent / "moved")
    found = files_of(planetfall.load(project.parent / "moved" / "runs" / "scenario.toml"))
    assert all(name.startswith(str(project.parent / "moved" / "data")) for name in found)
    assert all(Path(name).is_file() for name in found)


@pytest.mark.parametrize(("name", "folder", "expected"), [
    ("/home/a/maps/x.tif", "/home/a/runs/one", "../../maps/x.tif"),
    ("/home/a/runs/one/x.tif", "/home/a/runs/one", "x.tif"),
    ("/data/x.tif", "/home/a/runs/one", "/data/x.tif"),
    ("bilobed-comet", "/home/a", "bilobed-comet"),
])  # fmt: skip
def test_far_files_keep_their_whole_path(name: str, folder: str, expected: str) -> None:
    assert relative_to(Path(folder))(name) == expected


def test_scenarios_without_files_have_no_heading() -> None:
    assert scenario_toml(planetfall.load("msl-drop"), Path("/x")).startswith(b"companions = []\n")


def test_maps_of_friction_are_files_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    drive = load_drive("lsr1-flat").with_values(
        {"soil": {"law": "coulomb", "friction": Path("mu.npy"), "spacing": 1.0}}
    )
    assert drive.to_dict()["soil"]["friction"] == str(tmp_path / "mu.npy")
    later = drive.with_values({"changes": [{"start": 0.5, "values": {"soil.friction": "b.npy"}}]})
    assert later.changes[0].values == {"soil.friction": str(tmp_path / "b.npy")}
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "d.toml").write_bytes(scenario_toml(later, tmp_path / "runs"))
    assert tomllib.loads((tmp_path / "runs" / "d.toml").read_text())["soil"]["friction"] == "../mu.npy"
    monkeypatch.chdir("/")
    assert load_drive(tmp_path / "runs" / "d.toml") == later
    assert load_drive(str(tmp_path / "runs" / "d.toml")) == later


def test_values_put_right_what_is_wrong_in_a_file(tmp_path: Path) -> None:
    values = planetfall.load("msl-drop").to_dict()
    for key, wrong, right in (
        ("vehicle.mass", -1.0, {"vehicle.mass": 900.0}),
        ("contact.stiffnes", 3.0, {"contact": values["contact"]}),
        ("integrator", {"method": "adaptive"}, {"integrator.method": "rk4", "integrator.step": 0.001}),
        ("vehicle", {"name": "no-such-rover"}, {"vehicle.name": "msl-rover"}),
        ("terrain", {"model": "dem"}, {"terrain.file": "x.npy"}),
        ("terrain", 5, {"terrain": {"model": "plane"}}),
        ("scenario.duration", 1e90, {"scenario.duration": 2.0}),
    ):  # fmt: skip
        broken = planetfall.load("msl-drop").to_dict()
        table, _, name = key.partition(".")
        if name:
            broken[table][name] = wrong
        else:
            broken[table] = wrong
        if key == "integrator":
            broken["terrain"] = {"model": "dem", "file": "x.npy", "gap": "column"}
        path = tmp_path / "broken.toml"
        path.write_text(tomli_w.dumps(broken))
        with pytest.raises(InputError):
            planetfall.load(path)
        planetfall.load(path, right)


def test_what_is_wrong_in_a_file_and_stays_so_is_said_of_the_file(tmp_path: Path) -> None:
    broken = planetfall.load("msl-drop").to_dict()
    broken["vehicle"]["mass"] = -1.0
    path = tmp_path / "broken.toml"
    path.write_text(tomli_w.dumps(broken))
    with pytest.raises(InputError, match=rf"^vehicle\.mass: .*in {path}$"):
        planetfall.load(path, {"scenario.duration": 1.0}, "the values of --set")
    with pytest.raises(InputError, match=r"^scenario\.duration: .*in the values of --set"):
        planetfall.load(path, {"scenario.duration": -1.0, "vehicle.mass": 900.0}, "the values of --set")


def test_a_variant_of_a_broken_file_is_put_right(tmp_path: Path) -> None:
    broken = planetfall.load("msl-drop").to_dict()
    broken["vehicle"]["mass"] = -1.0
    (tmp_path / "base.toml").write_text(tomli_w.dumps(broken))
    (tmp_path / "variant.toml").write_text('based_on = "base.toml"\n[changes]\n"scenario.duration" = 2.0\n')
    with pytest.raises(InputError, match=r"^vehicle\.mass"):
        planetfall.load(tmp_path / "variant.toml")
    found = planetfall.load(tmp_path / "variant.toml", {"vehicle.mass": 900.0})
    assert (found.vehicle.mass, found.scenario.duration) == (900.0, 2.0)


def test_values_over_a_sound_file_are_those_of_with_values(tmp_path: Path) -> None:
    changes = {"initial.position.2": 1.0, "contact.clamp": False, "vehicle.points.0.name": "front", "target.frame": "P",
               "target.radius": 1.0}  # fmt: skip
    base = planetfall.load("msl-drop").with_values({"initial": {"height": 2.0}})
    path = tmp_path / "sound.toml"
    path.write_text(tomli_w.dumps({**base.to_dict(), "initial": {"height": 2.0}}))
    changes.pop("initial.position.2")
    assert planetfall.load(path, changes) == base.with_values(changes)


def test_values_put_right_a_drive(tmp_path: Path) -> None:
    broken = load_drive("lsr1-flat").to_dict()
    broken["rover"]["mass"] = -1.0
    path = tmp_path / "drive.toml"
    path.write_text(tomli_w.dumps(broken))
    with pytest.raises(InputError, match=r"^rover\.mass"):
        load_drive(path)
    title = {"scenario.title": load_drive("lsr1-flat").scenario.title}  # given anew, it does not speak of changes
    assert load_drive(path, {"rover.mass": 9.0} | title) == drive_from_dict(
        {**broken, "rover": {**broken["rover"], "mass": 9.0}}
    )


def test_a_scenario_from_plain_values_takes_paths(tmp_path: Path) -> None:
    values = {**planetfall.load("msl-drop").to_dict(), "terrain": {"model": "dem", "file": tmp_path / "a.npy"}}
    assert scenario_from_dict(values).to_dict()["terrain"]["file"] == str(tmp_path / "a.npy")
    assert read_values("msl-drop")[0]["terrain"]["model"] == "plane"

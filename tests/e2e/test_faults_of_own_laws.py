"""What the maker of a first contact law gets wrong, and what the program says: one sentence that helps, each."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

import planetfall
from planetfall.scenario.files.plugins import near_names
from support.command import planetfall as command

EXAMPLES = Path(__file__).parents[2] / "examples" / "plugins"
ROUND = EXAMPLES / "soft_sand.py"


def said_of(folder: Path, text: str) -> str:
    """What `run` says of the sand with another text of its file."""
    (folder / "soft_sand.py").write_text(text)
    (folder / "soft-sand.toml").write_text((EXAMPLES / "soft-sand.toml").read_text())
    done = command("run", "soft-sand.toml", "--no-figures", "--out", "run", cwd=folder)
    assert done.returncode == 2
    return " ".join(done.stderr.split())


def test_a_wrong_name_has_its_nearest(tmp_path: Path) -> None:
    said = said_of(tmp_path, ROUND.read_text().replace("    CONTACT_STATIC,\n", "    CONTACT_STICKING,\n"))
    assert re.search(r"soft_sand\.py, line \d+: planetfall\.plugins has no CONTACT_STICKING", said)
    assert "did you mean CONTACT_STATIC" in said and "put the file there" not in said


def test_names_are_near_whatever_their_case() -> None:
    assert near_names("pointcontact", ("PointContact", "Ground"))[0] == "PointContact"
    assert near_names("quite_another", ("PointContact", "Ground")) == []


def test_an_incomplete_record_says_what_it_lacks(tmp_path: Path) -> None:
    said = said_of(tmp_path, re.sub(r"\n +reported=\w+,", "", ROUND.read_text()))
    assert re.search(r"soft_sand\.py, line \d+: the ContactLaw lacks reported", said)
    assert "add what is missing to the record" in said and "__init__" not in said


@pytest.mark.parametrize("record", ["ForceModel", "SensorPart", "TerrainPart", "AtmospherePart", "ControllerKind"])
def test_so_does_every_other_record(record: str, tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text(f"from planetfall.plugins import {record}\n\nPART = {record}()\n")
    with pytest.raises(planetfall.InputError, match=rf"part\.py, line 3: the {record} lacks \w+"):
        planetfall.Scenario.from_dict({"plugins": [str(tmp_path / "part.py")]})


def test_a_number_of_32_bits_is_told_how_to_be_written(tmp_path: Path) -> None:
    text = ROUND.read_text()
    changed = re.sub(r"wp\.float64\(([\d.]+)\) (\*|-|\+)", r"\1 \2", text, count=1)
    assert changed != text
    said = said_of(tmp_path, changed)
    assert "Input types must be the same" in said and "write wp.float64(1.0)" in said


def test_more_loaded_points_than_points_are_noted() -> None:
    """It is how Cordova2014 lets one point fall with the spring of one leg of four."""
    from planetfall.engine.build import build

    values = {"contact.mass_share": "per-point", "contact.loaded_points": 5}
    said = [note for note in build(planetfall.load("msl-drop").with_values(values)).notes if "loaded_points" in note]
    assert len(said) == 1 and "5 points carry the load, but msl-rover has 4" in said[0] and "softer" in said[0]
    assert not any("loaded_points" in note for note in build(planetfall.load("msl-drop")).notes)


def test_points_over_the_centre_of_mass_are_noted() -> None:
    """The wrong sign of the axis that points down; none of the legs of the library's rover is."""
    from planetfall.engine.build import build

    drop = planetfall.load("msl-drop")
    upside = drop.with_values({f"vehicle.points.{i}.position": [-p.position[0], *p.position[1:]]
                               for i, p in enumerate(drop.vehicle.points)})  # fmt: skip
    assert not any("above its centre of mass" in note for note in build(drop).notes)
    assert any("all contact points of msl-rover are above its centre of mass" in note for note in build(upside).notes)


def test_an_attitude_for_a_body_with_z_down_is_noted_with_the_one_for_z_up() -> None:
    from planetfall.engine.build import build

    block = planetfall.load("sink-flat")
    upside = block.with_values({"initial.euler_ned_deg": [30.0, 0.0, 0.0], "initial.height": 3.0})
    (said,) = (note for note in build(upside).notes if "above its centre of mass" in note)
    assert said.endswith("add half a turn of roll: [30, 0, 180]")
    upright = upside.with_values({"initial.euler_ned_deg": [30.0, 0.0, 180.0]})
    assert not any("above its centre of mass" in note for note in build(upright).notes)


@pytest.mark.parametrize(
    ("key", "factor", "is_told"),
    [("inertia", 1e6, True), ("inertia", 1e4, True), ("inertia", 1.36, False), ("points", 39.37, True)],
)
def test_an_inertia_of_another_size_than_the_vehicle_is_noted(key: str, factor: float, is_told: bool) -> None:
    """kg mm^2, kg cm^2 and slug ft^2 for kg m^2, and inches for metres; the third can be a vehicle."""
    from planetfall.engine.build import build

    block = planetfall.load("sink-flat")
    values = {"inertia": {"vehicle.inertia": (factor * np.array(block.vehicle.inertia)).tolist()}}
    values["points"] = {f"vehicle.points.{i}.position": (factor * np.array(point.position)).tolist()
                        for i, point in enumerate(block.vehicle.points)}  # fmt: skip
    changed = block.with_values({**values[key], "initial.height": 50.0})
    assert any("radius of gyration" in note for note in build(changed).notes) == is_told


def test_no_vehicle_of_the_library_has_an_inertia_of_another_size() -> None:
    from planetfall.engine.checks.outer_form import form_notes
    from planetfall.scenario import library_names

    for name in library_names():
        assert not any(form_notes(solo.vehicle) for solo in planetfall.load(name).solos), name


def test_an_open_energy_account_is_warned_of(tmp_path: Path) -> None:
    """With the longest stable step: stable, and not accurate; as the report does."""
    values = {"integrator.step": 0.04, "integrator.accept_step": True, "scenario.duration": 3.0}
    done = command(
        "run", "msl-drop", "--no-figures", "--out", "run", *(f"--set={k}={str(v).lower()}" for k, v in values.items()),
        cwd=tmp_path,
    )  # fmt: skip
    summary = planetfall.open(tmp_path / "run").summary
    assert summary["energy_closure_J"] > 0.0
    assert re.search(r"\nWARNING  The energy account closes to .* J only, [\d.]+% of the", done.stdout)


def test_the_longest_stable_step_is_not_called_accurate() -> None:
    with pytest.raises(planetfall.InputError, match=r"stable here, but not accurate; .* better half of it \(--check"):
        planetfall.run(planetfall.load("msl-drop").with_values({"integrator.step": 0.002}))


def test_the_site_shows_the_whole_example() -> None:
    """Formatters take the line that includes a file for Python, where the block says so in the plain way."""
    page = (EXAMPLES.parents[1] / "docs" / "reference" / "soft-sand.md").read_text()
    assert page.count('--8<-- "examples/plugins/') == 2


def test_the_points_of_what_is_carried_are_not_noted() -> None:
    """The heat shield hangs with its rim up; it comes down as its carrier does."""
    from planetfall.engine.build import build

    assert not any("above its centre of mass" in note for note in build(planetfall.load("insight-edl")).notes)


def test_another_version_of_a_law_takes_the_place_of_the_one_in_the_file(tmp_path: Path) -> None:
    """By --set plugins: the file's own is not imported, since both register the same name."""
    for name in ("soft_sand.py", "firmer.py"):
        (tmp_path / name).write_text(ROUND.read_text())
    (tmp_path / "soft-sand.toml").write_text((EXAMPLES / "soft-sand.toml").read_text())
    given = ("run", "soft-sand.toml", "--set", 'plugins=["firmer.py"]', "--no-figures", "--out", "run")
    done = command(*given, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "changed: plugins\n" in done.stdout
    assert tomllib.loads((tmp_path / "run" / "scenario.toml").read_text())["plugins"] == ["../firmer.py"]

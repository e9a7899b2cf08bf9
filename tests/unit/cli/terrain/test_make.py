"""`planetfall terrain make`: what it writes, what it prints, what it refuses."""

import json
from pathlib import Path

import pytest

from planetfall.cli.terrain.make import make_terrain, terrain_table
from planetfall.errors import InputError
from planetfall.scenario.files.load import terrain_from_dict
from support.terrain_files import read_raster

SMALL = ["extent=[20, 20]", "resolution=0.5", "noise.octaves=4", "flat_radius=0"]


def test_it_writes_and_says_what(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_terrain("hazard-field", SMALL, tmp_path / "field.tif", force=False, as_json=False)
    text = capsys.readouterr().out
    assert text.startswith("procedural hazard-field, seed 2577: 20 m x 20 m")
    assert "41 x 41, 0.5 m apart" in text
    assert f"Rocks    {tmp_path / 'field-rocks.ply'} (not in the file of the ground" in text
    assert read_raster(tmp_path / "field.tif").heights.shape == (41, 41)


def test_json_counts_what_was_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_terrain("crater", ["terrain.resolution=0.5", "slope_deg=45"], tmp_path / "c.obj", force=False, as_json=True)
    facts = json.loads(capsys.readouterr().out)
    assert (facts["craters"], facts["craters_beside"], facts["hills"], facts["rocks"]) == (1, 0, 0, 0)
    assert facts["extent_m"] == [60.0, 60.0]
    assert facts["nodes"] == [121, 121]
    assert facts["files"] == [str(tmp_path / "c.obj")]
    # 45 degrees along one of two axes, and the crater's own slopes
    assert facts["rms_slope_deg"]["10 m"] == pytest.approx(35.26, abs=0.2)


def test_a_bare_array_s_spacing_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_terrain("crater", ["resolution=0.5"], tmp_path / "c.npy", force=False, as_json=False)
    assert "give terrain.spacing = 0.5" in capsys.readouterr().out


def test_files_are_replaced_only_when_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "field.tif"
    make_terrain("hazard-field", SMALL, out, force=False, as_json=False)
    before = out.read_bytes()
    with pytest.raises(InputError, match=r"field\.tif: the file exists; .*--force"):
        make_terrain("hazard-field", [*SMALL, "seed=1"], out, force=False, as_json=False)
    out.unlink()
    with pytest.raises(InputError, match=r"field-rocks\.ply: the file exists"):
        make_terrain("hazard-field", SMALL, out, force=False, as_json=False)
    assert not out.exists()
    make_terrain("hazard-field", SMALL, out, force=True, as_json=False)
    assert out.read_bytes() == before


def test_a_table_comes_from_a_file_of_its_own_or_from_a_scenario(tmp_path: Path) -> None:
    own, scenario = tmp_path / "own.toml", tmp_path / "scenario.toml"
    own.write_text('name = "crater"\nseed = 3\n')
    scenario.write_text('[scenario]\nname = "x"\n[terrain]\nmodel = "procedural"\nname = "crater"\nseed = 3\n')
    expected = terrain_from_dict({"name": "crater", "seed": 3})
    assert terrain_table(str(own), []) == terrain_table(str(scenario), []) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[terrain]\nmodel = "plane"\n', "not a procedural one"),
        ("terrain = 5\n", "not a procedural one"),
        ("not toml", "not TOML"),
        ('name = "creter"\n', "no built-in terrain 'creter'; did you mean crater"),
        ("rocks.covr = 1\n", r"rocks\.covr: unknown key; did you mean rocks\.cover"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        terrain_table(str(path), [])


@pytest.mark.parametrize(
    ("name", "sets", "message"),
    [
        ("nowhere.toml", [], r"nowhere\.toml: no such file"),
        (
            "hazards",
            [],
            r"terrain 'hazards': no such built-in terrain; expected one of crater, gale-like, hazard-field",
        ),
        ("crater", ["resolution"], r"--set resolution: is not KEY=VALUE"),
        ("crater", ["rocks.cover=2"], r"rocks\.cover: is .*; it must be less than"),
    ],
)
def test_bad_arguments_are_refused(name: str, sets: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        terrain_table(name, sets)


def test_an_unknown_format_is_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no terrain is written as '\.jpg'"):
        make_terrain("crater", ["resolution=0.5"], tmp_path / "c.jpg", force=False, as_json=False)

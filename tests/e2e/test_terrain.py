"""`planetfall terrain`: what is told and drawn of files, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from support.command import inside, planetfall, refuse, succeed
from support.terrain_files import EQUIRECTANGULAR, obj, stl_binary, stl_text, write_tiff
from support.terrain_samples import samples

PNG = b"\x89PNG"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a map that rises to the east by 20 degrees, with six missing pixels, and with meshes."""
    x, _ = np.meshgrid(2.0 * np.arange(40), np.arange(30))
    stored = (np.tan(np.radians(20.0)) * x).astype(np.float32)
    stored[3:5, 10:13] = -32767.0
    write_tiff(tmp_path / "slope.tif", stored, (0.0, 0.0), (2.0, 2.0), crs=EQUIRECTANGULAR, nodata=-32767.0)
    np.save(tmp_path / "bare.npy", stored[6:])
    (tmp_path / "body.stl").write_bytes(stl_binary())
    ball = trimesh.creation.icosphere(2)
    (tmp_path / "inside-out.obj").write_text(obj(np.array(ball.vertices), np.array(ball.faces)[:, ::-1]))
    (tmp_path / "sheet.obj").write_text("v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 4\nf 1 2 3\nf 1 3 4\n")
    return tmp_path


def info(*words: str, cwd: Path) -> dict[str, Any]:
    done = inside("terrain", "info", *words, "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("verb", ["info", "plot", "make"])
def test_help_has_an_example(verb: str, tmp_path: Path) -> None:
    said = inside("terrain", verb, "--help", cwd=tmp_path).stdout
    assert f"Example: planetfall terrain {verb} " in said
    assert "Options:" in said


def test_a_map_is_told(place: Path) -> None:
    said = succeed("terrain", "info", "slope.tif", cwd=place)
    assert said.startswith("slope.tif (GTiff): a map of heights\n")
    for fact in ("30 rows x 40 columns", "6 of 1200 pixels (0.500%)", "rms 20, median 20, 95 % 20, max 20 deg",
                 "2 m x 2 m, against the vertical", "float32", "Mars eqc", "radius 3396190 m"):  # fmt: skip
        assert fact in said


def test_a_map_as_json(place: Path) -> None:
    found = info("slope.tif", cwd=place)
    assert (found["file"], found["kind"], found["rows"], found["columns"]) == ("slope.tif", "map", 30, 40)
    assert found["missing_pixels"] == 6
    # the pixels are neighbours, 2 x 3 nodes: 3 x 4 cells touch them, all but the two that only a far corner does
    assert found["missing_facets"] == 2 * 12 - 2
    assert found["facets"] == 2 * 29 * 39 - found["missing_facets"]
    # 2^-19 m, the step of float32 below 32 m, over 2 m and against 1 + tan^2
    assert found["slope_deg"]["rms"] == pytest.approx(20.0, abs=np.degrees(2.0**-19))
    assert found["spacing_m"] == pytest.approx([2.0, 2.0], rel=1e-6)
    assert found["extent_m"] == pytest.approx([78.0, 58.0], rel=1e-6)
    assert found["height_step_m"] == 2.0**-19
    assert found["crs"] == "Mars eqc"
    assert found["site"]["row"] == 14.5
    # the middle of the map: 39.999 m east and 30 m south of the corner at (0, 0)
    assert found["site"]["latitude_deg"] == pytest.approx(-np.degrees(30.0 / 3396190.0), rel=1e-6)
    assert found["notes"] == [note for note in found["notes"] if note[0].isupper() and note.endswith(".")]


def test_a_window_about_a_site(place: Path) -> None:
    found = info("slope.tif", "--site-pixel", "20,25", "--half-width", "10", cwd=place)
    assert (found["rows"], found["columns"], found["missing_pixels"]) == (11, 11, 0)
    assert found["x_m"] == pytest.approx([-10.0, 10.0], rel=1e-6)
    assert (found["site"]["row"], found["site"]["column"]) == (20.0, 25.0)
    latitude, longitude = found["site"]["latitude_deg"], found["site"]["longitude_deg"]
    same = info("slope.tif", "--site-latlon", f"{latitude!r},{longitude!r}", "--half-width", "9.9", cwd=place)
    assert (same["site"]["row"], same["site"]["column"]) == pytest.approx((20.0, 25.0), abs=1e-6)
    assert latitude < 0.0


def test_a_bare_array_with_its_spacing(place: Path) -> None:
    found = info("bare.npy", "--spacing", "2", "--height-scale", "0.5", "--height-offset", "-3", cwd=place)
    assert found["slope_deg"]["max"] == pytest.approx(np.degrees(np.arctan(0.5 * np.tan(np.radians(20.0)))), abs=1e-4)
    assert found["height_m"][0] == -3.0
    assert found["crs"] is None


def test_a_body_is_told(place: Path) -> None:
    said = succeed("terrain", "info", "body.stl", "--scale", "3", cwd=place)
    for fact in ("a mesh around a body", "4, on 4 vertices", "3 x 3 x 3 m", "a unit of the file is taken for 3 m",
                 "consistent, closed, right way out", "volume 4.5 m3", "0 facets without area", "single precision",
                 "against the radius from the centre of volume"):  # fmt: skip
        assert fact in said
    found = info("body.stl", "--scale", "3", cwd=place)
    assert (found["is_closed"], found["is_consistent"], found["is_inverted"]) == (True, True, False)
    assert found["volume_m3"] == pytest.approx(27.0 / 6.0)
    assert found["centre_m"] == pytest.approx([0.75] * 3)


def test_a_body_that_is_inside_out(place: Path) -> None:
    found = info("inside-out.obj", cwd=place)
    assert found["is_inverted"]
    assert any("inside out" in note for note in found["notes"])
    assert not info("inside-out.obj", "--orientation", "outward", cwd=place)["is_inverted"]


def test_a_sheet_is_seen_from_above(place: Path) -> None:
    """Two facets: a level one, and one that rises from the diagonal to a corner 4 m high and 4/sqrt(2) m off it."""
    found = info("sheet.obj", cwd=place)
    steep = np.degrees(np.arctan(np.sqrt(2.0)))
    assert (found["view"], found["holes"], found["rims"]) == ("map", 0, 1)
    assert found["slope_deg"]["max"] == pytest.approx(steep)
    assert found["slope_deg"]["rms"] == pytest.approx(steep / np.sqrt(2.0))
    assert info("sheet.obj", "--view", "body", cwd=place)["view"] == "body"


@pytest.mark.parametrize("name", ["slope.tif", "body.stl", "sheet.obj"])
def test_a_figure_is_drawn_beside_you(name: str, place: Path) -> None:
    before = {path.name for path in place.iterdir()}
    done = inside("terrain", "plot", name, cwd=place)
    drawn = f"{Path(name).stem}-terrain.png"
    assert (done.returncode, done.stdout, done.stderr) == (0, f"Figure   {drawn}\n", "")
    assert (place / drawn).read_bytes().startswith(PNG)
    assert {path.name for path in place.iterdir()} == before | {drawn}


def test_a_figure_is_kept_unless_forced(place: Path) -> None:
    out = place / "sub" / "map.png"
    out.parent.mkdir()
    out.write_text("mine")
    assert "--force" in refuse("terrain", "plot", "slope.tif", "--out", "sub/map.png", cwd=place)
    assert inside("terrain", "plot", "slope.tif", "--out", "sub/map.png", "--force", cwd=place).returncode == 0
    assert out.read_bytes().startswith(PNG)
    assert [path.name for path in out.parent.iterdir()] == ["map.png"]


def interrupt(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


def no_space(*_: Any, **__: Any) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    ("where", "fault", "code", "words"),
    [
        ("planetfall.report.ground.terrain_map.map_picture", interrupt, 130, "nothing was written"),
        ("pathlib.Path.write_bytes", no_space, 2, "No space left on device"),
        ("pathlib.Path.replace", no_space, 2, "No space left on device"),
    ],
)
def test_a_figure_is_whole_or_not_there(
    where: str, fault: Any, code: int, words: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path.name for path in place.iterdir()}
    monkeypatch.setattr(where, fault)
    done = inside("terrain", "plot", "slope.tif", cwd=place)
    assert done.returncode == code
    assert words in done.stderr
    assert {path.name for path in place.iterdir()} == before


@pytest.mark.parametrize("verb", ["info", "plot"])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere.tif",), "nowhere.tif: no such file"),
        (("empty.tif",), "the file is empty"),
        (("folder",), "this is not a file"),
        (("notes.txt",), "no known terrain format"),
        (("broken.tif",), "GDAL cannot read it"),
        (("bare.npy",), "give spacing"),
        (("slope.tif", "--scale", "2"), "--scale: is for meshes, and slope.tif is a map of heights"),
        (("slope.tif", "--orientation", "up"), "--orientation: is for meshes"),
        (("slope.tif", "--view", "body"), "--view: is for meshes"),
        (("body.stl", "--half-width", "5"), "--half-width: is for maps of heights, and body.stl is a mesh"),
        (("body.stl", "--spacing", "5"), "--spacing: is for maps"),
        (("body.stl", "--site-pixel", "5,5"), "--site-pixel: is for maps"),
        (("body.stl", "--scale", "0"), "scale is 0"),
        (("body.stl", "--scale", "nan"), "scale is nan"),
        (("slope.tif", "--site-pixel", "5"), "--site-pixel 5: is not ROW,COL; for example --site-pixel 120,340"),
        (("slope.tif", "--site-pixel", "5,6,7"), "is not ROW,COL"),
        (("slope.tif", "--site-pixel", "nan,6"), "finite numbers"),
        (("slope.tif", "--site-pixel", "99,6"), "off the map"),
        (("slope.tif", "--site-latlon", "north,6"), "is not LAT,LON"),
        (("slope.tif", "--site-latlon", "45,45"), "lies off the map"),
        (("slope.tif", "--site-latlon", "0,0", "--site-pixel", "1,1"), "a site is given twice"),
        (("slope.tif", "--half-width", "-3"), "half_width is -3"),
    ],
)
def test_mistakes_are_answered(verb: str, words: tuple[str, ...], said: str, place: Path) -> None:
    (place / "empty.tif").touch()
    (place / "folder").mkdir()
    (place / "notes.txt").write_text("a terrain of words")
    (place / "broken.tif").write_bytes((place / "slope.tif").read_bytes()[:200])
    before = {path: path.stat().st_mtime_ns for path in place.rglob("*")}
    done = inside("terrain", verb, *words, cwd=place)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.startswith("planetfall: ")
    assert done.stderr.strip().count("\n") == 0
    assert done.stdout == ""
    assert {path: path.stat().st_mtime_ns for path in place.rglob("*")} == before


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("map.pdf", "ends in .png"),
        ("map", "ends in .png"),
        ("folder.png", "is a folder"),
        ("slope.tif/map.png", "not a folder that can be written"),
    ],
)
def test_places_for_a_figure_that_are_none(out: str, said: str, place: Path) -> None:
    (place / "folder.png").mkdir()
    assert said in refuse("terrain", "plot", "slope.tif", "--out", out, "--force", cwd=place)


@pytest.mark.parametrize("words", [(), ("fly",), ("info",), ("info", "a.stl", "--orientation", "sideways")])
def test_bad_words_are_answered_with_usage(words: tuple[str, ...], tmp_path: Path) -> None:
    done = planetfall("terrain", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert "Usage: planetfall terrain" in done.stdout + done.stderr


def test_a_mesh_is_told_as_a_scenario_places_it(place: Path) -> None:
    """A quarter of a turn about z takes x to y; then it is moved."""
    found = info("sheet.obj", "--rotation", "0,0,0.70710678118,0.70710678118", "--offset", "10,0,-3", cwd=place)
    low, high = found["bounds_m"]
    assert low == pytest.approx([6.0, 0.0, -3.0], abs=1e-9) and high == pytest.approx([10.0, 4.0, 1.0], abs=1e-9)
    turned = info("sheet.obj", "--up", "y", cwd=place)
    assert turned["bounds_m"] == [pytest.approx([0.0, -4.0, 0.0]), pytest.approx([4.0, 0.0, 4.0])]


def test_bands_and_missing_values_are_told(place: Path) -> None:
    stored = np.zeros((2, 20, 20), np.int16)
    stored[1, 3, 4] = -32768
    stored[1, 5, 5] = 7
    write_tiff(place / "bands.tif", stored, (0.0, 0.0), (2.0, 2.0))
    assert "give band" in refuse("terrain", "info", "bands.tif", cwd=place)
    assert info("bands.tif", "--band", "2", cwd=place)["height_m"] == [-32768.0, 7.0]
    found = info("bands.tif", "--band", "2", "--nodata", "-32768", "--metres", "map", cwd=place)
    assert (found["height_m"], found["missing_pixels"]) == ([0.0, 7.0], 1)
    assert "is not a number" in refuse("terrain", "info", "bands.tif", "--band", "2", "--nodata", "deep", cwd=place)


def test_what_a_reader_gets_over_is_not_printed(tmp_path: Path) -> None:
    """A normal that is no number is not used, and no reason for a traceback on the user's screen."""
    (tmp_path / "a.stl").write_text(stl_text().replace("facet normal 0", "facet normal x", 1))
    done = planetfall("terrain", "info", "a.stl", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    tiff = samples()["tiled.tif"].replace(b"<GDALMetadata>", b"<GDA\xffMetadata>")  # which GDAL quotes in a message
    (tmp_path / "a.tif").write_bytes(tiff)
    assert "Traceback" not in planetfall("terrain", "info", "a.tif", cwd=tmp_path).stderr

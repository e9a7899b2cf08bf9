"""`planetfall terrain info` on real terrain files: each is told in sentences, or refused in one.

The files are those of `test_shared_data.py`, which says where they are looked for. Counts, extents, volumes and heights
are compared there; here it is what the command makes of them.
"""

import json
import os
from pathlib import Path

import pytest

from support.command import inside

HERE = Path(__file__).resolve()
DATA = Path(os.environ.get("PLANETFALL_SHARED_DATA", HERE.parents[4] / "shared" / "data"))
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no shared data at {DATA} (set PLANETFALL_SHARED_DATA)")

PARTS = ("dem", "meshes", "pds", "shapes")


def files() -> list[str]:
    """Every file of the four folders; none where they are not there."""
    if not DATA.is_dir():
        return []
    return sorted(str(path.relative_to(DATA)) for part in PARTS for path in (DATA / part).rglob("*") if path.is_file())


def info(name: str, *words: str) -> dict:
    done = inside("terrain", "info", str(DATA / name), *words, "--json", cwd=HERE.parent)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", files())
def test_every_file_is_told_or_refused(name):
    done = inside("terrain", "info", str(DATA / name), cwd=HERE.parent)
    assert done.returncode in (0, 2)
    if done.returncode == 2:
        assert done.stderr.startswith(f"planetfall: {DATA / name}: ")
        assert done.stderr.strip().count("\n") == 0
        return
    assert done.stderr == ""
    body, _, notes = done.stdout.partition("\nNotes\n")
    assert "Slopes" in body
    assert "nan" not in body.partition("\n")[2]
    for note in notes.splitlines():
        assert note.startswith("  ")
        assert note[2].isupper() or note[2].isdigit()
        assert note.endswith(".")


# Shapes that PROVENANCE.md calls watertight and of consistent winding, in km; the seam of the Thomas model is closed
# only once its vertices are merged within 1e-8 km.
@pytest.mark.parametrize(
    ("name", "volume_km3"),
    [
        ("shapes/67p/67p-4k_visnav.obj", 18.485),
        ("shapes/itokawa/itokawa_16_sbgat.obj", 0.01762),
        ("shapes/bennu/g_12570mm_alt_obj_0000n00000_v014.obj", 0.060840),
        ("shapes/eros/eros007790.tab", 2525.99),
    ],
)
def test_small_bodies(name, volume_km3):
    found = info(name, "--scale", "1000")
    assert (found["view"], found["is_closed"], found["is_consistent"], found["is_inverted"]) == (
        "body",
        True,
        True,
        False,
    )
    assert found["holes"] == 0
    # five digits are printed there, or four
    assert found["volume_m3"] == pytest.approx(1e9 * volume_km3, rel=3e-4)
    assert 0.0 < found["slope_deg"]["median"] < 60.0


def test_a_body_with_an_open_seam_is_a_body_all_the_same():
    found = info("shapes/phobos/phobos_thomas_cosmographia.obj")
    assert (found["view"], found["is_closed"], found["is_inverted"]) == ("body", False, False)
    assert any("not closed" in note for note in found["notes"])


def test_sheets_and_blocks_of_ground_are_seen_from_above():
    assert info("meshes/terrain/dingo_gap_msl_L4_enu.ply")["view"] == "map"
    block = info("meshes/terrain/Curiosity_Landing_Site_nasa3d.stl")
    assert (block["view"], block["is_closed"]) == ("map", True)
    assert block["slope_deg"]["max"] <= 90.0


def test_the_same_ground_has_the_same_slopes_as_map_and_as_mesh():
    """Dingo Gap at 0.5 m, rasterised from finer tiles of the mesh at 1 m: medians within a quarter."""
    raster, mesh = info("dem/mars/dingo_gap_msl_248m_0p5m.tif"), info("meshes/terrain/dingo_gap_msl_L4_enu.ply")
    assert raster["slope_deg"]["median"] == pytest.approx(mesh["slope_deg"]["median"], rel=0.25)


def test_gale_and_its_holes():
    tiff, pds = (
        info(name) for name in ("dem/mars/mmgis_missionDEM.tif", "pds/hirise/fixture_hirise_dtm_attached_label.IMG")
    )
    assert (tiff["missing_pixels"], pds["missing_pixels"]) == (0, 15)
    assert tiff["site"] == pds["site"]
    # "137.3702 E, -4.6668 N", to half of the last digit and the half pixel of the middle
    assert tiff["site"]["longitude_deg"] == pytest.approx(137.3702, abs=1e-4)
    assert tiff["site"]["latitude_deg"] == pytest.approx(-4.6668, abs=1e-4)
    # float32 at 4472 m: 2^-11 m
    assert tiff["height_step_m"] == 2.0**-11

"""One function for all files: the reader is found by content or ending, and the options reach it."""

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.world.terrain.readers.load import MeshReading, file_kind, load_terrain_file
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData, Placement
from planetfall.world.terrain.readers.meshes.winding import winding
from planetfall.world.terrain.readers.rasters.raster import Raster, RasterReading
from planetfall.world.terrain.readers.rasters.site import SitePixel
from support.terrain_files import (
    FACETS,
    VERTICES,
    VOLUME,
    ac3d,
    arc_ascii,
    counted_table,
    glb,
    gltf,
    obj,
    off,
    pds3,
    ply,
    shape_table,
    stl_binary,
    stl_text,
    vtk,
    write_tiff,
)

HEIGHTS = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]], np.float32)
# Content, its own ending, and whether the content alone gives the format away.
MESHES = [
    ("stl", stl_binary(), "stl", True),
    ("stl", stl_text(), "stl", False),
    ("obj", obj(), "obj", False),
    ("ply", ply(), "ply", True),
    ("off", off(), "off", False),
    ("gltf", gltf(), "gltf", True),
    ("gltf", glb(), "glb", True),
    ("ac3d", ac3d(), "ac", True),
    ("ac3d", ("\ufeff" + ac3d()).encode("utf-16-le"), "ac", True),
    ("table", shape_table(), "tab", False),
    ("table", counted_table(), "tab", False),
    ("vtk", vtk(), "vtk", True),
]


def saved(tmp_path, content: str | bytes, name: str):
    """A file with that content."""
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(("kind", "content", "ending", "is_marked"), MESHES)
def test_every_mesh_format_is_recognised(tmp_path, kind, content, ending, is_marked):
    for name in (f"A.{ending.upper()}", f"a.{ending}", *(("a.unknown", "a") if is_marked else ())):
        path = saved(tmp_path, content, name)
        assert file_kind(path) == kind
        mesh = load_terrain_file(path)
        assert isinstance(mesh, MeshData)
        assert winding(mesh).volume == pytest.approx(VOLUME, rel=1e-14)


@pytest.mark.parametrize(
    "content", [stl_text(), off(), shape_table(), "# a comment\n" + shape_table(), counted_table()]
)
def test_text_without_a_telling_ending(tmp_path, content):
    assert isinstance(load_terrain_file(saved(tmp_path, content, "a.txt")), MeshData)


def test_every_raster_format_is_recognised(tmp_path):
    np.save(tmp_path / "a.npy", HEIGHTS)
    files = [
        write_tiff(tmp_path / "a.tif", HEIGHTS),
        write_tiff(tmp_path / "b.data", HEIGHTS),
        saved(tmp_path, arc_ascii(HEIGHTS.tolist()), "a.asc"),
        saved(tmp_path, pds3(HEIGHTS), "a.IMG"),
        tmp_path / "a.npy",
    ]
    for file in files:
        reading = RasterReading(spacing=2.0, height_scale=10.0, height_offset=-1.0)
        raster = load_terrain_file(file, SitePixel(0, 1), raster=reading)
        assert isinstance(raster, Raster)
        assert np.array_equal(raster.heights, HEIGHTS[::-1] * 10.0 - 1.0)
        assert (raster.x_first, raster.y_first, raster.spacing_x) == (-2.0, -2.0, 2.0)
        assert load_terrain_file(file, SitePixel(0, 0), 1.0, reading).heights.shape == (2, 2)


def test_options_of_a_mesh(tmp_path):
    path = saved(tmp_path, stl_binary(VERTICES, FACETS[:, [0, 2, 1]]), "a.stl")
    placement = Placement(scale=10.0, offset=(100.0, 0.0, 0.0))
    kept = load_terrain_file(path, mesh=MeshReading(placement))
    assert isinstance(kept, MeshData)
    assert winding(kept).volume == pytest.approx(-1000.0 * VOLUME, rel=1e-12)
    assert kept.bounds.tolist() == [[100.0, 0.0, 0.0], [110.0, 10.0, 10.0]]
    for orientation in ("up", "outward"):
        right = load_terrain_file(path, mesh=MeshReading(placement, orientation=orientation))
        assert isinstance(right, MeshData)
        assert winding(right).volume == pytest.approx(1000.0 * VOLUME, rel=1e-12)
    plain = load_terrain_file(path, mesh=MeshReading(merge_distance=None))
    assert isinstance(plain, MeshData)
    assert len(plain.vertices) == 12
    with pytest.raises(InputError, match="orientation"):
        load_terrain_file(path, mesh=MeshReading(orientation="down"))  # pyright: ignore[reportArgumentType]


def test_a_site_is_for_rasters(tmp_path):
    path = saved(tmp_path, obj(), "a.obj")
    with pytest.raises(InputError, match="for a mesh"):
        load_terrain_file(path, SitePixel(0, 0))
    with pytest.raises(InputError, match="for a mesh"):
        load_terrain_file(path, half_width=10.0)


def test_a_table_that_needs_its_base(tmp_path):
    spare = np.concatenate([VERTICES, [[9.0, 9.0, 9.0]]])
    path = saved(tmp_path, shape_table(spare, base=1), "a.tab")
    with pytest.raises(InputError, match="index_base"):
        load_terrain_file(path)
    assert isinstance(load_terrain_file(path, mesh=MeshReading(index_base=1)), MeshData)


@pytest.mark.parametrize(
    ("name", "content"), [("a.dat", b"hello"), ("a.txt", b"hello world"), ("a", b"\0\1\2"), ("a.csv", b"1,2,3\n")]
)
def test_unknown_formats_list_the_known_ones(tmp_path, name, content):
    with pytest.raises(InputError, match=r"no known terrain format.*GeoTIFF.*STL"):
        load_terrain_file(saved(tmp_path, content, name))


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load_terrain_file(tmp_path / "none.tif")
    with pytest.raises(InputError, match="not a file"):
        load_terrain_file(tmp_path)
    with pytest.raises(InputError, match="empty"):
        load_terrain_file(saved(tmp_path, b"", "a.stl"))
    with pytest.raises(InputError, match="no such file"):
        load_terrain_file("a\0b")


def test_a_size_limit_is_named(tmp_path):
    path = tmp_path / "a.obj"
    with path.open("wb") as file:
        file.truncate(600 << 20)
    with pytest.raises(InputError, match="600 MiB; expected at most 512 MiB"):
        load_terrain_file(path)


@pytest.mark.parametrize("name", ["a.obj", "a.txt"])
def test_a_label_in_the_comments_of_a_mesh_is_no_raster(tmp_path, name):
    """Shapes of ESA quote the label of their archive."""
    quoted = "# PDS_VERSION_ID = PDS3\n#  RECORD_TYPE = STREAM\n"
    assert file_kind(saved(tmp_path, quoted + obj(), name)) == ("obj" if name == "a.obj" else "table")


def test_a_mesh_by_its_ending_may_have_a_label_before_it(tmp_path):
    assert file_kind(saved(tmp_path, "PDS_VERSION_ID = PDS3\n" + obj(), "a.obj")) == "obj"


@pytest.mark.parametrize(("content", "name"), [(glb(), "a.glb"), (ac3d(), "a.ac")])
def test_formats_with_y_up_say_so_and_are_turned_when_asked(tmp_path, content, name):
    path = saved(tmp_path, content, name)
    kept = load_terrain_file(path)
    assert any("y is up" in note and "up = 'y'" in note for note in kept.notes)
    turned = load_terrain_file(path, mesh=MeshReading(up="y"))
    x, y, z = kept.vertices.T
    np.testing.assert_array_equal(turned.vertices, np.stack([x, -z, y], axis=1))
    assert winding(turned).volume == pytest.approx(winding(kept).volume)
    for up in ("y", "z"):
        assert not any("y up" in note for note in load_terrain_file(path, mesh=MeshReading(up=up)).notes)
    assert not any("y up" in note for note in load_terrain_file(saved(tmp_path, obj(), "a.obj")).notes)

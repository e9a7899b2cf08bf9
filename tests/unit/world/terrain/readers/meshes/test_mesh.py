"""Meshes of known content in STL, OBJ, PLY, OFF, glTF and GLB; cleaning, placing, and what is refused."""

import json
import struct

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.world.terrain.readers.meshes.gltf import read_gltf
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData, Placement, clean_mesh, placed
from planetfall.world.terrain.readers.meshes.obj import read_obj
from planetfall.world.terrain.readers.meshes.off import read_off
from planetfall.world.terrain.readers.meshes.ply import read_ply
from planetfall.world.terrain.readers.meshes.stl import read_stl
from planetfall.world.terrain.readers.meshes.winding import winding
from support.terrain_files import FACETS, VERTICES, VOLUME, glb, gltf, gltf_parts, obj, off, ply, stl_binary, stl_text

LITTLE, BIG = "binary_little_endian", "binary_big_endian"
FORMATS = [
    pytest.param(read_stl, stl_binary(), True, id="stl-binary"),
    pytest.param(read_stl, stl_binary(header=b"solid but binary"), True, id="stl-binary-named-solid"),
    pytest.param(read_stl, stl_text(), False, id="stl-text"),
    pytest.param(read_stl, stl_text(name="vertex of a facet"), False, id="stl-text-named-vertex"),
    pytest.param(read_obj, obj(), False, id="obj"),
    pytest.param(read_ply, ply(), False, id="ply-text"),
    pytest.param(read_ply, ply(form=LITTLE), False, id="ply-little-double"),
    pytest.param(read_ply, ply(form=BIG), False, id="ply-big-double"),
    pytest.param(read_ply, ply(form=LITTLE, kind="float"), True, id="ply-little-float"),
    pytest.param(read_off, off(), False, id="off"),
    pytest.param(read_gltf, gltf(), True, id="gltf"),
    pytest.param(read_gltf, glb(), True, id="glb"),
]


def saved(tmp_path, content: str | bytes, name="mesh.any"):
    """A file with that content."""
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def corners(mesh: MeshData) -> np.ndarray:
    """Positions of the corners of all facets [facet, 3, 3]."""
    return mesh.vertices[mesh.facets]


@pytest.mark.parametrize(("read", "content", "is_float32"), FORMATS)
def test_the_tetrahedron_in_every_format(tmp_path, read, content, is_float32):
    mesh = read(saved(tmp_path, content))
    assert mesh.vertices.dtype == np.float64
    assert mesh.facets.dtype == np.int32
    assert len(mesh.vertices) == 4
    # The facets, their order and their first corners are those of the file.
    assert np.array_equal(corners(mesh), VERTICES[FACETS])
    assert mesh.is_float32 == is_float32
    report = winding(mesh)
    assert report.is_closed
    assert report.is_consistent
    assert report.volume == pytest.approx(VOLUME, rel=1e-14)


@pytest.mark.parametrize(("read", "content", "is_float32"), FORMATS)
def test_cut_short_anywhere_every_format_is_refused_or_whole(tmp_path, read, content, is_float32):
    data = content if isinstance(content, bytes) else content.encode()
    for length in range(len(data)):
        path = saved(tmp_path, data[:length])
        try:
            mesh = read(path)
        except InputError as error:
            assert str(path) in str(error)
        else:
            # An OBJ file has no count, so missing lines cannot be missed; elsewhere a few last characters can go.
            assert read is read_obj or (len(data) - length <= 24 and len(mesh.facets) == len(FACETS))


def test_vertices_are_merged_unless_told_otherwise(tmp_path):
    path = saved(tmp_path, stl_binary())
    assert read_stl(path).n_merged == 8
    plain = read_stl(path, merge_distance=None)
    assert (len(plain.vertices), plain.n_merged) == (12, 0)
    assert np.array_equal(corners(plain), VERTICES[FACETS])


def test_near_vertices_are_merged_by_distance(tmp_path):
    shaken = VERTICES[FACETS].reshape(-1, 3) + 1e-6 * np.random.default_rng(1).uniform(-1.0, 1.0, (12, 3))
    path = saved(tmp_path, obj(shaken, np.arange(12).reshape(-1, 3)))
    assert not winding(read_obj(path)).is_closed
    mesh = read_obj(path, merge_distance=1e-5)
    assert len(mesh.vertices) == 4
    assert winding(mesh).is_closed
    with pytest.raises(InputError, match="links more than 20"):
        clean_mesh("a", np.random.default_rng(1).random((99, 3)), np.arange(99).reshape(-1, 3), "a", merge_distance=9.0)
    with pytest.raises(InputError, match="merge_distance"):
        read_obj(path, merge_distance=-1.0)


def test_unused_vertices_go_and_are_counted(tmp_path):
    mesh = read_obj(saved(tmp_path, obj() + "v 9 9 9\n"))
    assert mesh.n_unused == 1
    assert mesh.bounds.max() == 1.0


def test_facets_without_area_are_dropped_and_counted():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0], [0.3, 0, 1e-17], [1, 0, 0]], float)
    facets = np.array([[0, 1, 2], [0, 1, 3], [0, 4, 1], [1, 5, 2], [0, 0, 1]])
    mesh = clean_mesh("a", vertices, facets, "a")
    assert len(mesh.facets) == 1
    assert mesh.n_degenerate == 4
    assert "4 facets without area were dropped" in mesh.notes
    # A thin facet is kept: a height of 1e-9 is far above rounding; at a planet's radius (steps of 5e-10) it is not.
    vertices[4] = [0.3, 0, 1e-9]
    assert clean_mesh("a", vertices, facets[[2]], "a").n_degenerate == 0
    vertices += [3.4e6, 0.0, 3.4e6]
    with pytest.raises(InputError, match="none of its 1 facets has an area"):
        clean_mesh("a", vertices, facets[[2]], "a")


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e20])
def test_coordinates_that_are_no_lengths_are_refused(wrong):
    vertices = VERTICES.copy()
    vertices[2, 1] = wrong
    with pytest.raises(InputError, match="vertex 2"):
        clean_mesh("a", vertices, FACETS, "a")


def test_single_precision_at_a_planets_radius_is_reported(tmp_path):
    at_mars = VERTICES + np.array([3.396e6, 0.0, 0.0])
    mesh = read_stl(saved(tmp_path, stl_binary(at_mars)))
    # Numbers between 2^21 and 2^22 have steps of 2^-2 in single precision.
    assert mesh.coordinate_step == 0.25
    assert any("steps of 0.25 m" in note for note in mesh.notes)
    assert read_obj(saved(tmp_path, obj(at_mars))).notes == ()
    assert read_stl(saved(tmp_path, stl_binary())).notes == ()
    in_km = read_stl(saved(tmp_path, stl_binary(VERTICES + np.array([3396.0, 0.0, 0.0]))))
    assert in_km.notes == ()
    assert placed(in_km, Placement(scale=1000.0)).coordinate_step == pytest.approx(1000.0 * 2.0**-12)
    assert "single precision" in placed(in_km, Placement(scale=1000.0)).notes[0]


def test_double_precision_keeps_its_digits(tmp_path):
    exact = VERTICES + np.array([3396190.123456789, 0.0, 0.0])
    for read, content in ((read_obj, obj(exact)), (read_ply, ply(exact, form=LITTLE)), (read_off, off(exact))):
        assert np.array_equal(corners(read(saved(tmp_path, content))), exact[FACETS])


def test_placement_scales_rotates_and_moves():
    mesh = clean_mesh("a", VERTICES, FACETS, "a")
    to_z_up = ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))
    moved = placed(mesh, Placement(2.0, to_z_up, (1.0, 0.0, 0.0), (0.0, 0.0, 10.0)))
    expected = (2.0 * corners(mesh) - [1.0, 0.0, 0.0]) @ np.array(to_z_up).T + [0.0, 0.0, 10.0]
    assert np.array_equal(corners(moved), expected)
    # The y axis of the file is up.
    assert moved.vertices.tolist()[2] == [-1.0, 0.0, 12.0]
    assert winding(moved).volume == pytest.approx(8.0 * VOLUME, rel=1e-14)
    for wrong in (
        Placement(scale=0.0),
        Placement(scale=np.nan),
        Placement(scale=1e300),
        Placement(offset=(0.0, 0.0, np.inf)),
        Placement(rotation=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0))),
        Placement(rotation=((2.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))),
    ):
        with pytest.raises(InputError):
            placed(mesh, wrong)


def test_a_text_of_several_solids(tmp_path):
    half = FACETS[:2], FACETS[2:]
    mesh = read_stl(saved(tmp_path, stl_text(facets=half[0], name="one") + stl_text(facets=half[1], name="one")))
    assert np.array_equal(corners(mesh), VERTICES[FACETS])


def test_padding_after_a_binary_stl_is_ignored_and_said(tmp_path):
    mesh = read_stl(saved(tmp_path, stl_binary() + b"\0\0"))
    assert len(mesh.facets) == 4
    assert "2 bytes after the last facet were ignored" in mesh.notes


def test_obj_indices(tmp_path):
    points = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
    # Relative to its own line, not to the end of the file; texture and normal indices are not looked at.
    mesh = read_obj(saved(tmp_path, points + "f -3/1/1 -2/1/1 -1/9/9\nv 0 0 1\nf 1//7 -1//7 2//7\n"))
    assert np.array_equal(corners(mesh)[0], VERTICES[[0, 1, 2]])
    assert np.array_equal(corners(mesh)[1], VERTICES[[0, 3, 1]])
    for face in ("0 1 2", "1 2 4", "1 2 -4", "1 2", "1 2 x", "1 2 99999999999999999999"):
        with pytest.raises(InputError):
            read_obj(saved(tmp_path, points + f"f {face}\n"))
    for vertex in ("v 0 0", "v 0 0 z", "v 0 0 nan"):
        with pytest.raises(InputError):
            read_obj(saved(tmp_path, points + vertex + "\nf 1 2 4\n"))


def test_obj_details(tmp_path):
    text = "\n".join(
        [
            "# \u201cquoted\u201d",
            "mtllib no.mtl",
            "o a",
            "v 0 0 0 1 1 1",
            "v 1 0 0 1",
            "v\t0 1 0 # here",
            "g one",
            "f 1 2 \\",
            " 3 # the only one",
            "l 1 2",
            "p 1",
        ]
    )
    for encoding in ("utf-8", "cp1252"):
        mesh = read_obj(saved(tmp_path, text.encode(encoding)))
        assert np.array_equal(corners(mesh), [VERTICES[[0, 1, 2]]])
        assert mesh.n_lines == 2


def test_facets_of_groups_keep_their_order(tmp_path):
    text = obj().replace("f 1 2 4", "g b\nusemtl n\nf 1 2 4").replace("f 1 4 3", "g c\nusemtl m\nf 1 4 3")
    assert np.array_equal(corners(read_obj(saved(tmp_path, text))), VERTICES[FACETS])


def test_concave_polygons_of_an_obj(tmp_path):
    # An arrow head; the diagonal from the first corner would leave it.
    text = "v 2 0 0\nv 0 1 0\nv 0.5 0 0\nv 0 -1 0\nf 4 1 2 3\n"
    mesh = read_obj(saved(tmp_path, text))
    assert winding(mesh).area == pytest.approx(1.5, rel=1e-14)
    assert winding(mesh).upward_share == 1.0


@pytest.mark.parametrize("form", ["ascii", LITTLE])
def test_quadrilaterals_of_a_ply(tmp_path, form):
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)
    mesh = read_ply(saved(tmp_path, ply(square, [[0, 1, 2, 3]], form)))
    assert winding(mesh).area == pytest.approx(1.0)
    mixed = ply(square, [[0, 1, 2], [0, 1, 2, 3]], form)
    if form == "ascii":
        assert len(read_ply(saved(tmp_path, mixed)).facets) == 3
    else:
        with pytest.raises(InputError):
            read_ply(saved(tmp_path, mixed))
        wrong_size = ply(square, [[0, 1, 2], [1, 2, 3]], form)
        with pytest.raises(InputError, match="different numbers of corners"):
            read_ply(saved(tmp_path, wrong_size[:-13] + b"\2" + wrong_size[-12:]))


@pytest.mark.parametrize(
    ("read", "content"),
    [
        (read_stl, b"\0" * 80 + struct.pack("<I", 4_000_000_000) + b"\0" * 116),
        (read_ply, ply(form=LITTLE).replace(b"vertex 4", b"vertex 4000000000")),
        (read_ply, ply().replace(b"face 4", b"face 4000000")),
        (read_ply, ply().replace(b"face 4", b"face -4")),
        (read_ply, ply().replace(b"face 4", b"face 0")),
        (read_off, off().replace("4 4 0", "4000000000 4 0")),
        (read_off, off().replace("4 4 0", "-4 4 0")),
        (read_gltf, gltf().replace('"count": 4', '"count": 4000000000')),
        (read_gltf, gltf().replace('"count": 4', '"count": -4')),
        (read_gltf, gltf().replace('"byteLength": 72', '"byteLength": 72000000000')),
        (read_gltf, glb().replace(b'"count": 4', b'"count": 9')),
    ],
)
def test_absurd_counts_are_refused_before_anything_is_allocated(tmp_path, read, content):
    with pytest.raises(InputError) as caught:
        read(saved(tmp_path, content))
    assert "mesh.any" in str(caught.value)


@pytest.mark.parametrize("read", [read_stl, read_obj, read_ply, read_off, read_gltf])
@pytest.mark.parametrize("content", [b"", b"\n", b"hello", b"\0" * 84, b"\xff" * 500])
def test_files_of_another_kind_are_refused(tmp_path, read, content):
    with pytest.raises(InputError, match=r"mesh\.any"):
        read(saved(tmp_path, content))


def test_gltf_nodes_are_placed(tmp_path):
    document, data = gltf_parts()
    half = 0.5**0.5
    document["nodes"] = [
        {"children": [1, 2], "scale": [2.0, 2.0, 2.0]},
        {"mesh": 0, "translation": [1.0, 0.0, 0.0], "rotation": [0.0, 0.0, half, half]},
        {"mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1]},
    ]
    mesh = read_gltf(saved(tmp_path, glb(document, data)))
    # A quarter turn about z takes x to y and y to -x.
    turned = 2.0 * (VERTICES @ np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]) + [1.0, 0.0, 0.0])
    expected = {
        tuple(np.round(v, 6) + 0.0) for v in np.concatenate([turned, 2.0 * (VERTICES + np.array([0.0, 0.0, 5.0]))])
    }
    assert {tuple(np.round(v, 6) + 0.0) for v in mesh.vertices} == expected
    assert winding(mesh).volume == pytest.approx(16.0 * VOLUME, rel=1e-6)


def test_gltf_buffers_beside_the_document(tmp_path):
    document, data = gltf_parts()
    document["buffers"][0]["uri"] = "a%20part.bin"
    document["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
    document["textures"], document["images"] = [{"source": 0}], [{"uri": "missing.png"}]
    document["meshes"][0]["primitives"][0]["material"] = 0
    path = saved(tmp_path, json.dumps(document), "mesh.gltf")
    with pytest.raises(InputError, match="no such file"):
        read_gltf(path)
    (tmp_path / "a part.bin").write_bytes(data[:-1])
    with pytest.raises(InputError, match="claims 72 bytes and has 71"):
        read_gltf(path)
    (tmp_path / "a part.bin").write_bytes(data)
    assert np.array_equal(corners(read_gltf(path)), VERTICES[FACETS])
    (tmp_path / "inner").mkdir()
    document["buffers"][0]["uri"] = "../a%20part.bin"
    with pytest.raises(InputError, match="outside the folder"):
        read_gltf(saved(tmp_path / "inner", json.dumps(document), "mesh.gltf"))


def spoiled(change) -> bytes:
    """A GLB file after a change to its document."""
    document, data = gltf_parts()
    change(document)
    return glb(document, data)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(extensionsRequired=["KHR_draco_mesh_compression"]),
        lambda d: d["accessors"][0].update(sparse={"count": 1}),
        lambda d: d["accessors"][0].update(componentType=5122),
        lambda d: d["accessors"][0].pop("bufferView"),
        lambda d: d["accessors"][1].update(bufferView=7),
        lambda d: d["meshes"][0]["primitives"][0].update(mode=6),
        lambda d: d["meshes"][0]["primitives"][0].update(mode=1),
        lambda d: d["nodes"][0].update(children=[0]),
        lambda d: d.update(nodes=[{"children": [1]}, {"children": [0], "mesh": 0}]),
        lambda d: d.update(nodes=[{"mesh": 0, "children": [1]}, {"mesh": 0}, {"children": [1]}]),
        lambda d: d.update(nodes=[{"children": [i + 1]} for i in range(200)] + [{"mesh": 0}]),
        lambda d: d.update(nodes=[{"mesh": 0, "camera": 0}]),
        lambda d: d.update(nodes=[]),
        lambda d: d.update(asset={"version": "1.0"}),
        lambda d: d.update(asset=3),
        lambda d: d.update(bufferViews=d["bufferViews"] * 20),
        lambda d: d["bufferViews"][1].update(byteLength=25),
    ],
)
def test_gltf_that_would_come_out_wrong_is_refused(tmp_path, change):
    with pytest.raises(InputError, match=r"mesh\.any"):
        read_gltf(saved(tmp_path, spoiled(change)))


def test_gltf_strips_and_lines(tmp_path):
    document, _ = gltf_parts()
    square = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], "<f4")
    data = square.tobytes() + np.array([0, 1, 2, 3], "<u2").tobytes()
    document["accessors"][1]["count"] = 4
    document["bufferViews"][1]["byteLength"], document["buffers"][0]["byteLength"] = 8, 56
    lines = {"attributes": {"POSITION": 0}, "indices": 1, "mode": 1}
    document["meshes"][0]["primitives"] = [{"attributes": {"POSITION": 0}, "indices": 1, "mode": 5}, lines]
    mesh = read_gltf(saved(tmp_path, glb(document, data)))
    assert winding(mesh).area == pytest.approx(1.0)
    assert winding(mesh).upward_share == 1.0
    assert mesh.n_lines == 1

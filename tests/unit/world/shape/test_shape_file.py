"""Shape files: what is said of those that are none, holes that a field does not resolve, large ones in the cache."""

import json
from pathlib import Path

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.scenario.tables.world.terrain_sdf import TerrainSdf
from planetfall.world.shape import shape_file
from planetfall.world.shape.shape_file import load_shape
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData
from planetfall.world.terrain.sdf import table as sdf_table
from support.bodies import Mesh, ball


def write(folder: Path, mesh: Mesh, name: str = "body.obj") -> Path:
    vertices, facets = mesh
    lines = [f"v {x:.17g} {y:.17g} {z:.17g}" for x, y, z in vertices] + [f"f {a} {b} {c}" for a, b, c in facets + 1]
    (folder / name).write_text("\n".join(lines) + "\n")
    return folder / name


def test_a_file_that_is_no_mesh_is_told_by_its_key(tmp_path: Path) -> None:
    (tmp_path / "body.foo").write_text("hello")
    (tmp_path / "broken.obj").write_text("f 1 2 3\n")
    np.save(tmp_path / "map.npy", np.zeros((4, 4)))
    for name, words in (
        ("nowhere.obj", r"no such file; expected a closed mesh \(STL.*a made shape: bilobed-comet; check the spelling"),
        ("body.foo", r"no known terrain format \(ending '\.foo'\); expected a closed mesh \(STL"),
        ("broken.obj", r"broken\.obj"),
        ("map.npy", r"map\.npy is a map; expected a closed mesh of the whole body"),
        ("", r"not a file"),
    ):
        with pytest.raises(InputError, match=r"^target\.shape: .*" + words) as caught:
            load_shape(tmp_path / name, "target.shape")
        assert "GeoTIFF" not in str(caught.value)


def test_a_cached_shape_is_found_by_all_files_that_hold_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A glTF document stays the same when the buffer beside it, which has its numbers, is another."""
    monkeypatch.setenv("PLANETFALL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(shape_file, "LARGE", 1)
    vertices, facets = ball(1.0, 2)
    places, corners = vertices.astype(np.float32), facets.astype(np.uint32)
    sizes = places.nbytes, corners.nbytes
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "buffers": [{"uri": "body.bin", "byteLength": sum(sizes)}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": sizes[0]},
            {"buffer": 0, "byteOffset": sizes[0], "byteLength": sizes[1]},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(places), "type": "VEC3",
             "min": [-9, -9, -9], "max": [9, 9, 9]},
            {"bufferView": 1, "componentType": 5125, "count": corners.size, "type": "SCALAR"},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
    }  # fmt: skip
    for name in ("body.gltf", "body.json"):
        (tmp_path / name).write_text(json.dumps(document), encoding="utf-8")
        for radius in (1.0, 2.0):
            (tmp_path / "body.bin").write_bytes((radius * places).tobytes() + corners.tobytes())
            found = load_shape(tmp_path / name, "target.shape")
            assert np.linalg.norm(found.vertices, axis=1).max() == pytest.approx(radius, rel=1e-6)  # float32


def pierced(vertices: np.ndarray, facets: np.ndarray) -> Mesh:
    """A body with a hole in its first facet, three tenths as wide as it."""
    corners = vertices[facets[0]]
    inner = corners.mean(axis=0) + 0.3 * (corners - corners.mean(axis=0))
    n, (a, b, c) = len(vertices), facets[0]
    ring = [[a, b, n], [b, n + 1, n], [b, c, n + 1], [c, n + 2, n + 1], [c, a, n + 2], [a, n, n + 2]]
    return np.vstack([vertices, inner]), np.vstack([facets[1:], ring])


@pytest.mark.parametrize(("table", "is_left"), [({}, True), ({"resolution": 0.7}, True), ({"resolution": 0.5}, False)])
def test_holes_of_two_node_distances_are_left_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: dict[str, float], is_left: bool
) -> None:
    """A hole 1.2 m wide in a ball of 160 m, whose nodes are 0.8 m apart where nothing is said."""
    vertices, facets = pierced(*ball(80.0, 5))
    file = write(tmp_path, (vertices, facets))
    built: list[int] = []
    monkeypatch.setattr(sdf_table, "sdf_from_mesh", lambda vertices, facets, *rest, **given: built.append(len(facets)))
    given = TerrainSdf(model="sdf", file=str(file), **table)
    if is_left:
        sdf_table.sdf_of_table(given, "cpu")
        assert built == [len(facets)]
        return
    with pytest.raises(InputError, match=r"open: 1 openings, .* holes of up to 1 m; .*larger terrain\.resolution"):
        sdf_table.sdf_of_table(given, "cpu")


def test_large_files_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same mesh again from the cache, bit for bit; another content, scale or choice is read anew."""
    monkeypatch.setenv("PLANETFALL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(shape_file, "LARGE", 0)
    read, load = [], shape_file.load_terrain_file

    def counted(path: Path, **given: object) -> object:
        read.append(path)
        return load(path, **given)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(shape_file, "load_terrain_file", counted)
    vertices, facets = ball(80.0, 2)
    inside = np.vstack([facets, facets[:, ::-1] + len(vertices)])  # with a cavity, so that there is a remark
    file = write(tmp_path, (np.vstack([vertices, 0.5 * vertices]), inside))
    first, again = load_shape(file, "target.shape"), load_shape(file, "gravity.shape")
    assert len(read) == 1
    for name in MeshData.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    assert first.remarks and isinstance(again.remarks, tuple)
    for n, given in ((2, {"scale": 2.0}), (3, {"crossed": 1})):
        load_shape(file, "target.shape", **given)
        assert len(read) == n
    write(tmp_path, (1.1 * vertices, facets))
    assert len(load_shape(file, "target.shape").facets) == len(facets)
    assert len(read) == 4

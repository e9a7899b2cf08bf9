"""Shape tables, whose first vertex may be 0 or 1, and legacy VTK."""

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.world.terrain.readers.meshes.shape_table import read_shape_table
from planetfall.world.terrain.readers.meshes.vtk import read_vtk
from planetfall.world.terrain.readers.meshes.winding import winding
from support.terrain_files import FACETS, VERTICES, VOLUME, counted_table, shape_table, vtk


def saved(tmp_path, content: str | bytes):
    """A file with that content."""
    path = tmp_path / "shape.tab"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("table", [shape_table, counted_table])
@pytest.mark.parametrize("base", [0, 1])
def test_both_bases_are_told_from_the_indices(tmp_path, table, base):
    for given in (None, base):
        mesh = read_shape_table(saved(tmp_path, "# a comment\n\n" + table(base=base)), index_base=given)
        assert np.array_equal(mesh.vertices[mesh.facets], VERTICES[FACETS])
        assert f"vertices from {base}" in mesh.source
    with pytest.raises(InputError, match="does not fit"):
        read_shape_table(saved(tmp_path, table(base=base)), index_base=1 - base)


@pytest.mark.parametrize("table", [shape_table, counted_table])
def test_a_table_that_fits_both_bases_is_refused_until_told(tmp_path, table):
    # A fifth vertex at the end that no facet has: read from 0 or from 1, all indices exist.
    spare = np.concatenate([VERTICES, [[9.0, 9.0, 9.0]]])
    path = saved(tmp_path, table(spare, base=1))
    with pytest.raises(InputError, match="index_base = 0 or 1"):
        read_shape_table(path)
    assert winding(read_shape_table(path, index_base=1)).volume == pytest.approx(VOLUME, rel=1e-14)
    assert winding(read_shape_table(path, index_base=0)).volume != pytest.approx(VOLUME, rel=0.1)


def test_numbered_rows(tmp_path):
    head, *rows = counted_table().splitlines()
    numbered = [f"{i} {row}" for part in (rows[:4], rows[4:]) for i, row in enumerate(part, 1)]
    mesh = read_shape_table(saved(tmp_path, "\n".join([head, *numbered])))
    assert np.array_equal(mesh.vertices[mesh.facets], VERTICES[FACETS])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing\n",
        "hello\n",
        shape_table() + "x 1 2 3\n",
        shape_table() + "f 1 2\n",
        shape_table() + "f 1 2 3.5\n",
        shape_table() + "f 1 2 99999999999999999999\n",
        shape_table() + "f 0 1 4\n",
        shape_table() + "v 0 0\n",
        shape_table().replace("v 1.0", "v nan"),
        "".join(line for line in shape_table().splitlines(True) if line[0] == "v"),
        counted_table().replace("4 4", "4 5", 1),
        counted_table().replace("4 4", "4000000000 4", 1),
        counted_table().replace("4 4", "-4 12", 1),
        counted_table() + "1 2 3\n",
        counted_table()[:-8],
    ],
)
def test_tables_that_are_refused(tmp_path, text):
    with pytest.raises(InputError, match=r"shape\.tab"):
        read_shape_table(saved(tmp_path, text))


@pytest.mark.parametrize("is_text", [True, False])
def test_vtk(tmp_path, is_text):
    far = VERTICES + np.array([3396190.123456789, 0.0, 0.0])
    mesh = read_vtk(saved(tmp_path, vtk(far, is_text=is_text) + b"POINT_DATA 4\nSCALARS a double\n"))
    assert np.array_equal(mesh.vertices[mesh.facets], far[FACETS])
    assert not mesh.is_float32
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)
    mixed = read_vtk(saved(tmp_path, vtk(square, [[0, 1, 2, 3], [0, 1, 2]], is_text)))
    assert len(mixed.facets) == 3


@pytest.mark.parametrize("is_text", [True, False])
def test_vtk_that_is_refused(tmp_path, is_text):
    whole = vtk(is_text=is_text)
    for spoiled in (
        whole.replace(b"POINTS 4", b"POINTS 5"),
        whole.replace(b"POINTS 4", b"POINTS 400000000000"),
        whole.replace(b"POLYGONS 4 16", b"POLYGONS 4 17"),
        whole.replace(b"POLYGONS 4 16", b"POLYGONS 5 16"),
        whole.replace(b"POLYDATA", b"STRUCTURED_GRID"),
        whole.replace(b"POLYGONS", b"LINES"),
        whole.replace(b"double", b"int"),
        whole[:-4],
        whole[:40],
    ):
        with pytest.raises(InputError, match=r"shape\.tab"):
            read_vtk(saved(tmp_path, spoiled))

"""AC3D: nested transforms, surfaces of every kind, encodings, and what is refused."""

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.world.terrain.readers.meshes.ac3d import read_ac3d
from planetfall.world.terrain.readers.meshes.winding import winding
from support.terrain_files import FACETS, VERTICES, VOLUME, ac3d, ac3d_object

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)
TURN_X = "rot 1 0 0 0 0 -1 0 1 0\n"  # by rows: y goes to z, z to -y
TURN_Z = "rot 0 -1 0 1 0 0 0 0 1\n"  # x goes to y, y to -x


def saved(tmp_path, text: str, encoding="utf-8"):
    """A file with that text."""
    path = tmp_path / "mesh.ac"
    path.write_bytes(text.encode(encoding))
    return path


def test_a_plain_body(tmp_path):
    mesh = read_ac3d(saved(tmp_path, ac3d()))
    assert np.array_equal(mesh.vertices[mesh.facets], VERTICES[FACETS])
    assert winding(mesh).volume == pytest.approx(VOLUME, rel=1e-14)
    assert mesh.notes == ()


def test_transforms_go_up_the_tree(tmp_path):
    inner = ac3d_object(place="loc 0 0 2\n" + TURN_X)
    middle = f"OBJECT group\n{TURN_Z}loc 10 0 0\nkids 2\n{inner}{ac3d_object()}"
    mesh = read_ac3d(saved(tmp_path, ac3d(middle, ac3d_object(place="loc 0 0 -5\n")), "utf-8"))
    turn_x = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]], float)
    turn_z = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]], float)
    expected = [
        (turn_z @ (turn_x @ v + [0, 0, 2])) + [10, 0, 0] for v in VERTICES[FACETS].reshape(-1, 3)
    ]  # the inner object
    expected += [turn_z @ v + [10, 0, 0] for v in VERTICES[FACETS].reshape(-1, 3)]
    expected += [v + np.array([0, 0, -5]) for v in VERTICES[FACETS].reshape(-1, 3)]
    assert np.array_equal(mesh.vertices[mesh.facets].reshape(-1, 3), np.array(expected))
    assert winding(mesh).volume == pytest.approx(3.0 * VOLUME, rel=1e-14)


def test_loc_and_rot_after_the_vertices_count_as_well(tmp_path):
    text = ac3d(ac3d_object().replace("numsurf", TURN_X + "loc 1 2 3\nnumsurf"))
    mesh = read_ac3d(saved(tmp_path, text))
    assert mesh.bounds.tolist() == [[1.0, 1.0, 3.0], [2.0, 2.0, 4.0]]


def test_deep_nesting(tmp_path):
    depth = 5000
    text = "AC3Db\n" + "OBJECT group\nloc 0 0 1\nkids 1\n" * depth + ac3d_object()
    assert read_ac3d(saved(tmp_path, text)).bounds[0, 2] == depth


def test_surfaces_of_every_kind(tmp_path):
    dart = np.array([[2, 0, 0], [0, 1, 0], [0.5, 0, 0], [0, -1, 0]], float)
    objects = (
        ac3d_object(SQUARE, [[0, 1, 2, 3]], "0x20"),
        ac3d_object(dart, [[3, 0, 1, 2]], "0x00"),
        ac3d_object(SQUARE, [[0, 1, 3, 2]], "0x04", place="loc 5 0 0\n"),
        ac3d_object(SQUARE, [[0, 1, 2, 3]], "0x21"),
        ac3d_object(SQUARE, [[0, 1, 2]], "34"),
        ac3d_object(SQUARE, [[0, 1]], "0x10"),
    )
    mesh = read_ac3d(saved(tmp_path, ac3d(*objects)))
    assert len(mesh.facets) == 6
    assert mesh.n_two_sided == 2
    assert mesh.n_lines == 3
    assert winding(mesh).area == pytest.approx(1.0 + 1.5 + 1.0, rel=1e-14)
    assert winding(mesh).upward_share == 1.0


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_encodings(tmp_path, encoding):
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    for ends in ("\n", "\r\n", "\r"):
        text = mark + ac3d(ac3d_object().replace("a body", "Kr\u00e4ter")).replace("\n", ends)
        mesh = read_ac3d(saved(tmp_path, text, encoding))
        assert np.array_equal(mesh.vertices[mesh.facets], VERTICES[FACETS])


def test_lines_that_do_not_matter(tmp_path):
    extra = 'texture "no.jpg"\ntexrep 2 2\ncrease 45.0\nurl "a"\ndata 14\nkids 1\nrot 9 9\nsubdiv 2\nfancy 3\nhidden\n'
    mesh = read_ac3d(saved(tmp_path, ac3d(ac3d_object(place=extra))))
    assert np.array_equal(mesh.vertices[mesh.facets], VERTICES[FACETS])
    assert any("subdivision" in note for note in mesh.notes)
    assert any("fancy" in note for note in mesh.notes)
    # The bytes of a data block are counted in the file's own encoding.
    block = ac3d_object(place="data 6\nä ö\n\n")
    assert len(read_ac3d(saved(tmp_path, ac3d(block))).facets) == 4
    modern = ac3d().replace("AC3Db\n", "AC3Dc\nMAT one\nrgb 1 1 1\ndata 4\n1 2\n\nENDMAT\n")
    assert len(read_ac3d(saved(tmp_path, modern)).facets) == 4


def test_surfaces_without_surf_lines(tmp_path):
    text = ac3d(ac3d_object().replace("SURF 0x10\nmat 0\n", ""))
    assert len(read_ac3d(saved(tmp_path, text)).facets) == 4


@pytest.mark.parametrize(
    "text",
    [
        "AC3Db\n",
        "AC4Db\nOBJECT world\nkids 0\n",
        ac3d(ac3d_object(SQUARE, [[0, 1]], "0x21")),
        ac3d(ac3d_object(SQUARE, [[0, 1, 4]])),
        ac3d(ac3d_object(SQUARE, [[0, 1, -1]])),
        ac3d(ac3d_object(SQUARE, [[0, 1, 2]], "0x05")),
        ac3d().replace("numvert 4", "numvert 4000000000"),
        ac3d().replace("numvert 4", "numvert -4"),
        ac3d().replace("numvert 4", "numvert 3"),
        ac3d().replace("numvert 4", "numvert"),
        ac3d().replace("numsurf 4", "numsurf 5"),
        ac3d().replace("numsurf 4", "numsurf 3"),
        ac3d().replace("refs 3", "refs 999999999"),
        ac3d().replace("kids 1", "kids 2"),
        ac3d().replace("kids 1", "kids 999999999"),
        ac3d().replace("0.0 0.0 1.0", "0.0 0.0 nan"),
        ac3d().replace("0.0 0.0 1.0", "0.0 0.0"),
        ac3d(ac3d_object(place="loc 1 2\n")),
        ac3d(ac3d_object(place="rot 1 0 0 0 1 0 0 0\n")),
        ac3d(ac3d_object(place="data 999999\nx\n")),
    ],
)
def test_what_is_refused(tmp_path, text):
    with pytest.raises(InputError, match=r"mesh\.ac"):
        read_ac3d(saved(tmp_path, text))


def test_cut_short_anywhere_it_is_refused(tmp_path):
    text = ac3d()
    for length in range(1, len(text) - 2):
        with pytest.raises(InputError):
            read_ac3d(saved(tmp_path, text[:length]))

"""Winding: reported as it is, and put right where it is wrong."""

from dataclasses import replace

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData, clean_mesh
from planetfall.world.terrain.readers.meshes.winding import inside_out, oriented, winding
from support.terrain_files import FACETS, VERTICES, VOLUME


def sheet(n: int = 6, height=lambda x, y: 0.1 * x * y) -> MeshData:
    """An open sheet of 2 (n - 1)^2 facets that faces up."""
    x, y = np.meshgrid(np.arange(n, dtype=float), np.arange(n, dtype=float))
    vertices = np.stack([x, y, height(x, y)], axis=-1).reshape(-1, 3)
    cell = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    facets = np.concatenate([np.stack([cell, cell + 1, cell + n + 1], 1), np.stack([cell, cell + n + 1, cell + n], 1)])
    return clean_mesh("sheet", vertices, facets, "sheet")


def flipped(mesh: MeshData, which) -> MeshData:
    """A mesh with some facets wound the other way."""
    facets = mesh.facets.copy()
    facets[which] = facets[which][:, [0, 2, 1]]
    return replace(mesh, facets=facets)


def body() -> MeshData:
    """The tetrahedron."""
    return clean_mesh("body", VERTICES, FACETS, "body")


def outlines(mesh: MeshData) -> list[tuple]:
    """Facets as cycles, so that the corner where they begin does not count."""
    return [tuple(np.roll(facet, -int(np.argmin(facet)))) for facet in mesh.facets]


def test_a_closed_body():
    report = winding(body())
    assert (report.n_bodies, report.n_closed_bodies, report.n_boundary_edges, report.n_boundary_loops) == (1, 1, 0, 0)
    assert report.is_closed
    assert report.is_consistent
    assert report.volume == pytest.approx(VOLUME, rel=1e-14)
    assert report.area == pytest.approx(1.5 + np.sqrt(3.0) / 2.0, rel=1e-14)
    inside_out = winding(flipped(body(), slice(None)))
    assert inside_out.is_consistent
    assert inside_out.volume == pytest.approx(-VOLUME, rel=1e-14)


def test_volume_does_not_suffer_from_distance():
    far = replace(body(), vertices=body().vertices * 10.0 + [3.4e6, -6.4e6, 1e6])
    # Coordinates of 6.4e6 are rounded to 1e-9, edges of 10 to 1e-10 of themselves.
    assert winding(far).volume == pytest.approx(1000.0 * VOLUME, rel=1e-9)


def test_an_open_sheet_and_its_holes():
    report = winding(sheet())
    assert (report.n_boundary_edges, report.n_boundary_loops, report.volume, report.upward_share) == (20, 1, None, 1.0)
    holed = sheet()
    middle = np.flatnonzero((holed.facets == 14).any(axis=1))
    report = winding(replace(holed, facets=np.delete(holed.facets, middle, axis=0)))
    assert report.n_boundary_loops == 2
    assert winding(flipped(sheet(), slice(None))).upward_share == 0.0


def test_one_turned_facet_is_found_and_put_right():
    for mesh in (body(), sheet()):
        wrong = flipped(mesh, [len(mesh.facets) // 4])
        assert not winding(wrong).is_consistent
        assert winding(wrong).n_reversed_edges == 3
        assert outlines(oriented(wrong)) == outlines(mesh)


def test_any_turned_facets_are_put_right():
    random = np.random.default_rng(5)
    # Steep enough that some facets lean over: an overhang stays an overhang.
    wave = sheet(8, lambda x, y: 0.3 * np.sin(x) + 0.2 * y)
    for mesh in (body(), wave):
        for _ in range(5):
            wrong = flipped(mesh, random.random(len(mesh.facets)) < 0.5)
            assert outlines(oriented(wrong)) == outlines(mesh)


def test_an_overhang_keeps_facing_down():
    # A band that goes up and folds back over itself: its last cell faces down, and is right.
    profile = np.array([[0.0, 0.0], [2.0, 0.0], [2.5, 0.5], [2.0, 1.0], [1.5, 1.0]])
    vertices = np.array([[x, y, z] for x, z in profile for y in (0.0, 1.0)])
    facets = np.array([f for i in range(4) for f in ([2 * i, 2 * i + 2, 2 * i + 1], [2 * i + 1, 2 * i + 2, 2 * i + 3])])
    mesh = clean_mesh("band", vertices, facets, "band")
    assert winding(mesh).is_consistent
    assert 0.5 < winding(mesh).upward_share < 1.0
    assert outlines(oriented(mesh)) == outlines(mesh)
    assert outlines(oriented(flipped(mesh, slice(None)))) == outlines(mesh)
    assert outlines(oriented(mesh, (0.0, 0.0, -1.0))) == outlines(flipped(mesh, slice(None)))


def test_parts_are_turned_one_by_one():
    two = clean_mesh("two", np.concatenate([VERTICES, VERTICES + 5.0]), np.concatenate([FACETS, FACETS + 4]), "two")
    assert winding(two).n_bodies == 2
    assert outlines(oriented(flipped(two, slice(0, 4)))) == outlines(two)


def test_closed_bodies_that_are_inside_out_are_counted_one_by_one():
    """Whatever the rest encloses, and however a sheet beside them faces."""
    corners = np.concatenate([3.0 * VERTICES, VERTICES + 10.0, VERTICES + 20.0])
    facets = np.concatenate([FACETS, FACETS[:, ::-1] + 4, FACETS[:, ::-1] + 8])
    assert inside_out(clean_mesh("bodies", corners, facets, "bodies")) == 2
    assert inside_out(body()) == 0
    assert inside_out(flipped(sheet(), slice(None))) == 0


def test_outward_is_away_from_the_origin():
    # A patch of a sphere's far side: its ground faces -z.
    patch = sheet(6, lambda x, y: -100.0 - 0.01 * (x * x + y * y))
    assert winding(oriented(patch, "outward")).upward_share == 0.0
    assert winding(oriented(patch)).upward_share == 1.0


def test_tiles_that_overlap_are_left_facing_up():
    # Two facets on the same side of their common edge, both facing up: no fold, but an overlap of two tiles.
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0.5, 1, 0], [0.4, 0.8, 0.1]], float)
    tiles = clean_mesh("tiles", vertices, np.array([[0, 1, 2], [0, 1, 3]]), "tiles")
    assert winding(tiles).n_reversed_edges == 1
    assert outlines(oriented(tiles)) == outlines(tiles)
    assert outlines(oriented(flipped(tiles, slice(None)))) == outlines(tiles)


def test_edges_of_three_facets_and_repeated_facets():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1]], float)
    fin = clean_mesh("fin", vertices, np.array([[0, 1, 2], [1, 0, 3], [0, 1, 4], [2, 0, 1]]), "fin")
    report = winding(fin)
    assert report.n_branching_edges == 1
    assert report.n_repeated_facets == 1


def test_a_closed_surface_with_one_side_is_refused():
    # The projective plane of six vertices.
    facets = [
        [0, 1, 2],
        [0, 2, 3],
        [0, 3, 4],
        [0, 4, 5],
        [0, 5, 1],
        [1, 2, 4],
        [2, 3, 5],
        [3, 4, 1],
        [4, 5, 2],
        [5, 1, 3],
    ]
    plane = clean_mesh("plane", np.random.default_rng(2).random((6, 3)), np.array(facets), "plane")
    assert winding(plane).is_closed
    with pytest.raises(InputError, match="only one side"):
        oriented(plane)


@pytest.mark.parametrize("up", [(0.0, 0.0, 0.0), (0.0, 1.0), (np.nan, 0.0, 1.0), "upward"])
def test_directions_that_are_refused(up):
    with pytest.raises(InputError, match="up is"):
        oriented(sheet(), up)

"""Meshes that enclose places twice: even overlaps, copies, shells in shells; and cavities, which are right."""

from pathlib import Path

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.world.gravity.polyhedron.build import polyhedron_field
from planetfall.world.shape.mass_properties import shape_properties
from planetfall.world.shape.self_crossing import crossed_facets
from planetfall.world.shape.shape_file import load_shape
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData
from planetfall.world.terrain.sdf.mesh_distance import MeshDistance
from support.bodies import Mesh, ball, cube, joined

RADIUS = 100.0


def loaded(folder: Path, mesh: Mesh, crossed: int = 0) -> MeshData:
    vertices, facets = mesh
    lines = [f"v {x:.17g} {y:.17g} {z:.17g}" for x, y, z in vertices] + [f"f {a} {b} {c}" for a, b, c in facets + 1]
    (folder / "body.obj").write_text("\n".join(lines) + "\n")
    return load_shape(folder / "body.obj", "target.shape", crossed=crossed)


def moved(mesh: Mesh, *by: float) -> Mesh:
    return mesh[0] + np.array(by), mesh[1]


def inverted(mesh: Mesh) -> Mesh:
    return mesh[0], mesh[1][:, ::-1]


OVERLAPS = {
    "balls along x": (ball(RADIUS), (120.0, 0.0, 0.0)),
    "balls along z": (ball(RADIUS), (0.0, 0.0, 120.0)),
    "balls that just reach each other": (ball(RADIUS), (199.9, 0.0, 0.0)),
    "cubes along a diagonal": (cube(), (1.0, 1.0, 1.0)),
    "cubes by a corner": (cube(), (-1.9, 1.9, 1.9)),
    "cubes with faces in one plane": (cube(), (1.0, 0.0, 0.0)),
}


@pytest.mark.parametrize("name", OVERLAPS)
def test_overlaps_are_refused_however_even_they_are(tmp_path: Path, name: str) -> None:
    """Edges that meet edges exactly pass through no facet, so that winding numbers have to tell."""
    body, by = OVERLAPS[name]
    with pytest.raises(InputError, match=r"passes through itself: .* terrain\.crossed_facets = \d+$"):
        loaded(tmp_path, joined(body, moved(body, *by)))


def test_an_overlap_can_be_accepted_by_its_number(tmp_path: Path) -> None:
    both = joined(ball(RADIUS), moved(ball(RADIUS), 120.0, 0.0, 0.0))
    assert len(crossed_facets(*both)) == 0  # as even as can be
    with pytest.raises(InputError) as caught:
        loaded(tmp_path, both)
    number = int(caught.value.advice.rpartition("= ")[2])
    assert any("do not part outside from inside" in note for note in loaded(tmp_path, both, number).notes)
    with pytest.raises(InputError):
        loaded(tmp_path, both, number - 1)


@pytest.mark.parametrize("by", [(201.0, 0.0, 0.0), (0.0, 0.0, -200.5)])
def test_bodies_apart_are_one_target(tmp_path: Path, by: tuple[float, float, float]) -> None:
    """One of them may even be inside out: each is turned right."""
    one = ball(RADIUS)
    found = loaded(tmp_path, joined(one, inverted(moved(one, *by))))
    volume = shape_properties(found.vertices, found.facets).volume
    assert volume == pytest.approx(2.0 * shape_properties(*one).volume, rel=1e-12)


@pytest.mark.parametrize("by", [(2.0, 2.0, 2.0), (2.0, 2.0, 0.0)])
def test_cubes_that_touch_at_a_corner_or_an_edge_do_not_cross(tmp_path: Path, by: tuple[float, float, float]) -> None:
    found = loaded(tmp_path, joined(cube(), moved(cube(), *by)))
    assert shape_properties(found.vertices, found.facets).volume == pytest.approx(16.0)


def test_facets_with_a_common_vertex_can_cross() -> None:
    """Two tents on one peak: an edge of one, opposite the peak, passes through a side of the other."""
    vertices = np.array([[0.0, 0, 1], [-1, 0, 0], [1, 0, 0], [0.1, -1, 0.2], [0.1, 1, 0.3]])
    facets = np.array([[0, 1, 2], [0, 3, 4]])
    assert crossed_facets(vertices, facets).tolist() == [[0, 1]]


@pytest.mark.parametrize("way", [1, -1])
def test_copies_are_refused(tmp_path: Path, way: int) -> None:
    """As another is wound or against it; off the origin, where facets could not be told outward one by one."""
    one = moved(ball(RADIUS), 500.0, 0.0, 0.0)
    with pytest.raises(InputError, match=r"1280 of 2560 facets have the same corners as another.*remove the copies"):
        loaded(tmp_path, joined(one, (one[0], one[1][:, ::way])))


def scaled(mesh: Mesh, factor: float) -> Mesh:
    return factor * mesh[0], mesh[1]


@pytest.mark.parametrize("turn", [lambda mesh: mesh, inverted])
def test_shells_in_shells_are_refused(tmp_path: Path, turn) -> None:
    one = ball(RADIUS)
    with pytest.raises(InputError, match=r"1 closed shells of 1280 facets lie inside another and are wound like it"):
        loaded(tmp_path, turn(joined(one, scaled(one, 0.5))))


@pytest.mark.parametrize("turn", [lambda mesh: mesh, inverted])
def test_an_inner_shell_wound_inward_is_a_cavity(tmp_path: Path, turn) -> None:
    """Volume, gravity and distances are those of the outer body less the inner one; a file inside out is turned."""
    outer, inner = ball(RADIUS), moved(scaled(ball(RADIUS), 0.4), 20.0, 0.0, 0.0)
    found = loaded(tmp_path, turn(joined(outer, inverted(inner))))
    assert any("cavities" in note for note in found.notes)
    volumes = [shape_properties(*mesh).volume for mesh in (outer, inner)]
    whole = shape_properties(found.vertices, found.facets).volume
    assert whole == pytest.approx(volumes[0] - volumes[1], rel=1e-12)
    places = np.array([[20.0, 0.0, 5.0], [-50.0, 0.0, 0.0], [0.0, 0.0, 130.0]])
    fields = [polyhedron_field(*mesh, "cpu", density=2000.0) for mesh in (outer, inner, (found.vertices, found.facets))]
    pulls = [field.acceleration(places) for field in fields]
    np.testing.assert_allclose(pulls[2], pulls[0] - pulls[1], atol=1e-12 * np.abs(pulls[0]).max())
    depth = MeshDistance(found.vertices, found.facets, "cpu").at(places)
    assert (np.sign(depth) == [-1, 1, -1]).all()  # in the cavity, in the rock, above ground
    assert depth[0] == pytest.approx(-35.0, rel=0.02)


def test_a_pebble_in_a_cavity_is_solid(tmp_path: Path) -> None:
    one = ball(RADIUS)
    found = loaded(tmp_path, joined(one, inverted(scaled(one, 0.5)), scaled(one, 0.2)))
    volume = shape_properties(*one).volume
    whole = shape_properties(found.vertices, found.facets).volume
    assert whole == pytest.approx((1.0 - 0.5**3 + 0.2**3) * volume, rel=1e-12)

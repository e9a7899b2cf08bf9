"""Volume, centre of mass and axes of inertia against closed forms, and moving a body onto them."""

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.world.shape.enclosure import check_closed
from planetfall.world.shape.mass_properties import centered, shape_properties
from planetfall.world.shape.shape_file import load_shape
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData
from support.bodies import Mesh, ball, cube, duck

TURN = rotation_matrix(np.array([0.1, -0.2, 0.3, np.sqrt(1 - 0.14)]))
SHIFT = np.array([40.0, -70.0, 10.0])


def box(sides: tuple[float, float, float]) -> Mesh:
    vertices, facets = cube(1.0)
    return vertices * np.array(sides), facets


def as_mesh(mesh: Mesh) -> MeshData:
    return MeshData(mesh[0], mesh[1].astype(np.int32), "made", 1e-12)


def test_box_has_its_closed_forms_wherever_it_lies() -> None:
    """Inertia of a box for density 1: V (b^2 + c^2)/12. Rounding of coordinates of 100 m squared, on 1 m^2."""
    a, b, c = 5.0, 3.0, 2.0
    vertices, facets = box((a, b, c))
    found = shape_properties(vertices @ TURN.T + SHIFT, facets)
    assert found.volume == pytest.approx(a * b * c, rel=1e-12)
    assert found.area == pytest.approx(2 * (a * b + b * c + c * a), rel=1e-12)
    np.testing.assert_allclose(found.center_of_mass, SHIFT, atol=1e-12)
    expected = a * b * c / 12.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    np.testing.assert_allclose(found.moments, expected, rtol=1e-11)
    np.testing.assert_allclose(found.inertia, TURN @ np.diag(expected) @ TURN.T, atol=1e-10)


def test_principal_axes_are_a_rotation_that_diagonalises() -> None:
    vertices, facets = duck()
    found = shape_properties(vertices @ TURN.T, facets)
    np.testing.assert_allclose(found.axes @ found.axes.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(found.axes) == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(found.axes @ found.inertia @ found.axes.T, np.diag(found.moments), atol=1e-11)
    assert np.all(np.diff(found.moments) > 0)


def test_axes_of_a_body_that_lies_along_them_already_are_its_own() -> None:
    vertices, facets = box((5.0, 3.0, 2.0))
    np.testing.assert_allclose(shape_properties(vertices, facets).axes, np.eye(3), atol=1e-12)


@pytest.mark.parametrize("center", ["mass", "principal"])
def test_a_centered_body_has_its_centre_of_mass_at_the_origin(center) -> None:
    vertices, facets = duck()
    moved = centered(as_mesh((vertices @ TURN.T + SHIFT, facets)), center)
    found = shape_properties(moved.vertices, moved.facets)
    np.testing.assert_allclose(found.center_of_mass, 0.0, atol=1e-13)
    if center == "principal":
        np.testing.assert_allclose(found.axes, np.eye(3), atol=1e-9)
    before, after = (shape_properties(v, facets) for v in (vertices, moved.vertices))
    assert after.volume == pytest.approx(before.volume, rel=1e-12)
    np.testing.assert_allclose(after.moments, before.moments, rtol=1e-11)


def test_axes_that_are_turned_are_told() -> None:
    """A box turned by 20 deg about z and shifted: its longitudes are others along its principal axes."""
    turn = rotation_matrix(np.array([0.0, 0.0, np.sin(np.radians(10.0)), np.cos(np.radians(10.0))]))
    vertices, facets = box((5.0, 3.0, 2.0))
    mesh = as_mesh((vertices @ turn.T + [3.0, 4.0, 0.0], facets))
    (told,) = centered(mesh, "principal").notes
    assert "turns the axes of the file by 20 deg and moves its origin by 5 m" in told
    assert "whose x is [0.9397, 0.3420, 0.0000] in the file, y [-0.3420, 0.9397, 0.0000], z [0.0000, 0.0000, 1" in told
    assert centered(mesh, "mass").notes == () and centered(as_mesh((vertices, facets)), "principal").notes == ()


@pytest.mark.parametrize("center", ["mass", "principal"])
def test_a_place_can_be_taken_back_to_the_file(center) -> None:
    vertices, facets = duck()
    mesh = as_mesh((vertices @ TURN.T + SHIFT, facets))
    moved = centered(mesh, center)
    rows = np.array(moved.axes_in_file) if center == "principal" else np.eye(3)
    np.testing.assert_allclose(moved.vertices @ rows + moved.origin_in_file, mesh.vertices, atol=1e-12)


def test_file_leaves_a_body_where_it_is() -> None:
    mesh = as_mesh(duck())
    assert centered(mesh, "file") is mesh


def test_an_open_mesh_is_refused_with_the_width_of_its_opening() -> None:
    vertices, facets = ball(10.0, 2)
    with pytest.raises(InputError, match=r"open: 1 openings, the largest \d"):
        check_closed(as_mesh((vertices, facets[1:])), "terrain.file")
    check_closed(as_mesh((vertices, facets[1:])), "terrain.file", hole=10.0)


def test_facets_wound_against_each_other_are_refused() -> None:
    vertices, facets = cube()
    facets = facets.copy()
    facets[0] = facets[0][::-1]
    with pytest.raises(InputError, match="wound against each other"):
        check_closed(as_mesh((vertices, facets)), "terrain.file")


def test_inside_out_is_refused_but_turned_out_at_load(tmp_path) -> None:
    vertices, facets = cube()
    with pytest.raises(InputError, match="encloses a volume of -8"):
        check_closed(as_mesh((vertices, facets[:, ::-1])), "gravity.shape")
    lines = [f"v {x} {y} {z}" for x, y, z in vertices] + [f"f {a} {b} {c}" for a, b, c in facets[:, ::-1] + 1]
    file = tmp_path / "cube.obj"
    file.write_text("\n".join(lines) + "\n")
    found = load_shape(file, "gravity.shape", scale=1000.0)
    assert shape_properties(found.vertices, found.facets).volume == pytest.approx(8e9)


def test_a_map_is_no_shape(tmp_path) -> None:
    file = tmp_path / "flat.npy"
    np.save(file, np.zeros((4, 4)))
    with pytest.raises(InputError):
        load_shape(file, "gravity.shape")

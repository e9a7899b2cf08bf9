"""Bodies that cannot be: a shape in the wrong unit, a spin that throws off the ground, an axis that no body keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.world.shape.mass_properties import shape_properties, solid_properties
from planetfall.world.shape.plausible import body_notes
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.sdf import table as sdf_table
from support.bodies import Mesh, ball, cube, ellipsoid

GM = 666.2
SEMI_AXES = (900.0, 700.0, 500.0)
TILT = rotation_matrix(np.array([np.sin(0.015), 0.0, 0.0, np.cos(0.015)]))  # by 0.03 rad about x
TILTED = (0.0, float(np.sin(0.03)), float(np.cos(0.03)))
SPHERE = {"model": "sdf", "shape": "sphere", "half_sizes": [500.0] * 3, "resolution": 50.0}
POINT = {"model": "point"}


def about(
    target: dict[str, Any], gravity: dict[str, Any] | None = None, terrain: dict[str, Any] | None = None
) -> Scenario:
    """A cube over a body."""
    return scenario_from_dict(
        {
            "scenario": {"name": "test", "duration": 1.0},
            "target": {"name": "own", "gm": GM, "frame": "P", **target},
            "gravity": gravity or POINT,
            "terrain": terrain or {"model": "sdf", "resolution": 50.0},
            "vehicle": {"name": "cube"},
            "contact": {"law": "distributed", "stiffness": 1.0, "damping": 0.0, "friction": 0.0},
            "initial": {"position": [2000.0, 0.0, 0.0]},
            "integrator": {"method": "rk4", "step": 1e-3},
        }
    )


def write(folder: Path, mesh: Mesh, name: str = "body.obj") -> str:
    vertices, facets = mesh
    lines = [f"v {x:.17g} {y:.17g} {z:.17g}" for x, y, z in vertices] + [f"f {a} {b} {c}" for a, b, c in facets + 1]
    (folder / name).write_text("\n".join(lines) + "\n")
    return str(folder / name)


@pytest.fixture(autouse=True)
def nothing_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """A field may take long or not fit: a body that cannot be is refused before its field is built."""

    def build(*args: object, **given: object) -> None:
        pytest.fail("a field was built")

    monkeypatch.setattr(sdf_table, "sdf_from_mesh", build)
    monkeypatch.setattr(sdf_table, "sdf_from_shape", build)


def test_closed_forms_are_those_of_fine_meshes() -> None:
    """A ball of n facets has the volume and moments of its sphere but for about 4/n, times a few for the moments."""
    found, mesh = solid_properties("ellipsoid", SEMI_AXES), shape_properties(*ellipsoid(SEMI_AXES, 6))
    for one, other in ((found.volume, mesh.volume), (found.area, mesh.area), (found.radius, mesh.radius)):
        assert one == pytest.approx(other, rel=2e-4)
    np.testing.assert_allclose(found.moments, mesh.moments, rtol=5e-4)
    box, mesh = solid_properties("box", (1.0, 1.0, 1.0)), shape_properties(*cube(2.0))
    assert (box.volume, box.area, box.radius) == pytest.approx((mesh.volume, mesh.area, mesh.radius))
    np.testing.assert_allclose(box.moments, mesh.moments)


def test_kilometres_taken_for_metres_are_refused() -> None:
    """The mass of a comet in a thousandth of its size has a density a thousand million times its own."""
    vertices, facets = ellipsoid(SEMI_AXES)
    given = about({"shape": "body.obj", "spin_rate": 1.4e-4})
    assert body_notes(given, shape_properties(vertices, facets)) == ()
    words = r"^target\.shape: .*density of .*e\+12 kg/m\^3.*a file in km needs target\.shape_scale = 1000"
    with pytest.raises(InputError, match=words):
        body_notes(given, shape_properties(1e-3 * vertices, facets))


PLANE = {"model": "plane", "point": [0.0, 0.0, -5000.0]}
IN_KM = {
    "ground of the target": ({"model": "sdf"}, r"^target\.shape: .*target\.shape_scale = 1000"),
    "something is added": ({"model": "sdf", "added": [PLANE]}, r"^target\.shape: .*target\.shape_scale = 1000"),
    "a file of its own": ({"model": "sdf", "file": "FILE"}, r"^terrain\.file: .*terrain\.scale = 1000"),
    "a mesh": ({"model": "mesh", "file": "FILE"}, r"^terrain\.file: .*terrain\.scale = 1000"),
}


@pytest.mark.parametrize("name", IN_KM)
def test_kilometres_are_found_before_anything_is_built(tmp_path: Path, name: str) -> None:
    terrain, words = IN_KM[name]
    file = write(tmp_path, ellipsoid((0.9, 0.7, 0.5)))
    terrain = {key: file if value == "FILE" else value for key, value in terrain.items()}
    with pytest.raises(InputError, match=words):
        make_surface(about({"shape": file}, terrain=terrain), "cpu")


def test_metres_taken_for_kilometres_are_refused_before_a_huge_field_is_made(tmp_path: Path) -> None:
    target = {"shape": write(tmp_path, ellipsoid(SEMI_AXES)), "shape_scale": 1000.0}
    with pytest.raises(
        InputError, match=r"density of 7\.6\d*e-06 kg/m\^3.*a file in m needs target\.shape_scale = 1\)"
    ):
        make_surface(about(target), "cpu")


def test_a_body_by_a_formula_in_the_wrong_unit_is_remarked_on() -> None:
    small = {**SPHERE, "half_sizes": [0.5] * 3}
    notes = body_notes(about({}, terrain=small), solid_properties("sphere", (0.5, 0.5, 0.5)))
    assert len(notes) == 1 and notes[0].startswith("terrain.half_sizes: ") and "are they in m?" in notes[0]
    assert body_notes(about({}, terrain=SPHERE), solid_properties("sphere", (500.0, 500.0, 500.0))) == ()
    hill = about({"gm": 4.3e13, "radius": 3.4e6, "frame": "L"}, terrain=SPHERE)
    assert body_notes(hill, solid_properties("sphere", (500.0, 500.0, 500.0))) == ()  # on a planet, not the planet


DENSITY = {"model": "polyhedron", "density": 2000.0}


def test_with_a_density_the_size_has_to_tell() -> None:
    """No mass contradicts a wrong unit then; a known radius or the vehicle does, and small bodies are remarked on."""
    given, vertices = about({"gm": 0.0, "shape": "body.obj"}, DENSITY), ball(1.0)[0]
    shapes = {radius: shape_properties(radius * vertices, ball(1.0)[1]) for radius in (0.1, 5.0, 300.0)}
    assert body_notes(given, shapes[300.0]) == ()
    (note,) = body_notes(given, shapes[5.0])
    assert note.startswith("target.shape: a body with a mean radius of 4.99 m") and "shape_scale = 1000" in note
    with pytest.raises(InputError, match=r"mean radius of 0\.\d* m, and cube reaches 0\.\d* m from its centre"):
        body_notes(given, shapes[0.1])
    uniform = about({"gm": 0.0, "shape": "body.obj"}, {"model": "uniform", "acceleration": 1e-4})
    assert "is the unit of length right" in body_notes(uniform, shapes[5.0])[0]  # nor does any mass here
    known = about({"gm": 0.0, "shape": "body.obj", "radius": 300.0}, DENSITY)
    body_notes(known, shapes[300.0])
    with pytest.raises(InputError, match=r"mean radius of 4\.\d* m, target\.radius is 300 m.*shape_scale = 1000"):
        body_notes(known, shapes[5.0])


def test_a_density_that_no_body_has_is_blamed_itself() -> None:
    shape = shape_properties(*ellipsoid(SEMI_AXES))
    with pytest.raises(
        InputError, match=r"^gravity\.density: 2 kg/m\^3; expected 50 to 25000 kg/m\^3; .*1 g/cm\^3 is 1000"
    ):
        body_notes(about({"gm": 0.0, "shape": "body.obj"}, {**DENSITY, "density": 2.0}), shape)


def test_a_spin_that_gravity_cannot_hold_is_told() -> None:
    """Break-up of a ball: 3.3 h over the square root of the density in g/cm^3; a tenth either side of it."""
    shape = shape_properties(*ellipsoid(SEMI_AXES))
    period = 3600.0 * 3.30 / np.sqrt(DENSITY["density"] / 1000.0)
    for factor, n_notes in ((1.1, 0), (0.9, 1)):
        target = {"gm": 0.0, "shape": "body.obj", "spin_rate": 2.0 * np.pi / (factor * period)}
        notes = body_notes(about(target, DENSITY), shape)
        assert len(notes) == n_notes
    assert "throws off" in notes[0] and "unit of the shape" in notes[0]


def test_a_spin_about_another_axis_than_that_of_the_largest_moment_is_told() -> None:
    """A file with y up that is taken as it lies; a body a few degrees off its axis, or one that does not turn, is not.

    V (b^2 + c^2)/5 and so on: about y 0.82 of the largest moment; about an axis off by d, 1 - sin^2(d) 0.43 at least.
    """
    vertices, facets = ellipsoid(SEMI_AXES)
    y_up = shape_properties(vertices[:, [0, 2, 1]], facets[:, ::-1])
    for target, shape, n_notes in (
        ({"spin_rate": 1e-4}, y_up, 1),
        ({"spin_rate": 0.0}, y_up, 0),
        ({"spin_rate": 1e-4, "spin_axis": (0.0, 1.0, 0.0)}, y_up, 0),
        ({"spin_rate": -1e-4}, shape_properties(vertices, facets), 0),
        ({"spin_rate": 1e-4, "spin_axis": TILTED}, shape_properties(vertices, facets), 0),
    ):
        notes = body_notes(about({"shape": "body.obj", **target}), shape)
        assert len(notes) == n_notes
        if notes:
            assert "lies 90 deg from that of its largest moment of inertia, [0.0000, 1.0000, 0.0000]" in notes[0]


def asked(axis: tuple[float, ...] = (0.0, 0.0, 1.0), **target: object) -> dict[str, Any]:
    return {"spins_about_principal_axis": True, "spin_axis": axis, **target}


def test_an_axis_that_is_none_of_inertia_is_refused_when_asked() -> None:
    shape = shape_properties(*ellipsoid(SEMI_AXES))
    for axis in ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, float(np.sin(0.01)), float(np.cos(0.01)))):
        body_notes(about(asked(axis, shape="body.obj")), shape)
    with pytest.raises(InputError, match=r"target\.spin_axis: lies 1\.72 deg from the nearest axis"):
        body_notes(about(asked(TILTED, shape="body.obj")), shape)
    body_notes(about({"spin_axis": TILTED, "shape": "body.obj"}), shape)  # it was not asked


def test_equal_moments_have_every_axis_between_theirs() -> None:
    """A ball spins about any axis, a spheroid about any on its equator, and about none between it and the pole."""
    for name, half, is_fine in (
        ("sphere", (500.0, 500.0, 500.0), True),
        ("ellipsoid", (500.0, 600.0, 600.0), True),
        ("ellipsoid", (600.0, 600.0, 500.0), False),
    ):
        scenario, shape = about(asked((0.0, 0.6, 0.8)), terrain=SPHERE), solid_properties(name, half)
        if is_fine:
            body_notes(scenario, shape)
            continue
        with pytest.raises(InputError, match=r"lies 36\.9 deg"):
            body_notes(scenario, shape)


def test_a_centre_of_mass_off_the_axis_is_refused_when_asked() -> None:
    """Along the axis it may lie anywhere; beside it, within a hundredth of the mean radius, 680 m here."""
    vertices, facets = ellipsoid(SEMI_AXES)
    for by, is_fine in (((0.0, 0.0, 300.0), True), ((6.0, 0.0, 0.0), True), ((8.0, 0.0, 0.0), False)):
        scenario, shape = about(asked(shape="body.obj")), shape_properties(vertices + np.array(by), facets)
        if is_fine:
            body_notes(scenario, shape)
            continue
        with pytest.raises(
            InputError, match=r"passes the shape's centre of mass, \[8\.0.* at 8 m.*terrain\.center = 'm"
        ):
            body_notes(scenario, shape)


WRONG_AXIS = {
    "a formula": (POINT, {**SPHERE, "shape": "ellipsoid", "half_sizes": list(SEMI_AXES)}, TILTED),
    "something is added": (POINT, {"model": "sdf", "file": "FILE", "added": [PLANE]}, (0.0, 0.0, 1.0)),
    "a mesh": (POINT, {"model": "mesh", "file": "FILE"}, (0.0, 0.0, 1.0)),
    "only gravity has a shape": ({"model": "polyhedron", "shape": "FILE"}, PLANE, (0.0, 0.0, 1.0)),
}


@pytest.mark.parametrize("name", WRONG_AXIS)
def test_the_axis_is_checked_wherever_a_shape_is_known(tmp_path: Path, name: str) -> None:
    gravity, terrain, axis = WRONG_AXIS[name]
    vertices, facets = ellipsoid(SEMI_AXES)
    file = write(tmp_path, (vertices @ TILT.T, facets))
    gravity, terrain = ({k: file if v == "FILE" else v for k, v in table.items()} for table in (gravity, terrain))
    with pytest.raises(InputError, match=r"target\.spin_axis: lies 1\.72 deg"):
        make_surface(about(asked(axis), gravity, terrain), "cpu")


def test_an_axis_that_cannot_be_checked_is_refused(tmp_path: Path) -> None:
    """A plane, and a mesh that is open: nobody knows the rest of the body."""
    vertices, facets = ellipsoid(SEMI_AXES)
    sheet = {"model": "mesh", "file": write(tmp_path, (vertices, facets[vertices[facets].mean(axis=1)[:, 2] > 0.0]))}
    for terrain in (PLANE, sheet):
        with pytest.raises(InputError, match=r"spins_about_principal_axis: true, but no closed shape.*target\.shape"):
            make_surface(about(asked(), terrain=terrain), "cpu")


def test_a_closed_mesh_beside_the_centre_is_no_whole_body(tmp_path: Path) -> None:
    """A block on the ground of a planet has neither its mass nor its axis."""
    vertices, facets = cube(20.0)
    terrain = {"model": "mesh", "file": write(tmp_path, (vertices + np.array([0.0, 0.0, 3.0e6]), facets))}
    assert make_surface(about({"gm": 4.0e13}, terrain=terrain), "cpu").facts["notes"] == ()

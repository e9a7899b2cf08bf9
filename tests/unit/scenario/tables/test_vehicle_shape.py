"""Vehicles by their outer form: inertia in closed form, points spread evenly, and what a changed shape changes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

import planetfall
from planetfall.errors import InputError
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.scenario.tables.vehicle.solid import Solid, box, cylinder, prism, spread_points
from planetfall.world.shape.mass_properties import shape_properties
from support.terrain_files import obj

SOLIDS = {"box": box((0.3, 0.2, 0.5)), "prism": prism(0.18, 0.07, 16), "triangle": prism(0.4, 0.1, 3)}


@pytest.mark.parametrize("name", SOLIDS)
def test_gyration_is_that_of_the_mesh(name: str) -> None:
    """Against the sums over tetrahedra, which know nothing of the closed forms; winding by the volume's sign."""
    solid = SOLIDS[name]
    found = shape_properties(solid.vertices, solid.facets)
    assert found.volume > 0.0
    np.testing.assert_allclose(found.center_of_mass, 0.0, atol=1e-15)
    np.testing.assert_allclose(found.inertia / found.volume, solid.gyration, atol=1e-15)


def test_cylinder_is_the_limit_of_prisms() -> None:
    """The axial radius of gyration of a polygon misses that of the circle by a third of (pi/n)^2 2."""
    ratio = np.diag(prism(0.2, 0.1, 1000).gyration) / np.diag(cylinder(0.2, 0.1, 16).gyration)
    np.testing.assert_allclose(ratio, 1.0, atol=2.0 * np.pi**2 / 1000**2)


def test_minerva_has_the_inertia_of_its_prism() -> None:
    """A uniform cylinder has 4.86e-3 and 2.92e-3 kg m^2 (axial, transverse); sixteen corners have a little less."""
    vehicle = planetfall.load("minerva-67p").vehicle
    inertia = np.diag(vehicle.inertia)
    np.testing.assert_allclose(inertia, [2.92e-3, 2.92e-3, 4.86e-3], rtol=0.03)
    assert len(vehicle.points) == 40
    assert np.ptp(vehicle.tips, axis=0) == pytest.approx([0.18, 0.18, 0.07])


def areas_near(points: np.ndarray, solid: Solid) -> np.ndarray:
    """Share of the surface that is nearest to each point."""
    corners = solid.vertices[solid.facets]
    weights = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    rng = np.random.default_rng(1)
    facet = rng.choice(len(corners), 20000, p=weights / weights.sum())
    places = np.einsum("nc,nci->ni", rng.dirichlet(np.ones(3), 20000), corners[facet])
    nearest = np.argmin(np.linalg.norm(places[:, None] - points[None], axis=2), axis=1)
    return np.bincount(nearest, minlength=len(points)) / len(places)


@pytest.mark.parametrize("name", SOLIDS)
def test_points_are_spread_evenly(name: str) -> None:
    """Each point is alone on a patch like every other's: random ones have patches a hundred times as uneven, and pairs
    a tenth of the mean distance apart."""
    solid, n = SOLIDS[name], 150
    points = spread_points(solid.vertices, solid.facets, n, np.empty((0, 3)))
    share = n * areas_near(points, solid)
    assert share.min() > 0.3
    assert share.max() < 2.0
    apart = np.linalg.norm(points[:, None] - points[None], axis=2) + np.eye(n)
    nearest = apart.min(axis=1)
    assert nearest.min() > 0.7 * nearest.mean()


def test_corners_come_first_and_all_lie_on_the_surface() -> None:
    solid = SOLIDS["box"]
    points = spread_points(solid.vertices, solid.facets, 26, solid.vertices)
    np.testing.assert_array_equal(points[:8], solid.vertices)
    half = 0.5 * np.array([0.3, 0.2, 0.5])
    np.testing.assert_allclose(np.max(np.abs(points) / half, axis=1), 1.0, atol=1e-12)


def vehicle(**table: Any) -> planetfall.Scenario:
    return planetfall.load("cube-67p").with_values({"vehicle": {"name": "own", "mass": 2.0, **table}})


def test_a_changed_shape_changes_points_and_inertia() -> None:
    one = vehicle(shape={"kind": "box", "size": [0.2, 0.2, 0.2]})
    other = one.with_values({"vehicle.shape.size": [0.4, 0.4, 0.4], "vehicle.mass": 4.0})
    assert other.vehicle.inertia[0][0] == pytest.approx(4.0 * 0.16 / 6.0)
    assert np.abs(other.vehicle.tips).max() == pytest.approx(0.2)
    assert scenario_from_dict(other.to_dict()) == other


def test_what_is_given_wins() -> None:
    shape = {"kind": "box", "size": [0.2, 0.2, 0.2], "center_of_mass": [0.0, 0.0, -0.03]}
    made = vehicle(shape=shape, inertia=[0.02, 0.02, 0.02])
    assert made.vehicle.inertia[1][1] == 0.02
    assert made.vehicle.tips[:, 2].max() == pytest.approx(0.13)
    assert "points" not in made.to_dict()["vehicle"]
    assert made.to_dict()["vehicle"]["inertia"][1][1] == 0.02


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({}, r"vehicle\.inertia.*missing"),
        ({"shape": {"kind": "box"}}, "three edges"),
        ({"shape": {"kind": "prism", "diameter": 0.2}}, "a diameter and a height"),
        ({"shape": {"kind": "box", "size": [0.2, 0.2, 0.2], "points": 6}}, "fewer than the 8 corners"),
        ({"shape": {"kind": "box", "size": [1, 1, 1], "center_of_mass": [0, 0, 0.1]}}, "not uniform"),
    ],
)
def test_what_is_missing_is_said(table: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        vehicle(**table)


@pytest.mark.parametrize("name", ["minerva-ii1", "mascot", "philae-box", "hedgehog"])
def test_built_in_hoppers_load(name: str) -> None:
    made = planetfall.load("cube-67p").with_values({"vehicle.name": name}).vehicle
    assert made.source
    assert len(made.points) >= 8


def by_mesh(file: str, **given: Any) -> planetfall.Scenario:
    """A vehicle of the form of a mesh, 1 kg."""
    shape = {"kind": "mesh", "file": file, **given}
    return planetfall.load("cube-phobos").with_values({"vehicle": {"name": "own", "mass": 1.0, "shape": shape}})


def test_a_mesh_gives_points_and_inertia(tmp_path: Path) -> None:
    """A box in mm, off its middle and turned: its closed form in turned axes, and points on its surface."""
    solid, turn = box((300.0, 200.0, 500.0)), rotation_matrix(np.array([0.2, 0.3, 0.1, 0.9273618495495703]))
    file = str(tmp_path / "body.stl")
    trimesh.Trimesh((solid.vertices @ turn.T) + [40.0, -70.0, 10.0], solid.facets).export(file)
    vehicle = by_mesh(file, scale=1e-3, points=60).vehicle
    expected = turn @ box((0.3, 0.2, 0.5)).gyration @ turn.T
    np.testing.assert_allclose(vehicle.inertia, expected, atol=1e-7)  # STL holds float32
    inside = np.abs(vehicle.tips @ turn) - np.array([0.15, 0.1, 0.25])
    assert vehicle.tips.shape == (60, 3)
    np.testing.assert_allclose(inside.max(axis=1), 0.0, atol=1e-7)


def test_bad_meshes_are_refused(tmp_path: Path) -> None:
    solid = box((0.3, 0.2, 0.5))
    trimesh.Trimesh(solid.vertices, solid.facets[1:]).export(str(tmp_path / "open.ply"))
    with pytest.raises(InputError, match=r"is not closed"):
        by_mesh(str(tmp_path / "open.ply"))
    with pytest.raises(InputError, match=r"cannot be read as a mesh"):
        by_mesh(str(tmp_path / "none.stl"))
    (tmp_path / "line.obj").write_text("v 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 \n")  # a facet of two corners
    with pytest.raises(InputError, match=r"line\.obj holds no triangles"):
        by_mesh(str(tmp_path / "line.obj"))
    os.mkfifo(tmp_path / "pipe.stl")  # to read it would last for ever
    with pytest.raises(InputError, match=r"cannot be read as a mesh \(it is no file\)"):
        by_mesh(str(tmp_path / "pipe.stl"))
    (tmp_path / "far.obj").write_text(obj(1e300 * solid.vertices, solid.facets))
    with pytest.raises(InputError, match=r"is farther than 1e\+09 m from its origin"):
        by_mesh(str(tmp_path / "far.obj"))
    with pytest.raises(InputError, match=r"file: it belongs to kind = 'mesh'"):
        by_mesh("x.stl", kind="box")


def test_a_closed_mesh_without_a_volume_is_refused(tmp_path: Path) -> None:
    """Two facets back to back: closed, and nothing inside."""
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n")
    with pytest.raises(InputError, match=r"flat\.obj encloses no volume"):
        by_mesh(str(tmp_path / "flat.obj"))

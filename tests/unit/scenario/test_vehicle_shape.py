"""Vehicles by their outer form: inertia in closed form, points spread evenly, and what a changed shape changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.errors import InputError
from planetfall.scenario.load import scenario_from_dict
from planetfall.scenario.solid import Solid, box, cylinder, prism, spread_points
from planetfall.world.shape import shape_properties

SOLIDS = {"box": box((0.3, 0.2, 0.5)), "prism": prism(0.18, 0.07, 16), "triangle": prism(0.4, 0.1, 3)}


@pytest.mark.parametrize("name", SOLIDS)
def test_gyration_is_that_of_the_mesh(name: str) -> None:
    """Against the sums over tetrahedra, which know nothing of the closed forms; winding by the volume's sign."""
    solid = SOLIDS[name]
    found = shape_properties(solid.vertices, solid.facets)
    assert found.volume > 0.0
    np.testing.assert_allclose(found.center_of_mass, 0.0, atol=1e-15)
    np.testing.assert_allclose(found.inertia / found.volume, np.diag(solid.gyration), atol=1e-15)


def test_cylinder_is_the_limit_of_prisms() -> None:
    """The axial radius of gyration of a polygon misses that of the circle by a third of (pi/n)^2 2."""
    ratio = prism(0.2, 0.1, 1000).gyration / cylinder(0.2, 0.1, 16).gyration
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

"""Terrain in planet-fixed coordinates: the same landing as in local ones, and a warning where a file is too coarse.

In float64 a position is known to 4.7e-10 m at a radius of 3.4e6 m, and to 9.3e-10 m at 6.4e6 m. Vertices are rounded to
that once, the state at every step; bounces of a tumbling block magnify it some hundred times. A millionth of a metre
leaves a factor of ten.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import planetfall
from planetfall.record.trajectory import Trajectory
from planetfall.report.run.run_figures import ground_profile, level_of
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.model import GROUND_OK
from planetfall.world.terrain.readers.load import load_terrain_file
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData
from support.four_facets import EARTH, four_facets, planet_fixed, site_axes, write_four_facets
from support.made_ground import grid_mesh
from support.terrain_files import obj, stl_binary

SITE = (math.radians(18.4), math.radians(77.5))
AXES = site_axes(*SITE)
PLANETS = {3.4e6: 4.28e13, 6.4e6: 3.99e14}  # radius [m]: gm [m^3/s^2], of Mars and the Earth
SPIN = 7e-5  # [rad/s]


def rough_ground() -> tuple[np.ndarray, np.ndarray]:
    """16 m square, cells of half a metre, bumps of 5 cm; in L."""
    along = np.linspace(-8.0, 8.0, 33)
    return grid_mesh(along, 0.05 * np.random.default_rng(2).normal(size=(33, 33)))


def landing(file: Path, radius: float, frame: str, **values: Any) -> Trajectory:
    """The block, tumbling onto a mesh about the site in L or P, in the field of a point mass."""
    to_S, middle = (AXES, AXES[:, 2] * radius) if frame == "P" else (np.eye(3), np.zeros(3))
    attitude = Rotation.from_matrix(to_S) * Rotation.from_euler("xyz", [0.1, -0.2, 0.3])
    axis = [0.0, math.cos(SITE[0]), math.sin(SITE[0])] if frame == "L" else [0.0, 0.0, 1.0]
    return planetfall.run(
        planetfall.load("sink-flat").with_values(
            {
                "scenario.duration": 4.0, "record.interval": 0.05, "integrator": {"method": "rk4", "step": 4e-4},
                "target": {"name": "planet", "gm": PLANETS[radius], "radius": radius, "frame": frame,
                           "spin_rate": SPIN, "spin_axis": axis},
                "gravity": {"model": "point"}, "contact.damping_ratio": 0.2,
                "terrain": {"model": "mesh", "file": str(file)},
                "initial": {
                    "position": (middle + to_S @ [0.1, 0.2, 0.0]).tolist(), "height": 1.5,
                    "velocity": (to_S @ [0.5, 0.3, 0.0]).tolist(), "attitude": attitude.as_quat().tolist(),
                    "angular_velocity": [0.2, 0.1, 0.3],
                },
                **values,
            }
        )
    )  # fmt: skip


def in_local_axes(run: Trajectory, radius: float) -> np.ndarray:
    """Positions [time, 3] [m] of a run in P, seen in L."""
    return run.data.position.values[:, 0] @ AXES - [0.0, 0.0, radius]


@pytest.mark.parametrize("radius", PLANETS)
def test_the_same_landing_in_planet_fixed_and_in_local_coordinates(radius: float, tmp_path: Path) -> None:
    vertices, facets = rough_ground()
    (tmp_path / "local.obj").write_text(obj(vertices, facets))
    (tmp_path / "fixed.obj").write_text(obj(planet_fixed(vertices, radius, *SITE), facets))
    local, fixed = landing(tmp_path / "local.obj", radius, "L"), landing(tmp_path / "fixed.obj", radius, "P")
    _, here, there = np.intersect1d(fixed.data.time.values, local.data.time.values, return_indices=True)
    assert len(here) >= 80
    found, expected = in_local_axes(fixed, radius)[here], local.data.position.values[there, 0]
    np.testing.assert_allclose(found, expected, atol=1e-6, rtol=0)
    assert min(local.summary["touchdowns"]) >= 1 and sum(local.summary["touchdowns"]) >= 8  # it did land, and bounced
    assert np.linalg.norm(np.ptp(expected[:, :2], axis=0)) > 0.3
    assert fixed.summary["max_penetration_m"] == pytest.approx(local.summary["max_penetration_m"], abs=1e-6)
    np.testing.assert_allclose(fixed.summary["first_touch_s"], local.summary["first_touch_s"], atol=1e-8)
    assert fixed.summary["outcome"] == local.summary["outcome"]
    stop = np.array([event.position for event in local.events if event.kind == "slow"][-1])
    way = stop - expected[0]
    assert local.summary["slide_distance_m"] == pytest.approx(np.linalg.norm(way[:2]), rel=1e-6)  # level to 1e-7 rad
    assert fixed.summary["slide_distance_m"] == pytest.approx(np.linalg.norm(way), abs=1e-6)  # with the fall of 1.5 m
    assert [run.summary["slide_along"] for run in (local, fixed)] == ["horizontal", "straight"]
    assert_same_side_view(local, fixed)


def assert_same_side_view(local: Trajectory, fixed: Trajectory) -> None:
    """The ground under both, in a figure: in P it is measured from the release."""
    release, ahead = local.data.position.values[0, 0], np.array([1.0, 0.0, 0.0])
    through, span = local.data.position.values[-1, 0], np.array([-2.0, 2.0])
    one = ground_profile(local.scenario, level_of(local), ahead, through, span)
    other = ground_profile(fixed.scenario, level_of(fixed), ahead, through - release, span - release[0])
    found = other + np.array([[release[0]], [release[2]]])
    np.testing.assert_allclose(found, one, atol=1e-6)  # the two verticals are 1e-7 rad apart
    assert np.ptp(one[1]) > 0.03


@pytest.mark.parametrize(("radius", "step"), [(3.4e6, 0.25), (6.4e6, 0.5)])
def test_single_precision_at_a_planets_radius_is_warned_of_with_its_resolution(
    radius: float, step: float, tmp_path: Path
) -> None:
    """And rightly so: the ground is then off by up to half that step, not by bumps of 5 cm."""
    vertices, facets = rough_ground()
    fixed = planet_fixed(vertices, radius, *SITE)
    (tmp_path / "fixed.stl").write_bytes(stl_binary(fixed, facets))
    mesh = load_terrain_file(tmp_path / "fixed.stl")
    assert isinstance(mesh, MeshData)
    largest = np.abs(fixed).max()
    assert mesh.coordinate_step == np.spacing(np.float32(largest)) == step
    assert [note for note in mesh.notes if "single precision" in note] == [
        f"coordinates up to {largest:.4g} m are stored in single precision, in steps of {step:.3g} m; use a file in "
        "local coordinates or in double precision"
    ]
    (tmp_path / "local.stl").write_bytes(stl_binary(vertices, facets))
    local = load_terrain_file(tmp_path / "local.stl")
    assert isinstance(local, MeshData) and local.notes == ()


@pytest.mark.parametrize("ending", [".stl", ".ac"])
def test_the_papers_four_facets(ending: str, tmp_path: Path) -> None:
    """Their rim, 2000 m away, lies 0.31 m below the tangent plane (Cordova2014), and as far from the centre as all."""
    vertices, _ = four_facets()
    np.testing.assert_allclose(vertices[1:, 2], -0.3136, atol=5e-5)
    np.testing.assert_allclose(np.linalg.norm(vertices + np.array([0.0, 0.0, EARTH]), axis=1), EARTH, rtol=1e-15)
    site = (math.radians(28.6), math.radians(-80.7))
    fixed = load_terrain_file(write_four_facets(tmp_path / f"fixed{ending}", site=site))
    local = load_terrain_file(write_four_facets(tmp_path / f"local{ending}"))
    assert isinstance(fixed, MeshData) and isinstance(local, MeshData)
    assert (len(local.vertices), len(local.facets)) == (5, 4)
    for notes in (local.notes, fixed.notes):  # of AC3D it is said that its y is up
        assert len(notes) == (1 if ending == ".ac" else 0) and all("y is up" in note for note in notes)
    back = fixed.vertices[fixed.facets] @ site_axes(*site) - [0.0, 0.0, EARTH]
    np.testing.assert_allclose(back, local.vertices[local.facets], atol=3e-9)  # three roundings of 6.4e6 m


def test_over_the_four_facets_gaps_are_those_of_their_planes(tmp_path: Path) -> None:
    """Each falls at 1.57e-4 to the east or west and as much to the north or south."""
    scenario = planetfall.load("sink-flat").with_values(
        {"terrain": {"model": "mesh", "file": str(write_four_facets(tmp_path / "ground.stl"))},
         "integrator": {"method": "rk4", "step": 1e-3}}
    )  # fmt: skip
    x, y = np.random.default_rng(0).uniform(-900.0, 900.0, (2, 500))
    slope = 0.3136 / 2000.0
    heights = -slope * (np.abs(x) + np.abs(y))
    gaps, normals, statuses = make_surface(scenario, "cpu").ask(np.column_stack([x, y, heights + 0.7]))
    assert set(statuses) == {int(GROUND_OK)}
    up = 1.0 / math.sqrt(1.0 + 2.0 * slope**2)
    np.testing.assert_allclose(gaps, 0.7 * up, atol=2 * 900.0 * 3e-8)  # the drop is printed to four digits
    np.testing.assert_allclose(normals, np.column_stack([slope * np.sign(x), slope * np.sign(y), x * 0 + 1]), atol=1e-7)

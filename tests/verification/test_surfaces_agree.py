"""The same ground as formula, elevation map, mesh and union of parts: the same landing, and no bumps between facets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial import Delaunay

import planetfall
from planetfall.contact.marker import marker_coefficients
from planetfall.contact.normal_response import BodyOnGround
from planetfall.engine.build import build
from planetfall.engine.run import run_recorded
from planetfall.engine.state.result import RecordedRun
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.world.terrain.combined_build import combined_surface
from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.mesh.build import mesh_surface
from planetfall.world.terrain.model import GROUND_OK
from planetfall.world.terrain.surface import Surface
from support.made_ground import grid_mesh, tilted_grid
from support.rocks import box_surface

DROP = planetfall.load("msl-drop").with_values({"record.interval": 0.1})
TURNED = DROP.with_values({"terrain.slope_deg": 15.0, "terrain.aspect_deg": 203.0})
SLOPES = {"22 degrees to the east": DROP, "15 degrees to the south-west": TURNED}


def dem(scenario: Scenario) -> Surface:
    along, heights = tilted_grid(scenario.terrain.outward, 101, 0.25)
    return dem_surface(heights, np.array([along[0], along[0], 0.0]), (0.25, 0.25), "cpu")


def mesh(scenario: Scenario) -> Surface:
    return mesh_surface(*grid_mesh(*tilted_grid(scenario.terrain.outward, 101, 0.25)), "cpu", reach=0.2)


def union(scenario: Scenario) -> Surface:
    """The map, the mesh of the same plane, and a rock under the ground."""
    return combined_surface(dem(scenario), mesh(scenario), box_surface(np.full(3, -9.0), np.full(3, -8.0)))


@pytest.mark.parametrize("slope", SLOPES)
@pytest.mark.parametrize(
    ("make", "method"), [(dem, "rk4"), (mesh, "rk4"), (union, "rk4"), (dem, "adaptive"), (mesh, "adaptive")]
)
def test_same_landing_to_a_nanometre(make: Callable[[Scenario], Surface], method: str, slope: str) -> None:
    """Rounding of node heights (1e-15 m at 5 m) grows through ten bounces; the steps may differ in their last bits.

    Touches are located to 1e-11 s, and where in that they end hangs on those bits.

    The wheels slide over some twenty facet edges on the way, all of one plane: no bump is felt.
    """
    values = {} if method == "rk4" else {"integrator.method": "adaptive"}
    scenario = SLOPES[slope].with_values(values)
    plane = run_recorded(build(scenario))
    other = run_recorded(build(scenario, surface=make(scenario)))
    np.testing.assert_allclose(other.end.state[:, :3], plane.end.state[:, :3], atol=1e-9, rtol=0)
    np.testing.assert_allclose(other.end.first_touch, plane.end.first_touch, atol=1e-11, rtol=0)
    np.testing.assert_allclose(other.end.peak, plane.end.peak, rtol=1e-9)
    assert other.end.status[0] == plane.end.status[0]
    here, there = common_frames(other, plane)
    assert len(here) >= 101
    for columns in (slice(0, 3), slice(6, 10)):  # the whole way, and the attitude
        np.testing.assert_allclose(other.frames.state[here, columns], plane.frames.state[there, columns], atol=1e-9)


@pytest.mark.parametrize("make", [dem, mesh, union])
@pytest.mark.parametrize("far", [1e9, 1e155, 1e308, np.inf, np.nan])
def test_no_place_is_so_far_that_its_query_never_ends(make: Callable[[Scenario], Surface], far: float) -> None:
    """A trial step that is far too long throws points there; of a mesh the search once went on for ever.

    Where the square of a distance is beyond the largest number, no facet is near.
    """
    surface = make(DROP)
    for place in ([far, 0.3, 0.0], [-far, far, far], [0.3, far, -far]):
        assert surface.ask(np.array(place))[2][0] != GROUND_OK


def common_frames(one: RecordedRun, other: RecordedRun) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the frames that two runs took at the same instants; frames of peaks may be others."""
    return np.intersect1d(one.frames.time, other.frames.time, return_indices=True)[1:]


def scattered_plane(normal: np.ndarray, half: float, spacing: float) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [m] and facets of a plane through the origin, triangulated at random."""
    rng = np.random.default_rng(0)
    n = int((2 * half / spacing) ** 2)
    flat = np.vstack([rng.uniform(-half, half, (n, 2)), half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])])
    facets = Delaunay(flat).simplices
    a, b, c = (flat[facets[:, i]] for i in range(3))
    doubled = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    facets = np.where(doubled[:, None] < 0, facets[:, [0, 2, 1]], facets)
    vertices = np.column_stack([flat, -(flat @ normal[:2]) / normal[2]])
    return vertices, facets[np.abs(doubled) > 1e-6]


def test_sliding_over_the_edges_of_a_coplanar_mesh_is_sliding_over_a_plane() -> None:
    """Each foot's load is that over the plane at every instant: an edge that was felt would show in it.

    Node heights are rounded to 1e-15 m, and facets are down to some millimetres wide, so their normals are off by
    1e-12: over a block of 0.5 m that is 1e-10 of the sink of 5 mm, and of the load.
    """
    scenario = planetfall.load("slope-slide").with_values(
        {"integrator": {"method": "rk4", "step": 5e-4}, "scenario.duration": 2.0, "record.interval": 2e-3}
    )
    surface = mesh_surface(*scattered_plane(scenario.terrain.outward, 6.0, 0.08), "cpu", reach=0.1)
    run, plane = run_recorded(build(scenario, surface=surface)), run_recorded(build(scenario))
    here, there = common_frames(run, plane)
    assert len(here) > 1000
    np.testing.assert_allclose(run.frames.state[here, :3], plane.frames.state[there, :3], atol=1e-9, rtol=0)
    np.testing.assert_allclose(run.observed.normal_force[here], plane.observed.normal_force[there], rtol=1e-9)
    np.testing.assert_allclose(run.observed.force[here], plane.observed.force[there], atol=1e-7)
    for foot in np.moveaxis(feet_of(run, scenario)[0], 1, 0):
        assert np.sum(np.diff(surface.facets_at(foot)) != 0) > 20


RIDGE = np.radians(10.0)
SIDES = {"west": np.array([0.0, 0.0, 1.0]), "east": np.array([np.sin(RIDGE), 0.0, np.cos(RIDGE)])}


def ridge_grid() -> tuple[np.ndarray, np.ndarray]:
    """Level ground to the west, ten degrees down to the east."""
    along = (np.arange(61) - 30) * 0.1
    return along, np.tile(-np.maximum(along, 0.0) * np.tan(RIDGE), (61, 1))


def ridge_dem(gap: str = "nearest") -> Surface:
    along, heights = ridge_grid()
    return dem_surface(heights, np.array([along[0], along[0], 0.0]), (0.1, 0.1), "cpu", gap=gap)


def ridge_columns() -> Surface:
    return ridge_dem("column")


def ridge_mesh() -> Surface:
    return mesh_surface(*grid_mesh(*ridge_grid()), "cpu", reach=0.1)


def side_of(make: Callable[[], Surface], points: np.ndarray) -> np.ndarray:
    """Whether points in the ground belong to the eastern side: by the nearer side, or by their column."""
    if make is ridge_columns:
        return points[..., 0] > 0.0
    return points @ SIDES["east"] > points @ SIDES["west"]


def law(scenario: Scenario, normal: np.ndarray, position: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """The marker law over a plane through the origin, in NumPy: force [N] on points [..., 3]."""
    g = scenario.gravity.acceleration  # type: ignore[union-attr]
    c = marker_coefficients(scenario.contact, BodyOnGround(scenario.vehicle.mass, len(scenario.vehicle.points), g))
    gap, v_n = np.sum(position * normal, axis=-1), np.sum(velocity * normal, axis=-1)
    load = np.where(gap < 0, np.maximum(-c.stiffness * gap - c.damping * v_n, 0.0), 0.0)
    across = velocity - v_n[..., None] * normal
    speed = np.linalg.norm(across, axis=-1)
    table = ([0.0, scenario.contact.breakaway_speed, scenario.contact.sliding_speed],
             [0.0, c.friction_breakaway, c.friction_sliding])  # fmt: skip
    drag = np.interp(speed, *table) * load / np.maximum(speed, 1e-300)
    return load[..., None] * normal - drag[..., None] * across


def over_the_ridge(points: Any, speed: float, duration: float, step: float) -> Scenario:
    return planetfall.load("slope-slide").with_values(
        {
            "scenario.duration": duration, "terrain.slope_deg": 0.0, "record.interval": 2e-3,
            "vehicle": {"name": "sledge", "mass": 100.0, "inertia": [10.0, 10.0, 16.0], "points": points},
            "initial": {"position": [-1.0, 0.05, -0.005 - points[0]["position"][2]], "velocity": [speed, 0.0, 0.0]},
            "integrator": {"method": "rk4", "step": step}, "outcome.stop_at_rest": False,
        }
    )  # fmt: skip


FEET = planetfall.load("slope-slide").to_dict()["vehicle"]["points"]


@pytest.mark.parametrize("make", [ridge_dem, ridge_mesh])
def test_across_a_ridge_each_foot_feels_the_side_it_is_on(make: Callable[[], Surface]) -> None:
    """Rounding of forces of 1e2 N, K of 8e3 N/m times that of half a metre."""
    scenario = over_the_ridge(FEET, 2.0, 1.2, 5e-4)
    run = run_recorded(build(scenario, surface=make()))
    positions, velocities = feet_of(run, scenario)
    east = side_of(make, positions)
    expected = np.where(
        east[..., None],
        law(scenario, SIDES["east"], positions, velocities),
        law(scenario, SIDES["west"], positions, velocities),
    )
    np.testing.assert_allclose(run.observed.force, expected, atol=1e-10)
    pressing = run.observed.normal_force > 0
    assert (pressing & east).any(axis=0).all() and (pressing & ~east).any(axis=0).all()


def feet_of(run: RecordedRun, scenario: Scenario) -> tuple[np.ndarray, np.ndarray]:
    """Positions [m] and velocities [m/s] of the contact points, [frame, point, 3]."""
    points, state = np.array([point.position for point in scenario.vehicle.points]), run.frames.state
    turn = rotation_matrix(state[:, 6:10])
    spin = np.cross(state[:, None, 10:13], points)
    return (
        state[:, None, :3] + np.einsum("tij,pj->tpi", turn, points),
        state[:, None, 3:6] + np.einsum("tij,tpj->tpi", turn, spin),
    )


@pytest.mark.parametrize("make", [ridge_dem, ridge_columns, ridge_mesh])
def test_a_bead_over_the_ridge_goes_as_its_own_equation_says(make: Callable[[], Surface]) -> None:
    """A point mass, by RK4 with the same step in NumPy. The kernel asks with lists of facets; the bits may differ.

    Its four contact points lie in one place, each with its share of the mass, so that the feet's kernel serves it.
    """
    step, bead = 1e-3, [{"name": f"bead {i}", "position": [0.0, 0.0, 0.0]} for i in range(4)]
    scenario = over_the_ridge(bead, 1.5, 1.5, step)

    def slope(y: np.ndarray) -> np.ndarray:
        side = SIDES["east" if side_of(make, y[:3]) else "west"]
        force = 4.0 * law(scenario, side, y[:3], y[3:])
        return np.concatenate([y[3:], force / 100.0 + [0.0, 0.0, -scenario.gravity.acceleration]])  # type: ignore[union-attr]

    y, path = np.array([-1.0, 0.05, -0.005, 1.5, 0.0, 0.0]), []
    for _ in range(1500):
        path.append(y)
        k1 = slope(y)
        k2 = slope(y + 0.5 * step * k1)
        k3 = slope(y + 0.5 * step * k2)
        y = y + step / 6 * (k1 + 2 * k2 + 2 * k3 + slope(y + step * k3))
    run = run_recorded(build(scenario, surface=make()))
    index = np.round(run.frames.time / step).astype(int)
    np.testing.assert_allclose(run.frames.state[:, :6], np.array([*path, y])[index], atol=1e-12)
    assert run.frames.state[-1, 0] > 0.3  # it went over
    assert run.end.first_touch[0, 0] < 1e-6


def test_each_side_of_a_ridge_has_its_own_normal_and_gap() -> None:
    """A roof of two planes, five degrees each way: the gap is measured along the facet's own normal."""
    slope = np.tan(np.radians(5.0))
    along = (np.arange(41) - 20) * 0.25
    roof = np.tile(-np.abs(along) * slope, (41, 1))
    sides = np.array([[-1.03, 0.1, 0.2], [1.07, 0.1, 0.2]])
    up = np.cos(np.radians(5.0))
    for surface in (
        dem_surface(roof, np.array([along[0], along[0], 0.0]), (0.25, 0.25), "cpu"),
        mesh_surface(*grid_mesh(along, roof), "cpu", reach=0.5),
    ):
        gaps, normals, _ = surface.ask(sides)
        np.testing.assert_allclose(gaps, (sides[:, 2] + np.abs(sides[:, 0]) * slope) * up, atol=1e-14)
        np.testing.assert_allclose(normals[:, 0], [-slope * up, slope * up], atol=1e-14)

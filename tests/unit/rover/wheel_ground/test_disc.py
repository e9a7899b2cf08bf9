"""Discs at rest on plane, map and mesh, against the rim itself, sampled finely."""

import numpy as np
import pytest
import trimesh
import warp as wp

from planetfall.world.terrain.combined_build import combined_surface
from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.mesh.build import mesh_surface
from planetfall.world.terrain.model import GROUND_HOLE, GROUND_OFF_MAP, GROUND_OK
from planetfall.world.terrain.plane import TERRAIN_DISC
from planetfall.world.terrain.surface import Surface
from support.made_ground import grid_mesh
from support.rover_probes import discs, rests
from support.rovers import plane_surface

N, SPACING, RADIUS = 40, 0.1, 0.23
ALONG = (np.arange(N) - N // 2) * SPACING
HEIGHTS = np.random.default_rng(0).normal(size=(N, N)) * 0.05


def rough() -> Surface:
    return dem_surface(HEIGHTS, np.array([ALONG[0], ALONG[0], 0.0]), (SPACING, SPACING), "cpu")


def some_discs(n: int) -> np.ndarray:
    """Discs anywhere, of any heading and roll; the first on nodes, along rows, columns and diagonals, upright."""
    rng = np.random.default_rng(1)
    x, y = rng.uniform(-1.4, 1.4, (2, n))
    yaw, roll = rng.uniform(-np.pi, np.pi, n), rng.uniform(-0.6, 0.6, n)
    x[:16], y[:16], yaw[:16], roll[:16] = ALONG[20], ALONG[18], np.arange(16) * np.pi / 4, 0.0
    return discs(x, y, yaw, roll, RADIUS)


def rim(row: np.ndarray, height: float, n: int) -> np.ndarray:
    """Points of the lower rim [n, 3] of a disc with its centre at a height."""
    theta = np.linspace(-np.pi / 2, np.pi / 2, n)
    up = np.append(row["left"] * row["lean"], row["up"])
    center = np.array([row["x"], row["y"], height])
    return center + row["radius"] * (
        np.outer(np.sin(theta), np.append(row["heading"], 0.0)) - np.outer(np.cos(theta), up)
    )


def test_no_rim_point_is_below_the_map_and_one_touches_it() -> None:
    """Sampling at r pi/n along the rim misses a touching point by at most half a spacing, on slopes of up to 2 in 1."""
    surface, rows, n = rough(), some_discs(300), 2001
    found = rests(surface, rows)
    points = np.array([rim(row, rest["height"], n) for row, rest in zip(rows, found, strict=True)])
    gaps, normals, _ = surface.ask(points.reshape(-1, 3))
    clearance = (gaps / normals[:, 2]).reshape(300, n)
    assert clearance.min() > -1e-13  # rounding of heights of a metre
    steepest = np.abs(np.diff(HEIGHTS)).max() / SPACING * 2
    assert clearance.min(axis=1).max() < RADIUS * np.pi / n * (1 + steepest)


def test_contact_lies_on_the_map_at_the_angle_given() -> None:
    rows = some_discs(300)
    found = rests(rough(), rows)
    theta = 2 * np.arctan(found["t"])
    up = np.column_stack([rows["left"] * rows["lean"][:, None], rows["up"]])
    forward = np.column_stack([rows["heading"], np.zeros(300)])
    center = np.column_stack([rows["x"], rows["y"], found["height"]])
    contact = center + RADIUS * (np.sin(theta)[:, None] * forward - np.cos(theta)[:, None] * up)
    np.testing.assert_allclose(rough().ask(contact)[0], 0.0, atol=1e-13)


@pytest.mark.parametrize("key", ["x", "y"])
def test_slope_is_the_derivative_of_the_height(key: str) -> None:
    """Central differences of a function whose curvature is that of a circle of the wheel's size or a kink.

    Error h^2/r^2 with h = 1e-6 m, rounding 1e-16/h; a few discs change facet within h and are left out as such.
    """
    rows = some_discs(400)
    ahead, behind = rows.copy(), rows.copy()
    ahead[key] += 1e-6
    behind[key] -= 1e-6
    found, ahead, behind = (rests(rough(), each) for each in (rows, ahead, behind))
    one_sided = (ahead["height"] - found["height"], found["height"] - behind["height"])
    is_smooth = np.abs(one_sided[0] - one_sided[1]) < 1e-10
    slope = (ahead["height"] - behind["height"]) / 2e-6
    assert is_smooth.sum() > 360
    np.testing.assert_allclose(found["slope"][is_smooth, "xy".index(key)], slope[is_smooth], atol=1e-5)


def test_a_disc_on_a_plane_rests_where_the_formula_says() -> None:
    """Upright along the fall line it is a circle on a line: height r/cos(slope), contact at the slope's angle."""
    slope = 0.4
    surface = plane_surface([-np.sin(slope), 0.0, np.cos(slope)])
    found = rests(surface, discs([0.0, 0.0], [0.0, 3.0], [0.0, np.pi / 2], [0.0, 0.0], RADIUS))
    np.testing.assert_allclose(found["height"], [RADIUS / np.cos(slope), RADIUS], rtol=1e-15)
    np.testing.assert_allclose(2 * np.arctan(found["t"]), [slope, 0.0], atol=1e-15)


def test_a_leaning_disc_stands_lower() -> None:
    """On flat ground the centre is at r cos(roll): the envelope of an upright wheel would be r (1 - cos) off."""
    roll = np.array([0.0, 0.3, -0.3])
    found = rests(plane_surface([0.0, 0.0, 1.0]), discs(*np.zeros((3, 3)), roll, RADIUS))
    np.testing.assert_allclose(found["height"], RADIUS * np.cos(roll), rtol=1e-15)


def test_map_of_a_plane_is_the_plane() -> None:
    rng = np.random.default_rng(3)
    slope_x, slope_y = 0.3, -0.2
    x, y = np.meshgrid(ALONG, ALONG)
    surface = dem_surface(slope_x * x + slope_y * y, np.array([ALONG[0], ALONG[0], 0.0]), (SPACING, SPACING), "cpu")
    rows = some_discs(200)
    rows["lean"] = rng.uniform(-0.5, 0.5, 200)
    rows["up"] = np.sqrt(1 - rows["lean"] ** 2)
    on_map, on_plane = rests(surface, rows), rests(plane_surface([-slope_x, -slope_y, 1.0]), rows)
    np.testing.assert_allclose(on_map["height"], on_plane["height"], atol=1e-14)
    np.testing.assert_allclose(on_map["t"], on_plane["t"], atol=1e-7)  # the top of a flat maximum


def test_mesh_is_the_map_but_for_bumps_between_the_samples() -> None:
    """Facet edges are widened by 1e-5 of a facet there, times its slope; a missed bump is at most
    half a sample wide: r pi/64 times the change of slope, for a few discs in a hundred.
    """
    surface = mesh_surface(*grid_mesh(ALONG, HEIGHTS), "cpu", reach=0.5)
    rows = some_discs(100)
    short = rests(rough(), rows)["height"] - rests(surface, rows)["height"]
    assert short.min() > -1e-5 * SPACING * 2
    assert np.sum(short > 1e-6) <= 5
    assert short.max() < RADIUS * np.pi / 64 * 2


def test_a_second_contact_is_told() -> None:
    """A valley whose sides a wheel touches together: both at 45 degrees, no height between them."""
    heights = np.tile(np.abs(ALONG), (N, 1))
    surface = dem_surface(heights, np.array([ALONG[0], ALONG[0], 0.0]), (SPACING, SPACING), "cpu")
    found = rests(surface, discs([0.0, 1.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], RADIUS))
    np.testing.assert_allclose(found["height"], [RADIUS * np.sqrt(2), 1 + RADIUS * np.sqrt(2)], rtol=1e-14)
    assert found["rival"][0] < 1e-15
    assert found["rival"][1] > 1.0
    np.testing.assert_allclose(np.abs(2 * np.arctan(found["t"])), np.pi / 4, rtol=1e-12)


def test_no_contact_is_lost_between_lines_that_cross_at_a_node() -> None:
    """At a ledge's edge the contact lies in the sliver between two crossings that rounding tells apart."""
    along = (np.arange(201) - 100) * 0.02
    heights = np.tile(np.where(np.abs(along) < 0.03, -0.5, 0.0), (201, 1))
    surface = dem_surface(heights, np.array([-2.0, -2.0, 0.0]), (0.02, 0.02), "cpu")
    x = -0.04 + np.arange(-20, 21) * np.spacing(0.04)
    for y in along[90:110]:
        found = rests(surface, discs(x, np.full(41, y), np.zeros(41), np.zeros(41), 0.1))
        np.testing.assert_allclose(found["height"], 0.1, rtol=1e-15)


def test_missing_ground_is_a_status() -> None:
    heights = HEIGHTS.copy()
    heights[20, 25] = np.nan
    surface = dem_surface(heights, np.array([ALONG[0], ALONG[0], 0.0]), (SPACING, SPACING), "cpu")
    x = [ALONG[25] + 0.2, ALONG[25] + 0.2, 0.0, 1.9, np.nan]
    yaw = [0.0, np.pi / 2, 0.0, 0.0, 0.0]
    found = rests(surface, discs(x, [ALONG[20]] * 5, yaw, np.zeros(5), RADIUS))
    assert [int(s) for s in found["status"]] == [
        int(GROUND_HOLE), int(GROUND_OK), int(GROUND_OK), int(GROUND_OFF_MAP), int(GROUND_OFF_MAP),
    ]  # fmt: skip


def test_a_bounded_plane_ends() -> None:
    params = TERRAIN_DISC.params()
    params.normal, params.radius = wp.vec3d(0.0, 0.0, 1.0), 1.0
    found = rests(Surface(TERRAIN_DISC, params, "cpu"), discs([0.99, 1.01], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], RADIUS))
    assert list(found["status"]) == [int(GROUND_OK), int(GROUND_OFF_MAP)]


def step_mesh(height: float) -> Surface:
    """Level ground with a vertical step up at x = 0."""
    low = [(-3, -2, 0), (0, -2, 0), (0, 2, 0), (-3, 2, 0)]
    high = [(0, -2, height), (3, -2, height), (3, 2, height), (0, 2, height)]
    facets = [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7], [1, 4, 7], [1, 7, 2]]
    return mesh_surface(np.array([*low, *high], float), np.array(facets), "cpu", reach=0.1)


@pytest.mark.parametrize("yaw", [0.0, np.pi, 0.4, 2.5])
def test_a_disc_rests_on_the_edge_of_a_vertical_wall(yaw: float) -> None:
    """At the distance d from the edge along the heading it stands at h + sqrt(r^2 - d^2), if that is above r; the slope
    is the derivative, along and across. Rays are exact to rounding at 100 m; bisection to 3e-14 of the rim.
    """
    radius, height = 0.1, 0.08
    x = np.linspace(-0.15, 0.15, 601) + 1e-5
    found = rests(step_mesh(height), discs(x, np.full_like(x, 0.1), np.full_like(x, yaw), np.zeros_like(x), radius))
    d = x / np.cos(yaw)
    over = height + np.sqrt(np.maximum(radius**2 - d**2, 0.0))
    expected = np.where(x >= 0, height + radius, np.where(np.abs(d) < radius, np.maximum(over, radius), radius))
    np.testing.assert_allclose(found["height"], expected, atol=1e-11)
    on_edge = (x < 0) & (expected > radius)
    slope = -d[on_edge] / np.sqrt(radius**2 - d[on_edge] ** 2) / np.cos(yaw)
    np.testing.assert_allclose(found["slope"][on_edge], np.column_stack([slope, np.zeros_like(slope)]), atol=1e-6)


def test_combined_terrain_is_driven_on() -> None:
    """A block on a plane: the rim rests on whichever is higher."""
    block = trimesh.creation.box(bounds=[[0.0, -1.0, -1.0], [1.0, 1.0, 0.05]])
    added = mesh_surface(np.asarray(block.vertices), np.asarray(block.faces), "cpu", reach=0.1)
    surface = combined_surface(plane_surface([0, 0, 1]), added)
    x = np.array([-1.0, -0.05, 0.5, 1.05, 2.0])
    found = rests(surface, discs(x, np.zeros(5), np.zeros(5), np.zeros(5), 0.1))
    edge = 0.05 + np.sqrt(0.1**2 - 0.05**2)
    np.testing.assert_allclose(found["height"], [0.1, edge, 0.15, edge, 0.1], atol=1e-11)

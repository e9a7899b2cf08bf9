"""Points with zero gap lie on the drawn ground, as in the third test of Cordova2014; far ground is coarser."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

import planetfall
from planetfall.viewer.ground.ground import LINES, Detail, Triangles, drawn_ground, plane_grid, plane_lines, spread_out
from planetfall.world.terrain.combined_build import combined_surface
from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.mesh.build import mesh_surface
from planetfall.world.terrain.noise.build import Noise
from planetfall.world.terrain.sdf.analytic import AnalyticShape, sdf_from_shape
from planetfall.world.terrain.surface import Surface
from support.made_ground import brute_gaps

CLOSE = 1e-3
"""The issue's millimetre; float32 over the few hundred metres of these grounds adds less than a thirtieth of it."""
RADIUS = 2.0


def map_surface(n: int = 301, far: float = 0.0) -> Surface:
    draw = np.random.default_rng(3)
    return dem_surface(draw.normal(0.0, 0.4, (n, n)), np.array([far - 150.0, -150.0, 0.0]), (1.0, 1.0), "cpu")


def bumpy_ball() -> Surface:
    ball = trimesh.creation.icosphere(subdivisions=6, radius=100.0)
    draw = np.random.default_rng(5)
    vertices = ball.vertices * (1.0 + 0.01 * draw.random((len(ball.vertices), 1)))
    return mesh_surface(np.asarray(vertices), np.asarray(ball.faces), "cpu", reach=10.0)


def field(noise: Noise | None = None) -> Surface:
    return sdf_from_shape(AnalyticShape("ellipsoid", (120.0, 80.0, 60.0)), "cpu", spacing=2.0, noise=noise)


def slope() -> Surface:
    scenario = planetfall.load("msl-drop").with_values({"terrain.point": [4e5, -3e5, 12.0]})
    return make_surface(scenario, "cpu")


SURFACES = {
    "plane": (slope, [[4e5, -3e5, 12.0], [4e5 + 20.0, -3e5 + 7.0, 4.0]]),
    "map": (map_surface, [[10.3, -4.7, 0.0], [-60.0, 33.3, 0.0]]),
    "mesh": (bumpy_ball, [[100.0, 3.0, 5.0], [0.0, -71.0, 71.0]]),
    "field": (field, [[0.0, 0.0, 60.0], [119.0, 3.0, 5.0]]),
    "field with noise": (lambda: field(Noise(0.3, 8.0, octaves=3)), [[0.0, 0.0, 60.0], [0.0, 79.0, 5.0]]),
}


def on_ground(surface: Surface, places: np.ndarray) -> np.ndarray:
    """Points of zero gap within the exact part: places moved along the normals until the gap is nothing."""
    draw = np.random.default_rng(11)
    points = np.repeat(places, 20, axis=0) + draw.uniform(-0.5, 0.5, (20 * len(places), 3)) * RADIUS
    for _ in range(60):
        gaps, normals, _ = surface.ask(points)
        points = points - (gaps / np.einsum("ni,ni->n", normals, normals))[:, None] * normals
    assert np.abs(surface.ask(points)[0]).max() < 1e-6
    return points


def as_sent(drawn: Triangles, origin: np.ndarray) -> Triangles:
    """What a page gets: float32 from an origin, here moved back, less facets that have no area then."""
    vertices = (drawn.vertices - origin).astype(np.float32).astype(float)
    a, b, c = (vertices[drawn.facets[:, k]] for k in range(3))
    has_area = np.linalg.norm(np.cross(b - a, c - a), axis=1) > 0.0
    return Triangles(vertices + origin, drawn.facets[has_area])


@pytest.mark.parametrize("name", SURFACES)
def test_points_with_zero_gap_lie_on_the_drawn_ground(name: str) -> None:
    make, places = SURFACES[name]
    surface, near = make(), np.array(places)
    detail = Detail(on_ground(surface, near)[::20], RADIUS, 100.0)
    drawn = as_sent(drawn_ground(surface, detail, budget=20_000), detail.places[0])
    points = on_ground(surface, detail.places)
    local = drawn.vertices - detail.places[0]
    off = np.abs(brute_gaps(local, drawn.facets, points - detail.places[0]))
    assert off.max() < CLOSE


@pytest.mark.parametrize("name", ["map", "mesh"])
def test_far_ground_is_coarser(name: str) -> None:
    make, places = SURFACES[name]
    surface = make()
    drawn = drawn_ground(surface, Detail(np.array(places), RADIUS, 100.0), budget=20_000)
    assert surface.n_facets > 80_000
    assert 2_000 < len(drawn.facets) <= 20_000


def test_a_map_has_no_cracks_and_no_holes_but_its_own() -> None:
    """Every inner edge has two triangles; the drawn area seen from above is the map's, less its holes."""
    draw = np.random.default_rng(4)
    heights = draw.normal(0.0, 0.1, (131, 200))
    heights[40:44, 100:107] = np.nan
    surface = dem_surface(heights, np.zeros(3), (0.5, 0.5), "cpu")
    drawn = drawn_ground(surface, Detail(np.array([[20.0, 20.0, 0.0]]), RADIUS, 100.0), budget=6000)
    sides = np.sort(drawn.facets[:, [[0, 1], [1, 2], [2, 0]]], axis=2).reshape(-1, 2)
    edges, counts = np.unique(sides, axis=0, return_counts=True)
    assert counts.max() == 2
    corners = drawn.vertices[drawn.facets][:, :, :2]
    one, other = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    areas = 0.5 * (one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0])
    assert areas.min() > 0.0
    # the holes' nodes take their facets along: 5 x 8 cells less the two corner facets that keep their three nodes
    assert areas.sum() == pytest.approx(0.25 * (130 * 199 - 5 * 8 + 1), rel=1e-9)
    border = edges[counts == 1]
    x, y = drawn.vertices[border].mean(axis=1)[:, :2].T
    is_outer = (x < 1e-9) | (x > 99.5 - 1e-9) | (y < 1e-9) | (y > 65.0 - 1e-9)
    is_hole = (x > 49.0) & (x < 54.0) & (y > 19.0) & (y < 22.5)
    assert np.all(is_outer | is_hole)


def test_a_field_is_drawn_closed() -> None:
    drawn = drawn_ground(field(), Detail(np.array([[0.0, 0.0, 60.0]]), RADIUS, 100.0))
    shape = trimesh.Trimesh(drawn.vertices, drawn.facets, process=False)
    assert shape.is_watertight
    # the ellipsoid's volume 4/3 pi abc, less what chords of 5 m cut off radii of 60 m and more: h^2/(4 r) of them each
    assert shape.volume == pytest.approx(4.0 / 3.0 * np.pi * 120 * 80 * 60, rel=0.01)


def test_all_parts_of_a_combined_ground_are_drawn() -> None:
    ball = trimesh.creation.icosphere(subdivisions=2, radius=3.0)
    place = np.array([5.0, 0.0, 1.0])
    rock = mesh_surface(place + np.asarray(ball.vertices), np.asarray(ball.faces), "cpu", reach=1.0)
    both = combined_surface(map_surface(41), rock)
    drawn = drawn_ground(both, Detail(np.zeros((1, 3)), RADIUS, 50.0))
    assert len(drawn.facets) == 2 * 40 * 40 + len(ball.faces)


def test_lines_lie_on_their_plane_at_round_coordinates() -> None:
    normal = np.array([0.3, 0.1, 0.95]) / np.linalg.norm([0.3, 0.1, 0.95])
    point = np.array([1.7, 2.2, -0.4])
    lines = plane_lines(point, normal, np.array([10.2, 3.4, 0.0]), 1.0, 12)
    assert np.abs((lines - point) @ normal).max() < 1e-12
    assert np.abs(lines[..., :2] - np.round(lines[..., :2])).max() < 1e-12


def test_a_plane_has_lines_for_every_distance() -> None:
    """From the size of the vehicle to that of the way, ten-fold from level to level; each surrounds the middle."""
    centre = np.array([3.0, -40.0, 0.0])
    detail = Detail(np.zeros((1, 3)), 0.15, 7000.0)
    levels = plane_grid(make_surface(planetfall.load("sink-flat"), "cpu"), centre, detail)
    assert [step for step, _ in levels] == pytest.approx([0.1, 1.0, 10.0, 100.0])
    for step, lines in levels:
        assert len(lines) <= 2 * (2 * LINES + 1)
        assert np.abs(lines.mean(axis=(0, 1)) - centre).max() <= 0.5 * step
    assert np.abs(levels[-1][1]).max() > 0.4 * detail.extent


def test_places_are_spread_out_but_not_lost() -> None:
    draw = np.random.default_rng(1)
    places = draw.uniform(0.0, 10.0, (5000, 3))
    kept = spread_out(places, 1.0, most=500)
    assert len(kept) <= 500
    assert Detail(kept, 0.0, 0.0).distance(places).max() < 1.5**3 * np.sqrt(3.0)

"""Rocks: bodies that are closed, convex and as large as they should be, and that lie clear of each other."""

import numpy as np
import pytest
import trimesh

from planetfall.errors import InputError
from planetfall.scenario.files.load import terrain_from_dict
from planetfall.scenario.tables.world.terrain_procedural import PlacedRock, TerrainRocks
from planetfall.world.terrain.procedural.generate import generate
from planetfall.world.terrain.procedural.grid import Grid
from planetfall.world.terrain.procedural.rock_places import find_places
from planetfall.world.terrain.procedural.rock_shapes import rock_mesh, rock_patterns
from planetfall.world.terrain.procedural.rocks import Rocks, draw_rocks, rock_relief

GRID = Grid(201, 161, 0.25)  # 50 m x 40 m
TABLE = TerrainRocks(cover=0.1, diameter_min=0.3, diameter_max=2.0)


def bodies(rocks: Rocks, buried: float = 0.5, base: float = 0.0) -> list[trimesh.Trimesh]:
    """Each rock as a mesh of its own, in the rocks' order."""
    mesh = rock_mesh(rocks, buried, np.full(len(rocks), base), 3)
    whole = trimesh.Trimesh(mesh.vertices, mesh.facets, process=False)
    return list(whole.split(only_watertight=False))


def by_place(parts: list[trimesh.Trimesh], rocks: Rocks) -> list[trimesh.Trimesh]:
    centres = np.array([part.bounds.mean(axis=0)[:2] for part in parts])
    return [
        parts[int(np.argmin(np.hypot(centres[:, 0] - x, centres[:, 1] - y)))]
        for x, y in zip(rocks.x, rocks.y, strict=True)
    ]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_patterns_are_closed_convex_and_outward(seed: int) -> None:
    for vertices, facets in rock_patterns(seed):
        body = trimesh.Trimesh(vertices, facets, process=False)
        assert body.is_watertight
        assert body.is_winding_consistent
        assert body.volume > 0.0
        assert body.is_convex
        assert 24 <= len(facets) <= 60
        assert (vertices[:, 2].max(), vertices[:, 2].min()) == (1.0, -1.0)
        assert 2 * len(vertices) - 4 == len(facets)  # Euler: one sphere


def test_outline_at_the_ground_has_the_area_of_the_diameter_and_is_the_widest() -> None:
    rocks = draw_rocks(TABLE, 3, GRID, 0.0)
    for body, diameter in zip(by_place(bodies(rocks), rocks), rocks.diameter, strict=True):
        at_ground = body.section(plane_origin=[0.0, 0.0, 0.0], plane_normal=[0.0, 0.0, 1.0])
        corners = at_ground.vertices[:, :2]
        angle = np.arctan2(*(corners - corners.mean(axis=0)).T[::-1])
        x, y = corners[np.argsort(angle)].T
        area = 0.5 * abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
        assert area == pytest.approx(0.25 * np.pi * diameter**2, rel=1e-9)


@pytest.mark.parametrize("buried", [0.1, 0.5, 0.9])
def test_height_and_burial(buried: float) -> None:
    """Height above the ground over D; below it buried/(1 - buried) of that."""
    table = TerrainRocks(cover=0.05, height_ratio=0.4, buried=buried)
    rocks = draw_rocks(table, 3, GRID, 0.0)
    for body, rock in zip(by_place(bodies(rocks, buried, base=7.0), rocks), range(len(rocks)), strict=True):
        low, high = body.bounds[:, 2] - 7.0
        assert high == pytest.approx(0.4 * rocks.diameter[rock])
        assert -low / (high - low) == pytest.approx(buried)
        assert body.is_convex


def test_corners_stay_within_the_reach_that_keeps_rocks_apart() -> None:
    rocks = draw_rocks(TABLE, 3, GRID, 0.0)
    for body, rock in zip(by_place(bodies(rocks), rocks), range(len(rocks)), strict=True):
        out = np.hypot(body.vertices[:, 0] - rocks.x[rock], body.vertices[:, 1] - rocks.y[rock]).max()
        assert 0.9 * rocks.long[rock] < out < rocks.reach[rock]


@pytest.mark.parametrize("seed", range(3))
def test_no_rock_lies_on_another(seed: int) -> None:
    """All pairs."""
    table = TerrainRocks(cover=0.2, diameter_min=0.15, diameter_max=3.0, placed=(PlacedRock(diameter=2.0),))
    rocks = draw_rocks(table, seed, GRID, 0.0)
    apart = np.hypot(rocks.x[:, None] - rocks.x, rocks.y[:, None] - rocks.y) - rocks.reach[:, None] - rocks.reach
    np.fill_diagonal(apart, 1.0)
    assert len(rocks) > 1000
    assert apart.min() >= 0.0
    assert (rocks.x[0], rocks.y[0], rocks.diameter[0]) == (0.0, 0.0, 2.0)
    assert np.all((np.abs(rocks.x) <= 25.0) & (np.abs(rocks.y) <= 20.0))


def test_rocks_keep_off_the_pad_but_not_those_placed_there() -> None:
    table = TABLE.model_copy(update={"placed": (PlacedRock(position=(1.0, 1.0), diameter=0.5),)})
    rocks = draw_rocks(table, 3, GRID, 6.0)
    far = np.hypot(rocks.x[1:], rocks.y[1:])
    assert (rocks.x[0], rocks.y[0]) == (1.0, 1.0)
    assert np.all(far >= 6.0 + rocks.reach[1:])
    assert np.any(far < 8.0)


def test_the_pad_takes_rocks_away_and_moves_none() -> None:
    free, pad = (draw_rocks(TABLE, 3, GRID, radius) for radius in (0.0, 6.0))
    assert len(pad) < len(free)
    assert np.isin(pad.x, free.x).all()


def test_rocks_in_the_map_are_half_ellipsoids() -> None:
    rocks = draw_rocks(TerrainRocks(cover=0.05, diameter_min=0.8, diameter_max=2.0, shape="dem"), 3, GRID, 0.0)
    relief = rock_relief(rocks, GRID)
    x, y = np.meshgrid(GRID.x, GRID.y)
    expected = np.zeros_like(relief)
    for i in range(len(rocks)):
        c, s = np.cos(rocks.azimuth[i]), np.sin(rocks.azimuth[i])
        u, v = x - rocks.x[i], y - rocks.y[i]
        squared = ((c * u + s * v) / rocks.long[i]) ** 2 + ((c * v - s * u) / rocks.short[i]) ** 2
        expected = np.maximum(expected, rocks.height[i] * np.sqrt(np.maximum(1.0 - squared, 0.0)))
    np.testing.assert_allclose(relief, expected, atol=1e-12)
    np.testing.assert_allclose(rocks.long * rocks.short, 0.25 * rocks.diameter**2)
    np.testing.assert_allclose(rocks.height, 0.5 * rocks.diameter)


def test_both_shapes_have_the_same_rocks() -> None:
    mesh, dem = (draw_rocks(TABLE.model_copy(update={"shape": shape}), 3, GRID, 0.0) for shape in ("mesh", "dem"))
    np.testing.assert_array_equal(mesh.x, dem.x)
    np.testing.assert_array_equal(mesh.azimuth, dem.azimuth)


def test_rocks_stand_on_the_ground_and_are_sheared_with_it() -> None:
    """Tilted, each vertex sinks by the plane's height at its own place: nothing else moves."""
    values = {
        "extent": [30.0, 20.0], "resolution": 0.5, "noise": {"amplitude": 0.2, "wavelength": 10.0, "octaves": 3},
        "rocks": {"cover": 0.05},
    }  # fmt: skip
    flat, tilted = (generate(terrain_from_dict({**values, "slope_deg": s, "aspect_deg": 120.0})) for s in (0.0, 45.0))
    assert flat.rock_mesh is not None
    assert tilted.rock_mesh is not None
    fall = np.array([np.sin(np.radians(120.0)), np.cos(np.radians(120.0))])
    moved = flat.rock_mesh.vertices.copy()
    moved[:, 2] -= moved[:, :2] @ fall
    np.testing.assert_allclose(tilted.rock_mesh.vertices, moved, atol=1e-12)
    np.testing.assert_array_equal(tilted.rock_mesh.facets, flat.rock_mesh.facets)
    ground = Grid(61, 41, 0.5).height_at(flat.heights, flat.rocks.x, flat.rocks.y)
    whole = trimesh.Trimesh(flat.rock_mesh.vertices, flat.rock_mesh.facets, process=False)
    parts = by_place(list(whole.split(only_watertight=False)), flat.rocks)
    tops = np.array([part.bounds[1, 2] for part in parts])
    np.testing.assert_allclose(tops, ground + flat.rocks.height, atol=1e-12)


def test_too_many_rocks_are_refused_before_they_are_drawn() -> None:
    with pytest.raises(
        InputError, match=r"terrain\.rocks: the law asks for .*e\+.* rocks; expected at most 100000 with shape"
    ):
        draw_rocks(TerrainRocks(cover=0.2, diameter_min=1e-4), 0, GRID, 0.0)


def test_rocks_that_find_no_room_are_refused() -> None:
    """Discs of one size thrown at random fill no more than 0.547 of a field; these would fill 0.63."""
    half = np.array([10.0, 10.0])
    with pytest.raises(InputError, match=r"terrain\.rocks\.cover: \d+ of 80 rocks find no room"):
        find_places(np.zeros((0, 2)), np.ones(80), half, 0)
    assert np.isfinite(find_places(np.zeros((0, 2)), np.ones(40), half, 0)).all()


def test_the_densest_cover_finds_room() -> None:
    """k = 0.4, more than any landing site has."""
    table = TerrainRocks(cover=0.4, diameter_min=0.1, diameter_max=4.0, shape="dem")
    rocks = draw_rocks(table, 0, Grid(81, 81, 0.25), 0.0)
    assert np.sum(0.25 * np.pi * rocks.diameter**2) / 400.0 > 0.25


def test_placed_rocks_must_be_in_the_field_and_apart() -> None:
    with pytest.raises(InputError, match=r"terrain\.rocks\.placed\.0\.position: \[26\.0, 0\.0\] m lies beside"):
        draw_rocks(TerrainRocks(placed=(PlacedRock(position=(26.0, 0.0), diameter=1.0),)), 0, GRID, 0.0)
    pair = tuple(PlacedRock(position=(x, 0.0), diameter=1.0) for x in (0.0, 0.9))
    with pytest.raises(InputError, match=r"terrain\.rocks\.placed: two of them overlap"):
        draw_rocks(TerrainRocks(placed=pair), 0, GRID, 0.0)

"""Whole terrains: the same table gives the same bits, and each ingredient minds its own business."""

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.errors import InputError
from planetfall.scenario.files.load import terrain_from_dict
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.model import GROUND_OFF_MAP, GROUND_OK
from planetfall.world.terrain.procedural.generate import GeneratedTerrain, generate
from planetfall.world.terrain.procedural.grid import Grid

ALL: dict[str, Any] = {
    "extent": [30.0, 20.0],
    "resolution": 0.25,
    "seed": 5,
    "noise": {"amplitude": 0.1, "wavelength": 10.0, "octaves": 4},
    "craters": {"density": 0.02, "degradation": 0.2, "diameter_max": 6.0},
    "hills": {"density": 0.005, "width": [5.0, 9.0]},
    "rocks": {"cover": 0.05, "diameter_min": 0.75, "diameter_max": 2.0, "shape": "dem"},
}


def made(**changes: Any) -> GeneratedTerrain:
    values = {key: {**ALL[key], **value} if isinstance(value, dict) else value for key, value in changes.items()}
    return generate(terrain_from_dict({**ALL, **values}))


def test_the_same_table_gives_the_same_bits() -> None:
    one, two = made(rocks={"shape": "mesh"}), made(rocks={"shape": "mesh"})
    np.testing.assert_array_equal(one.heights, two.heights)
    assert one.rock_mesh is not None
    assert two.rock_mesh is not None
    np.testing.assert_array_equal(one.rock_mesh.vertices, two.rock_mesh.vertices)
    np.testing.assert_array_equal(one.rock_mesh.facets, two.rock_mesh.facets)
    assert np.abs(one.heights - made(seed=6).heights).max() > 0.1


NONE = {"noise": {"amplitude": 0.0}, "craters": {"density": 0.0}, "hills": {"density": 0.0}, "rocks": {"cover": 0.0}}


@pytest.mark.parametrize("kept", list(NONE))
def test_ingredients_do_not_depend_on_each_other(kept: str) -> None:
    """Alone, each is what the whole loses without it."""
    alone = made(**{key: value for key, value in NONE.items() if key != kept})
    without = made(**{kept: NONE[kept]})
    assert np.ptp(alone.heights) > 0.05
    np.testing.assert_allclose(made().heights - without.heights, alone.heights, atol=1e-12)


def test_more_rocks_leave_the_craters_where_they_are() -> None:
    few, many = made(), made(rocks={"cover": 0.1}, noise={"octaves": 2}, hills={"density": 0.01})
    np.testing.assert_array_equal(few.craters.x, many.craters.x)
    np.testing.assert_array_equal(few.craters.degradation, many.craters.degradation)


def test_nodes_lie_about_the_origin() -> None:
    field = made()
    assert field.heights.shape == (81, 121)
    assert field.heights.dtype == np.float64
    assert (field.x_first, field.y_first, field.spacing) == (-15.0, -10.0, 0.25)
    np.testing.assert_allclose([field.x[-1], field.y[-1], field.x[60], field.y[40]], [15.0, 10.0, 0.0, 0.0], atol=1e-12)
    assert np.all((np.abs(field.rocks.x) <= 15.0) & (np.abs(field.rocks.y) <= 10.0))


def test_east_is_a_column_and_north_a_row() -> None:
    """A crater in the north-east is found there, not in its mirror images."""
    crater = {"density": 0.0, "placed": [{"position": [9.0, 4.0], "diameter": 4.0}]}
    field = made(**{**NONE, "craters": crater})
    row, column = np.unravel_index(np.argmin(field.heights), field.heights.shape)
    assert (field.x[column], field.y[row]) == (9.0, 4.0)


@pytest.mark.parametrize(
    ("aspect", "east", "north"), [(90.0, -1.0, 0.0), (0.0, 0.0, -1.0), (225.0, 0.5**0.5, 0.5**0.5)]
)
def test_tilt_is_a_plane_added_to_the_heights(aspect: float, east: float, north: float) -> None:
    """30 degrees downhill towards the aspect, clockwise from north; the relief is what it was."""
    flat, tilted = made(), made(slope_deg=30.0, aspect_deg=aspect)
    x, y = np.meshgrid(flat.x, flat.y)
    plane = np.tan(np.radians(30.0)) * (east * x + north * y)
    np.testing.assert_allclose(tilted.heights - flat.heights, plane, atol=1e-12)


def test_tilt_agrees_with_the_plane_of_the_same_slope_and_aspect() -> None:
    tilted = made(**NONE, slope_deg=40.0, aspect_deg=200.0)
    plane = planetfall.load("msl-drop").with_values({"terrain.slope_deg": 40.0, "terrain.aspect_deg": 200.0})
    x, y = np.meshgrid(tilted.x, tilted.y)
    points = np.column_stack([x.ravel(), y.ravel(), tilted.heights.ravel()])
    np.testing.assert_allclose(points @ plane.terrain.outward, 0.0, atol=1e-12)


def test_the_pad_is_level_and_relief_returns_smoothly() -> None:
    rough, pad = made(rocks=NONE["rocks"], craters=NONE["craters"], hills=NONE["hills"]), None
    pad = made(rocks=NONE["rocks"], craters=NONE["craters"], hills=NONE["hills"], flat_radius=3.0)
    x, y = np.meshgrid(pad.x, pad.y)
    r = np.hypot(x, y)
    assert not pad.heights[r < 2.999].any()
    np.testing.assert_allclose(pad.heights[r > 6.0], rough.heights[r > 6.0], atol=1e-15)
    between = (r > 3.1) & (r < 5.9)
    share = pad.heights[between] / rough.heights[between]
    assert np.all((share > 0.0) & (share < 1.0))
    np.testing.assert_allclose(share[np.argmin(np.abs(r[between] - 4.5))], 0.5, atol=0.05)


def test_rms_slope_of_a_plane_and_of_a_wave() -> None:
    """A plane falls by tan(slope) along one axis and not at all along the other: rms over both, tan(slope)/sqrt 2."""
    plane = generate(terrain_from_dict({"extent": [20.0, 20.0], "slope_deg": 30.0}))
    for baseline in (0.5, 5.0):
        assert plane.rms_slope(baseline) == pytest.approx(np.tan(np.radians(30.0)) / np.sqrt(2.0))
    with pytest.raises(InputError, match="does not fit into the field"):
        plane.rms_slope(20.5)


def test_absurd_sizes_are_refused() -> None:
    with pytest.raises(InputError, match=r"terrain\.resolution: 100001 x 100001 nodes .*at most 50000000"):
        generate(terrain_from_dict({"extent": [1000.0, 1000.0], "resolution": 0.01}))


def test_heights_between_nodes_are_those_of_the_facets() -> None:
    """Of the elevation map that the engine makes of them."""
    from planetfall.world.terrain.dem.build import dem_surface

    grid = Grid(13, 9, 0.7)
    heights = np.random.default_rng(0).normal(size=(9, 13))
    rng = np.random.default_rng(1)
    places = rng.uniform(-1.0, 1.0, (300, 2)) * grid.half
    places[:3] = [grid.half, -grid.half, [0.0, 0.0]]
    surface = dem_surface(heights, np.array([*-grid.half, 0.0]), (0.7, 0.7), "cpu")
    high = np.column_stack([places, np.full(300, 20.0)])[1:]  # the north-east corner itself: rounding decides
    ranges, _ = surface.cast(high, np.tile([0.0, 0.0, -1.0], (299, 1)), 1e3)
    np.testing.assert_allclose(grid.height_at(heights, *places[1:].T), 20.0 - ranges, atol=1e-12)
    assert grid.height_at(heights, *places[0]) == pytest.approx(heights[-1, -1])


def drop_on(terrain: dict[str, Any]) -> planetfall.Scenario:
    return planetfall.load("msl-drop").with_values({"terrain": {"model": "procedural", **terrain}})


def test_a_scenario_gets_the_ground_that_was_made() -> None:
    table = {**ALL, "slope_deg": 10.0}
    surface, field = make_surface(drop_on(table), "cpu"), generate(terrain_from_dict(table))
    rows, columns = np.array([5, 40, 77]), np.array([3, 100, 60])
    nodes = np.column_stack([field.x[columns], field.y[rows], field.heights[rows, columns]])
    gaps, normals, statuses = surface.ask(nodes)
    np.testing.assert_allclose(gaps, 0.0, atol=1e-12)
    assert np.all(normals[:, 2] > 0.0)
    assert set(statuses) == {int(GROUND_OK)}
    assert set(surface.ask(np.array([[15.01, 0.0, 0.0]]))[2]) == {int(GROUND_OFF_MAP)}
    assert surface.facts["source"] == "procedural none, seed 5"


def test_a_rover_comes_down_on_made_ground() -> None:
    """Level ground made by this model is a plane to the engine: the same drop, to the rounding of 1000 steps."""
    change = {"scenario.duration": 1.5, "integrator.step": 1e-3}
    level = {"extent": [40.0, 40.0], "resolution": 0.5, "slope_deg": 22.0, "aspect_deg": 90.0}
    on_plane = planetfall.run(planetfall.load("msl-drop").with_values(change))
    on_made = planetfall.run(drop_on(level).with_values(change))
    assert on_made.summary["max_penetration_m"] > 0.0
    np.testing.assert_allclose(on_made.data.position.values, on_plane.data.position.values, atol=1e-9)

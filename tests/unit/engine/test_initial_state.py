"""`initial.height`: of the centre of mass or the lowest point, over the highest ground straight over or under it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall import InputError
from planetfall.engine.initial_state import initial_state, initial_states
from planetfall.scenario.tables.run.initial import Initial
from planetfall.world.terrain.combined_build import combined_surface
from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.mesh.build import mesh_surface
from planetfall.world.terrain.surface import Surface
from support.made_ground import grid_mesh
from support.rocks import box_surface

ALONG = np.linspace(-4.0, 4.0, 9)
SLOPE = np.tan(np.radians(30.0))
ROOF = np.tile(5.0 - np.abs(ALONG) * SLOPE, (9, 1))  # a ridge along y, 5 m high


def roof_mesh() -> Surface:
    return mesh_surface(*grid_mesh(ALONG, ROOF), "cpu", reach=0.2)


def roof_dem() -> Surface:
    return dem_surface(ROOF, np.array([-4.0, -4.0, 0.0]), (1.0, 1.0), "cpu")


def start(surface: Surface | None, position: list[float], **values: Any) -> np.ndarray:
    scenario = planetfall.load("sink-flat").with_values(
        {"initial": {"position": position, "height": 2.0}, **{k.replace("__", "."): v for k, v in values.items()}}
    )
    return initial_state(scenario, surface or make_surface(scenario, "cpu"))[:3]


@pytest.mark.parametrize("make", [roof_mesh, roof_dem])
@pytest.mark.parametrize("z", [-60.0, 0.0, 3.0, 5.5, 700.0])
def test_over_a_ridge_it_counts_from_the_ground_in_the_column(make, z: float) -> None:
    """Not from the facet that happens to be nearest to the position, which may be far off or across the ridge."""
    expected = [0.5, 0.3, 5.0 - 0.5 * SLOPE + 2.0]
    np.testing.assert_allclose(start(make(), [0.5, 0.3, z]), expected, atol=1e-12)
    along = start(make(), [0.5, 0.3, z], initial__height_along="normal")
    normal = np.array([np.sin(np.radians(30.0)), 0.0, np.cos(np.radians(30.0))])
    np.testing.assert_allclose(along, np.array(expected) + 2.0 * (normal - [0.0, 0.0, 1.0]), atol=1e-12)


def test_over_a_rock_it_counts_from_its_top_and_beside_it_from_the_ground() -> None:
    scenario = planetfall.load("sink-flat").with_values({"terrain.point": [0.0, 0.0, 40.0]})
    surface = combined_surface(
        make_surface(scenario, "cpu"), box_surface(np.array([-1.0, -1.0, 39.0]), np.array([1.0, 1.0, 40.5]))
    )
    for z in (0.0, 40.2, 90.0):
        assert start(surface, [0.9, 0.0, z])[2] == pytest.approx(42.5, abs=1e-12)
        assert start(surface, [1.1, 0.0, z])[2] == pytest.approx(42.0, abs=1e-12)


def test_on_a_disc_and_on_a_body_in_frame_p() -> None:
    disc = {"model": "plane", "radius": 3.0, "slope_deg": 10.0, "point": [0.0, 0.0, 100.0]}
    assert start(None, [1.0, 0.0, 0.0], terrain=disc)[2] == pytest.approx(102.0 - np.tan(np.radians(10.0)), abs=1e-12)
    with pytest.raises(InputError, match=r"initial\.position: .* off the map"):
        start(None, [4.0, 0.0, 0.0], terrain=disc)
    body = box_surface(np.array([-300.0, -200.0, -100.0]), np.array([300.0, 200.0, 100.0]))
    target = {"name": "body", "gm": 10.0, "frame": "P"}
    at = start(body, [0.0, 50.0, 0.0], target=target, gravity={"model": "point"})
    np.testing.assert_allclose(at, [0.0, 202.0, 0.0], atol=1e-10)


@pytest.mark.parametrize("make", [roof_mesh, roof_dem])
def test_the_lowest_point_is_the_one_nearest_to_the_ground_below_it(make) -> None:
    """Of a rolled block beside a ridge, every corner stands over its own ground; the closed form knows the roof."""
    roll = np.radians(20.0)
    values = {"initial.height_of": "lowest point", "initial.attitude": [0.0, np.sin(roll / 2), 0.0, np.cos(roll / 2)]}
    place = start(make(), [0.6, 0.3, 9.0], **{k.replace(".", "__"): v for k, v in values.items()})
    corners = np.array([point.position for point in planetfall.load("sink-flat").vehicle.points])
    turn = np.array([[np.cos(roll), 0.0, np.sin(roll)], [0.0, 1.0, 0.0], [-np.sin(roll), 0.0, np.cos(roll)]])
    x, _, z = (place + corners @ turn.T).T
    assert place[:2].tolist() == [0.6, 0.3]
    assert np.ptp(np.abs(x) * SLOPE + z) > 0.1  # corners are not all as high over the roof
    assert np.min(z - (5.0 - np.abs(x) * SLOPE)) == pytest.approx(2.0, abs=1e-12)


def test_a_lowest_point_has_to_be_there_and_over_ground() -> None:
    lowest: dict[str, Any] = {"initial__height_of": "lowest point"}
    with pytest.raises(InputError, match=r"initial\.position: a contact point at \[.*\] m is off the map"):
        start(roof_dem(), [3.9, 0.0, 9.0], **lowest)  # the centre of mass is over the map, a corner beside it
    with pytest.raises(InputError, match=r"initial\.height_of: the vehicle has no contact points"):
        start(roof_dem(), [0.0, 0.0, 9.0], **lowest, vehicle__points=[])
    with pytest.raises(InputError, match=r"initial\.height_along: .* measured along the vertical"):
        start(roof_dem(), [0.0, 0.0, 9.0], **lowest, initial__height_along="normal")
    with pytest.raises(InputError, match=r"initial\.height: missing; initial\.height_of says"):
        planetfall.load("sink-flat").with_values({"initial": {"height_of": "lowest point"}})


def test_off_the_map_and_over_a_hole_there_is_nothing_to_count_from() -> None:
    heights = ROOF.copy()
    heights[4, 4] = np.nan
    holed = dem_surface(heights, np.array([-4.0, -4.0, 0.0]), (1.0, 1.0), "cpu")
    for surface, position in ((roof_mesh(), [4.5, 0.0, 0.0]), (roof_dem(), [0.0, -4.5, 9.0]), (holed, [0.1, 0.1, 0.0])):
        with pytest.raises(
            InputError,
            match=r"initial\.position: .* is (off the map; expected a start over the terrain|over a hole)",
        ):
            start(surface, position)


@pytest.mark.parametrize("make", [roof_mesh, roof_dem, lambda: box_surface(np.full(3, -4.0), np.full(3, 4.0))])
def test_many_are_put_where_each_is_put_alone(make) -> None:
    """To the bit, in a field that pulls elsewhere at every place, whatever is wrong with some of them."""
    surface, rng = make(), np.random.default_rng(4)
    nominal = planetfall.load("sink-flat").with_values(
        {"target": {"name": "body", "gm": 10.0, "center": [0.1, 0.2, -30.0]}, "gravity": {"model": "point"}}
    )
    places = rng.uniform(-5.0, 5.0, (40, 3)).tolist()
    turns = [turn / np.linalg.norm(turn) for turn in rng.normal(size=(40, 4))]
    starts = [
        Initial(position=place, height=h, height_along=along, height_of=of, attitude=turn)
        for place, h, along, of, turn in zip(
            places, [None, 1.0, 2.5, 0.3, 0.7] * 8, ["vertical", "normal", "normal", "normal", "vertical"] * 8,
            [*["center of mass"] * 4, "lowest point"] * 8, turns, strict=True,
        )
    ]  # fmt: skip
    scenarios = [nominal.model_copy(update={"initial": one}) for one in starts]
    states, problems = initial_states(scenarios, starts, surface)
    assert 0 < len(problems) < 20
    for i, scenario in enumerate(scenarios):
        if i in problems:
            with pytest.raises(InputError, match=re.escape(str(problems[i]))):
                initial_state(scenario, surface)
            assert states[i, :3].tolist() == places[i]
        else:
            np.testing.assert_array_equal(initial_state(scenario, surface), states[i], strict=True)

"""Finding the ground along lines of sight (Cordova2014, Section III.C): what a ray finds, and when a point is lost."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import planetfall
from planetfall.engine.build import Model, build
from support.anchor_probes import found_footings

OFFSET = 0.8
UPRIGHT = Rotation.from_quat([-0.5, -0.5, -0.5, 0.5])  # body x up, y east, z north
UP, DOWN, EAST, WEST, NORTH, SOUTH = range(6)
SHEET = {
    "model": "mesh",
    "vertices": [[-50.0, -50.0, 0.0], [50.0, -50.0, 0.0], [50.0, 50.0, 0.0], [-50.0, 50.0, 0.0]],
    "facets": [[0, 1, 2], [0, 2, 3]],
}


@lru_cache
def point(ground: str = "plane", cushion: float = 0.0) -> Model:
    """One place with six lines of sight, started where nothing is refused."""
    scenario = planetfall.load("morpheus-drop")
    points = [{**row.model_dump(), "cushion": cushion} for row in scenario.vehicle.points]
    terrain = dict(SHEET) if ground != "plane" else {"model": "plane"}
    if ground == "facing down":
        terrain["facets"] = [facet[::-1] for facet in SHEET["facets"]]
    start = {"position": [0.0, 0.0, 0.1]}
    values = {"terrain": terrain, "contact.ray_offset": OFFSET, "vehicle.points": points, "initial": start}
    return build(scenario.with_values(values), is_recorded=False)


def seen(model: Model, heights: list[float], turn: Rotation | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Footings and losses [height, point] of a vehicle whose centre of mass is at heights [m] over (1, 2)."""
    states = np.zeros((len(heights), 13))
    states[:, :2], states[:, 2] = [1.0, 2.0], heights
    states[:, 6:10] = ((turn or Rotation.identity()) * UPRIGHT).as_quat()
    return found_footings(model, states)


@pytest.mark.parametrize("ground", ["plane", "facing up"])
def test_a_ray_finds_ground_from_the_surface_down_to_its_offset(ground: str) -> None:
    heights = [1e-6, -1e-6, -0.3, -0.799999, -0.800001]
    found, lost = seen(point(ground), heights)
    np.testing.assert_array_equal(found["is_touching"][:, DOWN], [0, 1, 1, 1, 0])
    np.testing.assert_allclose(found["place"][1:4, DOWN], [[1.0, 2.0, 0.0]] * 3, atol=1e-15)
    np.testing.assert_allclose(found["normal"][1:4, DOWN], [[0.0, 0.0, 1.0]] * 3, atol=1e-15)
    others = np.delete(found["is_touching"], DOWN, axis=1)
    assert not others.any()  # level, they run along the ground; upward, they meet its back
    np.testing.assert_array_equal(lost, np.repeat([0, 0, 0, 0, 1], 6).reshape(5, 6))


def test_only_front_faces_count() -> None:
    """A sheet that faces down is not there for who looks down at it; a line of sight that looks up finds it."""
    found, _ = seen(point("facing down"), [-0.3, 0.3])
    np.testing.assert_array_equal(found["is_touching"][0], [0] * 6)
    np.testing.assert_array_equal(found["is_touching"][1], [1, 0, 0, 0, 0, 0])


def test_a_cushion_reaches_further_along_the_line_of_sight() -> None:
    """In contact when the range is below offset + cushion; the ray still starts the offset before the point."""
    cushion = 0.05
    found, _ = seen(point(cushion=cushion), [0.051, 0.049, -0.799, -0.801])
    np.testing.assert_array_equal(found["is_touching"][:, DOWN], [0, 1, 1, 0])


@pytest.mark.parametrize("angle_deg", [20.0, 50.0])
def test_a_slanted_ray_saves_its_own_intercept(angle_deg: float) -> None:
    """Not the place straight below: that is where a line of sight and the normal differ."""
    depth, angle = 0.1, np.radians(angle_deg)
    found, _ = seen(point(), [-depth], Rotation.from_rotvec([angle, 0.0, 0.0]))  # looks down and north
    assert found["is_touching"][0, DOWN] == 1
    np.testing.assert_allclose(found["place"][0, DOWN], [1.0, 2.0 - depth * np.tan(angle), 0.0], atol=1e-15)
    assert found["is_touching"][0, SOUTH] == int(OFFSET * np.sin(angle) > depth)
    assert not found["is_touching"][0, [UP, EAST, WEST, NORTH]].any()


def test_a_place_is_not_lost_while_one_of_its_lines_of_sight_finds_the_ground() -> None:
    """At 50 degrees and 0.55 m the line of sight that was down starts below the ground; the next one has taken over."""
    found, lost = seen(point(), [-0.55, -0.65], Rotation.from_rotvec([np.radians(50.0), 0.0, 0.0]))
    np.testing.assert_array_equal(found["is_touching"][0], [0, 0, 0, 0, 0, 1])
    np.testing.assert_array_equal(lost, [[0] * 6, [1] * 6])


def test_points_that_look_away_are_lost_in_the_ground() -> None:
    """The tanks of an overturned Morpheus look sideways, its legs up: no line of sight finds what it lies on."""
    scenario = planetfall.load("morpheus-drop-legs").with_values({"contact.detection": "line-of-sight"})
    model = build(scenario.with_values({"contact.ray_offset": 2.0}), is_recorded=False)
    found, lost = seen(model, [0.71, 0.69], Rotation.from_rotvec([np.pi, 0.0, 0.0]))
    assert not found["is_touching"].any()
    np.testing.assert_array_equal(lost, [[0] * 8, [0] * 4 + [1] * 4])

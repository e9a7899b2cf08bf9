"""Geometry of one side: links, points, and what cannot stand."""

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.rover.kinematics.linkage import links_of, side_of
from planetfall.rover.model import rover_model
from planetfall.scenario.files.rover_library import load_rover, rover_from_dict, rover_names
from planetfall.scenario.tables.rover import LinkageLinks, LinkagePoints
from support.rovers import TEST_LINKS

LINKS = {
    "form": "links", "rocker_wheel": np.sqrt(0.2), "rocker_pivot": np.sqrt(0.05), "bogie_inner": np.sqrt(0.05),
    "bogie_outer": np.sqrt(0.05), "rocker_angle_deg": np.degrees(np.pi - 2 * np.arctan(0.5)),
    "bogie_angle_deg": np.degrees(np.pi - 2 * np.arctan(0.5)),
}  # fmt: skip


def test_links_stand_as_their_points_do() -> None:
    """The assumed LSR-1: A (0, 0.30), B (0.20, 0.20), wheels at -0.4, 0 and 0.4 m, gamma 206.565 degrees."""
    from_links = side_of(LinkageLinks.model_validate(LINKS), "front", "x")
    from_points = side_of(LinkagePoints.model_validate(TEST_LINKS), "front", "x")
    for name in ("pivot", "rocker", "inner", "outer"):
        np.testing.assert_allclose(getattr(from_links, name), getattr(from_points, name), atol=1e-15)
    gamma, alpha, theta_2, beta = np.degrees(from_points.angles)
    np.testing.assert_allclose([gamma, alpha, theta_2, beta], [206.565, 126.870, 206.565, 126.870], atol=5e-4)


@pytest.mark.parametrize("name", rover_names())
def test_points_as_links_stand_as_before(name: str) -> None:
    table = load_rover(name)
    side = side_of(table.linkage, table.bogie, "x")
    again = side_of(links_of(side), table.bogie, "x")
    for part in ("pivot", "rocker", "inner", "outer"):
        np.testing.assert_allclose(getattr(again, part), getattr(side, part), atol=1e-14)


def test_an_unsymmetric_linkage_stands_level() -> None:
    """Random links: all three wheel centres at one height, lengths and angles kept."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        # a bogie and a rocker whose wheels hang 0.1 to 0.3 m below their pivots
        values = {
            **LINKS, "bogie_inner": rng.uniform(0.2, 0.4), "bogie_outer": rng.uniform(0.2, 0.4),
            "rocker_wheel": rng.uniform(0.45, 0.7), "bogie_angle_deg": rng.uniform(100, 160),
            "rocker_angle_deg": rng.uniform(110, 140),
        }  # fmt: skip
        side = side_of(LinkageLinks.model_validate(values), "front", "x")
        heights = [side.rocker[1], side.pivot[1] + side.inner[1], side.pivot[1] + side.outer[1]]
        np.testing.assert_allclose(heights, heights[0], atol=1e-14)
        np.testing.assert_allclose(side.lengths, [values[k] for k in (
            "rocker_wheel", "rocker_pivot", "bogie_inner", "bogie_outer")], rtol=1e-14)  # fmt: skip
        np.testing.assert_allclose(
            np.degrees([side.angles[1], side.angles[3]]),
            [values["rocker_angle_deg"], values["bogie_angle_deg"]],
            rtol=1e-12,
        )


def test_a_rear_bogie_is_the_mirror_image() -> None:
    front, rear = (side_of(LinkageLinks.model_validate(LINKS), end, "x") for end in ("front", "rear"))
    assert rear.outer == (-front.outer[0], front.outer[1])
    np.testing.assert_allclose(rear.angles, front.angles, rtol=1e-14)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({**LINKS, "rocker_wheel": 0.01, "bogie_inner": 5.0, "bogie_outer": 5.0}, "no flat pose"),
        ({**LINKS, "bogie_angle_deg": 5.0, "bogie_outer": 0.5}, "bogie's wheels"),
        ({**LINKS, "rocker_angle_deg": 20.0}, "axis"),
        ({**TEST_LINKS, "middle": (0.0, 0.12)}, "heights"),
        ({**TEST_LINKS, "pivot": (-0.2, 0.2)}, "bogie's wheels"),
        ({**TEST_LINKS, "rear": (0.1, 0.1)}, "axis"),
        ({**TEST_LINKS, "rear": (-0.05, 0.1), "middle": (-0.06, 0.1)}, "outside"),
    ],
)
def test_impossible_linkages_are_refused(values: dict, words: str) -> None:
    table = LinkageLinks if values["form"] == "links" else LinkagePoints
    with pytest.raises(InputError, match=words):
        side_of(table.model_validate(values), "front", "rover.linkage")


@pytest.mark.parametrize("name", rover_names())
def test_built_in_rovers_stand_and_say_where_they_come_from(name: str) -> None:
    rover = rover_model(load_rover(name))
    assert "assumed" in rover.table.source
    assert all(angle > np.radians(25) for angle in rover.flat_margins)


def test_wheels_of_a_rear_bogie_come_out_rear_middle_front() -> None:
    rover = rover_model(load_rover("msl-class"))
    assert list(rover.order) == [2, 1, 0, 5, 4, 3]
    np.testing.assert_allclose(rover.aside, [-1.0625, -1.1845, -1.0625, 1.0625, 1.1845, 1.0625])
    assert rover.polygon.n_corners == 6


def test_unknown_rovers_and_keys_are_named() -> None:
    with pytest.raises(InputError, match="did you mean msl-class"):
        load_rover("msl-clas")
    with pytest.raises(InputError, match=r"wheels\.radius"):
        load_rover("lsr-1", {"wheels.radius": -0.1})
    with pytest.raises(InputError, match="unknown key"):
        load_rover("lsr-1", {"wheels.diameter": 0.2})
    with pytest.raises(InputError, match="mass"):
        rover_from_dict({"name": "mine"})

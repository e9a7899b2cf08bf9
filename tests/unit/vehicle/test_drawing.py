"""Drawings: triangles that enclose the volumes of closed forms, built-in vehicles that stand on their points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

import planetfall
from planetfall.errors import InputError
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.scenario.files.rover_library import load_rover, rover_names
from planetfall.scenario.tables.drawing import DrawnPart
from planetfall.vehicle.drawing import SIDES, Drawn, drawn_parts

POLYGON = SIDES / (2 * np.pi) * np.sin(2 * np.pi / SIDES)
"""Area of the polygon that stands for a circle, over that of the circle."""
PARTS: dict[str, tuple[dict[str, Any], float]] = {
    "box": ({"position": [1.0, 2.0, 3.0], "size": [0.5, 0.25, 2.0]}, 0.25),
    "cylinder": ({"ends": [[1.0, 2.0, 3.0], [1.0, 4.0, 3.0]], "diameter": 1.0}, np.pi / 4 * 2.0 * POLYGON),
    "cone": (
        {"ends": [[0.0, 0.0, 0.0], [2.0, 1.0, 2.0]], "diameter": 2.0, "end_diameter": 1.0},
        np.pi / 12 * 3.0 * (4.0 + 2.0 + 1.0) * POLYGON,
    ),
}  # fmt: skip


def volume(drawn: Drawn) -> float:
    """By the divergence theorem, positive where triangles are counter-clockwise seen from outside."""
    a, b, c = (drawn.vertices[drawn.facets[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def test_a_vehicle_stays_the_same_body_whatever_is_drawn() -> None:
    scenario = planetfall.load("sink-flat").with_values({"scenario.duration": 0.05})
    other = scenario.with_values(
        {"vehicle.drawing": [{"kind": "sphere", "position": [9.0, 0.0, 0.0], "diameter": 4.0}]}
    )
    one, two = planetfall.run(scenario).data, planetfall.run(other).data
    assert np.array_equal(one.position.values, two.position.values)
    assert np.array_equal(one.contact_force.values, two.contact_force.values)


@pytest.mark.parametrize("kind", PARTS)
@pytest.mark.parametrize("mirrored", [(), ("x",), ("x", "z"), ("x", "y", "z")])
def test_parts_enclose_their_volume(kind: str, mirrored: tuple[str, ...]) -> None:
    """Every copy is closed and wound outward, so that volumes add up; to rounding of sums of some hundred terms."""
    keys, expected = PARTS[kind]
    drawn = drawn_parts([DrawnPart(kind=kind, mirrored=mirrored, **keys)])  # type: ignore[arg-type]
    assert volume(drawn) == pytest.approx(2 ** len(mirrored) * expected, rel=1e-12)


def test_a_sphere_is_closed_and_inscribed() -> None:
    """All vertices on the sphere; what is cut off is of second order in the angle between them."""
    drawn = drawn_parts([DrawnPart(kind="sphere", position=(1.0, 0.0, -2.0), diameter=3.0, color="#0000ff")])
    assert np.linalg.norm(drawn.vertices - [1.0, 0.0, -2.0], axis=1) == pytest.approx(1.5, rel=1e-12)
    short = 1.0 - volume(drawn) / (np.pi / 6 * 27.0)
    assert 0.0 < short < 2.0 * (2.0 * np.pi / SIDES) ** 2
    assert (drawn.colors == [0, 0, 255]).all() and len(drawn.colors) == len(drawn.facets)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"kind": "box", "position": [0, 0, 0]}, "size: a box has position and size"),
        ({"kind": "sphere", "position": [0, 0, 0], "diameter": 0.0}, "diameter: must be more than 0 m"),
        ({"kind": "cylinder", "ends": [[0, 0, 0], [0, 0, 0]], "diameter": 1.0}, "ends: they must differ"),
        ({"kind": "cylinder", "ends": [[0, 0, 0], [0, 0, 1]], "diameter": 1.0, "end_diameter": 1.0}, "only a cone"),
        ({"kind": "box", "position": [0, 0, 0], "size": [1, 1, 1], "color": "red"}, "color"),
        ({"kind": "box", "position": [0, 0, 0], "size": [1, 1, 1], "mirrored": ["x", "x"]}, "each axis once"),
    ],
)
def test_what_is_no_part_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        DrawnPart(**keys)
    with pytest.raises(InputError, match=r"vehicle\.drawing\.0"):
        planetfall.load("sink-flat").with_values({"vehicle.drawing": [keys]})


@pytest.mark.parametrize("name", ["msl-rover", "msl-rover-6", "morpheus", "hedgehog", "block", "msl-descent-stage"])
def test_built_in_drawings_reach_to_the_points(name: str) -> None:
    """Each lowest contact point is on what is drawn: within 0.16 m for the stage, whose points are its corners."""
    vehicle = scenario_from_dict(
        {**planetfall.load("sink-flat").to_dict(), "vehicle": {"name": name}, "flight": None}
        if name != "msl-descent-stage"
        else planetfall.load("msl-skycrane").to_dict()
    ).vehicles[1 if name == "msl-descent-stage" else 0]
    drawn = drawn_parts(vehicle.drawing)
    height = vehicle.tips @ np.asarray(vehicle.up)
    low = vehicle.tips[height < height.min() + 0.3]
    away = [np.linalg.norm(_nearest_of(drawn, tip) - tip) for tip in low]
    assert max(away) < (0.16 if name == "msl-descent-stage" else 0.005)


def _nearest_of(drawn: Drawn, place: np.ndarray) -> np.ndarray:
    """The nearest place of the triangles, from a fine sampling of each."""
    share = np.array([(i, j, 12 - i - j) for i in range(13) for j in range(13 - i)]) / 12.0
    spread = (share @ drawn.vertices[drawn.facets]).reshape(-1, 3)
    return spread[np.argmin(np.linalg.norm(spread - place, axis=1))]


def test_every_built_in_rover_has_a_body() -> None:
    for name in rover_names():
        drawn = drawn_parts(load_rover(name).drawing)
        assert len(drawn.facets) and np.ptp(drawn.vertices[:, 0]) > 0.3


def test_a_drawing_goes_with_the_points_that_it_was_made_for() -> None:
    rover = planetfall.load("msl-drop")
    assert rover.vehicle.drawing
    assert not rover.with_values({"vehicle.points.0.position": [0.9, -1.0, 1.0]}).vehicle.drawing
    assert rover.with_values({"vehicle.mass": 1000.0}).vehicle.drawing == rover.vehicle.drawing
    given = {"vehicle.points.0.position": [0.9, -1.0, 1.0], "vehicle.drawing": rover.to_dict()["vehicle"]["drawing"]}
    assert rover.with_values(given).vehicle.drawing == rover.vehicle.drawing
    written = rover.to_dict()  # as folders of earlier versions hold it: complete, without a drawing
    del written["vehicle"]["drawing"]
    assert not scenario_from_dict(written).vehicle.drawing


def test_a_drawing_is_no_input_to_disperse() -> None:
    with pytest.raises(InputError, match="no part in the motion"):
        planetfall.load("msl-drop").with_values(
            {"dispersions.vehicle.drawing.0.position.0": {"distribution": "normal", "sigma": 0.1}}
        )

"""Drives as tables: what they fill in, what may change on the way, and what they refuse."""

from pathlib import Path

import numpy as np
import pytest

import planetfall
from planetfall.errors import InputError
from planetfall.scenario.drive import DriveScenario, drive_from_dict, load_drive
from support.rovers import waves

FLAT = "lsr1-flat"


def test_every_built_in_drive_survives_its_plain_values() -> None:
    for name in planetfall.library_names("drives"):
        scenario = load_drive(name)
        assert scenario.name == name
        assert scenario.scenario.title
        assert drive_from_dict(scenario.to_dict()) == scenario


def test_another_rover_brings_all_its_numbers() -> None:
    changed = load_drive(FLAT).with_values({"rover.name": "sojourner", "rover.wheels.torque_max": 3.0})
    assert changed.rover.mass == 11.0
    assert changed.rover.wheels.torque_max == 3.0
    assert changed.rover.wheels.radius == 0.065
    assert changed.rover.linkage.form == "points"


def test_a_linkage_of_another_form_replaces_the_built_in_one() -> None:
    points = {"form": "points", "axis": [0, 0.3], "pivot": [0.2, 0.2], "rear": [-0.4, 0.1], "middle": [0, 0.1]}
    changed = load_drive(FLAT).with_values({"rover.linkage": {**points, "front": [0.4, 0.1]}})
    assert changed.rover.linkage.form == "points"


def test_a_change_in_place_is_no_motion() -> None:
    """A centre of mass that is put 1 m higher, on a plane: the velocity stays that along the path, in the last sample
    too, which has a rover of its own.
    """
    changes = [
        {"start": start, "values": {"rover.center_of_mass": [0.0, 0.0, up]}} for start, up in ((1.0, 1.0), (1.99, 0.5))
    ]
    path = {"path.waypoints": [[0.0, 0.0], [2.0, 0.0]], "path.corner_radius": 0.0}
    data = planetfall.drive(load_drive(FLAT).with_values({**path, "changes": changes})).data
    assert np.ptp(data.position.values[:, 0, 2]) > 0.9
    np.testing.assert_allclose(data.velocity.values[:, 0], np.tile([0.03, 0.0, 0.0], (101, 1)), atol=1e-12)
    np.testing.assert_allclose(data.angular_velocity.values, 0.0, atol=1e-12)


def test_changes_add_up_along_the_way() -> None:
    """Heavier after 1 m, on ice after 2 m: the rover stays heavy."""
    scenario = load_drive(FLAT).with_values(
        {
            "changes": [
                {"start": 1.0, "values": {"rover.mass": 9.0}},
                {"start": 2.0, "values": {"soil.friction": 0.1}},
            ]
        }
    )
    assert [(start, rover.mass) for start, rover, _ in scenario.stretches()] == [(0.0, 7.0), (1.0, 9.0), (2.0, 9.0)]
    data = planetfall.drive(scenario).data
    load = data.contact_normal_force.sum("point").values
    np.testing.assert_allclose(load, np.where(data.distance.values < 1.0 - 1e-9, 7.0, 9.0) * 9.81, rtol=1e-12)
    np.testing.assert_allclose(data.mass.values[:, 0], load / 9.81)


def test_friction_from_a_map(tmp_path: Path) -> None:
    """Slippery in the east, up a slope of 10 degrees: slip ratio tan(10 deg)/mu on either side."""
    coefficients = np.full((21, 21), 0.8)
    coefficients[:, 11:] = 0.3
    np.save(tmp_path / "mu.npy", coefficients)
    keys = {"soil.friction": str(tmp_path / "mu.npy"), "soil.spacing": 0.5, "path.waypoints": [[-2, 0], [2, 0]]}
    scenario = load_drive(FLAT).with_values({**keys, "terrain.slope_deg": 10.0, "terrain.aspect_deg": 270.0})
    slip = planetfall.drive(scenario).data.wheel_slip_ratio.values
    np.testing.assert_allclose(slip[0], np.tan(np.radians(10.0)) / 0.8, rtol=1e-9)
    np.testing.assert_allclose(slip[-1], np.tan(np.radians(10.0)) / 0.3, rtol=1e-9)


def test_a_friction_map_with_holes_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "mu.npy", np.array([[0.5, np.nan], [0.5, 0.5]]))
    changed = load_drive(FLAT).with_values({"soil.friction": str(tmp_path / "mu.npy"), "soil.spacing": 1.0})
    with pytest.raises(InputError, match="have no value"):
        planetfall.drive(changed)


def test_a_payload_that_tips_the_rover_is_an_outcome() -> None:
    """20 kg held 1 m ahead of the axis: outside of the polygon, at once."""
    arm = {"base": [0.3, 0.0, 0.0], "lengths": [0.4, 0.3], "payload": 20.0}
    summary = planetfall.drive(load_drive(FLAT).with_values({"rover.arm": arm})).summary
    assert summary["outcome"] == "tipped"
    assert summary["driven_m"] == 0.0


def hole_drive(tmp_path: Path, **keys: object) -> DriveScenario:
    heights = waves(81, 0.1, 0.01, 2.0, 0)
    heights[40, 60:62] = np.nan
    np.save(tmp_path / "map.npy", heights[::-1])
    values = {"terrain.model": "dem", "terrain.file": str(tmp_path / "map.npy"), "terrain.spacing": 0.1}
    return load_drive(FLAT).with_values({**values, "path.corner_radius": 0.0, **keys})


def test_a_hole_under_one_wheel_ends_the_drive(tmp_path: Path) -> None:
    """NaN at x = 2 m, y = 0: a path 0.3 m to its left brings the right wheels there."""
    run = planetfall.drive(hole_drive(tmp_path, **{"path.waypoints": [[-2.0, 0.3], [3.0, 0.3]]}))
    assert run.summary["outcome"] == "hole"
    front = run.data.wheel_position.sel(wheel="front right").values[-2]
    assert 1.7 < front[0] < 2.0  # the rim ahead of the axle comes over the missing cells first
    assert np.isnan(run.data.contact_normal_force.values[-1]).all()
    assert np.isfinite(run.data.contact_normal_force.values[:-1]).all()


def test_a_path_off_the_map_ends_the_drive(tmp_path: Path) -> None:
    run = planetfall.drive(hole_drive(tmp_path, **{"path.waypoints": [[-2.0, -2.0], [9.0, -2.0]]}))
    assert run.summary["outcome"] == "off_map"
    assert run.summary["driven_m"] < 6.0


def test_beyond_a_stop_the_way_is_examined_if_asked() -> None:
    field = load_drive("lsr1-boulders").with_values({"drive.goal": "equal", "path.step": 0.02})
    ended, all_of_it = planetfall.drive(field), planetfall.drive(field.with_values({"drive.stop": False}))
    assert ended.summary["outcome"] == all_of_it.summary["outcome"] == "slipping"
    assert ended.data.sizes["time"] < all_of_it.data.sizes["time"]
    assert {event.kind for event in all_of_it.events} >= {"slides", "stands"}
    assert ended.summary["says"].startswith("stops after")
    stood, n = int((all_of_it.data.verdict.values == 0).sum()), all_of_it.data.sizes["time"]
    assert f"stands at {stood} of {n} poses only, first not after" in all_of_it.summary["says"]
    assert "stops" not in all_of_it.summary["says"]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"changes": [{"start": 1.0, "values": {"terrain.model": "dem"}}]}, "cannot change on the way"),
        ({"changes": [{"start": 2.0, "values": {}}, {"start": 1.0, "values": {}}]}, "each must start after"),
        ({"changes": [{"start": 1.0, "values": {"soil.friction": -1.0}}]}, "greater than 0"),
        ({"soil.friction": True}, "must be a number"),
        ({"soil.friction": [1.0]}, "name of a file"),
        ({"soil.friction": float("nan")}, "greater than 0"),
        ({"path.step": 0.0}, "path.step"),
        ({"vehicle.name": "block"}, "unknown key"),
    ],
)
def test_bad_tables_are_refused(values: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        planetfall.drive(load_drive(FLAT).with_values(values))


def test_load_and_load_drive_point_to_each_other() -> None:
    with pytest.raises(InputError, match="load_drive"):
        planetfall.load(FLAT)
    with pytest.raises(InputError, match=r"planetfall\.load in Python"):
        load_drive("msl-drop")


def test_a_drive_that_is_based_on_another_is_told_what_to_do(tmp_path: Path) -> None:
    """It was called no drive at all, with the advice to land it."""
    (tmp_path / "mine.toml").write_text(f'based_on = "{FLAT}"\n')
    with pytest.raises(InputError, match=r"based_on: is for landings; expected a whole drive; .*--set KEY=VALUE"):
        load_drive(tmp_path / "mine.toml")

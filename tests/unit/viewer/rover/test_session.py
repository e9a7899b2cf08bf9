"""A drive that is changed while it is looked at is the drive of a scenario with those changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import planetfall
from planetfall.errors import InputError
from planetfall.rover.kinematics.linkage import side_of
from planetfall.viewer.rover.choices import offered
from planetfall.viewer.rover.controls import changed_values, control_values, controls_of
from planetfall.viewer.rover.session import RoverSession

LEVEL = "lsr1-flat"
"""155 samples on a plane, without a kernel that other tests do not need."""


@pytest.fixture
def session() -> RoverSession:
    return RoverSession(planetfall.load_drive(LEVEL), planetfall.drive, offered())


def time_of(session: RoverSession, sample: int) -> float:
    return float(session.trajectory.data.time.values[sample])


def offline(changes: list[dict[str, Any]], values: dict[str, Any] | None = None) -> xr.Dataset:
    return planetfall.drive(planetfall.load_drive(LEVEL).with_values({**(values or {}), "changes": changes})).data


def test_changes_equal_those_of_a_scenario(session: RoverSession) -> None:
    """The promise of the panel: its numbers are `planetfall.drive` of the same scenario, bit for bit."""
    session.set("rover.mass", 9.0, time_of(session, 40))
    session.set("soil.friction", 0.3, time_of(session, 90))
    distance = session.trajectory.data.distance.values
    expected = offline(
        [
            {"start": float(distance[40]), "values": {"rover.mass": 9.0}},
            {"start": float(distance[90]), "values": {"soil.friction": 0.3}},
        ]
    )
    xr.testing.assert_identical(session.trajectory.data, expected)
    load = expected.contact_normal_force.sum("point").values / 9.81
    assert load[39] == pytest.approx(7.0) and load[40] == pytest.approx(9.0) and load[-1] == pytest.approx(9.0)


def test_a_change_between_two_frames_holds_from_the_one_that_is_shown(session: RoverSession) -> None:
    early, late = time_of(session, 40), time_of(session, 41)
    session.set("rover.mass", 9.0, 0.3 * early + 0.7 * late)
    assert session.scenario.changes[0].start == session.trajectory.data.distance.values[40]


def test_at_the_start_the_drive_itself_is_changed(session: RoverSession) -> None:
    session.set("rover.mass", 9.0, 0.0)
    assert session.scenario.changes == () and session.scenario.rover.mass == 9.0
    xr.testing.assert_identical(session.trajectory.data, offline([], {"rover.mass": 9.0}))


def test_two_changes_at_one_place_are_one(session: RoverSession) -> None:
    session.set("rover.mass", 9.0, time_of(session, 40))
    session.set("rover.payload", 1.0, time_of(session, 40))
    assert [change.values for change in session.scenario.changes] == [{"rover.mass": 9.0, "rover.payload": 1.0}]


def test_a_change_further_back_takes_the_later_ones_away(session: RoverSession) -> None:
    session.set("rover.mass", 9.0, time_of(session, 90))
    session.set("soil.friction", 0.4, time_of(session, 40))
    assert [list(change.values) for change in session.scenario.changes] == [["soil.friction"]]
    session.undo()
    assert [list(change.values) for change in session.scenario.changes] == [["rover.mass"]]


def test_undo_and_redo(session: RoverSession) -> None:
    first = session.trajectory.data
    session.set("rover.mass", 9.0, time_of(session, 40))
    second = session.trajectory.data
    session.set("rover.mass", 11.0, time_of(session, 90))
    session.undo()
    xr.testing.assert_identical(session.trajectory.data, second)
    session.undo()
    xr.testing.assert_identical(session.trajectory.data, first)
    assert (session.n_undo, session.n_redo) == (0, 2)
    session.redo()
    xr.testing.assert_identical(session.trajectory.data, second)
    session.set("rover.mass", 8.0, time_of(session, 90))
    assert session.n_redo == 0  # another way was taken
    with pytest.raises(InputError, match="nothing was taken back"):
        session.redo()
    for _ in range(2):
        session.undo()
    with pytest.raises(InputError, match="nothing was changed"):
        session.undo()


def test_a_slider_that_is_dragged_is_one_step(session: RoverSession) -> None:
    """All values of one gesture are undone together, and the last one holds, from where the rover was then."""
    for sample, mass in ((40, 8.0), (41, 9.0), (42, 10.0)):
        session.set("rover.mass", mass, time_of(session, sample), gesture=1)
    assert session.n_undo == 1
    (change,) = session.scenario.changes
    assert change.values == {"rover.mass": 10.0} and change.start == session.trajectory.data.distance.values[42]
    session.set("rover.mass", 8.0, time_of(session, 42), gesture=2)
    assert session.n_undo == 2
    session.undo()
    session.undo()
    assert session.scenario == planetfall.load_drive(LEVEL)


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("rover.mass", -1.0, "must be greater than 0"),
        ("soil.friction", 0.0, "must be greater than 0"),
        ("rover.linkage.bogie_inner", 5.0, "does not stand outside of the middle wheel"),
        ("rover.name", 1.0, "cannot be changed while the rover drives"),
        ("gravity.acceleration", 1.0, "cannot be changed while the rover drives"),
    ],
)
def test_what_is_not_allowed_leaves_all_as_it_was(session: RoverSession, key: str, value: float, sentence: str) -> None:
    session.set("rover.mass", 9.0, time_of(session, 40))
    before, data = session.scenario, session.trajectory.data
    with pytest.raises(InputError, match=sentence):
        session.set(key, value, time_of(session, 60))
    assert session.scenario == before and session.trajectory.data is data and session.n_undo == 1


def test_the_sentence_is_that_of_the_scenario() -> None:
    scenario = planetfall.load_drive(LEVEL)
    with pytest.raises(InputError) as offline_error:
        planetfall.drive(scenario.with_values({"changes": [{"start": 0.8, "values": {"rover.mass": -1.0}}]}))
    session = RoverSession(scenario, planetfall.drive)
    with pytest.raises(InputError) as error:
        session.set("rover.mass", -1.0, time_of(session, 40))
    assert str(error.value) == str(offline_error.value)


def test_a_rover_that_has_arrived_cannot_be_changed(session: RoverSession) -> None:
    with pytest.raises(InputError, match="has arrived"):
        session.set("rover.mass", 9.0, 1e9)


def test_a_rover_that_stopped_goes_on_once_it_can(tmp_path: Path) -> None:
    """On a slope it slides with little friction; more of it from there on, and it arrives. The folder tells it."""
    slope = planetfall.load_drive("lsr1-flat").with_values({"terrain.slope_deg": 10.0, "terrain.aspect_deg": 270.0})
    session = RoverSession(slope, planetfall.drive)
    session.set("soil.friction", 0.1, time_of(session, 30))
    assert session.trajectory.summary["outcome"] == "slipping"
    assert session.trajectory.data.sizes["time"] == 31
    session.set("soil.friction", 0.8, 1e9)
    assert session.trajectory.summary["outcome"] == "arrived"
    folder = session.trajectory.save(tmp_path / "saved")
    opened = planetfall.open(folder)
    xr.testing.assert_identical(planetfall.drive(opened.scenario).data, opened.data)  # type: ignore[arg-type]
    assert opened.summary["changes"] == [{"start_m": 0.6, "values": {"soil.friction": 0.8}}]
    assert "changed" in (folder / "events.csv").read_text()


def test_controls_of_every_built_in_rover_stand_where_the_rover_is() -> None:
    for name in planetfall.library_names("rovers"):
        scenario = planetfall.load_drive(LEVEL).with_values({"rover.name": name})
        controls = controls_of(scenario)
        assert {"rover.mass", "rover.payload", "soil.friction", "rover.linkage.rocker_wheel"} <= {
            control.key for control in controls
        }
        for control, value in zip(controls, control_values(scenario, controls)[0].values(), strict=True):
            assert control.value == value
            assert control.low <= value <= control.high and control.step > 0, control
            assert (control.high - control.low) / control.step == pytest.approx(150, rel=0.55), control


def test_links_of_a_rover_that_is_given_by_its_joints() -> None:
    """Its other links and both angles stay what they were."""
    scenario = planetfall.load_drive(LEVEL).with_values({"rover.name": "sojourner"})
    rover = scenario.rover
    changed = scenario.with_values(changed_values(rover, "rover.linkage.bogie_outer", 0.15)).rover
    old, new = (side_of(each.linkage, each.bogie, "") for each in (rover, changed))
    np.testing.assert_allclose(new.lengths, [*old.lengths[:3], 0.15], rtol=1e-12)
    np.testing.assert_allclose([new.angles[1], new.angles[3]], [old.angles[1], old.angles[3]], rtol=1e-12)
    session = RoverSession(scenario, planetfall.drive)
    for key, value in (("bogie_outer", 0.15), ("rocker_wheel", 0.27)):
        session.set(f"rover.linkage.{key}", value, time_of(session, 40))
    values = control_values(session.scenario, session.controls)[1]
    assert values["rover.linkage.bogie_outer"] == 0.15 and values["rover.linkage.rocker_wheel"] == 0.27


def test_choices(session: RoverSession, tmp_path: Path) -> None:
    """Another terrain, path, rover or whole drive begins anew with the rover as it is now; undo brings all back."""
    session.set("rover.mass", 9.0, time_of(session, 40))
    session.choose("path", "lsr1-sandslope", time_of(session, 50))
    assert session.scenario.rover.mass == 9.0 and session.scenario.changes == ()
    assert session.scenario.path.waypoints == ((0.0, 0.0), (3.0, 0.0))
    assert session.chosen["path"] == "lsr1-sandslope" and session.chosen["terrain"] == LEVEL
    session.choose("terrain", "lsr1-sandslope", 0.0)
    assert session.trajectory.data.rover_pitch.values[0] == pytest.approx(np.radians(8.0), rel=1e-9)
    assert session.scenario.scenario.title.endswith("corner; path: lsr1-sandslope; terrain: lsr1-sandslope")
    session.choose("path", LEVEL, 0.0)
    assert session.scenario.scenario.title.endswith("corner; terrain: lsr1-sandslope; path: lsr1-flat")
    session.undo()
    session.choose("rover", "sojourner", 0.0)
    assert session.scenario.rover.mass == 11.0 and session.controls[0].high == 22.0
    session.choose("goal", "equal", 0.0)
    assert session.scenario.drive.goal == "equal"
    session.choose("drive", LEVEL, 0.0)
    assert session.scenario == planetfall.load_drive(LEVEL)
    for _ in range(5):
        session.undo()
    assert session.scenario.changes[0].values == {"rover.mass": 9.0} and session.chosen["rover"] == "lsr-1"


def test_files_are_chosen_only_if_they_were_offered(tmp_path: Path) -> None:
    drive, path, map_file = tmp_path / "mine.toml", tmp_path / "way.csv", tmp_path / "ground.npy"
    drive.write_text(
        '[scenario]\nname = "mine"\n[gravity]\nmodel = "uniform"\nacceleration = 3.7\n[terrain]\nmodel = "plane"\n'
        '[rover]\nname = "lsr-1"\n[soil]\nlaw = "coulomb"\nfriction = 0.5\n[path]\nwaypoints = [[0, 0], [1, 0]]\n'
    )
    path.write_text("east, north\n0, 0  # here\n1.0, 0.5\n")
    np.save(map_file, np.zeros((9, 9)))
    session = RoverSession(planetfall.load_drive(LEVEL), planetfall.drive, offered([drive, path, map_file]))
    session.choose("path", str(path), 0.0)
    assert session.scenario.path.waypoints == ((0.0, 0.0), (1.0, 0.5))
    assert session.scenario.path.corner_radius == 1.0  # what the table does not say stays
    with pytest.raises(InputError, match="spacing"):
        session.choose("terrain", str(map_file), 0.0)  # its own rules hold for it
    session.choose("drive", str(drive), 0.0)
    assert session.scenario.name == "mine"
    for name in (str(tmp_path / "other.toml"), "/etc/passwd"):
        with pytest.raises(InputError, match="is not offered"):
            session.choose("drive", name, 0.0)
    with pytest.raises(InputError, match="no such choice"):
        session.choose("planet", "mars", 0.0)
    with pytest.raises(InputError, match="no such file"):
        offered([tmp_path / "none.toml"])
    empty = tmp_path / "empty.toml"
    empty.write_text("[terrain]\n")
    with pytest.raises(InputError, match="neither a drive nor a path"):
        offered([empty])


def test_where_the_rover_cannot_stand_nothing_changes(session: RoverSession) -> None:
    before = session.scenario
    session.choose("terrain", "lsr1-step", 0.0)
    with pytest.raises(InputError, match="cannot stand at the first one"):
        session.choose("path", "msl-class-yard", 0.0)
    session.undo()
    assert session.scenario == before

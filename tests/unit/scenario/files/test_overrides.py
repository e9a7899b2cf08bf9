"""Changing keys by dotted path."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import planetfall
from planetfall import InputError, Scenario
from planetfall.scenario.drive import load_drive
from planetfall.scenario.files.overrides import SELECTORS, apply_values


def msl() -> Scenario:
    return planetfall.load("msl-drop")


def test_a_key_is_changed_and_the_rest_is_not() -> None:
    changed = msl().with_values({"contact.rest_penetration": 0.02})
    assert changed.contact.rest_penetration == 0.02
    back = changed.with_values({"contact.rest_penetration": 0.01, "scenario.title": msl().scenario.title})
    assert back == msl()


def test_the_original_is_left_alone() -> None:
    scenario = msl()
    before = copy.deepcopy(scenario.to_dict())
    scenario.with_values({"vehicle.points.0.position.2": 9.0, "scenario.name": "other"})
    assert scenario.to_dict() == before


def test_scenarios_are_frozen() -> None:
    with pytest.raises(Exception, match="frozen"):
        msl().vehicle.mass = 3.0  # type: ignore[misc]


def test_keys_with_defaults_can_be_given() -> None:
    assert msl().with_values({"outcome.rest_hold": 2.0}).outcome.rest_hold == 2.0


def test_lists_are_reached_by_index() -> None:
    changed = msl().with_values({"vehicle.points.1.position.2": -2.0, "vehicle.points.1.name": "front"})
    assert changed.vehicle.points[1].position == (0.8944, -1.0625, -2.0)
    assert changed.vehicle.points[1].name == "front"
    assert changed.vehicle.points[0] == msl().vehicle.points[0]


@pytest.mark.parametrize("index", ["4", "-1", "x", "1.5", ""])
def test_no_such_index(index: str) -> None:
    with pytest.raises(InputError, match=r"vehicle\.points\.*"):
        msl().with_values({f"vehicle.points.{index}.name": "x"})


def test_a_value_is_no_table() -> None:
    with pytest.raises(
        InputError, match=r"scenario\.duration holds a value, not a table; set scenario\.duration itself"
    ):
        msl().with_values({"scenario.duration.seconds": 5.0})


def test_whole_tables_can_be_replaced() -> None:
    changed = msl().with_values({"initial": {"height": 1.0}})
    assert changed.initial.height == 1.0
    assert changed.initial.euler_ned_deg is None


def test_none_takes_a_key_back_to_its_default() -> None:
    changed = msl().with_values({"initial.euler_ned_deg": None, "initial.attitude": [0.0, 0.0, 0.0, 1.0]})
    assert changed.initial.attitude == (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("path", "value", "dropped"),
    [
        ("integrator.method", "adaptive", "step"),
        ("gravity.model", "point", "acceleration"),
        ("vehicle.name", "block", "mass"),
        ("target.name", "none", "gm"),
    ],
)
def test_a_new_choice_drops_what_belonged_to_the_old(path: str, value: str, dropped: str) -> None:
    table = path.partition(".")[0]
    authored = msl().to_dict()
    assert dropped in authored[table]
    assert apply_values(authored, {path: value})[table] == {path.partition(".")[2]: value}
    assert msl().with_values({path: value}).to_dict()[table] != authored[table]


@pytest.mark.parametrize("path", [f"{table}.{key}" for table, key in SELECTORS.items()])
def test_the_same_choice_drops_nothing(path: str) -> None:
    table, _, key = path.partition(".")
    scenario = load_drive("lsr1-flat") if table in ("rover", "soil") else msl()
    if table in ("detector", "flight"):
        scenario = planetfall.load("msl-skycrane")
    assert scenario.with_values({path: scenario.to_dict()[table][key]}) == scenario


@pytest.mark.parametrize("selector_first", [True, False])
def test_keys_set_beside_a_new_choice_stay(selector_first: bool) -> None:
    values = {"integrator.method": "adaptive", "integrator.tolerance": 1e-7, "integrator.max_step": 0.5}
    if not selector_first:
        values = dict(reversed(values.items()))
    changed = msl().with_values(values).integrator
    assert (changed.method, changed.tolerance, changed.max_step) == ("adaptive", 1e-7, 0.5)


def test_one_of_two_keys_takes_the_place_of_the_other() -> None:
    """The base starts at a radius: the altitude of a variant is meant in its place; both at once are refused."""
    entry = planetfall.load("mars-entry-lifting")
    assert entry.initial.radius is not None
    by_altitude = entry.with_values({"initial.altitude": 125e3})
    assert (by_altitude.initial.altitude, by_altitude.initial.radius) == (125e3, None)
    assert by_altitude.with_values({"initial.radius": entry.initial.radius}).initial.altitude is None
    with pytest.raises(InputError, match=r"initial\.altitude: initial\.radius is given, too"):
        entry.with_values({"initial.altitude": 125e3, "initial.radius": 3522200.0})
    landing = planetfall.load("insight-edl", {"companions.0.initial.radius": 3522200.0})
    start = landing.companions[0].initial
    assert (start.altitude, start.radius) == (None, 3522200.0)


def test_a_new_vehicle_brings_its_own_numbers() -> None:
    changed = msl().with_values({"vehicle.name": "block", "vehicle.mass": 120.0})
    assert changed.vehicle.mass == 120.0
    assert changed.vehicle.up == (0.0, 0.0, 1.0)
    assert [point.name for point in changed.vehicle.points] == ["north-east", "south-east", "south-west", "north-west"]


def test_changes_can_be_stacked() -> None:
    once = msl().with_values({"contact.rest_penetration": 0.02, "terrain.slope_deg": 10.0})
    twice = msl().with_values({"contact.rest_penetration": 0.02}).with_values({"terrain.slope_deg": 10.0})
    assert once == twice
    assert hash(once) == hash(twice)


def test_copies_and_pickles_can_still_be_changed() -> None:
    for other in (copy.deepcopy(msl()), pickle.loads(pickle.dumps(msl()))):
        assert other == msl()
        assert other.with_values({"vehicle.mass": 5.0}).vehicle.mass == 5.0


def test_scenarios_made_in_python_can_be_changed() -> None:
    """Not only those that `load` made."""
    made = Scenario.model_validate(msl().to_dict())
    assert made == msl()
    assert made.with_values({"vehicle.mass": 5.0}).vehicle.mass == 5.0


def test_tuples_are_lists() -> None:
    changed = msl().with_values({"initial.velocity": (1.0, 2.0, 3.0)})
    assert changed.with_values({"initial.velocity.0": 5.0}).initial.velocity == (5.0, 2.0, 3.0)


def test_lists_that_hold_their_default_are_reached_by_index() -> None:
    """The built-in drop does not write its velocity down; it has one all the same."""
    assert msl().with_values({"initial.velocity.2": -1.0}).initial.velocity == (0.0, 0.0, -1.0)


def test_equal_scenarios_have_equal_hashes() -> None:
    plus, minus = (msl().with_values({"initial.velocity": [zero, 0.0, 0.0]}) for zero in (0.0, -0.0))
    assert plus == minus
    assert hash(plus) == hash(minus)


def test_a_component_may_be_as_small_as_rounding_leaves_it() -> None:
    """cos(90 degrees) is 6e-17 in floating point, and a product of three of them 2e-49: still a direction."""
    hair = float(np.cos(np.pi / 2)) ** 3
    assert 0 < hair < 1e-40
    changed = msl().with_values({"gravity.direction": [hair, 0.0, -1.0], "initial.velocity": [0.0, hair, 0.0]})
    assert changed.gravity.direction[0] == hair


SWEPT = {"distribution": "grid", "steps": [0.2, 0.5, 0.8]}


@pytest.mark.parametrize("path", ["dispersions.contact", "dispersions.contact.restitution"])
def test_an_empty_table_takes_a_dispersion_out(path: str) -> None:
    """Of a key, or of all keys of a table; the others stay, and what is given after it comes in."""
    scenario = planetfall.load("settle-sweep")
    assert sorted(scenario.with_values({path: {}}).dispersions) == ["initial.attitude", "initial.velocity"]
    other = scenario.with_values({path: {}, "dispersions.contact.friction": SWEPT})
    assert sorted(other.dispersions) == ["contact.friction", "initial.attitude", "initial.velocity"]
    elsewhere = scenario.with_values({path: {}, "dispersions.vehicle.mass": SWEPT})
    assert sorted(elsewhere.dispersions) == ["initial.attitude", "initial.velocity", "vehicle.mass"]


def test_dispersions_are_taken_out_before_others_are_given() -> None:
    """Whatever the order, which has no meaning in a TOML file: what is given with an empty table is never lost."""
    scenario = planetfall.load("settle-sweep")
    for empty in ("dispersions.contact", "dispersions"):
        values = {"dispersions.contact.friction": SWEPT, empty: {}}
        for order in (values, dict(reversed(values.items()))):
            found = scenario.with_values(order).dispersions
            assert found["contact.friction"].distribution == "grid"
            assert len(found) == (1 if empty == "dispersions" else 3)
    assert scenario.with_values({"dispersions": {}}).dispersions == {}


@pytest.mark.parametrize("path", ["dispersions.contct", "dispersions.contact.friction", "dispersions.contact.rest"])
def test_taking_out_what_is_not_there_is_refused(path: str) -> None:
    """It names what there is; a key is no beginning of another word."""
    with pytest.raises(InputError, match=r"no dispersion to remove; dispersed keys are: contact\.restitution, initial"):
        planetfall.load("settle-sweep").with_values({path: {}})


def test_an_empty_list_says_where_there_are_entries():
    """The lander of a whole landing has no parachute: the backshell has it."""
    with pytest.raises(InputError) as refused:
        planetfall.load("insight-edl", {"vehicle.parachutes.0.diameter": 15.0})
    said = str(refused.value)
    assert "the list vehicle.parachutes is empty" in said
    assert "parachutes are in companions.0.vehicle.parachutes" in said


@pytest.mark.parametrize(("name", "carrier"), [("insight-edl", 0), ("msl-edl", 1)])
def test_a_start_of_what_is_carried_names_the_start_of_the_flight(name, carrier):
    """Through all carriers: the rover is on the stage, which is on the backshell."""
    with pytest.raises(InputError) as refused:
        planetfall.load(name, {"initial.flight_path_deg": -15.0})
    said = str(refused.value)
    assert said.startswith("initial.flight_path_deg: ")
    assert f"set companions.{carrier}.initial.flight_path_deg" in said
    moved = planetfall.load(name, {f"companions.{carrier}.initial.flight_path_deg": -15.0})
    assert moved.starts[carrier + 1].flight_path_deg == -15.0

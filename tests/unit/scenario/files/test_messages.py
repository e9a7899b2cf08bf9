"""Bad input is answered with the key, the value and its unit, what is allowed, and what to do: one paragraph."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall import InputError

BAD: list[tuple[dict[str, Any], str]] = [
    ({"vehicle.mass": math.nan}, r"^vehicle\.mass: is nan kg; it must be a finite number"),
    ({"vehicle.mass": math.inf}, r"^vehicle\.mass: is inf kg; it must be a finite number"),
    ({"vehicle.mass": -5.0}, r"^vehicle\.mass: is -5\.0 kg; it must be greater than 0"),
    ({"vehicle.mass": 0}, r"^vehicle\.mass: is 0 kg; it must be greater than 0"),
    ({"vehicle.mass": "heavy"}, r"^vehicle\.mass: is 'heavy'; it must be a number"),
    ({"initial.velocity": [0, math.nan, 0]}, r"^initial\.velocity\.1: is nan m/s; it must be a finite number"),
    ({"vehicle.points.2.position.0": math.nan}, r"^vehicle\.points\.2\.position\.0: is .*; it must be a finite number"),
    ({"vehicle.inertia": [1.0, 1.0, 2.1]}, r"^vehicle\.inertia: .*triangle inequality, but 1 \+ 1 < 2\.1 kg m\^2"),
    ({"vehicle.inertia": [1.0, 0.0, 1.0]}, r"^vehicle\.inertia: principal moments must be positive"),
    ({"vehicle.inertia": [1.0, -1.0, 1.0]}, r"^vehicle\.inertia: principal moments must be positive"),
    (
        {"vehicle.inertia": [[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]},
        r"^vehicle\.inertia: .*must be symmetric",
    ),
    (
        {"terrain": {"model": "plane", "normal": [0.0, 0.0, 1.1]}},
        r"^terrain\.normal: a unit vector must have length 1 \(within 1e-6\), this one has 1\.1",
    ),
    ({"terrain.normal": [0.0, 0.0, 1.0]}, r"^terrain\.normal: give either normal or slope_deg"),
    (
        {"initial.attitude": [0.0, 0.0, 0.0, 1.0], "initial.euler_ned_deg": [0.0, 0.0, 0.0]},
        r"^initial\.attitude: give either attitude or euler_ned_deg",
    ),
    ({"initial": {"attitude": [0.5, 0.0, 0.0, 1.0]}}, r"^initial\.attitude: a unit quaternion must have length 1"),
    ({"contact.sliding_angle_deg": 33.0}, r"^contact\.sliding_angle_deg: theta2 = 33\.0 deg exceeds .* 32\.0 deg"),
    ({"contact.sliding_speed": 0.05}, r"^contact\.sliding_speed: V2 = 0\.05 m/s must exceed .* 0\.05 m/s"),
    ({"contact.breakaway_speed": 0.2}, r"^contact\.sliding_speed: V2 = 0\.1 m/s must exceed .* 0\.2 m/s"),
    ({"contact.loaded_points": 0}, r"^contact\.loaded_points: 0 points cannot carry load; at least 1"),
    ({"contact.clamp": "perhaps"}, r"^contact\.clamp: is 'perhaps'; it must be true or false"),
    ({"contact.mass_share": "half"}, r"^contact\.mass_share: is 'half'; it must be 'whole' or 'per-point'"),
    ({"integrator.step": 0}, r"^integrator\.step: is 0 s; it must be greater than 0"),
    ({"integrator.method": "euler"}, r"^integrator\.method: unknown 'euler'; expected one of 'rk4', 'adaptive'"),
    (
        {"gravity.model": "mascons"},
        r"^gravity\.model: unknown 'mascons'; expected one of 'uniform'.*'point'.*'j2'.*'none'",
    ),
    ({"terrain.model": "voxels"}, r"^terrain\.model: unknown 'voxels'; expected one of 'plane'"),
    ({"contact.law": "anchors"}, r"^contact\.law: unknown 'anchors'; did you mean 'anchor'\? expected one of 'marker'"),
    ({"scenario.duration": -1}, r"^scenario\.duration: is -1 s; it must be greater than 0"),
    ({"scenario.name": 5}, r"^scenario\.name: is 5; it must be text"),
    (
        {"scenario.name": "../x"},
        r"^scenario\.name: is '\.\./x'; it must have letters, begin with neither a dot .* no slash, .*",
    ),
    ({"scenario": 5}, r"^scenario: is 5; it must be a table; in the values given over msl-drop$"),
    ({"terrain": 5}, r"^terrain: is 5; it must be a table"),
    ({"forces": [3]}, r"^forces\.0: is 3; it must be a table"),
    ({"forces": 3}, r"^forces: is 3; it must be a list"),
    ({"initial.velocity": 5}, r"^initial\.velocity: is 5 m/s; it must be a list of 3"),
    ({"initial.velocity": "1,2,3"}, r"^initial\.velocity: is '1,2,3'; it must be a list of 3, in brackets: \[1,2,3\]"),
    (
        {"vehicle.inertia": [1, 2]},
        r"^vehicle\.inertia: is \[1, 2\] kg m\^2; it must be three principal values or a 3 x 3 matrix, not 2; meaning",
    ),
    ({"initial.velocity": [1, 2, 3, 4]}, r"^initial\.velocity: is \[1, 2, 3, 4\] m/s; it must be a list of 3"),
    (
        {"terrain.normal": "up"},
        r"^terrain\.normal: is 'up'; it must be a list of 3; meaning: outward unit normal, [^\[]*$",
    ),
    ({"contact.loaded_points": 1.5}, r"^contact\.loaded_points: is 1\.5; it must be a whole number"),
    ({"vehicle.points.0.name": ""}, r"^vehicle\.points\.0\.name: is ''; it must have at least 1 letter"),
    ({"scenario.title": True}, r"^scenario\.title: is true; it must be text"),
    (
        {"vehicle.mass": {"kg": 1}},
        r"^vehicle\.mass: must be a number; meaning: mass of the vehicle at the start \[kg\]",
    ),
    (
        {"vehicle.mass": 1e300},
        r"^vehicle\.mass: is 1e\+300 kg; it must be zero, or 1e-40 to 1e40 in magnitude; meaning",
    ),
    (
        {"initial.velocity.0": -1e200},
        r"^initial\.velocity\.0: is -1e\+200 m/s; it must be zero, .*; .*over msl-drop$",
    ),
    ({"record.interval": 1e-310}, r"^record\.interval: is 1e-310 s; it must be zero, .*"),
    ({"contact.rest_penetration": True}, r"^contact\.rest_penetration: must be a number, not true; meaning: .*\[m\]"),
    ({"contact.loaded_points": True}, r"^contact\.loaded_points: must be a number, not true"),
    (
        {"initial.velocity": [0.0, False, 0.0]},
        r"^initial\.velocity\.1: must be a number, not false; meaning: .*\[m/s\]",
    ),
    ({"vehicle.points.2.position.0": True}, r"^vehicle\.points\.2\.position\.0: must be a number, not true"),
    ({"vehicle.inertia": [1.0, True, 1.0]}, r"^vehicle\.inertia\.1: must be a number, not true"),
    ({"initial.height": False}, r"^initial\.height: must be a number, not false"),
    ({"record.interval": 0.0}, r"^record\.interval: is .*; it must be greater than 0"),
    ({"terrain.slope_deg": 90.0}, r"^terrain\.slope_deg: is 90\.0 deg; it must be less than 90"),
    ({"contact.rest_penetratoin": 0.1}, r"unknown key; did you mean contact\.rest_penetration\? legal keys: "),
    ({"vehicle.points.0.nam": "x"}, r"^vehicle\.points\.0\.nam: unknown key; did you mean vehicle\.points\.0\.name\?"),
    (
        {"contact.friction": 0.5},  # no key of the marker law has the word in its name; two have it in their meaning
        r"unknown key; did you mean contact\.breakaway_angle_deg or contact\.sliding_angle_deg\? legal keys: ",
    ),
    ({"contact.damping": 0.5}, r"unknown key; did you mean contact\.damping_ratio\? legal keys: "),
    ({"integrator.stepp": 0.1}, r"^integrator\.stepp: unknown key; did you mean integrator\.step\?"),
    (
        {"contct.clamp": True},
        r"^contct: unknown key; did you mean contact\? legal keys: atmosphere, cases, companions, comparison, contact,",
    ),
    ({"zzz.rate": 64}, r"^zzz: unknown key; legal keys: atmosphere, cases, companions, comparison, contact, detector"),
    ({"slope_deg": 15}, r"^slope_deg: unknown key; did you mean terrain\.slope_deg\? legal keys: atmosphere, cases, "),
    (
        {"model": "point"},
        r"^model: unknown key; did you mean gravity\.model or atmosphere\.model or terrain\.model\? legal",
    ),
    ({"flight.rate": 64}, r"^flight\.controller: missing"),
    ({"initial.velocity": [1.0, 2.0]}, r"^initial\.velocity\.2: missing"),
    ({"target.spin_axis": [0.0, 0.0, 3.0]}, r"^target\.spin_axis: a unit vector must have length 1"),
    ({"target.attitude": [0.0, 0.0, 0.0, 2.0]}, r"^target\.attitude: a unit quaternion must have length 1"),
    ({"target.frame": "P", "target.center": [0.0, 0.0, 1.0]}, r"^target\.center: frame P has its origin at"),
    ({"vehicle.points.1.name": "wheel 1"}, r"^vehicle\.points: names must differ"),
    ({"gravity": {"model": "none"}}, r"^contact\.reference_gravity: without gravity .* give it in m/s\^2"),
    ({"target.name": "none", "gravity.model": "point"}, r"^target\.gm: gravity\.model = 'point' needs it"),
    ({"target.j2": 0.0, "gravity.model": "j2"}, r"^target\.j2: gravity\.model = 'j2' needs it"),
]


@pytest.mark.parametrize(
    ("values", "message"), BAD, ids=[next(iter(v)) + f"={next(iter(v.values()))!r:.20}" for v, _ in BAD]
)
def test_bad_value(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        planetfall.load("msl-drop").with_values(values)
    text = str(caught.value)
    assert re.search(message, text), text
    assert "\n" not in text
    assert len(text) < 700


PYTHON = re.compile(
    r"tuple|dictionary|instance of|pydantic|valid |unable to|Input|String should|pattern", re.IGNORECASE
)


@pytest.mark.parametrize("value", [True, "x", 3, 2.5, [1], [[]], {}, {"x": 1}, None], ids=repr)
def test_no_message_speaks_of_python(value: Any) -> None:
    """Every key of a scenario, and every table, given something else."""
    scenario = planetfall.load("msl-drop").with_values({"forces": [FORCE]})
    authored = scenario.to_dict()
    paths = [table for table in authored] + [
        f"{table}.{key}" for table, keys in authored.items() if isinstance(keys, dict) for key in keys
    ]
    for path in [*paths, "forces.0", "forces.0.times", "vehicle.points.0", "vehicle.points.0.name", "initial.attitude"]:
        try:
            scenario.with_values({path: value})
        except InputError as error:
            assert not PYTHON.search(str(error)), str(error)


def test_a_message_names_the_file_that_values_were_set_over(tmp_path: Path) -> None:
    import tomli_w

    from planetfall.cli.terminal.inputs import scenario_with_sets

    path = tmp_path / "mine.toml"
    path.write_text(tomli_w.dumps(planetfall.load("msl-drop").to_dict()))
    for name in (str(path), "msl-drop"):
        with pytest.raises(InputError, match=rf"in the values of --set over {re.escape(name)}$"):
            scenario_with_sets(name, ["vehicle.mass=-5"])


@pytest.mark.parametrize("name", ["", "../x", "a/b", "a\\b", "..", ".hidden", " ", "a\0b", "a\nb"])
def test_a_scenario_is_called_what_a_folder_can_be_called(name: str) -> None:
    with pytest.raises(InputError, match=r"^scenario\.name: "):
        planetfall.load("msl-drop").with_values({"scenario.name": name})


@pytest.mark.parametrize("name", ["drop", "drop 2", "drop-2_b", "火星", "Drop (v1.2)"])
def test_other_names_are_fine(name: str) -> None:
    assert planetfall.load("msl-drop").with_values({"scenario.name": name}).name == name


FORCE = {"kind": "push", "direction": [1.0, 0.0, 0.0], "times": [0.0, 1.0], "magnitudes": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"times": [0.0, 0.0]}, r"^forces\.0\.times: instants must rise, these are \[0\.0, 0\.0\] s"),
        ({"times": [1.0, 0.0]}, r"^forces\.0\.times: instants must rise"),
        ({"times": [0.0]}, r"^forces\.0\.times: .*at least two instants and as many magnitudes; these are 1 and 2"),
        ({"kind": "pull"}, r"^forces\.0\.kind: unknown 'pull'; expected one of 'push', 'thruster'"),
        ({"direction": [1.0, 1.0, 0.0]}, r"^forces\.0\.direction: a unit vector must have length 1"),
        ({"magnitudes": [1.0, math.inf]}, r"^forces\.0\.magnitudes\.1: is inf N; it must be a finite number"),
    ],
)
def test_bad_force(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        planetfall.load("msl-drop").with_values({"forces": [{**FORCE, **changed}]})


@pytest.mark.parametrize(
    ("table", "key"), [("scenario", "duration"), ("vehicle", "name"), ("contact", "rest_penetration")]
)
def test_missing_key_says_what_it_is(table: str, key: str) -> None:
    values = planetfall.load("free-top").to_dict()
    del values[table][key]
    from planetfall.scenario.files.load import scenario_from_dict

    with pytest.raises(InputError, match=rf"^{table}\.{key}: missing; meaning: .*; add it in my-file"):
        scenario_from_dict(values, "my-file")


@pytest.mark.parametrize("table", ["gravity", "integrator"])
def test_missing_selector_is_named(table: str) -> None:
    values = planetfall.load("free-top").to_dict()
    values[table] = {}
    from planetfall.scenario.files.load import scenario_from_dict

    with pytest.raises(InputError, match=rf"^{table}\.(model|method): missing"):
        scenario_from_dict(values)


def test_several_problems_are_counted_and_named() -> None:
    with pytest.raises(InputError, match=r"\(and 1 more problem: [a-z_.]+\)"):
        planetfall.load("msl-drop").with_values({"vehicle.mass": -1.0, "scenario.duration": -1.0})


def test_the_parts_of_an_error_are_kept() -> None:
    with pytest.raises(InputError) as caught:
        planetfall.load("msl-drop").with_values({"vehicle.mass": -5.0})
    error = caught.value
    assert error.where == "vehicle.mass"
    assert "[kg]" in error.problem
    assert isinstance(error, planetfall.PlanetfallError)


@pytest.mark.parametrize(
    ("values", "legal"),
    [
        ({"integrator.method": "adaptive", "integrator.step": 1e-3}, {"max_step", "method", "tolerance"}),
        ({"integrator.tolerance": 1e-9}, {"accept_step", "method", "step"}),
        ({"gravity.model": "point", "gravity.acceleration": 3.7}, {"model"}),
    ],
)
def test_keys_of_another_choice_are_not_called_legal(values: dict[str, Any], legal: set[str]) -> None:
    """A key of RK4 in an adaptive table is unknown there; it is not its own nearest legal name."""
    with pytest.raises(InputError) as caught:
        planetfall.load("msl-drop").with_values(values)
    text = str(caught.value)
    assert f"did you mean {caught.value.where}?" not in text
    listed = re.search(r"legal keys: ([^;]*)", text)
    assert listed is not None
    assert set(listed[1].split(", ")) == legal


def test_a_number_of_numpy_is_shown_as_a_number() -> None:
    with pytest.raises(
        InputError, match=r"initial\.longitude_deg: is 557\.5 deg; it must be less than or equal to 360"
    ):
        planetfall.load("mars-entry-ballistic", {"initial.longitude_deg": np.float64(557.5)})

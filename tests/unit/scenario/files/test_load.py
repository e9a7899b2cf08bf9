"""Where scenarios come from: names, files, and what is said when there is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import planetfall
from planetfall import InputError
from planetfall.scenario.files.load import scenario_from_dict

SHORT = """
[scenario]
name = "short"
duration = 1.0
[gravity]
model = "uniform"
acceleration = 1.62
[terrain]
model = "plane"
[vehicle]
name = "block"
[contact]
law = "marker"
rest_penetration = 0.01
damping_ratio = 0.3
breakaway_angle_deg = 32.0
sliding_angle_deg = 27.0
breakaway_speed = 0.05
sliding_speed = 0.10
[integrator]
method = "adaptive"
"""


def test_issue_names_are_built_in() -> None:
    assert {"msl-drop", "slope-slide", "sink-flat", "free-top"} <= set(planetfall.library_names())
    assert {"msl-rover", "block"} <= set(planetfall.library_names("vehicles"))
    assert {"mars", "moon", "earth"} <= set(planetfall.library_names("bodies"))


@pytest.mark.parametrize("name", planetfall.library_names())
def test_built_in_scenarios_are_called_what_their_files_are(name: str) -> None:
    scenario = planetfall.load(name)
    assert scenario.name == name
    assert scenario.scenario.title


def test_msl_drop_has_the_defaults_of_the_papers_table() -> None:
    """Table 1 of Raiszadeh2012; V1 and V2 are ours, and the step is a quarter of its 1 ms: three digits are true."""
    s = planetfall.load("msl-drop")
    assert (s.integrator.method, s.integrator.step, s.scenario.duration) == ("rk4", 2.5e-4, 10.0)
    assert (s.contact.breakaway_speed, s.contact.sliding_speed) == (0.05, 0.10)
    assert (s.contact.mass_share, s.contact.clamp) == ("whole", True)
    assert (s.initial.height, s.initial.height_along) == (2.0, "vertical")
    assert (s.gravity.acceleration, s.terrain.slope_deg, s.vehicle.mass) == (3.7132, 22.0, 899.18)


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "short.toml"
    path.write_text(SHORT, encoding="utf-8")
    assert planetfall.load(path).name == "short"
    assert planetfall.load(str(path)) == planetfall.load(path)


@pytest.mark.parametrize("name", ["spaces in it.toml", "火星-ünï.toml", "no-extension"])
def test_file_names_may_be_odd(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(SHORT, encoding="utf-8")
    assert planetfall.load(tmp_path / name).name == "short"


def test_a_byte_order_mark_and_crlf_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "windows.toml"
    path.write_bytes(b"\xef\xbb\xbf" + SHORT.replace("\n", "\r\n").encode())
    assert planetfall.load(path).name == "short"


def test_unknown_name_offers_the_nearest_and_says_where_all_are() -> None:
    with pytest.raises(InputError, match=r"'msl-dorp': no such built-in scenario; did you mean msl-drop\?") as caught:
        planetfall.load("msl-dorp")
    assert "planetfall list" in str(caught.value)
    assert ".toml" in str(caught.value)


@pytest.mark.parametrize(("load", "what"), [(planetfall.load, "scenario"), (planetfall.load_drive, "drive")])
def test_a_map_is_no_scenario_but_its_terrain(load: Callable[[str], object], what: str) -> None:
    asked = rf"a\.TIF: is an elevation map, not a {what}; .*; name a {what}, and .* --set terrain\.file=a\.TIF"
    with pytest.raises(InputError, match=asked):
        load("a.TIF")


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.toml: no such file"):
        planetfall.load(tmp_path / "nowhere.toml")


def test_a_folder_is_no_scenario(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(InputError, match=r"folder\.toml: is a folder"):
        planetfall.load(tmp_path / "folder.toml")


@pytest.mark.parametrize("content", [b"not toml at all", b"[scenario\n", b"a = 1\na = 2\n"])
def test_what_is_not_toml_is_said_to_be_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.toml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"broken\.toml: not TOML: .*(line|end of document)"):
        planetfall.load(path)


def test_what_is_not_text_is_said_to_be_so(tmp_path: Path) -> None:
    path = tmp_path / "binary.toml"
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(InputError, match=r"binary\.toml: is not text in UTF-8"):
        planetfall.load(path)


def test_an_empty_file_lacks_its_tables(tmp_path: Path) -> None:
    path = tmp_path / "empty.toml"
    path.write_text("")
    with pytest.raises(InputError, match=r"scenario: missing.*empty\.toml.*5 more problems"):
        planetfall.load(path)


def test_built_in_vehicle_and_body_bring_their_numbers() -> None:
    scenario = planetfall.load("sink-flat").with_values({"target": {"name": "moon", "spin_rate": 0.0}})
    assert scenario.vehicle.mass == 100.0
    assert len(scenario.vehicle.points) == 4
    assert scenario.target.gm == 4.9028e12
    assert scenario.target.source


def test_given_numbers_stand_over_built_in_ones() -> None:
    scenario = planetfall.load("msl-drop").with_values({"vehicle": {"name": "msl-rover", "mass": 950.0}})
    assert scenario.vehicle.mass == 950.0
    assert len(scenario.vehicle.points) == 4


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"vehicle.name": "msl-rovr"}, r"vehicle\.name: no built-in vehicle 'msl-rovr'; did you mean msl-rover\?"),
        ({"target.name": "marz"}, r"target\.name: no built-in target 'marz'; did you mean mars\?"),
        (
            {"target.name": "vesta"},
            r"no built-in target 'vesta'.* expected one of 67p, bennu, deimos, .*, phobos, ryugu; or give target\.gm",
        ),
    ],
)
def test_unknown_vehicles_and_bodies_list_the_known(values: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        planetfall.load("msl-drop").with_values(values)


def test_a_body_of_your_own_needs_only_its_numbers() -> None:
    own = {"target": {"name": "bennu", "gm": 4.89, "radius": 245.0, "spin_rate": 4.06e-4, "frame": "P"}}
    assert planetfall.load("sink-flat").with_values(own).target.gm == 4.89


def test_a_shape_of_your_own_may_get_its_mass_from_the_density() -> None:
    """A name of one's own without GM is no slip of the pen where a shape is given."""
    own = {"target": {"name": "mine", "shape": "bilobed-comet", "frame": "P"}}
    given = planetfall.load("minerva-67p").to_dict() | own
    given["gravity"] = {"model": "grid", "density": 500.0}
    assert scenario_from_dict(given).gravity.density == 500.0


def test_plain_values_need_no_file() -> None:
    values = planetfall.load("msl-drop").to_dict()
    assert scenario_from_dict(values) == planetfall.load("msl-drop")


@pytest.mark.parametrize("ask", [planetfall.run, lambda given: planetfall.montecarlo(given, 3)])
def test_what_is_no_scenario_cannot_be_run(ask: Callable[[Any], Any]) -> None:
    """The message says what to do with it."""
    with pytest.raises(InputError, match="expected a Scenario, got the number 7"):
        ask(7)
    with pytest.raises(InputError, match="did you mean msl-drop"):
        ask("msl-dropp")
    with pytest.raises(InputError, match="lsr1-flat: is the drive of a rover"):
        ask("lsr1-flat")
    with pytest.raises(InputError, match="expected a Scenario, got the DriveScenario"):
        ask(planetfall.load_drive("lsr1-flat"))

"""A changed scenario says what was changed, wherever its title is told."""

from __future__ import annotations

from pathlib import Path

import tomli_w

import planetfall
from planetfall.scenario.drive import load_drive
from planetfall.scenario.files.built_in import library_names
from planetfall.scenario.files.changed_keys import changes_text, full_title
from planetfall.scenario.files.load import load, scenario_from_dict


def test_a_changed_key_is_told_with_its_value() -> None:
    scenario = load("msl-drop", {"terrain.slope_deg": 10.0})
    assert changes_text(scenario) == "changed: terrain.slope_deg = 10"
    assert full_title(scenario).endswith("22 degree slope on Mars; changed: terrain.slope_deg = 10")
    later = scenario.with_values({"initial.velocity": [1.0, 0.0, 0.0], "terrain.slope_deg": 5.0})
    assert changes_text(later) == "changed: initial.velocity = [1, 0, 0], terrain.slope_deg = 5"
    assert changes_text(load_drive("lsr1-step", {"soil.friction": 0.31})) == "changed: soil.friction = 0.31"


def test_what_changes_nothing_is_not_told() -> None:
    scenario = load("msl-drop")
    same = {"terrain.slope_deg": scenario.terrain.slope_deg, "scenario.seed": 5, "record.interval": 0.5}  # type: ignore[union-attr]
    assert changes_text(scenario.with_values(same)) == ""
    for name in library_names():
        assert changes_text(load(name)) == "", name
    for name in library_names("drives"):
        assert changes_text(load_drive(name)) == "", name


def test_a_key_that_is_set_back_is_not_told(tmp_path: Path) -> None:
    scenario = load("msl-drop")
    slope = scenario.terrain.slope_deg  # type: ignore[union-attr]
    changed = load("msl-drop", {"terrain.slope_deg": 10, "scenario.duration": 2})
    assert changes_text(changed.with_values({"terrain.slope_deg": slope})) == "changed: scenario.duration = 2"
    first = {"terrain.slope_deg": slope, "scenario.duration": scenario.scenario.duration}
    assert changed.with_values(first) == scenario
    file = tmp_path / "changed.toml"  # by way of a file as well
    file.write_text(tomli_w.dumps(changed.to_dict()), encoding="utf-8")
    again = load(file, {"terrain.slope_deg": slope, "scenario.duration": 3.0})
    assert changes_text(again) == "changed: scenario.duration = 3"


def test_a_model_that_is_set_back_without_its_keys_is_still_told() -> None:
    """A selector takes the other keys of its table with it: what comes back is not what there was."""
    scenario = load("cube-phobos")
    whole = {f"integrator.{key}": value for key, value in scenario.to_dict()["integrator"].items()}
    other = scenario.with_values({"integrator.method": "rk4", "integrator.step": 5e-4})
    assert changes_text(other) == "changed: integrator.method = rk4, integrator.step = 0.0005"
    assert changes_text(other.with_values({"integrator.method": "adaptive"})) == "changed: integrator.method = adaptive"
    assert other.with_values(whole) == scenario


def test_a_new_title_speaks_for_itself() -> None:
    changed = load("msl-drop").with_values({"terrain.slope_deg": 10.0})
    assert full_title(changed.with_values({"scenario.title": "a 10 degree slope"})) == "a 10 degree slope"


def test_a_new_name_leaves_the_title_and_what_was_changed() -> None:
    """The title still says 22 degrees; a scenario without a title is told by its name, which speaks for itself."""
    gentle = load("msl-drop").with_values({"scenario.name": "gentle", "terrain.slope_deg": 8.0})
    assert full_title(gentle).endswith("22 degree slope on Mars; changed: terrain.slope_deg = 8")
    bare = load("msl-drop", {"scenario.title": ""}).with_values({"scenario.name": "gentle", "terrain.slope_deg": 8.0})
    assert changes_text(bare) == ""


def test_many_changes_are_counted() -> None:
    keys = ("rest_penetration", "damping_ratio", "breakaway_speed", "sliding_speed", "breakaway_angle_deg")
    contact = load("msl-drop").to_dict()["contact"]
    text = changes_text(load("msl-drop").with_values({f"contact.{key}": 1.01 * contact[key] for key in keys}))
    assert text.endswith("and 1 more key") and text.count("contact.") == 4


def test_tables_are_told_by_name() -> None:
    scenario = load("msl-drop", {"dispersions.terrain.slope_deg": {"distribution": "normal", "sigma": 1.0}})
    assert changes_text(scenario) == "changed: dispersions.terrain.slope_deg (normal)"


def test_it_is_kept_in_files_and_told_in_results(tmp_path: Path) -> None:
    scenario = load("sink-flat", {"scenario.duration": 0.05, "gravity.acceleration": 2.0})
    planetfall.run(scenario).save(tmp_path / "run")
    again = planetfall.open(tmp_path / "run")
    assert again.scenario == scenario
    assert again.data.attrs["title"].endswith("changed: gravity.acceleration = 2, scenario.duration = 0.05")
    assert scenario_from_dict(scenario.to_dict()) == scenario

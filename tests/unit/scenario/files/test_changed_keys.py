"""A changed scenario says what was changed, wherever its title is told."""

from __future__ import annotations

from pathlib import Path

import planetfall
from planetfall.scenario.drive import load_drive
from planetfall.scenario.files.changed_keys import changes_text, full_title
from planetfall.scenario.files.load import library_names, load, scenario_from_dict


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


def test_a_new_title_speaks_for_itself() -> None:
    changed = load("msl-drop").with_values({"terrain.slope_deg": 10.0})
    assert full_title(changed.with_values({"scenario.title": "a 10 degree slope"})) == "a 10 degree slope"


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

"""`planetfall.scenarios()`."""

from __future__ import annotations

import pytest

import planetfall


def test_titles_are_those_of_the_loaded_scenarios() -> None:
    found = planetfall.scenarios()
    assert list(found) == [*planetfall.library_names(), *planetfall.library_names("drives")]
    for name, title in found.items():
        loaded = planetfall.load_drive(name) if name in found.drives else planetfall.load(name)
        assert loaded.scenario.title == title != ""


def test_it_prints_a_line_for_each() -> None:
    found = planetfall.scenarios()
    lines = repr(found).splitlines()
    assert len(lines) == len(found) and all(name in line for name, line in zip(found, lines, strict=True))
    assert found._repr_html_().count("<tr>") == len(found) + 1


def test_a_wrong_name_is_told_the_nearest() -> None:
    with pytest.raises(planetfall.InputError, match="did you mean msl-drop"):
        planetfall.scenarios()["msl-dropp"]
    assert "nothing" not in planetfall.scenarios()

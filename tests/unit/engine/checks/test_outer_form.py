"""Mass and inertia that do not fit into the outer form of a vehicle are told, with the bound that they break."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.engine.checks.outer_form import form_notes
from planetfall.scenario.files.built_in import library_names
from planetfall.scenario.tables.vehicle.vehicle import Vehicle

SIZE = np.array([0.6, 0.4, 0.25])
UNIFORM = ((SIZE**2).sum() - SIZE**2).tolist()  # twelfths, of 12 kg


def box(center: list[float], inertia: list[float], **given: Any) -> Vehicle:
    shape = {"kind": "box", "size": SIZE.tolist(), "center_of_mass": center}
    return Vehicle.model_validate({"name": "own", "mass": 12.0, "inertia": inertia, "shape": shape, **given})


def test_a_centre_of_mass_counted_from_a_corner_is_told() -> None:
    (note,) = form_notes(box([0.35, 0.17, 0.1], UNIFORM))
    assert "[0.35, 0.17, 0.1] m lies 0.05 m outside the box" in note and "from the middle of the solid" in note
    assert form_notes(box([0.3, -0.2, 0.0], UNIFORM)) == []  # on its rim, where a mass could be


@pytest.mark.parametrize(("times", "is_told"), [(1.0, False), (2.99, False), (3.01, True), (1000.0, True)])
def test_an_inertia_of_more_than_all_mass_in_the_corners_is_told(times: float, is_told: bool) -> None:
    """Of a box that is thrice that of a uniform one: m (a^2 + b^2 + c^2)/4 over the twelfth part of it."""
    notes = form_notes(box([0.0, 0.0, 0.0], [times * one for one in UNIFORM]))
    assert len(notes) == is_told
    if is_told:
        assert "add up to 3.5 kg m^2 at most" in notes[0] and "is their unit kg m^2?" in notes[0]


def test_built_in_vehicles_have_nothing_to_tell() -> None:
    told = [form_notes(vehicle) for name in library_names("") for vehicle in planetfall.load(name).vehicles]
    assert told and not any(told)

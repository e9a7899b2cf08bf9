"""Names as people read them."""

from __future__ import annotations

import re

import pytest

from planetfall.record.labels import label_of, words_and_unit
from planetfall.record.rows import ADDED, NUMBERS


@pytest.mark.parametrize(
    ("name", "unit", "label"),
    [
        ("energy_rise_J", None, "energy rise [J]"),
        ("out.energy_rise_bound_J", "J", "energy rise bound [J]"),
        ("slide_distance_m", None, "slide distance [m]"),
        ("damping_N_s_m", None, "damping [N s/m]"),
        ("stiffness_N_m", None, "stiffness [N/m]"),
        ("peak_torque_N_m", None, "peak torque [N m]"),
        ("speed_m_s", "m/s", "speed at the end [m/s]"),
        ("n_contacts", "1", "touchdowns"),
        ("in.terrain.slope_deg", "deg", "terrain.slope_deg [deg]"),
        ("imu_specific_force", "m/s^2", "imu specific force [m/s²]"),
        ("out.slope_deg", None, "slope [deg]"),
    ],
)
def test_a_name_becomes_words_with_a_unit(name: str, unit: str | None, label: str) -> None:
    assert label_of(name, unit) == label


def test_units_at_the_end_of_columns_are_those_of_the_columns() -> None:
    """Of every column that campaigns have: no label says another unit than the table, or has an underscore."""
    for name, (unit, _) in {**NUMBERS, **ADDED}.items():
        words, own = words_and_unit(name)
        assert own == ("" if unit == "1" else unit), name
        assert not re.search(r"_|\bout\b", words)

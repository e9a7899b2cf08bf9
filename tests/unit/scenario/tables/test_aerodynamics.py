"""`[vehicle.aerodynamics]`: what is wrong is said with its key, its value and what is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.errors import InputError
from planetfall.vehicle.aerodynamics.field import aero_model, coefficient_params, trim_angles
from planetfall.vehicle.aerodynamics.table_file import read_coefficients
from planetfall.vehicle.aerodynamics.trim import coefficients_at, directions_at
from support.entries import flight

DRAG = {"model": "drag", "area": 1.0, "drag_coefficient": 1.0}
CONE = {"model": "newtonian", "diameter": 2.0, "half_angle_deg": 60.0, "nose_radius": 0.5, "heat_ratio": 1.3}
AIR = {"model": "us1976"}


def vehicle(aerodynamics: dict[str, Any], **more: Any) -> Any:
    return flight(atmosphere=AIR, vehicle={"aerodynamics": aerodynamics, **more}).vehicle


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({**DRAG, "area": -1.0}, "vehicle.aerodynamics.area"),
        ({"model": "drag", "drag_coefficient": 1.0}, "area: missing; give area, or diameter"),
        ({**DRAG, "drag_coefficient": -0.1}, "-0.1 would push the vehicle on"),
        ({**DRAG, "drag_coefficient": [1.0, 1.1]}, "has 2 numbers, and mach has 0"),
        ({**DRAG, "drag_coefficient": [1.0, 1.1], "mach": [2.0, 1.0]}, "do not rise"),
        ({**DRAG, "lift_to_drag": 0.3}, "it belongs to attitude = 'trim'"),
        ({**DRAG, "bank_deg": 20.0}, "bank_deg: it belongs to attitude = 'trim'"),
        ({**DRAG, "damping": [0.0, -1.0, 0.0]}, "damping: it needs lengths"),
        ({**DRAG, "nose": [1.0, 0.0, 0.0], "right": [1.0, 0.0, 0.0]}, "right: it must be across nose"),
        ({**CONE, "half_angle_deg": 95.0}, "half_angle_deg"),
        ({**CONE, "nose_radius": 3.0}, "3.0 m reaches beyond the base"),
        ({**CONE, "heat_ratio": None}, "heat_ratio: give it, or mach and pressure_coefficient"),
        (
            {**DRAG, "attitude": "trim", "bank_plan": {"times": [2.0, 1.0], "angles_deg": [1.0, 2.0]}},
            "times: they must rise",
        ),
    ],
)
def test_a_wrong_table_is_refused(table: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as refused:
        vehicle({key: value for key, value in table.items() if value is not None})
    assert said in str(refused.value)


def test_aerodynamics_need_air() -> None:
    with pytest.raises(InputError, match="has aerodynamics, and there is no air"):
        planetfall.run(flight(vehicle={"aerodynamics": DRAG}))


def test_heating_needs_a_constant_where_the_air_is_not_known() -> None:
    with pytest.raises(InputError, match="heating_constant: missing"):
        planetfall.run(flight(atmosphere=AIR, vehicle={"aerodynamics": {**DRAG, "nose_radius": 1.0}}))


def test_a_shape_is_needed_for_its_facets() -> None:
    table = {"model": "newtonian", "shape": "vehicle", "diameter": 1.0, "heat_ratio": 1.4}
    with pytest.raises(InputError, match=r"takes the facets of vehicle\.shape, and there is none"):
        coefficient_params(vehicle(table))
    box = vehicle(table, shape={"kind": "box", "size": [1.0, 2.0, 3.0]})
    force, _ = coefficients_at(aero_model(box), coefficient_params(box), np.zeros(1), directions_at(np.zeros(1)))
    # a face of 2 m by 3 m, square to the flow, over the circle of 1 m; Cp is 1 at Mach 0
    assert force[0] == pytest.approx([-6.0 / (np.pi / 4), 0.0, 0.0])


ROWS = [
    "mach,alpha_deg,CA,CN,Cm",
    "0,0,1.0,0,0", "0,20,0.9,0.1,-0.02", "0,180,-0.5,0,0",
    "5,0,1.6,0,0", "5,20,1.5,0.2,-0.03", "5,180,-0.6,0,0",
]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (ROWS[:-1], "has no row for mach = 5, alpha_deg = 180"),
        ([*ROWS, ROWS[-1]], "some are given twice"),
        ([ROWS[0].replace("CN", "CX"), *ROWS[1:]], "has no column CN"),
        ([*ROWS[:-1], "5,180,-0.6,0"], "line 7"),
        ([*ROWS[:-1], "5,180,nan,0,0"], "has no row for"),
        ([*ROWS[:-1], "5,180,inf,0,0"], "not finite"),
        ([row.replace("0,0,1.0,0,0", "0,0,1.0,0.1,0") for row in ROWS], "CN or Cm is not 0 at alpha_deg = 0"),
        ([row.replace("5,", "-5,", 1) if row.startswith("5") else row for row in ROWS], "has the Mach number -5"),
        (ROWS[:1], "has no numbers"),
    ],
)
def test_a_file_with_gaps_is_refused(tmp_path: Path, rows: list[str], said: str) -> None:
    file = tmp_path / "coefficients.csv"
    file.write_text("\n".join(rows) + "\n")
    with pytest.raises(InputError) as refused:
        read_coefficients(str(file))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([*ROWS[:-1], "20"], "20 is not 5 numbers"),  # one number is not taken for all columns
        ([f"{ROWS[0]},CA", *(f"{row},1" for row in ROWS[1:])], "has 2 columns CA"),
    ],
)
def test_a_file_with_rows_or_columns_amiss_is_refused(tmp_path: Path, rows: list[str], said: str) -> None:
    file = tmp_path / "coefficients.csv"
    file.write_text("\n".join(rows) + "\n")
    with pytest.raises(InputError) as refused:
        read_coefficients(str(file))
    assert said in str(refused.value)


def test_a_file_is_read_and_flown(tmp_path: Path) -> None:
    file = tmp_path / "coefficients.csv"
    file.write_text("\n".join(ROWS) + "\n")
    table = {"model": "table", "file": str(file), "diameter": 2.0}
    capsule = vehicle(table)
    force, moment = coefficients_at(
        aero_model(capsule), coefficient_params(capsule), np.array([5.0]), directions_at(np.radians([20.0]))
    )
    assert force[0] == pytest.approx([-1.5, 0.0, -0.2])
    assert moment[0] == pytest.approx([0.0, -0.06, 0.0])


def test_a_table_must_reach_as_far_as_the_flight_unless_it_is_held(tmp_path: Path) -> None:
    file = tmp_path / "coefficients.csv"
    file.write_text("\n".join([*ROWS[:3], *ROWS[4:6]]) + "\n")  # to 20 degrees only
    table = {"model": "table", "file": str(file), "diameter": 2.0}
    scenario = {"scenario": {"name": "fall", "duration": 1.0}, "initial": {"position": [0.0, 0.0, 5e3]}}
    with pytest.raises(InputError, match="up to 20 deg"):
        planetfall.run(flight(atmosphere=AIR, vehicle={"aerodynamics": table}, **scenario))
    planetfall.run(flight(atmosphere=AIR, vehicle={"aerodynamics": {**table, "outside": "hold"}}, **scenario))
    fast = {**scenario, "initial": {"position": [0.0, 0.0, 5e3], "velocity": [3e3, 0.0, 0.0]}}
    trim = {**table, "attitude": "trim", "angle_of_attack_deg": 10.0}
    with pytest.raises(InputError, match="Mach numbers from 0 to 5"):
        planetfall.run(flight(atmosphere=AIR, vehicle={"aerodynamics": trim}, **fast))


def test_the_trim_angle_follows_from_the_offset() -> None:
    """The 70 degree cone of MSL, its centre of mass .30 D behind the tip and .0273 D off the axis: 16 degrees."""
    lifting = planetfall.load("mars-entry-lifting").vehicle
    assert np.degrees(trim_angles(lifting)[1]) == pytest.approx([16.0], abs=0.05)

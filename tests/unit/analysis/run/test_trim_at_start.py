"""The trim at the start that `show` and a run's summary tell, against closed numbers and the engine's own forces."""

import numpy as np
import pytest

import planetfall
from planetfall.cli.landing.show import trim_of
from planetfall.errors import InputError
from planetfall.record.labels import trim_text

AERO = "vehicle.aerodynamics"
BASE = 4.5
"""Diameter of the base [m]."""


def lifting(changes: dict[str, object]) -> planetfall.Scenario:
    return planetfall.load("mars-entry-lifting", changes)


def test_the_lifting_base() -> None:
    """16 degrees and 0.247 are the closed numbers of the 70 degree cone (docs/models/aerodynamics.md), as printed."""
    found = trim_of(lifting({}))
    assert found["angle_of_attack_deg"] == pytest.approx(16.0, abs=0.05)
    assert found["lift_to_drag"] == pytest.approx(0.247, abs=5e-4)
    assert trim_text(found) == "angle of attack 16.0 deg, lift-to-drag ratio 0.247, at Mach 31.6"


def test_the_offset_is_in_metres_and_not_in_diameters() -> None:
    """Of a smaller capsule the base's own offset is a larger part of the diameter; scaled with it, nothing changes."""
    small: dict[str, object] = {f"{AERO}.diameter": 2.65, f"{AERO}.nose_radius": 0.6625}
    kept, base = trim_of(lifting(small)), trim_of(lifting({}))
    assert kept["angle_of_attack_deg"] == pytest.approx(35.0, abs=0.5)
    assert kept["lift_to_drag"] == pytest.approx(0.58, abs=0.01)
    table = lifting({}).vehicle.aerodynamics
    assert table is not None
    point = [part * 2.65 / BASE for part in table.reference_point]
    scaled = trim_of(lifting({**small, f"{AERO}.reference_point": point}))
    assert scaled == pytest.approx(base, rel=1e-9)
    with pytest.raises(InputError, match="in metres of this vehicle's size"):
        trim_of(lifting({f"{AERO}.diameter": 2.4, f"{AERO}.nose_radius": 0.6}))


@pytest.mark.parametrize("factors", [{}, {f"{AERO}.axial_factor": 1.1, f"{AERO}.normal_factor": 0.8}])
def test_it_is_that_of_the_engine(factors: dict[str, object]) -> None:
    """The force of the air in the first frame, along and across the velocity: no wind blows, the site's frame turns."""
    scenario = lifting({**factors, "scenario.duration": 1.0})
    run = planetfall.run(scenario)
    first = run.data.isel(time=0, body=0)
    ahead = first.velocity.values / np.linalg.norm(first.velocity.values)
    force = first.aero_force.values
    drag = -force @ ahead
    told = run.summary["trim"]
    assert np.linalg.norm(force + drag * ahead) / drag == pytest.approx(told["lift_to_drag"], rel=1e-9)
    assert told["mach"] == pytest.approx(float(first.mach), rel=1e-9)
    assert told == pytest.approx(trim_of(scenario), rel=1e-12)


def test_the_configuration_of_the_start_counts() -> None:
    scenario = planetfall.load("msl-edl")
    assert trim_of(scenario)["angle_of_attack_deg"] == pytest.approx(16.0)
    i = scenario.entering_body
    assert i is not None
    shielded = scenario.with_values(
        {
            f"companions.{i - 1}.vehicle.configurations": [
                {
                    "while_attached": ["heat shield"],
                    "aerodynamics": {
                        "model": "drag", "drag_coefficient": 1.2, "lift_to_drag": 0.3, "area": 9.0, "attitude": "trim",
                    },
                }
            ]
        }
    )  # fmt: skip
    assert trim_of(shielded)["lift_to_drag"] == pytest.approx(0.3)


def test_drag_alone() -> None:
    """Without drag there is no ratio; free vehicles and such without air hold no angle."""
    drag = {"model": "drag", "drag_coefficient": 1.2, "lift_to_drag": 0.3, "area": 9.0, "attitude": "trim"}
    found = trim_of(lifting({AERO: drag}))
    assert (found["angle_of_attack_deg"], found["lift_to_drag"]) == (0.0, pytest.approx(0.3))
    none = trim_of(lifting({AERO: {**drag, "drag_coefficient": 0.0}}))
    assert none["lift_to_drag"] is None and "ratio" not in trim_text(none)
    assert trim_of(lifting({AERO: {"model": "drag", "drag_coefficient": 1.2, "area": 9.0}})) == {}
    assert trim_of(lifting({"atmosphere": {"model": "none"}})) == {}
    assert trim_of(planetfall.load("msl-drop")) == {}


def test_a_start_over_the_ground_is_in_the_air_of_its_height() -> None:
    """Where the ground is, a scenario's keys alone do not tell: the Mach number is that of the first frame."""
    changes = {"initial.radius": None, "initial.altitude": 60e3, "initial.altitude_over": "ground"}
    run = planetfall.run(lifting({**changes, "scenario.duration": 0.5}))
    assert run.summary["trim"]["mach"] == pytest.approx(float(run.data.mach.values[0, 0]), rel=1e-9)

"""Sentences about limits come when a limit is near, and only then."""

from __future__ import annotations

import pytest

import planetfall
from planetfall.analysis.run.validity import turned_over, validity_notes
from planetfall.record.trajectory import Trajectory


@pytest.fixture(scope="module")
def drop() -> Trajectory:
    return planetfall.run(planetfall.load("msl-drop").with_values({"scenario.duration": 1.5}))


def notes(drop: Trajectory, **summary: object) -> list[str]:
    quiet = {"outcome": "settled", "energy_closure_J": 0.0, "energy_rise_J": 0.0, "energy_rise_bound_J": 100.0}
    quiet["max_penetration_m"] = 0.0
    return validity_notes(drop.scenario, drop.data, {**drop.summary, **quiet, "final_speed_m_s": 0.0, **summary})


def test_no_limit_near_no_sentence(drop: Trajectory) -> None:
    assert notes(drop) == []


@pytest.mark.parametrize(
    ("changed", "part"),
    [
        ({"outcome": "timed_out", "outcome_sentence": "The time ran out."}, "ended as timed_out: The time ran out."),
        ({"energy_closure_J": 400.0}, "closes to 400 J only"),
        (
            {"energy_rise_J": 400.0},
            "Energy rose by 400 J without anything that put it in, where errors of the integration explain 100 J",
        ),
        ({"max_penetration_m": 0.06}, "0.06 m, is 6.0 times the 0.01 m"),
        ({"final_speed_m_s": 0.03}, "creeps at 0.03 m/s"),
    ],
)
def test_a_limit_near_is_named(drop: Trajectory, changed: dict[str, object], part: str) -> None:
    (note,) = notes(drop, **changed)
    assert part in note


def test_energy_turned_over_is_that_of_the_fall(drop: Trajectory) -> None:
    """At least m g h of the first fall, 899 kg x 3.7132 m/s^2 x 0.6 m, which is kinetic at the first touch."""
    assert turned_over(drop.data) > 899.0 * 3.7132 * 0.6

"""Rest that is judged for less than the vehicle rocks: told where a swing could be taken for rest, and only there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.engine.build import build
from planetfall.scenario.files.built_in import library_names
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.scenario.scenario import Scenario

G, SIDE = 8e-5, 0.3
PERIOD = 2.0 * np.pi * np.sqrt(0.5 * np.sqrt(3.0) * SIDE / G)  # 358 s


def over_a_plane(**outcome: Any) -> Scenario:
    return scenario_from_dict(
        {
            "scenario": {"name": "test", "duration": 1.0},
            "gravity": {"model": "uniform", "acceleration": G},
            "terrain": {"model": "plane"},
            "vehicle": {"name": "own", "mass": 3.0, "shape": {"kind": "box", "size": [SIDE] * 3}},
            "contact": {"law": "distributed", "stiffness": 75.0, "damping": 0.0, "friction": 0.6},
            "initial": {"position": [0.0, 0.0, 2.0]},
            "integrator": {"method": "adaptive"},
            "outcome": {"stop_at_rest": True, **outcome},
        }
    )


@pytest.mark.parametrize(
    ("outcome", "is_told"),
    [
        ({"rest_hold": 60.0, "rest_rate": 5e-4}, True),
        ({"rest_hold": 1.01 * PERIOD, "rest_rate": 5e-4}, False),
        ({"rest_hold": 60.0, "rest_rate": 1e-5}, False),  # a swing that turns so slowly for so long is 0.06 deg wide
        ({"rest_hold": 60.0, "rest_rate": 5e-4, "stop_at_rest": False}, False),  # a rest that ends is discarded
    ],
)
def test_a_hold_shorter_than_the_vehicle_rocks_is_told(outcome: dict[str, Any], is_told: bool) -> None:
    notes = [note for note in build(over_a_plane(**outcome)).notes if "rest_hold" in note]
    assert len(notes) == is_told
    if is_told:
        assert "60 s, and own rocks once in 358 s" in notes[0] and "give outcome.rest_hold = 380" in notes[0]


def test_built_in_scenarios_are_judged_finely_enough() -> None:
    stopping = [given for name in library_names("") if (given := planetfall.load(name)).outcome.stop_at_rest]
    assert len(stopping) > 5
    assert not [note for given in stopping for note in build(given).notes if "rest_hold" in note]

"""Boxes of parachutes as limits of a campaign."""

import numpy as np
import pytest

from planetfall.analysis.campaign.limits import kept_columns, limit_columns, summarise_limits
from planetfall.record.labels import limit_text
from support.falling_probe import MAIN, RK4, falling_probe

BOX = {"mach_min": 1.1, "mach_max": 2.1, "dynamic_pressure_min": 250.0, "dynamic_pressure_max": 750.0}


def test_a_box_is_judged_run_by_run():
    """Inside; too fast; too much pressure; not fired, which is not judged."""
    scenario = falling_probe(RK4, **{"vehicle.parachutes": [{**MAIN, "box": BOX}]})
    fired = {"mach": [1.8, 2.2, 1.8, np.nan], "dynamic_pressure_Pa": [500.0, 500.0, 800.0, np.nan]}
    columns = {f"out.parachute.deploy_{name}": np.array(values) for name, values in fired.items()}
    assert limit_columns(scenario) == ["out.kept.parachute.box"]
    kept = kept_columns(scenario, columns, np.zeros(4, dtype=int))
    np.testing.assert_array_equal(kept["out.kept.parachute.box"], [1.0, 0.0, 0.0, np.nan])
    found = summarise_limits(scenario, kept)["parachute.box"]
    assert (found["n"], found["broken"]) == (3, 2)
    assert found["value"] == pytest.approx(2 / 3)
    assert limit_text(found) == "parachute at deployment: Mach 1.1 to 2.1 and dynamic pressure 250 to 750 Pa"


def test_a_parachute_without_a_box_is_not_judged():
    """No column."""
    assert limit_columns(falling_probe(RK4)) == []

"""`insight-edl`: ballistic entry, parachute, gravity turn, soft landing on legs, beside what was flown."""

import pytest

import planetfall
from support.paper_numbers import insight_edl


@pytest.mark.slow
def test_it_lands_softly_after_the_peak_that_was_flown():
    """8.13 g +- 10 % (flown); touchdown with the 2.4 m/s that the last phase holds; nothing is fitted to the flight."""
    run = planetfall.run(planetfall.load("insight-edl"))
    found = run.summary
    assert found["outcome"] == "settled"
    assert [number for number in insight_edl(run) if not number.is_met] == []
    assert found["parachute"]["outside_box"] == []
    assert found["touchdown_vertical_m_s"] == pytest.approx(2.4, abs=0.2)
    assert found["touchdown_horizontal_m_s"] < 0.2
    assert found["propellant_left_kg"] > 0.0
    assert [phase["name"] for phase in found["phases"]][-1] == "engines off"
    assert found["energy_closure_J"] < 1e-9 * abs(found["energy_start_J"])

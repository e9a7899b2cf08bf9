"""`insight-edl`: ballistic entry, parachute, gravity turn, soft landing on legs, beside what was flown."""

import numpy as np
import pytest

import planetfall
from support.paper_numbers import insight_edl


@pytest.mark.slow
def test_it_lands_softly_after_the_peak_that_was_flown():
    """8.13 g +- 10 % at entry (flown); touchdown with the 2.4 m/s of the last phase; nothing is fitted to it."""
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
    data = run.data
    held = data.attached.values == 1
    for name in ("g_load", "aero_force"):  # what is attached feels nothing by itself: not the 50 g of its drag alone
        own = data[name].values.reshape(*held.shape, -1)
        assert np.isnan(own[held]).all()
        assert np.isfinite(own[~held & (data.body.values == "heat shield")]).all()
    assert np.nanmax(data.g_load.values) == pytest.approx(found["peak_g"], rel=1e-3)

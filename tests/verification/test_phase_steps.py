"""Phases with a rate and a step of their own, on `moon-descent`: exact ticks, methods that agree, refused contact."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.errors import InputError
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.scenario import Scenario

COARSE, FINE = 1.0 / 128.0, 1.0 / 1024.0
RARE = 4.0
"""Calls a second in the approach; sensors of 16 Hz are sampled at these alone."""


def descent(**values: Any) -> Scenario:
    """The scenario with steps of COARSE but for the phases in which the ground is touched."""
    steps = {"flight.phases.2.step": FINE, "flight.phases.3.step": FINE, "flight.phases.0.rate": RARE}
    keys = {key.replace("__", "."): value for key, value in values.items()}
    return planetfall.load("moon-descent").with_values(
        {"integrator.step": COARSE, "scenario.duration": 200.0, "record.interval": 0.25, **steps, **keys}
    )


@pytest.fixture(scope="module")
def landing() -> Trajectory:
    return planetfall.run(descent())


@pytest.fixture(scope="module")
def adaptive(landing: Trajectory) -> Trajectory:
    """The same by the adaptive method."""
    method = {"method": "adaptive", "tolerance": 1e-11, "max_step": 10.0}
    return planetfall.run(descent(integrator=method, flight__phases__3__step=0.01))


def test_ticks_are_exact_and_sensors_wait_for_them(landing: Trajectory) -> None:
    """Every call of the approach is at k/4 s, to the bit, and all after low gate at k/16 s."""
    times = landing.data.time_radar.values
    gate = landing.summary["phases"][1]["begins_s"]
    early, late = times[times <= gate], times[times > gate]
    assert np.array_equal(early, np.arange(len(early)) / RARE)
    assert np.array_equal(late * 16.0, np.round(late * 16.0)) and np.diff(late) == pytest.approx(1.0 / 16.0)
    assert gate == 100.0


def test_fixed_and_adaptive_steps_agree_through_all_phases(landing: Trajectory, adaptive: Trajectory) -> None:
    """Commands act at the same instants, so that only the methods differ until the ground is touched.

    RK4 in steps of 1/128 s follows the lag of 0.05 s to (h/lag)^5/120 = 8e-7 of a thrust's change at each command; the
    changes add up to some tens of m/s, hence 1e-4 m/s, over 160 s some mm.
    """
    mine, other = landing.summary["phases"], adaptive.summary["phases"]
    assert [phase["name"] for phase in mine] == [phase["name"] for phase in other]
    assert [phase["begins_s"] for phase in mine] == [phase["begins_s"] for phase in other]
    before = min(time for time in landing.summary["first_touch_s"] if time is not None)
    times = np.arange(0.0, before, 0.25)
    places, speeds = (
        [run.data[name].sel(time=times, method="nearest").values[:, 0] for run in (landing, adaptive)]
        for name in ("position", "velocity")
    )
    assert np.abs(places[0] - places[1]).max() < 5e-3
    assert np.abs(speeds[0] - speeds[1]).max() < 1e-3


def test_each_phase_closes_its_account_at_its_own_step(landing: Trajectory) -> None:
    """Energy to 1e-6 of what each phase of flight turns over."""
    data, time = landing.data, landing.data.time.values
    balance = data.energy_total.values - data.work_external.values - data.work_damper.values - data.work_friction.values
    begins = [phase["begins_s"] for phase in landing.summary["phases"]]
    for first, last in pairwise(begins):
        inside = (time >= first) & (time <= last)
        assert np.ptp(balance[inside]) < 1e-6 * np.ptp(data.work_external.values[inside])


def test_contact_in_steps_made_for_flight_is_refused() -> None:
    """A lander that falls to the ground in the approach, whose steps are eight times those of the landing."""
    fall = descent(scenario__duration=60.0, flight__phases__0__guidance={"law": "off"})
    found = planetfall.run(fall).summary
    assert found["outcome"] == "step_refused"
    assert "in the phase 'approach'" in found["outcome_sentence"]
    assert "flight.phases.0.step = 0.000976562" in found["outcome_sentence"]


@pytest.mark.parametrize(
    ("values", "where", "said"),
    [
        ({"flight__phases__0__rate": 7.0}, "flight.phases.0.rate", "not a whole fraction of flight.rate"),
        ({"flight__phases__1__step": 1.0 / 64.0}, "flight.phases.1.step", "longer than integrator.step"),
        ({"flight__phases__1__step": 0.003}, "flight.phases.1.step", "does not divide"),
    ],
)
def test_rates_and_steps_that_cannot_be_are_refused(values: dict[str, float], where: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as raised:
        planetfall.run(descent(**values))
    assert where in str(raised.value)

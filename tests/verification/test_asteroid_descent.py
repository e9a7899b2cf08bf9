"""`asteroid-descent`: thrusters, guidance, touchdown and a hop over a small body that turns; accounts that close."""

from __future__ import annotations

import numpy as np
import pytest

import planetfall
from planetfall.record.trajectory import Trajectory

SPIN = 2.2866712e-4
"""Of Ryugu [rad/s], about z."""


@pytest.fixture(scope="module")
def flight() -> Trajectory:
    """Over cells of 40 m, which are measured sooner, until it has hopped."""
    scenario = planetfall.load("asteroid-descent")
    return planetfall.run(scenario.with_values({"terrain.resolution": 40.0, "scenario.duration": 1600.0}))


def within(run: Trajectory, name: str, margin: float = 0.0) -> np.ndarray:
    """Frames of a phase, but for a time at its end [s]."""
    starts = {phase["name"]: phase["begins_s"] for phase in run.summary["phases"]}
    later = [start for start in starts.values() if start > starts[name]]
    time = run.data.time.values
    return (time >= starts[name]) & (time <= min(later, default=np.inf) - margin)


def test_it_lands_and_hops_away(flight: Trajectory) -> None:
    causes = [(phase["name"], phase["cause"]) for phase in flight.summary["phases"]]
    assert causes == [
        ("descent", "start"), ("final descent", "height reached"), ("on the ground", "touchdown"),
        ("hop", "time passed"), ("ballistic", "time passed"),
    ]  # fmt: skip
    speeds = [-flight.data.velocity.values[within(flight, name), 0, 0] for name in ("descent", "ballistic")]
    assert speeds[0][50:] == pytest.approx(0.1, abs=1e-3)
    assert -0.07 < speeds[1][0] < -0.02  # 3.9 N over 5 s on 600 kg, less what the ground's slope takes


def test_flight_over_a_turning_body_closes_its_accounts(flight: Trajectory) -> None:
    """The Jacobi integral less the work of the thrusters, to 1e-8 of what they work; mass as its tank loses it.

    RK4 in steps of 1/64 s follows lags of 0.1 s to (h/lag)^5/120 = 8e-7 of each change of thrust, of which most cancel.
    """
    data = flight.data
    balance = data.energy_total.values - data.work_external.values - data.work_damper.values - data.work_friction.values
    for name, margin in (("descent", 0.0), ("hop", 0.0)):
        frames = within(flight, name, margin)
        assert np.ptp(balance[frames]) < 2e-8 * np.ptp(data.work_external.values[frames])
    left = flight.summary["propellant_left_kg"]
    assert data.mass.values[-1, 0] == 600.0 - (40.0 - left)
    assert 0.0 < 40.0 - left < 0.2


def test_guidance_knows_the_frames_rates(flight: Trajectory) -> None:
    """Coriolis pushes a descent at 0.1 m/s aside with 2 W v = 4.6e-5 m/s^2, which guidance cancels by a tilt.

    With a drift gain of 0.01/s, guidance that did not know it would drift at 2 W v/gain = 4.6 mm/s; what is left is
    from the first 100 s, in which the axis turns. The thrust is the weight in effective gravity over the tilt's cosine.
    """
    frame = flight.data.isel(time=600)
    assert abs(frame.velocity.values[0, 1]) < 3e-4
    r = float(frame.position.values[0, 0])
    weight, aside = 30.0 / r**2 - SPIN**2 * r, 2.0 * SPIN * 0.1
    force = 600.0 * np.hypot(weight, aside)
    pushes = [engine.direction[2] for engine in flight.scenario.vehicle.engines]
    assert frame.thrust.values @ pushes == pytest.approx(force, rel=0.03)  # of which the radar's noise is a part

"""A lander with engines and a controller in Python over a comet that turns: gravity on a grid, the small-body law."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.flight.controller import Command, Seen
from planetfall.record.trajectory import Trajectory
from support.flown import Scripted
from support.hoppers import COARSE

BRAKE_AT, SPEED, THRUST, MASS = 6.0, 0.6, 2.0, 20.0  # [m], [m/s], [N], [kg]
LANDER: dict[str, Any] = {
    "name": "lander", "mass": MASS, "shape": {"kind": "box", "size": [0.8, 0.8, 0.6]},
    "engines": [{
        "name": "main", "position": [0.0, 0.0, -0.3], "direction": [0.0, 0.0, 1.0], "thrust_max": THRUST, "lag": 0.1,
        "isp": 60.0,
    }],
    "propellant": {"mass": 2.0, "positions": [[0.2, 0.1, 0.0], [0.0, 0.1, 0.1]]},
}  # fmt: skip


def braked(seen: Seen) -> Command:
    """Full thrust while it is low, by the altimeter, for a while."""
    height = float(seen.sensors["radar"][0])
    is_low = np.isfinite(height) and height < BRAKE_AT
    return Command(throttles=[0.5 if is_low and seen.time < 8.0 else 0.0])


@pytest.fixture(scope="module")
def landed() -> Trajectory:
    base = planetfall.load("minerva-67p").with_values(COARSE)
    up = np.array([0.0, 0.0, 1.0])
    scenario = base.with_values(
        {
            "vehicle": LANDER,
            "dispersions": {},
            "initial": {"position": [0.0, 0.0, 3000.0], "height": 8.0, "velocity": (-SPEED * up).tolist()},
            "integrator": {"method": "rk4", "step": 0.01, "accept_step": True},
            "sensors": [{"kind": "altimeter", "name": "radar", "rate": 5.0, "range_max": 500.0}],
            "flight": {"controller": "own", "rate": 5.0},
            "scenario.duration": 30.0,
            "record.interval": 0.1,
            "outcome.rest_speed": 1e-3,
        }
    )
    return planetfall.run(scenario, controller=Scripted(braked))


def test_it_flies_brakes_and_touches(landed: Trajectory) -> None:
    data = landed.data
    assert landed.scenario.target.spin_rate > 0.0 and landed.scenario.gravity.model == "grid"
    assert float(data.propellant.values[-1, 0]) < 2.0
    assert np.any(data.contact_normal_force.values > 0.0)
    assert float(np.abs(data.work_friction.values[-1])) > 0.0
    np.testing.assert_allclose(data.mass.values[:, 0] - data.propellant.values[:, 0], MASS - 2.0, rtol=1e-14)


def test_the_account_closes_in_flight_and_through_the_landing(landed: Trajectory) -> None:
    """In flight to 1.1e-9 J, seen: gravity's interpolant bends at the cells of its grid, which RK4 does not know of."""
    data = landed.data
    balance = data.energy_total - data.work_external - data.work_friction - data.work_damper - data.work_rolling
    balance = (balance - balance[0]).values
    first = int(np.argmax(np.any(data.contact_gap.values < 0.0, axis=1)))
    assert first > 10
    size = float(np.ptp(data.work_external.values))
    assert np.max(np.abs(balance[:first])) < 1e-8 * size
    assert landed.summary["energy_rise_J"] <= landed.summary["energy_rise_bound_J"]

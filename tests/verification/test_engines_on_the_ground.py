"""A vehicle whose tanks have moved its centre of mass touches the ground as the rigid body does that it has become.

In flight its engine burns for a while and goes out. From then on it is a rigid body of another mass, inertia and centre
of mass; one that is described so from the start has to move alike, through impacts, sliding and rolling.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import planetfall
from planetfall.flight.controller import Command
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.scenario.scenario import Scenario
from support.flown import Scripted, engine, masses_left

STEP, OUT, DURATION = 1.0 / 8192.0, 0.5, 2.5
MASS, INERTIA, TANKS = 40.0, np.diag([6.0, 7.0, 8.0]), np.array([[0.3, 0.1, 0.2], [0.1, 0.3, 0.3]])
CORNERS = np.array(list(product((-0.5, 0.5), (-0.5, 0.5), (-0.4, 0.4))))
WHEEL = {"name": "wheel", "axis": [0.0, 0.6, 0.8], "inertia": 0.5, "speed": 6.0}
DISTRIBUTED = {
    "law": "distributed", "stiffness": 4e4, "damping": 150.0, "friction": 0.5, "rolling_resistance": 0.02,
    "slip_speed": 0.05, "roll_rate": 0.1,
}  # fmt: skip


def scene(vehicle: dict[str, Any], initial: dict[str, Any], duration: float, contact: dict[str, Any]) -> Scenario:
    """Over a slope; with engines and a rotor, or without engines and with the same rotor."""
    flight = {"flight": {"controller": "own", "rate": 64.0}} if "engines" in vehicle else {}
    return scenario_from_dict(
        {
            "scenario": {"name": "test", "duration": duration},
            "gravity": {"model": "uniform", "acceleration": 2.0},
            "terrain": {"model": "plane", "slope_deg": 10.0},
            "vehicle": {"name": "ship", "flywheels": [WHEEL], **vehicle},
            "contact": contact,
            "initial": initial,
            "integrator": {"method": "rk4", "step": STEP, "accept_step": True},
            "record": {"interval": 1.0 / 64.0},
            "outcome": {"stop_at_rest": False},
            **flight,
        }
    )


def points(places: np.ndarray) -> list[dict[str, Any]]:
    return [{"name": f"p{i}", "position": place.tolist()} for i, place in enumerate(places)]


def test_with_the_small_body_law() -> None:
    """The two take the same steps for different points of the body, so that they differ by errors of the method.

    Seen: 1.4e-6, 6e-7, 2e-8 m with steps of 1/1024 to 1/4096 s, and below 1e-9 m here.
    """
    motor = engine(position=[0.0, 0.0, -0.5], thrust_max=900.0, lag=0.01, isp=0.6)
    burning = scene(
        {
            "mass": MASS, "inertia": INERTIA.tolist(), "points": points(CORNERS), "engines": [motor],
            "propellant": {"mass": 15.0, "positions": TANKS.tolist()},
        },
        {"position": [0.0, 0.0, 3.2], "velocity": [1.0, 0.3, -4.0], "angular_velocity": [0.2, -0.3, 0.4]},
        DURATION,
        DISTRIBUTED,
    )  # fmt: skip
    rule = Scripted(lambda seen: Command(throttles=[0.2 if seen.time < OUT / 4.0 else 0.0]))
    first = planetfall.run(burning, controller=rule)
    data = first.data
    at = int(np.argmin(np.abs(data.time.values - OUT)))
    assert data.time.values[at] == OUT and not np.any(data.contact_gap.values[: at + 1] < 0.0)
    burnt = 15.0 - data.propellant.values[at, 0]
    assert burnt > 0.5 and data.thrust.values[at, 0] < 1e-12
    mass, c, inertia = masses_left(MASS, INERTIA, burnt, TANKS)
    assert data.center_of_mass.values[at, 0] == pytest.approx(c, abs=1e-15) and np.linalg.norm(c) > 0.005
    R, omega = Rotation.from_quat(data.quaternion.values[at, 0]), data.angular_velocity.values[at, 0]
    speed = float(data.flywheel_speed.values[at, 0])
    rigid = scene(
        {
            "mass": mass, "inertia": inertia.tolist(), "points": points(CORNERS - c),
            "flywheels": [{**WHEEL, "speed": speed}],
        },
        {
            "position": (data.position.values[at, 0] + R.apply(c)).tolist(),
            "velocity": (data.velocity.values[at, 0] + R.apply(np.cross(omega, c))).tolist(),
            "attitude": data.quaternion.values[at, 0].tolist(),
            "angular_velocity": omega.tolist(),
        },
        DURATION - OUT,
        DISTRIBUTED,
    )  # fmt: skip
    second = planetfall.run(rigid).data
    end = Rotation.from_quat(data.quaternion.values[-1, 0])
    assert np.max(second.contact_normal_force.values) > 100.0
    assert second.position.values[-1, 0] == pytest.approx(data.position.values[-1, 0] + end.apply(c), abs=1e-8)
    assert second.angular_velocity.values[-1, 0] == pytest.approx(data.angular_velocity.values[-1, 0], abs=1e-7)
    assert second.work_friction.values[-1] < -1.0
    later = data.isel(time=slice(at, None))
    for name in ("work_friction", "work_rolling", "work_damper"):
        assert second[name].values[-1] == pytest.approx(float(later[name][-1] - later[name][0]), abs=1e-5)
    assert first.summary["energy_closure_J"] < 1e-2 * abs(second.work_friction.values[-1])

"""Friction and rolling resistance of the distributed law take energy; what stick gives back has a closed form."""

from __future__ import annotations

import numpy as np
import pytest

from planetfall.contact.distributed import COMPANION_CREEP
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.simulate import run
from support.gathered_probes import largest_return
from support.plain_box import corners, rolling_box


def largest_rise(values: np.ndarray) -> float:
    """How far a series gets above its lowest value so far."""
    return float(np.max(values - np.minimum.accumulate(values)))


def returned_at_most(trajectory: Trajectory) -> float:
    """Bound [J] on what friction and rolling resistance may give back over a run on a plane, by its normal impulse.

    That is what gravity across the ground adds, and what turns the normal velocity about.
    """
    scenario, data = trajectory.scenario, trajectory.data
    contact, vehicle, slope = scenario.contact, scenario.vehicle, np.radians(scenario.terrain.slope_deg)
    aspect = np.radians(scenario.terrain.aspect_deg)
    normal = np.array([np.sin(slope) * np.sin(aspect), np.sin(slope) * np.cos(aspect), np.cos(slope)])
    v_n = data.velocity.values[:, 0] @ normal
    weight = scenario.gravity.acceleration * np.cos(slope) * data.time.values[-1]
    impulse = vehicle.mass * (v_n[-1] - v_n[0] + weight)
    companion = contact.rolling_resistance * vehicle.mass * vehicle.extent / np.linalg.eigvalsh(vehicle.hub.inertia)[0]
    speed = largest_return(contact.friction, contact.friction) + float(COMPANION_CREEP) * companion
    turn = largest_return(1.0, 1.0) * contact.rolling_resistance
    return float(impulse * (speed * contact.slip_speed + turn * contact.roll_rate))


@pytest.mark.parametrize("method", [{"method": "adaptive"}, {"method": "rk4", "step": 1e-4, "accept_step": True}])
def test_a_tumbling_box_gains_nothing(method: dict) -> None:
    """Energy and the work of friction and rolling fall all the time, to the error of the method, 1e-6 of the energy.

    The bound that holds whatever the motion is far from reached: stick gives back while a body comes to rest, and this
    one tumbles on. Works are sums of powers with positive weights, so that theirs fall with a step that is far too long
    for the energy, too.
    """
    trajectory = run(scenario_from_dict(rolling_box() | {"integrator": method}))
    data, summary = trajectory.data, trajectory.summary
    work = (data.work_friction + data.work_rolling).values
    error = 1e-6 * summary["energy_start_J"]
    assert work[-1] < -0.2 * summary["energy_start_J"]
    assert largest_rise(work) < error < returned_at_most(trajectory)
    if method["method"] == "adaptive":
        assert summary["energy_rise_J"] < error
        assert summary["energy_closure_J"] < error


@pytest.mark.parametrize("push", [0.3, 0.999])
def test_what_a_grip_gives_back(push: float) -> None:
    """A plate pushed downhill by `push` of its friction creeps uphill, slower than 0.3 v*: stick holds it on its way.

    With s = v/v* its motion is s' = -s (2 - s) (1 + push) mu g_n/v*, so that friction gives back
    m v*^2 (x ln(2/(2 - s0)) - s0^2/2), x = push/(1 + push): at most 0.0363 m v*^2. Errors are those of the tolerance.
    """
    mass, mu, g, v_star = 2.0, 0.5, 0.3, 1e-3
    slope = np.arctan(push * mu)
    x = push / (1.0 + push)
    s0 = 1.0 - np.sqrt(1.0 - x)  # from here on it gives back
    normal = np.array([0.0, np.sin(slope), np.cos(slope)])
    uphill = np.array([0.0, -np.cos(slope), np.sin(slope)])
    stiffness = 1e3
    scenario = scenario_from_dict(
        {
            "scenario": {"name": "grip", "duration": 0.1},
            "gravity": {"model": "uniform", "acceleration": g},
            "terrain": {"model": "plane", "slope_deg": float(np.degrees(slope)), "aspect_deg": 0.0},
            "vehicle": {
                "name": "plate", "mass": mass, "inertia": [1.0, 1.0, 1.0], "points": corners([1.0, 1.0, 0.0], -1e-4),
            },
            "contact": {
                "law": "distributed", "stiffness": stiffness, "damping": 0.0, "friction": mu, "slip_speed": v_star,
            },
            "initial": {
                "position": (normal * (1e-4 - mass * g * np.cos(slope) / (8 * stiffness))).tolist(),
                "attitude": [-float(np.sin(0.5 * slope)), 0.0, 0.0, float(np.cos(0.5 * slope))],
                "velocity": (uphill * s0 * v_star).tolist(),
            },
            "integrator": {"method": "adaptive", "tolerance": 1e-11},
            "record": {"interval": 1e-3},
        }
    )  # fmt: skip
    work = run(scenario).data.work_friction.values
    expected = mass * v_star**2 * (x * np.log(2.0 / (2.0 - s0)) - 0.5 * s0**2)
    assert work[-1] == pytest.approx(expected, rel=1e-4)
    assert largest_rise(work) == pytest.approx(expected, rel=1e-4)
    assert expected < 0.0364 * mass * v_star**2

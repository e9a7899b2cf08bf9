"""Fixed and adaptive steps through every switch of a descent: parachute, heat shield, lander, canopy let go."""

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall import Scenario, Trajectory

STEP = 1.0 / 512.0
INTERVAL = 0.5
"""Of the record [s]; frames of peaks are at other times."""
RK4 = {"method": "rk4", "step": STEP, "accept_step": True}
ADAPTIVE = {"method": "adaptive", "tolerance": 1e-11, "max_step": 0.5}
BY_TIME = {"deploy": {"after": 2.0}, "shield": {"after": 6.0}, "lander": {"after": 9.0}, "release": {"after": 8.5}}
BY_FLIGHT = {
    "deploy": {"speed_below": 430.0, "armed_above_dynamic_pressure": 100.0}, "shield": {"mach_below": 0.9},
    "lander": {"dynamic_pressure_below": 220.0}, "release": {"after": 8.5},
}  # fmt: skip


def body(name: str, mass: float, radius: float, **more: Any) -> dict[str, Any]:
    points = [{"name": "foot", "position": [radius, 0.0, 0.0]}]
    drag = {"model": "drag", "drag_coefficient": 1.2, "diameter": 2.0 * radius}
    return {"name": name, "mass": mass, "inertia": [mass, mass, mass], "points": points, "aerodynamics": drag, **more}


def descent(integrator: dict[str, Any], when: dict[str, Any]) -> Scenario:
    """A shell at 450 m/s that carries lander and heat shield, through thin air of one temperature."""
    canopy = {
        "name": "main", "canopy": "disk-gap-band", "diameter": 9.0, "delay": 1.0, "attachment": [-0.5, 0.0, 0.0],
    }  # fmt: skip
    shell = body("shell", 150.0, 1.3, parachutes=[{**canopy, "deploy": when["deploy"], "release": when["release"]}])
    springs = {"position": [0.8, 0.0, 0.0], "separation_velocity": [1.0, 0.0, 0.2]}
    return Scenario.from_dict(
        {
            "scenario": {"name": "switches", "duration": 14.0},
            "gravity": {"model": "uniform", "acceleration": 3.71},
            "terrain": {"model": "plane"},
            "atmosphere": {
                "model": "exponential", "density": 0.02, "scale_height": 11100.0, "temperature": 210.0,
                "gas_constant": 191.4, "heat_ratio": 1.33,
            },
            "vehicle": body("lander", 300.0, 0.9),
            "initial": {"attached": {"to": "shell", "position": [0.2, 0.1, 0.0], "release": when["lander"]}},
            "companions": [
                {
                    "vehicle": shell,
                    "initial": {"position": [0.0, 0.0, 9000.0], "velocity": [150.0, 0.0, -424.0],
                                "angular_velocity": [0.02, -0.03, 0.05]},
                },
                {
                    "vehicle": body("shield", 60.0, 1.2),
                    "initial": {"attached": {"to": "shell", "release": when["shield"], **springs}},
                },
            ],
            "contact": {
                "law": "marker", "rest_penetration": 0.01, "damping_ratio": 0.1, "breakaway_angle_deg": 32.0,
                "sliding_angle_deg": 27.0, "breakaway_speed": 0.05, "sliding_speed": 0.1,
            },
            "integrator": integrator,
            "record": {"interval": INTERVAL},
        }
    )  # fmt: skip


def switches(run: Trajectory) -> list[float]:
    """When the canopy was fired and let go, and when shield and lander were released [s]."""
    found, parts = run.summary["parachute"], run.summary["separations"]
    return [found["deploy_s"], parts["shield_s"], parts["lander_s"], found["released_s"]]


def apart(one: Trajectory, other: Trajectory) -> tuple[float, float]:
    """Largest distance [m] and difference of velocities [m/s] of all vehicles, at equal times but the switches.

    There a frame may be that before the springs' push, or that after it.
    """
    one_data, other_data = (run.data.isel(time=run.data.time.values % INTERVAL == 0.0) for run in (one, other))
    times = one_data.time.values
    np.testing.assert_array_equal(times, other_data.time.values)
    apart_in_time = np.abs(times[:, None] - np.array([*switches(one), *switches(other)])).min(axis=1)
    away = apart_in_time > 5.0 * STEP
    ends = [
        np.linalg.norm(one_data[k].values - other_data[k].values, axis=2)[away].max() for k in ("position", "velocity")
    ]
    return float(ends[0]), float(ends[1])


def test_switches_at_given_times() -> None:
    """All are at ends of fixed steps, line stretch too, but for the full canopy: there the slope of a load of 40 m/s^2
    jumps, 1e2 m/s^3 times h^2, 4e-4 m/s at most."""
    fixed, adaptive = (planetfall.run(descent(method, BY_TIME)) for method in (RK4, ADAPTIVE))
    assert switches(fixed) == pytest.approx([2.0, 6.0, 9.0, 10.5], abs=1e-9)
    assert switches(adaptive) == pytest.approx(switches(fixed), abs=1e-9)
    distance, difference = apart(fixed, adaptive)
    assert distance < 1e-3 and difference < 1e-3
    for run in (fixed, adaptive):
        assert abs(run.summary["energy_closure_J"]) < 1e-6 * run.summary["energy_start_J"]


def test_switches_by_speed_mach_number_and_pressure() -> None:
    """A fixed step sees a trigger at its end: each at most a step late, at 40 m/s^2 80 mm/s and, 450 m/s apart, 1 m."""
    fixed, adaptive = (planetfall.run(descent(method, BY_FLIGHT)) for method in (RK4, ADAPTIVE))
    late = np.array(switches(fixed)) - np.array(switches(adaptive))
    assert np.all(np.isfinite(late)) and np.all(late > -2.0 * STEP) and np.all(late < 3.0 * STEP), late
    distance, difference = apart(fixed, adaptive)
    assert distance < 2.0 and difference < 0.5

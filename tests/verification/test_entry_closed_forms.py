"""Flights through air against closed forms: Allen and Eggers, terminal speed, equilibrium glide, a vacuum arc, trim."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.scenario.scenario import Scenario
from support.entries import flight

ENTRY_SPEED, PATH_DEG, SCALE_HEIGHT, DENSITY = 6000.0, -30.0, 8000.0, 0.02
MASS, AREA, DRAG = 500.0, 4.0, 1.5
BETA = MASS / (DRAG * AREA)
"""Ballistic coefficient [kg/m^2]."""
ADAPTIVE = {"method": "adaptive", "tolerance": 1e-12, "max_step": 1.0}


def air(density: float = DENSITY, scale_height: float = SCALE_HEIGHT) -> dict[str, Any]:
    return {
        "model": "exponential", "density": density, "scale_height": scale_height, "temperature": 200.0,
        "gas_constant": 191.4, "heat_ratio": 1.3,
    }  # fmt: skip


def straight_entry(**changes: Any) -> Scenario:
    """No gravity, no rotation, flat ground, exponential air: the path is a straight line."""
    sine, cosine = np.sin(np.radians(PATH_DEG)), np.cos(np.radians(PATH_DEG))
    tables = {
        "scenario": {"name": "straight", "duration": 60.0},
        "atmosphere": air(),
        "vehicle": {
            "mass": MASS,
            "aerodynamics": {
                "model": "drag", "area": AREA, "drag_coefficient": DRAG, "nose_radius": 0.5,
                "heating_constant": 1.9e-4,
            },
        },
        "initial": {"position": [0.0, 0.0, 90e3], "velocity": [ENTRY_SPEED * cosine, 0.0, ENTRY_SPEED * sine]},
        "integrator": {"method": "rk4", "step": 0.01},
        "record": {"interval": 0.25},
    }  # fmt: skip
    return flight(**{**tables, **changes})


def allen_eggers(height: np.ndarray) -> np.ndarray:
    """Speed [m/s] at a height [m]: V = V_E exp(-(rho - rho_E) H/(2 beta sin|gamma|)) [AllenEggers1958]."""
    rho, rho_entry = (DENSITY * np.exp(-h / SCALE_HEIGHT) for h in (height, 90e3))
    return ENTRY_SPEED * np.exp(-(rho - rho_entry) * SCALE_HEIGHT / (2 * BETA * np.sin(np.radians(-PATH_DEG))))


@pytest.mark.parametrize("integrator", [{"method": "rk4", "step": 0.01}, ADAPTIVE], ids=["rk4", "adaptive"])
def test_speed_of_a_straight_entry(integrator: dict[str, Any]) -> None:
    """To 1e-8 of the entry speed, at every height; work of the air equals the kinetic energy that is lost."""
    data = planetfall.run(straight_entry(integrator=integrator)).data
    speed = np.linalg.norm(data.velocity.values[:, 0], axis=1)
    assert speed[-1] < 0.05 * ENTRY_SPEED
    np.testing.assert_allclose(speed, allen_eggers(data.altitude.values[:, 0]), atol=1e-8 * ENTRY_SPEED)
    total = data.energy_total.values
    np.testing.assert_allclose(total - data.work_aero.values, total[0], rtol=1e-9)


@pytest.mark.parametrize(
    ("integrator", "error"), [({"method": "rk4", "step": 0.01}, 1e-7), (ADAPTIVE, 4e-6)], ids=["rk4", "adaptive"]
)
def test_peaks_of_a_straight_entry_are_located(integrator: dict[str, Any], error: float) -> None:
    """g at V_E e^(-1/2), of V_E^2 sin|gamma|/(2 e H); heating at V_E e^(-1/6), where rho = beta sin|gamma|/(3 H).

    The parabola through samples of 0.01 s is good to (0.01 s/4 s)^3, the formula leaves out rho_E/rho: 2e-5 of it. The
    adaptive method takes 1,075 steps in 60 s, 0.06 s each on average: (0.06 s/4 s)^3 is 4e-6.
    """
    summary = planetfall.run(straight_entry(integrator=integrator)).summary
    sine = np.sin(np.radians(-PATH_DEG))
    deceleration = ENTRY_SPEED**2 * sine / (2 * np.e * SCALE_HEIGHT)
    rho_entry = DENSITY * np.exp(-90e3 / SCALE_HEIGHT)
    less = np.exp(rho_entry * SCALE_HEIGHT / (BETA * sine))  # the exact formula, with the air over the entry
    assert summary["peak_g"] * 9.80665 == pytest.approx(deceleration * less, rel=error)
    rho = BETA * sine / (3 * SCALE_HEIGHT)
    heating = 1.9e-4 * np.sqrt(rho / 0.5) * (ENTRY_SPEED * np.exp(-1 / 6)) ** 3 * less**1.5
    assert summary["peak_heating_W_m2"] == pytest.approx(heating, rel=error)


def test_a_fixed_step_is_of_fourth_order_in_smooth_air() -> None:
    """Halving the step divides the error by 16: between 12 and 20, as the next order is still felt."""
    errors = []
    for step in (0.5, 0.25, 0.125):
        scenario = straight_entry(integrator={"method": "rk4", "step": step}, record={"interval": 0.5})
        data = planetfall.run(scenario).data
        speed = np.linalg.norm(data.velocity.values[:, 0], axis=1)
        errors.append(np.max(np.abs(speed - allen_eggers(data.altitude.values[:, 0]))))
    assert 12 < errors[0] / errors[1] < 20 and 12 < errors[1] / errors[2] < 20


def test_a_fall_reaches_its_terminal_speed() -> None:
    """V = V_t tanh(g t/V_t), V_t = sqrt(2 m g/(rho C_D S)), in air of one density; RK4's error is 1e-9 of it."""
    scenario = straight_entry(
        gravity={"model": "uniform", "acceleration": 3.7},
        atmosphere=air(scale_height=1e12),
        initial={"position": [0.0, 0.0, 20e3]},
    )
    data = planetfall.run(scenario).data
    terminal = np.sqrt(2 * MASS * 3.7 / (DENSITY * DRAG * AREA))
    expected = terminal * np.tanh(3.7 * data.time.values / terminal)
    np.testing.assert_allclose(-data.velocity.values[:, 0, 2], expected, atol=1e-6)


GM, RADIUS = 4.282837e13, 3.39e6


def over_a_sphere(**changes: Any) -> Scenario:
    """A trimmed vehicle over a sphere that does not turn."""
    tables = {
        "target": {
            "name": "sphere", "gm": GM, "radius": RADIUS, "spin_rate": 0.0,
            "site": {"latitude_deg": 0.0, "longitude_deg": 0.0},
        },
        "gravity": {"model": "point"},
        "atmosphere": air(0.02, 10e3),
        "vehicle": {
            "mass": MASS,
            "aerodynamics": {
                "model": "drag", "area": AREA, "drag_coefficient": DRAG, "attitude": "trim", "lift_to_drag": 1.0
            },
        },
        "integrator": {"method": "rk4", "step": 0.1},
        "record": {"interval": 5.0},
    }  # fmt: skip
    return flight(**{**tables, **changes})


def test_equilibrium_glide_and_its_range() -> None:
    """V^2 = g r/(1 + r rho C_L S/2m); range (r/2)(L/D) ln(1/(1 - V^2/gr)), between two speeds.

    A slow manifold: what is left out, gravity along the path over drag, is 2 (H/r)/(x (1 - x)) with x = V^2/gr, here
    0.6 % at the start and 1 % at the end.
    """
    height, scale_height, density = 60e3, 2.5e3, 5e-5
    r = RADIUS + height
    share = 1 / (1 + r * density * DRAG * AREA / (2 * MASS))
    scenario = over_a_sphere(
        scenario={"name": "glide", "duration": 1200.0},
        atmosphere={**air(density, scale_height), "reference_height": height},
        initial={
            "altitude": height, "latitude_deg": 0.0, "longitude_deg": 0.0, "speed": float(np.sqrt(share * GM / r)),
            "flight_path_deg": float(np.degrees(-2 * scale_height / r / share)), "azimuth_deg": 90.0,
        },
    )  # fmt: skip
    data = planetfall.run(scenario).data
    v = np.linalg.norm(data.velocity.values[:, 0], axis=1)
    r, rho = RADIUS + data.altitude.values[:, 0], data.air_density.values[:, 0]
    balanced = np.sqrt(GM / r / (1 + r * rho * DRAG * AREA / (2 * MASS)))
    fast = v > 0.6 * v[0]
    assert np.count_nonzero(fast) > 20
    np.testing.assert_allclose(v[fast], balanced[fast], rtol=0.01)
    last = int(np.flatnonzero(fast)[-1])
    x = v**2 * r / GM
    expected = 0.5 * RADIUS * np.log((1 - x[last]) / (1 - x[0]))
    assert RADIUS * data.longitude.values[last, 0] == pytest.approx(expected, rel=0.015)


def test_without_air_an_arc_is_kepler_s() -> None:
    """Apex and speed there by energy and angular momentum, to 1e-10; no air, no load."""
    scenario = over_a_sphere(
        scenario={"name": "arc", "duration": 700.0},
        atmosphere=air(1e-40, 10e3),
        initial={
            "altitude": 50e3, "latitude_deg": 10.0, "longitude_deg": 20.0, "speed": 2500.0, "flight_path_deg": 35.0,
            "azimuth_deg": 60.0,
        },
    )  # fmt: skip
    run = planetfall.run(scenario)
    r0 = RADIUS + 50e3
    energy, momentum = 0.5 * 2500.0**2 - GM / r0, r0 * 2500.0 * np.cos(np.radians(35.0))
    a = -GM / (2 * energy)
    apex = a * (1 + np.sqrt(1 - momentum**2 / (GM * a)))
    r = RADIUS + run.data.altitude.values[:, 0]
    v = np.linalg.norm(run.data.velocity.values[:, 0], axis=1)
    np.testing.assert_allclose(0.5 * v**2 - GM / r, energy, rtol=1e-10)
    top = int(np.argmax(r))
    parabola = np.polyfit(run.data.time.values[top - 2 : top + 3] - run.data.time.values[top], r[top - 2 : top + 3], 4)
    highest = max(np.polyval(parabola, np.linspace(-5.0, 5.0, 20001)))
    assert highest == pytest.approx(apex, rel=1e-10)
    assert run.summary["peak_g"] < 1e-30


CAPSULE = {
    "model": "newtonian", "diameter": 4.5, "half_angle_deg": 70.0, "nose_radius": 1.125, "heat_ratio": 1.33,
    "reference_point": [1.35, 0.0, -0.12295], "heating_constant": 1.9027e-4,
}  # fmt: skip
"""The 70 degree cone whose centre of mass trims it at 16 degrees."""


def capsule(attitude: dict[str, Any], initial: dict[str, Any], step: float) -> Scenario:
    return over_a_sphere(
        vehicle={"mass": 3257.0, "inertia": [5600.0, 4450.0, 4450.0], "aerodynamics": {**CAPSULE, **attitude}},
        atmosphere=air(0.0149, 10e3),
        initial={
            "altitude": 110e3, "latitude_deg": 0.0, "longitude_deg": 0.0, "speed": 5800.0, "flight_path_deg": -15.5,
            "azimuth_deg": 90.0, **initial,
        },
        integrator={"method": "rk4", "step": step},
        outcome={"stop_altitude": 20e3},
    )  # fmt: skip


def test_six_degrees_of_freedom_trimmed_and_damped_are_near_three() -> None:
    """Within 2 %: the free vehicle swings about the angle that the other holds."""
    trimmed = planetfall.run(capsule({"attitude": "trim"}, {}, 0.05))
    attitude = trimmed.data.quaternion.values[0, 0]
    free = planetfall.run(capsule({"damping": [0.0, -0.3, -0.3]}, {"attitude": attitude.tolist()}, 0.02))
    assert free.summary["outcome"] == trimmed.summary["outcome"] == "descended"
    for name in ("end_s", "peak_g", "peak_heating_W_m2", "heat_load_J_m2", "peak_dynamic_pressure_Pa"):
        assert free.summary[name] == pytest.approx(trimmed.summary[name], rel=0.02)
    for run in (free, trimmed):
        total = run.data.energy_total.values
        np.testing.assert_allclose(total - run.data.work_aero.values, total[0], rtol=1e-9)
    nose = _nose(free)
    late = free.data.time.values > 60.0
    v = free.data.velocity.values[late, 0]
    alpha = np.degrees(np.arccos(np.sum(nose[late] * v, axis=1) / np.linalg.norm(v, axis=1)))
    assert abs(alpha.mean() - 16.0) < 0.5


def _nose(run: planetfall.Trajectory) -> np.ndarray:
    x, y, z, w = run.data.quaternion.values[:, 0].T
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], axis=1)

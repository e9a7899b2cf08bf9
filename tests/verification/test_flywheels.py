"""Flywheels: what they exchange with the body is conserved, in flight and against the ground."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.analysis.run.inner_energy import inner_energy
from planetfall.errors import InputError
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.scenario.tables.run.attitude import rotation_matrix

INERTIA = np.array([0.008, 0.007, 0.009])
WHEELS = [
    {
        "name": "hop", "axis": [1.0, 0.0, 0.0], "inertia": 2e-4, "times": [1.0, 1.5, 4.0, 4.5],
        "torques": [0.0, 1e-3, 1e-3, 0.0], "brake_time": 8.0, "brake_torque": 2e-3,
    },
    {"name": "bias", "axis": [0.0, 0.6, 0.8], "inertia": 1e-4, "speed": 50.0},
]  # fmt: skip


def hopper(**tables: Any) -> planetfall.Scenario:
    """A body with two rotors, five metres over the ground."""
    return scenario_from_dict(
        {
            "scenario": {"name": "test", "duration": 20.0},
            "gravity": {"model": "none"},
            "terrain": {"model": "plane"},
            "vehicle": {"name": "test", "mass": 1.2, "inertia": INERTIA.tolist(), "flywheels": WHEELS},
            "contact": {"law": "distributed", "stiffness": 250.0, "damping": 1.0, "friction": 0.5},
            "initial": {"position": [0.0, 0.0, 5.0], "angular_velocity": [0.1, 0.2, -0.3]},
            "integrator": {"method": "adaptive", "tolerance": 1e-12},
            "record": {"interval": 0.1},
            **tables,
        }
    )


def momentum(data: Any) -> np.ndarray:
    """Angular momentum along the run [time, 3] [N m s], surface frame."""
    speed = data.flywheel_speed.values
    rotors = sum(wheel["inertia"] * speed[:, i, None] * np.array(wheel["axis"]) for i, wheel in enumerate(WHEELS))
    held = data.angular_velocity.values[:, 0] * INERTIA + rotors
    return np.einsum("tij,tj->ti", rotation_matrix(data.quaternion.values[:, 0]), held)


def drift(run: planetfall.Trajectory) -> float:
    """Largest change of the angular momentum along the run, as a share of it."""
    held = momentum(run.data)
    return float(np.abs(held - held[0]).max() / np.linalg.norm(held[0]))


def fine(tolerance: float) -> dict[str, Any]:
    """The table of the adaptive method at this tolerance."""
    return {"integrator": {"method": "adaptive", "tolerance": tolerance}}


def test_angular_momentum_and_energy_in_flight() -> None:
    """Motors and brakes are internal: momentum stays; what the motor does less what the brake takes is the energy."""
    run = planetfall.run(hopper(**fine(1e-13)))
    assert drift(run) < 1e-12
    assert run.summary["energy_closure_J"] < 1e-11 * np.abs(run.data.energy_kinetic.values).max()
    locked = 0.5 * np.sum(INERTIA * run.data.angular_velocity.values[:, 0] ** 2, axis=1)
    turning = inner_energy(run.scenario, run.data)
    np.testing.assert_allclose(run.data.energy_kinetic.values, locked + turning, rtol=1e-12)  # its centre is at rest
    speed = run.data.flywheel_speed.sel(flywheel="hop").values
    assert speed.max() > 14.0 and abs(speed[-1]) < 0.01  # spun up, then braked


def test_what_momentum_drifts_is_the_tolerance() -> None:
    """No part of the exchange loses momentum: what is left is the method's own error, which falls as asked.

    The drift is about 1.4 times the tolerance down to 3e-14, and rounding over 2,600 steps is less than that.
    """
    for tolerance in (1e-10, 1e-12, 1e-13, 3e-14):
        assert 0.5 * tolerance < drift(planetfall.run(hopper(**fine(tolerance)))) < 3.0 * tolerance


def test_same_motion_on_a_spinning_target() -> None:
    """Seen from a frame that turns, the same body in free space ends with the same inertial momentum."""
    spin = np.array([0.02, -0.05, 0.03])
    rate = float(np.linalg.norm(spin))
    start = {"position": [0.0, 0.0, 5.0], "velocity": (-np.cross(spin, [0.0, 0.0, 5.0])).tolist()}
    turning = planetfall.run(
        hopper(
            target={"name": "none", "spin_rate": rate, "spin_axis": (spin / rate).tolist()},
            initial={**start, "angular_velocity": (np.array([0.1, 0.2, -0.3]) - spin).tolist()},
        )
    )
    still = planetfall.run(hopper())
    a, b = (run.data.flywheel_speed.values[-1] for run in (turning, still))
    assert a == pytest.approx(b, abs=1e-9)
    assert turning.summary["energy_closure_J"] < 1e-10 * np.abs(turning.data.energy_kinetic.values).max()


def spiked(
    mass: float, arm: float, inertia: float, rotor: float, speed: float, stiffness: float
) -> planetfall.Scenario:
    """A body on a spike at 45 degrees behind and below it, whose rotor is stopped in 1 ms on stiff ground."""
    return hopper(
        scenario={"name": "test", "duration": 3e-3},
        vehicle={
            "name": "test", "mass": mass, "inertia": [inertia] * 3,
            "points": [{"name": "spike", "position": [-arm * np.sqrt(0.5), 0.0, -arm * np.sqrt(0.5)]}],
            "flywheels": [
                {
                    "name": "hop", "axis": [0.0, 1.0, 0.0], "inertia": rotor, "speed": -speed, "brake_time": 1e-5,
                    "brake_torque": rotor * speed / 1e-3, "brake_speed": 1e-3,
                }
            ],
        },
        contact={"law": "distributed", "stiffness": stiffness, "damping": 1e6, "friction": 5.0, "slip_speed": 1e-4},
        initial={"position": [0.0, 0.0, arm * np.sqrt(0.5)]},
        record={"interval": 1e-4},
    )  # fmt: skip


def test_braked_flywheel_makes_a_pinned_body_hop() -> None:
    """omega_b = I_f omega_f/(I_p + I_f + m l^2) about a spike that does not slip; v = omega_b l across its arm.

    `inertia` is I_p + I_f. With the brake the force at the spike ends, and the body leaves it as it turns. Two things
    set the hop apart from the closed form, and are the tolerance: while it is braked, for t = 1 ms, the arm turns by
    omega_b t/2 = 1 mrad; and the spring under the force F lets the spike go with F/sqrt(K m_s) at most, m_s the mass
    that it feels (1.2e-3 of v here).
    """
    mass, arm, inertia, rotor, speed, stiffness = 1.2, 0.1, 0.008, 4e-4, 100.0, 1e12
    data = planetfall.run(spiked(mass, arm, inertia, rotor, speed, stiffness)).data
    assert data.flywheel_speed.values[-1, 0] == pytest.approx(0.0, abs=1e-2)
    assert data.contact_normal_force.values[-1, 0] == 0.0  # it flies
    turning = rotor * speed / (inertia + mass * arm**2)
    felt = 1.0 / (1.0 / mass + 0.5 * arm**2 / inertia)
    rebound = data.contact_normal_force.values.max() / np.sqrt(stiffness * felt)
    turned = 0.5 * turning * 1e-3
    hop = data.velocity.values[-1, 0]
    assert rebound < 1.5e-3 * turning * arm
    assert np.linalg.norm(hop) == pytest.approx(turning * arm, abs=rebound)
    assert data.angular_velocity.values[-1, 0, 1] == pytest.approx(-turning, abs=rebound * mass * arm / inertia)
    across = np.array([-np.sqrt(0.5), 0.0, np.sqrt(0.5)])
    assert np.arccos(hop @ across / np.linalg.norm(hop)) < turned + rebound / (turning * arm)
    about_spike = mass * arm * (hop @ across) - inertia * data.angular_velocity.values[-1, 0, 1]
    assert about_spike == pytest.approx(rotor * speed, rel=turned)  # whatever the rebound does


@pytest.mark.parametrize("depth", [5e-3, 5e-4, 5e-5])
def test_the_hedgehog_hops_as_a_pinned_body_on_hard_ground(depth: float) -> None:
    """A cube over its edge: 0.200 rad/s, 0.0424 m/s at 45 degrees, but for what the ground gives back, F/sqrt(K m_s).

    On the scenario's own ground (5 mm deep at 0.1 m/s) that is 0.6 of the hop: it leaves slower turning, faster and
    steeper than the closed form. Besides, the arm turns by omega_b t/2 = 0.01 rad in the t = 0.1 s of the brake.
    """
    grip = {"contact.friction": 5.0, "contact.rolling_resistance": 0.0, "contact.impact_depth": depth}
    scenario = planetfall.load("hedgehog-hop").with_values({**grip, "scenario.duration": 1.5, "record.interval": 0.01})
    run = planetfall.run(scenario)
    mass, arm, turning = 5.0, 0.15 * np.sqrt(2.0), 1.5e-3 * 40.0 / (0.075 + 5.0 * 0.045)
    felt, edge = 1.0 / (1.0 / mass + 0.15**2 / 0.075), 2.0 * run.summary["stiffness_N_m"]
    force = turning / 0.1 * arm * np.sqrt(0.5) * mass  # normal, while the brake turns the body
    rebound = force / np.sqrt(edge * felt) / (turning * arm)
    hop, rate = run.data.velocity.values[-1, 0], run.data.angular_velocity.values[-1, 0, 1]
    off = [np.linalg.norm(hop) / (turning * arm) - 1.0, rate / turning - 1.0, np.arctan2(hop[2], hop[0]) - np.pi / 4]
    assert rebound == pytest.approx(0.66 * depth / 5e-3, rel=0.01)
    assert np.max(np.abs(off)) < rebound + 0.01
    assert abs(off[1]) > 0.2 * rebound  # what the ground gives back is what it is about


def test_rotors_larger_than_the_vehicle_are_refused() -> None:
    """The vehicle's inertia includes them."""
    with pytest.raises(InputError, match="flywheels: their inertia exceeds"):
        hopper(
            vehicle={
                "name": "test", "mass": 1.0, "inertia": [1e-3] * 3,
                "flywheels": [{"name": "w", "axis": [1.0, 0.0, 0.0], "inertia": 2e-3}],
            }
        )  # fmt: skip

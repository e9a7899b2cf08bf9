"""An eccentric arm: against two hinged bodies, conservation laws, the flywheel that it is at length zero, and stick."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import planetfall
from oracles.swung_body import Hinged, fly
from planetfall.analysis.run.inner_energy import inner_energy
from planetfall.engine.build import build
from planetfall.engine.checks.mechanism_steps import arm_step_limit
from planetfall.engine.run import run_batch
from planetfall.errors import InputError
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.scenario.tables.run.attitude import rotation_matrix
from support.random_states import random_inertia, random_quaternion

AXIS, ACROSS = np.array([0.36, 0.48, 0.8]), np.array([0.8, -0.6, 0.0])
BODY = Hinged(
    hub_mass=1.0,
    hub_inertia=np.array([[0.008, 0.001, -0.0005], [0.001, 0.007, 0.0002], [-0.0005, 0.0002, 0.009]]),
    arm_mass=0.2,
    arm_axial=2e-5,
    arm_across=3e-5,
    pivot=np.array([0.03, -0.02, 0.05]),
    axis=AXIS,
    reach=0.06 * ACROSS,
)
GRAVITY = 2e-3
STILL = 1e-30
"""A spin [rad/s] and a gravity [m/s^2] that are none, in the one kernel that all these runs share."""
PLAN = {"times": [1.0, 1.5, 3.0, 3.5], "torques": [0.0, 1e-3, 1e-3, 0.0]}
THRUST = {"times": [2.0, 3.0, 5.0], "magnitudes": [0.0, 0.02, 0.0]}
POINT = np.array([0.1, 0.05, -0.02])


def arm_table(**changes: Any) -> dict[str, Any]:
    """The arm of `BODY`, as seen from the common centre of mass."""
    pivot = (BODY.pivot - BODY.center).tolist()
    return {
        "pivot": pivot, "axis": AXIS.tolist(), "direction": ACROSS.tolist(), "length": 0.06, "mass": BODY.arm_mass,
        "inertia": BODY.arm_axial, "angle_deg": 40.0, "speed": -0.5, **PLAN, **changes,
    }  # fmt: skip


def hopper(arm: dict[str, Any] | None = None, thrust: float = 1.0, **tables: Any) -> planetfall.Scenario:
    """`BODY` with a small rotor beside the arm, over the ground, pushed at a point off its centre."""
    wheel = {"name": "w", "axis": [1.0, 0.0, 0.0], "inertia": 1e-4}
    return scenario_from_dict(
        {
            "scenario": {"name": "test", "duration": 8.0},
            "gravity": {"model": "uniform", "acceleration": GRAVITY},
            "target": {"name": "none", "spin_rate": STILL, "spin_axis": [0.0, 0.0, 1.0]},
            "terrain": {"model": "plane"},
            "vehicle": {
                "name": "test", "mass": BODY.hub_mass + BODY.arm_mass, "inertia": BODY.inertia.tolist(),
                "flywheels": [tables.pop("wheel", wheel)], "arm": arm_table() if arm is None else arm,
            },
            "contact": {"law": "distributed", "stiffness": 250.0, "damping": 1.0, "friction": 0.5},
            "initial": {
                "position": [0.0, 0.0, 5.0], "velocity": [0.1, 0.0, 0.05], "attitude": [0.1, 0.5, 0.5, 0.7],
                "angular_velocity": [0.1, 0.2, -0.3],
            },
            "forces": [
                {
                    "kind": "thruster", "point": POINT.tolist(), "direction": [0.0, 0.6, 0.8], "times": THRUST["times"],
                    "magnitudes": [thrust * value for value in THRUST["magnitudes"]],
                }
            ],
            "integrator": {"method": "adaptive", "tolerance": 1e-12},
            "record": {"interval": 0.1},
            **tables,
        }
    )  # fmt: skip


def centers(data: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Along a run: rotation, place of the arm's mass from O, its velocity relative to the body, and the centre's."""
    turns = rotation_matrix(data.quaternion.values[:, 0])
    angle, speed = data.arm_angle.values[:, 0], data.arm_speed.values[:, 0]
    rho = np.cos(angle)[:, None] * BODY.reach + np.sin(angle)[:, None] * np.cross(AXIS, BODY.reach)
    tip, tip_velocity = BODY.pivot - BODY.center + rho, speed[:, None] * np.cross(AXIS, rho)
    share = BODY.arm_mass / (BODY.hub_mass + BODY.arm_mass)
    return turns, tip, tip_velocity, share * (tip - tip_at_zero())


def tip_at_zero() -> np.ndarray:
    """Place of the arm's mass from O at angle zero."""
    return BODY.pivot + BODY.reach - BODY.center


def test_two_hinged_bodies() -> None:
    """Motion under gravity, an off-centre push and the motor equals that of two bodies joined by a hinge.

    Both integrations are good to about 1e-12 relative; the oracle has no rotor, so here it is one of 1e-16 kg m^2.
    """
    wheel = {"name": "w", "axis": [1.0, 0.0, 0.0], "inertia": 1e-16}
    run = planetfall.run(hopper(wheel=wheel))
    data, q = run.data, run.data.quaternion.values[0, 0]
    R, w = rotation_matrix(q), np.array([0.1, 0.2, -0.3])
    start = np.concatenate(
        [
            np.array([0.0, 0.0, 5.0]) - R @ BODY.center,
            np.array([0.1, 0.0, 0.05]) + R @ np.cross(w, -BODY.center),
            q, w, [np.radians(40.0), -0.5],
        ]
    )  # fmt: skip

    def loads(t: float, _: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        force = np.interp(t, THRUST["times"], THRUST["magnitudes"]) * np.array([0.0, 0.6, 0.8])
        return force, np.cross(POINT + BODY.center, force), float(np.interp(t, PLAN["times"], PLAN["torques"]))

    instants = np.array([0.0, 1.0, 1.5, 2.0, 3.0, 3.5, 5.0, 8.0])
    end = fly(BODY, start, np.array([0.0, 0.0, -GRAVITY]), loads, instants)
    R_end = rotation_matrix(data.quaternion.values[-1, 0])
    hub = data.position.values[-1, 0] - R_end @ BODY.center
    assert hub == pytest.approx(end[:3], abs=1e-10)
    assert R_end == pytest.approx(rotation_matrix(end[6:10] / np.linalg.norm(end[6:10])), abs=1e-9)
    assert data.angular_velocity.values[-1, 0] == pytest.approx(end[10:13], abs=1e-9)
    assert [data.arm_angle.values[-1, 0], data.arm_speed.values[-1, 0]] == pytest.approx(end[13:15], abs=1e-9)
    assert abs(end[13]) > 2 * np.pi  # the arm has gone round


def test_momentum_and_energy_in_flight() -> None:
    """Motor and arm are internal: the centre falls freely, angular momentum about it stays, energy is the motor's work.

    To 1e-12 of the momenta, at a tolerance of 1e-13 a step.
    """
    run = planetfall.run(hopper(thrust=0.0, integrator={"method": "adaptive", "tolerance": 1e-13}))
    data, t = run.data, run.data.time.values
    turns, tip, tip_velocity, center = centers(data)
    mass, share = BODY.hub_mass + BODY.arm_mass, BODY.arm_mass / (BODY.hub_mass + BODY.arm_mass)
    w = data.angular_velocity.values[:, 0]
    moved = data.velocity.values[:, 0] + np.einsum("tij,tj->ti", turns, np.cross(w, center) + share * tip_velocity)
    falling = moved[0] - np.outer(t, [0.0, 0.0, GRAVITY])
    assert np.abs(mass * (moved - falling)).max() < 1e-12 * mass * np.linalg.norm(moved[0])
    held = w @ BODY.inertia + BODY.arm_axial * data.arm_speed.values * AXIS
    held[:, 0] += 1e-4 * data.flywheel_speed.values[:, 0]
    # about O, then about the centre of mass
    held += BODY.arm_mass * (np.cross(tip, np.cross(w, tip) + tip_velocity))
    held -= BODY.arm_mass * np.cross(tip_at_zero(), np.cross(w, tip_at_zero()))
    held -= mass * np.cross(center, np.cross(w, center) + share * tip_velocity)
    total = np.einsum("tij,tj->ti", turns, held)
    assert np.abs(total - total[0]).max() < 1e-12 * np.linalg.norm(total[0])
    assert run.summary["energy_closure_J"] < 1e-11 * np.abs(data.energy_kinetic.values).max()
    assert data.work_external.values[-1] > 1e-3  # which is not little against the energy at the start


def test_energy_of_the_swing() -> None:
    """What turns inside: two bodies about their centre of mass, with the reduced mass, less the same with s = 0."""
    wheel = {"name": "w", "axis": [1.0, 0.0, 0.0], "inertia": 1e-4, "speed": 3.0}
    scenario = hopper(wheel=wheel, scenario={"name": "test", "duration": 1.0})
    data = planetfall.run(scenario).data
    _, tip, tip_velocity, _ = centers(data)
    apart, omega = tip + BODY.center, data.angular_velocity.values[:, 0]
    reduced = BODY.hub_mass * BODY.arm_mass / (BODY.hub_mass + BODY.arm_mass)

    def energy(share: float) -> np.ndarray:
        passing = np.cross(omega, apart) + share * tip_velocity
        turning = omega + share * data.arm_speed.values * AXIS
        return 0.5 * (reduced * np.sum(passing**2, axis=1) + np.sum(turning @ BODY.arm_inertia * turning, axis=1))

    speed = data.flywheel_speed.values[:, 0]
    expected = energy(1.0) - energy(0.0) + 1e-4 * speed * (omega[:, 0] + 0.5 * speed)
    assert np.ptp(expected) > 1e-5
    np.testing.assert_allclose(inner_energy(scenario, data), expected, atol=1e-14)


def test_same_motion_on_a_spinning_target() -> None:
    """In free fall about nothing, seen from a frame that turns, arm and body do the same; the account closes."""
    spin = np.array([0.02, -0.05, 0.03])
    rate, place = float(np.linalg.norm(spin)), np.array([0.0, 0.0, 5.0])
    q = np.array([0.1, 0.5, 0.5, 0.7])
    spin_B = rotation_matrix(q).T @ spin
    free = {"gravity": {"model": "uniform", "acceleration": STILL}, "thrust": 0.0}
    turning = planetfall.run(
        hopper(
            target={"name": "none", "spin_rate": rate, "spin_axis": (spin / rate).tolist()},
            initial={
                "position": place.tolist(), "velocity": (-np.cross(spin, place)).tolist(), "attitude": q.tolist(),
                "angular_velocity": (np.array([0.1, 0.2, -0.3]) - spin_B).tolist(),
            },
            **free,
        )
    )  # fmt: skip
    still = planetfall.run(
        hopper(
            initial={
                "position": place.tolist(), "attitude": q.tolist(), "angular_velocity": [0.1, 0.2, -0.3],
            },
            **free,
        )
    )  # fmt: skip
    for name in ("arm_angle", "arm_speed", "flywheel_speed"):
        assert turning.data[name].values == pytest.approx(still.data[name].values, abs=1e-9)
    assert turning.summary["energy_closure_J"] < 1e-10 * np.abs(turning.data.energy_kinetic.values).max()


def test_arm_of_no_length_is_a_flywheel() -> None:
    """A driven arm beside a free rotor, and a driven rotor beside a free arm, of the same axes: one system, twice."""
    other = np.array([1.0, 0.0, 0.0])
    rotor = {"pivot": [0.01, 0.02, 0.03], "length": 0.0, "mass": 0.2, "angle_deg": 0.0}
    first = planetfall.run(
        hopper(
            arm={**rotor, "axis": AXIS.tolist(), "direction": ACROSS.tolist(), "inertia": 3e-4, "speed": -0.5, **PLAN},
            wheel={"name": "w", "axis": other.tolist(), "inertia": 1e-4, "speed": 2.0},
        )
    )
    second = planetfall.run(
        hopper(
            arm={**rotor, "axis": other.tolist(), "direction": [0.0, 1.0, 0.0], "inertia": 1e-4, "speed": 2.0},
            wheel={"name": "w", "axis": AXIS.tolist(), "inertia": 3e-4, "speed": -0.5, **PLAN},
        )
    )
    for name in ("position", "quaternion", "angular_velocity"):
        assert first.data[name].values == pytest.approx(second.data[name].values, abs=1e-11)
    assert first.data.arm_speed.values == pytest.approx(second.data.flywheel_speed.values, abs=1e-10)


def test_motor_follows_its_plan() -> None:
    """A stiff motor keeps the arm at its angles: the error is what the torque needs, over the stiffness."""
    angles = {"times": [1.0, 3.0, 5.0], "angles_deg": [40.0, 220.0, 130.0], "stiffness": 0.5, "damping": 0.01}
    run = planetfall.run(hopper(arm=arm_table(speed=0.0, **angles, torques=[])))
    t, angle = run.data.time.values, np.degrees(run.data.arm_angle.values[:, 0])
    wanted = np.interp(t, angles["times"], angles["angles_deg"])
    assert np.abs(angle - wanted).max() < 5.0  # at the kinks of the plan
    settled = (t > 2.0) & (t < 3.0) | (t > 4.5) & (t < 5.0) | (t > 6.0)
    assert np.abs(angle - wanted)[settled].max() < 0.2


def test_a_fixed_step_follows_angles_up_to_its_limit() -> None:
    """In free flight the limit is sharp to what the angle changes of it: below, both methods agree; above, it diverges.

    RK4's error over 2 s at a tenth of the limit: (w h)^4/120 of the swing for each radian of the fastest mode.
    """
    angles = {"times": [0.2, 1.0], "angles_deg": [40.0, 60.0], "stiffness": 0.5, "damping": 0.004}
    table, free = arm_table(speed=0.0, **angles, torques=[]), {"name": "test", "duration": 2.0}
    exact = hopper(arm=table, thrust=0.0, scenario=free)
    limit = arm_step_limit(exact.vehicle)

    def fixed(step: float) -> planetfall.Scenario:
        return exact.with_values({"integrator": {"method": "rk4", "step": step}})

    ends = [planetfall.run(s).data.arm_angle.values[-1, 0] for s in (exact, fixed(0.1 * limit))]
    assert ends[0] == pytest.approx(ends[1], abs=1e-5)
    with pytest.raises(InputError, match=r"integrator\.step: .* s is too long for the motor of vehicle\.arm"):
        build(fixed(1.01 * limit))
    run = planetfall.run(fixed(1.15 * limit).with_values({"integrator.accept_step": True}))
    assert run.summary["outcome"] == "diverged" or np.abs(np.degrees(run.data.arm_angle.values)).max() > 360.0
    calm = planetfall.run(fixed(0.95 * limit))
    assert np.abs(np.degrees(calm.data.arm_angle.values)).max() < 120.0


@pytest.mark.parametrize("seed", range(2))
def test_stick_and_rolling_stick_with_an_arm_that_yields(seed: int) -> None:
    """A point that stands still stays so, and with rolling stick the body does not turn, as its arm swings freely.

    Accelerations are of the order of 1 m/s^2 and 1 rad/s^2; velocities of the order of 1 m/s, rounded, over h = 1e-7 s
    leave 1e-9 m/s^2. The centre of mass may lie below its only point, which is refused of a vehicle and matters to no
    formula.
    """
    rng = np.random.default_rng(seed)
    q, point, h = random_quaternion(rng), rng.normal(size=3) * 0.1, 1e-7
    inertia = random_inertia(rng) * 0.02 + 0.01 * np.eye(3)
    R, spin = rotation_matrix(q), rng.normal(size=3)
    turning = {"omega": rng.normal(size=3), "rolling_resistance": 0.0}
    locked = {"omega": np.zeros(3), "rolling_resistance": 1.0}
    for case in (turning, locked):
        omega = case["omega"]
        scenario = hopper(
            scenario={"name": "test", "duration": h},
            vehicle={
                "name": "test", "mass": 1.2, "inertia": inertia.tolist(),
                "points": [{"name": "v", "position": point.tolist()}], "arm": arm_table(speed=3.0, torques=[0.1] * 4),
            },
            contact={
                "law": "distributed", "stiffness": 250.0, "damping": 2.0, "friction": 1e6, "slip_speed": 1e3,
                "rolling_resistance": case["rolling_resistance"], "roll_rate": 1e3,
            },
            target={
                "name": "none", "spin_rate": float(np.linalg.norm(spin)),
                "spin_axis": (spin / np.linalg.norm(spin)).tolist(),
            },
            initial={
                "position": (np.array([0.3, -0.2, -0.01]) - R @ point).tolist(), "attitude": q.tolist(),
                "velocity": (-np.cross(R @ omega, R @ point)).tolist(), "angular_velocity": omega.tolist(),
            },
            integrator={"method": "rk4", "step": h, "accept_step": True},
            forces=[],
        )  # fmt: skip
        model = build(scenario, is_recorded=False, is_checked=False)
        state = run_batch(model, model.initial_state[None]).state[0]
        at_point = state[3:6] + rotation_matrix(state[6:10]) @ np.cross(state[10:13], point)
        assert np.linalg.norm(at_point[:2]) / h < 1e-7
        if case is locked:
            assert np.linalg.norm(state[10:13]) / h < 1e-7
        without = {"contact.friction": 0.0, "contact.rolling_resistance": 0.0}
        loose = build(scenario.with_values(without), is_recorded=False, is_checked=False)
        free = run_batch(loose, loose.initial_state[None]).state[0]
        assert np.linalg.norm((free[3:6] + rotation_matrix(free[6:10]) @ np.cross(free[10:13], point))[:2]) / h > 0.1


def test_a_box_hops_by_its_arm_and_comes_to_rest() -> None:
    """`mascot-hop`: it takes off at some cm/s, as MASCOT does (Dlr2018), loses what the motor gave it, and settles.

    The account closes to a tolerance of 1e-8 over some hundred switches.
    """
    run = planetfall.run(planetfall.load("mascot-hop"))
    data, summary = run.data, run.summary
    assert summary["outcome"] == "settled"
    aloft = data.sel(time=slice(10.0, 20.0))
    assert 0.02 < np.linalg.norm(aloft.velocity.values[:, 0], axis=1).max() < 0.1
    assert aloft.contact_normal_force.values.max() == 0.0
    assert np.degrees(data.arm_angle.values[-1, 0]) == pytest.approx(200.0, abs=0.01)
    assert summary["energy_closure_J"] < 1e-5 * data.work_external.values.max()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"direction": [0.36, 0.48, 0.8]}, "arm.direction: it must be across axis"),
        ({"length": 0.0, "inertia": 0.0}, "with length = 0 the mass needs one"),
        ({"mass": 1.5}, "arm.mass: 1.5 kg is not less than mass"),
        ({"length": 0.5, "mass": 1.0}, "arm: its inertia exceeds"),
        ({"angles_deg": [1.0, 2.0, 3.0, 4.0]}, "angles_deg and a stiffness to follow them with"),
        ({"times": [], "torques": [], "angles_deg": [0.0, 1.0]}, "angles_deg: 2 of them for 0 times"),
    ],
)
def test_arms_that_cannot_be_are_refused(changes: dict[str, Any], message: str) -> None:
    """Each with what is wrong."""
    with pytest.raises(InputError, match=message):
        hopper(arm=arm_table(**changes))

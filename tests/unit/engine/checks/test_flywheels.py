"""Guards of flywheels: brakes that no step could follow, rotors that would burst, plans that are half given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.engine.build import build
from planetfall.engine.checks.flywheels import brake_steps, bursting_speed
from planetfall.errors import InputError

WHEEL = {"axis": [1.0, 0.0, 0.0], "inertia": 1.5e-3}


def hedgehog(wheel: int = 1, **values: Any) -> planetfall.Scenario:
    """The hopper of the library with one of its flywheels changed."""
    return planetfall.load("hedgehog-hop").with_values(
        {f"vehicle.flywheels.{wheel}.{key}": value for key, value in values.items()}
    )


def without_brake_end() -> planetfall.Scenario:
    scenario = planetfall.load("hedgehog-hop")
    wheels = [wheel.model_dump(exclude={"brake_end"}, exclude_none=True) for wheel in scenario.vehicle.flywheels]
    return scenario.with_values({"vehicle.flywheels": wheels})


def test_steps_under_a_brake_are_foretold() -> None:
    """A stiff brake is integrated at the edge of stability: the whole step count is that of the formula, to 10 %.

    One of the three brakes is 100 times stiffer, so that contact and the rest of the hop are a small part of it.
    """
    scenario = hedgehog(brake_torque=60.0).with_values({"scenario.duration": 3.0, "record.interval": 1.0})
    foretold = brake_steps(scenario.vehicle, 3.0)
    J, free = 1.5e-3, 0.075 - 1.5e-3
    assert foretold == pytest.approx(0.5 * 60.0 / 0.1 * (1.0 / J + 1.0 / free) / 3.3066, rel=1e-12)
    assert planetfall.run(scenario).summary["steps"] == pytest.approx(foretold, rel=0.1)


def test_rotors_that_share_an_axis_are_stiffer_together() -> None:
    """Two along x: s' = -(k/J + k 11^T/I) s has the rates k/J and k (1/J + 2/I), I without both rotors."""
    wheels = [
        {"name": name, **WHEEL, "speed": 10.0, "brake_time": 1.0, "brake_end": 2.0, "brake_torque": 0.3}
        for name in ("a", "b")
    ]
    vehicle = planetfall.load("hedgehog-hop").with_values({"vehicle.flywheels": wheels}).vehicle
    expected = 3.0 * (1.0 / 1.5e-3 + 2.0 / (0.075 - 3e-3)) / 3.3066
    assert brake_steps(vehicle, 10.0) == pytest.approx(expected, rel=1e-12)
    assert brake_steps(vehicle, 1.5) == pytest.approx(0.5 * expected, rel=1e-12)
    assert brake_steps(vehicle, 0.5) == 0.0


def test_a_brake_that_no_step_could_follow_is_refused() -> None:
    """It ran for ever before."""
    with pytest.raises(
        InputError, match=r"flywheels.1.brake_torque: 1e\+06 N m .* about 1e\+09 steps .* at most 1e\+08"
    ):
        build(hedgehog(brake_torque=1e6))


def test_a_companion_is_named() -> None:
    """A second hedgehog beside the first, with the stiff brake."""
    other = hedgehog(brake_torque=1e6).to_dict()["vehicle"] | {"name": "other", "source": ""}
    beside = {"companions": [{"vehicle": other, "initial": {"position": [5.0, 0.0, 0.15]}}]}
    with pytest.raises(InputError, match=r"companions.0.vehicle.flywheels.1.brake_torque: 1e\+06 N m"):
        build(planetfall.load("hedgehog-hop").with_values(beside))


def test_a_brake_that_stays_on_is_told() -> None:
    """As long as the brake is on it costs steps: here the library's hopper takes 300 times as many."""
    assert not build(planetfall.load("hedgehog-hop")).notes
    (note,) = build(without_brake_end()).notes
    assert "cost up to 2.5e+07 steps" in note
    assert "brake_end soon after the rotors stop (about 1.1 s)" in note


def test_fixed_steps_know_the_brake() -> None:
    """RK4 ends at 2.785 on the negative axis: with 4.08e4 1/s at 68.2 us."""
    stiff = hedgehog(brake_torque=6.0).with_values({"integrator": {"method": "rk4", "step": 7e-5}})
    with pytest.raises(
        InputError, match=r"integrator.step: 7e-05 s .* brakes .* 4.08e\+04 1/s; expected at most 6.82e-05 s, .* here"
    ):
        build(stiff)
    build(stiff.with_values({"integrator.step": 6.8e-5}))
    build(stiff.with_values({"integrator.accept_step": True}))


def test_rotors_that_would_burst_are_refused() -> None:
    """m sigma/rho = J s^2/2 at 1.63e5 rad/s: 5 kg, 4e6 J/kg, 1.5e-3 kg m^2."""
    vehicle = planetfall.load("hedgehog-hop").vehicle
    assert bursting_speed(vehicle, vehicle.flywheels[0]) == pytest.approx(np.sqrt(2 * 5.0 * 4e6 / 1.5e-3), rel=1e-14)
    with pytest.raises(InputError, match=r"flywheels.1.torques: .* 6.67e\+07 rad/s; expected at most 1.63e\+05 rad/s"):
        build(hedgehog(times=[1.0, 2.0], torques=[1e5, 1e5]))
    with pytest.raises(InputError, match=r"flywheels.0.speed: .* 2e\+05 rad/s"):
        build(hedgehog(0, speed=2e5))


def test_turning_that_no_step_could_follow_is_refused() -> None:
    """A momentum of 150 N m s turns the body at 2040 rad/s: for 20,000 s that is 2e8 steps, for 50 s not too many."""
    fast = hedgehog(speed=1e5)
    with pytest.raises(
        InputError, match=r"vehicle.flywheels: their momentum, 150 N m s, can turn hedgehog at 2.04e\+03"
    ):
        build(fast)
    build(fast.with_values({"scenario.duration": 50.0}))


def test_the_speed_that_a_plan_brings_has_its_peak_where_the_torque_vanishes() -> None:
    """From 2 to -2 N m in 2 s: the peak is after 1 s, 1 N m s/J; in the end it turns as before."""
    wheel = hedgehog(0, times=[1.0, 3.0], torques=[2.0, -2.0]).vehicle.flywheels[0]
    assert wheel.fastest == pytest.approx(1.0 / 1.5e-3, rel=1e-14)


@pytest.mark.parametrize(
    ("wheel", "said"),
    [
        ({"brake_time": 1.0}, "brake_torque: a brake that is put on at brake_time needs one"),
        ({"brake_torque": 0.6}, "brake_time: a brake of 0.6 N m that is never put on"),
        ({"speed": 50.0, "speed_max": 40.0}, "speed: 50 rad/s; at most speed_max, 40 rad/s"),
        ({"times": [0.0, 1.0], "torques": [0.2, 0.2], "torque_max": 0.1}, "torques: 0.2 N m; at most torque_max, 0.1"),
        (
            {"times": [0.0, 1.0], "torques": [0.2, 0.2], "speed_max": 100.0},
            "torques: they bring it to 133.3 rad/s; at most speed_max, 100 rad/s",
        ),
    ],
)
def test_half_a_brake_and_what_exceeds_its_limits_are_refused(wheel: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as refused:
        planetfall.load("hedgehog-hop").with_values({"vehicle.flywheels": [{"name": "x", **WHEEL, **wheel}]})
    assert said in str(refused.value)


def test_flywheels_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match=r"flywheels: names must differ, these are \['x', 'x'\]"):
        planetfall.load("hedgehog-hop").with_values({"vehicle.flywheels": [{"name": "x", **WHEEL}] * 2})

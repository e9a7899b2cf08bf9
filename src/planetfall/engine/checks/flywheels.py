"""What flywheels demand of the integrator and of their material, checked before a run.

Below `brake_speed` a brake is a damper: with I the body's inertia less that of its rotors, the speeds s of the rotors
whose brakes are on obey s' = -(1/J + A^T I^-1 A) diag(brake_torque/brake_speed) s, A their axes. An explicit method has
to follow the fastest of these rates for as long as the brake is on, though nothing moves any more.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from planetfall.engine.checks.contact_step import REAL_LIMIT, step_refused
from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.vehicle.flywheel import Flywheel
from planetfall.scenario.tables.vehicle.vehicle import Vehicle

REAL_LIMIT_ADAPTIVE = 3.3066
"""Where the stability interval of Dormand-Prince 5(4) ends on the negative real axis."""
MOST_STEPS = 1e8
"""Steps of one run that brakes or fast turning may cost (assumed): five minutes of a core."""
MANY_STEPS = 1e5
"""Steps that brakes may cost without a note (assumed): a hop takes some thousands."""
STEPS_PER_RADIAN = 5.0
"""That the adaptive method takes for a body that turns fast, at a tolerance of 1e-8 (measured: 4.8 and 5.2)."""
STRENGTH = 4e6
"""Strength over density of the strongest fibres [J/kg] (assumed): no rotor holds more energy per mass."""


def check_wheels(scenario: Scenario) -> None:
    """Refuses flywheels whose brakes or speeds no step could follow, and rotors that would burst."""
    method = scenario.integrator
    for b, vehicle in enumerate(scenario.vehicles):
        where = "vehicle.flywheels" if b == 0 else f"companions.{b - 1}.vehicle.flywheels"
        for i, wheel in enumerate(vehicle.flywheels):
            _check_speed(vehicle, wheel, f"{where}.{i}")
        _check_turning(vehicle, scenario.scenario.duration, where)
        rate = max((rate for _, rate in _brake_rates(vehicle, scenario.scenario.duration)), default=0.0)
        if method.method == "rk4" and not method.accept_step and rate * method.step > REAL_LIMIT:
            cause = f"the brakes of the flywheels, whose rate brake_torque/(inertia brake_speed) is {rate:.3g} 1/s"
            raise step_refused(scenario, method.step, REAL_LIMIT / rate, cause, "use a higher brake_speed")
        steps = brake_steps(vehicle, scenario.scenario.duration)
        if method.method == "adaptive" and steps > MOST_STEPS:
            raise _too_stiff(vehicle, rate, steps, where)


def wheel_notes(scenario: Scenario) -> tuple[str, ...]:
    """Sentences about brakes that make a run much longer than its motion needs."""
    if scenario.integrator.method != "adaptive":
        return ()
    duration = scenario.scenario.duration
    costs = [(vehicle, brake_steps(vehicle, duration)) for vehicle in scenario.vehicles]
    return tuple(
        f"vehicle.flywheels: the brakes of {vehicle.name} cost up to {steps:.2g} steps, as they stay on while nothing "
        f"turns; let them go with brake_end soon after the rotors stop ({_standing(vehicle)}), or raise brake_speed"
        for vehicle, steps in costs
        if steps > MANY_STEPS
    )


def brake_steps(vehicle: Vehicle, duration: float) -> float:
    """Steps that the adaptive method needs at least while brakes are on, if the run takes all of its duration [s]."""
    return sum(span * rate for span, rate in _brake_rates(vehicle, duration)) / REAL_LIMIT_ADAPTIVE


def bursting_speed(vehicle: Vehicle, wheel: Flywheel) -> float:
    """Speed [rad/s] beyond which a rotor of the mass of all the vehicle would burst, were it the strongest fibre."""
    return float(np.sqrt(2.0 * vehicle.mass * STRENGTH / wheel.inertia))


def _brake_rates(vehicle: Vehicle, duration: float) -> Iterator[tuple[float, float]]:
    """Spans of time [s], and the fastest rate [1/s] of the brakes that are on during each."""
    braked = [wheel for wheel in vehicle.flywheels if wheel.brake_time is not None]
    ends = [(wheel.brake_time, duration if wheel.brake_end is None else wheel.brake_end) for wheel in braked]
    instants = sorted({min(float(t), duration) for span in ends for t in span if t is not None})
    yields = np.linalg.inv(vehicle.free_inertia)
    for first, last in pairwise(instants):
        on = [w for w, (t, end) in zip(braked, ends, strict=True) if t is not None and t <= first and end >= last]
        if not on:
            continue
        axes = np.array([wheel.axis for wheel in on]).T
        slopes = np.array([wheel.brake_torque / wheel.brake_speed for wheel in on])
        answers = np.diag([1.0 / wheel.inertia for wheel in on]) + axes.T @ yields @ axes
        yield last - first, float(np.max(np.linalg.eigvals(answers * slopes).real))


def _too_stiff(vehicle: Vehicle, rate: float, steps: float, where: str) -> InputError:
    stiffest = max(
        (i for i, wheel in enumerate(vehicle.flywheels) if wheel.is_braked),
        key=lambda i: (
            vehicle.flywheels[i].brake_torque / vehicle.flywheels[i].brake_speed / vehicle.flywheels[i].inertia
        ),
    )
    wheel = vehicle.flywheels[stiffest]
    return InputError(
        f"{where}.{stiffest}.brake_torque",
        f"{wheel.brake_torque:g} N m over brake_speed = {wheel.brake_speed:g} rad/s is a rate of {rate:.3g} 1/s, which "
        f"costs about {steps:.2g} steps while the brake is on",
        f"at most {MOST_STEPS:.0e} steps",
        "use a smaller brake_torque, a higher brake_speed, or brake_end soon after the rotors stop "
        f"({_standing(vehicle)})",
    )


def _standing(vehicle: Vehicle) -> str:
    """When the last of the rotors stands, in words."""
    stops = [
        wheel.brake_time + wheel.inertia * wheel.fastest / wheel.brake_torque
        for wheel in vehicle.flywheels
        if wheel.brake_time is not None
    ]
    return f"about {max(stops):.4g} s" if stops else "never"


def _check_speed(vehicle: Vehicle, wheel: Flywheel, where: str) -> None:
    limit = bursting_speed(vehicle, wheel)
    if wheel.fastest <= limit:
        return
    key = "speed" if abs(wheel.speed) > limit else "torques"
    raise InputError(
        f"{where}.{key}", f"the rotor of {wheel.inertia:g} kg m^2 would turn at {wheel.fastest:.3g} rad/s",
        f"at most {limit:.3g} rad/s: with {STRENGTH:.0e} J/kg, the strength of the best fibres over their density, "
        f"a rotor as heavy as the vehicle, {vehicle.mass:g} kg, bursts there",
        "use a lower speed, smaller torques or a shorter plan",
    )  # fmt: skip


def _check_turning(vehicle: Vehicle, duration: float, where: str) -> None:
    """Refuses rotors whose momentum could turn the body more often than steps can follow."""
    momentum = sum(wheel.inertia * wheel.fastest for wheel in vehicle.flywheels)
    rate = momentum / float(np.linalg.eigvalsh(vehicle.free_inertia)[0])
    limit = MOST_STEPS / STEPS_PER_RADIAN / duration
    if rate > limit:
        raise InputError(
            where, f"their momentum, {momentum:.3g} N m s, can turn {vehicle.name} at {rate:.3g} rad/s",
            f"at most {limit:.3g} rad/s, which {MOST_STEPS:.0e} steps can follow for {duration:g} s",
            "use lower speeds or smaller torques, or a shorter scenario.duration",
        )  # fmt: skip

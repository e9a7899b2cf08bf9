"""The flywheels of a scenario as a mechanism: one number each in the state, its speed [rad/s] relative to its body."""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft, padded
from planetfall.engine.structure.mechanism import Mechanism, StateSlot, StateVariable
from planetfall.engine.structure.work_accounts import WORK_EXTERNAL
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.vehicle.vehicle import Vehicle
from planetfall.vehicle.body import BodyState, Wrench
from planetfall.vehicle.flywheels import FlywheelParams, wheel_break, wheel_torque
from planetfall.world.environment import Environment


def flywheels_of(scenario: Scenario) -> Mechanism | None:
    """The flywheels of a scenario's vehicles; None where they have none."""
    n = sum(len(vehicle.flywheels) for vehicle in scenario.vehicles)
    return flywheels_mechanism(n) if n else None


@lru_cache
def flywheels_mechanism(n: int) -> Mechanism:
    """So many flywheels, on whichever bodies."""
    return Mechanism(
        name="flywheels",
        params=FlywheelParams,
        fill=lambda scenario, start: wheel_params(scenario.vehicles),
        reads=("vehicle.flywheels",),
        n_states=n,
        initial=lambda scenario: np.array([wheel.speed for v in scenario.vehicles for wheel in v.flywheels]),
        wrench=lambda slot: _wrench(n, slot),
        account=WORK_EXTERNAL,
        power=lambda slot: _power(n, slot),
        momentum=lambda slot: _momentum(n, slot),
        energy=lambda slot: _energy(n, slot),
        inner_rates=lambda slot: _rates(n, slot),
        stop=lambda slot: _stop(n, slot),
        next_break=lambda slot: _next_break(n),
        state_variables=(
            StateVariable("flywheel_speed", "rad/s", "flywheel relative to the vehicle", "B", "flywheel", names),
        ),
        rounds_alike=True,
    )


def names(scenario: Scenario) -> list[str]:
    """Of all flywheels, in order; those of companions after their vehicle's name and a dot."""
    own, *others = scenario.vehicles
    named = [f"{vehicle.name}.{wheel.name}" for vehicle in others for wheel in vehicle.flywheels]
    return [wheel.name for wheel in own.flywheels] + named


def wheel_params(vehicles: tuple[Vehicle, ...]) -> Draft:
    """`FlywheelParams` of all vehicles, which have some."""
    wheels = [wheel for vehicle in vehicles for wheel in vehicle.flywheels]
    p = Draft(FlywheelParams)
    p.body = [b for b, vehicle in enumerate(vehicles) for _ in vehicle.flywheels]
    p.axis_B, p.inertia = [wheel.axis for wheel in wheels], [wheel.inertia for wheel in wheels]
    p.rows = [len(wheel.times) for wheel in wheels]
    p.times, p.torques = padded([wheel.times for wheel in wheels]), padded([wheel.torques for wheel in wheels])
    p.brake_time = [np.inf if wheel.brake_time is None else wheel.brake_time for wheel in wheels]
    p.brake_end = [np.inf if wheel.brake_end is None else wheel.brake_end for wheel in wheels]
    p.brake_torque, p.brake_speed = [wheel.brake_torque for wheel in wheels], [wheel.brake_speed for wheel in wheels]
    return p


@lru_cache
def _wrench(n: int, slot: StateSlot) -> Any:
    """The torque on a body of the motors and brakes in it."""
    vector, offset = slot.vector, slot.offset

    @wp.func
    def wrench(
        p: wp.ref[FlywheelParams], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
        state: wp.ref[BodyState], environment: wp.ref[Environment],
    ) -> Wrench:  # fmt: skip
        out = Wrench()
        for i in range(wp.static(n)):
            if p.body[i] == b:
                out.torque_B -= p.axis_B[i] * wheel_torque(p, i, t, t_branch, y[offset + i])
        return out

    return wrench


@lru_cache
def _power(n: int, slot: StateSlot) -> Any:
    """What motors and brakes give and take: torque times speed relative to the body."""
    vector, offset = slot.vector, slot.offset

    @wp.func
    def power(
        p: wp.ref[FlywheelParams], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
        state: wp.ref[BodyState], environment: wp.ref[Environment],
    ) -> wp.float64:  # fmt: skip
        out = wp.float64(0.0)
        for i in range(wp.static(n)):
            if p.body[i] == b:
                out += wheel_torque(p, i, t, t_branch, y[offset + i]) * y[offset + i]
        return out

    return power


@lru_cache
def _momentum(n: int, slot: StateSlot) -> Any:
    vector, offset = slot.vector, slot.offset

    @wp.func
    def momentum(p: wp.ref[FlywheelParams], y: wp.ref[vector], b: int) -> wp.vec3d:
        out = wp.vec3d()
        for i in range(wp.static(n)):
            if p.body[i] == b:
                out += p.axis_B[i] * (p.inertia[i] * y[offset + i])
        return out

    return momentum


@lru_cache
def _energy(n: int, slot: StateSlot) -> Any:
    vector, offset = slot.vector, slot.offset

    @wp.func
    def energy(p: wp.ref[FlywheelParams], y: wp.ref[vector], b: int, so_far: wp.float64) -> wp.float64:
        out = so_far
        for i in range(wp.static(n)):
            if p.body[i] == b:
                out += wp.float64(0.5) * p.inertia[i] * y[offset + i] * y[offset + i]
        return out

    return energy


@lru_cache
def _rates(n: int, slot: StateSlot) -> Any:
    vector, offset = slot.vector, slot.offset

    @wp.func
    def rates(
        dy: wp.ref[vector], p: wp.ref[FlywheelParams], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
        turning: wp.vec3d,
    ):  # fmt: skip
        for i in range(wp.static(n)):
            if p.body[i] == b:
                torque = wheel_torque(p, i, t, t_branch, y[offset + i])
                dy[offset + i] = torque / p.inertia[i] - wp.dot(p.axis_B[i], turning)

    return rates


@lru_cache
def _stop(n: int, slot: StateSlot) -> Any:
    vector, offset = slot.vector, slot.offset

    @wp.func
    def stop(numbers: wp.ref[vector], p: wp.ref[FlywheelParams], b: int):
        for i in range(wp.static(n)):
            if p.body[i] == b:
                numbers[offset + i] = wp.float64(0.0)

    return stop


@lru_cache
def _next_break(n: int) -> Any:
    @wp.func
    def next_break(p: wp.ref[FlywheelParams], t: wp.float64) -> wp.float64:
        out = wp.float64(1.0e300)
        for i in range(wp.static(n)):
            out = wp.min(out, wheel_break(p, i, t))
        return out

    return next_break

"""The eccentric arms of a scenario's vehicles as a mechanism: a joint in each body that has one.

Each arm has two numbers in the state, its angle [rad] and speed [rad/s] relative to its body. How a body moves in which
a joint turns is in `free_motion`.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.engine.structure.mechanism import Mechanism, StateSlot, StateVariable
from planetfall.engine.structure.run_params import StepParams
from planetfall.engine.structure.state_sizes import ARMS, JOINT_SIZE
from planetfall.engine.structure.work_accounts import WORK_EXTERNAL
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.vehicle.eccentric_arm import EccentricArm
from planetfall.scenario.tables.vehicle.vehicle import Vehicle
from planetfall.vehicle.arms import ArmGeometry, ArmParams, arm_break, arm_geometry, arm_torque
from planetfall.vehicle.body import BodyState


def arms_of(scenario: Scenario) -> Mechanism | None:
    """The arms of a scenario's vehicles; None where they have none."""
    on_bodies = tuple(vehicle.arm is not None for vehicle in scenario.vehicles)
    return arms_mechanism(on_bodies) if any(on_bodies) else None


@lru_cache
def arms_mechanism(on_bodies: tuple[bool, ...]) -> Mechanism:
    """Arms on some bodies."""
    meaning = "eccentric arm relative to the vehicle"
    return Mechanism(
        name=ARMS,
        params=ArmParams,
        fill=lambda scenario, start: arm_params(scenario.vehicles),
        reads=("vehicle.arm",),
        on_bodies=on_bodies,
        n_states=JOINT_SIZE * sum(on_bodies),
        initial=lambda scenario: arm_states(scenario.vehicles),
        account=WORK_EXTERNAL,
        joint=lambda slot: _geometry,
        joint_torque=lambda slot: _torque,
        next_break=lambda slot: _next_break(len(on_bodies)),
        error=lambda slot: _error(sum(on_bodies), slot),
        state_variables=(
            StateVariable("arm_angle", "rad", meaning, "B", "arm", armed_bodies, 0, JOINT_SIZE),
            StateVariable("arm_speed", "rad/s", meaning, "B", "arm", armed_bodies, 1, JOINT_SIZE),
        ),
    )


def armed_bodies(scenario: Scenario) -> list[str]:
    """Names of the bodies that have an arm, in order."""
    named = zip(scenario.body_names, scenario.vehicles, strict=True)
    return [name for name, vehicle in named if vehicle.arm is not None]


@wp.func
def _geometry(
    p: wp.ref[ArmParams], b: int, mass: wp.float64, center_B: wp.vec3d, state: wp.ref[BodyState]
) -> ArmGeometry:
    """See `Mechanism.joint`."""
    return arm_geometry(p, b, mass, center_B, state.arm_angle)


@wp.func
def _torque(p: wp.ref[ArmParams], b: int, t: wp.float64, t_branch: wp.float64, state: wp.ref[BodyState]) -> wp.float64:
    """See `Mechanism.joint_torque`."""
    return arm_torque(p, b, t, t_branch, state.arm_angle, state.arm_speed)


@lru_cache
def _next_break(n_bodies: int) -> Any:
    """See `Mechanism.next_break`: the rows of all plans."""

    @wp.func
    def next_break(p: wp.ref[ArmParams], t: wp.float64) -> wp.float64:
        out = arm_break(p, 0, t)
        for b in range(1, wp.static(n_bodies)):
            out = wp.min(out, arm_break(p, b, t))
        return out

    return next_break


@lru_cache
def _error(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.error`: angles as they are, speeds against the pace at which errors are measured and their own."""
    vector, offset = slot.vector, slot.offset

    @wp.func
    def worst(p: wp.ref[ArmParams], y: wp.ref[vector], error: wp.ref[vector], step: StepParams) -> wp.float64:
        out = wp.float64(0.0)
        for i in range(wp.static(n)):
            o = offset + i * JOINT_SIZE
            out = wp.max(out, wp.abs(error[o]))
            out = wp.max(out, wp.abs(error[o + 1]) / (step.speed / step.length + wp.abs(y[o + 1])))
        return out

    return worst


def arm_params(vehicles: tuple[Vehicle, ...]) -> Draft:
    """`ArmParams` of all vehicles."""
    p, arms = Draft(ArmParams), [vehicle.arm for vehicle in vehicles]

    def each(key: str, none: Any = 0.0) -> list[Any]:
        return [none if arm is None or getattr(arm, key) is None else getattr(arm, key) for arm in arms]

    p.mass, p.length, p.inertia = each("mass"), each("length"), each("inertia")
    nowhere = (0.0, 0.0, 0.0)
    p.pivot_B, p.axis_B, p.direction_B = (each(key, nowhere) for key in ("pivot", "axis", "direction"))
    p.stiffness, p.damping, p.torque_max = each("stiffness"), each("damping"), each("torque_max", np.inf)
    p.rows = [0 if arm is None else len(arm.times) for arm in arms]
    p.times, p.torques, p.angles = _plans(arms)
    return p


def arm_states(vehicles: tuple[Vehicle, ...]) -> np.ndarray:
    """Angle [rad] and speed [rad/s] of each arm at time zero, one after the other."""
    pairs = [(np.radians(vehicle.arm.angle_deg), vehicle.arm.speed) for vehicle in vehicles if vehicle.arm is not None]
    return np.array(pairs).reshape(-1)


def _plans(arms: list[EccentricArm | None]) -> np.ndarray:
    """Times [s], torques [N m] and angles [rad] of the plans [3, row, body], zero where nothing is planned."""
    n_rows = max(1, *(len(arm.times) for arm in arms if arm is not None))
    out = np.zeros((3, n_rows, len(arms)))
    for i, arm in enumerate(arms):
        for k, column in enumerate(() if arm is None else (arm.times, arm.torques, np.radians(arm.angles_deg))):
            out[k, : len(column), i] = column
    return out

"""From a scenario to what the kernel takes: assembly, parameters on a device, initial state. All checking is here."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from planetfall.contact.laws import contact_law, law_params
from planetfall.engine.assembly import Assembly
from planetfall.engine.layout_sizes import BODY_SIZE
from planetfall.engine.sight_limit import check_sight
from planetfall.engine.step_limit import check_step
from planetfall.errors import InputError
from planetfall.flight.mount import check_sensors, detector_model, mount_detector, mount_sensors, sensor_models
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.vehicle import Flywheel
from planetfall.vehicle.flywheels import FlywheelParams
from planetfall.vehicle.forces import TabledForce
from planetfall.world.device import check_device
from planetfall.world.gravity.field import acceleration_at, gravity_model, gravity_params
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.surface import Surface

LOCATION_TOLERANCE = 1e-11
"""How closely an adaptive method brackets a switch of contact modes [s]."""


@dataclass(frozen=True)
class Model:
    """A scenario made ready for a device.

    Attributes:
        scenario: What it was made from.
        assembly: The choice of models that the kernel is compiled from.
        params: Filled parameter struct, with its arrays on `device`.
        initial_state: State vector at time zero, without work integrals, shape (13,).
        surface: The terrain, for questions from the host; keeps alive what `params` points to.
        device: Warp device name.
    """

    scenario: Scenario
    assembly: Assembly
    params: Any
    initial_state: np.ndarray
    surface: Surface
    device: str


def build(
    scenario: Scenario, device: str = "cpu", *, is_recorded: bool = True, surface: Surface | None = None
) -> Model:
    """Checks a scenario and puts it on a device; a `surface` made by hand takes the place of the scenario's terrain."""
    check_device(device)
    surface = surface or make_surface(scenario, device)
    assembly = assemble(scenario, surface, is_recorded)
    state = initial_state(scenario, surface)
    check_step(scenario, state, surface)
    check_sight(scenario, state, surface)
    check_sensors(scenario)
    return Model(scenario, assembly, _params(scenario, assembly, state, surface), state, surface, device)


def assemble(scenario: Scenario, surface: Surface, is_recorded: bool) -> Assembly:
    """The choice of models that a scenario asks for."""
    inertias = np.array([scenario.vehicle.inertia, scenario.vehicle.free_inertia])
    return Assembly(
        gravity=gravity_model(scenario),
        terrain=surface.model,
        law=contact_law(scenario),
        forces=tuple(force.kind for force in scenario.forces),
        points_per_body=(len(scenario.vehicle.points),),
        has_spin=scenario.target.spin_rate != 0.0,
        has_diagonal_inertia=bool(np.all(inertias[:, ~np.eye(3, dtype=bool)] == 0.0)),
        method=scenario.integrator.method,
        is_recorded=is_recorded,
        n_wheels=len(scenario.vehicle.flywheels),
        sensors=sensor_models(scenario),
        detector=detector_model(scenario),
    )


def initial_state(scenario: Scenario, surface: Surface) -> np.ndarray:
    """The vehicle's state at time zero, shape (13,): position, velocity, quaternion, angular velocity."""
    start = scenario.initial
    position = np.asarray(start.position, dtype=float)
    if start.height is not None:
        position = _lifted(scenario, surface, position, start.height)
    return np.concatenate([position, start.velocity, start.quaternion, start.angular_velocity])


def _lifted(scenario: Scenario, surface: Surface, position: np.ndarray, height: float) -> np.ndarray:
    """The point `height` above the ground, straight over or under `position`."""
    gravity = acceleration_at(scenario, position)
    up = -gravity / np.linalg.norm(gravity) if np.any(gravity) else np.array([0.0, 0.0, 1.0])
    position = _near_ground(surface, position, up)
    gap, normal, is_ground = surface.ground_at(position)
    if not is_ground:
        raise InputError("initial.position", f"{position.tolist()} m is off the map or over a hole of the terrain")
    slope = float(up @ normal)
    if slope <= 0:
        raise InputError(
            "initial.height", "the ground under initial.position faces down", advice="give initial.position alone"
        )
    foot = position - up * (gap / slope)
    return foot + height * (normal if scenario.initial.height_along == "normal" else up)


def _near_ground(surface: Surface, position: np.ndarray, up: np.ndarray) -> np.ndarray:
    """The highest point of the ground over or under `position`, to rounding; `position` itself where none is seen."""
    if surface.model.is_flat:
        return position
    corners = position[None] if surface.box is None else np.array(np.meshgrid(*surface.box.T)).reshape(3, -1).T
    above = position + up * (1.0 + max(0.0, float(np.max((corners - position) @ up))))
    gap, normal, _ = surface.ground_at(above)
    if gap < 0 < up @ normal:  # of what has no bounds only a plane can be there still
        above = above + up * (1.0 - gap / (up @ normal))
    distance = surface.cast(above, -up, np.inf)[0][0]
    return position if np.isnan(distance) else above - up * distance


def _params(scenario: Scenario, assembly: Assembly, state: np.ndarray, surface: Surface) -> Any:
    device = surface.device
    vehicle, rules, target = scenario.vehicle, scenario.outcome, scenario.target
    gravity = float(np.linalg.norm(acceleration_at(scenario, state[:3])))
    inertia = np.asarray(vehicle.inertia)
    points = vehicle.tips
    p = assembly.params()
    p.frame.omega, p.frame.center = wp.vec3d(*target.omega), wp.vec3d(*target.center_S)
    p.gravity, p.terrain = gravity_params(scenario, device), surface.params
    if assembly.terrain.look_ahead is not None:
        assembly.terrain.look_ahead(p.terrain, assembly.is_frozen)
    p.law = law_params(scenario, gravity, device)
    p.forces = _force_params(scenario, assembly, device)
    p.sensors, p.detector = mount_sensors(scenario, device), mount_detector(scenario, gravity)
    p.mass, p.mass_inverse = [vehicle.mass], [1.0 / vehicle.mass]
    free = vehicle.free_inertia
    p.inertia, p.inertia_free, p.inertia_inverse = inertia, free, np.linalg.inv(free)
    p.wheels = _wheel_params(vehicle.flywheels, device)
    p.points_B = wp.array(points, dtype=wp.vec3d, device=device)
    p.step = _step_params(scenario, p.step, points, gravity)
    p.end.rest_speed, p.end.rest_rate, p.end.rest_hold = rules.rest_speed, rules.rest_rate, rules.rest_hold
    p.end.cos_overturn, p.end.up_B = float(np.cos(np.radians(rules.overturn_angle_deg))), wp.vec3d(*vehicle.up)
    p.end.slow_speed = scenario.contact.stop_speed
    p.end.stops_at_rest = int(rules.stop_at_rest)
    return p


def _step_params(scenario: Scenario, step: Any, points: np.ndarray, gravity: float) -> Any:
    method, vehicle = scenario.integrator, scenario.vehicle
    gyration = np.sqrt(np.trace(np.asarray(vehicle.inertia)) / vehicle.mass)
    step.length = max(float(gyration), float(np.max(np.linalg.norm(points, axis=1), initial=0.0)))
    step.speed = (
        float(np.sqrt(gravity * step.length)) or float(np.linalg.norm(scenario.initial.velocity)) or step.length
    )
    step.duration, step.location = scenario.scenario.duration, LOCATION_TOLERANCE
    if method.method == "rk4":
        step.step = method.step
    else:
        step.step, step.tolerance = method.max_step, method.tolerance
    return step


def _force_params(scenario: Scenario, assembly: Assembly, device: str) -> Any:
    """Head and tail, nested once per force, innermost first."""
    classes = [assembly.force_set.params]
    for _ in scenario.forces:
        classes.append(classes[-1].vars["tail"].type)
    nested = classes[-1]()
    for force, cls in zip(reversed(scenario.forces), reversed(classes[:-1]), strict=True):
        head = TabledForce()
        head.body, head.point_B, head.direction = 0, wp.vec3d(*force.point), wp.vec3d(*force.direction)
        head.times = wp.array(force.times, dtype=wp.float64, device=device)
        head.magnitudes = wp.array(force.magnitudes, dtype=wp.float64, device=device)
        outer = cls()
        outer.head, outer.tail = head, nested
        nested = outer
    return nested


def _wheel_params(wheels: tuple[Flywheel, ...], device: str) -> FlywheelParams:
    p, n_rows = FlywheelParams(), max([len(wheel.times) for wheel in wheels], default=0)
    if not wheels:
        return p

    def per_wheel(values: list[Any], dtype: Any) -> Any:
        return wp.array(values, dtype=dtype, device=device)

    def table(columns: list[tuple[float, ...]]) -> Any:
        padded = np.zeros((max(n_rows, 1), len(wheels)))
        for i, column in enumerate(columns):
            padded[: len(column), i] = column
        return wp.array(padded, dtype=wp.float64, device=device)

    p.body = per_wheel([0 for _ in wheels], wp.int32)
    p.axis_B = per_wheel([wp.vec3d(*wheel.axis) for wheel in wheels], wp.vec3d)
    p.inertia = per_wheel([wheel.inertia for wheel in wheels], wp.float64)
    p.rows = per_wheel([len(wheel.times) for wheel in wheels], wp.int32)
    p.times, p.torques = table([wheel.times for wheel in wheels]), table([wheel.torques for wheel in wheels])
    brakes = [np.inf if wheel.brake_time is None else wheel.brake_time for wheel in wheels]
    p.brake_time = per_wheel(brakes, wp.float64)
    p.brake_torque = per_wheel([wheel.brake_torque for wheel in wheels], wp.float64)
    p.brake_speed = per_wheel([wheel.brake_speed for wheel in wheels], wp.float64)
    return p


def states_of(model: Model, initial_states: np.ndarray) -> np.ndarray:
    """Initial states [run, 13] widened by the work integrals where the model keeps them."""
    states = np.zeros((len(initial_states), model.assembly.layout.size))
    states[:, :BODY_SIZE] = initial_states
    for i, wheel in enumerate(model.scenario.vehicle.flywheels):
        states[:, model.assembly.layout.wheel_offset + i] = wheel.speed
    return states

"""From a scenario to what the kernel takes: assembly, parameters on a device, initial state. All checking is here."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from planetfall.contact.laws import contact_law, law_params
from planetfall.engine.arm_params import arm_params, arm_states
from planetfall.engine.assembly import Assembly
from planetfall.engine.engine_params import engine_params
from planetfall.engine.layout_sizes import (
    BODY_SIZE,
    ENGINE_COMMAND,
    ENGINE_SIZE,
    ENGINE_THRUST,
    LINE_REST,
    LINE_SIZE,
    LINE_STATUS,
)
from planetfall.engine.line_limit import check_line_step
from planetfall.engine.line_params import tether_params
from planetfall.engine.sight_limit import check_sight
from planetfall.engine.step_limit import check_step
from planetfall.errors import InputError
from planetfall.flight.mount import check_sensors, detector_model, mount_detector, mount_sensors, sensor_models
from planetfall.flight.mount_flight import check_flight, flight_model, mount_flight
from planetfall.scenario.flight import FlightSkyCrane
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.vehicle import Vehicle
from planetfall.vehicle.flywheels import FlywheelParams
from planetfall.vehicle.forces import TabledForce
from planetfall.vehicle.tethers import STATUS_HELD
from planetfall.world.device import check_device
from planetfall.world.gravity.field import acceleration_at, gravity_field, gravity_model, gravity_params
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
        initial_state: States of all bodies at time zero, shape (13 * bodies,).
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
    scenario: Scenario,
    device: str = "cpu",
    *,
    is_recorded: bool = True,
    surface: Surface | None = None,
    is_checked: bool = True,
) -> Model:
    """Checks a scenario and puts it on a device; a `surface` made by hand takes the place of the scenario's terrain.

    With `is_checked` false, what could only be wrong with the scenario as a whole is let pass: a run of a campaign is
    repeated as it was run.
    """
    check_device(device)
    surface = surface or make_surface(scenario, device)
    assembly = assemble(scenario, surface, is_recorded)
    states = np.array([initial_state(solo, surface) for solo in scenario.solos])
    if is_checked:
        check_start(scenario, states, surface)
        check_sensors(scenario)
        check_flight(scenario)
    state = states.ravel()
    return Model(scenario, assembly, _params(scenario, assembly, state, surface), state, surface, device)


def check_start(scenario: Scenario, states: np.ndarray, surface: Surface) -> None:
    """Refuses a step that is too long for a scenario whose bodies start in `states` [body, 13], and a blind start."""
    for solo, state in zip(scenario.solos, states, strict=True):
        check_step(solo, state, surface)
        check_sight(solo, state, surface)
        check_outside(solo, state, surface)
    check_line_step(scenario, states)


def assemble(scenario: Scenario, surface: Surface, is_recorded: bool) -> Assembly:
    """The choice of models that a scenario asks for."""
    inertias = np.array([matrix for vehicle in scenario.vehicles for matrix in (vehicle.inertia, vehicle.free_inertia)])
    engines = tuple(len(vehicle.engines) for vehicle in scenario.vehicles)
    arms = tuple(vehicle.arm is not None for vehicle in scenario.vehicles)
    return Assembly(
        gravity=gravity_model(scenario),
        terrain=surface.model,
        law=contact_law(scenario),
        forces=tuple(force.kind for force in scenario.forces),
        points_per_body=tuple(len(vehicle.points) for vehicle in scenario.vehicles),
        has_spin=scenario.target.spin_rate != 0.0,
        has_diagonal_inertia=bool(np.all(inertias[:, ~np.eye(3, dtype=bool)] == 0.0)),
        method=scenario.integrator.method,
        is_recorded=is_recorded,
        n_wheels=sum(len(vehicle.flywheels) for vehicle in scenario.vehicles),
        n_tethers=len(scenario.tethers),
        sensors=sensor_models(scenario),
        detector=detector_model(scenario),
        engines_per_body=engines if any(engines) else (),
        flight=flight_model(scenario),
        arms=arms if any(arms) else (),
    )


def initial_state(scenario: Scenario, surface: Surface) -> np.ndarray:
    """The vehicle's state at time zero, shape (13,): position, velocity, quaternion, angular velocity."""
    start = scenario.initial
    position, velocity = np.asarray(start.position, dtype=float), np.asarray(start.velocity, dtype=float)
    if start.release is not None:
        position = np.asarray(start.release.position, dtype=float)
        velocity = start.release.start_velocity(scenario.target.omega, scenario.target.center_S)
    if start.height is not None:
        position = _lifted(scenario, surface, position, start.height)
    return np.concatenate([position, velocity, start.quaternion, start.angular_velocity])


def check_outside(scenario: Scenario, state: np.ndarray, surface: Surface) -> None:
    """Refuses a start with the centre of mass inside a whole body."""
    if scenario.terrain.model != "sdf":
        return
    gap = surface.ground_at(state[:3])[0]
    if gap < 0.0:
        where = "initial.position" if scenario.initial.release is None else "initial.release.position"
        raise InputError(
            where, f"{state[:3].tolist()} m is {-gap:.4g} m inside the target", "a place outside it",
            "is the shape's unit right (terrain.scale, target.shape_scale)? or give initial.height",
        )  # fmt: skip


def two_body_gm(scenario: Scenario) -> float:
    """Gravitational parameter [m^3/s^2] of the two-body theory that escape and orbits are judged by."""
    rules, gm = scenario.outcome, scenario.target.gm
    if rules.escape_radius is None and rules.orbit_radius is None:
        return gm
    if gm == 0.0 and scenario.gravity.model in ("polyhedron", "grid", "harmonics"):
        gm = float(gravity_field(scenario).facts.get("gm_m3_s2", 0.0))
    if gm == 0.0:
        raise InputError(
            "outcome.escape_radius" if rules.escape_radius is not None else "outcome.orbit_radius",
            f"with gravity.model = {scenario.gravity.model!r} nothing says what the target's mass is",
            "a target with a mass", "give target.gm",
        )  # fmt: skip
    return gm


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


def _params(
    scenario: Scenario, assembly: Assembly, state: np.ndarray, surface: Surface, home: str | None = None
) -> Any:
    """Of a run whose bodies start in a state (13 * bodies or more,); its small arrays are on the device `home`."""
    device = home or surface.device
    vehicles, rules, target = scenario.vehicles, scenario.outcome, scenario.target
    gravity = float(np.linalg.norm(acceleration_at(scenario, state[:3])))
    points = np.vstack([vehicle.tips for vehicle in vehicles])
    p = assembly.params()
    p.frame.omega, p.frame.center = wp.vec3d(*target.omega), wp.vec3d(*target.center_S)
    p.gravity, p.terrain = gravity_params(scenario, surface.device), surface.params
    if assembly.terrain.look_ahead is not None:
        assembly.terrain.look_ahead(p.terrain, assembly.is_frozen)
    p.law = law_params(scenario, gravity, device)
    p.forces = _force_params(scenario, assembly, device)
    p.sensors, p.detector = mount_sensors(scenario, device), mount_detector(scenario, gravity, device)
    p.mass, p.mass_inverse = [vehicle.mass for vehicle in vehicles], [1.0 / vehicle.mass for vehicle in vehicles]
    free = [vehicle.free_inertia for vehicle in vehicles]
    p.inertia = np.vstack([np.asarray(vehicle.inertia) for vehicle in vehicles])
    p.inertia_free, p.inertia_inverse = np.vstack(free), np.vstack([np.linalg.inv(matrix) for matrix in free])
    p.wheels, p.arms = _wheel_params(vehicles, device), arm_params(vehicles, device)
    p.tethers = tether_params(scenario, device)
    p.engines = engine_params(scenario, device)
    if scenario.flight is not None:
        p.flight = mount_flight(scenario, stage_attitude(scenario, state), device)
        p.control_period = 1.0 / scenario.flight.rate
    p.points_B = wp.array(points, dtype=wp.vec3d, device=device)
    p.extents = [float(np.max(np.linalg.norm(vehicle.tips, axis=1), initial=0.0)) for vehicle in vehicles]
    p.step = step_params(scenario, p.step, gravity)
    p.end.rest_speed, p.end.rest_rate, p.end.rest_hold = rules.rest_speed, rules.rest_rate, rules.rest_hold
    # -2: at 180 degrees nothing is overturned, whatever the rounding of one that lies upside down
    p.end.cos_overturn = (
        float(np.cos(np.radians(rules.overturn_angle_deg))) if rules.overturn_angle_deg < 180.0 else -2.0
    )
    p.end.up_B = wp.vec3d(*scenario.vehicle.up)
    p.end.slow_speed = scenario.contact.stop_speed
    p.end.stops_at_rest = int(rules.stop_at_rest)
    p.end.n_judged = assembly.n_bodies if rules.rest_of == "all" else 1
    p.end.gm = two_body_gm(scenario)
    p.end.escape_radius = np.inf if rules.escape_radius is None else rules.escape_radius
    p.end.orbit_radius = np.inf if rules.orbit_radius is None else rules.orbit_radius
    return p


def stage_attitude(scenario: Scenario, state: np.ndarray) -> np.ndarray:
    """Quaternion at the start of the vehicle that is flown, from the state (13 * bodies or more,) of all."""
    flight, names = scenario.flight, scenario.body_names
    if isinstance(flight, FlightSkyCrane) and flight.stage in names:
        return state[BODY_SIZE * names.index(flight.stage) :][6:10]
    return state[6:10]


def _size(vehicle: Vehicle) -> float:
    """Distance [m] of a vehicle's farthest point, or its radius of gyration if that is larger."""
    gyration = np.sqrt(np.trace(np.asarray(vehicle.inertia)) / vehicle.mass)
    return max(float(gyration), float(np.max(np.linalg.norm(vehicle.tips, axis=1), initial=0.0)))


def step_params(scenario: Scenario, step: Any, gravity: float) -> Any:
    """Fills what the integrator takes: step, tolerance, and the scales of length [m] and speed [m/s] of errors."""
    method = scenario.integrator
    step.length = min(_size(vehicle) for vehicle in scenario.vehicles)
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
        head.body = scenario.body_index(force.body)
        head.point_B, head.direction = wp.vec3d(*force.point), wp.vec3d(*force.direction)
        head.times = wp.array(force.times, dtype=wp.float64, device=device)
        head.magnitudes = wp.array(force.magnitudes, dtype=wp.float64, device=device)
        outer = cls()
        outer.head, outer.tail = head, nested
        nested = outer
    return nested


def _wheel_params(vehicles: tuple[Vehicle, ...], device: str) -> FlywheelParams:
    wheels = [wheel for vehicle in vehicles for wheel in vehicle.flywheels]
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

    p.body = per_wheel([b for b, vehicle in enumerate(vehicles) for _ in vehicle.flywheels], wp.int32)
    p.axis_B = per_wheel([wp.vec3d(*wheel.axis) for wheel in wheels], wp.vec3d)
    p.inertia = per_wheel([wheel.inertia for wheel in wheels], wp.float64)
    p.rows = per_wheel([len(wheel.times) for wheel in wheels], wp.int32)
    p.times, p.torques = table([wheel.times for wheel in wheels]), table([wheel.torques for wheel in wheels])
    for key in ("brake_time", "brake_end"):
        instants = [np.inf if getattr(wheel, key) is None else getattr(wheel, key) for wheel in wheels]
        setattr(p, key, per_wheel(instants, wp.float64))
    p.brake_torque = per_wheel([wheel.brake_torque for wheel in wheels], wp.float64)
    p.brake_speed = per_wheel([wheel.brake_speed for wheel in wheels], wp.float64)
    return p


def states_of(model: Model, initial_states: np.ndarray) -> np.ndarray:
    """Initial states [run, 13 * bodies] widened by what follows the bodies, and work integrals where there are some.

    Those that are wider have all that follows the bodies in them already.
    """
    lay = model.assembly.layout
    states = np.zeros((len(initial_states), lay.size))
    states[:, lay.wheel_offset : lay.work_offset] = wheels_and_lines(model.scenario)
    states[:, : initial_states.shape[1]] = initial_states
    return states


def wheels_and_lines(scenario: Scenario) -> np.ndarray:
    """What follows the bodies in a state at time zero: flywheels, arms, tethers, engines, and nothing burnt."""
    wheels = [wheel.speed for vehicle in scenario.vehicles for wheel in vehicle.flywheels]
    lines = np.zeros((len(scenario.tethers), LINE_SIZE))
    lines[:, LINE_REST] = [tether.first_length for tether in scenario.tethers]
    lines[:, LINE_STATUS] = [float(STATUS_HELD) if tether.held else 0.0 for tether in scenario.tethers]
    engines = [engine for vehicle in scenario.vehicles for engine in vehicle.engines]
    thrusts = np.zeros((len(engines), ENGINE_SIZE))
    thrusts[:, ENGINE_THRUST] = [engine.thrust for engine in engines]
    thrusts[:, ENGINE_COMMAND] = [engine.thrust / (1.0 + engine.bias) for engine in engines]
    burnt = np.zeros(len(scenario.vehicles) if engines else 0)
    return np.concatenate([wheels, arm_states(scenario.vehicles), lines.ravel(), thrusts.ravel(), burnt])

"""From a scenario's `[flight]` to what the kernel takes."""

import numpy as np

from planetfall.compute.draft import Draft
from planetfall.errors import InputError
from planetfall.flight.entry.bank_command import no_entry_guidance
from planetfall.flight.guidance.laws import GUIDANCE_LAWS
from planetfall.flight.guidance.model import GuidanceLaw
from planetfall.flight.model import FLIGHT_NONE, FLIGHT_PYTHON, FlightModel
from planetfall.flight.mount import places
from planetfall.flight.mount_sequence import engine_rows, known_engines, sequence_params
from planetfall.flight.navigation import KnownGravity, NavigationParams
from planetfall.flight.phase_steps import check_phase_steps, has_steps, phase_steps, phases_after_ignition
from planetfall.flight.steering import SteeringParams, sequence_model
from planetfall.flight.velocity_rows import rank_of, velocity_rows
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.flight.flight import FlightSequence
from planetfall.scenario.tables.flight.sensors import SensorAltimeter, SensorVelocimeter
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.world.gravity.field import gravity_field

STEP_SLACK = 1e-9
"""Relative error that the number of steps between two calls may have."""
UPRIGHT = 1e-6
"""Of the body's x axis: with less than this across the vertical it has no heading."""


def flight_model(scenario: Scenario) -> FlightModel:
    """The controller that a scenario asks for."""
    if scenario.flight is None:
        return FLIGHT_NONE
    sequence = scenario.flight.sequence
    return FLIGHT_PYTHON if sequence is None else sequence_model(laws_of(sequence), has_steps(sequence))


def laws_of(sequence: FlightSequence) -> tuple[GuidanceLaw, ...]:
    """The guidance laws that its phases use, each once, by name, so that their order makes no other kernel."""
    return tuple(GUIDANCE_LAWS[name] for name in sorted({phase.guidance.law for phase in sequence.phases}))


def phase_names(scenario: Scenario) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Phases and causes that are known before the run."""
    sequence = None if scenario.flight is None else scenario.flight.sequence
    if sequence is None:
        return (), ()
    causes = (end.cause_said for phase in sequence.phases for end in phase.ends)
    return tuple(phase.name for phase in sequence.phases), ("start", *causes)


def flown_body(scenario: Scenario) -> int:
    """Index of the vehicle whose start the controller knows; the first where that is not said."""
    sequence = None if scenario.flight is None else scenario.flight.sequence
    if sequence is None or sequence.body is None:
        return 0
    if sequence.body not in scenario.body_names:
        names = ", ".join(scenario.body_names)
        raise InputError("flight.body", f"no vehicle is called {sequence.body!r}", f"there are {names}")
    return scenario.body_index(sequence.body)


def check_flight(scenario: Scenario) -> None:
    """Refuses a step that does not divide the time between two calls, or is too long for the engines' lag."""
    flight, method = scenario.flight, scenario.integrator
    check_phase_steps(scenario)
    if flight is None or method.method != "rk4":
        return
    sequence = flight.sequence
    if sequence is not None and has_steps(sequence):
        _check_lags(scenario, sequence)
        return
    steps = 1.0 / (flight.rate * method.step)
    if steps < 1.0 - STEP_SLACK or abs(steps - round(steps)) > STEP_SLACK * steps:
        use = 1.0 / (flight.rate * max(1, int(np.ceil(steps - STEP_SLACK))))
        raise InputError(
            "integrator.step",
            f"{method.step:.9g} s does not divide the {1.0 / flight.rate:.9g} s between two calls of the controller",
            advice=f"use integrator.step = {use!r}, which does {round(1.0 / (flight.rate * use))} times",
        )
    for engine in (engine for vehicle in scenario.vehicles for engine in vehicle.engines):
        if method.step > 2.0 * engine.lag:
            raise InputError(
                "integrator.step", f"{method.step:g} s is too long for the lag of {engine.name}",
                f"allowed: up to {2.0 * engine.lag:g} s, twice the lag",
            )  # fmt: skip


def _check_lags(scenario: Scenario, sequence: FlightSequence) -> None:
    """Refuses steps of phases that are too long for the lag of an engine that may give thrust in them."""
    lag = min((e.lag for vehicle in scenario.vehicles for e in vehicle.engines), default=np.inf)
    for i, step in enumerate(phase_steps(scenario)):
        if step > 2.0 * lag and i in phases_after_ignition(sequence):
            raise InputError(
                f"flight.phases.{i}.step", f"{step:g} s is too long for the lag of the engines",
                f"allowed: up to {2.0 * lag:g} s, twice the lag",
            )  # fmt: skip


def mount_flight(scenario: Scenario, start: np.ndarray) -> Draft:
    """The parameters of a compiled controller; `start`: state (13,) at time zero of the vehicle that is flown."""
    sequence = None if scenario.flight is None else scenario.flight.sequence
    if sequence is None:
        return Draft(flight_model(scenario).params)
    p, body = Draft(SteeringParams), flown_body(scenario)
    vehicle = scenario.vehicles[body]
    others = [v.name for i, v in enumerate(scenario.vehicles) if v.engines and i != body]
    needs_engines = any(law.runs_engines for law in laws_of(sequence))
    if (needs_engines and not vehicle.engines) or others:
        raise InputError("flight.body", f"the sequence flies {vehicle.name}, which alone must have engines")
    rows = engine_rows(vehicle.engines)
    p.navigation = _navigation(scenario, sequence, start, vehicle.mass)
    p.engines, p.arm = known_engines(vehicle.engines, rows, sequence.failure_delay), rows.arm
    p.sequence = sequence_params(scenario, sequence, laws_of(sequence), rows, vehicle)
    p.entry = _entry(scenario, sequence)
    p.heading = _heading(rotation_matrix(start[6:10])[:, 0], np.asarray(sequence.up))
    p.inertia = np.diag(np.asarray(vehicle.inertia))
    p.attitude_gain, p.rate_gain = sequence.attitude_gain, sequence.rate_gain
    return p


def _entry(scenario: Scenario, sequence: FlightSequence) -> Draft:
    """`EntryGuidanceParams`; empty where no phase has entry guidance."""
    if all(phase.guidance.law != "entry" for phase in sequence.phases):
        return no_entry_guidance()
    from planetfall.flight.entry.mount_entry import (
        entry_guidance_params,
    )  # air and aerodynamics: here, or all would wait

    return entry_guidance_params(scenario)


def _heading(ahead: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Direction of the x axis across the vertical."""
    across = ahead - up * (ahead @ up)
    if np.linalg.norm(across) < UPRIGHT:
        raise InputError(
            "initial.attitude", "the x axis of the vehicle that flies is vertical, so that it has no heading to hold",
            advice="turn the vehicle about its thrust axis, z",
        )  # fmt: skip
    return across / np.linalg.norm(across)


def _navigation(scenario: Scenario, sequence: FlightSequence, start: np.ndarray, mass: float) -> Draft:
    """`NavigationParams` of the vehicle's sensors and start."""
    p = Draft(NavigationParams)
    sensors = {sensor.name: (sensor, place) for sensor, place in zip(scenario.sensors, places(scenario), strict=True)}
    p.imu, p.velocimeter, p.altimeter = sensors[sequence.imu][1].channel, -1, -1
    p.navigator = -1 if sequence.navigator is None else sensors[sequence.navigator][1].channel
    p.solve = np.zeros((0, 3))
    if sequence.velocimeter is not None:
        radar, place = sensors[sequence.velocimeter]
        assert isinstance(radar, SensorVelocimeter)
        if radar.signal != "doppler" or rank_of(np.array(radar.beams)) < 3:
            raise InputError(
                "flight.velocimeter", f"{radar.name} does not give a velocity",
                "three beams or more that do not lie in one plane, with signal = 'doppler'",
            )  # fmt: skip
        p.velocimeter, p.velocimeter_B = place.channel, radar.position
        p.solve = velocity_rows(np.array(radar.beams))
    if sequence.altimeter is not None:
        altimeter, place = sensors[sequence.altimeter]
        assert isinstance(altimeter, SensorAltimeter)
        p.altimeter, p.beam_B = place.channel, altimeter.beam
    p.position, p.velocity, p.attitude, p.mass = start[:3], start[3:6], start[6:10], mass
    p.up, p.site, p.gravity = sequence.up, sequence.site, known_gravity(scenario, sequence)
    return p


def known_gravity(scenario: Scenario, sequence: FlightSequence) -> Draft:
    """`KnownGravity`: the uniform one that is given, or the scenario's; of other fields the mass as one point."""
    p, field = Draft(KnownGravity), scenario.gravity
    p.spin, p.center = scenario.target.omega, scenario.target.center_S
    p.gm, p.uniform = 0.0, np.zeros(3)
    if sequence.gravity is not None:
        p.uniform = np.asarray(sequence.up) * -sequence.gravity
    elif field.model == "uniform":
        p.uniform = np.asarray(field.direction) * field.acceleration
    elif field.model != "none":
        gm = scenario.target.gm
        p.gm = gm if gm > 0.0 else float(gravity_field(scenario).facts.get("gm_m3_s2", 0.0))
        if not p.gm > 0.0:
            raise InputError(
                "flight.gravity", f"with gravity.model = {field.model!r} nothing says what the target's mass is",
                advice="give target.gm, or flight.gravity as a uniform acceleration",
            )  # fmt: skip
    return p

"""From `[flight]` with a sequence of phases to the parameters of the controller that flies it."""

import numpy as np

from planetfall.compute.draft import Draft
from planetfall.errors import InputError
from planetfall.flight.entry.bank_command import no_entry_guidance
from planetfall.flight.guidance.laws import GUIDANCE_LAWS
from planetfall.flight.guidance.model import GuidanceLaw
from planetfall.flight.navigation.estimate import KnownGravity, NavigationParams, rank_of, velocity_rows
from planetfall.flight.sensors.mount import places
from planetfall.flight.sequence.mount_sequence import engine_rows, known_engines, sequence_params
from planetfall.flight.sequence.steering import SteeringParams
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.flight.flight import FlightSequence
from planetfall.scenario.tables.flight.sensors import SensorAltimeter, SensorVelocimeter
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.world.gravity.field import gravity_field

UPRIGHT = 1e-6
"""Of the body's x axis: with less than this across the vertical it has no heading."""


def laws_of(sequence: FlightSequence) -> tuple[GuidanceLaw, ...]:
    """The guidance laws that its phases use, each once, by name, so that their order makes no other kernel."""
    return tuple(GUIDANCE_LAWS[name] for name in sorted({phase.guidance.law for phase in sequence.phases}))


def steering_params(scenario: Scenario, sequence: FlightSequence, body: int, start: np.ndarray) -> Draft:
    """`SteeringParams` of a sequence that flies a body; `start`: its state (13,) at time zero."""
    p = Draft(SteeringParams)
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

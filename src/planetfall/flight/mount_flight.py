"""From a scenario's `[flight]` to what the kernel takes, and to the built-in controller in Python."""

from functools import lru_cache

import numpy as np

from planetfall.compute.draft import Draft
from planetfall.errors import InputError
from planetfall.flight.allocation import EngineSet
from planetfall.flight.controller import Controller
from planetfall.flight.model import FLIGHT_NONE, FLIGHT_PYTHON, FlightModel
from planetfall.flight.mount import places
from planetfall.flight.skycrane import CAUSES, FLIGHT_SKY_CRANE, PHASES, SkyCraneParams
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.flight.flight import FlightSkyCrane
from planetfall.scenario.tables.flight.sensors import SensorAltimeter, SensorVelocimeter
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.scenario.tables.vehicle.engines import Engine

SAME_NAMES = (
    "carried_mass", "stage_mass", "gravity", "descent_speed", "separation_height", "extension_time", "deploy_time",
    "speed_gain", "speed_integral", "drift_gain", "attitude_gain", "rate_gain", "hold_time", "climb_time", "turn_time",
    "burn_time",
)  # fmt: skip
STEP_SLACK = 1e-9
"""Relative error that the number of steps between two calls may have."""


def flight_model(scenario: Scenario) -> FlightModel:
    """The controller that a scenario asks for."""
    if scenario.flight is None:
        return FLIGHT_NONE
    is_compiled = isinstance(scenario.flight, FlightSkyCrane) and scenario.flight.form == "compiled"
    return FLIGHT_SKY_CRANE if is_compiled else FLIGHT_PYTHON


def phase_names(scenario: Scenario) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Phases and causes that are known before the run."""
    return (PHASES, CAUSES) if isinstance(scenario.flight, FlightSkyCrane) else ((), ())


def check_flight(scenario: Scenario) -> None:
    """Refuses a step that does not divide the time between two calls, or is too long for the engines' lag."""
    flight, method = scenario.flight, scenario.integrator
    if flight is None or method.method != "rk4":
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


def mount_flight(scenario: Scenario, attitude: np.ndarray) -> Draft:
    """The parameters of a compiled controller; `attitude`: quaternion of the stage at the start."""
    flight = scenario.flight
    if not isinstance(flight, FlightSkyCrane) or flight.form != "compiled":
        return Draft(flight_model(scenario).params)
    return sky_crane_params(scenario, flight, attitude)


def sky_crane_params(scenario: Scenario, flight: FlightSkyCrane, attitude: np.ndarray) -> Draft:
    """`SkyCraneParams`: what the sky crane's flight software knows."""
    p, body = Draft(SkyCraneParams), _stage_index(scenario, flight)
    sensors = {sensor.name: (sensor, place) for sensor, place in zip(scenario.sensors, places(scenario), strict=True)}
    p.imu, p.altimeter = sensors[flight.imu][1].channel, sensors[flight.altimeter][1].channel
    altimeter, (radar, place) = sensors[flight.altimeter][0], sensors[flight.velocimeter]
    assert isinstance(altimeter, SensorAltimeter) and isinstance(radar, SensorVelocimeter)
    if radar.signal != "doppler" or _rank(np.array(radar.beams)) < 3:
        raise InputError(
            "flight.velocimeter", f"{radar.name} does not give a velocity",
            "three beams or more that do not lie in one plane, with signal = 'doppler'",
        )  # fmt: skip
    p.velocimeter, p.velocimeter_B = place.channel, radar.position
    p.solve = _velocity_rows(np.array(radar.beams).tobytes())
    p.altimeter_B, p.beam_B = altimeter.position, altimeter.beam
    ahead = rotation_matrix(attitude)[:, 0] * [1.0, 1.0, 0.0]
    p.attitude, p.heading = attitude, ahead / np.linalg.norm(ahead)
    starts = (scenario.initial, *(companion.initial for companion in scenario.companions))
    p.velocity = starts[body].velocity
    p.inertia = np.diag(np.asarray(scenario.vehicles[body].inertia))
    for name in SAME_NAMES:
        setattr(p, name, getattr(flight, name))
    p.tan_tilt, p.tilt = float(np.tan(np.radians(flight.tilt_limit_deg))), float(np.radians(flight.flyaway_tilt_deg))
    azimuth = np.radians(flight.flyaway_azimuth_deg)
    p.fly_dir = (float(np.sin(azimuth)), float(np.cos(azimuth)), 0.0)
    p.engines = _known_engines(p, scenario, flight, body)
    return p


def _stage_index(scenario: Scenario, flight: FlightSkyCrane) -> int:
    if flight.stage not in scenario.body_names:
        names = ", ".join(scenario.body_names)
        raise InputError("flight.stage", f"no vehicle is called {flight.stage!r}", f"there are {names}")
    body = scenario.body_index(flight.stage)
    others = [v.name for i, v in enumerate(scenario.vehicles) if v.engines and i != body]
    if not scenario.vehicles[body].engines or others:
        raise InputError("flight.stage", f"the sky crane flies {flight.stage}, which alone must have engines")
    return body


def engine_effects(engines: tuple[Engine, ...], arm: float) -> np.ndarray:
    """Force along z and moments about the centre of mass over `arm` [m] per thrust, [engine, 4] [-]."""
    (x, y, z), push = np.array([engine.position for engine in engines]).T, np.array([e.direction for e in engines])
    a, b, c = push.T
    return np.column_stack([c, *(moment / arm for moment in (y * c - z * b, z * a - x * c, x * b - y * a))])


def _rank(rows: np.ndarray) -> int:
    return _rank_of(np.ascontiguousarray(rows).tobytes(), rows.shape)


@lru_cache  # asked for every run of a campaign, as what follows; by bytes, because -0.0 equals 0.0
def _rank_of(content: bytes, shape: tuple[int, ...]) -> int:
    return int(np.linalg.matrix_rank(np.frombuffer(content).reshape(shape)))


@lru_cache
def _velocity_rows(beams: bytes) -> np.ndarray:
    """What to multiply the speed along each beam with, [beam, 3], so that the sum is the velocity."""
    return np.linalg.pinv(np.frombuffer(beams).reshape(-1, 3)).T.copy()


def _known_engines(p: Draft, scenario: Scenario, flight: FlightSkyCrane, body: int) -> Draft:
    """`EngineSet` of the stage; also sets the arm and the largest force that `p` has."""
    engines, known = scenario.vehicles[body].engines, Draft(EngineSet)
    names = [engine.name for engine in engines]
    unknown = [name for name in flight.running if name not in names]
    if unknown:
        raise InputError("flight.running", f"no engine is called {unknown[0]!r}", f"there are {', '.join(names)}")
    p.arm = float(np.max(np.linalg.norm([engine.position for engine in engines], axis=1)))
    effect = engine_effects(engines, p.arm)
    running = np.array([not flight.running or name in flight.running for name in names])
    if _rank(effect[running]) < 4:
        raise InputError(
            "flight.running", "these engines cannot give a force and every moment", "four or more that can"
        )
    high = np.array([engine.thrust_max for engine in engines])
    p.axis_full = float(flight.flyaway_share * np.sum((effect[:, 0] * high)[running]))
    known.effect, known.high = effect, high
    known.low = [engine.thrust_min for engine in engines]
    known.running, known.failed = running, failures_known(engines, flight.failure_delay)
    return known


def failures_known(engines: tuple[Engine, ...], delay: float) -> np.ndarray:
    """When the failure of each engine is known [s]; infinite for those that do not fail."""
    return np.array([np.inf if engine.fail_time is None else engine.fail_time + delay for engine in engines])


def built_in_controller(scenario: Scenario, attitude: np.ndarray) -> Controller:
    """The Python form of the scenario's own controller."""
    from planetfall.flight.skycrane_python import SkyCrane

    flight = scenario.flight
    if not isinstance(flight, FlightSkyCrane):
        raise InputError(
            "flight.controller", "'own' needs a controller", advice="give one: planetfall.run(scenario, controller=...)"
        )
    params = sky_crane_params(scenario, flight, attitude).on_device("cpu")
    names = tuple(tether.name for tether in scenario.tethers)
    return SkyCrane(params, flight.imu, flight.velocimeter, flight.altimeter, names)

"""The parameters of a run, part by part: what each part is made of, and which keys of a scenario it is made from.

A part is a member of the struct that the kernel takes. The runs of a campaign need only those parts made anew that
read a dispersed key (`engine.launch.per_run_parameters`).
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, assert_never

import numpy as np

from planetfall.compute.draft import Draft, chained_draft
from planetfall.contact.laws import law_params
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.run_params import EndParams, StepParams
from planetfall.engine.structure.start import Start
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.errors import InputError
from planetfall.flight.mount_flight import flown_body, mount_flight
from planetfall.flight.sensors.mount import mount_detector, mount_sensors
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.integrator import IntegratorAdaptive, IntegratorRk4
from planetfall.scenario.tables.vehicle.vehicle import Vehicle
from planetfall.scenario.tables.world.terrain_parts import PlanePart
from planetfall.world.air import air_params, end_of_air
from planetfall.world.gravity.field import acceleration_at, gravity_field, gravity_params, plain_gravity, weighed_at
from planetfall.world.planet import planet_params
from planetfall.world.terrain.ground import plane_params
from planetfall.world.terrain.surface import Surface
from planetfall.world.turning_frame import FrameParams

LOCATION_TOLERANCE = 1e-11
"""How closely an adaptive method brackets a change of contact modes [s]."""


@dataclass(frozen=True)
class ParameterPart:
    """A member of the parameter struct.

    Attributes:
        make: Its value, of a scenario and the start of its bodies.
        reads: How the keys begin that it is made from, of any vehicle, and `GRAVITY_AT_START` where it counts.
    """

    make: Callable[[Scenario, Start], Any]
    reads: tuple[str, ...]


GRAVITY_AT_START = "(gravity at the start)"
OTHERS_START = "companions.initial."
"""How keys of the starts of other vehicles than the first begin, where it does not matter whose they are."""


def make_params(scenario: Scenario, assembly: Assembly, state: np.ndarray, surface: Surface) -> Any:
    """The parameter struct of a run whose bodies start in a state (13 * bodies or more,), on the surface's device."""
    start = Start(state, float(np.linalg.norm(acceleration_at(scenario, weighed_at(scenario, state[:3])))))
    draft = Draft(assembly.params)
    parts = parts_of(assembly)
    for name in parts.keys() - SHARED:
        setattr(draft, name, parts[name].make(scenario, start))
    draft.gravity, draft.terrain = gravity_params(scenario, surface.device), surface.params
    params = draft.on_device(surface.device)
    if assembly.terrain.look_ahead is not None:
        assembly.terrain.look_ahead(params.terrain, assembly.is_mode_locked)
    return params


def parts_of(assembly: Assembly) -> dict[str, ParameterPart]:
    """All members of an assembly's struct."""
    reads = tuple(key for mechanism in assembly.mechanisms for key in mechanism.reads)

    def of_mechanisms(scenario: Scenario, start: Start) -> Draft:
        return chained_draft([mechanism.fill(scenario, start) for mechanism in assembly.mechanisms])

    return PARTS | {"mechanisms": ParameterPart(of_mechanisms, reads)}


def parts_that_read(
    parts: Mapping[str, ParameterPart], keys: Collection[str], has_uniform_gravity: bool
) -> frozenset[str]:
    """Names of the parts that a change of some keys reaches; all of them for a key that none is known to read."""
    reached: frozenset[str] = frozenset()
    for key in keys:
        found = {name for name, part in parts.items() if _is_read(part, key, has_uniform_gravity)}
        reached |= found or parts.keys()
    return reached


def moves_gravity_at_start(key: str, has_uniform_gravity: bool) -> bool:
    """Whether gravity where the first vehicle starts may depend on a key.

    The start itself is over the ground, by a height under the lowest point of the vehicle.
    """
    of_place = () if has_uniform_gravity else ("initial.", "terrain.", "vehicle.")
    return key.startswith(("gravity.", "target.", *of_place))


def _is_read(part: ParameterPart, key: str, has_uniform_gravity: bool) -> bool:
    if GRAVITY_AT_START in part.reads and moves_gravity_at_start(key, has_uniform_gravity):
        return True
    if key.startswith("companions."):  # "companions.0.vehicle.mass" is a mass as any other
        of_what = key.split(".", 2)[2]
        key = of_what if of_what.startswith("vehicle.") else f"companions.{of_what}"
    return key.startswith(part.reads)


def _frame(scenario: Scenario) -> Draft:
    frame = Draft(FrameParams)
    frame.omega, frame.center = scenario.target.omega, scenario.target.center_S
    return frame


def _plane(scenario: Scenario) -> Draft:
    assert isinstance(scenario.terrain, PlanePart)
    return plane_params(scenario.terrain)


def _stacked(matrix_of: Callable[[Vehicle], Any]) -> Callable[[Scenario, Start], np.ndarray]:
    """What makes the rows of a matrix of each vehicle, one vehicle after the other."""
    return lambda scenario, start: np.vstack([np.asarray(matrix_of(vehicle)) for vehicle in scenario.vehicles])


def _flight(scenario: Scenario, start: Start) -> Draft:
    return mount_flight(scenario, start.state[BODY_SIZE * flown_body(scenario) :][:BODY_SIZE])


def step_params(scenario: Scenario, gravity: float) -> Draft:
    """What the integrator takes: step, tolerance, and the scales of length [m] and speed [m/s] of errors."""
    step, method = Draft(StepParams), scenario.integrator
    step.length = min(_size(_Same(vehicle)) for vehicle in scenario.vehicles)
    step.speed = (
        float(np.sqrt(gravity * step.length)) or float(np.linalg.norm(scenario.initial.velocity)) or step.length
    )
    step.duration, step.location = scenario.scenario.duration, LOCATION_TOLERANCE
    match method:
        case IntegratorRk4():
            step.step = method.step
        case IntegratorAdaptive():
            step.step, step.tolerance = method.max_step, method.tolerance
        case other:
            assert_never(other)
    return step


@dataclass(frozen=True, eq=False)
class _Same:
    """A vehicle that is told from others by identity: tables are frozen, and to compare them takes longer."""

    vehicle: Vehicle

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.vehicle is other.vehicle

    def __hash__(self) -> int:
        return id(self.vehicle)


@lru_cache(maxsize=64)  # runs of a campaign share their vehicles, unless they vary
def _size(same: _Same) -> float:
    """Distance [m] of a vehicle's farthest point, or its radius of gyration if that is larger."""
    vehicle = same.vehicle
    gyration = np.sqrt(np.trace(np.asarray(vehicle.inertia)) / vehicle.mass)
    return max(float(gyration), vehicle.extent)


def _end(scenario: Scenario) -> Draft:
    end, rules = Draft(EndParams), scenario.outcome
    end.rest_speed, end.rest_rate, end.rest_hold = rules.rest_speed, rules.rest_rate, rules.rest_hold
    # -2: at 180 degrees nothing is overturned, whatever the rounding of one that lies upside down
    end.cos_overturn = float(np.cos(np.radians(rules.overturn_angle_deg))) if rules.overturn_angle_deg < 180.0 else -2.0
    end.up_B, end.slow_speed = scenario.vehicle.up, scenario.contact.stop_speed
    end.stops_at_rest = int(rules.stop_at_rest) * (2 if rules.stop_waits else 1)  # see `solver.termination`
    end.n_judged = scenario.n_judged
    end.crash_speed = np.inf if rules.crash_speed is None else rules.crash_speed
    end.gm = two_body_gm(scenario)
    end.escape_radius = np.inf if rules.escape_radius is None else rules.escape_radius
    end.orbit_radius = np.inf if rules.orbit_radius is None else rules.orbit_radius
    end.planet = planet_params(scenario.target)
    end.stop_altitude = -np.inf if rules.stop_altitude is None else rules.stop_altitude
    end.skip_altitude = min(np.inf if rules.skip_altitude is None else rules.skip_altitude, end_of_air(scenario))
    return end


def two_body_gm(scenario: Scenario) -> float:
    """Gravitational parameter [m^3/s^2] of the two-body theory that escape and orbits are judged by."""
    rules = scenario.outcome
    if rules.escape_radius is None and rules.orbit_radius is None:
        return scenario.target.gm
    gm = known_gm(scenario)
    if gm == 0.0:
        raise InputError(
            "outcome.escape_radius" if rules.escape_radius is not None else "outcome.orbit_radius",
            f"with gravity.model = {scenario.gravity.model!r} nothing says what the target's mass is",
            "a target with a mass", "give target.gm",
        )  # fmt: skip
    return gm


def known_gm(scenario: Scenario) -> float:
    """The target's gravitational parameter [m^3/s^2], given or that of its gravity field; 0 where nothing says it."""
    if scenario.target.gm == 0.0 and scenario.gravity.model in ("polyhedron", "grid", "harmonics"):
        return float(gravity_field(scenario).facts.get("gm_m3_s2", 0.0))
    return scenario.target.gm


OF_INERTIA = ("vehicle.mass", "vehicle.shape", "vehicle.inertia", "vehicle.flywheels")
"""An inertia that is not given follows from mass and shape; flywheels keep a share of it."""
OF_POINTS = ("vehicle.points", "vehicle.shape")
PARTS = {
    "frame": ParameterPart(lambda s, start: _frame(s), ("target.",)),
    "gravity": ParameterPart(lambda s, start: plain_gravity(s), ("gravity.", "target.")),
    "terrain": ParameterPart(lambda s, start: _plane(s), ("terrain.",)),
    "law": ParameterPart(
        lambda s, start: law_params(s, start.gravity), ("contact.", "vehicle.mass", *OF_POINTS, GRAVITY_AT_START)
    ),
    "air": ParameterPart(lambda s, start: air_params(s), ("atmosphere.", "target.")),
    "sensors": ParameterPart(lambda s, start: mount_sensors(s), ("sensors.", "scenario.", *OF_POINTS)),
    "detector": ParameterPart(
        lambda s, start: mount_detector(s, start.gravity),
        ("detector.", "sensors.", "scenario.", "vehicle.engines", GRAVITY_AT_START),
    ),
    "mass": ParameterPart(lambda s, start: [vehicle.mass for vehicle in s.vehicles], ("vehicle.mass",)),
    "mass_inverse": ParameterPart(lambda s, start: [1.0 / vehicle.mass for vehicle in s.vehicles], ("vehicle.mass",)),
    "inertia": ParameterPart(_stacked(lambda vehicle: vehicle.inertia), OF_INERTIA),
    "inertia_free": ParameterPart(_stacked(lambda vehicle: vehicle.free_inertia), OF_INERTIA),
    "inertia_inverse": ParameterPart(_stacked(lambda vehicle: np.linalg.inv(vehicle.free_inertia)), OF_INERTIA),
    "flight": ParameterPart(
        _flight,
        (
            "flight.",
            "integrator.",
            "sensors.",
            "scenario.",
            "initial.",
            OTHERS_START,
            "vehicle.engines",
            "vehicle.propellant",
            "terrain.",
            "target.",
            "gravity.",
            "atmosphere.",  # as the next one: of the reference of entry guidance, where none is held fast
            "vehicle.aerodynamics",
            *OF_POINTS,
            *OF_INERTIA,
        ),
    ),
    "control_period": ParameterPart(lambda s, start: 0.0 if s.flight is None else 1.0 / s.flight.rate, ("flight.",)),
    "flown_body": ParameterPart(lambda s, start: flown_body(s), ("flight.",)),
    "points_B": ParameterPart(_stacked(lambda vehicle: vehicle.tips), OF_POINTS),
    "extents": ParameterPart(lambda s, start: [vehicle.extent for vehicle in s.vehicles], OF_POINTS),
    "step": ParameterPart(
        lambda s, start: step_params(s, start.gravity),
        ("integrator.", "scenario.", *OF_INERTIA, *OF_POINTS, GRAVITY_AT_START),
    ),
    "end": ParameterPart(
        lambda s, start: _end(s),
        ("outcome.", "vehicle.up", "contact.", "target.", "gravity.", "atmosphere.heights", "atmosphere.above"),
    ),
}
"""All members of the struct but the mechanisms.

A test changes key after key and compares the parts that read it with all made anew.
"""
SHARED = frozenset({"gravity", "terrain"})
"""Parts that lie on the device once, unless they are a few numbers: a plain field, a plane."""

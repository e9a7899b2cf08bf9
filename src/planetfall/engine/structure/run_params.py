"""The struct with every number of a run.

No physical number may be captured by a closure: Warp compiles captured floats as float64 but hashes them as float32,
so two kernels could share one compiled module. Every number is in a struct of `run_params`.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.draft import chained_params
from planetfall.engine.structure.mechanism import Mechanism
from planetfall.flight.detectors.detector import DetectorModel
from planetfall.flight.model import FlightModel
from planetfall.flight.sensors.model import SensorModel, suite_params
from planetfall.world.environment import AirModel
from planetfall.world.planet import PlanetParams
from planetfall.world.turning_frame import FrameParams


@wp.struct
class StepParams:
    """How the equations are solved.

    `step`: fixed, or largest adaptive [s]; `tolerance`: relative; `duration` [s]; `length` [m] and `speed` [m/s]:
    absolute errors are measured against them; `location`: tolerance of events [s].
    """

    step: wp.float64
    tolerance: wp.float64
    duration: wp.float64
    length: wp.float64
    speed: wp.float64
    location: wp.float64


@wp.struct
class EndParams:
    """When a run ends.

    Rest is slower than `rest_speed` [m/s] and `rest_rate` [rad/s] for `rest_hold` [s]; crossings of `slow_speed` [m/s]
    are events, the last of which ends a slide; `up_B`: the vehicle's up axis;
    `cos_overturn`: cosine of the tilt beyond which it has overturned; `stops_at_rest`: 0, 1 or 2; `n_judged`: number of
    bodies, from the first on, that have to be at rest; `crash_speed` [m/s] (see `motion.crash`), infinite where none is
    given; `gm` [m^3/s^2], `escape_radius` and `orbit_radius` [m] of two-body theory, infinite where they are not given.
    Heights over the ellipsoid of `planet`: `stop_altitude` ends a descent, minus infinite where it is not given;
    `skip_altitude` a climb, infinite where neither the rule is given nor a table of air ends [m].
    """

    rest_speed: wp.float64
    rest_rate: wp.float64
    rest_hold: wp.float64
    slow_speed: wp.float64
    cos_overturn: wp.float64
    up_B: wp.vec3d
    stops_at_rest: wp.int32
    n_judged: wp.int32
    crash_speed: wp.float64
    gm: wp.float64
    escape_radius: wp.float64
    orbit_radius: wp.float64
    planet: PlanetParams
    stop_altitude: wp.float64
    skip_altitude: wp.float64


@lru_cache
def run_params(
    gravity_params: Any, terrain_params: Any, law_params: Any, mechanisms: tuple[Mechanism, ...], air: AirModel,
    sensors: tuple[SensorModel, ...], detector: DetectorModel, flight: FlightModel, n_bodies: int,
) -> Any:  # fmt: skip
    """The `@wp.struct` class of all numbers, with those of each model in a struct of its own."""
    per_body = wp.types.vector(length=n_bodies, dtype=wp.float64)
    matrix_per_body = wp.types.matrix(shape=(3 * n_bodies, 3), dtype=wp.float64)
    mechanism_params = chained_params(tuple(mechanism.params for mechanism in mechanisms))
    air_params, flight_params = air.params, flight.params
    sensor_params, detector_params = suite_params(sensors), detector.params

    @wp.struct
    class Params:
        frame: FrameParams
        gravity: gravity_params
        terrain: terrain_params
        law: law_params
        air: air_params
        mechanisms: mechanism_params
        sensors: sensor_params
        detector: detector_params
        mass: per_body  # [kg]
        mass_inverse: per_body  # [1/kg]
        inertia: matrix_per_body  # [kg m^2], body axes, about the centre of mass, stacked
        inertia_free: matrix_per_body  # [kg m^2] the same, less what flywheels leave to themselves
        inertia_inverse: matrix_per_body  # [1/(kg m^2)] of inertia_free
        flight: flight_params
        control_period: wp.float64  # [s]
        flown_body: wp.int32  # index of the vehicle that the controller flies
        points_B: wp.array(dtype=wp.vec3d)  # contact points [m] from their body's centre of mass
        extents: per_body  # distance of the farthest of them [m]
        step: StepParams
        end: EndParams

    return Params

"""Triggers of what happens once in a flight, and the air past a vehicle that they look at."""

import warp as wp

from planetfall.compute.draft import Draft
from planetfall.scenario.tables.vehicle.flight_triggers import FlightTrigger
from planetfall.vehicle.body import BodyState
from planetfall.world.environment import Environment

NEVER = wp.constant(wp.float64(1.0e300))
"""A time [s] beyond any run, and a threshold that is not given."""


@wp.struct
class TriggerParams:
    """When something happens: all that is given must hold, once dynamic pressure has been above `arming` [Pa].

    `time` [s] since the start, or since what it waits for; `speed` [m/s] relative to the planet, `mach`, `pressure`
    (dynamic, [Pa]), `altitude` and `height` [m]: at or below these. What is not given is NEVER, `time` minus NEVER.
    """

    time: wp.float64
    speed: wp.float64
    mach: wp.float64
    pressure: wp.float64
    altitude: wp.float64
    height: wp.float64
    arming: wp.float64


@wp.struct
class Airflow:
    """The air past a vehicle: `velocity` [m/s] of the vehicle relative to it, `speed`, `mach`, dynamic `pressure`."""

    velocity: wp.vec3d
    speed: wp.float64
    mach: wp.float64
    pressure: wp.float64


@wp.func
def may_fire(p: wp.ref[TriggerParams]) -> bool:
    """Whether a trigger is given: one that is not has to be commanded."""
    return p.time < NEVER


@wp.func
def airflow(velocity: wp.vec3d, environment: wp.ref[Environment]) -> Airflow:
    """The air past something that moves with a velocity [m/s], surface frame; Mach 0 where there is no air."""
    out = Airflow()
    out.velocity = velocity - environment.wind
    out.speed = wp.length(out.velocity)
    if environment.sound_speed > wp.float64(0.0):
        out.mach = out.speed / environment.sound_speed
    out.pressure = wp.float64(0.5) * environment.density * out.speed * out.speed
    return out


@wp.func
def trigger_margin(
    p: wp.ref[TriggerParams], t: wp.float64, state: wp.ref[BodyState], environment: wp.ref[Environment],
    flow: wp.ref[Airflow],
) -> wp.float64:  # fmt: skip
    """How far a trigger that is armed is from firing: the largest margin of what it waits for; it fires at 0 or below.

    Each margin is counted in its own unit over the threshold's size, so that it is continuous along the motion.
    """
    margin = p.time - t
    one = wp.float64(1.0)
    if p.speed < NEVER:
        margin = wp.max(margin, (wp.length(state.velocity) - p.speed) / wp.max(p.speed, one))
    if p.mach < NEVER:
        margin = wp.max(margin, flow.mach - p.mach)
    if p.pressure < NEVER:
        margin = wp.max(margin, (flow.pressure - p.pressure) / wp.max(p.pressure, one))
    if p.altitude < NEVER:
        margin = wp.max(margin, (environment.altitude - p.altitude) * wp.float64(1.0e-3))
    if p.height < NEVER:
        margin = wp.max(margin, (state.position[2] - p.height) * wp.float64(1.0e-3))
    return margin


TriggerNumbers = wp.types.vector(length=7, dtype=wp.float64)
"""A trigger as an array holds it: the members of `TriggerParams`, in order."""


@wp.func
def trigger_from(numbers: TriggerNumbers) -> TriggerParams:
    """The trigger that an array holds."""
    out = TriggerParams()
    out.time = numbers[0]
    out.speed = numbers[1]
    out.mach = numbers[2]
    out.pressure = numbers[3]
    out.altitude = numbers[4]
    out.height = numbers[5]
    out.arming = numbers[6]
    return out


def trigger_numbers(trigger: FlightTrigger | None) -> list[float]:
    """A trigger's thresholds; what is not given is always met, and a trigger that is not given never."""
    never = float(NEVER)
    if trigger is None:
        return [never] * 6 + [0.0]
    limits = (
        trigger.speed_below, trigger.mach_below, trigger.dynamic_pressure_below, trigger.altitude_below,
        trigger.height_below,
    )  # fmt: skip
    time = -never if trigger.after is None else trigger.after
    return [time, *(never if limit is None else limit for limit in limits), trigger.armed_above_dynamic_pressure]


def trigger_params(trigger: FlightTrigger | None) -> Draft:
    """The same as a struct."""
    out = Draft(TriggerParams)
    for name, value in zip(TriggerParams.vars, trigger_numbers(trigger), strict=True):
        setattr(out, name, value)
    return out

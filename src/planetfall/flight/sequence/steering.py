"""The flight software of a sequence, compiled: navigation, phases, guidance, attitude control, allocation.

The thrust axis is the body's z axis. It takes the direction of the wanted force by a PD law on the attitude; the x axis
keeps the heading that it had at the start. Force along the axis and moments are shared among the engines of the phase.
"""

from functools import lru_cache

import warp as wp

from planetfall.flight.allocation import EngineSet, allocate, usable
from planetfall.flight.commands import Commands
from planetfall.flight.entry.bank_command import EntryGuidanceParams, entry_bank
from planetfall.flight.guidance.laws import guide
from planetfall.flight.guidance.model import GuidanceAim, GuidanceLaw
from planetfall.flight.model import FlightModel
from planetfall.flight.navigation.estimate import Estimate, NavigationParams, navigate
from planetfall.flight.navigation.memory import N_MEMORY, SLOT_FORCE, SLOT_JUMP, SLOT_SINCE, remember, remembered
from planetfall.flight.readings import Readings
from planetfall.flight.sequence.phases import (
    BLEND,
    CARRIED_MASS,
    COS_TILT,
    LAW,
    MASS,
    SequenceParams,
    follow_sequence,
)


@wp.struct
class SteeringParams:
    """What the flight software knows.

    `heading`: horizontal direction of the body's x axis to hold, surface frame; `inertia` [kg m^2]; `arm` [m] of the
    allocation; `attitude_gain` [1/s^2]; `rate_gain` [1/s].
    """

    navigation: NavigationParams
    sequence: SequenceParams
    entry: EntryGuidanceParams
    engines: EngineSet
    heading: wp.vec3d
    inertia: wp.vec3d
    arm: wp.float64
    attitude_gain: wp.float64
    rate_gain: wp.float64


@wp.func
def commanded_flow(engines: wp.ref[EngineSet], throttle: wp.array2d(dtype=wp.float64), run: int) -> wp.float64:
    """Propellant that the commanded throttles burn [kg/s]."""
    out = wp.float64(0.0)
    i = int(0)
    while i < engines.low.shape[0]:
        out += engines.flow[i] * engines.high[i] * throttle[i, run]
        i += 1
    return out


@wp.func
def handed_over(
    force: wp.vec3d, blend: wp.float64, elapsed: wp.float64, memory: wp.array2d(dtype=wp.float64), run: int
) -> wp.vec3d:
    """A phase's force [N], with what the one before had more fading out over the blend time [s]."""
    if elapsed >= blend:
        return force
    if wp.isnan(memory[SLOT_JUMP, run]):
        before = remembered(memory, SLOT_FORCE, run)
        if wp.isnan(before[0]):  # nothing has been commanded yet
            before = force
        remember(memory, SLOT_JUMP, run, before - force)
    return force + remembered(memory, SLOT_JUMP, run) * (wp.float64(1.0) - elapsed / blend)


@wp.func
def within_cone(axis: wp.vec3d, up: wp.vec3d, cosine: wp.float64) -> wp.vec3d:
    """A unit vector, no farther from `up` than the angle with a cosine; -1 or less is no limit."""
    along = wp.dot(axis, up)
    if cosine <= wp.float64(-1.0) or along >= cosine:
        return axis
    aside = axis - up * along
    size = wp.length(aside)
    if size == wp.float64(0.0):
        return up
    return up * cosine + aside * (wp.sqrt(wp.float64(1.0) - cosine * cosine) / size)


@wp.func
def pointed(f: wp.ref[SteeringParams], now: Estimate, aim: GuidanceAim) -> wp.vec4d:
    """Force along the axis and moments over the arm [N] with which the axis follows the aim."""
    R_BL = wp.transpose(now.R_LB)
    axis_B = R_BL * aim.axis
    heading_B = R_BL * f.heading
    error = wp.vec3d(-axis_B[1], axis_B[0], heading_B[1])
    spin_up = error * f.attitude_gain + (R_BL * aim.turning - now.rate_B) * f.rate_gain
    moment = wp.cw_mul(f.inertia, spin_up) / f.arm
    return wp.vec4d(aim.thrust, moment[0], moment[1], moment[2])


@lru_cache
def sequence_model(laws: tuple[GuidanceLaw, ...], has_steps: bool = False) -> FlightModel:
    """The flight software with some guidance laws, which phases name by their number among them.

    `has_steps`: whether a phase has a step of its own.
    """
    guided = guide(laws)
    names = [law.name for law in laws]
    i_entry = names.index("entry") if "entry" in names else -1

    @wp.func
    def steer(
        f: wp.ref[SteeringParams], readings: Readings, landed: wp.float64, commands: Commands, t: wp.float64, run: int
    ):
        flow = commanded_flow(f.engines, commands.throttle, run)
        now = navigate(f.navigation, readings, flow, commands.memory, t, run)
        follow_sequence(f.sequence, now, readings, landed, commands, t, run)
        phase = commands.phase[run]
        numbers = f.sequence.numbers[phase]
        if not wp.isnan(numbers[MASS]):
            now.mass = numbers[MASS]
        else:
            now.mass += numbers[CARRIED_MASS]
        elapsed = t - commands.memory[SLOT_SINCE, run]
        codes = f.sequence.codes[phase]
        if wp.static(i_entry >= 0):
            if codes[LAW] == wp.static(i_entry):
                commands.bank[run] = entry_bank(
                    f.entry, now.position, now.velocity, now.sensed, commands.bank[run], commands.memory, t, run
                )
        aim = guided(codes[LAW], f.sequence.guidance[phase], now, elapsed, t, commands.memory, run)
        if aim.is_directed == 0:
            aim.force = handed_over(aim.force, numbers[BLEND], elapsed, commands.memory, run)
            aim.axis = within_cone(wp.normalize(aim.force), now.up, numbers[COS_TILT])
            axis_L = now.R_LB * wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0))
            aim.thrust = wp.dot(aim.force, axis_L)
        remember(commands.memory, SLOT_FORCE, run, aim.force)
        used = usable(f.engines, f.sequence.engines[phase], t)
        wanted = wp.vec4d()
        if used != wp.uint64(0):
            wanted = pointed(f, now, aim)
        missing = allocate(f.engines, used, wanted, commands.throttle, run)
        commands.shortfall[run] = wp.max(commands.shortfall[run], missing)
        i = int(0)
        while i < f.engines.low.shape[0]:
            commands.throttle[i, run] = commands.throttle[i, run] / f.engines.high[i]
            i += 1

    return FlightModel("sequence", SteeringParams, steer, N_MEMORY, has_steps)

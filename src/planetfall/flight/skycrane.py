"""The sky crane's flight software as a compiled function: navigation, sequence, control, allocation.

Navigation: attitude by integrating the gyroscopes from a known start; velocity from the velocimeter's beams, or by the
accelerometers while a beam has no return; height from the altimeter. Sequence: see PHASES. Control: a PI law on the
vertical speed and a proportional one on the horizontal give a force, of which the stage's axis takes the direction, by
a PD law on its attitude. All numbers are the scenario's, all thresholds tuned or assumed
(`scenario.tables.flight.flight`). The same logic in Python is `flight.skycrane_python`.
"""

import warp as wp

from planetfall.flight.allocation import EngineSet, allocate, usable
from planetfall.flight.commands import Commands
from planetfall.flight.model import FlightModel
from planetfall.flight.readings import Readings

PHASES = (
    "powered descent", "bridle extension", "mobility deploy", "ready for touchdown", "bridle cut", "climb", "turn",
    "flyaway", "coast",
)  # fmt: skip
DESCENT, EXTENSION, DEPLOY, READY, CUT, CLIMB, TURN, FLYAWAY, COAST = (wp.constant(i) for i in range(9))
CAUSES = ("start", "height reached", "time passed", "landing detected")
BY_START, BY_HEIGHT, BY_TIME, BY_TRIGGER = (wp.constant(i) for i in range(4))

STAY_SLACK = wp.constant(wp.float64(1.0 - 1e-9))
"""Of the time that a phase lasts: instants are rounded. A constant, since kernels compute with literals in float32."""
SLOT_ATTITUDE, SLOT_RATE, SLOT_VELOCITY, SLOT_INTEGRAL, SLOT_SINCE, SLOT_LAST = 0, 4, 7, 10, 11, 12
N_MEMORY = 13
"""Memory: quaternion x y z w, angular rate [rad/s], velocity [m/s], integral of the vertical error [m], start of the
phase [s], last call [s]."""


@wp.struct
class SkyCraneParams:
    """What the flight software knows; meanings as in `scenario.tables.flight.flight`.

    `imu`, `velocimeter`, `altimeter`: first channels; `solve` [beam]: rows that turn beam speeds into velocity;
    positions and beam of the sensors in the body frame; `attitude` at the start; `heading`: horizontal direction, L, of
    the body's x axis to hold; `inertia` [kg m^2]; `arm` [m] of the allocation; `axis_full` [N]: force of all running
    engines along the axis at the share of their thrust that flyaway uses; `fly_dir`: horizontal, L.
    """

    engines: EngineSet
    imu: wp.int32
    velocimeter: wp.int32
    altimeter: wp.int32
    solve: wp.array(dtype=wp.vec3d)
    velocimeter_B: wp.vec3d
    altimeter_B: wp.vec3d
    beam_B: wp.vec3d
    attitude: wp.vec4d
    heading: wp.vec3d
    velocity: wp.vec3d
    inertia: wp.vec3d
    arm: wp.float64
    axis_full: wp.float64
    carried_mass: wp.float64
    stage_mass: wp.float64
    gravity: wp.float64
    descent_speed: wp.float64
    separation_height: wp.float64
    extension_time: wp.float64
    deploy_time: wp.float64
    speed_gain: wp.float64
    speed_integral: wp.float64
    drift_gain: wp.float64
    tan_tilt: wp.float64
    attitude_gain: wp.float64
    rate_gain: wp.float64
    hold_time: wp.float64
    climb_time: wp.float64
    turn_time: wp.float64
    burn_time: wp.float64
    tilt: wp.float64
    fly_dir: wp.vec3d


@wp.struct
class Estimate:
    """What is known of the stage's motion.

    `R_LB`; `rate_B` [rad/s]; `velocity` [m/s], L; `height` [m] of the altimeter, NaN without a return; `passed` [s]
    since the last call.
    """

    R_LB: wp.mat33d
    rate_B: wp.vec3d
    velocity: wp.vec3d
    height: wp.float64
    passed: wp.float64


@wp.func
def read_three(readings: Readings, channel: int, run: int) -> wp.vec3d:
    """Three channels as a vector."""
    return wp.vec3d(readings.value[channel, run], readings.value[channel + 1, run], readings.value[channel + 2, run])


@wp.func
def turned(q: wp.quatd, rotation_B: wp.vec3d) -> wp.quatd:
    """An attitude after a small turn [rad] in body components."""
    half = wp.length(rotation_B) * wp.float64(0.5)
    share = wp.float64(0.5)
    if half > wp.float64(1e-8):
        share = wp.sin(half) / wp.length(rotation_B)
    v = rotation_B * share
    return wp.normalize(q * wp.quatd(v[0], v[1], v[2], wp.cos(half)))


@wp.func
def navigate(
    f: wp.ref[SkyCraneParams], readings: Readings, memory: wp.array2d(dtype=wp.float64), t: wp.float64, run: int
) -> Estimate:
    """What the readings say of the motion; the memory is brought up to date."""
    out = Estimate()
    out.rate_B = read_three(readings, f.imu + 3, run)
    q = wp.quatd(f.attitude[0], f.attitude[1], f.attitude[2], f.attitude[3])
    velocity = f.velocity
    if not wp.isnan(memory[SLOT_LAST, run]):
        out.passed = t - memory[SLOT_LAST, run]
        q = wp.quatd(memory[0, run], memory[1, run], memory[2, run], memory[3, run])
        before = wp.vec3d(memory[SLOT_RATE, run], memory[SLOT_RATE + 1, run], memory[SLOT_RATE + 2, run])
        q = turned(q, (before + out.rate_B) * (wp.float64(0.5) * out.passed))
        velocity = wp.vec3d(memory[SLOT_VELOCITY, run], memory[SLOT_VELOCITY + 1, run], memory[SLOT_VELOCITY + 2, run])
    out.R_LB = wp.quat_to_matrix(q)
    pull = out.R_LB * read_three(readings, f.imu, run) - wp.vec3d(wp.float64(0.0), wp.float64(0.0), f.gravity)
    out.velocity = velocity + pull * out.passed
    measured = wp.vec3d()
    i = int(0)
    while i < f.solve.shape[0]:
        measured -= f.solve[i] * readings.value[f.velocimeter + i, run]
        i += 1
    if wp.isfinite(wp.length_sq(measured)):
        out.velocity = out.R_LB * (measured - wp.cross(out.rate_B, f.velocimeter_B))
    beam = out.R_LB * f.beam_B
    out.height = -readings.value[f.altimeter, run] * beam[2]
    for k in range(4):
        memory[k, run] = q[k]
    for k in range(3):
        memory[SLOT_RATE + k, run] = out.rate_B[k]
        memory[SLOT_VELOCITY + k, run] = out.velocity[k]
    memory[SLOT_LAST, run] = t
    return out


@wp.func
def stay_time(f: wp.ref[SkyCraneParams], phase: int) -> wp.float64:
    """How long a phase lasts [s] that ends by time."""
    if phase == EXTENSION:
        return f.extension_time
    if phase == DEPLOY:
        return f.deploy_time
    if phase == CUT:
        return f.hold_time
    if phase == CLIMB:
        return f.climb_time
    if phase == TURN:
        return f.turn_time
    if phase == FLYAWAY:
        return f.burn_time
    return wp.float64(1.0e300)


@wp.func
def sequence(
    f: wp.ref[SkyCraneParams], height: wp.float64, landed: wp.float64, commands: Commands, t: wp.float64, run: int
):
    """Goes on to the next phase when its condition is met, and commands what begins with it."""
    phase = commands.phase[run]
    since = commands.memory[SLOT_SINCE, run]
    cause = int(-1)
    if wp.isnan(since):
        commands.memory[SLOT_SINCE, run] = t
        since = t
        commands.cause[run] = BY_START
    if phase == DESCENT and height <= f.separation_height:
        cause = BY_HEIGHT
    if phase == READY and not wp.isnan(landed):
        cause = BY_TRIGGER
    if t - since >= stay_time(f, phase) * STAY_SLACK:
        cause = BY_TIME
    if cause >= 0:
        commands.phase[run] = phase + 1
        commands.cause[run] = cause
        commands.memory[SLOT_SINCE, run] = t
        i = int(0)
        while i < commands.cut.shape[0]:
            if phase == DESCENT:
                commands.release[i, run] = 1
            if phase == READY:
                commands.cut[i, run] = 1
            i += 1
        if phase == DEPLOY:
            commands.armed[run] = 1
        if phase == READY:
            commands.memory[SLOT_INTEGRAL, run] = wp.float64(0.0)


@wp.func
def level_force(f: wp.ref[SkyCraneParams], now: Estimate, phase: int, commands: Commands, run: int) -> wp.vec3d:
    """Force [N], L, that holds the vertical speed wanted in a phase and stops horizontal motion."""
    mass = f.carried_mass
    speed = -f.descent_speed
    if phase >= CUT:
        mass = f.stage_mass
        speed = wp.float64(0.0)
    error = speed - now.velocity[2]
    commands.memory[SLOT_INTEGRAL, run] += error * now.passed
    up = f.gravity + f.speed_gain * error + f.speed_integral * commands.memory[SLOT_INTEGRAL, run]
    aside = wp.vec3d(now.velocity[0], now.velocity[1], wp.float64(0.0)) * (-f.drift_gain)
    limit = f.tan_tilt * f.gravity
    if wp.length(aside) > limit:
        aside *= limit / wp.length(aside)
    return wp.vec3d(aside[0], aside[1], up) * mass


@wp.func
def steer_sky_crane(
    f: wp.ref[SkyCraneParams], readings: Readings, landed: wp.float64, commands: Commands, t: wp.float64, run: int
):
    """One call of the flight software."""
    now = navigate(f, readings, commands.memory, t, run)
    sequence(f, now.height, landed, commands, t, run)
    phase = commands.phase[run]
    R_BL = wp.transpose(now.R_LB)
    up = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0))
    axis = up
    turning = wp.vec3d()
    thrust = f.axis_full
    if phase <= CUT:
        force = level_force(f, now, phase, commands, run)
        axis = wp.normalize(force)
        thrust = wp.dot(force, now.R_LB * up)
    if phase >= TURN:
        angle = f.tilt
        if phase == TURN:
            angle = f.tilt * (t - commands.memory[SLOT_SINCE, run]) / f.turn_time
            turning = wp.cross(up, f.fly_dir) * (f.tilt / f.turn_time)
        axis = up * wp.cos(angle) + f.fly_dir * wp.sin(angle)
    axis_B = R_BL * axis
    heading_B = R_BL * f.heading
    error = wp.vec3d(-axis_B[1], axis_B[0], heading_B[1])
    spin_up = error * f.attitude_gain + (R_BL * turning - now.rate_B) * f.rate_gain
    moment = wp.cw_mul(f.inertia, spin_up) / f.arm
    wanted = wp.vec4d(thrust, moment[0], moment[1], moment[2])
    used = usable(f.engines, t)
    if phase >= COAST:
        used = wp.uint64(0)
        wanted = wp.vec4d()
    missing = allocate(f.engines, used, wanted, commands.throttle, run)
    commands.shortfall[run] = wp.max(commands.shortfall[run], missing)
    i = int(0)
    while i < f.engines.low.shape[0]:
        commands.throttle[i, run] = commands.throttle[i, run] / f.engines.high[i]
        i += 1


FLIGHT_SKY_CRANE = FlightModel("sky-crane", SkyCraneParams, steer_sky_crane, N_MEMORY, PHASES, CAUSES)

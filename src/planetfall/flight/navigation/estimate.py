"""Navigation: what a controller concludes from its readings about the motion of the vehicle that it flies.

With a navigator, attitude, velocity and position are its. Without one, attitude by integrating the gyroscopes from a
known start; velocity from the velocimeter's beams, or by the
accelerometers while a beam has no return; position by integrating the velocity, but for the height, which the altimeter
gives. Gravity is the controller's own: uniform, that of a point mass, or both, with the centrifugal and Coriolis
accelerations of a frame that turns.
"""

from functools import lru_cache

import numpy as np
import warp as wp

from planetfall.flight.navigation.memory import (
    SLOT_INTEGRAL,
    SLOT_LAST,
    SLOT_MASS,
    SLOT_POSITION,
    SLOT_RATE,
    SLOT_VELOCITY,
    remember,
    remembered,
)
from planetfall.flight.readings import Readings


@wp.struct
class KnownGravity:
    """Gravity as a controller knows it, surface frame.

    `uniform` [m/s^2]; `gm` [m^3/s^2] of a point mass at `center` [m]; `spin` [rad/s] of the frame about the centre.
    """

    uniform: wp.vec3d
    gm: wp.float64
    center: wp.vec3d
    spin: wp.vec3d


@wp.func
def effective_gravity(known: KnownGravity, position: wp.vec3d, velocity: wp.vec3d) -> wp.vec3d:
    """Acceleration [m/s^2] of what flies freely, in the turning frame: g - 2 W x v - W x (W x r)."""
    r = position - known.center
    out = known.uniform
    if known.gm > wp.float64(0.0):
        distance = wp.length(r)
        out -= r * (known.gm / (distance * distance * distance))
    return out - wp.cross(known.spin, wp.cross(known.spin, r) + velocity * wp.float64(2.0))


@wp.struct
class NavigationParams:
    """What navigation knows.

    `imu`, `velocimeter`, `altimeter`, `navigator`: first channels, -1 for none; `solve` [beam]: rows that turn beam
    speeds into velocity; `velocimeter_B` [m] and `beam_B` of the altimeter in the body frame; `attitude`, `velocity`
    [m/s], `position` [m] and `mass` [kg] at the start; `up` and `site` [m] of the landing; `gravity`.
    """

    imu: wp.int32
    velocimeter: wp.int32
    altimeter: wp.int32
    navigator: wp.int32
    solve: wp.array(dtype=wp.vec3d)
    velocimeter_B: wp.vec3d
    beam_B: wp.vec3d
    attitude: wp.vec4d
    velocity: wp.vec3d
    position: wp.vec3d
    mass: wp.float64
    up: wp.vec3d
    site: wp.vec3d
    gravity: KnownGravity


@wp.struct
class Estimate:
    """What is known of the vehicle's motion, surface frame.

    `R_LB`; `rate_B` [rad/s]; `velocity` [m/s]; `place` [m] from the site, along `up` the altimeter's height where it
    has a return; `height` [m] of the altimeter, NaN without a return; `gravity` [m/s^2], effective; `mass` [kg];
    `passed` [s] since the last call; `position` [m] as navigated, without the altimeter;
    `sensed` [m/s^2]: specific force.
    """

    R_LB: wp.mat33d
    rate_B: wp.vec3d
    velocity: wp.vec3d
    place: wp.vec3d
    height: wp.float64
    up: wp.vec3d
    gravity: wp.vec3d
    mass: wp.float64
    passed: wp.float64
    position: wp.vec3d
    sensed: wp.vec3d


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
def start_memory(f: wp.ref[NavigationParams], memory: wp.array2d(dtype=wp.float64), run: int):
    """What is known before the first call."""
    for k in range(4):
        memory[k, run] = f.attitude[k]
    remember(memory, SLOT_VELOCITY, run, f.velocity)
    remember(memory, SLOT_POSITION, run, f.position)
    memory[SLOT_MASS, run] = f.mass
    memory[SLOT_INTEGRAL, run] = wp.float64(0.0)


@wp.func
def measured_velocity(f: wp.ref[NavigationParams], readings: Readings, run: int) -> wp.vec3d:
    """Velocity [m/s] of the velocimeter, body components; not finite while a beam has no return."""
    out = wp.vec3d()
    i = int(0)
    while i < f.solve.shape[0]:
        out -= f.solve[i] * readings.value[f.velocimeter + i, run]
        i += 1
    return out


@wp.func
def known_attitude(f: wp.ref[NavigationParams], readings: Readings, run: int) -> wp.quatd:
    """The navigator's attitude."""
    o = f.navigator + 6
    return wp.quatd(
        readings.value[o, run], readings.value[o + 1, run], readings.value[o + 2, run], readings.value[o + 3, run]
    )


@wp.func
def navigate(
    f: wp.ref[NavigationParams], readings: Readings, flow: wp.float64, memory: wp.array2d(dtype=wp.float64),
    t: wp.float64, run: int,
) -> Estimate:  # fmt: skip
    """What the readings say of the motion; the memory is brought up to date. `flow` [kg/s] as commanded last."""
    out = Estimate()
    is_first = wp.isnan(memory[SLOT_LAST, run])
    if is_first:
        start_memory(f, memory, run)
    velocity = remembered(memory, SLOT_VELOCITY, run)
    position = remembered(memory, SLOT_POSITION, run)
    q = wp.quatd(memory[0, run], memory[1, run], memory[2, run], memory[3, run])
    sensed = read_three(readings, f.imu + 3, run)
    if is_first:
        out.rate_B = sensed - wp.quat_rotate_inv(q, f.gravity.spin)
    else:
        out.passed = t - memory[SLOT_LAST, run]
        before = remembered(memory, SLOT_RATE, run)
        out.rate_B = sensed - wp.quat_rotate_inv(turned(q, before * out.passed), f.gravity.spin)
        q = turned(q, (before + out.rate_B) * (wp.float64(0.5) * out.passed))
    if f.navigator >= 0:
        q = wp.normalize(known_attitude(f, readings, run))
        out.rate_B = sensed - wp.quat_rotate_inv(q, f.gravity.spin)
    out.R_LB = wp.quat_to_matrix(q)
    out.sensed = out.R_LB * read_three(readings, f.imu, run)
    pull = out.sensed + effective_gravity(f.gravity, position, velocity)
    out.velocity = velocity + pull * out.passed
    if f.navigator >= 0:
        out.velocity = read_three(readings, f.navigator + 3, run)
    if f.velocimeter >= 0:
        measured = measured_velocity(f, readings, run)
        if wp.isfinite(wp.length_sq(measured)):
            out.velocity = out.R_LB * (measured - wp.cross(out.rate_B, f.velocimeter_B))
    position += (velocity + out.velocity) * (wp.float64(0.5) * out.passed)
    if f.navigator >= 0:
        position = read_three(readings, f.navigator, run)
    out.position = position
    out.up = f.up
    out.place = position - f.site
    level = wp.dot(out.place, f.up)
    out.height = level
    if f.altimeter >= 0:
        out.height = -readings.value[f.altimeter, run] * wp.dot(out.R_LB * f.beam_B, f.up)
        if wp.isfinite(out.height):
            out.place += f.up * (out.height - level)
    out.gravity = effective_gravity(f.gravity, position, out.velocity)
    memory[SLOT_MASS, run] -= flow * out.passed
    out.mass = memory[SLOT_MASS, run]
    for k in range(4):
        memory[k, run] = q[k]
    remember(memory, SLOT_RATE, run, out.rate_B)
    remember(memory, SLOT_VELOCITY, run, out.velocity)
    remember(memory, SLOT_POSITION, run, position)
    memory[SLOT_LAST, run] = t
    return out


# Kept, because every run of a campaign asks for them; by bytes, because -0.0 equals 0.0.


def rank_of(rows: np.ndarray) -> int:
    """How many of some rows [n, m] are independent."""
    return _rank_of(np.ascontiguousarray(rows).tobytes(), rows.shape)


def velocity_rows(beams: np.ndarray) -> np.ndarray:
    """What to multiply the speed along each beam [beam, 3] with, [beam, 3], so that the sum is the velocity."""
    return _velocity_rows(np.ascontiguousarray(beams).tobytes())


@lru_cache
def _rank_of(content: bytes, shape: tuple[int, ...]) -> int:
    return int(np.linalg.matrix_rank(np.frombuffer(content).reshape(shape)))


@lru_cache
def _velocity_rows(beams: bytes) -> np.ndarray:
    return np.linalg.pinv(np.frombuffer(beams).reshape(-1, 3)).T.copy()

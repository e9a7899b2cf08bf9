"""The sky crane's flight software as a Python object: the logic of `flight.skycrane`, written as one wraps flight code.

It starts from the numbers that the compiled form is given, so that the two cannot be told different things.
"""

from typing import Any

import numpy as np

from planetfall.flight.allocation import share_out
from planetfall.flight.controller import Command, Seen
from planetfall.flight.skycrane import (
    BY_HEIGHT,
    BY_START,
    BY_TIME,
    BY_TRIGGER,
    CAUSES,
    CLIMB,
    COAST,
    CUT,
    DEPLOY,
    DESCENT,
    EXTENSION,
    FLYAWAY,
    PHASES,
    READY,
    TURN,
)
from planetfall.scenario.tables.run.attitude import quaternion_product, rotation_matrix

UP = np.array([0.0, 0.0, 1.0])


class SkyCrane:
    """A controller for `planetfall.run`; keeps attitude, velocity, integral and phase between calls."""

    def __init__(self, params: Any, imu: str, velocimeter: str, altimeter: str, tethers: tuple[str, ...]) -> None:
        """Takes the numbers of `flight.skycrane.SkyCraneParams`, and the names of its sensors and tethers."""
        self.f, self.imu, self.velocimeter, self.altimeter = params, imu, velocimeter, altimeter
        self.tethers = tethers
        engines = params.engines
        self.effect, self.low, self.high = engines.effect.numpy(), engines.low.numpy(), engines.high.numpy()
        self.running = engines.running.numpy().astype(bool)
        self.solve = params.solve.numpy()
        vectors = ("velocimeter_B", "beam_B", "heading", "inertia", "fly_dir")
        self.vector = {name: np.array(getattr(params, name)) for name in vectors}
        self.quaternion, self.velocity = np.array(params.attitude), np.array(params.velocity)
        self.rate, self.last = np.zeros(3), None
        self.phase, self.cause, self.since, self.integral = int(DESCENT), int(BY_START), None, 0.0
        stays = {EXTENSION: "extension", DEPLOY: "deploy", CUT: "hold", CLIMB: "climb", TURN: "turn", FLYAWAY: "burn"}
        self.stay = {phase: getattr(params, f"{name}_time") for phase, name in stays.items()}

    def command(self, seen: Seen) -> Command:
        """One call of the flight software."""
        R_LB, passed, height = self._navigate(seen)
        self._sequence(seen, height)
        axis, turning, thrust = self._aim(seen.time, R_LB, passed)
        axis_B, heading_B = R_LB.T @ axis, R_LB.T @ self.vector["heading"]
        error = np.array([-axis_B[1], axis_B[0], heading_B[1]])
        spin_up = error * self.f.attitude_gain + (R_LB.T @ turning - self.rate) * self.f.rate_gain
        moment = self.vector["inertia"] * spin_up / self.f.arm
        is_whole = bool(np.all(seen.engine_works[self.running]))
        used = self.running if is_whole else seen.engine_works
        wanted = np.array([thrust, *moment])
        if self.phase >= COAST:
            used, wanted = np.zeros(len(self.low), dtype=bool), np.zeros(4)
        thrusts, missing = share_out(self.effect, self.low, self.high, used, wanted)
        return Command(
            throttles=thrusts / self.high,
            release=self.tethers if self.phase >= EXTENSION else (),
            cut=self.tethers if self.phase >= CUT else (),
            phase=PHASES[self.phase],
            cause=CAUSES[self.cause],
            is_armed=self.phase >= READY,
            shortfall=missing,
        )

    def _navigate(self, seen: Seen) -> tuple[np.ndarray, float, float]:
        """Attitude matrix, time since the last call [s] and height [m]; rate and velocity are brought up to date."""
        force, rate = seen.sensors[self.imu][:3], seen.sensors[self.imu][3:]
        passed = 0.0 if self.last is None else seen.time - self.last
        if self.last is not None:
            self.quaternion = _turned(self.quaternion, (self.rate + rate) * (0.5 * passed))
        R_LB = rotation_matrix(self.quaternion)
        self.velocity = self.velocity + (R_LB @ force - UP * self.f.gravity) * passed
        measured = -self.solve.T @ seen.sensors[self.velocimeter]
        if np.all(np.isfinite(measured)):
            self.velocity = R_LB @ (measured - _cross(rate, self.vector["velocimeter_B"]))
        self.rate, self.last = rate, seen.time
        return R_LB, passed, -float(seen.sensors[self.altimeter][0]) * float((R_LB @ self.vector["beam_B"])[2])

    def _sequence(self, seen: Seen, height: float) -> None:
        """Goes on to the next phase when its condition is met."""
        self.since = seen.time if self.since is None else self.since
        cause = None
        if self.phase == DESCENT and height <= self.f.separation_height:
            cause = BY_HEIGHT
        if self.phase == READY and seen.landed:
            cause = BY_TRIGGER
        if seen.time - self.since >= self.stay.get(self.phase, np.inf) * (1.0 - 1e-9):
            cause = BY_TIME
        if cause is not None:
            if self.phase == READY:
                self.integral = 0.0
            self.phase, self.cause, self.since = self.phase + 1, int(cause), seen.time

    def _aim(self, time: float, R_LB: np.ndarray, passed: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Direction of the axis, L, its rate of turning [rad/s], L, and thrust along the axis [N]."""
        f, fly = self.f, self.vector["fly_dir"]
        if self.phase <= CUT:
            force = self._level_force(passed)
            return force / np.linalg.norm(force), np.zeros(3), float(force @ R_LB @ UP)
        if self.phase < TURN:
            return UP, np.zeros(3), f.axis_full
        angle, turning = f.tilt, np.zeros(3)
        if self.phase == TURN:
            angle = f.tilt * (time - (self.since or 0.0)) / f.turn_time
            turning = _cross(UP, fly) * (f.tilt / f.turn_time)
        return UP * np.cos(angle) + fly * np.sin(angle), turning, f.axis_full

    def _level_force(self, passed: float) -> np.ndarray:
        """Force [N], L, that holds the vertical speed wanted in a phase and stops horizontal motion."""
        f = self.f
        mass, speed = (f.stage_mass, 0.0) if self.phase >= CUT else (f.carried_mass, -f.descent_speed)
        error = speed - self.velocity[2]
        self.integral += error * passed
        up = f.gravity + f.speed_gain * error + f.speed_integral * self.integral
        aside = -f.drift_gain * self.velocity[:2]
        limit, size = f.tan_tilt * f.gravity, float(np.linalg.norm(aside))
        if size > limit:
            aside = aside * (limit / size)
        return np.array([aside[0], aside[1], up]) * mass


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of two vectors; `np.cross` takes thirty times as long to find out what it was given."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _turned(quaternion: np.ndarray, rotation_B: np.ndarray) -> np.ndarray:
    """An attitude after a small turn [rad] in body components."""
    angle = float(np.linalg.norm(rotation_B))
    share = np.sin(0.5 * angle) / angle if angle > 2e-8 else 0.5
    out = quaternion_product(quaternion, np.append(rotation_B * share, np.cos(0.5 * angle)))
    return out / np.linalg.norm(out)

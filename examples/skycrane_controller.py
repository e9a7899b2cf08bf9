"""The sky crane's flight software in Python, as one wraps flight code: own navigation, own guidance, phases as objects.

    python examples/skycrane_controller.py

flies `msl-skycrane` with it and prints the timeline. Its numbers are those of the scenario's own `[[flight.phases]]`,
so that both can be compared: they land within a nanometre of each other.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import planetfall
from planetfall import Scenario
from planetfall.flight.allocation import share_out
from planetfall.flight.controller import Seen
from planetfall.flight.navigation.estimate import velocity_rows
from planetfall.flight.phased import Phase, PhasedController, Trigger, after, landed
from planetfall.flight.sequence.mount_sequence import engine_rows
from planetfall.scenario.tables.run.attitude import quaternion_product, rotation_matrix

UP = np.array([0.0, 0.0, 1.0])


class SkyCrane:
    """Navigation, control and allocation of the descent stage; what it keeps between calls is its own."""

    def __init__(self, scenario: Scenario) -> None:
        """Takes its numbers from a scenario whose flight is a sequence."""
        sequence = scenario.flight.sequence
        body = scenario.body_index(sequence.body)
        stage, start = scenario.vehicles[body], scenario.companions[body - 1].initial
        sensors = {sensor.name: sensor for sensor in scenario.sensors}
        self.imu, self.radar, self.altimeter = sequence.imu, sequence.velocimeter, sequence.altimeter
        self.radar_B, self.beam_B = np.array(sensors[self.radar].position), np.array(sensors[self.altimeter].beam)
        self.solve = velocity_rows(np.array(sensors[self.radar].beams))
        rows = engine_rows(stage.engines)
        self.effect, self.high, self.arm = rows.effect, rows.high, rows.arm
        self.low = np.array([engine.thrust_min for engine in stage.engines])
        self.running = np.array([name in sequence.engines for name in rows.names])
        self.inertia = np.diag(np.asarray(stage.inertia))
        self.gravity, self.delay = sequence.gravity, sequence.failure_delay
        self.attitude_gain, self.rate_gain = sequence.attitude_gain, sequence.rate_gain
        self.quaternion, self.velocity = np.array(start.attitude or (0.0, 0.0, 0.0, 1.0)), np.array(start.velocity)
        ahead = rotation_matrix(self.quaternion)[:, 0] * [1.0, 1.0, 0.0]
        self.heading = ahead / np.linalg.norm(ahead)
        self.rate, self.R_LB, self.height, self.passed = np.zeros(3), np.eye(3), np.inf, 0.0
        self.integral, self.last_time = 0.0, None
        self.failed_since = np.full(len(rows.names), np.inf)

    def observe(self, seen: Seen, passed: float) -> None:
        """Attitude by the gyroscopes, velocity by the radar or the accelerometers, height by the altimeter."""
        force, rate = seen.sensors[self.imu][:3], seen.sensors[self.imu][3:]
        if self.last_time is not None:
            self.quaternion = _turned(self.quaternion, (self.rate + rate) * (0.5 * passed))
        self.R_LB = rotation_matrix(self.quaternion)
        self.velocity = self.velocity + (self.R_LB @ force - UP * self.gravity) * passed
        measured = -self.solve.T @ seen.sensors[self.radar]
        if np.all(np.isfinite(measured)):
            self.velocity = self.R_LB @ (measured - np.cross(rate, self.radar_B))
        self.height = -float(seen.sensors[self.altimeter][0]) * float((self.R_LB @ self.beam_B)[2])
        self.failed_since = np.where(seen.engine_works, np.inf, np.minimum(self.failed_since, seen.time))
        self.rate, self.passed, self.last_time = rate, passed, seen.time

    def hold_velocity(self, guidance: Any, mass: float, is_reset: bool = False) -> Callable[[Seen, float], np.ndarray]:
        """Guidance that holds a speed of descent and stops horizontal motion."""
        limit = np.tan(np.radians(guidance.tilt_limit_deg)) * self.gravity

        def throttles(seen: Seen, elapsed: float) -> np.ndarray:
            if is_reset and elapsed == 0.0:
                self.integral = 0.0
            error = -guidance.speed - self.velocity[2]
            self.integral += error * self.passed
            lift = self.gravity + guidance.speed_gain * error + guidance.speed_integral * self.integral
            aside = -guidance.drift_gain * self.velocity[:2]
            size = float(np.linalg.norm(aside))
            aside = aside * (limit / size) if size > limit else aside
            force = np.array([aside[0], aside[1], lift]) * mass
            return self._throttles(seen, force / np.linalg.norm(force), np.zeros(3), float(force @ self.R_LB @ UP))

        return throttles

    def hold_attitude(self, guidance: Any) -> Callable[[Seen, float], np.ndarray]:
        """Guidance that points the axis, or turns it evenly, at a share of the largest thrust."""
        azimuth, tilt = np.radians(guidance.azimuth_deg), np.radians(guidance.tilt_deg)
        towards = np.array([np.sin(azimuth), np.cos(azimuth), 0.0])
        begin = tilt if guidance.tilt_from_deg is None else np.radians(guidance.tilt_from_deg)
        thrust = guidance.share * float(np.sum((self.effect[:, 0] * self.high)[self.running]))

        def throttles(seen: Seen, elapsed: float) -> np.ndarray:
            share = min(elapsed / guidance.turn_time, 1.0)
            rate = (tilt - begin) / guidance.turn_time if share < 1.0 else 0.0
            angle = begin + (tilt - begin) * share
            axis = UP * np.cos(angle) + towards * np.sin(angle)
            return self._throttles(seen, axis, np.cross(UP, towards) * rate, thrust)

        return throttles

    def off(self, seen: Seen, elapsed: float) -> np.ndarray:
        """Guidance of a coast."""
        return np.zeros(len(self.low))

    def _throttles(self, seen: Seen, axis: np.ndarray, turning: np.ndarray, thrust: float) -> np.ndarray:
        """Turns the axis by a PD law and shares force and moments among the engines."""
        axis_B, heading_B = self.R_LB.T @ axis, self.R_LB.T @ self.heading
        error = np.array([-axis_B[1], axis_B[0], heading_B[1]])
        spin_up = error * self.attitude_gain + (self.R_LB.T @ turning - self.rate) * self.rate_gain
        works = seen.time < self.failed_since + self.delay
        used = self.running if np.all(works[self.running]) else works
        wanted = np.array([thrust, *(self.inertia * spin_up / self.arm)])
        return share_out(self.effect, self.low, self.high, used, wanted)[0] / self.high


def sky_crane(scenario: Scenario) -> PhasedController:
    """The phases of `msl-skycrane` as objects."""
    crane = SkyCrane(scenario)
    descent, extension, deploy, ready, cut, climb, turn, flyaway, coast = scenario.flight.sequence.phases
    carried = crane.hold_velocity(descent.guidance, descent.mass)
    separation = descent.ends[0].height_below
    names = tuple(tether.name for tether in scenario.tethers)
    low = Trigger("height reached", lambda seen, elapsed: crane.height <= separation)
    phases = [
        Phase(descent.name, carried, [low]),
        Phase(extension.name, carried, [after(extension.ends[0].after)], release=names),
        Phase(deploy.name, carried, [after(deploy.ends[0].after)]),
        Phase(ready.name, carried, [landed()], arm=True),
        Phase(cut.name, crane.hold_velocity(cut.guidance, cut.mass, True), [after(cut.ends[0].after)], cut=names),
        Phase(climb.name, crane.hold_attitude(climb.guidance), [after(climb.ends[0].after)]),
        Phase(turn.name, crane.hold_attitude(turn.guidance), [after(turn.ends[0].after)]),
        Phase(flyaway.name, crane.hold_attitude(flyaway.guidance), [after(flyaway.ends[0].after)]),
        Phase(coast.name, crane.off),
    ]
    return PhasedController(phases, crane.observe)


def _turned(quaternion: np.ndarray, rotation_B: np.ndarray) -> np.ndarray:
    """An attitude after a small turn [rad] in body components."""
    angle = float(np.linalg.norm(rotation_B))
    share = np.sin(0.5 * angle) / angle if angle > 2e-8 else 0.5
    out = quaternion_product(quaternion, np.append(rotation_B * share, np.cos(0.5 * angle)))
    return out / np.linalg.norm(out)


def main() -> None:
    """Flies it."""
    scenario = planetfall.load("msl-skycrane")
    own = scenario.with_values({"flight": {"controller": "own", "rate": scenario.flight.rate}})
    run = planetfall.run(own, controller=sky_crane(scenario))
    for phase in run.summary["phases"]:
        print(f"{phase['begins_s']:9.3f} s  {phase['name']:<20} {phase['cause']}")
    print(run.summary["outcome"])


if __name__ == "__main__":
    main()

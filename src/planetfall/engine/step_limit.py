"""The longest step that explicit RK4 can take in contact: stiffness, damping and the slope of the friction table.

The contact is linearised about the initial attitude. A mode with inverse mass `w` feels the normal spring-damper as
s^2 + C w s + K w = 0 and friction as s + D w = 0, D = (mu1/V1) N; all of h s must lie where RK4 damps. N is the load at
impact, not at rest: points whose gaps differ by less than the depth of the impact land together, at the normal speed
of a ballistic fall, and their n spring-dampers stop the mass that they feel; the peak has a closed form. A vehicle that
turns on its way down may land on any of its points, so they all count as one such group.
"""

from dataclasses import dataclass

import numpy as np

from planetfall.contact.stiffness import MarkerCoefficients, marker_coefficients
from planetfall.errors import InputError
from planetfall.scenario.attitude import rotation_matrix
from planetfall.scenario.scenario import Scenario
from planetfall.world.gravity.field import acceleration_at
from planetfall.world.terrain.surface import Surface

REAL_LIMIT = 2.7852935634
"""Where RK4's stability interval ends on the negative real axis."""
MAX_STEPS = 2_000_000_000
"""Steps of one run that a 32-bit counter holds."""
TURN_LIMIT = 0.1
"""Turn [rad] before the first touch beyond which any point may land first."""


@dataclass(frozen=True)
class StepLimit:
    """Longest stable steps [s] for the spring-damper and for friction, and the impact speed [m/s] they assume."""

    spring_damper: float
    friction: float
    impact_speed: float

    @property
    def step(self) -> float:
        """The shorter of the two [s]."""
        return min(self.spring_damper, self.friction)


def check_step(scenario: Scenario, state: np.ndarray, surface: Surface) -> None:
    """Refuses a fixed step beyond the limit, with the step to use, and one so short that steps cannot be counted."""
    method = scenario.integrator
    if method.method != "rk4":
        return
    if scenario.scenario.duration / method.step > MAX_STEPS:
        shortest = scenario.scenario.duration / MAX_STEPS
        raise InputError(
            "integrator.step", f"{method.step:g} s is too short", f"at least {shortest:.2g} s for this duration"
        )
    if method.accept_step or not scenario.vehicle.points:
        return
    limit = step_limit(scenario, state, surface)
    if method.step > limit.step:
        cause = "contact.breakaway_speed" if limit.friction < limit.spring_damper else "contact stiffness and damping"
        raise InputError(
            "integrator.step",
            f"{method.step:g} s is too long for {cause} at an impact of {limit.impact_speed:.3g} m/s",
            f"RK4 is stable up to {limit.step:.3g} s here",
            f"use integrator.step = {_round_down(limit.step):g}, or integrator.method = 'adaptive', "
            "or integrator.accept_step = true to run it all the same",
        )


def step_limit(scenario: Scenario, state: np.ndarray, surface: Surface) -> StepLimit:
    """The longest stable steps for a scenario that starts in a state (13,)."""
    vehicle = scenario.vehicle
    gravity = acceleration_at(scenario, state[:3])
    law = marker_coefficients(scenario.contact, vehicle.mass, len(vehicle.points), float(np.linalg.norm(gravity)))
    points = np.array([point.position for point in vehicle.points])
    R_SB = rotation_matrix(state[6:10])
    gaps, normals, _ = surface.ask(state[:3] + points @ R_SB.T)
    normal_S = normals[int(np.argmin(gaps))]
    slope = law.friction_breakaway / scenario.contact.breakaway_speed
    inertia, frictions, speeds = np.asarray(vehicle.inertia), [], []
    for group in _landing_groups(gaps, normal_S, gravity, state, points, vehicle.mass, law.stiffness):
        speed = _impact_speed(float(gaps[group].max()), normal_S, gravity, state, points)
        felt = _felt_mass(vehicle.mass, inertia, points[group], R_SB.T @ normal_S)
        load = _impact_load(speed, felt, len(group), law) + vehicle.mass * float(np.linalg.norm(gravity))
        _, w_tangent = _modes(vehicle.mass, inertia, points[group], R_SB.T @ normal_S)
        frictions.append(REAL_LIMIT * len(group) / (slope * load * w_tangent) if slope * load > 0 else np.inf)
        speeds.append(speed)
    w_normal, _ = _modes(vehicle.mass, inertia, points, R_SB.T @ normal_S)
    worst = int(np.argmin(frictions))
    return StepLimit(
        spring_damper=_spring_damper_limit(law.stiffness * w_normal, law.damping * w_normal),
        friction=frictions[worst],
        impact_speed=speeds[worst],
    )


def _landing_groups(
    gaps: np.ndarray, normal: np.ndarray, gravity: np.ndarray, state: np.ndarray, points: np.ndarray, mass: float,
    stiffness: float,
) -> list[np.ndarray]:  # fmt: skip
    """Indices of the points that land together, group after group."""
    fall = float(-gravity @ normal)
    speed = _impact_speed(float(gaps.min()), normal, gravity, state, points)
    time_to_touch = 2.0 * max(float(gaps.min()), 0.0) / speed if speed > 0 else 0.0
    if np.linalg.norm(state[10:13]) * time_to_touch > TURN_LIMIT or fall <= 0:
        return [np.arange(len(points))]
    depth = speed * np.sqrt(mass / (len(points) * stiffness))
    order = np.argsort(gaps)
    breaks = np.flatnonzero(np.diff(gaps[order]) > depth) + 1
    return np.split(order, breaks)


def _felt_mass(mass: float, inertia: np.ndarray, points: np.ndarray, normal: np.ndarray) -> float:
    """Mass [kg] that points sharing one normal push equally feel: 1/(1/m + t I^-1 t), t the push's mean lever arm."""
    lever = np.cross(points.mean(axis=0), normal)
    return float(1.0 / (1.0 / mass + lever @ np.linalg.solve(inertia, lever)))


def _modes(mass: float, inertia: np.ndarray, points: np.ndarray, normal: np.ndarray) -> tuple[float, float]:
    """Largest inverse modal masses [1/kg] along the normal and across it, all given points on the ground."""
    inverse = np.zeros((6, 6))
    inverse[:3, :3] = np.eye(3) / mass
    inverse[3:, 3:] = np.linalg.inv(inertia)
    along = np.outer(normal, normal)
    largest = []
    for projector in (along, np.eye(3) - along):
        jacobians = [np.hstack([np.eye(3), -_cross(r)]) for r in points]
        total = sum(jacobian.T @ projector @ jacobian for jacobian in jacobians)
        largest.append(float(np.max(np.linalg.eigvals(inverse @ total).real)))
    return largest[0], largest[1]


def _impact_speed(gap: float, normal: np.ndarray, gravity: np.ndarray, state: np.ndarray, points: np.ndarray) -> float:
    """Normal speed [m/s] with which a ballistic fall closes a gap, plus that of the turning."""
    fall = float(-gravity @ normal)
    squared = float(state[3:6] @ normal) ** 2 + 2.0 * fall * max(gap, 0.0)
    return np.sqrt(max(squared, 0.0)) + float(np.linalg.norm(state[10:13]) * np.max(np.linalg.norm(points, axis=1)))


def _impact_load(speed: float, mass: float, n_points: int, law: MarkerCoefficients) -> float:
    """Peak normal force [N] of a mass that hits n spring-dampers at once, in closed form."""
    stiffness, damping = n_points * law.stiffness, n_points * law.damping
    ratio = damping / (2.0 * np.sqrt(stiffness * mass))
    if ratio >= 0.5:  # the damper's first push is the largest
        return damping * speed
    phase = np.arccos(ratio) - 2.0 * np.arcsin(ratio)
    return speed * np.sqrt(stiffness * mass) * np.exp(-ratio * phase / np.sqrt(1.0 - ratio**2))


def _spring_damper_limit(stiffness_rate: float, damping_rate: float) -> float:
    """Longest step [s] for which RK4 damps s^2 + damping_rate s + stiffness_rate = 0."""
    roots = np.roots([1.0, damping_rate, stiffness_rate])
    low, high = 0.0, 3.0 / np.min(np.abs(roots))
    for _ in range(60):
        middle = 0.5 * (low + high)
        z = middle * roots
        grows = np.abs(1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24) > 1.0
        low, high = (low, middle) if np.any(grows) else (middle, high)
    return low


def _round_down(value: float) -> float:
    """Two significant digits, towards zero."""
    scale = 10.0 ** (np.floor(np.log10(value)) - 1)
    return float(np.floor(value / scale) * scale)


def _cross(r: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])

"""The longest step that explicit RK4 can take in contact: stiffness, damping and the slope of the friction table.

The contact is linearised about the initial attitude. A mode with inverse mass `w` feels the normal spring-damper as
s^2 + C w s + K w = 0 and friction as s + D w = 0, D = (mu1/V1) N; all of h s must lie where RK4 damps. N is the load at
impact, not at rest: points whose gaps differ by less than the depth of the impact land together, at the normal speed
of a ballistic fall, and their n spring-dampers stop the mass that they feel. A vehicle that turns on its way down may
land on any of its points, so they all count as one such group. Points that start in the ground are loaded by their
depth, which may be many times what any impact does: they count as a group of their own, each with its load and its
normal. Where the ground stiffens with depth, K and C are those at the depth that one point reaches which takes the
whole impact alone. What a law is like, its record says (`contact.model.ContactLaw`), and how hard and how deep an
impact is (`contact.normal_response`).
"""

from dataclasses import dataclass

import numpy as np

from planetfall.contact.laws import coefficients_of, law_named
from planetfall.contact.normal_response import NormalResponse, SlidingPoints
from planetfall.engine.checks.flight_start import at_the_site
from planetfall.errors import InputError
from planetfall.flight.sequence.phase_steps import shortest_step
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.scenario.tables.vehicle.vehicle import Vehicle
from planetfall.world.gravity.field import acceleration_at, weighed_at
from planetfall.world.terrain.model import GROUND_OK
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
    if scenario.scenario.duration / shortest_step(scenario) > MAX_STEPS:
        raise _too_many_steps(scenario, state, surface)
    if method.accept_step or not scenario.vehicle.points:
        return
    limit, step = step_limit(scenario, state, surface), shortest_step(scenario)
    if step > limit.step:
        keys = law_named(scenario.contact.law).friction_keys
        cause = keys if limit.friction < limit.spring_damper else "contact stiffness and damping"
        cause = f"{cause} at an impact of {limit.impact_speed:.3g} m/s"
        raise step_refused(scenario, step, limit.step, cause, "soften the contact")


def _too_many_steps(scenario: Scenario, state: np.ndarray, surface: Surface) -> InputError:
    """More steps than are counted: a longer one is advised where it is stable, else a shorter duration."""
    step, duration = shortest_step(scenario), scenario.scenario.duration
    longer = 1.1 * duration / MAX_STEPS
    is_stable = not scenario.vehicle.points or longer <= step_limit(scenario, state, surface).step
    other = ", or integrator.method = 'adaptive'" if scenario.runs_adaptively else ""
    use = f"integrator.step = {longer:.2g}" if is_stable else f"scenario.duration = {round_down(step * MAX_STEPS):g}"
    return InputError(
        "integrator.step", f"{step:g} s makes {duration / step:.3g} steps of {duration:g} s", f"at most {MAX_STEPS}",
        f"use {use}{other}",
    )  # fmt: skip


def step_refused(scenario: Scenario, step: float, longest: float, cause: str, soften: str) -> InputError:
    """A fixed step [s] too long for a cause, given the longest stable one [s], and what makes that longer."""
    own, shortest = round_down(longest), scenario.scenario.duration / MAX_STEPS
    other = ", or integrator.method = 'adaptive'" if scenario.runs_adaptively else ""
    advice = f"use integrator.step = {own:g}, better half of it (--check tells the error){other}"
    if own <= shortest:  # no method gets through what is as stiff as that
        advice = f"{soften}: no step of {shortest:.2g} s or longer is stable"
    return InputError(
        "integrator.step", f"{step:g} s is too long for {cause}",
        f"at most {longest:.3g} s, up to which RK4 is stable here, but not accurate",
        f"{advice}, or integrator.accept_step = true to run it all the same",
    )  # fmt: skip


def step_limit(scenario: Scenario, state: np.ndarray, surface: Surface) -> StepLimit:
    """The longest stable steps for a scenario that starts in a state (13,)."""
    vehicle, hub, state = scenario.vehicle, scenario.vehicle.hub, at_the_site(scenario, state, surface)
    gravity = acceleration_at(scenario, weighed_at(scenario, state[:3]))
    law = law_named(scenario.contact.law)
    weight = vehicle.mass * float(np.linalg.norm(gravity))
    response = coefficients_of(scenario, float(np.linalg.norm(gravity)))
    R_SB = rotation_matrix(state[6:10])
    gaps, normals, statuses = surface.ask(state[:3] + vehicle.tips @ R_SB.T)
    is_over = statuses == int(GROUND_OK)  # a point beyond the edge of a map, or over a hole, has no gap
    if not np.any(is_over):
        return StepLimit(np.inf, np.inf, 0.0)
    points, gaps, normals = (vehicle.tips - hub.center)[is_over], gaps[is_over], normals[is_over]
    normal_S = normals[int(np.argmin(gaps))]
    frictions: list[float] = []
    speeds: list[float] = []
    loads: list[float] = []
    for group in landing_groups(gaps, normal_S, gravity, state, points, vehicle.mass, response):
        speed = impact_speed(float(gaps[group].max()), normal_S, gravity, state, points)
        felt = felt_mass(vehicle.mass, np.asarray(vehicle.inertia), points[group], R_SB.T @ normal_S)
        load = response.peak_load(speed, felt, len(group)) + weight
        _, w_tangent = _modes(hub.mass, hub.inertia, points[group], R_SB.T @ normal_S)
        rate = law.friction_rate(scenario.contact, SlidingPoints(vehicle, len(group), load, w_tangent))
        frictions.append(REAL_LIMIT / rate if rate > 0 else np.inf)
        speeds.append(speed)
        loads.append(load)
    if np.any(gaps < 0.0):
        buried = _loaded_at_start(gaps, normals, state, points, vehicle, response)
        rate = law.friction_rate(scenario.contact, buried)
        frictions.append(REAL_LIMIT / rate if rate > 0 else np.inf)
        speeds.append(max(speeds))
        loads.append(buried.load)
    across = law.holds_sideways
    w_normal, _ = _modes(hub.mass, hub.inertia, points, np.zeros(3) if across else R_SB.T @ normal_S, across)
    worst = int(np.argmin(frictions))
    deepest = max(-float(gaps.min()), response.impact_depth(max(speeds), vehicle.mass, 1, weight))
    slopes = response.tangent(deepest, max(loads))
    return StepLimit(
        spring_damper=spring_damper_limit(slopes.stiffness * w_normal, slopes.damping * w_normal),
        friction=frictions[worst],
        impact_speed=speeds[worst],
    )


def _loaded_at_start(
    gaps: np.ndarray, normals: np.ndarray, state: np.ndarray, points: np.ndarray, vehicle: Vehicle,
    response: NormalResponse,
) -> SlidingPoints:  # fmt: skip
    """Points that start in the ground, by the loads of their depths and of how fast they go deeper."""
    R_SB, are_in = rotation_matrix(state[6:10]), gaps < 0.0
    points, normals, depths = points[are_in], normals[are_in], -gaps[are_in]
    velocities = state[3:6] + np.cross(state[10:13], points) @ R_SB.T
    loads = np.array([response.load_at(float(depth)) for depth in depths])
    dampings = [response.tangent(depth, load).damping for depth, load in zip(depths, loads, strict=True)]
    loads += np.array(dampings) * np.maximum(-np.sum(velocities * normals, axis=1), 0.0)
    return loaded_points(vehicle, points, normals @ R_SB, loads)


def loaded_points(vehicle: Vehicle, points: np.ndarray, normals_B: np.ndarray, loads: np.ndarray) -> SlidingPoints:
    """Points (n, 3) from the centre of mass that slide, each by its own load [N] and normal, in body axes.

    Their mobility is that of the mode which friction in proportion to these loads slows most.
    """
    total = np.zeros((6, 6))
    for point, normal, load in zip(points, normals_B, loads, strict=True):
        jacobian = np.hstack([np.eye(3), -_cross(point)])
        total += load * jacobian.T @ (np.eye(3) - np.outer(normal, normal)) @ jacobian
    inverse, load = _inverse_mass(vehicle.hub.mass, vehicle.hub.inertia), float(np.sum(loads))
    slowed = float(np.max(np.linalg.eigvals(inverse @ total).real))
    return SlidingPoints(vehicle, len(loads), load, slowed * len(loads) / load)


def _inverse_mass(mass: float, inertia: np.ndarray) -> np.ndarray:
    """Inverse (6, 6) of mass [kg] and inertia [kg m^2]."""
    inverse = np.zeros((6, 6))
    inverse[:3, :3] = np.eye(3) / mass
    inverse[3:, 3:] = np.linalg.inv(inertia)
    return inverse


def _modes(
    mass: float, inertia: np.ndarray, points: np.ndarray, normal: np.ndarray, is_isotropic: bool = False
) -> tuple[float, float]:
    """Largest inverse modal masses [1/kg] along the normal (or any way) and across it, with all points in contact."""
    inverse = _inverse_mass(mass, inertia)
    along = np.eye(3) if is_isotropic else np.outer(normal, normal)
    largest = []
    for projector in (along, np.eye(3) - along):
        jacobians = [np.hstack([np.eye(3), -_cross(r)]) for r in points]
        total = sum(jacobian.T @ projector @ jacobian for jacobian in jacobians)
        largest.append(float(np.max(np.linalg.eigvals(inverse @ total).real)))
    return largest[0], largest[1]


def spring_damper_limit(stiffness_rate: float, damping_rate: float) -> float:
    """Longest step [s] for which RK4 damps s^2 + damping_rate s + stiffness_rate = 0."""
    scale = max(damping_rate, np.sqrt(stiffness_rate))  # so that nothing overflows, however stiff
    if not 0.0 < scale < np.inf:
        return np.inf if scale == 0.0 else 0.0
    roots = np.roots([1.0, damping_rate / scale, (np.sqrt(stiffness_rate) / scale) ** 2])
    low, high = 0.0, 3.0 / np.max(np.abs(roots))  # RK4 damps nothing farther from 0 than that
    for _ in range(60):
        middle = 0.5 * (low + high)
        z = middle * roots
        grows = np.abs(1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24) > 1.0
        low, high = (low, middle) if np.any(grows) else (middle, high)
    return float(low / scale)


def round_down(value: float) -> float:
    """Two significant digits, towards zero."""
    scale = 10.0 ** (np.floor(np.log10(value)) - 1)
    return float(np.floor(value / scale) * scale)


def _cross(r: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


def landing_groups(
    gaps: np.ndarray, normal: np.ndarray, gravity: np.ndarray, state: np.ndarray, points: np.ndarray, mass: float,
    response: NormalResponse,
) -> list[np.ndarray]:  # fmt: skip
    """Indices of the points that land together, group after group."""
    fall = float(-gravity @ normal)
    speed = impact_speed(float(gaps.min()), normal, gravity, state, points)
    time_to_touch = 2.0 * max(float(gaps.min()), 0.0) / speed if speed > 0 else 0.0
    if np.linalg.norm(state[10:13]) * time_to_touch > TURN_LIMIT or fall <= 0:
        return [np.arange(len(points))]
    depth = response.impact_depth(speed, mass, len(points), weight=0.0)
    order = np.argsort(gaps)
    breaks = np.flatnonzero(np.diff(gaps[order]) > depth) + 1
    return np.split(order, breaks)


def felt_mass(mass: float, inertia: np.ndarray, points: np.ndarray, normal: np.ndarray) -> float:
    """Mass [kg] that points sharing one normal push equally feel: 1/(1/m + t I^-1 t), t the push's mean lever arm."""
    lever = np.cross(points.mean(axis=0), normal)
    return float(1.0 / (1.0 / mass + lever @ np.linalg.solve(inertia, lever)))


def impact_speed(gap: float, normal: np.ndarray, gravity: np.ndarray, state: np.ndarray, points: np.ndarray) -> float:
    """Normal speed [m/s] with which a ballistic fall closes a gap, plus that of the turning."""
    fall = float(-gravity @ normal)
    squared = float(state[3:6] @ normal) ** 2 + 2.0 * fall * max(gap, 0.0)
    return np.sqrt(max(squared, 0.0)) + float(np.linalg.norm(state[10:13]) * np.max(np.linalg.norm(points, axis=1)))

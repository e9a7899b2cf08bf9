"""The touchdown of a flight in a few numbers: when, how fast, how far from the site; of one run or of many."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from planetfall.analysis.run.places import ended_on_ground
from planetfall.engine.mechanisms.registry import mechanisms_of
from planetfall.engine.state.result import BatchResult
from planetfall.engine.structure.state_sizes import ENGINE_SIZE, ENGINES
from planetfall.flight.mount_flight import flown_body
from planetfall.record.flight_numbers import MISS, PROPELLANT, TOUCHDOWN, flight_numbers
from planetfall.record.variables.mechanisms import numbers_of
from planetfall.scenario.scenario import Scenario
from planetfall.world.gravity.field import acceleration_at

FAR = 20e3
"""Distance from the site [m] beyond which a landing is remarked on (assumed): its vertical is 0.3 deg off at Mars."""


def flight_results(
    scenario: Scenario, end: BatchResult, own: Sequence[Scenario] | None = None
) -> dict[str, np.ndarray]:
    """The numbers of `flight_numbers` [run] of runs that ended; `own`: their scenarios, where gravity differs."""
    names, found = flight_numbers(scenario), {}
    if "touchdown_s" in names:
        found |= touchdowns(scenario, end, own)
    if MISS in names:
        found[MISS] = np.where(ended_on_ground(scenario, end), misses(scenario, end), np.nan)
    if PROPELLANT in names:
        body = flown_body(scenario)
        tanks = [run.vehicles[body].propellant for run in own] if own else [scenario.vehicles[body].propellant]
        full = np.array([np.nan if tank is None else tank.mass for tank in tanks])
        found[PROPELLANT] = np.maximum(full - _burnt(scenario, end)[:, body], 0.0)
    return found


def _burnt(scenario: Scenario, end: BatchResult) -> np.ndarray:
    """Propellant that each body has burnt [run, body] [kg]."""
    n_engines = sum(len(vehicle.engines) for vehicle in scenario.vehicles)
    return numbers_of(ENGINES, mechanisms_of(scenario), end.mechanisms)[:, ENGINE_SIZE * n_engines :]


def touchdowns(scenario: Scenario, end: BatchResult, own: Sequence[Scenario] | None = None) -> dict[str, np.ndarray]:
    """When, and how fast along and across the plumb line, a judged vehicle first touched the ground."""
    n_points = sum(len(vehicle.points) for vehicle in scenario.vehicles[: scenario.n_judged])
    out = {name: np.full(len(end.time), np.nan) for name in TOUCHDOWN}
    if not n_points:
        return out
    times = end.first_touch[:, :n_points]
    for run in np.flatnonzero(np.isfinite(times).any(axis=1)):
        point = int(np.nanargmin(times[run]))
        velocity = end.touch_velocity[run, point]
        down = plumb_line(scenario if own is None else own[int(run)], end.touch_position[run, point])
        along = float(velocity @ down)
        speeds = (times[run, point], abs(along), float(np.linalg.norm(velocity - along * down)))
        for name, value in zip(TOUCHDOWN, speeds, strict=True):
            out[name][run] = value
    return out


def plumb_line(scenario: Scenario, position_S: np.ndarray) -> np.ndarray:
    """Unit vector along which things hang at a place of the ground, which turns with the planet; 0 without gravity."""
    target = scenario.target
    arm, omega = position_S - target.center_S, target.omega
    down = acceleration_at(scenario, position_S) - np.cross(omega, np.cross(omega, arm))
    return down / (np.linalg.norm(down) or 1.0)


def misses(scenario: Scenario, end: BatchResult) -> np.ndarray:
    """From the site to where the first vehicle ended, over the ground [run] [m]: an arc of a sphere.

    Sums are taken run by run: the last bit of a product of matrices depends on how many runs there are.
    """
    site, places = -scenario.target.center_S, end.state[:, :3] - scenario.target.center_S
    across = np.sqrt(np.sum(np.cross(site, places) ** 2, axis=1))
    return np.arctan2(across, np.sum(places * site, axis=1)) * np.linalg.norm(site)


def touchdown(scenario: Scenario, end: BatchResult) -> dict[str, Any]:
    """Of one run; None for what did not happen."""
    found = flight_results(scenario, end)
    numbers = {name: float(values[0]) for name, values in found.items() if name != PROPELLANT}
    told: dict[str, Any] = {name: value if np.isfinite(value) else None for name, value in numbers.items()}
    return told | far_from_site(scenario, told)


def far_from_site(scenario: Scenario, told: dict[str, Any]) -> dict[str, str]:
    """A sentence where flight software, which reckons in the frame of the site, landed so far off that this shows."""
    miss = told.get(MISS)
    if scenario.flight is None or miss is None or told.get("touchdown_s") is None or miss <= FAR:
        return {}
    radius = float(np.linalg.norm(scenario.target.center_S))
    below = radius * (1.0 / np.cos(miss / radius) - 1.0)
    return {
        "far_from_site": f"It came down {miss / 1e3:.3g} km from target.site, in whose frame the flight software "
        f"reckons: the vertical of the site is {np.degrees(miss / radius):.2g} deg off there, and a height that "
        f"follows from the position is {below / 1e3:.2g} km less than that over the "
        "ground. Move the start by minus the miss, or the site to where the vehicle comes down."
    }

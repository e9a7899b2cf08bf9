"""The touchdown of a flight in a few numbers: when, how fast, how far from the site; of one run or of many."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from planetfall.engine.mechanisms.registry import mechanisms_of
from planetfall.engine.state.result import BatchResult
from planetfall.engine.structure.state_sizes import ENGINE_SIZE, ENGINES
from planetfall.flight.mount_flight import flown_body
from planetfall.record.flight_numbers import MISS, PROPELLANT, TOUCHDOWN, flight_numbers
from planetfall.record.variables.mechanisms import numbers_of
from planetfall.scenario.scenario import Scenario
from planetfall.world.gravity.field import acceleration_at


def flight_results(
    scenario: Scenario, end: BatchResult, own: Sequence[Scenario] | None = None
) -> dict[str, np.ndarray]:
    """The numbers of `flight_numbers` [run] of runs that ended; `own`: their scenarios, where gravity differs."""
    names, found = flight_numbers(scenario), {}
    if "touchdown_s" in names:
        found |= touchdowns(scenario, end, own)
    if MISS in names:
        found[MISS] = misses(scenario, end)
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
        down = acceleration_at(scenario if own is None else own[int(run)], end.touch_position[run, point])
        down = down / (np.linalg.norm(down) or 1.0)
        along = float(velocity @ down)
        speeds = (times[run, point], abs(along), float(np.linalg.norm(velocity - along * down)))
        for name, value in zip(TOUCHDOWN, speeds, strict=True):
            out[name][run] = value
    return out


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
    return {name: value if np.isfinite(value) else None for name, value in numbers.items()}

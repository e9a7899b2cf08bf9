"""Where a run ended, whether that is a place on the ground, and how far from where the vehicle first touched it."""

from typing import Any

import numpy as np

from planetfall.engine.state.result import BatchResult
from planetfall.outcome import Outcome
from planetfall.scenario.scenario import Scenario

ELSEWHERE = (
    Outcome.running, Outcome.escaped, Outcome.orbiting, Outcome.diverged, Outcome.step_refused,
    Outcome.controller_error, Outcome.bad_input,
)  # fmt: skip
"""Outcomes that leave no place on the ground."""
IN_THE_AIR = (Outcome.timed_out, Outcome.off_map, Outcome.hole, Outcome.overturned)
"""Outcomes that a vehicle may come to before it has touched the ground: only then do they leave no place on it."""


def are_down(outcomes: np.ndarray, has_touched: np.ndarray) -> np.ndarray:
    """Whether runs came down [run], from the names of their outcomes and whether a judged vehicle touched the ground.

    A run that its scenario ends at a height (`descended`) has come down.
    """
    elsewhere, perhaps = ([outcome.name for outcome in group] for group in (ELSEWHERE, IN_THE_AIR))
    return ~np.isin(outcomes, elsewhere) & (has_touched | ~np.isin(outcomes, perhaps))


def ended_on_ground(scenario: Scenario, end: BatchResult) -> np.ndarray:
    """The same of runs that ended [run]."""
    n_points = sum(len(vehicle.points) for vehicle in scenario.vehicles[: scenario.n_judged])
    n_touched = np.count_nonzero(np.isfinite(end.first_touch[:, :n_points]), axis=1)
    return are_down(np.array([Outcome(int(status)).name for status in end.status]), n_touched > 0)


def places(scenario: Scenario, end: BatchResult) -> dict[str, Any]:
    """For a summary: the first vehicle's centre of mass at the end, and its distance from its first touch.

    On a whole body (frame P) latitude and longitude of the line from the body's centre through it, too.
    """
    place = end.state[0, :3]
    found: dict[str, Any] = {"end_position_m": place}
    if scenario.target.frame == "P" and scenario.target.R_SP is not None and np.any(place):
        across = np.hypot(place[0], place[1])
        found["end_latitude_deg"] = np.degrees(np.arctan2(place[2], across))
        found["end_longitude_deg"] = np.degrees(np.arctan2(place[1], place[0]))
    times = end.first_touch[0, : len(scenario.vehicle.points)]
    if np.isfinite(times).any():
        touched = end.touch_position[0, int(np.nanargmin(times))]
        found["first_touch_to_end_m"] = np.linalg.norm(place - touched)
    else:
        found["first_touch_to_end_m"] = None
    return found

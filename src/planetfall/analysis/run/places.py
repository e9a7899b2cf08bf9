"""Where a run ended, and how far that is from where the vehicle first touched the ground."""

from typing import Any

import numpy as np

from planetfall.engine.state.result import BatchResult
from planetfall.scenario.scenario import Scenario


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

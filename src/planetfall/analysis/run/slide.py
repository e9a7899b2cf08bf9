"""How far a vehicle slid."""

from dataclasses import dataclass

import numpy as np

from planetfall.engine.state.result import RunEvent

DESCENT, HORIZONTAL, STRAIGHT = "steepest descent", "horizontal", "straight"
"""Along what a slide is measured: down a slope, across gravity at the release, or in space."""


@dataclass(frozen=True)
class Slide:
    """Way of the centre of mass along the ground.

    Attributes:
        stop: When its speed fell below the breakaway speed for good [s]; NaN if it never did.
        distance: The slide distance, from release to `stop` [m].
        after_last_bounce: The same from the last touchdown that ended a flight of the whole vehicle to `stop` [m].
        along: `DESCENT`, `HORIZONTAL` or `STRAIGHT`.
    """

    stop: float
    distance: float
    after_last_bounce: float
    along: str


def slide(start: np.ndarray, normal: np.ndarray | None, down: np.ndarray, events: list[RunEvent]) -> Slide:
    """Measures the slide of a vehicle released at `start` [m] over ground with a normal, from its events.

    It counts along the line of steepest descent (`down`: the direction of gravity); on level ground, where there is
    none, along the straight line from start to stop, in its plane. A whole body has no one normal (None): there both
    are straight distances.
    """
    descent = None if normal is None else down - normal * (down @ normal)
    way = STRAIGHT if descent is None else DESCENT if np.linalg.norm(descent) >= 1e-9 else HORIZONTAL
    pace = [event for event in events if event.kind in ("slow", "fast")]
    if pace and pace[-1].kind == "fast":
        return Slide(np.nan, np.nan, np.nan, way)
    stop, end = (pace[-1].time, np.array(pace[-1].position)) if pace else (0.0, start)
    landing = _last_landing([event for event in events if event.time <= stop])
    landed = start if landing is None else np.array(landing.position)
    if normal is None or descent is None:
        return Slide(stop, float(np.linalg.norm(end - start)), float(np.linalg.norm(end - landed)), way)
    along = descent if way == DESCENT else (end - start) - normal * ((end - start) @ normal)
    length = np.linalg.norm(along)
    along = along / length if length > 0 else along
    return Slide(stop, float((end - start) @ along), float((end - landed) @ along), way)


def _last_landing(events: list[RunEvent]) -> RunEvent | None:
    """The last touch before which no point carried load."""
    loaded, landing = set(), None
    for event in events:
        if event.kind == "touch":
            if not loaded:
                landing = event
            loaded.add(event.point)
        elif event.kind == "lift_off":
            loaded.discard(event.point)
    return landing

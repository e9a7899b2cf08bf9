"""How far a vehicle slid."""

from dataclasses import dataclass

import numpy as np

from planetfall.engine.result import Event


@dataclass(frozen=True)
class Slide:
    """Travel of the centre of mass along the ground.

    Attributes:
        stop: When its speed fell below the breakaway speed for good [s]; NaN if it never did.
        distance: Travel from release to `stop` [m].
        after_last_bounce: Travel from the last touchdown that ended a flight of the whole vehicle to `stop` [m].
    """

    stop: float
    distance: float
    after_last_bounce: float


def slide(time: np.ndarray, position: np.ndarray, velocity: np.ndarray, normal: np.ndarray, down: np.ndarray,
          breakaway_speed: float, events: list[Event]) -> Slide:  # fmt: skip
    """Measures the slide of a centre of mass [time, 3] over a plane with a normal, `down` the direction of gravity.

    Travel counts along the line of steepest descent; on level ground, where there is none, along the straight line
    from start to stop.
    """
    stop = _last_fall_below(time, np.linalg.norm(velocity, axis=1), breakaway_speed)
    if np.isnan(stop):
        return Slide(np.nan, np.nan, np.nan)
    start, end = position[0], _position_at(stop, time, position, velocity)
    along = down - normal * (down @ normal)
    if np.linalg.norm(along) < 1e-9:
        along = (end - start) - normal * ((end - start) @ normal)
    length = np.linalg.norm(along)
    along = along / length if length > 0 else along
    landing = _position_at(_last_landing(events), time, position, velocity)
    return Slide(stop, float((end - start) @ along), float((end - landing) @ along))


def _last_fall_below(time: np.ndarray, speed: np.ndarray, limit: float) -> float:
    fast = np.flatnonzero(speed >= limit)
    if len(fast) == 0:
        return float(time[0])
    i = fast[-1]
    if i == len(time) - 1:
        return np.nan
    return float(time[i] + (time[i + 1] - time[i]) * (speed[i] - limit) / (speed[i] - speed[i + 1]))


def _last_landing(events: list[Event]) -> float:
    """The last touch before which no point carried load; the release if there was none."""
    loaded, landing = set(), 0.0
    for event in events:
        if event.kind == "touch":
            if not loaded:
                landing = event.time
            loaded.add(event.point)
        elif event.kind == "lift_off":
            loaded.discard(event.point)
    return landing


def _position_at(instant: float, time: np.ndarray, position: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """Cubic Hermite between the frames on both sides."""
    i = int(np.clip(np.searchsorted(time, instant, side="right") - 1, 0, len(time) - 2))
    h = time[i + 1] - time[i]
    s = (instant - time[i]) / h
    weight = s * s * (3 - 2 * s)
    ends = position[i] * (1 - weight) + position[i + 1] * weight
    return ends + h * s * (1 - s) * (velocity[i] * (1 - s) - velocity[i + 1] * s)

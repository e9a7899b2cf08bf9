"""Why a run timed out before the vehicle was at rest: still in flight, still rocking or slowing down, or creeping.

Rest is judged by two numbers: how fast the vehicle turns, and how fast its loaded points move along their normals. Both
are looked at over a window at the end: an eighth of the time since the first touch, but never less than the time in
which the vehicle rocks once, 2 pi sqrt(l/g), since within less of it rocking cannot be told from a trend.

Creep is a steady motion on points that stay where they are: it is told only where no point touched or lifted off in the
window, load was carried all along, the motion never came near a turning point, and it was no slower in the second half.
Everything else needs a longer run; where the peaks fall from one window to the next, they are continued at that rate.
"""

from dataclasses import dataclass
from math import ceil, floor, log, log10, pi

import numpy as np
import xarray as xr

from planetfall.engine.state.result import RunEvent
from planetfall.outcome import Outcome
from planetfall.scenario.scenario import Scenario
from planetfall.world.gravity.field import acceleration_at, weighed_at

STEADY = 1.0 / 3.0
"""Slowest tenth over fastest tenth from which on a motion is steady; rocking has 0.16, |sin| at 9 and 81 degrees."""
NO_SLOWER = 0.9
"""Second half of the window over its first from which on a motion did not slow down; assumed."""
FALLING = 2.0 / 3.0
"""Peak in one window over the peak in the window before up to which a motion falls; assumed."""
MARGIN = 1.5
"""By how much a threshold is advised above what was seen; assumed."""
EIGHTHS = 8.0
"""Of the time since the first touch the window is one part, unless the vehicle rocks longer."""
LONGEST = 100.0
"""Durations beyond this multiple of the run's own are not advised."""
SAMPLES = 200
"""Evenly spaced instants at which a window is looked at: recorded frames crowd where points touch."""
FEWEST = 8
"""Recorded frames with which a window can be judged; assumed."""


@dataclass(frozen=True)
class ResidualMotion:
    """A speed that rest is judged by, as it was at the end of a run.

    Attributes:
        key: Of the limit in `[outcome]`.
        unit: Of it.
        limit: The limit itself.
        before: Largest value in the window before the last one.
        peak: Largest value in the last window.
        slowest: What it exceeded in nine tenths of the last window.
        fastest: What it exceeded in a tenth of the last window.
        trend: Median of the second half of the last window over that of the first.
        at_end: Largest value while the vehicle would have had to be still, at the very end.
    """

    key: str
    unit: str
    limit: float
    before: float
    peak: float
    slowest: float
    fastest: float
    trend: float
    at_end: float

    @property
    def creeps(self) -> bool:
        """Whether it is too fast for rest, and neither swings nor slows down."""
        return self.fastest > self.limit and self.slowest >= STEADY * self.fastest and self.trend >= NO_SLOWER

    @property
    def is_over(self) -> bool:
        """Whether it is what keeps the vehicle from rest."""
        return max(self.fastest, self.at_end) > self.limit

    @property
    def counts_as_rest(self) -> float:
        """The limit with which this run would have been at rest at its end."""
        return _rounded_up(MARGIN * max(self.fastest, self.at_end))

    def time_left(self, window: float) -> float:
        """Seconds from the middle of the window until its peaks are below the limit, as they fall; infinite if not."""
        if self.peak <= self.limit:
            return 0.0
        if self.peak > FALLING * self.before or self.trend > 1.0:
            return np.inf
        return window * log(self.peak / self.limit) / log(self.before / self.peak)


@dataclass(frozen=True)
class Verdict:
    """What kept a run from rest.

    Attributes:
        sentence: For people, with advice; the second half of a sentence.
        counts_as_rest: Keys of `[outcome]` with values by which its creep is rest; empty where it does not creep.
    """

    sentence: str
    counts_as_rest: dict[str, float]


def residual_motion(scenario: Scenario, data: xr.Dataset, events: list[RunEvent], outcome: Outcome) -> dict[str, str]:
    """For the summary of a run that timed out: its sentence with the advice that its own motion gives."""
    if outcome is not Outcome.timed_out:
        return {}
    sentence = verdict(scenario, data, events).sentence
    return {"outcome_sentence": f"The time ran out before the vehicle came to rest; {sentence}."}


def verdict(scenario: Scenario, data: xr.Dataset, events: list[RunEvent]) -> Verdict:
    """What kept a run that timed out from rest."""
    time, n_bodies = data.time.values, 1 if scenario.outcome.rest_of == "vehicle" else data.sizes["body"]
    is_judged = data.point_body.values < n_bodies
    loads = data.contact_normal_force.values[:, is_judged]
    loaded = np.any(loads > 0.0, axis=1)
    end = float(time[-1])
    if not loaded.any():
        return _longer(_without_touch(scenario, is_judged))
    first = float(time[np.argmax(loaded)])
    rocking = _rocking_time(scenario, data, n_bodies)
    window = max((end - first) / EIGHTHS, rocking)
    kept = time >= end - window
    n_events = sum(
        event.kind in ("touch", "lift_off") and bool(is_judged[event.point]) and event.time >= end - window
        for event in events
    )
    judged = max(first + 2.5 * window, 1.5 * end)  # by then two windows lie behind it
    if not loaded[-1]:
        return _longer(f"it was in flight at the end{_hops(n_events, min(window, end - first))}: {_such_as(judged)}")
    if end - first < 2.0 * window:
        return _longer(
            f"its first touch was {end - first:.3g} s before the end, and two rocking periods of {window:.3g} s are "
            f"needed to tell what keeps it from rest: give it scenario.duration = {_rounded_up(judged):g} s first"
        )
    if kept.sum() < FEWEST:
        return _longer(
            f"it has too few recorded frames to tell why: use record.interval = {_rounded_up(window / 50.0):g} first"
        )
    hold = max(2.0 * scenario.outcome.rest_hold, window / SAMPLES)
    motions = _motions(scenario, data, n_bodies, is_judged, window, hold)
    is_held = bool(loaded[kept].all()) and not n_events
    if is_held and any(motion.creeps for motion in motions):
        return _creep([motion for motion in motions if motion.is_over], window)
    return _longer(_still_moving(motions, end, window, hold, n_events))


def _without_touch(scenario: Scenario, is_judged: np.ndarray) -> str:
    if not is_judged.any():
        return "it has no contact points, with which it could: give it some, or take the end for what it is"
    if scenario.gravity.model == "none":
        return "it never touched the ground, to which no gravity pulls it: take the end for what it is"
    return "it never touched the ground: give it a longer scenario.duration"


def _still_moving(motions: list[ResidualMotion], end: float, window: float, hold: float, n_events: int) -> str:
    moving = [motion for motion in motions if motion.peak > motion.limit]
    if not any(motion.fastest > motion.limit for motion in moving):
        return f"it had just become slow enough: give it scenario.duration = {_rounded_up(end + window + hold):g} s"
    left = max(motion.time_left(window) for motion in moving)
    if left <= LONGEST * end:
        longer = _rounded_up(max(end, end - 0.5 * window + left) + hold)
        return f"it was still slowing down: if that goes on, scenario.duration = {longer:g} s may be enough"
    seen = " and ".join(
        f"{motion.key} went from {motion.slowest:.2g} to {motion.peak:.2g} {motion.unit} (the limit is "
        f"{motion.limit:.2g})"
        for motion in moving
    )
    how = f"points touched or lifted off {_times(n_events)}, " if n_events else ""
    return f"it was still moving: in the last {window:.3g} s {how}{seen}: {_such_as(2.0 * end)}"


def _creep(over: list[ResidualMotion], window: float) -> Verdict:
    """All that keeps a creeping run from rest, so that nobody has to come back for the second of two limits."""
    seen = " and ".join(
        f"{motion.key} was {motion.fastest:.2g} {motion.unit} (the limit is {motion.limit:.2g})" for motion in over
    )
    values = {f"outcome.{motion.key}": motion.counts_as_rest for motion in over}
    keys = " and ".join(f"{key} = {value:g}" for key, value in values.items())
    return Verdict(
        f"it creeps, or rolls, steadily: in the last {window:.3g} s no point touched or lifted off, and {seen}, "
        f"without slowing down; use {keys} if that counts as rest",
        values,
    )


def _longer(sentence: str) -> Verdict:
    return Verdict(sentence, {})


def _hops(n_events: int, window: float) -> str:
    return f" (points touched or lifted off {_times(n_events)} in the last {window:.3g} s)" if n_events else ""


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n} times"


def _such_as(duration: float) -> str:
    return f"give it a longer run, such as scenario.duration = {_rounded_up(duration):g} s"


def _rocking_time(scenario: Scenario, data: xr.Dataset, n_bodies: int) -> float:
    """The time [s] in which a vehicle rocks once, 2 pi sqrt(l/g), of the largest one; none without gravity."""
    lengths = [np.linalg.norm(point.position) for vehicle in scenario.vehicles[:n_bodies] for point in vehicle.points]
    g = np.linalg.norm(acceleration_at(scenario, weighed_at(scenario, data.position.values[-1, 0])))
    return float(2.0 * pi * np.sqrt(max(lengths) / g)) if g > 0.0 else 0.0


def _motions(
    scenario: Scenario, data: xr.Dataset, n_bodies: int, is_judged: np.ndarray, window: float, hold: float
) -> list[ResidualMotion]:
    time, rules = data.time.values, scenario.outcome
    rates = np.linalg.norm(data.angular_velocity.values[:, :n_bodies], axis=-1).max(axis=1)
    loaded = data.contact_normal_force.values[:, is_judged] > 0.0
    closing = np.abs(np.gradient(data.contact_gap.values[:, is_judged], time, axis=0))
    speeds = np.where(loaded, closing, 0.0).max(axis=1)
    return [
        _motion("rest_rate", "rad/s", rules.rest_rate, time, rates, window, hold),
        _motion("rest_speed", "m/s", rules.rest_speed, time, speeds, window, hold),
    ]


def _motion(
    key: str, unit: str, limit: float, time: np.ndarray, values: np.ndarray, window: float, hold: float
) -> ResidualMotion:
    end = time[-1]
    even = np.interp(np.linspace(end - window, end, SAMPLES), time, values)
    first, second = np.median(even[: SAMPLES // 2]), np.median(even[SAMPLES // 2 :])
    parts = (time >= end - 2.0 * window) & (time < end - window), time >= end - window, time >= end - hold
    before, peak, at_end = (float(np.nanmax(values[part], initial=0.0)) for part in parts)
    slowest, fastest = np.quantile(even, (0.1, 0.9))
    trend = float(second / first) if first > 0.0 else 1.0
    return ResidualMotion(key, unit, limit, before, peak, float(slowest), float(fastest), trend, at_end)


def _rounded_up(value: float) -> float:
    """Two significant digits, away from zero."""
    scale = 10.0 ** (floor(log10(value)) - 1)
    return float(f"{ceil(value / scale) * scale:.12g}")

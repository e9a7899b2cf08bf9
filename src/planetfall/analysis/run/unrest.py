"""Why a run timed out before the vehicle was at rest: still in flight, still slowing down, or creeping for good.

Rest is judged by two numbers: how fast the vehicle turns, and how fast its loaded points move along their normals. Over
the last quarter of the time since the first touch, both are compared between the first and the second half. What has
not fallen by a third is taken as creep, which a longer run does not end; what falls is continued at the same rate. A
vehicle rocks and bounces in times of sqrt(l/g): of less than that no trend is told.
"""

from dataclasses import dataclass
from math import ceil, floor, log, log10

import numpy as np
import xarray as xr

from planetfall.outcome import Outcome
from planetfall.scenario.scenario import Scenario
from planetfall.world.gravity.field import acceleration_at, weighed_at

STEADY = 2.0 / 3.0
"""Second half over first half from which on a motion counts as creep; assumed."""
MARGIN = 1.5
"""By how much a threshold is advised above what was seen; assumed."""
EIGHTHS = 8.0
"""Of the time since the first touch, each of the two halves that are compared is one part."""
LONGEST = 100.0
"""Durations beyond this multiple of the run's own are not advised: creep that slow is creep."""


@dataclass(frozen=True)
class ResidualMotion:
    """A speed that rest is judged by: key, unit, limit, and its largest value in both halves of the last stretch."""

    key: str
    unit: str
    limit: float
    before: float
    after: float

    def time_left(self, stretch: float) -> float:
        """Seconds from the middle of the stretch until it is below its limit, as it falls; infinite if it does not."""
        if self.after <= self.limit:
            return 0.0
        if self.after > STEADY * self.before:
            return np.inf
        return stretch * log(self.after / self.limit) / log(self.before / self.after)


def unrest(scenario: Scenario, data: xr.Dataset, outcome: Outcome) -> dict[str, str]:
    """For the summary of a run that timed out: its sentence with the advice that its own motion gives."""
    if outcome is not Outcome.timed_out:
        return {}
    return {"outcome_sentence": f"The time ran out before the vehicle came to rest; {_advice(scenario, data)}."}


def _advice(scenario: Scenario, data: xr.Dataset) -> str:
    time, n_bodies = data.time.values, 1 if scenario.outcome.rest_of == "vehicle" else data.sizes["body"]
    is_judged = data.point_body.values < n_bodies
    loads = data.contact_normal_force.values[:, is_judged]
    loaded = np.any(loads > 0.0, axis=1)
    if not loaded.any():
        if not is_judged.any():
            return "it has no contact points, with which it could: give it some, or take the end for what it is"
        if scenario.gravity.model == "none":
            return "it never touched the ground, to which no gravity pulls it: take the end for what it is"
        return "it never touched the ground: give it a longer scenario.duration"
    first, end = time[np.argmax(loaded)], time[-1]
    hold = max(scenario.outcome.rest_hold, 0.1 * (end - first))
    if not loaded[time >= end - hold].any():
        return "it was still in flight at the end: give it a longer scenario.duration"
    stretch = (end - first) / EIGHTHS
    motions = _motions(scenario, data, n_bodies, is_judged, end - stretch, stretch)
    moving = [motion for motion in motions if motion.after > motion.limit]
    if not moving:
        longer = _rounded_up(end + 2.0 * hold)
        return f"it had just become slow enough: give it scenario.duration = {longer:g} s"
    left = max(motion.time_left(stretch) for motion in moving)
    if left <= LONGEST * end:
        longer = _rounded_up(max(end, end - stretch + left) + 2.0 * hold)
        return f"it was still slowing down: at that rate scenario.duration = {longer:g} s is enough"
    rocking = _rocking_time(scenario, data, n_bodies)
    if stretch < rocking:
        longer = _rounded_up(max(first + EIGHTHS * rocking, 1.5 * end))
        return (
            f"it had touched the ground too shortly before to tell why: give it scenario.duration = {longer:g} s first"
        )
    return _told_of_creep([motion for motion in moving if motion.time_left(stretch) > LONGEST * end], stretch)


def _told_of_creep(creeps: list[ResidualMotion], stretch: float) -> str:
    """All that keeps a creeping run from rest, so that nobody has to come back for the second of two limits."""
    seen = " and ".join(
        f"{creep.key} was {creep.after:.2g} {creep.unit} (the limit is {creep.limit:.2g})" for creep in creeps
    )
    keys = " and ".join(f"outcome.{creep.key} = {_rounded_up(MARGIN * creep.after):g}" for creep in creeps)
    return (
        f"it creeps, and a longer run would not end that: in the last {stretch:.3g} s {seen}, no less than before; "
        f"use {keys} if that counts as rest"
    )


def _rocking_time(scenario: Scenario, data: xr.Dataset, n_bodies: int) -> float:
    """The time [s] in which a vehicle tips or swings, sqrt(l/g), of the largest one; none without gravity."""
    lengths = [np.linalg.norm(point.position) for vehicle in scenario.vehicles[:n_bodies] for point in vehicle.points]
    g = np.linalg.norm(acceleration_at(scenario, weighed_at(scenario, data.position.values[0, 0])))
    return float(np.sqrt(max(lengths) / g)) if g > 0.0 else 0.0


def _motions(
    scenario: Scenario, data: xr.Dataset, n_bodies: int, is_judged: np.ndarray, middle: float, stretch: float
) -> list[ResidualMotion]:
    time, rules = data.time.values, scenario.outcome
    rates = np.linalg.norm(data.angular_velocity.values[:, :n_bodies], axis=-1).max(axis=1)
    loaded = data.contact_normal_force.values[:, is_judged] > 0.0
    closing = np.abs(np.gradient(data.contact_gap.values[:, is_judged], time, axis=0))
    speeds = np.where(loaded, closing, 0.0).max(axis=1)
    halves = [(time >= middle - stretch) & (time < middle), time >= middle]
    found = []
    for key, unit, limit, values in (
        ("rest_rate", "rad/s", rules.rest_rate, rates), ("rest_speed", "m/s", rules.rest_speed, speeds),
    ):  # fmt: skip
        before, after = (float(np.nanmax(values[half], initial=0.0)) for half in halves)
        found.append(ResidualMotion(key, unit, limit, before, after))
    return found


def _rounded_up(value: float) -> float:
    """Two significant digits, away from zero."""
    scale = 10.0 ** (floor(log10(value)) - 1)
    return float(f"{ceil(value / scale) * scale:.12g}")

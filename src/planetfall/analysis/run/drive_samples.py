"""What the poses of a drive leave unknown: largest and least values between them, and where a drive ends.

Edges of the ground are met between poses, so that two drives whose poses lie at the same edges can agree and both be
wrong. An extreme is known to what the poses beside it differ by. A drive that stops may do so sooner, anywhere on the
way on which what ends it could have been reached between poses; then it has neither the extremes nor the work of the
rest of that way.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from planetfall.record.drive import ROUNDING, n_recorded
from planetfall.rover.drive.drive import Drive
from planetfall.scenario.drive import DriveScenario

Measure = Callable[[np.ndarray], np.ndarray]

EXTREMES: dict[str, tuple[str, Measure]] = {
    "peak_normal_force_N": ("contact_normal_force", np.positive),
    "peak_torque_N_m": ("wheel_torque", np.abs),
    "peak_lateral_force_N": ("wheel_lateral_force", np.abs),
    "peak_friction_needed": ("wheel_friction_needed", np.positive),
    "peak_friction_used": ("wheel_friction_used", np.positive),
    "peak_slip_ratio": ("wheel_slip_ratio", np.positive),
    "peak_saturation": ("wheel_saturation", np.positive),
    "least_margin_stability": ("margin_stability", np.negative),
    "least_margin_unloading": ("margin_unloading", np.negative),
    "peak_roll_rad": ("rover_roll", np.abs),
    "peak_pitch_rad": ("rover_pitch", np.abs),
    "peak_power_W": ("power_peak", np.positive),
}
"""Numbers of a summary, the history whose extreme each is, and of what that is the largest value."""
PLACES = {"peak_slip_ratio_at_m": "wheel_slip_ratio", "peak_friction_used_at_m": "wheel_friction_used"}
"""Places of extremes, and the histories they belong to."""
LIMITS = ("friction_used", "slip_ratio", "saturation")
"""Measures of a wheel that end a drive where they pass 1; on soil the first may be more, and then ends none."""
WORKS = {
    "motor_work_J": ("work_motor", 1.0), "positive_work_J": ("work_motor_positive", 1.0),
    "regenerated_work_J": ("work_motor_regenerated", -1.0), "rolling_work_J": ("work_rolling", 1.0),
    "contact_work_J": ("work_contact", 1.0), "slip_work_J": ("work_slip", 1.0), "rise_J": ("energy_gravity", 1.0),
}  # fmt: skip
"""Numbers of a summary that are sums since the start, their histories, and the sign."""


def extremes(data: xr.Dataset) -> dict[str, np.ndarray]:
    """The largest or least value of each history of a drive, of each wheel where it has wheels."""
    return {key: _peak(measure(data[name].values), measure) for key, (name, measure) in EXTREMES.items()}


def works(data: xr.Dataset) -> dict[str, float]:
    """Work since the start, at the last frame that has a pose [J]."""
    last = data.isel(time=_found(data)[-1])
    return {key: sign * float(np.sum(last[name])) for key, (name, sign) in WORKS.items()}


def place_of_largest(data: xr.Dataset, name: str) -> float:
    """Distance [m] at which a history is largest on any wheel."""
    return float(data.distance.values[_place(data, name)])


def beyond_samples(scenario: DriveScenario, run: Drive, data: xr.Dataset) -> dict[str, Any]:
    """By how much numbers of a drive may be off because they come from poses, under their names in the summary."""
    distance, sure = data.distance.values, last_sure(run)
    ends = run.stop is not None and n_recorded(scenario, run) == run.stop + 1
    head = data.isel(time=slice(0, sure + 1)) if ends else data
    whole, sooner = extremes(data), extremes(head)
    out: dict[str, Any] = {
        key: _plain(np.fmax(_beside(measure(data[name].values)), np.abs(whole[key] - sooner[key])), whole[key])
        for key, (name, measure) in EXTREMES.items()
    }
    way = 0.0 if run.stop is None else float(run.path.distance[run.stop] - run.path.distance[sure])
    for key, name in PLACES.items():
        i = _place(data, name)
        step = np.abs(distance[i] - distance[[max(i - 1, 0), min(i + 1, len(distance) - 1)]]).max()
        out[key] = float(max(step, way if ends and i > sure else 0.0))
    if run.stop is None:
        return out
    out["driven_m"] = way
    if ends:
        before = works(head)
        out |= {key: abs(value - before[key]) for key, value in works(data).items()}
        out["end_s"] = float(run.time[run.stop] - run.time[sure])
    return out


def last_sure(run: Drive) -> int:
    """The last pose up to which a drive that stops does not do so sooner; of one that arrives its last pose.

    One step before the first of those poses, one after the other up to the stop, beside which what ends a drive may
    have passed its limit: it is no further from it than the poses beside it differ.
    """
    if run.stop is None:
        return len(run) - 1
    if run.stop == 0:
        return 0
    most = np.zeros(run.stop)
    for name in LIMITS:
        values = run.of_forces(name)[: run.stop + 1]
        apart = np.abs(np.diff(values, axis=0))
        beside = np.vstack([apart[0], np.fmax(apart[:-1], apart[1:])])
        could = values[:-1] + np.where(np.isfinite(beside), beside, 0.0)
        most = np.fmax(most, np.max(could, axis=1, initial=0.0, where=values[:-1] <= 1.0 + ROUNDING))
    safe = np.flatnonzero(most < 1.0)
    return int(safe[-1]) if len(safe) else 0


def _peak(values: np.ndarray, measure: Measure) -> np.ndarray:
    peak = np.nanmax(values, axis=0)
    return -peak if measure is np.negative else peak


def _beside(values: np.ndarray) -> np.ndarray:
    """What the largest of values [n, ..] differs by from those before and after it, the most."""
    known = np.where(np.isfinite(values), values, -np.inf)
    i = np.expand_dims(known.argmax(axis=0), 0)
    largest = np.take_along_axis(values, i, 0)
    beside = [np.take_along_axis(values, np.clip(i + k, 0, len(values) - 1), 0) for k in (-1, 1)]
    return np.fmax(*(np.abs(largest - each) for each in beside))[0]


def _plain(beyond: np.ndarray, values: np.ndarray) -> Any:
    """Finite numbers; what rounding alone leaves is none."""
    known = np.where(np.isfinite(beyond) & (beyond > ROUNDING * np.abs(values)), beyond, 0.0)
    return known.tolist()


def _found(data: xr.Dataset) -> np.ndarray:
    return np.flatnonzero(np.isfinite(data.energy_gravity.values))


def _place(data: xr.Dataset, name: str) -> int:
    return int(np.nanargmax(data[name].max("wheel").values))

"""How much the ground shakes the IMU: the trade of sink height against vibration against step (Cordova2014, III.E)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from planetfall.engine.build import build
from planetfall.engine.run import run_recorded
from planetfall.engine.state.result import RecordedRun
from planetfall.errors import InputError
from planetfall.outcome import Outcome
from planetfall.scenario.scenario import Scenario

SINK_KEY = "contact.rest_penetration"


@dataclass(frozen=True)
class VibrationTrade:
    """Vibration of a vehicle that lands, over sink heights and fixed steps.

    Attributes:
        scenario: Name of the scenario.
        imu: Name of the IMU.
        sinks: [sink] sink heights [m].
        steps: [step] fixed steps [s].
        window: Length of the two spans of time looked at [s].
        landing: [sink, step] rms of the specific force about its mean in the `window` after the first touch [m/s^2].
        standing: [sink, step] the same in the last `window` of the run; NaN if the vehicle does not stand then.
        lost: [sink, step] whether it does not stand at the end: the ground has thrown it up, or the state diverged.
    """

    scenario: str
    imu: str
    sinks: np.ndarray
    steps: np.ndarray
    window: float
    landing: np.ndarray
    standing: np.ndarray
    lost: np.ndarray


def vibration_trade(
    scenario: Scenario,
    sinks: Sequence[float],
    steps: Sequence[float],
    *,
    window: float = 1.0,
    imu: str | None = None,
    sink_key: str = SINK_KEY,
    progress: Callable[[float], None] | None = None,
) -> VibrationTrade:
    """Runs a landing for every sink height [m] and fixed step [s], also steps that are too long for the contact.

    Args:
        scenario: A landing with an IMU; the IMU must not be faster than the longest step allows.
        sinks: Values of `sink_key`.
        steps: Values of `integrator.step`.
        window: How long after the first touch, and before the end, vibration is measured [s].
        imu: Name of the IMU; the first one if not given.
        sink_key: The key that sets the sink height.
        progress: Called with the finished fraction after every run.
    """
    name = _imu_name(scenario, imu)
    shape = (len(sinks), len(steps))
    landing, standing, lost = np.full(shape, np.nan), np.full(shape, np.nan), np.zeros(shape, dtype=bool)
    for n, (i, j) in enumerate(np.ndindex(shape)):
        fixed = {"method": "rk4", "step": float(steps[j]), "accept_step": True}
        run = run_recorded(build(scenario.with_values({sink_key: float(sinks[i]), "integrator": fixed})))
        touch, end = _first(run.end.first_touch[0]), float(run.end.time[0])
        has_diverged = Outcome(int(run.end.status[0])) is Outcome.diverged
        # without load there is no vibration either, and a vehicle in the sky must not look like one at rest
        lost[i, j] = has_diverged or not np.any(run.observed.mode[-1])
        if not has_diverged:
            landing[i, j] = vibration(run, name, touch, touch + window)
        if not lost[i, j]:
            standing[i, j] = vibration(run, name, end - window, end)
        if progress is not None:
            progress((n + 1) / landing.size)
    return VibrationTrade(
        scenario.name, name, np.asarray(sinks, float), np.asarray(steps, float), window, landing, standing, lost
    )


def vibration(run: RecordedRun, imu: str, start: float, end: float) -> float:
    """Rms [m/s^2] of an IMU's specific force about its mean from start to end [s]; NaN if it has no sample there."""
    samples = run.samples[imu]
    force = samples.value[(samples.time >= start) & (samples.time <= end), :3]
    if not len(force):
        return float("nan")
    return float(np.sqrt(np.mean(np.sum((force - force.mean(axis=0)) ** 2, axis=1))))


def _first(times: np.ndarray) -> float:
    """The earliest of those that are there [s]; infinite if there is none."""
    return float(np.min(times[np.isfinite(times)], initial=np.inf))


def _imu_name(scenario: Scenario, wanted: str | None) -> str:
    names = [sensor.name for sensor in scenario.sensors if sensor.kind == "imu"]
    if not names:
        raise InputError("sensors", f"{scenario.name} has no IMU to feel vibration", advice="add one under [[sensors]]")
    if wanted is not None and wanted not in names:
        raise InputError("imu", f"no IMU is called {wanted!r}", f"one of {', '.join(names)}")
    return wanted or names[0]

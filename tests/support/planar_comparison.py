"""The drop of Raiszadeh2012 beside the planar oracle (SciPy's DOP853), for the tests and for `make validate`."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

import planetfall
from oracles.planar_drop import PlanarCase, PlanarResult, drop
from planetfall.record.trajectory import Trajectory
from support.planar_scene import event_times, scenario_of

SETTLING = {
    "clamped": PlanarCase(),
    "unclamped": PlanarCase(is_clamped=False),
    "height along the normal": PlanarCase(height_along="normal"),
}
OVERTURNING = {
    "clamped, per point": PlanarCase(mass_share="per-point"),
    "unclamped, per point": PlanarCase(mass_share="per-point", is_clamped=False),
}
CASES = SETTLING | OVERTURNING
"""Readings that the paper leaves open."""
BARS = {"touch_s": 1e-6, "lift_off_s": 1e-6, "peak": 1e-3, "slide": 1e-3, "rest": 1.3e-6}
"""What is allowed: instants, and relative differences of peak forces, slides and loads at rest.

The force is looked at four times a step: between looks a peak hides (omega h/8)^2/2 of itself. Of a slide, what is left
is the instant of the stop, read off frames 0.01 s apart. At rest, a step may be off by its tolerance times the rover's
size, 1.9e-9 m; the shallower wheel sinks 1.5e-3 m.
"""


@lru_cache
def oracle(name: str, duration: float = 10.0) -> PlanarResult:
    """The oracle's run of a case, rtol 1e-11."""
    return drop(replace(CASES[name], duration=duration))


@lru_cache
def adaptive(name: str) -> Trajectory:
    """The package's run of a case, at its default tolerance where errors do not grow."""
    tolerance = 1e-11 if name in OVERTURNING else 1e-9
    return planetfall.run(scenario_of(CASES[name], integrator__method="adaptive", integrator__tolerance=tolerance))


def loading_times(result: PlanarResult, i_wheel: int) -> list[float]:
    """Instants [s] at which a wheel begins to carry load: its touches, and where a slack one is pressed on again."""
    kinds = ("touch", "reload") if result.case.is_clamped else ("touch",)
    return [event.time for event in result.trajectory.events if event.i_wheel == i_wheel and event.kind in kinds]


def differences(name: str) -> dict[str, float]:
    """The largest, by the names of `BARS`; of what overturns neither slide nor rest. `touches`: how many there are.

    A lift-off ends the load: where the clamped force vanishes, or where an unclamped wheel leaves the ground.
    """
    expected, run = oracle(name), adaptive(name)
    summary = run.summary
    touches = [loading_times(expected, i) for i in (0, 1)]
    lifts = expected.unload_times if CASES[name].is_clamped else expected.lift_off_times
    found = {
        "touches": float(sum(len(times) for times in touches)),
        "touch_s": _apart(event_times(run, "touch"), touches),
        "lift_off_s": _apart(event_times(run, "lift_off"), lifts),
        "peak": _relative(summary["peak_normal_force_N"], [*expected.peak_normal] * 2),
    }
    if name in SETTLING:
        slides = [expected.slide_distance, expected.slide_after_last_bounce]
        found["slide"] = _relative([summary["slide_distance_m"], summary["slide_after_last_bounce_m"]], slides)
        found["rest"] = _relative(summary["final_normal_force_N"], [*expected.final_normal] * 2)
    return found


def _apart(times, expected) -> float:
    """The largest difference of instants of each wheel [s]; there are as many of them."""
    assert [len(each) for each in times] == [len(each) for each in expected]
    return max(float(np.max(np.abs(np.subtract(a, b)))) for a, b in zip(times, expected, strict=True))


def _relative(values, expected) -> float:
    return float(np.max(np.abs(np.divide(values, expected) - 1.0)))

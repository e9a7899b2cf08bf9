"""What the sky crane did, read off its run."""

from __future__ import annotations

from typing import Any

from planetfall.record.trajectory import Trajectory


def touches(run: Trajectory) -> dict[str, float]:
    """First touch of each of the rover's wheels that touched [s]."""
    pairs = zip(run.summary["points"], run.summary["first_touch_s"], strict=True)
    return {name: time for name, time in pairs if time is not None and "." not in name}


def contact(run: Trajectory) -> float:
    """The first touch of all [s]."""
    return min(touches(run).values())


def phase_start(run: Trajectory, name: str) -> float:
    """When a phase began [s]."""
    return next(change["begins_s"] for change in run.summary["phases"] if change["name"] == name)


def window(run: Trajectory, start: float, end: float) -> Any:
    """Frames between two instants [s]."""
    return run.data.sel(time=slice(start, end))


def descent_speeds(run: Trajectory) -> list[float]:
    """Mean downward speeds [m/s] of rover and stage, before the separation and from then to the contact."""
    spans = ((1.0, 3.5), (13.0, contact(run) - 0.1))
    means = [window(run, *span).velocity.values[:, :, 2].mean(axis=0) for span in spans]
    return [-float(speed) for pair in means for speed in pair]

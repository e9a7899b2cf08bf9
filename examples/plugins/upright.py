"""A landing detector of one's own: declares when a tilt meter has read less than a limit for a time.

Named in a scenario by `plugins = ["upright.py"]`, it is selected by `[detector] kind = "upright"`.
"""

from typing import Any, Literal

import warp as wp

from planetfall.plugins import (
    DetectorMemory,
    DetectorModel,
    DetectorPart,
    Readings,
    Scenario,
    Table,
    choice,
    held_for,
    quantity,
    register,
)


class UprightKeys(Table):
    """What a scenario gives under `[detector]`."""

    kind: Literal["upright"] = choice("name of the detector")
    sensor: str = choice("name of the tilt meter that it reads")
    limit: float = quantity("rad", "tilt below which the vehicle is upright", gt=0)
    hold: float = quantity("s", "how long it must be so without a break", 0.5, ge=0)


@wp.struct
class UprightParams:
    """`channel` that is read; `limit` [rad]; `hold` [s]."""

    channel: wp.int32
    limit: wp.float64
    hold: wp.float64


@wp.func
def declares(p: wp.ref[UprightParams], readings: Readings, memory: DetectorMemory, t: wp.float64, run: int) -> wp.int32:
    """1 at the sample at which it declares: it sees readings and its memory, never the state."""
    return held_for(readings.value[p.channel, run] < p.limit, p.hold, readings, memory, t, run)


def fill(scenario: Scenario, channels: dict[str, int]) -> dict[str, Any]:
    """The numbers by member of the struct."""
    keys: Any = scenario.detector
    return {"channel": channels[keys.sensor], "limit": keys.limit, "hold": keys.hold}


register(DetectorPart(UprightKeys, DetectorModel("upright", UprightParams, declares), fill))

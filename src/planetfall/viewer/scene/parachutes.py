"""Parachutes as the page draws them: where their risers are fixed, how wide and which way they stand."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from planetfall.engine.mechanisms.air.parachute import mounted, places_of_parachutes
from planetfall.scenario.drive import DriveScenario
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.vehicle.parachutes import Parachute

LINES = 2.3
"""Length of riser and lines over the nominal diameter, in the picture alone (assumed, in the likeness of MSL's)."""
MOUTH = 0.7
"""Width of a full canopy over its nominal diameter, in the picture alone (assumed)."""


def described_parachutes(scenario: Scenario | DriveScenario, data: xr.Dataset) -> list[dict[str, Any]]:
    """For the header of a scene; none where a run has no parachutes, or none was recorded."""
    if isinstance(scenario, DriveScenario) or "parachute_load" not in data:
        return []
    return [
        {"name": p.name, "body": body, "attachment": list(p.attachment), "length": LINES * p.diameter}
        for body, p in mounted(scenario)
    ]


def canopy_arrays(
    scenario: Scenario | DriveScenario, data: xr.Dataset, frames: np.ndarray, summary: Mapping[str, Any]
) -> dict[str, np.ndarray]:
    """`canopy` [frame, parachute, 3]: against the vehicle's velocity, as long as the canopy is wide [m]; 0 if packed.

    The share of its drag area that a canopy has is the load over that of a full one, which its width follows by the
    square root.
    """
    if isinstance(scenario, DriveScenario) or not described_parachutes(scenario, data):
        return {}
    on = mounted(scenario)
    out = np.zeros((len(frames), len(on), 3), dtype=np.float32)
    time = data.time.values[frames]
    is_out = [_is_out(summary, place, time) for place in places_of_parachutes(scenario)]
    for i, (body, parachute) in enumerate(on):
        load, pressure = (data[name].values[frames, body] for name in ("parachute_load", "dynamic_pressure"))
        mach, velocity = data.mach.values[frames, body], data.velocity.values[frames, body]
        areas = [is_out[j] * _drag_area(other, mach) for j, (carrier, other) in enumerate(on) if carrier == body]
        full = pressure * np.sum(areas, axis=0)
        share = np.divide(load, full, out=np.zeros(len(frames)), where=(full > 0.0) & is_out[i] & np.isfinite(load))
        speed = np.linalg.norm(velocity, axis=1, keepdims=True)
        width = MOUTH * parachute.diameter * np.sqrt(np.clip(share, 0.0, 1.0))
        out[:, i] = -width[:, None] * np.divide(velocity, speed, out=np.zeros_like(velocity), where=speed > 0.0)
    return {"canopy": out}


def _drag_area(parachute: Parachute, mach: np.ndarray) -> np.ndarray:
    """Of the full canopy [m^2]."""
    drag = np.interp(mach, parachute.mach, parachute.drag_coefficient)
    return parachute.drag_factor * drag * np.pi / 4.0 * parachute.diameter**2


def _is_out(summary: Mapping[str, Any], place: str, time: np.ndarray) -> np.ndarray:
    """Whether a parachute has been fired and not released; of a run without a summary so far, that it may be."""
    found: Any = summary
    for name in place.split("."):
        found = found.get(name, {}) if isinstance(found, Mapping) else {}
    fired, released = found.get("deploy_s", -np.inf), found.get("released_s")
    return (time >= (np.inf if fired is None else fired)) & (time < (np.inf if released is None else released))

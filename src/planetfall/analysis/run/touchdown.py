"""The touchdown of a flight in a few numbers: when, how fast, how far from the site."""

from typing import Any

import numpy as np
import xarray as xr

from planetfall.engine.state.result import RecordedRun
from planetfall.scenario.scenario import Scenario
from planetfall.world.gravity.field import acceleration_at


def is_flight(scenario: Scenario) -> bool:
    """Whether a vehicle comes from afar, through air or on another: how far it went says nothing of a slide."""
    return scenario.entering_body is not None or any(carrier >= 0 for carrier in scenario.carriers)


def touchdown(scenario: Scenario, run: RecordedRun, data: xr.Dataset) -> dict[str, Any]:
    """Of the first judged vehicle that touches the ground; None for what did not happen.

    The vertical speed is that of the touch itself, the horizontal one that of the last recorded frame before it. The
    miss is the distance over the ground from the site of the frame, where there is one.
    """
    judged = [i for i, body in enumerate(data.point_body.values) if body < scenario.n_judged]
    touched = [event for event in run.events if event.kind == "touch" and event.point in judged]
    out: dict[str, Any] = {
        "touchdown_s": None, "touchdown_vertical_m_s": None, "touchdown_horizontal_m_s": None,
    }  # fmt: skip
    if touched:
        first = min(touched, key=lambda event: event.time)
        frame = int(np.searchsorted(data.time.values, first.time, side="right")) - 1
        body = int(data.point_body.values[first.point])
        velocity, position = data.velocity.values[frame, body], data.position.values[frame, body]
        down = acceleration_at(scenario, position)
        down = down / (np.linalg.norm(down) or 1.0)
        across = velocity - down * (velocity @ down)
        out = {
            "touchdown_s": first.time,
            "touchdown_vertical_m_s": abs(first.value),
            "touchdown_horizontal_m_s": float(np.linalg.norm(across)),
        }
    if scenario.target.site is not None:
        out["miss_m"] = _distance(scenario, data.position.values[-1, 0])
    return out


def _distance(scenario: Scenario, position: np.ndarray) -> float:
    """Over the ground, from the origin of the surface frame to a place near it [m]: an arc of a sphere."""
    site, place = -scenario.target.center_S, position - scenario.target.center_S
    angle = np.arctan2(np.linalg.norm(np.cross(site, place)), site @ place)
    return float(angle * np.linalg.norm(site))

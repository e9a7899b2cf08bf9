"""Sunlight on the ground where runs ended, as columns of a campaign's table."""

from collections.abc import Iterable

import numpy as np

from planetfall.analysis.illumination import illumination
from planetfall.analysis.landing_ellipse import ELSEWHERE
from planetfall.engine.build import Model
from planetfall.engine.result import BatchResult
from planetfall.scenario.dispersed_keys import is_bare_plane
from planetfall.scenario.scenario import Scenario
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.surface import Surface

INCIDENCE, LIT = "out.solar_incidence_deg", "out.is_lit"


def sunlight_columns(model: Model, end: BatchResult, own: Iterable[Scenario] | None = None) -> dict[str, np.ndarray]:
    """Incidence [deg], and 1 for light or 0 for night and shadow; NaN for runs that ended nowhere on the ground.

    Args:
        model: Of all runs.
        end: Of the runs.
        own: Their scenarios, where ground or target differ from run to run.
    """
    if model.scenario.target.sun_direction is None:
        return {}
    is_down = np.isfinite(end.state[:, :3]).all(axis=1) & ~np.isin(end.status, [int(outcome) for outcome in ELSEWHERE])
    out = np.full((2, len(is_down)), np.nan)
    if own is None:
        out[:, is_down] = _sunlight(model.scenario, model.surface, end.state[is_down, :3], end.time[is_down])
    else:
        for i, run in enumerate(own):
            surface = make_surface(run, model.device) if is_bare_plane(run) else model.surface
            if is_down[i]:
                out[:, i : i + 1] = _sunlight(run, surface, end.state[i : i + 1, :3], end.time[i : i + 1])
    return {INCIDENCE: out[0], LIT: out[1]}


def _sunlight(scenario: Scenario, surface: Surface, places: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, ...]:
    if not len(places):
        return np.empty(0), np.empty(0)
    found = illumination(surface, places, times, np.asarray(scenario.target.sun_direction), scenario.target.omega)
    return np.degrees(found.incidence), found.is_lit.astype(float)

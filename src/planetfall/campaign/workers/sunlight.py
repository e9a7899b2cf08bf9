"""Sunlight on the ground where runs ended, as columns of a campaign's table."""

from collections.abc import Iterable

import numpy as np

from planetfall.analysis.run.illumination import illumination
from planetfall.campaign.workers.end_places import ask_at_ends
from planetfall.engine.build import Model
from planetfall.engine.state.result import BatchResult
from planetfall.record.rows import INCIDENCE, IS_LIT
from planetfall.scenario.scenario import Scenario
from planetfall.world.terrain.surface import Surface


def sunlight_columns(model: Model, end: BatchResult, own: Iterable[Scenario] | None = None) -> dict[str, np.ndarray]:
    """Incidence [deg], and 1 for light or 0 for night and shadow; NaN for runs that ended nowhere on the ground.

    Args:
        model: Of all runs.
        end: Of the runs.
        own: Their scenarios, where ground or target differ from run to run.
    """
    if model.scenario.target.sun_direction is None:
        return {}
    out = ask_at_ends(model, end, own, 2, _sunlight)
    return {INCIDENCE: out[0], IS_LIT: out[1]}


def _sunlight(scenario: Scenario, surface: Surface, places: np.ndarray, times: np.ndarray) -> np.ndarray:
    target = scenario.target
    assert target.sun_S is not None
    found = illumination(surface, places, times, target.sun_S, target.omega)
    is_lit = np.where(np.isfinite(found.incidence), found.is_lit, np.nan)
    return np.array([np.degrees(found.incidence), is_lit])

"""What the ground is like where runs ended, whether they share it or each has its own."""

from collections.abc import Callable, Iterable

import numpy as np

from planetfall.analysis.campaign.landing_ellipse import ELSEWHERE
from planetfall.engine.build import Model
from planetfall.engine.state.result import BatchResult
from planetfall.scenario.dispersions.keys import is_bare_plane
from planetfall.scenario.scenario import Scenario
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.surface import Surface

Ask = Callable[[Scenario, Surface, np.ndarray, np.ndarray], np.ndarray]
"""From a scenario, its ground, places [run, 3] [m] and times [run] [s] to numbers [number, run]."""


def ask_at_ends(model: Model, end: BatchResult, own: Iterable[Scenario] | None, n_numbers: int, ask: Ask) -> np.ndarray:
    """Numbers [number, run] of the places where runs ended; NaN for runs that ended nowhere on the ground.

    Args:
        model: Of all runs.
        end: Of the runs.
        own: Their scenarios, where ground or target differ from run to run.
        n_numbers: How many numbers `ask` gives per place.
        ask: What is asked for.
    """
    places = end.state[:, :3]
    is_down = np.isfinite(places).all(axis=1) & ~np.isin(end.status, [int(outcome) for outcome in ELSEWHERE])
    out = np.full((n_numbers, len(places)), np.nan)
    if own is None:
        if is_down.any():
            out[:, is_down] = ask(model.scenario, model.surface, places[is_down], end.time[is_down])
        return out
    for i, run in enumerate(own):
        if is_down[i]:
            surface = make_surface(run, model.device) if is_bare_plane(run) else model.surface
            out[:, i : i + 1] = ask(run, surface, places[i : i + 1], end.time[i : i + 1])
    return out

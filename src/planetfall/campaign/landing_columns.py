"""What a landing detector made of the runs, and the ground they ended on, as columns of a campaign's table."""

from collections.abc import Iterable

import numpy as np

from planetfall.analysis.detection import detection
from planetfall.analysis.landing_ellipse import ELSEWHERE
from planetfall.engine.build import Model
from planetfall.engine.result import BatchResult
from planetfall.scenario.dispersed_keys import is_bare_plane
from planetfall.scenario.scenario import Scenario
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.surface import Surface

CONTACT, DELAY, FALSE, MISSED, SLOPE = (
    "out.contact_s", "out.delay_s", "out.is_false", "out.is_missed", "out.slope_deg",
)  # fmt: skip
NAMES = (CONTACT, DELAY, FALSE, MISSED, SLOPE)


def has_detector(scenario: Scenario) -> bool:
    """Whether landings are declared, on a site with one vertical."""
    return scenario.detector is not None and scenario.target.frame == "L" and scenario.gravity.model == "uniform"


def landing_columns(model: Model, end: BatchResult, own: Iterable[Scenario] | None = None) -> dict[str, np.ndarray]:
    """The columns `NAMES` of runs that were simulated; `own` are their scenarios where the ground differs."""
    if not has_detector(model.scenario):
        return {}
    found = detection(end, len(model.scenario.vehicle.points))
    return {
        CONTACT: found.contact,
        DELAY: found.delay,
        FALSE: found.is_false.astype(float),
        MISSED: found.is_missed.astype(float),
        SLOPE: slopes(model, end, own),
    }


def slopes(model: Model, end: BatchResult, own: Iterable[Scenario] | None = None) -> np.ndarray:
    """Slope [deg] under the first vehicle at the end, of the ground without what is added to it; NaN off the ground."""
    places = end.state[:, :3]
    is_down = np.isfinite(places).all(axis=1) & ~np.isin(end.status, [int(outcome) for outcome in ELSEWHERE])
    out = np.full(len(places), np.nan)
    if own is None:
        out[is_down] = _slopes(model.scenario, model.surface, places[is_down])
        return out
    for i, run in enumerate(own):
        if is_down[i]:
            surface = make_surface(run, model.device) if is_bare_plane(run) else model.surface
            out[i] = _slopes(run, surface, places[i : i + 1])[0]
    return out


def _slopes(scenario: Scenario, surface: Surface, places: np.ndarray) -> np.ndarray:
    if not len(places):
        return np.empty(0)
    _, normals, _ = (surface.parts[0] if surface.parts else surface).ask(places)
    up = -np.asarray(scenario.gravity.direction)  # type: ignore[union-attr]  uniform gravity has a direction
    across = np.cross(normals, up)
    return np.degrees(np.arctan2(np.sqrt(np.sum(across**2, axis=1)), normals @ up))

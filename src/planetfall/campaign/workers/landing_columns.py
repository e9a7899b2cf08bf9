"""What a landing detector made of the runs, and the ground they ended on, as columns of a campaign's table."""

from collections.abc import Iterable

import numpy as np

from planetfall.analysis.campaign.detection import detection
from planetfall.analysis.campaign.detection_rates import CONTACT, DELAY, FALSE, MISSED, SLOPE
from planetfall.campaign.workers.end_places import ask_at_ends
from planetfall.engine.build import Model
from planetfall.engine.state.result import BatchResult
from planetfall.scenario.scenario import Scenario
from planetfall.world.terrain.surface import Surface

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
    return ask_at_ends(model, end, own, 1, _slopes)[0]


def _slopes(scenario: Scenario, surface: Surface, places: np.ndarray, _times: np.ndarray) -> np.ndarray:
    _, normals, _ = (surface.parts[0] if surface.parts else surface).ask(places)
    up = -np.asarray(scenario.gravity.direction)  # type: ignore[union-attr]  uniform gravity has a direction
    across = np.cross(normals, up)
    return np.degrees(np.arctan2(np.sqrt(np.sum(across**2, axis=1)), normals @ up))[None]

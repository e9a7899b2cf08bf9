"""Columns of a campaign's table, from how its runs ended.

How they flew (touchdown, miss, propellant, when and how each phase began), what a landing detector made of them, and
the slope and the sunlight of the ground where they ended, whether they share it or each has its own.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from planetfall.analysis.campaign.detection import detection
from planetfall.analysis.campaign.detection_rates import CONTACT, DELAY, FALSE, MISSED, SLOPE
from planetfall.analysis.run.flight_timeline import phase_results
from planetfall.analysis.run.illumination import illumination
from planetfall.analysis.run.places import ended_on_ground
from planetfall.analysis.run.touchdown import flight_results
from planetfall.engine.build import Model
from planetfall.engine.state.result import BatchResult
from planetfall.record.flight_numbers import flight_numbers, phase_numbers
from planetfall.record.rows import INCIDENCE, IS_LIT
from planetfall.scenario.dispersions.keys import is_bare_plane
from planetfall.scenario.scenario import Scenario
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.surface import Surface

LANDING = (CONTACT, DELAY, FALSE, MISSED, SLOPE)
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
    is_down = np.isfinite(places).all(axis=1) & ended_on_ground(model.scenario, end)
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


def flight_names(scenario: Scenario) -> tuple[str, ...]:
    """Columns of a scenario's campaigns."""
    return tuple(f"out.{name}" for name in (*flight_numbers(scenario), *phase_numbers(scenario)))


def flight_columns(model: Model, end: BatchResult, own: Sequence[Scenario] | None = None) -> dict[str, np.ndarray]:
    """The columns `flight_names` of runs that were simulated; `own` are their scenarios where those differ."""
    found = {**flight_results(model.scenario, end, own), **phase_results(model.scenario, end)}
    return {f"out.{name}": values for name, values in found.items()}


def has_detector(scenario: Scenario) -> bool:
    """Whether landings are declared, on a site with one vertical."""
    return scenario.detector is not None and scenario.target.frame == "L" and scenario.gravity.model == "uniform"


def landing_columns(model: Model, end: BatchResult, own: Iterable[Scenario] | None = None) -> dict[str, np.ndarray]:
    """The columns `LANDING` of runs that were simulated; `own` are their scenarios where the ground differs."""
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
    across, along = np.cross(normals, up), np.sum(normals * up, axis=1)  # not by a product of matrices: see `misses`
    return np.degrees(np.arctan2(np.sqrt(np.sum(across**2, axis=1)), along))[None]


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

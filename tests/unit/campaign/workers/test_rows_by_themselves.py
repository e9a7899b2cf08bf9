"""A number of a run does not depend on how many others it stands beside: a replay of one run equals its row.

A product of matrices (BLAS) adds up in another order for one row than for many, so that last bits differ.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

import planetfall
from planetfall.analysis.run.touchdown import misses
from planetfall.campaign.workers.columns import slopes
from planetfall.engine.build import Model, build
from planetfall.engine.state.result import BatchResult
from planetfall.outcome import Outcome
from planetfall.scenario.tables.run.conventions import flight_state

N = 64


def ends(places: np.ndarray) -> BatchResult:
    """Runs that came to rest at these places [run, 3] [m]."""
    n = len(places)
    found = {"status": np.full(n, Outcome.settled), "time": np.zeros(n), "first_touch": np.zeros((n, 10))}
    return cast(BatchResult, SimpleNamespace(state=places, **found))


def on_the_map() -> Model:
    tilted = {"gravity.direction": (np.array([1.0, 2.0, -9.0]) / np.sqrt(86.0)).tolist()}
    return build(planetfall.load("msl-gale-drop").with_values(tilted), is_recorded=False)


def miss_columns() -> Callable[[np.ndarray], np.ndarray]:
    scenario = planetfall.load("msl-edl")
    return lambda places: misses(scenario, ends(places))


def slope_columns() -> Callable[[np.ndarray], np.ndarray]:
    model = on_the_map()
    return lambda places: slopes(model, ends(places))


@pytest.mark.parametrize("columns", [miss_columns, slope_columns])
def test_alone_and_beside_others(columns: Callable[[], Callable[[np.ndarray], np.ndarray]]) -> None:
    of = columns()
    places = np.random.default_rng(2).uniform(-20.0, 20.0, (N, 3))
    together = of(places)
    assert np.all(np.isfinite(together)) and len(np.unique(together)) == N
    np.testing.assert_array_equal(together, np.concatenate([of(places[i : i + 1]) for i in range(N)]))


def test_a_start_is_as_far_from_the_site_as_a_run_that_ended_there() -> None:
    """Both along a great circle of the sphere through the site, which lies 20 km within the equator's at 68 degrees."""
    scenario = planetfall.load("msl-edl", {"target.site.latitude_deg": 68.2, "target.site.longitude_deg": 234.25})
    place = np.array([3e5, -2e5, 1e4])
    found = flight_state(place, np.array([0.0, 0.0, 1.0]), scenario.target)
    assert found is not None
    assert found.distance_to_site_m == pytest.approx(misses(scenario, ends(place[None]))[0], rel=1e-12)

"""`minerva-67p` on ground of coarser cells: it comes to rest on the comet, and no slide stops at a face of a cell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import planetfall
from planetfall.engine.build import Model, build
from planetfall.engine.run import run_batch
from planetfall.outcome import Outcome

COARSE = {
    "terrain.resolution": 50.0,
    "record.interval": 1000.0,
    "terrain.noise.amplitude": 0.0,
    "contact.rolling_resistance": 0.008,  # or some would roll on for hours
}


def test_hoppers_come_to_rest_on_the_comet() -> None:
    """Four releases, 20 mm/s apart: all settle, in tens of thousands of steps, slower than the rules of rest.

    Before switches were located by the roundings of the position, a slide stood at a face of a cell with steps of
    1e-11 s, and did not end.
    """
    model = build(planetfall.load("minerva-67p").with_values(COARSE))  # recorded: the kernel of `planetfall run`
    found = run_batch(model, releases(model))
    assert list(found.status) == [Outcome.settled] * 4
    assert found.steps.max() < 100_000
    gaps = model.surface.ask(found.state[:, :3])[0]
    assert np.all((gaps > 0.0) & (gaps < 0.1))  # the centre of mass lies within half a diameter of the ground
    assert np.linalg.norm(found.state[:, 3:6], axis=1).max() < 1e-4


def test_points_left_out_of_a_step_change_nothing() -> None:
    """With every point asked in every step (`engine.nearness` off), flight and first touch have the same bits.

    In contact a point that is asked may only move where a graze is looked for, and with it the steps: what that changes
    is what a tolerance of 1e-8 leaves, here over 40 s of up to 18 touches, whose roundings tumbling makes grow.
    """
    scenario = planetfall.load("minerva-67p").with_values({**COARSE, "scenario.duration": 1650.0})
    model = build(scenario)
    blind = build(scenario, surface=replace(model.surface, model=replace(model.surface.model, steepness=None)))
    assert model.assembly.culls and not blind.assembly.culls
    few, all_points = run_batch(model, releases(model)), run_batch(blind, releases(model))
    assert np.array_equal(np.nanmin(few.first_touch, axis=1), np.nanmin(all_points.first_touch, axis=1))
    assert few.touches.sum() > 10
    assert few.state == pytest.approx(all_points.state, abs=1e-8, rel=0.0)


def releases(model: Model) -> np.ndarray:
    """Four starts [run, 13], 20 mm/s apart."""
    states = np.tile(model.initial_state, (4, 1))
    states[:, 3] += 0.02 * np.arange(4)
    return states

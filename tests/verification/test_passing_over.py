"""The stages of a fixed step pass over bodies that are too far from the ground to touch it: not a bit may change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planetfall.engine.build import build
from planetfall.engine.run import run_batch
from planetfall.world.terrain.combined_build import combined_surface
from planetfall.world.terrain.dem_build import dem_surface
from planetfall.world.terrain.surface import Surface
from support.block_scene import assert_same_bits, block, spread
from support.rocks import box_surface

SPACING, N = 0.5, 41


@pytest.fixture(scope="module")
def ground() -> Surface:
    """Rough ground, slopes of some 30 degrees, and a rock on it."""
    heights = np.random.default_rng(4).uniform(-0.1, 0.1, (N, N))
    origin = np.array([-0.5 * SPACING * (N - 1)] * 2 + [0.0])
    rock = box_surface(np.array([-0.6, 0.1, -0.3]), np.array([0.3, 0.8, 0.35]))
    return combined_surface(dem_surface(heights, origin, (SPACING, SPACING), "cpu"), rock)


def test_a_point_stays_apart_on_any_way_shorter_than_its_gap_allows(ground: Surface) -> None:
    """From 4,000 places over the ground, by random ways as long as the bound allows: none ends in it."""
    rng = np.random.default_rng(5)
    places = rng.uniform([-8.0, -8.0, 0.0], [8.0, 8.0, 1.0], (4000, 3))
    gaps, _, _ = ground.ask(places)
    closing = 1.0 + float(ground.parts[0].params.steepest)  # what the two parts' functions give, the rock's being 1
    ways = rng.normal(size=(4000, 3))
    ways *= (np.maximum(gaps, 0.0) / closing / np.linalg.norm(ways, axis=1))[:, None]
    moved, _, _ = ground.ask(places + ways)
    assert np.all(moved[gaps > 0.0] >= -1e-12)
    assert 1.5 < closing < 2.0  # 1 and the slope, which is at most hypot(0.2, 0.2)/0.5 = 0.57


def test_runs_have_the_same_bits_with_and_without(ground: Surface) -> None:
    """Blocks that fall, tumble and slide on rough ground with a rock."""
    model = build(block(), is_recorded=False, surface=ground)
    assert model.assembly.passes_over
    blind = replace(model.assembly, terrain=replace(model.assembly.terrain, closing=None))
    assert not blind.passes_over
    states = spread(model.initial_state, 12, 6)
    found = run_batch(model, states)
    assert found.touches.sum() > 24
    assert_same_bits(found, run_batch(replace(model, assembly=blind), states))

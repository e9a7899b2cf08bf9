"""Stages pass over points too far from the ground to touch it, and points share a cell: not a bit may change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planetfall.engine.build import build
from planetfall.engine.run import run_batch, run_recorded
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.scenario.scenario import Scenario
from planetfall.world.terrain.combined_build import combined_surface
from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.surface import Surface
from support.block_scene import assert_same_bits, block, spread
from support.rocks import box_surface

SPACING, N, BALL = 0.5, 41, 3.0


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
    assert model.assembly.plan.passes_over
    blind = replace(model.assembly, terrain=replace(model.assembly.terrain, closing=None))
    assert not blind.plan.passes_over
    states = spread(model.initial_state, 12, 6)
    found = run_batch(model, states)
    assert found.touches.sum() > 24
    assert_same_bits(found, run_batch(replace(model, assembly=blind), states))


def cube_on_ball() -> Scenario:
    """A cube of 0.2 m over a ball whose cells are hardly larger, and rough, so that it often stands on several."""
    return scenario_from_dict(
        {
            "scenario": {"name": "cells", "duration": 4.0},
            "target": {"name": "ball", "gm": 0.5 * BALL**2, "frame": "P"},
            "gravity": {"model": "point"},
            "terrain": {
                "model": "sdf", "shape": "sphere", "half_sizes": [BALL] * 3, "resolution": 0.3,
                "noise": {"amplitude": 0.01, "wavelength": 0.5, "octaves": 2},
            },
            "vehicle": {"name": "cube"},
            "contact": {"law": "distributed", "stiffness": 2000.0, "damping": 14.0, "friction": 0.5},
            "initial": {"position": [0.0, 0.0, BALL + 0.3]},
            "integrator": {"method": "rk4", "step": 2e-3, "accept_step": True},
            "outcome": {"stop_at_rest": False},
        }
    )  # fmt: skip


def test_a_cell_at_hand_changes_no_bit() -> None:
    """Cubes thrown onto a rough ball: with cells kept and far points left out, and with neither."""
    model = build(cube_on_ball(), is_recorded=False)
    terrain = model.assembly.terrain
    assert model.assembly.plan.monitors_in_stages and model.assembly.plan.passes_over
    blind = replace(model.assembly, terrain=replace(terrain, view=None, steepness=None))
    assert not blind.plan.monitors_in_stages and not blind.plan.passes_over
    rng = np.random.default_rng(7)
    away = rng.normal(size=(24, 3))
    away /= np.linalg.norm(away, axis=1)[:, None]
    turns = rng.normal(size=(24, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    slides = rng.normal(scale=0.5, size=(24, 3)) - 0.5 * away
    states = np.hstack([(BALL + 0.2) * away, slides, turns, rng.normal(scale=3.0, size=(24, 3))])
    found = run_batch(model, states)
    assert found.touches.sum() > 100
    moved = np.linalg.norm(found.state[:, :3] - states[:, :3], axis=1)
    assert np.mean(moved > 0.3) > 0.5  # most leave the cell that they began in
    assert_same_bits(found, run_batch(replace(model, assembly=blind), states))


LAWS = {
    "distributed": {},
    "marker": {
        "contact": {
            "law": "marker", "rest_penetration": 2e-3, "damping_ratio": 0.2, "breakaway_angle_deg": 31.0,
            "sliding_angle_deg": 27.0, "breakaway_speed": 0.02, "sliding_speed": 0.04,
        }
    },
}  # fmt: skip


@pytest.mark.parametrize("law", list(LAWS))
def test_one_code_for_looks_and_stages_gives_the_same_record_as_two(law: str) -> None:
    """A cube that tumbles over the ball: every frame with its work and modes, every event, every monitor.

    The stages of one code are its evaluations without monitors (`contact_sum_with_view`), those of two have code
    of their own (`contact_sum`, `monitored_sum`): the same sums in the same order, so that they agree to the last bit.
    """
    tables = {**cube_on_ball().model_dump(), **LAWS[law]}
    thrown = {"initial.velocity": [0.6, 0.3, -0.5], "initial.angular_velocity": [2.0, -3.0, 1.0]}
    model = build(scenario_from_dict(tables).with_values({**thrown, "scenario.duration": 10.0}))
    two_codes = replace(model.assembly, terrain=replace(model.assembly.terrain, view=None))
    assert model.assembly.plan.monitors_in_stages
    assert two_codes.plan.passes_over and not two_codes.plan.monitors_in_stages
    one, two = run_recorded(model), run_recorded(replace(model, assembly=two_codes))
    assert {"touch", "lift_off"} <= {event.kind for event in one.events}
    assert one.end.touches.sum() > 8
    assert one.events == two.events
    assert_same_bits(one.end, two.end)
    for name, values in vars(two.frames).items():
        np.testing.assert_array_equal(getattr(one.frames, name), values, err_msg=name)

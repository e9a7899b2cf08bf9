"""Landing on rocks: the engine over combined terrains, against planes and statics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import root_scalar

import planetfall
from planetfall.engine.build import build
from planetfall.engine.run import run_batch, run_recorded
from planetfall.engine.structure.work_accounts import ACCOUNTS
from planetfall.outcome import Outcome
from planetfall.scenario.scenario import Scenario
from planetfall.world.terrain.combined_build import combined_surface
from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.surface import Surface
from support.block_scene import assert_same_bits, spread
from support.rocks import box_surface

TOP = 0.5  # of the rock [m]
SLAB = (np.array([-3.0, -3.0, -0.3]), np.array([3.0, 3.0, TOP]))


def block(**values: Any) -> Scenario:
    """The block 0.3 m over whatever is under it, moving a little; `values`: further keys, `__` for the dot."""
    return planetfall.load("sink-flat").with_values(
        {
            "scenario.duration": 1.5,
            "integrator": {"method": "rk4", "step": 1e-3},
            "initial.height": 0.5,
            "initial.velocity": [0.3, -0.1, 0.0],
            "record.interval": 0.05,
            **{key.replace("__", "."): value for key, value in values.items()},
        }
    )


def on_plane(scenario: Scenario) -> Surface:
    return combined_surface(make_surface(scenario, "cpu"), box_surface(*SLAB))


def on_map(_: Scenario) -> Surface:
    return combined_surface(
        dem_surface(np.zeros((9, 9)), np.array([-8.0, -8.0, 0.0]), (2.0, 2.0), "cpu"), box_surface(*SLAB)
    )


@pytest.mark.parametrize("make", [on_plane, on_map])
def test_a_drop_onto_a_rock_is_a_drop_onto_a_plane_at_its_top(make) -> None:
    """`initial.height` counts from the rock too. Rounding of half a metre at each step, some hundreds of them."""
    flat = run_recorded(build(block(terrain__point=[0.0, 0.0, TOP])))
    rock = run_recorded(build(block(), surface=make(block())))
    np.testing.assert_allclose(rock.frames.time, flat.frames.time, atol=1e-12)
    np.testing.assert_allclose(rock.frames.state, flat.frames.state, atol=1e-12)
    np.testing.assert_allclose(rock.observed.gap, flat.observed.gap, atol=1e-12)
    np.testing.assert_allclose(rock.observed.force, flat.observed.force, atol=1e-12 * 4e4)  # K is 1e4 N/m
    assert [event.kind for event in rock.events] == [event.kind for event in flat.events]
    assert "touch" in {event.kind for event in rock.events}


def test_a_block_with_two_feet_on_a_step_stands_as_statics_says() -> None:
    """All forces are vertical, so each foot sinks by its load over K, and moments about the centre vanish."""
    step = 0.1
    scenario = block(
        scenario__duration=8.0, initial__velocity=[0.0, 0.0, 0.0], initial__height=None,
        initial__position=[0.0, 0.0, 0.28], outcome__stop_at_rest=False,
    )  # fmt: skip
    surface = combined_surface(
        make_surface(scenario, "cpu"), box_surface(np.array([0.2, -2.0, -1.0]), np.array([3.0, 2.0, step]))
    )
    run = run_recorded(build(scenario, surface=surface))
    weight, stiffness = 100.0 * 3.7132, 100.0 * 3.7132 / 4 / 0.01

    def loads(tilt: float) -> tuple[float, float]:
        """Of the two feet on the step, and of those on the plane [N]: arms of the tilted block balance."""
        on_step, on_ground = 0.5 * np.cos(tilt) + 0.2 * np.sin(tilt), 0.5 * np.cos(tilt) - 0.2 * np.sin(tilt)
        return weight * on_ground / (2 * np.cos(tilt) * 0.5), weight * on_step / (2 * np.cos(tilt) * 0.5)

    def misfit(tilt: float) -> float:
        high, low = loads(tilt)
        return (step - high / 2 / stiffness) - (-low / 2 / stiffness) - np.sin(tilt)

    tilt = root_scalar(misfit, bracket=(0.0, 0.3), xtol=1e-15).root
    high, low = loads(tilt)
    force = run.observed.normal_force[-1]  # feet: NE, SE on the step, SW, NW on the plane
    np.testing.assert_allclose(force, [high / 2, high / 2, low / 2, low / 2], rtol=1e-9)
    np.testing.assert_allclose(run.observed.gap[-1], -force / stiffness, rtol=1e-9)
    turned = run.frames.state[-1, 6:10]
    assert 2 * np.arctan2(-turned[1], turned[3]) == pytest.approx(tilt, rel=1e-9)


def test_runs_of_a_batch_do_not_meet_each_others_rocks() -> None:
    """Every point of every run keeps lists of facets for both rocks; bits do not depend on batch or threads."""
    scenario = block(integrator__step=2e-3, integrator__accept_step=True, scenario__duration=1.0)
    surface = combined_surface(
        make_surface(scenario, "cpu"),
        box_surface(np.array([0.1, 0.1, -0.2]), np.array([0.9, 0.8, 0.15])),
        box_surface(np.array([-0.9, -0.6, -0.2]), np.array([-0.2, 0.4, 0.25])),
    )
    model = build(scenario, is_recorded=False, surface=surface)
    states = spread(model.initial_state, 12, seed=7)
    both = run_batch(model, states, threads=2, chunk_steps=37)
    for i in (0, 5, 11):
        assert_same_bits(run_batch(model, states[i : i + 1]), both, slice(i, i + 1))
    assert np.ptp(both.state[:, 2]) > 0.05  # some stand on rocks, some do not
    assert not np.any(both.status == int(Outcome.diverged))


def test_a_block_that_runs_into_a_rock_loses_no_energy_unaccounted() -> None:
    """The union's gap is continuous, so the spring's energy is; the account closes as the step shrinks."""
    closures = []
    for h in (1e-3, 2.5e-4):
        scenario = block(
            initial__velocity=[2.0, 0.0, 0.0], initial__height=0.2, scenario__duration=0.6, integrator__step=h,
            integrator__accept_step=True,
        )  # fmt: skip
        wall = box_surface(np.array([1.0, -2.0, -1.0]), np.array([3.0, 2.0, 1.0]))
        run = run_recorded(build(scenario, surface=combined_surface(make_surface(scenario, "cpu"), wall)))
        total = run.observed.energy.sum(axis=1) - run.frames.state[:, -len(ACCOUNTS) :].sum(axis=1)
        closures.append(float(np.ptp(total)))
        assert run.frames.state[:, 0].max() < 0.6  # it did not go through
        assert run.frames.state[-1, 3] < 0.0  # and came back
    assert closures[0] < 0.1  # of 200 J
    assert closures[1] < 0.5 * closures[0]
